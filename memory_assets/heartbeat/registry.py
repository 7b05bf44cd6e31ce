"""A user's tasks in the graph: adding, listing, what is due, what was done (000, HeartbeatTaskRegistry).

Whoever adds or removes tasks holds the owner's lock: the registry's counts and digest follow from what the tasks were
before. Loading and doing them wait for nobody: the registry knows nothing of it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.due_keys import LAST
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import TASKS_STAGE, stage_made
from memory_assets.graph.statements import in_parts
from memory_assets.heartbeat.tasks import Task, definition_text, due_key, due_properties, registry_id, task_id, task_row
from memory_assets.model import fingerprint, node_id
from memory_assets.privacy.masking import mask_text

TASKS_PER_TRANSACTION = 2000
PAGE = 1000
DIGEST_SPACE = 1 << 60
"""Digests of tasks are added up within this many: the sum says which tasks there are, whatever their order."""

COUNTS = ("execution_count", "error_count", "last_executed", "last_error", "next_due")
"""How it went with a task."""

Row = dict[str, Any]


class TaskNotFoundError(MemoryAssetsError):
    """A user has no task of that id."""


@dataclass
class AddReport:
    """What became of given tasks."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    keys: list[str] = field(default_factory=list)
    """Those that were added or changed."""


@dataclass(frozen=True)
class Registry:
    """What all tasks of a user add up to. ``digest`` is of ids and definitions."""

    tasks: int = 0
    active: int = 0
    quick: int = 0
    digest: int = 0

    @property
    def hash(self) -> str:
        """The digest as it is stored and shown: 15 hexadecimal digits."""
        return f"{self.digest:015x}"

    def plus(self, task: Mapping[str, Any], times: int = 1) -> Registry:
        """The registry with a task's row, or without it (-1)."""
        return Registry(
            self.tasks + times,
            self.active + times * task["is_active"],
            self.quick + times * (task["is_active"] and task["is_quick"]),
            (self.digest + times * _digest(task)) % DIGEST_SPACE,
        )


def _digest(row: Mapping[str, Any]) -> int:
    return int(fingerprint(row["id"], row["definition_hash"])[:15], 16)


def read_registry(graph: Graph, user: str) -> tuple[Registry, Row]:
    """The registry, and what was published of it (an empty row when nothing was)."""
    rows = graph.read("heartbeat/find_registry", user_id=user)
    if not rows:
        return Registry(), {}
    row = rows[0]
    return Registry(row["tasks"], row["active"], row["quick"], int(row["task_definitions_hash"], 16)), row


def add_tasks(graph: Graph, user: str, tasks: Sequence[Task], now: datetime) -> AddReport:
    """Add tasks, or replace those of the same ids; what is as it was is left alone."""
    report = AddReport()
    for part in in_parts(tasks, TASKS_PER_TRANSACTION):
        if writes := tasks_added(graph, user, part, now, report):
            graph.write_together(writes)
    return report


def tasks_added(
    graph: Graph, user: str, tasks: Sequence[Task], now: datetime, report: AddReport | None = None
) -> list[Statement]:
    """What adds tasks of different ids, to be written with whatever asks for it; nothing where all are as they were."""
    report = report or AddReport()
    ids = [task_id(user, task.key) for task in tasks]
    known = {row["id"]: row for row in graph.read("heartbeat/find_tasks", ids=ids, user_id=user)}
    registry, _ = read_registry(graph, user)
    rows: list[Row] = []
    for task in tasks:
        before = known.get(task_id(user, task.key))
        if before and before["definition_hash"] == task.hash:
            report.unchanged += 1
            continue
        row = task_row(user, task, now, before)
        registry = (registry.plus(before, -1) if before else registry).plus(row)
        rows.append(row)
        report.keys.append(task.key)
        report.added += before is None
        report.changed += before is not None
    if not rows:
        return []
    upsert = Statement("heartbeat/upsert_tasks", {"rows": rows, "user_id": user, "now": to_iso(now)})
    return [upsert, *_made(user, registry, now)]


def _made(user: str, registry: Registry, now: datetime) -> list[Statement]:
    counts = {name: getattr(registry, name) for name in ("tasks", "active", "quick")}
    whole = {"id": registry_id(user), "task_definitions_hash": registry.hash, **counts}
    return [
        Statement("heartbeat/upsert_registry", {**whole, "user_id": user, "now": to_iso(now)}),
        stage_made(user, TASKS_STAGE, registry.hash, now),
    ]


def known_tasks(graph: Graph, user: str, keys: Iterable[str]) -> dict[str, str]:
    """The digests of the definitions of those of the named tasks that there are, by key."""
    ids = [task_id(user, key) for key in keys]
    return {
        row["task_key"]: row["definition_hash"] for row in graph.read("heartbeat/find_tasks", ids=ids, user_id=user)
    }


