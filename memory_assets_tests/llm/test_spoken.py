"""What people leave out when they talk, and what they say before they come to the matter."""

from __future__ import annotations

import pytest

from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.language import parse
from memory_assets.llm.local.spoken import matter_of
from memory_assets.llm.tasks import SourceText, TurnText

LEADS = {
    "Guess what - I got a puppy two weeks ago!": "I got a puppy two weeks ago!",
    "A lot's happened - I just got accepted for a nursing course!": "I just got accepted for a nursing course!",
    "So much has happened since we talked - I joined a choir in Bonn.": "I joined a choir in Bonn.",
    "Crazy thing happened; my sister won the regatta!": "my sister won the regatta!",
}
WHOLE = (
    "I sold the cello - I needed the money.",
    "Last week was wild - I sailed to Malta.",
    "Ana was right - I joined the choir.",
    "I got ideas from everywhere: people I know, books I read.",
    "It was great - the view was breathtaking!",
    "Good news - it works again.",
    "I hiked with my brother - so much fun!",
    "The well-known painter moved in.",
    "Wait - what?",
)


def _matter(text: str) -> str | None:
    (parsed,) = parse([text])
    start = matter_of(parsed)
    return None if start is None else text[start:]


@pytest.mark.parametrize("said", LEADS)
def test_what_only_leads_to_the_matter_ends_where_that_begins(said: str) -> None:
    assert _matter(said) == LEADS[said]


@pytest.mark.parametrize("said", WHOLE)
def test_what_tells_something_is_no_lead(said: str) -> None:
    assert _matter(said) is None


def _statements(speaker: str | None, text: str) -> list[tuple[str, str | None]]:
    turns = (TurnText(index=0, speaker=speaker, text=text), TurnText(index=1, speaker="Tom", text="Oh."))
    source = SourceText(source_type="conversation", title="", started_at=None, owner_speaker="Ana", turns=turns)
    return [(one.text, one.statement) for one in extract(source).statements if one.turn == 0]


def test_what_is_said_is_read_from_its_matter_on_and_what_nobody_says_is_not() -> None:
    said = "Guess what - I got a puppy in Bonn!"
    assert _statements("Ana", said) == [("I got a puppy in Bonn!", "Ana got a puppy in Bonn!")]
    assert said in [text for text, _ in _statements(None, said)]


@pytest.mark.parametrize(
    "said",
    [
        "Was great to see my brother.",
        "Made sense to me and my team.",
        "Check my code before noon.",
        "Fixed in my last commit.",
        "I fixed this whole house last year.",
        "The mayor opened this new bridge.",
    ],
)
def test_what_may_be_of_something_else_is_no_statement_of_the_speakers(said: str) -> None:
    assert [one for _, one in _statements("Ana", said) if one and not one.startswith("Tom")] == []
