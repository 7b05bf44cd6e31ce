"""An owner's names in the graph: read them all, resolve, write what changed, in one transaction.

Costs nothing where nothing is due: the stage ``names`` says from which rules the names were last resolved, and each
batch of an extraction takes that word back.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from memory_assets.clock import END_OF_TIME
from memory_assets.entities.naming.records import PERSON, Decision, Name, Profile, Resolution, thing_key
from memory_assets.entities.naming.resolve import Outcome, resolve_names
from memory_assets.entities.rows import anchors_derived, name_ids, name_key, upsert_anchors
from memory_assets.graph.decisions import NAME, decision_row
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.merged import RESOLVED
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.graph.statements import Row, in_parts, in_statements
from memory_assets.model import fingerprint, node_id, own_person_id

STAGE = "names"
"""From which rules an owner's names were last resolved."""
CHANGES = "names/changes"
"""Another word whenever somebody came to mean somebody else: what is grouped by people follows it."""
DUE = "due"


@dataclass(frozen=True)
class Known:
    """Everything that an owner's names follow from, as the graph has it."""

    names: Mapping[str, Row]
    mentions: Sequence[Row]
    casts: Mapping[str, Sequence[str]]
    decisions: Mapping[str, Row]
    profile: Profile | None

    def records(self) -> list[Name]:
        """The names that a source uses and that resolution is about."""
        sources: dict[str, dict[str, float]] = {}
        for row in self.mentions:
            sources.setdefault(row["name_id"], {})[row["source_id"]] = row["confidence"] or 0.0
        return [
            Name(key, row["kind"], row["name"], row["canonical_name"], row["entity_type"], sources[key])
            for key, row in self.names.items()
            if key in sources
        ]

    def resolve(self) -> Outcome:
        """Whom they mean, by all of it."""
        decisions = [decision_of(row) for row in self.decisions.values()]
        return resolve_names(self.records(), self.profile, decisions, self.casts)


def decision_id(user: str, one: str, other: str) -> str:
    """One decision for each pair of names."""
    return node_id("name_decision", user, *sorted((one, other)))


def name_decision(user: str, row: Row, about: str | None, why: str, audit_action: str) -> dict[str, Any]:
    """What was decided about two names as it is stored; a person's own decisions can be taken back."""
    snapshot = {name: row[name] for name in ("one_id", "other_id", "same", "keep_id")}
    known = {name: row[name] for name in ("id", "other_id", "same", "decided_by", "keep_id", "evidence", "at")} | {
        "memory_id": row["one_id"],
        "action": "merged" if row["same"] else "kept apart",
        "audit_id": node_id("audit", user, row["id"], audit_action, row["at"]),
        "audit_action": audit_action,
        "reason": why,
        "snapshot": json.dumps(snapshot, sort_keys=True),
    }
    return decision_row(NAME, known, about, in_force=row["decided_by"] == PERSON)


def decision_of(row: Mapping[str, Any]) -> Decision:
    """A stored decision as resolution takes it."""
    return Decision(row["one_id"], row["other_id"], row["same"], row["decided_by"], row["keep_id"], row["at"] or "")


def read_profile(graph: Graph, user: str) -> Profile | None:
    """Who the owner is, where somebody has said so."""
    rows = graph.read("entities/find_owner", user_id=user, id=own_person_id(user))
    return Profile(rows[0]["name"], tuple(rows[0]["also"]), rows[0]["id"]) if rows else None


def read_known(graph: Graph, user: str, owners: Sequence[str]) -> Known:
    """All names of people, whatever else is called as one of them, and what is written in several ways."""
    rows = graph.read("entities/list_names", user_id=user)
    called = {row["canonical_name"] for row in rows if row["kind"] == "person"}
    written = Counter(key for row in rows if (key := _thing_key(row)))
    names = {
        row["id"]: row
        for row in rows
        if row["canonical_name"] in called or written[_thing_key(row)] > 1 or row["resolved_ids"] != [row["id"]]
    }
    anchors = {key for row in names.values() for key in (row["id"], *row["resolved_ids"])}
    mentioned = graph.read_parts("entities/list_name_mentions", sorted(anchors), user_id=user)
    mentions = [row for row in mentioned if row["name_id"] in names]
    sources = sorted({row["source_id"] for row in mentions})
    casts = {
        row["id"]: sorted(set(row["cast"]))
        for row in graph.read_parts("entities/list_casts", sources, user_ids=list(owners))
    }
    decisions = {row["id"]: row for row in graph.read("entities/list_name_decisions", user_id=user)}
    return Known(names, mentions, casts, decisions, read_profile(graph, user))


def _thing_key(row: Mapping[str, Any]) -> str:
    return thing_key(row["kind"], row["entity_type"], row["name"]) if row["kind"] != "person" else ""


