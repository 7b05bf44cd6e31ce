"""Inputs beyond what one call takes: split, asked in parts, joined. Pure; nothing is cut off.

A source is split between its turns (a turn that is too long by itself, between words), a naming request
between its summaries. The parts of an extraction are merged; for the other tasks the parts' answers are
the input of a second question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from memory_assets.batches import in_batches
from memory_assets.llm.tasks import (
    DatedSummary,
    ExtractedEntity,
    Extraction,
    MacroRequest,
    NoteRequest,
    NotesTaken,
    Relation,
    SaidOfIt,
    SourceDescription,
    SourceText,
    Statement,
    StorylineName,
    StorylineRequest,
    TurnText,
)
from memory_assets.llm.tokens import count_tokens, pieces

T = TypeVar("T")
_TURN_OVERHEAD = 20  # a turn's own JSON: keys, index, now and then a day
_OVERHEAD = 40  # a summary's own JSON


def split(payload: BaseModel, limit: int) -> list[BaseModel]:
    """The payload as parts of at most ``limit`` tokens, in order; itself when it fits."""
    match payload:
        case SourceText(turns=turns):
            fitting = [part for turn in turns for part in _fitting_turns(turn, limit)]
            groups = _groups(fitting, limit, lambda turn: _turn_cost(turn) + count_tokens(turn.text))
            if len(groups) > 1:
                return [payload.model_copy(update={"turns": group}) for group in groups]
        case StorylineRequest() | MacroRequest():
            room = max(limit - _OVERHEAD, 64)
            short = [part for s in _included(payload) for part in _fitting_summaries(s, room)]
            summaries = _groups(short, limit, _summary_cost)
            if len(summaries) > 1:
                return [_including(payload, group) for group in summaries]
        case NoteRequest(names=names, statements=statements):
            room = max(limit - sum(_OVERHEAD // 2 + count_tokens(name.name) for name in names), 512)
            parts = _groups(statements, room, lambda one: _OVERHEAD + count_tokens(one.text + " ".join(one.about)))
            if len(parts) > 1:
                return [payload.model_copy(update={"statements": part}) for part in parts]
    return [payload]


def join(payload: BaseModel, parts: Sequence[BaseModel], answers: Sequence[BaseModel]) -> BaseModel:
    """What the parts' answers make together: the answer, or a shorter payload to ask once more."""
    first = answers[0]
    if isinstance(first, Extraction):
        return merge_extractions([a for a in answers if isinstance(a, Extraction)])
    if isinstance(first, NotesTaken):
        return merge_notes([a for a in answers if isinstance(a, NotesTaken)])
    match payload:
        case SourceText():
            turns = tuple(
                TurnText(
                    index=index,
                    speaker=None,
                    text=f"{one.summary} Keywords: {', '.join(one.keywords)}. Tags: {', '.join(one.tags)}.",
                )
                for index, one in enumerate(answers)
                if isinstance(one, SourceDescription)
            )
            return payload.model_copy(update={"turns": turns})
        case StorylineRequest() | MacroRequest():
            return _including(payload, tuple(map(_summary, parts, answers)))
    raise TypeError(f"{type(payload).__name__} has no parts to join.")


def merge_extractions(parts: Sequence[Extraction]) -> Extraction:
    """One extraction from those of the parts: entities by kind and name, each statement once."""
    entities: dict[tuple[str, str], ExtractedEntity] = {}
    for entity in (entity for part in parts for entity in part.entities):
        key = (entity.kind, " ".join(entity.name.split()).casefold())
        known = entities.get(key)
        entities[key] = entity if known is None else _merged(known, entity)
    statements: dict[tuple[int, str], Statement] = {}
    for statement in (statement for part in parts for statement in part.statements):
        statements.setdefault((statement.turn, statement.text), statement)
    return Extraction(entities=tuple(entities.values()), statements=tuple(statements.values()))


def merge_notes(parts: Sequence[NotesTaken]) -> NotesTaken:
    """The notes of all parts, each once; of one relationship the first description."""
    relations: dict[tuple[str, str, str], Relation] = {}
    for relation in (relation for part in parts for relation in part.relationships):
        relations.setdefault((relation.from_name, relation.to_name, relation.type), relation)
    return NotesTaken(
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        relationships=tuple(relations.values()),
        relationship_notes=tuple(dict.fromkeys(note for part in parts for note in part.relationship_notes)),
    )


def _merged(known: ExtractedEntity, other: ExtractedEntity) -> ExtractedEntity:
    surer = other if other.confidence > known.confidence else known
    subpoints = tuple(dict.fromkeys((*known.subpoints, *other.subpoints)))
    return surer.model_copy(update={"name": known.name, "subpoints": subpoints})


def _fitting_turns(turn: TurnText, limit: int) -> list[TurnText]:
    room = max(limit - _turn_cost(turn), 64)
    return [turn.model_copy(update={"text": text}) for text in pieces(turn.text, room)]


def _fitting_summaries(one: DatedSummary, room: int) -> list[DatedSummary]:
    """A long summary in parts; what is said of the anchor stays with the first."""
    parts = enumerate(pieces(one.summary, room))
    return [one.model_copy(update={"summary": text, "said": one.said if at == 0 else ()}) for at, text in parts]


def _summary_cost(one: DatedSummary) -> int:
    return _OVERHEAD + count_tokens(one.summary) + sum(_TURN_OVERHEAD + count_tokens(said.text) for said in one.said)


def _turn_cost(turn: TurnText) -> int:
    return _TURN_OVERHEAD + count_tokens(turn.speaker or "") + count_tokens(turn.at or "")


def _included(payload: StorylineRequest | MacroRequest) -> tuple[DatedSummary, ...]:
    return payload.sources if isinstance(payload, StorylineRequest) else payload.storylines


def _including(payload: StorylineRequest | MacroRequest, summaries: Sequence[DatedSummary]) -> BaseModel:
    field = "sources" if isinstance(payload, StorylineRequest) else "storylines"
    return payload.model_copy(update={field: tuple(summaries)})


def _groups(items: Sequence[T], limit: int, cost: Callable[[T], int]) -> list[tuple[T, ...]]:
    return [tuple(group) for group in in_batches(items, len(items), cost, limit)]


def _summary(part: BaseModel, answer: BaseModel) -> DatedSummary:
    """What a part's name says of it, from its first day on, with what its sentences rest on."""
    match part, answer:
        case StorylineRequest() | MacroRequest(), StorylineName(title=title, sentences=sentences):
            included = _included(part)
            cited = {ref.strip("[] ") for sentence in sentences for ref in sentence.refs}
            return DatedSummary(
                day=next((one.day for one in included if one.day), None),
                summary=f"{title}: {' '.join(one.text for one in sentences)}",
                said=tuple(said for one in included for said in _citable(one) if said.ref in cited),
            )
    raise TypeError(f"{type(answer).__name__} names nothing.")


def _citable(one: DatedSummary) -> list[SaidOfIt]:
    """What can be cited of a source or storyline, each with its day."""
    said = [*one.said, SaidOfIt(speaker=None, text=one.summary, ref=one.ref)]
    return [each.model_copy(update={"day": each.day or one.day}) for each in said if each.ref is not None]
