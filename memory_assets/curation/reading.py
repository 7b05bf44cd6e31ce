"""What a cycle of curation reads: for whom something is due, which memories, and what is decided by."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from memory_assets.clock import sortable, to_iso
from memory_assets.curation.cadences import Cadence
from memory_assets.curation.facts import TIERS, Facts, facts_of
from memory_assets.curation.rails import GRACE
from memory_assets.graph.due_keys import LAST
from memory_assets.graph.graph import Graph

KEYS = {cadence: f"curate_{cadence.value}_key" for cadence in Cadence}
"""The property by which a cadence finds what it has to look at."""
DUE = {
    Cadence.FIVE_MINUTES: "curation/list_due_5m",
    Cadence.QUARTER_HOUR: "curation/list_due_15m",
    Cadence.HOUR: "curation/list_due_1h",
    Cadence.SIX_HOURS: "curation/list_due_6h",
}
"""The query of each: no engine takes a property's name as a parameter and an index for it."""


def due_key(user: str, memory_id: str, instant: datetime | None) -> str | None:
    """The text by which an index finds a memory at an instant; None where it never comes."""
    if instant is None:
        return None
    # The whole second after it: nothing is due before its moment.
    return f"{sortable(instant + timedelta(seconds=1) if instant.microsecond else instant)}|{user}|{memory_id}"


def due_now(user: str, memory_id: str) -> str:
    """The key of what every cadence looks at next (``@is_due_now``)."""
    return f"0|{user}|{memory_id}"


def last_key(now: datetime) -> str:
    """The key that sorts behind all that are due by an instant."""
    return f"{sortable(now)}|{LAST}"


def list_due_owners(graph: Graph, now: datetime, cadences: Iterable[Cadence]) -> dict[str, dict[Cadence, int]]:
    """For whom there is something to do, and for how many memories, by cadence: one query."""
    wanted = [cadence.value for cadence in cadences]
    found: dict[str, dict[Cadence, int]] = {}
    asked = {"cadences": wanted, "last": last_key(now), "born_before": to_iso(now - GRACE)}
    for row in graph.read("curation/list_due_owners", **asked):
        due = found.setdefault(row["user_id"], {})
        cadence = Cadence(row["cadence"])
        due[cadence] = due.get(cadence, 0) + row["due"]
    return found


def list_due(graph: Graph, user: str, now: datetime, cadence: Cadence, limit: int) -> dict[str, str]:
    """The ids of what a cycle has to look at, the longest due first, with the key that says since when."""
    asked = {"user_id": user, "last": last_key(now), "limit": limit}
    return {row["id"]: row["key"] for row in graph.read(DUE[cadence], **asked)}


def list_facts(graph: Graph, user: str, ids: Sequence[str], **without: Collection[str]) -> list[Facts]:
    """What is decided by, of those of some memories that are there; ``without`` what a plan has made ``gone``,
    ``removed`` or ``archived`` (``planning.py``).
    """
    cut = {name: sorted(without.get(name, ())) for name in ("gone", "removed", "archived")}
    return [facts_of(row) for row in graph.read_parts("curation/list_facts", ids, user_id=user, **cut)]


def cut_range(user: str, first: datetime | None = None, last: datetime | None = None) -> dict[str, str]:
    """The keys of what was cut of a user's from an instant on and before another one, as the queries take them."""
    return {"user_id": user, "first": f"{user}|{to_iso(first) or ''}", "last": f"{user}|{to_iso(last) or LAST}"}


def list_tiers(graph: Graph, user: str, limit: int) -> list[Facts]:
    """What a user's tiers hold, but for the archive: as it is stored, without what refers to it."""
    return [
        facts_of(row)
        for tier in TIERS[:-1]
        for row in graph.read("curation/list_tiered", user_id=user, tier=tier, limit=limit)
    ]


def list_cycles(graph: Graph, user: str, limit: int) -> list[dict[str, Any]]:
    """What the last cycles did for a user, in figures, the latest first; ``at`` as ISO text."""
    rows = graph.read("curation/list_cycles", user_id=user, limit=limit)
    return [row["properties"] | {"at": to_iso(row["properties"]["at"])} for row in rows]
