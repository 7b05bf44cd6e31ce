"""What an answer is behind its question, where it cannot be restated alone."""

from __future__ import annotations

import pytest

from memory_assets.llm.local.extract import extract
from memory_assets.llm.tasks import SourceText, TurnText
from memory_assets.text.attribution import without_question


def _answers(*turns: tuple[str, str], source_type: str = "conversation", owner: str = "Tom") -> list[str]:
    """What the sentences of the last turn are as answers."""
    said = tuple(TurnText(index=at, speaker=who, text=text) for at, (who, text) in enumerate(turns))
    source = SourceText(source_type=source_type, title="", started_at=None, owner_speaker=owner, turns=said)
    found = [one for one in extract(source).statements if one.turn == len(turns) - 1]
    assert not any(one.statement and one.quotation for one in found)
    return [one.quotation for one in found if one.quotation]


def test_an_answer_that_cannot_be_restated_alone_is_stated_behind_its_question() -> None:
    asked = ("Ana", "That is a fine boat. How long have you been sailing on the lake?")
    (found,) = _answers(asked, ("Tom", "It has been eleven years since my father showed me."))
    assert found == (
        "Asked by Ana “How long have you been sailing on the lake?”, "
        "Tom said: “It has been eleven years since my father showed me.”"
    )
    assert without_question(found) == "Tom said: “It has been eleven years since my father showed me.”"
    assert without_question(f"Tom wrote: {found}") == f"Tom wrote: {found}", "somebody's own words"


@pytest.mark.parametrize(
    "turns",
    [
        # The question points at what was said before it.
        (("Ana", "Where did you get it?"), ("Tom", "It was on a stand by the harbour.")),
        # So little is asked that nothing is named.
        (("Ana", "And you?"), ("Tom", "It was all done by Friday at the latest.")),
        # One asks and answers.
        (("Tom", "How long have I been sailing on the lake?"), ("Tom", "It has been eleven years already.")),
        # An answer to the one who asks.
        (("Ana", "How long have you been sailing on the lake?"), ("Tom", "It was you who showed me.")),
        # Nothing is asked.
        (("Ana", "You have been sailing on the lake for long."), ("Tom", "It has been eleven years already.")),
    ],
)
def test_what_is_no_answer_to_a_clear_question_is_not_stated_behind_it(turns: tuple[tuple[str, str], ...]) -> None:
    assert _answers(*turns) == []


def test_an_answer_is_quoted_from_its_first_sentence_on_until_it_asks_something() -> None:
    asked = ("Ana", "What have you been reading on the boat?")
    said = (
        "This was my aunt's gift. It has a keeper who never sleeps. How about that? He talks with the ships at night."
    )
    first, second = _answers(asked, ("Tom", said))
    assert without_question(first) == "Tom said: “This was my aunt's gift.”"
    assert without_question(second) == "Tom said: “This was my aunt's gift. It has a keeper who never sleeps.”"


def test_an_answer_that_is_understood_alone_stays_so() -> None:
    assert _answers(("Ana", "What do you do on the lake?"), ("Tom", "I sail to Lindau with my father.")) == []


@pytest.mark.parametrize("source_type", ["email", "slack"])
def test_letters_answer_no_turn_before_them(source_type: str) -> None:
    turns = (("Ana", "How long have you been sailing on the lake?"), ("Tom", "It has been eleven years already."))
    assert _answers(*turns, source_type=source_type) == []


def test_an_assistants_question_is_nobodys() -> None:
    turns = (("assistant", "How long have you been sailing on the lake?"), ("Tom", "It has been eleven years already."))
    assert _answers(*turns) == []
