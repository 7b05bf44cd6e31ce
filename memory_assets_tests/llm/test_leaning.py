"""Sentences that lean on the one before them: restated with it, or not at all."""

from __future__ import annotations

import pytest

from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.language import parse
from memory_assets.llm.local.leaning import is_explained_by, leans
from memory_assets.llm.tasks import SourceText, TurnText

LEANS = (
    "The training was exhausting.",
    "The new pump went well.",
    "The verdict was announced yesterday.",
    "I love the shape and weight.",
    "I will find one by Friday.",
    "We are looking for some to help the neighbours.",
    "There are so many, but I like it.",
    "The meeting moved from Monday to Friday.",
    "The ticket went to Ida Holm.",
)
INDEPENDENT = (
    "The owner of the bakery sold it.",
    "The highest tower in Ulm is closed.",
    "The boat that I bought leaks.",
    "I went to a concert, and the singer waved.",
    "I work at the harbour.",
    "I love the sea.",
    "Our team has one goal.",
    "I sold the red car and bought a blue one.",
    "One of my sisters is a nurse.",
    "No one has a key.",
    "The Smiths have moved to Graz.",
    "The 14 windows face south.",
    "The studio has moved from Bonn to Cologne.",
    "The frame went to Ida Holm, the glass to Tom Reed.",
)


@pytest.mark.parametrize("said", LEANS)
def test_a_sentence_leans_where_what_it_is_about_was_said_before(said: str) -> None:
    assert leans(parse([said])[0])


@pytest.mark.parametrize("said", INDEPENDENT)
def test_a_sentence_that_says_what_it_is_about_is_independent(said: str) -> None:
    assert not leans(parse([said])[0])


EXPLAINED_BY = (
    ("I need two permits for the kiln.", "The permits restrict me a lot.", True),
    ("I need two permits for the kiln.", "I walk along the river.", False),
    ("I've built a kiln", "The chimney is of brick.", True),
    ("I have a neighbour who fishes.", "We go to the lake on Sundays.", True),
    ("I have a boat.", "We go to Kiel on Sundays.", False),
    ("I have a neighbour who fishes.", "My wife and we two go to Kiel.", False),
    ("Small shops close early.", "Bakeries close at noon.", False),
)


@pytest.mark.parametrize(("before", "said", "expected"), EXPLAINED_BY)
def test_the_sentence_before_may_explain_what_is_meant(before: str, said: str, expected: bool) -> None:
    one, other = parse([before, said])
    assert is_explained_by(one, other) is expected


def _restated(*turns: tuple[str, str], owner: str | None = "Ana") -> list[str | None]:
    given = tuple(TurnText(index=at, speaker=who, text=text) for at, (who, text) in enumerate(turns))
    source = SourceText(source_type="conversation", title="", started_at=None, owner_speaker=owner, turns=given)
    return [statement.statement for statement in extract(source).statements if statement.speaker == "Ana"]


TOGETHER = (
    (
        "I started pottery in the spring. The training was exhausting.",
        "Ana started pottery in the spring. The training was exhausting.",
    ),
    ("I sold my boat in Kiel. It was too big for me.", "Ana sold their boat in Kiel. It was too big for Ana."),
    (
        "My city held a parade! I missed it because of a cold.",
        "Ana's city held a parade! Ana missed it because of a cold.",
    ),
    (
        "I teach two girls from Oslo. They play the cello. They practise every night.",
        "Ana teaches two girls from Oslo. They play the cello. They practise every night.",
    ),
)
ALONE = (
    "Where is the boat? It was too big for me.",
    "Can you paint the boat for me, please. It is too big.",
    "What a day! It was too big for me.",
    "I sold two cheap boats. He was too big for me.",
    "- I sold my boat in Kiel.\n- It was too big for me.",
    "I sold my boat in Kiel " + "and another one of the same builder in the same harbour " * 4 + ". It was too big.",
)


@pytest.mark.parametrize(("said", "expected"), TOGETHER)
def test_what_leans_is_restated_with_what_its_speaker_said_before_it(said: str, expected: str) -> None:
    assert _restated(("Ana", said), ("Tom", "I see."))[-1] == expected


@pytest.mark.parametrize("said", ALONE)
def test_what_leans_on_a_question_a_list_or_too_much_is_not_restated(said: str) -> None:
    assert _restated(("Ana", said), ("Tom", "I see."))[-1] is None


def test_what_leans_on_another_speaker_is_not_restated() -> None:
    assert _restated(("Tom", "I sold my boat in Kiel."), ("Ana", "It was too big for me."))[-1] is None
