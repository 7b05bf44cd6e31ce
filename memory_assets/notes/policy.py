"""From what a model has noted of one source to rows: ids, lifetimes, who supports what (specification 004). Pure.

A note is keyed by subject, source and content, so that a rerun adds none. Its author (``added_by``) is the model
that took it for the owner; who said what it is made from is in the source, which it names. Subjects are the ids
of names, not of what these were resolved to: a resolution may change, a note's id does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.notes import LIFETIME_RANKS, note_id
from memory_assets.llm.relationships import TYPES
from memory_assets.llm.tasks import (
    NOTE_CONCEPTS,
    NOTE_ENTITIES,
    NOTE_PEOPLE,
    NoteRequest,
    NotesTaken,
    Relation,
    RelationNote,
    StatedText,
    SubjectName,
)
from memory_assets.model import node_id
from memory_assets.text.layout import beginnings

CODE_VERSION = "2"

RELATIONSHIP = "relationship"


@dataclass(frozen=True)
class Step:
    """One of the three that take notes side by side: its name, the kind of its subjects, its prompt."""

    name: str
    kind: str
    task: str


STEPS = (
    Step("people", "person", NOTE_PEOPLE),
    Step("concepts", "concept", NOTE_CONCEPTS),
    Step("entities", "entity", NOTE_ENTITIES),
)


@dataclass(frozen=True)
class Named:
    """A name as one source has it."""

    name_id: str
    name: str
    kind: str
    entity_type: str
    confidence: float


@dataclass(frozen=True)
class NoteRow:
    """A note of one source, about a name or a relationship (the other id is None)."""

    id: str
    subject_kind: str
    name_id: str | None
    relationship_id: str | None
    content: str
    lifetime_rank: int
    position: int = 0
    """Where what it says begins in what the source says: the order of a source's notes."""


@dataclass(frozen=True)
class RelationshipRow:
    """A relationship that one source supports, and how sure that is: as sure as both of its names."""

    id: str
    type: str
    from_name_id: str
    to_name_id: str
    description: str
    confidence: float


@dataclass(frozen=True)
class Decision:
    """What a step took from one source."""

    notes: tuple[NoteRow, ...] = ()
    relationships: tuple[RelationshipRow, ...] = ()


def request_for(
    step: Step,
    source: Mapping[str, Any],
    names: Sequence[Named],
    statements: Sequence[Mapping[str, Any]],
    *,
    is_own: bool,
) -> NoteRequest | None:
    """What a step asks about a source: all its names, and the statements that concern the step's.

    None where there is nothing to ask: no name of its kind, or nothing said of one.
    """
    own = {name.name_id for name in names if name.kind == step.kind}
    if not own:
        return None
    shown = {name.name_id: name.name for name in names}
    people = {name.name.casefold() for name in names if name.kind == "person"} if step.kind == "person" else set()
    concerned = [
        StatedText(
            speaker=row["speaker"],
            text=row["content"],
            content_type=row["content_type"],
            durability=row["durability"],
            about=tuple(sorted(shown[key] for key in row["about"] or () if key in shown)),
            said_by_owner=bool(row.get("said_by_owner")),
        )
        for row in sorted(statements, key=lambda row: (row["turn"], row.get("position") or 0, row["chunk_id"]))
        if row["content_type"] != "chitchat"
        and (own.intersection(row["about"] or ()) or (row["speaker"] or "").casefold() in people)
    ]
    if not concerned:
        return None
    return NoteRequest(
        source_type=source["source_type"] or "",
        title=source["title"] or "",
        started_at=to_iso(source["started_at"]),
        owner_speaker=source["owner_speaker"] if is_own else None,
        names=tuple(
            SubjectName(kind=name.kind, name=name.name, entity_type=name.entity_type)
            for name in sorted(names, key=lambda name: (name.kind, name.name, name.name_id))
        ),
        statements=tuple(concerned),
    )


def decide(
    taken: NotesTaken, names: Iterable[Named], *, user: str, source_id: str, statements: Sequence[StatedText] = ()
) -> Decision:
    """The rows of one step and source. What speaks of no name of the source is left out.

    ``statements`` are those that the notes were taken from, in their order: it becomes the notes'.
    """
    known = {_folded(name.name): name for name in sorted(names, key=lambda name: name.name_id, reverse=True)}

    def ends(given: Relation | RelationNote) -> tuple[Named, Named] | None:
        one, other = known.get(_folded(given.from_name)), known.get(_folded(given.to_name))
        if one is None or other is None or one.name_id == other.name_id or given.type not in TYPES:
            return None
        return one, other

    relationships: dict[str, RelationshipRow] = {}
    for given in taken.relationships:
        if (pair := ends(given)) is not None:
            row = _relationship(user, given.type, *pair, given.description)
            # Both directions of a symmetric one are one: of two descriptions the first in text order.
            relationships[row.id] = min((row, relationships.get(row.id, row)), key=lambda one: one.description)
    said: list[tuple[str, str | None, str | None, str, str]] = [
        (named.kind, named.name_id, None, note.content, note.lifetime)
        for note in taken.notes
        if (named := known.get(_folded(note.subject))) is not None
    ]
    for noted in taken.relationship_notes:
        if (pair := ends(noted)) is not None:
            key = relationship_id(user, noted.type, *(one.name_id for one in pair))
            if key in relationships:
                said.append((RELATIONSHIP, None, key, noted.content, noted.lifetime))
    notes: dict[str, NoteRow] = {}
    for kind, name_id, relationship, words, lifetime in said:
        content, rank = " ".join(words.split()), LIFETIME_RANKS[lifetime]
        key = note_id(user, name_id or relationship or "", source_id, content)
        noted_row = NoteRow(key, kind, name_id, relationship, content, rank)
        # Noted twice: the longer life holds, in the words that come first.
        notes[key] = min((noted_row, notes.get(key, noted_row)), key=lambda one: (-one.lifetime_rank, one.content))
    ordered = [notes[key] for key in sorted(notes)]
    places = beginnings("\n".join(one.text for one in statements), [note.content for note in ordered])
    placed = (replace(note, position=place) for note, place in zip(ordered, places, strict=True))
    return Decision(tuple(placed), tuple(relationships[key] for key in sorted(relationships)))


def relationship_id(user: str, type_name: str, from_name_id: str, to_name_id: str) -> str:
    """The id of a relationship: by its type and the ids of the two names, in one order where order says nothing."""
    return node_id(RELATIONSHIP, user, type_name, *_ends(type_name, from_name_id, to_name_id))


def _ends(type_name: str, from_name_id: str, to_name_id: str) -> tuple[str, str]:
    ends = (from_name_id, to_name_id)
    return (min(ends), max(ends)) if TYPES[type_name].symmetric else ends


def _relationship(user: str, type_name: str, one: Named, other: Named, description: str) -> RelationshipRow:
    from_id, to_id = _ends(type_name, one.name_id, other.name_id)
    identifier, least = relationship_id(user, type_name, from_id, to_id), min(one.confidence, other.confidence)
    return RelationshipRow(identifier, type_name, from_id, to_id, " ".join(description.split()), least)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
