"""What somebody has decided about a user's memories: one stored shape, one statement that writes it, one that lists it.

A ``Decision`` says who has decided what about which memory, when and why, and what was there ``before``, as far as that
does not follow from the sources. It outlives the memories, which follow from these. The same decision made, replaced
or taken back is the same node with another state, and an audit of each; what a decision moves beside is its room's.
A removed source is its own decision: everybody who reads sources asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import readable_owners
from memory_assets.graph.statements import in_statements

EDIT, TASK, NAME, CONTRADICTION, SOURCE = "edit", "task", "name", "contradiction", "source"
CONSOLIDATION, CORRECTION, DOUBT = "consolidation", "correction", "doubt"
"""What decisions are about."""


def decision_row(kind: str, row: Mapping[str, Any], about: str | None, *, in_force: bool) -> dict[str, Any]:
    """A decision as it is written. ``about`` are the words or names that it is about.

    ``row`` has ``id``, ``memory_id``, ``action``, ``at`` (an instant, ISO 8601), what else its room stores, and of the
    audit ``audit_id``, ``audit_action``, ``reason`` and ``snapshot``; ``in_force``: a person's, and neither taken back
    nor a mere question.
    """
    return {**row, "kind": kind, "about": about, "is_in_force": in_force}


def recorded(user: str, rows: Iterable[Mapping[str, Any]], now: datetime) -> list[Statement]:
    """The statements that write decisions of a user's, made or taken back; none for none."""
    return in_statements("curation/record_decisions", [dict(row) for row in rows], user_id=user, now=to_iso(now))


def find_corrections(graph: Graph, user: str, name: str) -> list[dict[str, Any]]:
    """What agents have corrected in a user's memories and holds, the latest last, by a ``name``: the decision's id, its
    audit's, or the reference of what was corrected or has taken its place.
    """
    found = graph.read("graph/list_corrections", user_id=user)
    return [row for row in found if name in (row["id"], row["audit_id"], row["ref"], row["by_ref"])]


def list_decisions(graph: Graph, user: str) -> list[dict[str, Any]]:
    """Decisions about a user's memories, latest first: ``id``, ``kind``, ``what``, ``about``, ``at`` (ISO), ``why``."""
    found = graph.read("graph/list_decisions", user_id=user, user_ids=readable_owners(graph, user))
    return sorted(found, key=lambda row: (row["at"] or "", row["id"]), reverse=True)
