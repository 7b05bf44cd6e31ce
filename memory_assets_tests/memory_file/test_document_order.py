"""Sentences stand in the order of their sources, turns and places, whatever their ids are."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest

from memory_assets.compression.policy import Material, Said, write_summary
from memory_assets.entities.policy import decide
from memory_assets.llm.tasks import Extraction, NotesTaken, StatedText, Statement, SubjectNote, TurnText
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.candidates import Memory
from memory_assets.memory_file.pool import FROM_A_MACHINE, places
from memory_assets.memory_file.weighing import place_of
from memory_assets.notes.policy import Named
from memory_assets.notes.policy import decide as decide_notes
from memory_assets.text.layout import beginnings
from memory_assets_tests.support.memory_files import select_entries

AT = datetime(2026, 5, 8, 10, tzinfo=UTC)
SENTENCES = {
    "insights": [
        "The heron nests by pier 4.",
        "A storm broke 3 windows.",
        ("Otters crossed the B17 road."),
        "Moss covers the 1890 wall.",
    ],
    "tasks": [
        "Order the heron sign by 12 June.",
        "Call the glazier about windows.",
        "Send the otter map by 14 June.",
        "Scrub the moss off the wall.",
    ],
    "preferences": [
        "I like herons at dawn.",
        ("I dislike storms in May."),
        "I like otters a lot.",
        "I prefer moss to gravel.",
    ],
}


def memory(section: str, at: int, name: str, **more: object) -> Memory:
    known = {
        "entity_type": "KnowledgeChunk",
        "value_score": 0.6,
        "tier": "SUMMARIZE",
        "label": "Nora",
        "said_by_owner": True,
        "occurred_at": AT,
        "source_id": "s1",
        "turn": at // 2,
        "position": at % 2,
    }
    return Memory(name, f"20000000{at}", section, text=SENTENCES[section][at], **known | more)  # type: ignore[arg-type]


def order_in(text: str, sentences: list[str]) -> list[int]:
    places = {at: text.find(sentence.rstrip(".")) for at, sentence in enumerate(sentences)}
    return sorted((at for at, place in places.items() if place >= 0), key=places.__getitem__)


@pytest.mark.parametrize("label", ["Nora", None])
@pytest.mark.parametrize("section", SENTENCES)
def test_the_sentences_of_a_source_come_as_they_were_said(section: str, label: str | None) -> None:
    for ids in itertools.permutations("abcd"):
        pool = [memory(section, at, name, label=label, said_by_owner=label is not None) for at, name in enumerate(ids)]
        text = select_entries("nora", pool, count_tokens).text
        order = order_in(text, SENTENCES[section])
        assert order == sorted(order) and len(order) >= 3, (ids, text)


def test_of_two_sources_of_one_day_the_later_comes_first_in_its_own_order() -> None:
    for ids in itertools.permutations("abcd"):
        pool = [
            memory("tasks", at, name, label=None, said_by_owner=False, source_id=f"s{9 - at // 2}",
                   occurred_at=AT.replace(hour=8 + at // 2), turn=0, position=at % 2)
            for at, name in enumerate(ids)
        ]  # fmt: skip
        assert order_in(select_entries("nora", pool, count_tokens).text, SENTENCES["tasks"]) == [2, 3, 0, 1]


TURN = "First we **planned** the quay. Then - as ever - Bob laughed; we paid 40 euros! First we slept."
LISTED = ["We paid 40 euros!", "First we slept.", "Then - as ever - Bob laughed", "First we planned the quay."]


def test_an_answer_in_any_order_gives_the_same_places() -> None:
    turns = (TurnText(index=0, speaker="Nora", text="Hello there."), TurnText(index=1, speaker="Nora", text=TURN))
    wanted = {text: place for place, text in enumerate([LISTED[3], LISTED[2], LISTED[0], LISTED[1]])}
    for order in itertools.permutations(LISTED):
        statements = tuple(
            Statement(text=text, speaker="Nora", turn=1, content_type="insight", durability=0.5, confidence=8)
            for text in order
        )
        chunks = decide(
            Extraction(entities=(), statements=statements), turns, "Nora", user="u", count_tokens=len
        ).chunks
        assert {chunk.content: chunk.position for chunk in chunks} == wanted


def test_changed_words_are_found_by_a_part_of_them() -> None:
    assert beginnings("A b c d. E f g h.", ["Well, e f g", "Oh a b c", "nothing", ""]) == [8, 0, 17, 17]


def test_a_summary_and_notes_keep_the_order() -> None:
    texts = ["Zebras graze by the river.", "Yaks cross the Karo pass.", "Ants built a tower."]
    said = tuple(
        Said(text, "Nora", 0, "insight", 0.6, 0.8, 7, position=at, said_by_owner=True) for at, text in enumerate(texts)
    )
    material = Material("t", "", (), (), tuple(reversed(said)), 400)
    assert order_in(write_summary(material, 60), texts) == [0, 1, 2]
    statements = tuple(
        StatedText(speaker="Nora", text=text, content_type="insight", durability=0.5, about=()) for text in texts
    )
    taken = NotesTaken(
        notes=tuple(SubjectNote(subject="Nora", content=text, lifetime="year") for text in reversed(texts))
    )
    notes = decide_notes(
        taken, [Named("n", "Nora", "person", "person", 0.9)], user="u", source_id="s", statements=statements
    ).notes
    assert [note.content for note in sorted(notes, key=lambda note: note.position)] == texts


def test_a_statement_is_placed_where_its_newest_source_says_it_first() -> None:
    rows = [
        {
            "memory_ids": ["a", "b", "a"],
            "turns": [2, 1, 1],
            "positions": [0, 3, 2],
            "said_at": ["", "", ""],
            "started_at": None,
            "source_id": "s",
            "source_type": "note",
            "people": 0,
            "is_bulk": False,
        }
    ]
    found = places(rows)
    assert (found["a"]["turn"], found["a"]["position"], found["b"]["position"]) == (1, 2, 3)
    later = rows[0] | {"source_id": "r", "said_at": ["", "", "2026-10-05T10:00:00Z"], "turns": [0, 0, 7]}
    assert places([*rows, later])["a"]["turn"] == 7, "the source that says when it was said, said it last"


def test_what_a_machine_has_sent_is_in_no_file_unless_a_person_says_it_too() -> None:
    row = {"memory_ids": ["a"], "turns": [0], "positions": [0], "source_type": "email", "people": 2, "project": ""}
    sent = row | {"said_at": ["2026-10-05T10:00:00Z"], "started_at": None, "source_id": "s", "is_bulk": True}
    said = sent | {"said_at": ["2026-10-06T10:00:00Z"], "source_id": "r", "is_bulk": False}
    assert places([sent])["a"]["excluded"] == FROM_A_MACHINE
    later = sent | {"said_at": ["2026-10-07T10:00:00Z"], "source_id": "q"}
    for rows in ([sent, said], [said, later]):
        assert "excluded" not in places(rows)["a"]


def test_what_a_conversation_says_on_one_day_comes_in_its_order_and_its_later_days_above() -> None:
    began = datetime(2026, 9, 12, 10, tzinfo=UTC)
    minutes = {"a": 0, "b": 5, "c": 9, "next day": 24 * 60}
    memories = [
        Memory(
            memory_id=name,
            ref="1",
            section="recent",
            entity_type="KnowledgeChunk",
            text=name,
            value_score=0.5,
            tier="A",
            occurred_at=began + timedelta(minutes=after),
            source_id="s",
            source_at=began.timestamp(),
            turn=turn,
        )
        for turn, (name, after) in enumerate(minutes.items())
    ]
    assert [one.memory_id for one in sorted(memories[::-1], key=place_of)] == ["next day", "a", "b", "c"]


@pytest.mark.parametrize(
    ("source_type", "project", "people", "is_letter", "is_to_many"),
    [
        ("slack", "general", 1, True, True),
        ("slack", "", 2, True, False),
        ("slack", "", 3, True, True),
        ("email", "", 3, True, True),
        ("email", "", 2, True, False),
        ("email", "", 0, True, False),
        ("conversation", "", 4, False, False),
        ("note", "garden", 3, False, False),
    ],
)
def test_a_channel_and_a_mail_between_more_than_two_are_to_many(
    source_type: str, project: str, people: int, is_letter: bool, is_to_many: bool
) -> None:
    row = {"memory_ids": ["a"], "turns": [0], "positions": [0], "said_at": [""], "started_at": None, "source_id": "s"}
    row |= {"source_type": source_type, "project": project, "people": people, "is_bulk": False}
    found = places([row])["a"]
    assert (found["is_letter"], found["is_to_many"]) == (is_letter, is_to_many)
    to_one = row | {"source_id": "r", "source_type": "email", "project": "", "people": 2}
    assert not any(places(rows)["a"]["is_to_many"] for rows in ([row, to_one], [to_one, row]))
