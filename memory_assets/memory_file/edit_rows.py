"""A decision about one memory of an edited file as a row with its audit, and what each kind of decision means. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.model import node_id, reference

ADDED, RESTORED, RETIRED, SUPERSEDED = "added", "restored", "retired", "superseded"
VANISHED, DISMISSED = "vanished", "dismissed"
LEAVES_OUT = frozenset({RETIRED, SUPERSEDED})
"""The decisions by which a memory has no value for its user."""

WRITTEN = frozenset({ADDED, RESTORED})
"""The decisions by which a memory has its editor's authority."""

UNDECIDED = frozenset({VANISHED, DISMISSED})
"""What takes nothing away: a memory's decision before it, ``action_before``, holds."""

GONE = "what the line said had been retired meanwhile"
NEWER = "something newer had taken the line's place meanwhile"
OTHERWISE = "another of your files says otherwise"

Row = dict[str, Any]


def is_written(row: Mapping[str, Any]) -> bool:
    """Whether a decision's memory has its editor's authority: what vanished together with others keeps it."""
    action = row["action_before"] if row["action"] in UNDECIDED else row["action"]
    return action in WRITTEN


def edit_row(
    user: str,
    memory_id: str,
    action: str,
    *,
    path: str,
    at: str,
    source_id: str | None,
    published_text: str,
    edited_text: str | None,
    section: str | None,
    by_memory_id: str | None = None,
    in_place_of: str | None = None,
    conflict: str | None = None,
    action_before: str | None = None,
    seen: str | None = None,
    decided_at: str | None = None,
) -> Row:
    """A decision with its audit; ``decided_at`` is when somebody decided otherwise than by editing the file.

    The audit has the editor's own words alone: what the line said before may be withheld from them one day.
    """
    snapshot = {"edited": edited_text, "by_memory_id": by_memory_id, "path": path}
    return {
        "id": node_id("edit", user, memory_id),
        "memory_id": memory_id,
        "ref": reference(memory_id),
        "action": action,
        "by_memory_id": by_memory_id,
        "in_place_of": in_place_of,
        "path": path,
        "section": section,
        "source_id": source_id,
        "published_text": published_text,
        "edited_text": edited_text,
        "conflict": conflict,
        "action_before": action_before,
        "seen": seen,
        "at": at,
        "audit_id": node_id("audit", user, memory_id, "edit", action, source_id, decided_at or at),
        "audit_action": f"edit-{action}",
        "reason": f"{action} by an edit of {path}" if decided_at is None else f"{action} by the owner's word",
        "snapshot": json.dumps(snapshot, ensure_ascii=False, sort_keys=True),
    }


def decided_anew(user: str, row: Mapping[str, Any], action: str, now: datetime, **more: Any) -> Row:
    """A stored decision as another one of the same memory: undone, confirmed or dismissed by its owner."""
    kept = {key: row[key] for key in ("path", "source_id", "published_text", "edited_text", "section", "in_place_of")}
    if action in LEAVES_OUT:
        kept["by_memory_id"] = row["by_memory_id"]
    if action not in WRITTEN:
        kept["action_before"] = row["action_before"] if row["action"] not in WRITTEN else row["action"]
    return edit_row(user, row["memory_id"], action, at=to_iso(row["at"]) or "", decided_at=to_iso(now), **{**kept, **more})


def same_decision(user: str, row: Mapping[str, Any], conflict: str) -> Row:
    """A stored decision as it is, with a conflict."""
    kept = ("path", "source_id", "published_text", "edited_text", "section", "in_place_of", "by_memory_id", "action_before")
    at = to_iso(row["at"]) or ""
    return edit_row(user, row["memory_id"], row["action"], at=at, conflict=conflict, **{key: row[key] for key in kept})
