"""Two memories that say the same become one: which of them stays, what it is then, and the transaction of it.

All that is linked to the other is moved to it, nothing twice; the other is a tombstone, whose audit holds both as they
were, so that restoring brings both back (001, Deduplication). Only what ``MOVES`` can move is merged: a relationship
that nobody knows here keeps its memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.curation.facts import RECENT, Facts, facts_of
from memory_assets.curation.likeness import Verdict
from memory_assets.curation.mvs import score
from memory_assets.curation.policy import CURATION, GRACE
from memory_assets.curation.reading import due_key
from memory_assets.curation.snapshots import Snapshot, encode, read_whole
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.statements import id_rows, in_statements
from memory_assets.model import State, node_id

MERGE = "merge"
STATEMENT = "KnowledgeChunk"
MOVES: Mapping[str, tuple[str, ...]] = {
    "STATES": ("merge_stated",),
    "ABOUT": ("merge_topics",),
    "SUPERSEDES": ("merge_superseded", "merge_superseding"),
    "CONTRADICTS": ("merge_contradicted", "merge_contradicting"),
    "RESTS_ON": ("merge_rested",),
    "LISTS": ("merge_listed",),
    "HAS_VALUE": ("merge_values",),
    "RECORDED_IN": ("merge_recorded",),
    "REFERS_TO": ("merge_referred", "merge_referring"),
    "LEARNED_FROM": ("merge_learned", "merge_lessons"),
}
"""Each type of relationship of a statement or a record, with the statements that move it. A value stays where it is, on
no shelf: the surviving memory is valued anew."""
_UNITED = (
    *("access_count", "recall_frequency", "recent_accesses", "accessed_by", "about", "ttl_policy", "state"),
    *("confidence", "stated_confidence", "decay_gradient", "durability", "salience", "last_recall_interval"),
)
_INSTANTS = ("created_at", "salience_at", "ingested_at", "confirmed_at", "last_accessed_at")
_STATES = (State.CANDIDATE, State.ACTIVE, State.CORE)

PAIR = "duplicate"
A_PERSON = "a person"

Row = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """Two memories of one kind that may be one; ``a`` is the smaller id."""

    id: str
    kind: str
    a: str
    b: str
    verdict: Verdict
    cosine: float | None
    words: str
    """A digest of what both say: as long as it is the same, what was decided of them holds."""

    def as_row(self, status: str, **known: Any) -> Row:
        """As it is stored."""
        row: Row = {"id": self.id, "kind": self.kind, "a": self.a, "b": self.b, "words": self.words}
        row |= {"reason": self.verdict.reason, "cosine": self.cosine, "status": status}
        return {"asked": None, "decided_by": None, **row, **known}


def pair_id(user: str, a: str, b: str) -> str:
    """The id of what is decided about two memories, in whatever order."""
    return node_id(PAIR, user, *sorted((a, b)))


def worth_of(facts: Facts, now: datetime) -> float:
    """What a memory is worth, as merging weighs it: its Memory Value Score."""
    return score(facts, now).score


def choose_survivor(one: Facts, other: Facts, now: datetime) -> tuple[Facts, Facts]:
    """Which stays, and which goes: the one that is worth more; of equals the older, then the smaller id."""
    first, second = sorted((one, other), key=lambda facts: (-worth_of(facts, now), facts.created_at, facts.id))
    return first, second


def unite(survivor: Mapping[str, Any], gone: Mapping[str, Any]) -> Row:
    """The properties that the surviving memory changes once it says what both did. Pure.

    Accesses are summed, lists united, the earlier creation, the higher confidence and the later access hold.
    """
    both = survivor, gone
    found: Row = {
        name: sum(one.get(name) or 0 for one in both)
        for name in ("access_count", "recall_frequency")
        if any(one.get(name) is not None for one in both)
    }
    found |= {
        name: max(known)
        for name in ("confidence", "stated_confidence", "decay_gradient", "durability")
        if (known := [one[name] for one in both if one.get(name) is not None])
    }
    if recent := sorted({at for one in both for at in one.get("recent_accesses") or ()}, key=datetime.fromisoformat):
        found["recent_accesses"] = recent[-RECENT:]
    for name, most in (("accessed_by", RECENT), ("about", None)):
        if known := sorted({text for one in both for text in one.get(name) or ()}):
            found[name] = known[:most]
    found |= _later_life(*both)
    if "decay" in (policies := [one.get("ttl_policy") for one in both]) and "keep_forever" not in policies:
        found["ttl_policy"] = "decay"
    states = [one["state"] for one in both if one.get("state") in _STATES]
    if survivor.get("state") in _STATES:
        found["state"] = str(max(states, key=_STATES.index))
    for name, choose in (("created_at", min), ("ingested_at", max), ("confirmed_at", max), ("last_accessed_at", max)):
        if known := [one[name] for one in both if one.get(name) is not None]:
            found[name] = choose(known)
    return {name: value for name, value in found.items() if value != survivor.get(name)}


def united(survivor: Facts, gone: Facts) -> Facts:
    """The same of the facts that curation decides by."""
    one, other = (
        vars(facts) | {"recent_accesses": list(map(to_iso, facts.recent_accesses))} for facts in (survivor, gone)
    )
    return facts_of(one | unite(one, other) | {"version": survivor.version + 1})


def _later_life(survivor: Mapping[str, Any], gone: Mapping[str, Any]) -> Row:
    """How present it is, as of the later of two accesses (graph/lives.py: salience is that of an instant)."""
    theirs, own = gone.get("salience_at"), survivor.get("salience_at")
    if theirs is None or own is not None and theirs <= own:
        return {}
    names = ("salience", "salience_at", "last_recall_interval")
    return {name: gone[name] for name in names if gone.get(name) is not None}


def merge(
    graph: Graph,
    user: str,
    pair: Pair,
    survivor_id: str,
    now: datetime,
    *,
    reason: str,
    decided_by: str,
    cycle_id: str | None = None,
    dry_run: bool = False,
) -> tuple[str | None, str]:
    """Merge two memories in one transaction: the audit's id, None where it is not done, and why.

    Not done is what a rail protects, what somebody has written since it was read, and what has a relationship that
    cannot be moved. The caller holds the owner's lock. A dry run gives the id that the audit would have.
    """
    whole = read_whole(graph, user, [pair.a, pair.b])
    survivor, gone = whole.get(survivor_id), whole.get(pair.a if survivor_id == pair.b else pair.b)
    if survivor is None or gone is None:
        return None, "one of them is gone"
    if unknown := sorted({link.type for link in gone.links} - MOVES.keys()):
        return None, f"its relationship {unknown[0]} cannot be moved"
    audit_id = node_id("audit", user, gone.id, MERGE, to_iso(now))
    if dry_run:
        return audit_id, reason
    said: Row = {"pair_id": pair.id, "words": pair.words, "cosine": pair.cosine, "a": pair.a, "b": pair.b}
    said |= {"label": pair.kind, "action": MERGE, "decided_by": decided_by, "reason": reason}
    said |= {"audit_id": audit_id, "cycle_id": cycle_id, "snapshot": encode(gone), "kept_snapshot": encode(survivor)}
    results = graph.write_together(_statements(user, said, survivor, gone, now))
    if not results[0]:
        return None, "a rail protects it, or somebody has written it meanwhile"
    return audit_id, reason


def _statements(user: str, said: Row, survivor: Snapshot, gone: Snapshot, now: datetime) -> list[Statement]:
    born_before = to_iso(now - GRACE)
    united = unite(survivor.properties, gone.properties)
    row = dict(said)
    for before, memory in (("", gone), ("kept_", survivor)):
        seen = {name: memory.properties.get(name) or 0 for name in ("version", "access_count")}
        row |= {f"{before}id": memory.id, f"{before}version": seen["version"]}
        row |= {f"{before}seen_access_count": seen["access_count"]}
    row |= {name: united.get(name) for name in _UNITED}
    row |= {name: to_iso(united[name]) if name in united else None for name in _INSTANTS}
    row |= {"remove_at": due_key(user, gone.id, now + CURATION.tombstone)}
    moves = [name for names in MOVES.values() for name in names]
    totals = in_statements("graph/set_chunk_totals", id_rows([survivor.id]), user_id=user, now=to_iso(now))
    return [
        *cuts("merge_memories", [row], user=user, now=now, born_before=born_before),
        *cuts("tombstone_records", [row], user=user, now=now, born_before=born_before),
        *(statement for name in moves for statement in cuts(name, [row], user=user)),
        *(totals if said["label"] == STATEMENT else ()),
    ]
