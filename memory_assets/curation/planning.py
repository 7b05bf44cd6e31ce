"""What dry runs would have left of a graph, one after the other, so that each decides as the run after the run would.

The run of every 5 minutes cuts what protects something that the one of every 6 hours then decides about. So a plan
keeps what its cycles have made of each memory, and when each cadence would look at it; the graph is asked what refers
to a memory without what the plan has cut. A run has an empty plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory_assets.curation import reading
from memory_assets.curation.cadences import Cadence
from memory_assets.curation.facts import Facts
from memory_assets.graph.graph import Graph
from memory_assets.model import RECORD_KINDS

OF_OTHERS = (
    *("has_source", "relationships", "agent_references", "is_believed", "is_recommended_on", "is_learned_from"),
    *("is_in_session", "is_in_work"),
)
"""What facts say of whatever is linked to a memory: it is asked for each time."""
LINKS = ("REFERS_TO", "LEARNED_FROM")
"""What is linked so to a memory that is cut is looked at again (``@leaves_records``)."""
Keys = Mapping[Cadence, str | None]


@dataclass
class Plan:
    """What an owner's memories would be by now."""

    left: dict[str, Facts | None] = field(default_factory=dict)
    """None of what would be a tombstone, or removed."""
    removed: set[str] = field(default_factory=set)
    archived: set[str] = field(default_factory=set)
    keys: dict[str, Keys] = field(default_factory=dict)
    """Of what was looked at, or is to be looked at again: the keys by which cadences find it (``reading.due_key``)."""

    @property
    def gone(self) -> set[str]:
        """The memories that would not live any more."""
        return {name for name, one in self.left.items() if one is None}

    def list_due(self, graph: Graph, user: str, now: datetime, cadence: Cadence, limit: int) -> list[str]:
        """The ids of what a cycle has to look at, the longest due first."""
        stored = reading.list_due(graph, user, now, cadence, limit + len(self.keys))
        due = {name: key for name, key in stored.items() if name not in self.keys}
        last = reading.last_key(now)
        for name, keys in self.keys.items():
            if (key := keys[cadence]) is not None and key <= last:
                due[name] = key
        return sorted(due, key=lambda name: due[name])[:limit]

    def list_facts(self, graph: Graph, user: str, ids: Sequence[str]) -> list[Facts]:
        """The facts of those of some memories that would still be there."""
        gone = self.gone
        there = [name for name in ids if name not in gone]
        cut = {"gone": gone, "removed": self.removed, "archived": self.archived}
        found = reading.list_facts(graph, user, there, **cut)
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
                self.keys[row["other_id"]] = dict.fromkeys(Cadence, reading.due_now(user, row["other_id"]))
        self.left |= dict.fromkeys(wanted)
        self.removed.update(removed)
        self.keys |= dict.fromkeys(self.gone, dict.fromkeys(Cadence))
