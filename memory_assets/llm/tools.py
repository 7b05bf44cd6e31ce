"""The tools with which a model takes notes (specification 004, Phase 2, Step 4, Agent Tools). Pure.

A call is checked where it is taken: a subject that the source was not found to name, a type that is not on the
list, arguments that are no such arguments come back to the model with the reason, and nothing of them is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, Field

from memory_assets.llm import tasks
from memory_assets.llm.relationships import TYPES
from memory_assets.llm.structured import WrongAnswerError, read_answer, strict_schema
from memory_assets.llm.tasks import NoteRequest, NotesTaken, Relation, RelationNote, SubjectNote

LONGEST_CONTENT = 600
MOST_CALLS = 120
"""What one question may take: notes are chosen, not a second copy of the source."""

NOTED = "noted"
KIND_OF_TASK: Mapping[str, str] = {
    tasks.NOTE_PEOPLE: "person",
    tasks.NOTE_CONCEPTS: "concept",
    tasks.NOTE_ENTITIES: "entity",
}
"""The tasks that are answered by calls of tools, each with the kind of its subjects."""

TypeName: TypeAlias = Literal[tuple(TYPES)]  # type: ignore[valid-type]


class _CreateRelationship(Relation):
    from_name: str = Field(alias="from")
    to_name: str = Field(alias="to")
    type: TypeName


class _AddNoteToRelationship(RelationNote):
    from_name: str = Field(alias="from")
    to_name: str = Field(alias="to")
    type: TypeName


def tools_of(task: str) -> list[dict[str, Any]]:
    """The tools of a task, in the form of OpenAI's ``tools``, with strict schemas."""
    kind = KIND_OF_TASK[task]
    said = "; ".join(f"{one.name}: {one.says}" for one in TYPES.values())
    return [
        _tool(f"add_note_to_{kind}", f"Keep a note about one of the listed names of kind {kind}.", SubjectNote),
        _tool(
            "create_relationship",
            f"Record that two of the listed names are connected, at least one of them of kind {kind}. Types: {said}.",
            _CreateRelationship,
        ),
        _tool(
            "add_note_to_relationship",
            "Keep a note about a relationship that you have created.",
            _AddNoteToRelationship,
        ),
    ]


class Toolbox:
    """What the calls of one question have taken so far."""

    def __init__(self, task: str, request: NoteRequest) -> None:
        self.kind = KIND_OF_TASK[task]
        self._names = {_folded(name.name): name for name in request.names}
        self._notes: dict[SubjectNote, None] = {}
        self._relations: dict[tuple[str, str, str], Relation] = {}
        self._relation_notes: dict[RelationNote, None] = {}

    def call(self, name: str, arguments: str) -> None:
        """Take one call, or raise :class:`WrongAnswerError` with what was wrong with it."""
        if len(self._notes) + len(self._relations) + len(self._relation_notes) >= MOST_CALLS:
            raise WrongAnswerError(f"there are {MOST_CALLS} already: stop here")
        if name == f"add_note_to_{self.kind}":
            self._add_note(read_answer(arguments, SubjectNote))
        elif name == "create_relationship":
            self._create(read_answer(arguments, _CreateRelationship))
        elif name == "add_note_to_relationship":
            self._add_to_relationship(read_answer(arguments, _AddNoteToRelationship))
        else:
            raise WrongAnswerError("there is no such tool")

    def taken(self) -> NotesTaken:
        """All of it."""
        return NotesTaken(
            notes=tuple(self._notes),
            relationships=tuple(self._relations.values()),
            relationship_notes=tuple(self._relation_notes),
        )

    def _add_note(self, given: SubjectNote) -> None:
        subject = self._known(given.subject)
        if subject.kind != self.kind:
            raise WrongAnswerError(f"the subject is of kind {subject.kind}: it is noted elsewhere")
        note = given.model_copy(update={"subject": subject.name, "content": _content(given.content)})
        self._notes[note] = None

    def _create(self, given: _CreateRelationship) -> None:
        one, other = self._known(given.from_name), self._known(given.to_name)
        if one == other:
            raise WrongAnswerError("a relationship needs two different names")
        if self.kind not in (one.kind, other.kind):
            raise WrongAnswerError(f"neither name is of kind {self.kind}: it is recorded elsewhere")
        if not TYPES[given.type].allows(one.kind, other.kind):
            raise WrongAnswerError(f"{given.type} cannot be from kind {one.kind} to kind {other.kind}")
        relation = Relation(
            from_name=one.name, to_name=other.name, type=given.type, description=_content(given.description)
        )
        self._relations.setdefault((one.name, other.name, given.type), relation)

    def _add_to_relationship(self, given: _AddNoteToRelationship) -> None:
        one, other = self._known(given.from_name), self._known(given.to_name)
        if (one.name, other.name, given.type) not in self._relations:
            raise WrongAnswerError("there is no such relationship: create it first")
        fields = given.model_dump() | {"from_name": one.name, "to_name": other.name, "content": _content(given.content)}
        self._relation_notes[RelationNote(**fields)] = None

    def _known(self, name: str) -> tasks.SubjectName:
        found = self._names.get(_folded(name))
        if found is None:
            raise WrongAnswerError("a name is not one of the listed ones: use them exactly as they are listed")
        return found


def _content(text: str) -> str:
    words = " ".join(text.split())
    if not any(map(str.isalnum, words)):
        raise WrongAnswerError("the text is empty")
    if len(words) > LONGEST_CONTENT:
        raise WrongAnswerError(f"the text is longer than {LONGEST_CONTENT} characters")
    return words


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _tool(name: str, description: str, arguments: type[BaseModel]) -> dict[str, Any]:
    function = {"name": name, "description": description, "parameters": strict_schema(arguments), "strict": True}
    return {"type": "function", "function": function}
