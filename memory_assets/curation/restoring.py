"""Bring back what curation cut, from its audits: nodes, labels, properties, relationships and embeddings, as they were.

Each audit is one transaction with an audit of its own, the latest first, so that what was merged twice comes apart in
order. What lives again by itself is left alone, and so is what somebody writes meanwhile, and what all sources are gone
of: nobody could say any more where it was said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.curation.merging import A_PERSON, pair_id, unite
from memory_assets.curation.reading import cut_range
from memory_assets.curation.snapshots import OUT, Link, Snapshot, decode, read_whole, split
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import readable_owners
from memory_assets.graph.statements import id_rows, in_parts, in_statements
from memory_assets.model import RECORD_KINDS, node_id, reference

PRUNE, MERGE, ARCHIVE, REMOVE, RETIRE = "prune", "merge", "archive", "remove", "retire"
RESTORABLE = (PRUNE, MERGE, ARCHIVE, REMOVE)
"""What an audit of curation's says that was done, and that is undone here."""
LINKS = frozenset({"RECORDED_IN", "REFERS_TO", "LEARNED_FROM", "STATES", "ABOUT", "SUPERSEDES", "CONTRADICTS"})
"""The relationships between memories that come back, by ``curation/restore_link``."""
OF_SOURCES = frozenset({"RECORDED_IN", "STATES"})
"""Those of them that a source is the other end of: they come back where it is in use, and the user may read it."""
EVIDENCE = "RESTS_ON"
"""A note's, by ``curation/restore_evidence``."""
MADE_AGAIN = frozenset({"HAS_VALUE", "LISTS"})
"""What the next run makes again: what a memory is worth, and where a file lists it."""
VALUED = "KnowledgeChunk"
OF_TOMBSTONES = frozenset({"tombstone", "deleted_at", "tombstone_key", "tombstoned_from", "merged_into", "merged_by"})
PAGE = 50
"""So many audits, each with what it cut, are read at a time."""
ATTEMPTS = 5
"""So often a memory is read again that somebody writes meanwhile."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Audit:
    """One audit, as it is stored: ``at`` and ``restored_at`` are instants."""

    id: str
    memory_id: str
    label: str
    action: str
    reason: str | None
    at: datetime
    cycle_id: str | None = None
    restored_at: datetime | None = None
    snapshot: str | None = field(default=None, repr=False)
    kept_id: str | None = None
    kept_snapshot: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Entry:
    """What became of one audit: ``what`` says it in words."""

    audit: str
    memory_id: str
    ref: str
    kind: str
    action: str
    cut_at: str
    what: str
    text: str = ""


@dataclass
class Restored:
    """What was brought back, or would be, and what was left alone, and why."""

    back: list[Entry] = field(default_factory=list)
    left: list[Entry] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {"restored": [asdict(one) for one in self.back], "left": [asdict(one) for one in self.left]}


def restore(
    graph: Graph,
    user: str,
    now: datetime,
    *,
    audits: Iterable[str] = (),
    cycle: str | None = None,
    since: datetime | None = None,
    dry_run: bool = False,
) -> Restored:
    """Bring back what these audits hold, what a cycle cut, or what was cut since an instant. The owner's lock is held.

    Raises :class:`UnknownReferenceError` for an audit or a cycle that the user does not have.
    """
    chosen = find_audits(graph, user, audits)
    if cycle is not None or since is not None:
        chosen += _of_cycles(graph, user, cycle, since, known={one.id for one in chosen})
    done = Restored()
    restorer = _Restorer(graph, user, now, done, dry_run, readable_owners(graph, user))
    for audit in in_order(chosen):
        restorer.bring_back(audit)
    restorer.link_the_rest()
    return done


def find_audits(graph: Graph, user: str, ids: Iterable[str]) -> list[Audit]:
    """Audits by their ids, which may be given without ``audit:``."""
    wanted = list(dict.fromkeys(key if ":" in key else f"audit:{key}" for key in ids))
    parts = (graph.read("curation/find_audits", ids=list(some), user_id=user) for some in in_parts(wanted, PAGE))
    found = {row["id"]: Audit(**row) for rows in parts for row in rows}
    if missing := [key for key in wanted if key not in found]:
        raise UnknownReferenceError(
            f"No audit {missing[0]!r} of {user} is kept. `memory-assets audits --user {user}` lists those that are; "
            "after 30 days they go."
        )
    return [found[key] for key in wanted]


def list_cuts(graph: Graph, user: str, since: datetime | None = None) -> list[Row]:
    """What was cut of a user's since an instant and can be brought back, the latest first, without what it was."""
    rows = graph.read("curation/list_audits", **cut_range(user, since))
    return [row | {"ref": reference(row["memory_id"])} for row in rows]


