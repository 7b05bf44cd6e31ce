"""What is known of one person, concept or entity, for people and scripts. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_assets.clock import in_utc
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.text.lines import same_words


def explain_subject(graph: Graph, user: str, ref: str) -> dict[str, Any] | None:
    """What is noted of the user's person, concept, entity or relationship behind a reference, and how it is connected
    (relationships that are not archived); None where the user has none.
    """
    found = graph.read("notes/find_subject", user_id=user, ref=ref)
    if not found:
        return None
    subject = found[0]
    return {
        "ref": ref,
        "text": subject["name"],
        **{key: _json(subject[key]) for key in subject if key != "name"},
        "notes": _notes(graph, user, subject["id"]),
        "relationships": [
            _plain(row) for row in graph.read("notes/list_relationships", user_id=user, id=subject["id"])
        ],
    }


def _notes(graph: Graph, user: str, subject_id: str) -> list[dict[str, Any]]:
    """The notes of a subject; one that holds no longer is marked as ``outdated``."""
    notes = [_plain(row) for row in graph.read("notes/list_anchor_notes", user_id=user, id=subject_id)]
    resting = [(note["source_id"], set(note.pop("rests_on")), note.pop("stated_in")) for note in notes]
    ids = sorted({source for note, _, stated_in in resting for source in (note, *stated_in)})
    asked = {"user_id": user, "user_ids": readable_owners(graph, user), "ids": ids}
    rows = graph.read("notes/list_outdated", **asked) if ids else []
    for note, (source, rests_on, _) in zip(notes, resting, strict=True):
        said = same_words(note["content"])
        outdated = [
            row
            for row in rows
            if row["statement_id"] in rests_on or row["source_id"] == source and same_words(row["words"]) in said
        ]
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
