"""What people look at on notes: what was taken, what the graph holds by lifetime and type, who is best connected."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.notes import LIFETIME_RANKS
from memory_assets.llm.relationships import TYPES
from memory_assets.presentation.reports import IN_PLACE, count_table, markdown_table

_ALWAYS = (
    *("due", "taken", "unchanged", "failed", "left_by_budget"),
    *("notes", "relationships", "retired", "placed_anew"),
)
_CONNECTED = {"name": "name", "kind": "kind", "relationships": "relationships"}


def describe_notes(graph: Graph, user: str, counts: Counter[str], now: datetime) -> dict[str, Any]:
    """What a run of note-taking did (``counts`` as ``NoteTaker.run`` gives them) and what the user's graph holds now:
    notes by lifetime, those past their time, relationships by type, who is dirty, the ten best connected.
    """
    notes = graph.read("notes/count_notes", user_id=user, now=to_iso(now))
    held = {row["lifetime"] or "unknown": row["notes"] for row in notes}
    by_type = {row["type"]: row["relationships"] for row in graph.read("notes/count_relationships", user_id=user)}
    shown: dict[str, Any] = {key: counts[key] for key in _ALWAYS}
    if counts["left_by_budget"]:
        shown["stopped"] = f"by the budget: the notes of {counts['left_by_budget']} sources wait for the next run"
    shown["notes_in_all"] = sum(held.values())
    shown["notes_expired"] = sum(row["expired"] for row in notes)
    shown["relationships_in_all"] = sum(by_type.values())
    shown["waiting_for_consolidation"] = graph.read("notes/count_dirty", user_id=user)[0]["waiting"]
    lifetimes = {name: held.get(name, 0) for name in LIFETIME_RANKS}
    shown["notes_by_lifetime"] = count_table("lifetime", lifetimes, "in the graph")
    types = {name: by_type[name] for name in TYPES if name in by_type}
    shown["relationships_by_type"] = count_table("type", types, "in the graph")
    connected = graph.read("notes/list_best_connected", user_id=user)
    shown["best_connected"] = markdown_table(_CONNECTED, connected, fit=IN_PLACE)
    return shown