def _of_cycles(
    graph: Graph, user: str, cycle: str | None, since: datetime | None, known: Collection[str]
) -> list[Audit]:
    rows = list_cuts(graph, user, since)
    if cycle is not None:
        wanted = cycle if ":" in cycle else f"cycle:{cycle}"
        rows = [row for row in rows if row["cycle_id"] == wanted]
        if not rows:
            raise UnknownReferenceError(f"No cycle {cycle!r} of {user} has cut anything that an audit still holds.")
    return find_audits(graph, user, [row["id"] for row in rows if row["id"] not in known])


def in_order(audits: Iterable[Audit]) -> list[Audit]:
    """The latest first; of one instant what a memory was merged into before that memory."""
    chosen = {one.id: one for one in audits}
    by_memory = {one.memory_id: one for one in chosen.values()}

    def depth(audit: Audit) -> int:
        seen = {audit.memory_id}
        while audit.kept_id in by_memory and audit.kept_id not in seen:
            audit = by_memory[audit.kept_id]
            seen.add(audit.memory_id)
        return len(seen)

    return sorted(chosen.values(), key=lambda one: (-one.at.timestamp(), depth(one), one.id))


@dataclass(frozen=True)
class _Plan:
    """How one memory becomes what it was."""

    was: Snapshot
    properties: dict[str, Any]
    version: int
    """As it was read: 0 where it is not there."""
    is_there: bool
    restores: list[str]
    cut_by: str
    """The audit of when it became a tombstone, or was removed."""
    survivor: Snapshot | None = None
    """The memory that it was merged into, as it is now."""
    survivor_properties: dict[str, Any] = field(default_factory=dict)
    survivor_links: list[Link] = field(default_factory=list)
    """Its own, where the merge changed what they say."""
    moved: list[Link] = field(default_factory=list)
    """Those that it has from the merged one alone."""
    stated_anew: tuple[str, ...] = ()
    """The statements that become what their sources make them now: two that were one, or one that has lost a source
    meanwhile.
    """


