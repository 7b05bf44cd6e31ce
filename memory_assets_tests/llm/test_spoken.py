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
    "So much has happened since we last talked - I joined a choir in Bonn.": "I joined a choir in Bonn.",
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
    "He told me - I have cancer, and my dog knows.",
    "I wish - I had a sister.",
    "Maybe - I quit my job.",
    "Unless - I sell my boat.",
    "False - I own the studio.",
    "Everyone thinks - I am a doctor.",
    "I had a dream - I was a whale.",
    "They always say; my pottery is worthless.",
    "Translate - I live in a green house.",
    "Nothing has changed - I own the studio.",
    "Something almost happened - I lost my job.",
    "Something happened in my dream - I was a whale.",
    "A lot would have changed - I would be a doctor.",
    "Guess what - if I had a sister, she would sing.",
)


def _matter(text: str) -> str | None:
    (parsed,) = parse([text])
    start = matter_of(parsed)
    return None if start is None else text[start:]


@pytest.mark.parametrize("said", LEADS)
def test_what_only_leads_to_the_matter_ends_where_that_begins(said: str) -> None:
    assert _matter(said) == LEADS[said]


@pytest.mark.parametrize("said", WHOLE)
def test_what_says_something_is_no_lead(said: str) -> None:
    assert _matter(said) is None


def _statements(speaker: str | None, text: str) -> list[tuple[str, str | None]]:
    turns = (TurnText(index=0, speaker=speaker, text=text), TurnText(index=1, speaker="Tom", text="Oh."))
    source = SourceText(source_type="conversation", title="", started_at=None, owner_speaker="Ana", turns=turns)
    return [(one.text, one.statement) for one in extract(source).statements if one.turn == 0]


def test_what_is_said_is_restated_from_its_matter_on_and_its_words_stay_whole() -> None:
    said = "Guess what - I got a puppy in Bonn!"
    assert _statements("Ana", said) == [(said, "Ana got a puppy in Bonn!")]
    assert said in [text for text, _ in _statements(None, said)]
    wished = "I wish - I had a sister in Bonn."
    assert [text for text, _ in _statements("Ana", wished)] == [wished]


def test_what_answers_a_question_may_be_of_whom_that_asks_about() -> None:
    question, answer = "What did Rex do?", "Ate my shoes yesterday."
    for who, asked, statement in (
        ("Tom", question, None),
        ("Ana", "My dog is a menace.", None),
        ("Tom", "Good morning, Ana.", "Ana ate their shoes yesterday."),
    ):
        turns = (TurnText(index=0, speaker=who, text=asked), TurnText(index=1, speaker="Ana", text=answer))
        source = SourceText(source_type="conversation", title="", started_at=None, owner_speaker="Ana", turns=turns)
        assert [one.statement for one in extract(source).statements if one.turn == 1] == [statement]


@pytest.mark.parametrize(
    ("kind", "speaker", "is_person"),
    [
        *((kind, name, True) for kind in ("conversation", "email") for name in ("Mum", "Dad", "Grandma", "Uncle")),
        *((kind, "Newsletter", kind != "email") for kind in ("conversation", "transcript", "email")),
    ],
)
def test_who_speaks_is_somebody_and_what_sends_mails_may_be_nobody(kind: str, speaker: str, is_person: bool) -> None:
    turns = (TurnText(index=0, speaker=speaker, text="The garden opens in May, with a choir from Bonn."),)
    turns += (TurnText(index=1, speaker="Ana", text="I look forward to the choir."),)
    source = SourceText(source_type=kind, title="", started_at=None, owner_speaker="Ana", turns=turns)
    people = {one.name for one in extract(source).entities if one.kind == "person"}
    assert (speaker in people) is is_person


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
