"""The local model's notes and relationships: what words say, and what they must not be taken for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.local.notes import MOST_NOTES, lifetime_of, take_notes
from memory_assets.llm.relationships import TYPES
from memory_assets.llm.tasks import NOTE_PEOPLE, NoteRequest, NotesTaken, StatedText, SubjectName

NAMES = (
    ("person", "Ana Ruiz", "person"),
    ("person", "Ben", "person"),
    ("person", "Chidi Okafor", "person"),
    ("entity", "Northwind", "organization"),
    ("entity", "Leewick", "place"),
    ("entity", "Tidewatch", "project"),
    ("entity", "Redis", "product"),
    ("entity", "Sluice", "project"),
    ("concept", "alert", "concept"),
)
SUBJECTS = tuple(SubjectName(kind=kind, name=name, entity_type=of) for kind, name, of in NAMES)  # type: ignore[arg-type]


def said(
    text: str, *about: str, speaker: str | None = None, kind: str = "insight", durability: float = 0.6
) -> StatedText:
    return StatedText(speaker=speaker, text=text, content_type=kind, durability=durability, about=about)


def request(*statements: StatedText) -> NoteRequest:
    return NoteRequest(
        source_type="note", title="", started_at=None, owner_speaker=None, names=SUBJECTS, statements=statements
    )


def relations(text: str, speaker: str | None = None) -> list[tuple[str, str, str]]:
    asked = request(said(text, speaker=speaker))
    found = [one for kind in ("person", "concept", "entity") for one in take_notes(asked, kind).relationships]
    return sorted((one.from_name, one.type, one.to_name) for one in found)


@pytest.mark.parametrize(
    ("text", "speaker", "found"),
    [
        ("Ana Ruiz works at Northwind.", None, ("Ana Ruiz", "works_at", "Northwind")),
        ("I work for Northwind as an engineer.", "Ben", ("Ben", "works_at", "Northwind")),
        ("Chidi now works closely with Ben on the pump.", None, ("Chidi Okafor", "works_with", "Ben")),
        ("Ben leads Tidewatch since May.", None, ("Ben", "manages", "Tidewatch")),
        ("Ben reports to Ana.", None, ("Ana Ruiz", "manages", "Ben")),
        ("Ana joined Northwind in May.", None, ("Ana Ruiz", "member_of", "Northwind")),
        ("Northwind owns Tidewatch.", None, ("Northwind", "owns", "Tidewatch")),
        ("Tidewatch uses Redis for its queue.", None, ("Tidewatch", "uses", "Redis")),
        ("I have switched to Redis.", "Ben", ("Ben", "uses", "Redis")),
        ("Ana lives in Leewick.", None, ("Ana Ruiz", "lives_in", "Leewick")),
        ("I moved to Leewick in March.", "Ben", ("Ben", "lives_in", "Leewick")),
        ("Ana is Ben's sister.", None, ("Ana Ruiz", "family_of", "Ben")),
        ("My sister Ana called.", "Ben", ("Ben", "family_of", "Ana Ruiz")),
        ("The entry went to Ben's brother, Chidi.", None, ("Ben", "family_of", "Chidi Okafor")),
        ("My old friend Chidi called.", "Ben", ("Ben", "friend_of", "Chidi Okafor")),
        ("Sluice is a part of Tidewatch.", None, ("Sluice", "part_of", "Tidewatch")),
        ("Sluice was renamed to Tidewatch.", None, ("Tidewatch", "renamed_from", "Sluice")),
    ],
)
def test_plain_words_make_a_relationship(text: str, speaker: str | None, found: tuple[str, str, str]) -> None:
    assert relations(text, speaker) == [found]
    assert TYPES[found[1]]


@pytest.mark.parametrize(
    "text",
    [
        "Does Ana work at Northwind?",
        "Ana does not work at Northwind.",
        "Ana no longer works at Northwind.",
        "Ana used to work at Northwind, Ben works at Northwind never.",
        "If Ana works at Northwind, fine.",
        "Ana would work with Ben.",
        "Maybe Ben leads Tidewatch.",
        "Ana wants to move: Ana lives in Leewick soon, she hopes.",
        "Ben owns the alert thresholds.",  # "alert" is only the beginning of what he owns
        "Ana lives in Northwind.",  # no place
        "Tidewatch is Ben's sister.",  # no person
        "Redis works at Northwind.",
        "Ana, Ben and Northwind.",
        "She works at Northwind and he leads Tidewatch.",
        "I work at Northwind.",  # nobody is known to have said it
        "Anabel works at Northwinds.",
        "Ben@Northwind works with Ana.Ruiz",
    ],
)
def test_what_is_asked_denied_wished_or_about_somebody_else_makes_none(text: str) -> None:
    assert relations(text) == []


def test_a_first_name_that_two_people_have_is_nobodys() -> None:
    names = (*SUBJECTS, SubjectName(kind="person", name="Ana Berg", entity_type="person"))
    asked = request(said("Ana works at Northwind. Ana Berg leads Tidewatch.")).model_copy(update={"names": names})
    assert [(one.from_name, one.type) for one in take_notes(asked, "person").relationships] == [("Ana Berg", "manages")]


@pytest.mark.parametrize(
    ("kind", "durability", "lifetime"),
    [
        ("preference", 0.95, "forever"),
        ("preference", 0.5, "year"),
        ("task", 0.95, "month"),
        ("insight", 0.9, "forever"),
        ("insight", 0.8, "year"),
        ("insight", 0.6, "month"),
        ("insight", 0.3, "week"),
    ],
)
def test_lifetimes_follow_from_what_a_statement_is(kind: str, durability: float, lifetime: str) -> None:
    assert lifetime_of(said("It is so.", kind=kind, durability=durability)) == lifetime


def test_notes_are_about_the_names_of_the_step_and_people_speak_of_themselves() -> None:
    asked = request(
        said("I am allergic to penicillin, sadly.", speaker="Ben", kind="preference", durability=0.95),
        said("Redis is fast enough for Tidewatch today.", "Redis", "Tidewatch"),
        said("Is Redis fast enough for us?", "Redis"),
        said("Thanks a lot, dear Ben!", "Ben", kind="chitchat"),
        said("Ben left early again.", "Ben", durability=0.1),
    )
    assert [(n.subject, n.lifetime) for n in take_notes(asked, "person").notes] == [("Ben", "forever")]
    assert [(n.subject, n.lifetime) for n in take_notes(asked, "entity").notes] == [
        ("Tidewatch", "month"),
        ("Redis", "month"),
    ]
    assert take_notes(asked, "concept") == NotesTaken()


def test_a_subject_has_its_most_durable_notes_in_the_order_of_the_source() -> None:
    many = [said(f"Ben did thing number {n}.", "Ben", durability=0.3 + (n % 20) / 40) for n in range(40)]
    notes = take_notes(request(*many), "person").notes
    assert len(notes) == MOST_NOTES
    numbers = [int(note.content.rstrip(".").split()[-1]) for note in notes]
    assert numbers == sorted(numbers) and all(number % 20 >= 14 for number in numbers)


def test_what_more_is_said_of_both_ends_is_noted_at_their_relationship() -> None:
    asked = request(
        said("Ben leads Tidewatch since May.", "Ben", "Tidewatch"),
        said("Ben has moved Tidewatch to a new host.", "Ben", "Tidewatch", durability=0.8),
    )
    (note,) = take_notes(asked, "person").relationship_notes
    assert (note.from_name, note.type, note.to_name, note.lifetime) == ("Ben", "manages", "Tidewatch", "year")


@settings(max_examples=60)
@given(st.lists(st.text(max_size=80), max_size=6), st.sampled_from([None, "Ben", "\ue0001\ue001"]))
def test_any_text_gets_an_answer_about_listed_names_only(texts: list[str], speaker: str | None) -> None:
    asked = request(*(said(f"{text} Ben leads Tidewatch {text}", "Ben", speaker=speaker) for text in texts))
    (answer,) = LocalModel().ask_many(NOTE_PEOPLE, [asked], NotesTaken, asset="notes", user_id="u")
    (again,) = LocalModel().ask_many(NOTE_PEOPLE, [asked], NotesTaken, asset="notes", user_id="u")
    assert answer.value == again.value  # type: ignore[union-attr]
    listed = {name.name for name in SUBJECTS}
    assert {note.subject for note in answer.value.notes} <= listed  # type: ignore[union-attr]
    assert {end for one in answer.value.relationships for end in (one.from_name, one.to_name)} <= listed  # type: ignore[union-attr]