@dataclass(frozen=True)
class _Restorer:
    graph: Graph
    user: str
    now: datetime
    done: Restored
    dry_run: bool
    owners: list[str]
    """Whose sources the user may read."""
    incomplete: dict[int, tuple[str, list[Link]]] = field(default_factory=dict)
    """By its place among what is back: a memory's id, and the relationships that did not come back with it."""

    def bring_back(self, audit: Audit) -> None:
        """One audit, in one transaction."""
        if audit.action == RETIRE:
            self._leave(audit, "it is derived, and retired since its sources make it no more: they make it again")
        elif audit.action not in RESTORABLE or audit.label == "Source" and audit.action == REMOVE:
            self._leave(audit, f"{audit.action!r} has a way back of its own: `memory-assets decisions` lists it")
        elif audit.restored_at is not None:
            self._leave(audit, f"it was restored before, on {audit.restored_at:%Y-%m-%d}")
        elif audit.action == ARCHIVE:
            self._unarchive(audit)
        else:
            self._revive(audit)

    def _leave(self, audit: Audit, why: str) -> None:
        self.done.left.append(_entry(audit, why))

    def _revive(self, audit: Audit) -> None:
        """What was pruned, merged or removed."""
        for _ in range(ATTEMPTS):
            plan = self._plan(audit)
            if isinstance(plan, str):
                return self._leave(audit, plan)
            if self.dry_run or self._write(audit, plan):
                if missing := self._missing(plan.was) if not self.dry_run else ():
                    self.incomplete[len(self.done.back)] = plan.was.id, missing
                self.done.back.append(_entry(audit, "it is back", plan.was))
                return None
        return self._leave(audit, "somebody is writing it: try again")

    def _plan(self, audit: Audit) -> _Plan | str:
        """How a memory becomes what it was; or why it does not."""
        graph, user, memory_id = self.graph, self.user, audit.memory_id
        others = graph.read("curation/list_audits_of", user_id=user, ids=[memory_id])
        cutting = [row for row in others if row["action"] in (PRUNE, MERGE, REMOVE) and row["restored_at"] is None]
        whole = decode(audit.snapshot)
        if whole is None:
            return "its audit does not hold what it was"
        if later := [row for row in cutting if row["at"] > audit.at and row["action"] != REMOVE]:
            return f"it came in anew and was cut again since: {later[0]['id']} is the last of it"
        restores = [audit.id, *(row["id"] for row in cutting if row["at"] > audit.at)]
        if whole.properties.get("tombstone"):
            made = next((row["id"] for row in cutting if row["at"] < audit.at and row["action"] != REMOVE), None)
            if made is not None:
                # The tombstone's removal: what it was before it became one is in the audit of that.
                (first,) = find_audits(graph, user, [made])
                return self._planned(first, [*restores, made], decode(first.snapshot) or whole)
        return self._planned(audit, restores, whole)

    def _planned(self, audit: Audit, restores: list[str], was: Snapshot) -> _Plan | str:
        ids = [audit.memory_id, *([audit.kept_id] if audit.kept_id else [])]
        stored = read_whole(self.graph, self.user, ids)
        found = stored.get(audit.memory_id)
        if found is not None and not found.properties.get("tombstone"):
            return "it came in anew since, and lives: it stays as it is"
        if was.kind not in {*RECORD_KINDS, VALUED}:
            return f"no {was.kind} is removed, so that none is brought back"
        kept = decode(audit.kept_snapshot)
        sources, of_kept = (
            {link.other_id for link in one.links if link.type in OF_SOURCES} if one else set() for one in (was, kept)
        )
        in_use = self._in_use(sources | of_kept)
        if sources and sources.isdisjoint(in_use):
            return "no source of it is in use any more: `memory-assets sources restore` brings one back"
        version = int(found.properties.get("version", 0)) if found else 0
        apart = self._apart(audit, was, stored.get(audit.kept_id or ""))
        is_anew = audit.kept_id is not None or in_use != sources | of_kept
        anew = tuple(ids) if was.kind == VALUED and is_anew else ()
        return _Plan(was, _alive(was, found), version, found is not None, restores, audit.id, *apart, anew)

    def _in_use(self, sources: Collection[str]) -> set[str]:
        """Those of some sources that were neither removed nor withdrawn, and that the user may read."""
        asked = {"keys": sorted(sources), "user_ids": self.owners}
        return {row["key"] for row in self.graph.read("graph/list_readable_sources", **asked)} if sources else set()

    def _apart(
        self, audit: Audit, was: Snapshot, survivor: Snapshot | None
    ) -> tuple[Snapshot | None, dict[str, Any], list[Link], list[Link]]:
        """What the memory that another one was merged into becomes: its properties, its own relationships where the
        merge changed them, and those that it has from the merged one alone.
        """
        before = decode(audit.kept_snapshot)
        if survivor is None or before is None:
            return None, {}, [], []
        is_as_left = was.kind != VALUED and _is_as_left(survivor, before)
        properties = dict(before.properties) if is_as_left else _taken_back(survivor, before, was, audit.at)
        had = {link.place: link for link in before.links}
        from_merged = {link.place for link in was.links if link.other_id != survivor.id}
        changed = [
            had[link.place]
            for link in survivor.links
            if link.type in LINKS and link.place in from_merged & had.keys()
            if had[link.place].properties != link.properties
        ]
        moved = [
            one for one in survivor.links if one.place in from_merged - had.keys() and one.type in {*LINKS, EVIDENCE}
        ]
        return survivor, properties, changed, moved

    def _write(self, audit: Audit, plan: _Plan) -> bool:
        """One transaction; False, and nothing changed, where somebody has written either memory since it was read."""
        user, now, key = self.user, to_iso(self.now), plan.was.id
        whose: Row = {"user_id": user, "now": now}
        version = max(plan.version, int(plan.was.properties.get("version", 0))) + 1
        writes: list[Statement] = []
        if plan.survivor is not None:
            asked = {"merged_id": key, "merged_version": plan.version, "is_there": plan.is_there}
            given = {"id": plan.survivor.id, "version": int(plan.survivor.properties.get("version", 0))}
            given |= {"audit_id": plan.cut_by, **split(plan.survivor_properties)}
            writes.append(Statement("curation/restore_kept", {**whose, **given, **asked}))
        if not plan.is_there:
            rows = [{"id": key, "label": plan.was.kind}]
            writes.append(Statement("curation/restore_nodes", {"user_id": user, "rows": rows}))
        given = {"id": key, "version": plan.version, "new_version": version, **split(plan.properties)}
        given |= {"audit_id": plan.cut_by if plan.survivor else None}
        given |= {"with_ids": [plan.survivor.id] if plan.survivor else []}
        back = Statement("curation/restore_properties", {**whose, **given})
        writes.append(back)
        writes += [self._linked(link, key, key) for link in plan.was.links if link.type in LINKS]
        for link in plan.was.links:
            if link.type == EVIDENCE:
                rests = {"id": key, "other_id": link.other_id, "properties": split(link.properties)["properties"]}
                writes.append(Statement("curation/restore_evidence", {**whose, **rests}))
        if plan.survivor is not None:
            writes += [self._linked(link, plan.survivor.id, key) for link in plan.survivor_links]
            moved = [
                {"id": key, "kept_id": plan.survivor.id, "other_id": one.other_id, "type": one.type}
                | {"is_out": one.direction == OUT}
                for one in plan.moved
            ]
            pair = {"id": pair_id(user, key, plan.survivor.id), "audit_ids": plan.restores, "decided_by": A_PERSON}
            writes += in_statements("curation/restore_moved_links", moved, **whose)
            writes += in_statements("curation/restore_pairs", [pair], **whose)
        writes += in_statements("graph/set_chunk_totals", id_rows(plan.stated_anew), **whose)
        why = f"brought back what was cut: {audit.reason or audit.action}"
        writes.append(self._recorded(key, plan.was.kind, why, plan.restores))
        results = self.graph.write_together(writes)
        return bool(results[writes.index(back)])

    def _linked(self, link: Link, memory_id: str, restored_id: str) -> Statement:
        given = {"id": memory_id, "other_id": link.other_id, "type": link.type, "is_out": link.direction == OUT}
        whose = {"user_id": self.user, "user_ids": self.owners, "now": to_iso(self.now), "restored_id": restored_id}
        return Statement("curation/restore_link", {**whose, **given, **split(link.properties)})

    def link_the_rest(self) -> None:
        """The relationships whose other end was not there yet; and how many did not come back, since it is not now."""
        for place, (key, missing) in self.incomplete.items():
            links = [self._linked(one, key, key) for one in missing if one.type in LINKS]
            found = self.graph.write_together(links)
            if left := len(missing) - sum(map(bool, found)):
                what = f"it is back, without {left} links whose other end is gone"
                self.done.back[place] = replace(self.done.back[place], what=what)

    def _missing(self, was: Snapshot) -> list[Link]:
        """The relationships of a memory that did not come back with it."""
        stored = read_whole(self.graph, self.user, [was.id])
        there = {link.place for one in stored.values() for link in one.links}
        return [link for link in was.links if link.type not in MADE_AGAIN and link.place not in there]

    def _unarchive(self, audit: Audit) -> None:
        """What was archived: it gets back its state and its tier, and what it said where it was condensed since."""
        for _ in range(ATTEMPTS):
            found = read_whole(self.graph, self.user, [audit.memory_id]).get(audit.memory_id)
            if found is None or found.properties.get("tombstone"):
                return self._leave(audit, "it was pruned, merged or removed since: restore the audit of that")
            if found.properties.get("state") != "archived" or found.properties.get("archived_at") != audit.at:
                return self._leave(audit, "it is back by itself, or was archived again since")
            if folded := found.properties.get("folded_by"):
                return self._leave(audit, f"a consolidation archived it: `memory-assets undo {folded}` takes that back")
            was = decode(audit.snapshot)
            if self.dry_run or self._write_unarchived(audit, found, was):
                self.done.back.append(_entry(audit, "it is back in use", was or found))
                return None
        return self._leave(audit, "somebody is writing it: try again")

    def _write_unarchived(self, audit: Audit, found: Snapshot, was: Snapshot | None) -> bool:
        key, whose = audit.memory_id, {"user_id": self.user, "now": to_iso(self.now)}
        version = int(found.properties.get("version", 0))
        if was is not None and _is_as_left(found, was):
            given = {"id": key, "version": version, "new_version": version + 1, **split(was.properties)}
            first = Statement("curation/restore_properties", {**whose, **given, "audit_id": None, "with_ids": []})
        else:
            before = was.properties if was else {}
            row = {"id": key, "version": version, "archived_at": to_iso(audit.at), "tier": before.get("tier")}
            row |= {"token_count": before.get("token_count") if before.get("full_text") is None else None}
            row |= {"is_record": audit.label in RECORD_KINDS, "is_valued": audit.label == VALUED}
            first = Statement("curation/restore_archived", {**whose, "rows": [row]})
        last = self._recorded(key, audit.label, f"brought back what was archived: {audit.reason}", [audit.id])
        return bool(self.graph.write_together([first, last])[0])

    def _recorded(self, key: str, label: str, reason: str, restores: list[str]) -> Statement:
        """The audit of a memory that is back, with the audits that it takes back."""
        now = to_iso(self.now)
        row = {"id": key, "audit_id": node_id("audit", self.user, key, "restore", now), "label": label}
        rows = [row | {"reason": reason, "snapshot": None, "restores": restores}]
        return Statement("curation/restore_records", {"user_id": self.user, "now": now, "rows": rows})


