"""Whose words stand under whose name: the one rule, and every text that the local model writes by it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.local.describe import describe_source
from memory_assets.llm.local.names import name_macro, name_storyline
from memory_assets.llm.local.notes import take_notes
from memory_assets.llm.tasks import (
    DatedSummary,
    MacroRequest,
    NoteRequest,
    SaidOfIt,
    SourceText,
    StatedText,
    StorylineRequest,
    SubjectName,
    TurnText,
)
from memory_assets.text.attribution import LABEL_LIMIT, UNNAMED, Words, attributed, label_of, name_of, running


@pytest.mark.parametrize(
    ("speaker", "by_owner", "label"),
    [
        ("Nora", True, None),
        ("user", True, None),
        (None, False, None),
        ("  ", False, None),
        ("Bob", False, "Bob"),
        ("Bob Farrow <bob@example.org>", False, "Bob Farrow"),
        ("<bob@example.org>", False, "bob@example.org"),
        ("Ines (Harbour Office)", False, "Ines"),
        ("assistant", False, "assistant"),
        ("ChatGPT", False, "ChatGPT"),
        ("user", False, "user"),
        ("Bob: | [1]", False, "Bob 1"),
        ("::|", False, UNNAMED),
        ("A" * 60, False, "A" * (LABEL_LIMIT - 1) + "…"),
    ],
)
def test_who_is_named(speaker: str | None, by_owner: bool, label: str | None) -> None:
    assert label_of(speaker, by_owner) == label
    written = attributed(Words("I row.", speaker, by_owner))
    assert written == (f"{label}: I row." if label else "I row.")


@given(st.text(max_size=120))
def test_a_name_never_ends_or_opens_anything(speaker: str) -> None:
    name = name_of(speaker)
    assert 0 < len(name) <= LABEL_LIMIT and not re.search(r"[:|\[\]<>\n]", name)


OWN, BOB, ANON = ("Nora", True), ("Bob", False), (None, False)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([("I row", *OWN), ("I swim.", *OWN)], "I row. I swim."),
        ([("I row.", *BOB), ("I swim!", *BOB)], "Bob: I row. Bob: I swim!"),
        ([("I row.", *OWN), ("I swim", *BOB)], "I row. Bob: I swim."),
        ([("I row.", *BOB), ("I swim", *OWN)], "Bob: I row. Nora: I swim."),
        ([("It rains.", *ANON), ("It snows.", *ANON)], "It rains. It snows."),
        ([("I row.", *BOB), ("It snows.", *ANON)], f"Bob: I row. {UNNAMED}: It snows."),
    ],
)
def test_words_in_a_row(said: list[tuple[str, str | None, bool]], expected: str) -> None:
    assert running(Words(*words) for words in said) == expected


@given(st.lists(st.sampled_from([OWN, BOB, ("assistant", False)]), min_size=1, max_size=6))
def test_nobody_elses_sentence_is_without_a_name(speakers: list[tuple[str, bool]]) -> None:
    written = running(Words(f"I did w{at}.", *who) for at, who in enumerate(speakers))
    for at, (name, by_owner) in enumerate(speakers):
        named = f"{name}: I did w{at}." in written
        assert named or (by_owner and all(own for _, own in speakers[:at]))


def text(kind: str, turns: list[tuple[str | None, str]], owner: str | None, title: str = "") -> SourceText:
    spoken = tuple(TurnText(index=at, speaker=who, text=said) for at, (who, said) in enumerate(turns))
    return SourceText(source_type=kind, title=title, started_at=None, owner_speaker=owner, turns=spoken)


@pytest.mark.parametrize(
    ("source", "summary"),
    [
        (text("email", [("Bob Farrow", "I moved to Riga in August and rent a flat in Teika.")], None, "News"),
         "Bob Farrow wrote about “News”. Bob Farrow: I moved to Riga in August and rent a flat in Teika."),
        (text("conversation", [("user", "I bought a red canoe at the market in Split.")], "user"),
         "The user wrote: “I bought a red canoe at the market in Split.”"),
        (text("conversation", [("assistant", "The ferry to Hvar leaves at nine from pier four.")], "user"),
         "assistant: The ferry to Hvar leaves at nine from pier four."),
        (text("transcript", [("Bob", "Off to Riga!")], None, "Off to Riga!"), "Bob talked about Riga."),
        (text("note", [(None, (
            "I planted twelve tomatoes behind the shed."
        ))], None), "I planted twelve tomatoes behind the shed."),
    ],
)  # fmt: skip
def test_a_summary_says_whose_words_they_are(source: SourceText, summary: str) -> None:
    assert describe_source(source).summary == summary


def test_a_friends_story_stays_the_friends() -> None:
    sources = (
        DatedSummary(day="2026-03-01", summary="", said=(
            SaidOfIt(speaker="Bob", text="I moved to Riga, and I rent a flat by the port."),
            SaidOfIt(speaker="Nora", text="Bob sold the old canoe to a neighbour."),
        )),
        DatedSummary(day="2026-04-02", summary="", said=(
            SaidOfIt(speaker="Bob", text="My new job at the shipyard begins in May."),
        )),
    )  # fmt: skip
    storyline = name_storyline(StorylineRequest(anchor="Bob", sources=sources))
    assert " ".join(one.text for one in storyline.sentences) == (
        "1 March 2026: Nora: Bob sold the old canoe to a neighbour. "
        "2 April 2026: Bob: My new job at the shipyard begins in May."
    )
    said = (one.model_copy(update={"day": source.day}) for source in sources for one in source.said)
    story = DatedSummary(day="2026-03-01", summary=storyline.title, said=tuple(said))
    macro = name_macro(MacroRequest(anchor="Bob", storylines=(story,)))
    assert [one.text.split(": ")[1] for one in macro.sentences] == ["Bob", "Nora", "Bob"], "each behind who says it"


def test_a_note_says_who_said_it() -> None:
    def stated(said: str, speaker: str, own: bool) -> StatedText:
        return StatedText(
            speaker=speaker, text=said, content_type="insight", durability=0.8, about=("Bob",), said_by_owner=own
        )

    request = NoteRequest(
        source_type="transcript",
        title="",
        started_at=None,
        owner_speaker=None,
        names=(SubjectName(kind="person", name="Bob", entity_type="person"),),
        statements=(
            stated("I moved to Riga in August.", "Bob", False),
            stated("Bob has a flat by the port.", "Nora", True),
        ),
    )
    notes = [note.content for note in take_notes(request, "person").notes]
    assert notes == ["Bob: I moved to Riga in August.", "Bob has a flat by the port."]
