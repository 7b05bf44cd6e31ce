"""What an agent holds against a memory: that it is said to be wrong, or what another record says. A contradiction that
somebody settles; by itself it changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.decisions import DOUBT, decision_row, recorded
from memory_assets.graph.graph import Graph, Statement
from memory_assets.model import node_id, reference

OPEN = "open"
WRONG = "it is said to be wrong"
KIND = "said to be wrong"
_SHOWN = {
    "one_id": "memory_id",
    "other_id": "by_memory_id",
    "other_ref": "by_ref",
    "other": "edited_text",
    "other_speaker": "agent",
    "other_at": "at",
    "found_at": "at",
    "why": "reason",
    "judged_by": "agent",
}
"""By what an open contradiction calls what is stored of a doubt."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Doubt:
    """Against the memory ``memory_id``, which says ``text``: what the record ``by_id`` says (``other``), or that it is
    said to be wrong. ``kind`` is how they differ, ``why`` a reason for people.
    """

    memory_id: str
    text: str
    by_id: str | None = None
    other: str = WRONG
    kind: str = KIND
    why: str = ""

    def id_for(self, user: str) -> str:
        """One for two memories, whichever agent opened it."""
        return node_id("doubt", user, self.memory_id, self.by_id or "")


def opened(graph: Graph, user: str, doubts: Sequence[Doubt], agent: str, now: datetime) -> list[Statement]:
    """The statements that open doubts; what somebody has settled stays so."""
    known = {row["id"] for row in _read(graph, user, {one.id_for(user) for one in doubts})}
    rows = []
    for one in doubts:
        if (identifier := one.id_for(user)) in known:
            continue
        said: dict[str, Any] = {"id": identifier, "memory_id": one.memory_id, "ref": reference(one.memory_id)}
        said |= {"by_memory_id": one.by_id, "by_ref": reference(one.by_id) if one.by_id else None, "agent": agent}
        said |= {"at": to_iso(now), "edited_text": one.other, "difference": one.kind, "why": one.why}
        rows.append(_row(said, OPEN, f"held against it by {agent}", f"a: {one.text} / b: {one.other}", (), now))
    return recorded(user, rows, now)


def list_open(graph: Graph, user: str, of: Collection[str] | None = None) -> list[Row]:
    """The doubts that nobody has settled, in which some memories are (``of``, by id), or all, in the shape of
    contradictions; of b there is no reference where it is said alone.
    """
    if of is None:
        found = graph.read("validity/list_doubt_ids", user_id=user)
    else:
        found = graph.read("validity/list_doubts_about", user_id=user, ids=sorted(of)) if of else []
    rows = _read(graph, user, {row["id"] for row in found})
    return [_shown(row) for row in rows if is_open(row)]


def is_open(row: Mapping[str, Any]) -> bool:
    """Whether a doubt, as it is stored, is there to be settled."""
    return row["action"] == OPEN and bool(row["is_in_use"])


def list_between(graph: Graph, user: str, memory_id: str) -> list[tuple[str, str, str | None, Row]]:
    """The doubts between a record and others, open or settled, as they are stored, each behind the id of the other
    memory, what it says, and who says that.
    """
    found = graph.read("validity/list_doubts_about", user_id=user, ids=[memory_id])
    rows = [row for row in _read(graph, user, {row["id"] for row in found}) if row["by_memory_id"]]
    return [
        (row["by_memory_id"], row["edited_text"], row["agent"], row)
        if row["memory_id"] == memory_id
        else (row["memory_id"], row["one"], row["one_speaker"], row)
        for row in rows
        if is_open(row) or row["action"] != OPEN
    ]


def list_settled(graph: Graph, user: str) -> list[Row]:
    """Those that somebody has settled, in the same shape, each with ``resolution``, ``decision`` and ``audit_id``."""
    rows = _read(graph, user, {row["id"] for row in graph.read("validity/list_doubt_ids", user_id=user)})
    named = {"resolution": "action", "decision": "id", "audit_id": "audit_id"}
    return [_shown(row) | {name: row[of] for name, of in named.items()} for row in rows if row["action"] != OPEN]


def audit_id_of(identifier: str, action: str, now: datetime) -> str:
    """The audit of what was done about a doubt."""
    return node_id("audit", identifier, action, to_iso(now))


def find(graph: Graph, user: str, identifier: str) -> Row | None:
    """A doubt as it is stored, by its id; None where there is none."""
    return next(iter(_read(graph, user, [identifier])), None)


def _read(graph: Graph, user: str, ids: Collection[str]) -> list[Row]:
    return graph.read("validity/list_doubts", user_id=user, ids=sorted(ids)) if ids else []


def settled(
    user: str, row: Mapping[str, Any], action: str, note: str, made: Sequence[str], now: datetime
) -> list[Statement]:
    """The statements that settle a doubt, or open it again; ``made`` are the audits of what was corrected by that."""
    names = ("id", "memory_id", "by_memory_id", "by_ref", "agent", "at", "edited_text")
    said = {name: row[name] for name in names} | {
        "ref": row["one_ref"],
        "difference": row["kind"],
        "why": row["reason"],
    }
    return recorded(user, [_row(said, action, note, f"a: {row['one']} / b: {row['edited_text']}", made, now)], now)


def _row(said: Row, action: str, reason: str, about: str, made: Sequence[str], now: datetime) -> Row:
    row = {
        **said,
        "action": action,
        "made": list(made),
        "reason": reason,
        "audit_id": audit_id_of(said["id"], action, now),
        "audit_action": f"doubt-{action}",
        "snapshot": json.dumps({"about": about, "made": list(made)}, ensure_ascii=False, sort_keys=True),
    }
    return decision_row(DOUBT, row, about, in_force=action != OPEN)


def _shown(row: Row) -> Row:
    same = {name: row[name] for name in ("id", "kind", "one_ref", "one", "one_speaker", "one_at")}
    return {**same, **{shown: row[name] for shown, name in _SHOWN.items()}, "probability": None, "is_doubt": True}