def _is_as_left(now: Snapshot, before: Snapshot) -> bool:
    """Whether nobody has written a memory since the statement that changed it from what it was. Accesses and sources of
    statements change these and no version: a living one is never taken to be as it was left.
    """
    return int(now.properties.get("version", 0)) == int(before.properties.get("version", 0)) + 1


def _alive(was: Snapshot, found: Snapshot | None) -> dict[str, Any]:
    """A memory as it was; where somebody has written its tombstone since, with what they wrote."""
    if found is None or _is_as_left(found, was):
        properties = dict(was.properties)
    else:
        properties = dict(found.properties)
    if properties.get("tombstone"):
        # No audit says any more what it was before it became a tombstone but the state: that alone was lost.
        properties["state"] = properties.get("tombstoned_from")
    return {key: value for key, value in properties.items() if key not in OF_TOMBSTONES and value is not None}


def _taken_back(survivor: Snapshot, before: Snapshot, merged: Snapshot, at: datetime) -> dict[str, Any]:
    """A memory that was written since another one was merged into it, without what it has from that one."""
    properties, old, other = dict(survivor.properties), before.properties, merged.properties
    united = unite(old, other)
    for name, value in united.items():
        if properties.get(name) == value:
            properties[name] = old.get(name)
        elif name in SUMMED and properties.get(name) is not None:
            properties[name] = max(old.get(name) or 0, properties[name] - (other.get(name) or 0))
        elif name == "recent_accesses":
            theirs = set(other.get(name) or ()).difference(old.get(name) or ())
            properties[name] = [one for one in properties.get(name) or () if one not in theirs]
    # Instants of the merge itself, where nothing has been written over them since.
    properties |= {name: old.get(name) for name, value in properties.items() if value == at}
    return {key: value for key, value in properties.items() if value is not None}


SUMMED = frozenset({"access_count", "recall_frequency"})
"""What a merge adds up."""


def _entry(audit: Audit, what: str, was: Snapshot | None = None) -> Entry:
    known = was.properties if was else {}
    text = known.get("title") or known.get("text") or known.get("content") or known.get("canonical_name") or ""
    cut = {"audit": audit.id, "memory_id": audit.memory_id, "ref": reference(audit.memory_id), "kind": audit.label}
    cut |= {"action": audit.action, "cut_at": to_iso(audit.at) or ""}
    return Entry(**cut, what=what, text=" ".join(str(text).split()))
