"""What a service writes instead of a whole :class:`~memory_assets.llm.tasks.Extraction`: the same in fewer tokens.

Output is the dearest part of an extraction. The words of a statement must be written; its field names, its speaker, the
names in it and the same fact once more as somebody's subpoint need not be: each statement is one line of
text, its two degrees are one number of two digits, the speaker is the turn's, and only an entity that its words do not
name is referred to, by the entity's number. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

KINDS = ("preference", "instruction", "task", "insight", "chitchat")
"""The lists of lines; an instruction is a preference that its speaker lays down."""
ENTITY_LINE = "number type confidence name"
LINE = "turn weight [numbers of entities that the text does not name] text, with a weight of two digits"

_ENTITY = re.compile(r"\s*(\d{1,6})\s+(\w+)\s+(\d{1,3}(?:\.\d{1,6})?)\s+(\S.*)", re.DOTALL)
# The weight's digits: durability from 1 to 9 in tenths, confidence from 0 to 9. Both together are one token.
_STATEMENT = re.compile(r"\s*(\d{1,9})\s+([1-9])(\d)\s+(?:\[\s*(\d{1,6}(?:\s*,\s*\d{1,6})*)\s*\]\s+)?(\S.*)", re.DOTALL)


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StatementLines(_Closed):
    """Statements by kind, each as ``turn weight [numbers] text``; the brackets only where there are numbers."""

    preference: tuple[str, ...] = ()
    instruction: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    insight: tuple[str, ...] = ()
    chitchat: tuple[str, ...] = ()


class ShortExtraction(_Closed):
    """The answer as it goes over the wire; an entity is ``number type confidence name``."""

    entities: tuple[str, ...]
    statements: StatementLines


def lengthen(value: Any) -> Any:
    """The fields of an ``Extraction`` from a short one; anything else as it is.

    A statement is about the entities that its words name and those that its line refers to; an entity's subpoints are
    the statements about it. Raises ``ValueError`` with the place of a line that is none.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("statements"), Mapping):
        return value
    short = ShortExtraction.model_validate(value)
    entities = [_entity(line, f"entities.{place}") for place, line in enumerate(short.entities)]
    names = {number: name for number, _, _, name in entities}
    said: dict[str, list[str]] = {name: [] for name in names.values()}
    named_in = Names(said)
    statements = []
    for kind in KINDS:
        for place, line in enumerate(getattr(short.statements, kind)):
            turn, durability, confidence, about, text = _columns(line, f"statements.{kind}.{place}")
            meant = named_in(text) | {names[number] for number in about if number in names}
            spoken_of = [name for name in said if name in meant]
            for name in spoken_of:
                said[name].append(text)
            statements.append(
                {
                    "text": text,
                    "speaker": None,
                    "turn": turn,
                    "content_type": "preference" if kind == "instruction" else kind,
                    "is_instruction": kind == "instruction",
                    "durability": durability / 10,
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


def _entity(line: str, place: str) -> tuple[int, str, float, str]:
    found = _ENTITY.fullmatch(line)
    if found is None:
        raise ValueError(f"{place} is not {ENTITY_LINE}")
    return int(found[1]), found[2].lower(), float(found[3]), found[4].strip()


def _columns(line: str, place: str) -> tuple[int, int, int, tuple[int, ...], str]:
    found = _STATEMENT.fullmatch(line)
    if found is None:
        raise ValueError(f"{place} is not {LINE}")
    about = tuple(int(number) for number in (found[4] or "").split(",") if number)
    return int(found[1]), int(found[2]), int(found[3]), about, found[5].strip()


class Names:
    """Which of some names a text names: as whole words in any case, the longest where one is a part of another."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {name.casefold(): name for name in names if name}
        longest_first = sorted(self._names.values(), key=lambda name: (-len(name), name))
        words = "|".join(map(re.escape, longest_first))
        self._pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) if words else None

    def __call__(self, text: str) -> set[str]:
        found = self._pattern.findall(text) if self._pattern else ()
        return {self._names[name.casefold()] for name in found if name.casefold() in self._names}