def remove_tasks(graph: Graph, user: str, hashes: Mapping[str, str], reason: str, now: datetime) -> int:
    """Take back the tasks of these keys whose definitions are still these; how many went. An audit keeps each."""
    ids = [task_id(user, key) for key in sorted(hashes)]
    removed = 0
    for part in in_parts(ids, TASKS_PER_TRANSACTION):
        page = graph.read("heartbeat/find_tasks", ids=list(part), user_id=user)
        known = [row for row in page if hashes[row["task_key"]] == row["definition_hash"]]
        registry, _ = read_registry(graph, user)
        for row in known:
            registry = registry.plus(row, -1)
        rows = [
            {"id": row["id"], "audit_id": node_id("audit", user, row["id"], "withdraw", to_iso(now)), "reason": reason}
            for row in known
        ]
        if rows:
            retire = cuts("retire_tasks", rows, user=user, now=now)
            graph.write_together([*retire, *_made(user, registry, now)])
        removed += len(rows)
    return removed


def explain_task(graph: Graph, user: str, ref: str) -> Row | None:
    """The task behind a reference with its full definition and how it went; None when there is none."""
    rows = graph.read("heartbeat/find_task_by_ref", user_id=user, ref=ref)
    if not rows:
        return None
    row = rows[0]
    names = ("task_name", "schedule", "is_active", *COUNTS)
    task = {"id": row["task_key"], **{name: row[name] for name in names}}
    task["definition"] = json.loads(row["definition_json"])
    return {"ref": ref, "kind": "task", "text": definition_text(row["definition_json"]), "task": task}


def list_tasks(graph: Graph, user: str) -> Iterator[Row]:
    """All tasks by id, without their definitions."""
    ids = [row["id"] for row in graph.read("heartbeat/list_task_ids", user_id=user)]
    for row in graph.read_parts("heartbeat/list_tasks", ids, user_id=user):
        yield {"id": row.pop("task_key"), **row}


def due_tasks(graph: Graph, user: str, at: datetime) -> Iterator[Row]:
    """The tasks that are due at ``at``, longest due first, each with its full definition."""
    after, last = f"{user}|", due_key(user, to_iso(at) or "", LAST)
    while rows := graph.read("heartbeat/list_due_tasks", user_id=user, after=after, last=last, limit=PAGE):
        for row in rows:
            shown = {"id": row["task_key"], "node_id": row["id"]}
            shown |= {name: row[name] for name in ("task_name", "schedule", "is_active")}
            shown["definition"] = json.loads(row["definition_json"])
            yield shown | {name: row[name] for name in COUNTS}
        after = rows[-1]["due_key"]
        if len(rows) < PAGE:
            return


def mark_loaded(graph: Graph, user: str, node_ids: Iterable[str], now: datetime) -> None:
    """Remember that full definitions were given to somebody: those that had changed no longer wait in the file."""
    waited = list_pending(graph, user, 1)
    rows = [{"id": key} for key in node_ids]
    graph.write("heartbeat/set_tasks_loaded", rows, user_id=user, now=to_iso(now))
    if waited:
        graph.write_together([stage_made(user, TASKS_STAGE, secrets.token_hex(8), now)])


def list_pending(graph: Graph, user: str, limit: int) -> list[Row]:
    """The first tasks whose definitions have changed since they were loaded."""
    return graph.read("heartbeat/list_pending", user_id=user, first=f"{user}|", last=f"{user}|{LAST}", limit=limit)


def task_done(graph: Graph, user: str, key: str, now: datetime) -> int:
    """Count an execution; the task is due again at its next slot. Returns the count."""
    known = _known(graph, user, key)
    due = due_properties(user, key, known["schedule"], now, is_active=known["is_active"])
    rows = graph.write("heartbeat/set_task_done", id=known["id"], user_id=user, now=to_iso(now), **due)
    return rows[0]["execution_count"]


def task_failed(graph: Graph, user: str, key: str, reason: str, now: datetime) -> int:
    """Count a failed execution with its reason; the task stays due. Returns the count of failures."""
    known = _known(graph, user, key)
    rows = graph.write(
        "heartbeat/set_task_failed", id=known["id"], user_id=user, reason=mask_text(reason)[:2000], now=to_iso(now)
    )
    return rows[0]["error_count"]


def _known(graph: Graph, user: str, key: str) -> Row:
    rows = graph.read("heartbeat/find_tasks", ids=[task_id(user, key)], user_id=user)
    if not rows:
        raise TaskNotFoundError(f"{user} has no task {key!r}: `memory-assets heartbeat list --user {user}` lists them.")
    return rows[0]
