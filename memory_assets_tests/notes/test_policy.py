"""Notes as rows: ids by subject, source and content; what is due; lifetimes."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.graph.notes import LIFETIME_RANKS, note_id
from memory_assets.llm.relationships import TYPES
from memory_assets.llm.tasks import NotesTaken, Relation, RelationNote, SubjectNote
from memory_assets.model import fingerprint
from memory_assets.notes.due import choose_due
from memory_assets.notes.policy import STEPS, Named, decide, relationship_id, request_for

MARIA = Named("p:maria", "Maria", "person", "person", 0.9)
TOM = Named("p:tom", "Tom", "person", "person", 0.7)
YARD = Named("e:yard", "Harbour Yard", "entity", "organization", 0.8)
NAMES = [MARIA, TOM, YARD]


def note(subject: str, content: str, lifetime: str = "month") -> SubjectNote:
    return SubjectNote(subject=subject, content=content, lifetime=lifetime)  # type: ignore[arg-type]


def relation(one: str, other: str, kind: str, description: str = "So it is.") -> Relation:
    return Relation(from_name=one, to_name=other, type=kind, description=description)


def test_a_note_is_keyed_by_subject_source_and_content() -> None:
    first = note_id("u", "p:maria", "s1", "Maria sails.")
    assert first == note_id("u", "p:maria", "s1", " maria  SAILS")
    others = [
        ("v", "p:maria", "s1", "Maria sails."),
        ("u", "p:tom", "s1", "Maria sails."),
        ("u", "p:maria", "s2", "Maria sails."),
    ]
    assert len({first, *(note_id(*other) for other in others), note_id("u", "p:maria", "s1", "Maria sails not.")}) == 5


def test_noted_twice_the_longer_life_holds() -> None:
    taken = NotesTaken(
        notes=(note("Maria", "She sails.", "week"), note("maria", "she  sails", "year"), note("Eve", "Hi."))
    )
    (row,) = decide(taken, NAMES, user="u", source_id="s").notes
    assert (row.name_id, row.lifetime_rank, row.subject_kind) == ("p:maria", LIFETIME_RANKS["year"], "person")


def test_a_symmetric_relationship_has_no_direction_and_is_as_sure_as_its_names() -> None:
    there, back = relation("Maria", "Tom", "works_with", "b"), relation("Tom", "Maria", "works_with", "a")
    (row,) = decide(NotesTaken(relationships=(there, back)), NAMES, user="u", source_id="s").relationships
    assert (row.from_name_id, row.to_name_id, row.confidence, row.description) == ("p:maria", "p:tom", 0.7, "a")
    assert relationship_id("u", "manages", "a", "b") != relationship_id("u", "manages", "b", "a")
    assert relationship_id("u", "friend_of", "a", "b") == relationship_id("u", "friend_of", "b", "a")


def test_a_note_on_a_relationship_needs_the_relationship() -> None:
    said = RelationNote(from_name="Tom", to_name="Maria", type="friend_of", content="Since school.", lifetime="forever")
    alone = decide(NotesTaken(relationship_notes=(said,)), NAMES, user="u", source_id="s")
    assert alone.notes == ()
    both = decide(
        NotesTaken(relationships=(relation("Maria", "Tom", "friend_of"),), relationship_notes=(said,)),
        NAMES,
        user="u",
        source_id="s",
    )
    assert [n.relationship_id for n in both.notes] == [both.relationships[0].id]
    assert both.notes[0].name_id is None


@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Maria", "Tom", "Harbour Yard", "Eve"]),
            st.text(max_size=8),
            st.sampled_from(list(LIFETIME_RANKS)),
        )
    ),
    st.lists(
        st.tuples(
            st.sampled_from(["Maria", "Tom", "Harbour Yard"]),
            st.sampled_from(["Maria", "Tom"]),
            st.sampled_from(list(TYPES)),
            st.text(max_size=5),
        )
    ),
    st.randoms(),
)
def test_the_order_of_calls_does_not_show(said: list[Any], related: list[Any], chance: random.Random) -> None:
    notes, relations = [note(*one) for one in said], [relation(*one) for one in related]
    whole = decide(NotesTaken(notes=tuple(notes), relationships=tuple(relations)), NAMES, user="u", source_id="s")
    mixed = NotesTaken(
        notes=tuple(chance.sample(notes * 2, len(notes) * 2)),
        relationships=tuple(chance.sample(relations, len(relations))),
    )
    assert decide(mixed, chance.sample(NAMES, 3), user="u", source_id="s") == whole
    assert all(one.from_name_id != one.to_name_id for one in whole.relationships)


SOURCE = {"source_type": "note", "title": "T", "started_at": None, "owner_speaker": "Ana"}


def statement(text: str, about: tuple[str, ...], speaker: str | None = None, kind: str = "insight") -> dict[str, Any]:
    return {
        "chunk_id": text,
        "turn": 0,
        "speaker": speaker,
        "content": text,
        "content_type": kind,
        "durability": 0.5,
        "about": list(about),
    }


def test_each_step_is_asked_about_its_own_names_only() -> None:
    said = [
        statement("Maria sails.", ("p:maria",)),
        statement("I work.", (), speaker="tom"),
        statement("The yard opens.", ("e:yard", "c:gone")),
        statement("Thanks, Maria!", ("p:maria",), kind="chitchat"),
    ]
    people, concepts, entities = (request_for(step, SOURCE, NAMES, said, is_own=True) for step in STEPS)
    assert people is not None and entities is not None and concepts is None
    assert [one.text for one in people.statements] == ["I work.", "Maria sails."]
    assert [(one.text, one.about) for one in entities.statements] == [("The yard opens.", ("Harbour Yard",))]
    assert {name.name for name in people.names} == {"Maria", "Tom", "Harbour Yard"}, "a relationship may be with any"
    shared = request_for(STEPS[0], SOURCE, NAMES, said, is_own=False)
    assert people.owner_speaker == "Ana" and shared is not None and shared.owner_speaker is None
    assert request_for(STEPS[0], SOURCE, [YARD], said, is_own=True) is None
    assert request_for(STEPS[0], SOURCE, NAMES, [], is_own=True) is None


RECIPES = {step.name: step.name for step in STEPS}


def row(key: str, day: int | None, **change: Any) -> dict[str, Any]:
    current = {step.name: fingerprint("x1", RECIPES[step.name]) for step in STEPS}
    at = None if day is None else datetime(2026, 5, day, tzinfo=UTC)
    errors = {f"{step.name}_error": None for step in STEPS}
    return (
        {"id": key, "title": None, "started_at": at, "extraction_id": f"x:{key}", "extraction": "x1"}
        | current
        | errors
        | change
    )


@pytest.mark.parametrize(
    ("change", "due"),
    [
        ({}, []),
        ({"extraction": "x2"}, ["people", "concepts", "entities"]),
        ({"concepts": None}, ["concepts"]),
        ({"people": "", "people_error": "It was cut off."}, ["people"]),
        ({"people_error": "The model declined."}, []),
        ({"entities": "made otherwise"}, ["entities"]),
    ],
)
def test_each_step_is_due_by_itself(change: dict[str, Any], due: list[str]) -> None:
    found = choose_due([row("s", 1, **change)], RECIPES)
    assert [step.name for source in found.sources for step, *_ in source.steps] == due
    assert [source.id for source in found.current] == (["s"] if not due else [])


def test_what_failed_for_good_is_due_when_somebody_wants_it() -> None:
    refused = row("s", 1, people_error="The model declined.")
    assert choose_due([refused], RECIPES).sources == ()
    (source,) = choose_due([refused | {"people": ""}], RECIPES).sources
    assert [(step.name, before) for step, _, before in source.steps] == [("people", None)]


def test_another_prompt_makes_its_step_due_alone_and_a_window_is_one_of_events() -> None:
    rows = [row("b", 9), row("a", 3), row("c", None)]
    changed = RECIPES | {"concepts": "another prompt"}
    found = choose_due(rows, changed)
    assert [source.id for source in found.sources] == ["a", "b", "c"]
    assert {step.name for source in found.sources for step, *_ in source.steps} == {"concepts"}
    window = choose_due(rows, RECIPES, since=datetime(2026, 5, 5, tzinfo=UTC), force=True)
    assert [(source.id, len(source.steps)) for source in window.sources] == [("b", 3)]