def apply_names(
    graph: Graph,
    user: str,
    owners: Sequence[str],
    known: Known,
    now: datetime,
    *,
    recipe: str,
    first: Sequence[Statement] = (),
    last: Sequence[Statement] = (),
) -> Counter[str]:
    """Resolve the names, and write what must be so that the graph says whom they mean, with what caused it: in one
    transaction. What has changed.
    """
    resolved = known.resolve().resolutions
    changed = [
        _name_row(key, resolved[key]) for key in sorted(resolved) if not _is_written(known.names[key], resolved[key])
    ]
    moves = [
        {"source_id": row["source_id"], "name_id": row["name_id"], "old_id": row["anchor_id"], "new_id": wanted}
        for row in known.mentions
        if (wanted := resolved[row["name_id"]].resolved_in(row["source_id"])) != row["anchor_id"]
    ]
    unused = name_ids(known.names.keys() - resolved.keys())
    old, new = ({move[key] for move in moves} for key in ("old_id", "new_id"))
    nodes = graph.read_parts("graph/list_owned_nodes", sorted(old | new), user_ids=[user])
    stored = {row["id"]: row for row in nodes}
    missing = sorted(key for key in new - stored.keys() if key in known.names)  # the owner comes with the profile
    meant = {resolved[row["name_id"]].resolved_in(row["source_id"]) for row in known.mentions}
    gone = [stored[key] for key in sorted(old - meant) if key in stored]
    chunks = {
        row["id"]
        for part in in_parts(moves)
        for row in graph.read("entities/list_chunks_of_mentions", rows=list(part), user_id=user, user_ids=list(owners))
    }
    moved_in = {move["source_id"] for move in moves}
    since = min(
        (row["started_at"] or END_OF_TIME for row in known.mentions if row["source_id"] in moved_in), default=None
    )
    mine = partial(in_statements, user_id=user)
    writes = [
        *first,
        *upsert_anchors([known.names[key] for key in missing], user, now),
        *mine("entities/move_mentions", moves, user_ids=list(owners)),
        *mine("entities/set_names_resolved", changed),
        *cuts("retire_unmentioned_names", unused, user=user),
        *mine("entities/set_name_texts", name_ids(row["id"] for row in changed)),
        *anchors_derived(user, now, old | new, chunks, chunks, gone, RESOLVED, since=since),
        *mine("entities/revive_anchors", _revivals(graph, user, missing)),
        *mine("entities/set_uncounted", _uncounted(moves)),
    ]
    if moves:
        before = find_stage(graph, user, CHANGES)
        moved = sorted(f"{m['source_id']} {m['name_id']} {m['new_id']}" for m in moves)
        writes.append(stage_made(user, CHANGES, fingerprint(before, *moved), now))
    graph.write_together([*writes, *last, stage_made(user, STAGE, recipe, now)])
    return Counter(names_resolved=len(changed), mentions_moved=len(moves))


def _is_written(row: Mapping[str, Any], wanted: Resolution) -> bool:
    written = row["resolved_id"], tuple(row["resolved_ids"]), row["decided_by"], row["reason"]
    return written == (wanted.resolved_id, wanted.resolved_ids, wanted.decided_by, wanted.reason)


def _name_row(key: str, wanted: Resolution) -> Row:
    names = {"resolved_id": wanted.resolved_id, "resolved_ids": list(wanted.resolved_ids)}
    return {"id": key, "key": name_key(key), "decided_by": wanted.decided_by, "reason": wanted.reason, **names}


def _uncounted(moves: Sequence[Row]) -> list[Row]:
    """Between whom names moved: each, with all others to or from whom one did."""
    beside: dict[str, set[str]] = {}
    for move in moves:
        beside.setdefault(move["old_id"], set()).add(move["new_id"])
        beside.setdefault(move["new_id"], set()).add(move["old_id"])
    return [{"id": key, "with_ids": sorted(beside[key])} for key in sorted(beside)]


def _revivals(graph: Graph, user: str, missing: Sequence[str]) -> list[Row]:
    """What those were who come back, by the audit of their last retirement."""
    if not missing:
        return []
    audits = graph.read("entities/list_last_retirements", user_id=user, ids=list(missing))
    rows = []
    for audit in {audit["id"]: audit for audit in audits}.values():
        snapshot = json.loads(audit["snapshot"] or "{}")
        links = {name: bool(snapshot.get(name)) for name in ("has_meso", "has_macro")}
        life = {"state": snapshot.get("state") or "candidate", "salience": snapshot.get("salience", 0.5)}
        life["created_at"] = snapshot.get("created_at")
        rows.append({"id": audit["id"], **life, **links})
    return sorted(rows, key=lambda row: row["id"])
