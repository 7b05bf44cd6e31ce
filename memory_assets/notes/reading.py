"""What is known of one person, concept or entity, for people and scripts. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memory_assets.graph.graph import Graph


def explain_anchor(graph: Graph, user: str, ref: str) -> dict[str, Any] | None:
    """The notes and relationships behind a name's reference; None where this user's names do not have it."""
    found = graph.read("notes/find_anchor", user_id=user, ref=ref)
    if not found:
        return None
    anchor = found[0]
    return {
        "ref": ref,
        "text": anchor["name"],
        **{key: _json(anchor[key]) for key in anchor if key not in ("id", "name")},
        "notes": [_plain(row) for row in graph.read("notes/list_anchor_notes", user_id=user, id=anchor["id"])],
        "relationships": [
            {key: value for key, value in _plain(row).items() if key != "id"}
            for row in graph.read("notes/list_anchor_relationships", user_id=user, id=anchor["id"])
        ],
    }


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _json(value) for key, value in row.items()}


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)).isoformat()
    return value
