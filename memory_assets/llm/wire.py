"""What a service writes instead of a whole :class:`~memory_assets.llm.tasks.Extraction`: the same in fewer tokens.

Output is the dearest part of an extraction. The words of a statement must be written; its field names, its speaker, the
names that it is about and the same fact once more as somebody's subpoint need not be: each entity has a number, each
statement is a row that refers to these numbers, and the speaker is the turn's. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

KINDS = ("preference", "instruction", "task", "insight", "chitchat")
"""The lists of rows; an instruction is a preference that its speaker lays down."""
ENTITY_ROW = "[number, type, confidence, name]"
ROW = "[turn, durability, confidence, [numbers of entities], text]"


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StatementRows(_Closed):
    """Statements by kind, each as ``[turn, durability, confidence, [numbers of entities], text]``.

    Durability and confidence are 0 to 10: a whole number is one token.
    """

    preference: tuple[tuple[float | tuple[int, ...] | str, ...], ...] = ()
    instruction: tuple[tuple[float | tuple[int, ...] | str, ...], ...] = ()
    task: tuple[tuple[float | tuple[int, ...] | str, ...], ...] = ()
    insight: tuple[tuple[float | tuple[int, ...] | str, ...], ...] = ()
    chitchat: tuple[tuple[float | tuple[int, ...] | str, ...], ...] = ()


class ShortExtraction(_Closed):
    """The answer as it goes over the wire; an entity is ``[number, type, confidence, name]``."""

    entities: tuple[tuple[float | str, ...], ...]
    statements: StatementRows


def lengthen(value: Any) -> Any:
    """The fields of an ``Extraction`` from a short one; anything else as it is.

    An entity's subpoints are the statements about it. Raises ``ValueError`` with the place of a row that is none.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("statements"), Mapping):
        return value
    short = ShortExtraction.model_validate(value)
    entities = [_entity(row, f"entities.{place}") for place, row in enumerate(short.entities)]
    names = {number: name for number, _, _, name in entities}
    said: dict[str, list[str]] = {name: [] for name in names.values()}
    statements = []
    for kind in KINDS:
        for place, row in enumerate(getattr(short.statements, kind)):
            turn, durability, confidence, about, text = _columns(row, f"statements.{kind}.{place}")
            spoken_of = [names[number] for number in dict.fromkeys(about) if number in names]
            for name in spoken_of:
                said[name].append(text)
            statements.append(
                {
                    "text": text,
                    "speaker": None,
                    "turn": turn,
                    "content_type": "preference" if kind == "instruction" else kind,
                    "is_instruction": kind == "instruction",
                    "durability": durability if 0 < durability < 1 else durability / 10,
                    "confidence": confidence,
                    "about": spoken_of,
                }
            )
    return {
        "entities": [
            {
                "kind": kind if kind in ("person", "concept") else "entity",
                "name": name,
                "entity_type": kind,
                "confidence": confidence,
                "subpoints": list(dict.fromkeys(said[name])),
            }
            for _, kind, confidence, name in entities
        ],
        "statements": statements,
    }


def shorten(entities: Sequence[Mapping[str, Any]], statements: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The short form of an ``Extraction``'s fields: what a service would write. Subpoints that no statement has go."""
    numbers = {entity["name"]: number for number, entity in enumerate(entities, start=1)}
    rows: dict[str, list[list[Any]]] = {kind: [] for kind in KINDS}
    for one in statements:
        kind = "instruction" if one["is_instruction"] else one["content_type"]
        about = [numbers[name] for name in one["about"] if name in numbers]
        rows[kind].append([one["turn"], round(one["durability"] * 10), round(one["confidence"]), about, one["text"]])
    return {
        "entities": [
            [numbers[one["name"]], one["entity_type"], round(one["confidence"]), one["name"]] for one in entities
        ],
        "statements": rows,
    }


def _entity(row: Sequence[Any], place: str) -> tuple[int, str, float, str]:
    match row:
        case (float() | int() as number, str() as kind, float() | int() as confidence, str() as name) if math.isfinite(number):
            return int(number), kind.strip().lower(), confidence, name
    raise ValueError(f"{place} is not {ENTITY_ROW}")


def _columns(row: Sequence[Any], place: str) -> tuple[int, float, float, tuple[int, ...], str]:
    match row:
        case (float() | int() as turn, float() | int() as durability, float() | int() as confidence, tuple() as about, str() as text):
            if math.isfinite(turn) and turn == int(turn):
                return int(turn), durability, confidence, about, text
    raise ValueError(f"{place} is not {ROW}")

