"""What a cycle of curation reads: for whom something is due, which memories, what is decided by; and what dry runs
would have left of that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from memory_assets.clock import sortable, to_iso
from memory_assets.curation.cadences import Cadence
from memory_assets.curation.facts import TIERS, Facts, facts_of
from memory_assets.curation.rails import GRACE
from memory_assets.graph.due_keys import LAST
from memory_assets.graph.graph import Graph
from memory_assets.model import RECORD_KINDS

KEYS = {cadence: f"curate_{cadence.value}_key" for cadence in Cadence}
"""The property by which a cadence finds what it has to look at."""
DUE = {
    Cadence.FIVE_MINUTES: "curation/list_due_5m",
    Cadence.QUARTER_HOUR: "curation/list_due_15m",
    Cadence.HOUR: "curation/list_due_1h",
    Cadence.SIX_HOURS: "curation/list_due_6h",
}
"""The query of each: no engine takes a property's name as a parameter and an index for it."""


OF_OTHERS = (
    *("has_source", "relationships", "agent_references", "is_believed", "is_recommended_on", "is_learned_from"),
    *("is_in_session", "is_in_work"),
)
"""What facts say of whatever is linked to a memory: it is asked for each time."""
LINKS = ("REFERS_TO", "LEARNED_FROM")
"""What is linked so to a memory that is cut is looked at again (``@leaves_records``)."""
Keys = Mapping[Cadence, str | None]


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
    ``removed`` or ``archived`` (:class:`Plan`).
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


@dataclass
class Plan:
    """What dry runs would have left of an owner's memories, so that each decides as the run after the run would.

    The run of every 5 minutes cuts what protects something that the one of every 6 hours then decides about. So a plan
    keeps what its cycles have made of each memory, and when each cadence would look at it; the graph is asked what
    refers to a memory without what the plan has cut. A run has an empty plan.
    """

    left: dict[str, Facts | None] = field(default_factory=dict)
    """None of what would be a tombstone, or removed."""
    removed: set[str] = field(default_factory=set)
    archived: set[str] = field(default_factory=set)
    keys: dict[str, Keys] = field(default_factory=dict)
    """Of what was looked at, or is to be looked at again: the keys by which cadences find it (:func:`due_key`)."""

    @property
    def gone(self) -> set[str]:
        """The memories that would not live any more."""
        return {name for name, one in self.left.items() if one is None}

    def list_due(self, graph: Graph, user: str, now: datetime, cadence: Cadence, limit: int) -> list[str]:
        """The ids of what a cycle has to look at, the longest due first."""
        stored = list_due(graph, user, now, cadence, limit + len(self.keys))
        due = {name: key for name, key in stored.items() if name not in self.keys}
        last = last_key(now)
        for name, keys in self.keys.items():
            if (key := keys[cadence]) is not None and key <= last:
                due[name] = key
        return sorted(due, key=lambda name: due[name])[:limit]

    def list_facts(self, graph: Graph, user: str, ids: Sequence[str]) -> list[Facts]:
        """The facts of those of some memories that would still be there."""
        gone = self.gone
        there = [name for name in ids if name not in gone]
        cut = {"gone": gone, "removed": self.removed, "archived": self.archived}
        found = list_facts(graph, user, there, **cut)
        return [self._as_left(one) for one in found]

    def _as_left(self, stored: Facts) -> Facts:
        left = self.left.get(stored.id)
        return replace(left, **{name: getattr(stored, name) for name in OF_OTHERS}) if left else stored

    def keep(self, facts: Facts, keys: Keys) -> None:
        """A memory as it would be left, and when each cadence would look at it."""
        self.left[facts.id], self.keys[facts.id] = facts, keys

    def cut(self, graph: Graph, user: str, ids: Iterable[str], *, removed: Iterable[str] = ()) -> None:
        """Memories would be tombstones, or ``removed`` without one: what is linked to them is looked at again."""
        wanted = list(ids)
        for row in graph.read_parts("curation/list_links", wanted, user_id=user):
            if row["type"] in LINKS and set(RECORD_KINDS).intersection(row["other_labels"]):
                self.keys[row["other_id"]] = dict.fromkeys(Cadence, due_now(user, row["other_id"]))
        self.left |= dict.fromkeys(wanted)
        self.removed.update(removed)
        self.keys |= dict.fromkeys(self.gone, dict.fromkeys(Cadence))
