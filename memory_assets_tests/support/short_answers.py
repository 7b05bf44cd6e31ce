"""The short form of an extraction, as a service would write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_assets.llm.wire import KINDS, Names


def shorten(entities: Sequence[Mapping[str, Any]], statements: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The short form of an ``Extraction``'s fields: what a service would write. Subpoints that no statement has go."""
    numbers = {entity["name"]: number for number, entity in enumerate(entities, start=1)}
    named_in = Names(numbers)
    lines: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for one in statements:
        kind = "instruction" if one["is_instruction"] else one["content_type"]
        implied = named_in(one["text"])
        about = [str(numbers[name]) for name in one["about"] if name in numbers and name not in implied]
        weight = f"{min(max(round(one['durability'] * 10), 1), 9)}{min(round(one['confidence']), 9)}"
        meant = f" [{','.join(about)}]" if about else ""
        lines[kind].append(f"{one['turn']} {weight}{meant} {one['text']}")
    return {
        "entities": [
            f"{numbers[one['name']]} {one['entity_type']} {round(one['confidence'])} {one['name']}" for one in entities
        ],
        "statements": lines,
    }
