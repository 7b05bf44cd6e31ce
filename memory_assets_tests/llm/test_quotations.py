"""Quotations over several sentences: what is in them somebody else has said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.quotations import across, quotations
from memory_assets.llm.tasks import SourceText, TurnText

QUOTED = (
    ('He said: "We sell boats. We sell cars." Then he left.', ['"We sell boats. We sell cars."']),
    ("She noted: 'We sell boats. We sell cars.' Then she left.", ["'We sell boats. We sell cars.'"]),
    ("She noted: “We sell boats. We sell cars.” Then she left.", ["“We sell boats. We sell cars.”"]),
    ("The users' data and Bob's wheel of 27\" are 'em.", []),
    ('It began "and never ended. We sell boats.', []),
    ("'Tis late, 'cause we slept.", []),
)


@pytest.mark.parametrize(("text", "expected"), QUOTED)
def test_a_quotation_goes_from_its_mark_to_the_next(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in quotations(text)] == expected


def test_sentences_of_a_quotation_are_found_but_not_those_that_quote_whole() -> None:
    said = ['He said: "We sell boats.', "We sell cars.", 'And bikes."', "We left.", 'I said "no" to that.']
    assert list(across(" ".join(said), said)) == [0, 1, 2]
    assert list(across("We sell boats. And bikes.", ["We sell boats.", "And bikes."])) == []


@given(st.text(alphabet="ab AB.\"'“”,", max_size=60))
def test_any_text_has_quotations_in_order(text: str) -> None:
    spans = quotations(text)
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in zip(spans, spans[1:], strict=False))


def test_what_is_quoted_is_not_its_senders() -> None:
    text = 'Tom Berg noted: "We started in May. We have run 200 trains since May. Trains are cheap." We like him.'
    turn = TurnText(index=0, speaker="Ana Lopes", text=text)
    source = SourceText(source_type="email", title="", started_at=None, owner_speaker=None, turns=(turn,))
    statements = {statement.text: statement.statement for statement in extract(source).statements}
    assert statements["We have run 200 trains since May."] is None
    assert statements['Tom Berg noted: "We started in May.'] is None
    assert statements['Trains are cheap."'] == 'Trains are cheap."'
