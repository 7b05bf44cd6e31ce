"""What is known of one person, concept or entity, for people and scripts. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_assets.clock import in_utc
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.text.lines import same_words


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
        "notes": _notes(graph, user, anchor["id"]),
        "relationships": [
            {key: value for key, value in _plain(row).items() if key != "id"}
            for row in graph.read("notes/list_anchor_relationships", user_id=user, id=anchor["id"])
        ],
    }


def _notes(graph: Graph, user: str, anchor_id: str) -> list[dict[str, Any]]:
    """The notes of an anchor; one that holds no longer is marked as ``outdated``."""
    notes = [_plain(row) for row in graph.read("notes/list_anchor_notes", user_id=user, id=anchor_id)]
    ids = sorted({note["source_id"] for note in notes})
    asked = {"user_id": user, "user_ids": readable_owners(graph, user), "ids": ids}
    rows = graph.read("notes/list_outdated", **asked) if ids else []
    for note in notes:
        said = same_words(note["content"])
        outdated = [row for row in rows if row["source_id"] == note["source_id"] and same_words(row["words"]) in said]
        if outdated:
            note["outdated"] = _in_words(max(outdated, key=lambda row: row["since"]))
    return notes


def _in_words(row: Mapping[str, Any]) -> str:
    """Since when a note is outdated, or perhaps is, and the reference of what was said then."""
    how = "perhaps outdated" if row["outdated"] == "perhaps" else "done" if row["reason"] == "done" else "superseded"
    see = f", see [{row['ref']}]" if row["ref"] else " by its owner"
    return f"{how} on {row['since'][:10]}{see}"


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _json(value) for key, value in row.items()}


def _json(value: Any) -> Any:
    return in_utc(value).isoformat() if isinstance(value, datetime) else value
