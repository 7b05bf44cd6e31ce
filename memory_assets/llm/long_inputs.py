"""Inputs beyond what one call takes: split, asked in parts, joined. Pure; nothing is cut off.

A source is split between its turns (a turn that is too long by itself, between words), a naming request
between its summaries. The parts of an extraction are merged; for the other tasks the parts' answers are
the input of a second question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from memory_assets.llm.tasks import (
    DatedSummary,
    ExtractedEntity,
    Extraction,
    MacroName,
    MacroRequest,
    NoteRequest,
    NotesTaken,
    Relation,
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
        case StorylineRequest(sources=summaries):
            return _summary_parts(payload, "sources", summaries, limit)
        case MacroRequest(storylines=summaries):
            return _summary_parts(payload, "storylines", summaries, limit)
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
                TurnText(index=index, speaker=None, text=_described(answer))
                for index, answer in enumerate(answers)
                if isinstance(answer, SourceDescription)
            )
            return payload.model_copy(update={"turns": turns})
        case StorylineRequest():
            return payload.model_copy(update={"sources": _summaries(parts, answers)})
        case MacroRequest():
            return payload.model_copy(update={"storylines": _summaries(parts, answers)})
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


def _turn_cost(turn: TurnText) -> int:
    return _TURN_OVERHEAD + count_tokens(turn.speaker or "") + count_tokens(turn.at or "")


def _summary_parts(
    payload: BaseModel, field: str, summaries: Sequence[DatedSummary], limit: int
) -> list[BaseModel]:
    groups = _groups(_fitting_summaries(summaries, limit), limit, _summary_cost)
    return [payload.model_copy(update={field: group}) for group in groups] if len(groups) > 1 else [payload]


def _fitting_summaries(summaries: Sequence[DatedSummary], limit: int) -> list[DatedSummary]:
    room = max(limit - _OVERHEAD, 64)
    return [s.model_copy(update={"summary": text}) for s in summaries for text in pieces(s.summary, room)]


def _summary_cost(summary: DatedSummary) -> int:
    return _OVERHEAD + count_tokens(summary.summary)


def _groups(items: Sequence[T], limit: int, cost: Callable[[T], int]) -> list[tuple[T, ...]]:
    groups: list[list[T]] = [[]]
    used = 0
    for item in items:
        price = cost(item)
        if groups[-1] and used + price > limit:
            groups.append([])
            used = 0
        groups[-1].append(item)
        used += price
    return [tuple(group) for group in groups]


def _described(answer: SourceDescription) -> str:
    return f"{answer.summary} Keywords: {', '.join(answer.keywords)}. Tags: {', '.join(answer.tags)}."


def _summaries(parts: Sequence[BaseModel], answers: Sequence[BaseModel]) -> tuple[DatedSummary, ...]:
    return tuple(
        DatedSummary(day=_first_day(part), summary=_named(answer))
        for part, answer in zip(parts, answers, strict=True)
    )


def _first_day(part: BaseModel) -> str | None:
    match part:
        case StorylineRequest(sources=summaries) | MacroRequest(storylines=summaries):
            return next((summary.day for summary in summaries if summary.day), None)
    return None


def _named(answer: BaseModel) -> str:
    match answer:
        case StorylineName(title=title, summary=text) | MacroName(title=title, overview=text):
            return f"{title}: {text}"
    raise TypeError(f"{type(answer).__name__} names nothing.")
