"""HEARTBEAT.md as a file that people edit (``edits/``): what was published, and what decisions about tasks write."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import find_stage
from memory_assets.heartbeat.edit_decisions import Deciding, keys_in, read, tasks_by_key
from memory_assets.heartbeat.heartbeat_file import PUBLICATION, copy_stage
from memory_assets.heartbeat.registry import read_registry, tasks_added
from memory_assets.heartbeat.tasks import Task, task_id
from memory_assets.runtime.edited_files import (
    BESIDE,
    DISMISSED,
    REMOVED,
    UNDONE,
    Base,
    Decisions,
    EditedError,
    EditedFile,
    FileKind,
    PublishedFile,
    Row,
    decided_anew,
)
from memory_assets.settings import Settings


def _published(graph: Graph, settings: Settings, user: str) -> list[PublishedFile]:
    """The HEARTBEAT.md files of a user into which the registry's text was put; other bytes are saved beside them."""
    _, stored = read_registry(graph, user)
    if stored.get("text") is None:
        return []
    further = [Path(row["path"]) for row in graph.read("heartbeat/list_heartbeat_files", user_ids=[user])]
    stages = [(settings.heartbeat_file(user), PUBLICATION), *((path, copy_stage(path)) for path in further)]
    bases, version = (Base(stored["text"]),), to_iso(stored["last_sync"]) or ""
    announced = [(path, frozenset((find_stage(graph, user, stage) or "").split(","))) for path, stage in stages]
    return [
        PublishedFile(user, path, stored["sha256"], version, ours, bases)
        for path, ours in announced
        if stored["sha256"] in ours
    ]


def _decide(graph: Graph, _: Settings, edited: EditedFile, known: Sequence[Row], now: datetime) -> Decisions:
    user, path = edited.file.user, str(edited.file.path)
    of_tasks = [row for row in known if row["task_key"] is not None]
    latest = {row["task_key"]: row["action"] for row in of_tasks if row["path"] == path}
    in_this_run = [row for row in of_tasks if row["path"] != path and to_iso(row["taken_in_at"]) == to_iso(now)]
    elsewhere = {row["task_key"]: row["task_hash"] for row in in_this_run if row["task_hash"]}
    made = Deciding(edited, _tasks(graph, user, keys_in(edited)), latest, elsewhere)
    return Decisions(made.rows, tasks_added(graph, user, list(made.tasks.values()), now), made.is_whole)


def _tasks(graph: Graph, user: str, keys: Collection[str]) -> dict[str, Task]:
    ids = sorted(task_id(user, key) for key in keys)
    return tasks_by_key(graph.read("heartbeat/find_whole_tasks", ids=ids, user_id=user)) if ids else {}


def _undo(graph: Graph, user: str, row: Row, known: Sequence[Row], now: datetime) -> Decisions:
    """The task as it was before; one that the edit had added rests again, and is not lost."""
    if row["action"] in (UNDONE, DISMISSED):
        return Decisions()
    if row["action"] == BESIDE:
        raise EditedError(
            f"Nothing came of {row['edited_text']!r}: there is nothing to take back. `edits confirm` says it is seen."
        )
    task = _tasks(graph, user, [row["task_key"]]).get(row["task_key"])
    if task is None or task.hash != row["task_hash"]:
        raise EditedError(f"The task {row['task_key']} was changed after this edit: change it as it shall be instead.")
    before = Task(**json.loads(row["task_before"])) if row["task_before"] else replace(task, is_active=False)
    return Decisions([decided_anew(row, UNDONE, now, task_hash=before.hash)], tasks_added(graph, user, [before], now))


def _settle(graph: Graph, user: str, rows: Sequence[Row], now: datetime) -> list[Statement]:
    """The tasks rest whose lines had vanished: nothing has followed from these yet."""
    gone = [row for row in rows if row["action"] == REMOVED and row["task_hash"] is None]
    tasks = _tasks(graph, user, {row["task_key"] for row in gone})
    resting = [replace(task, is_active=False) for task in tasks.values()]
    hashes = {task.key: task.hash for task in resting}
    for row in gone:
        row["task_hash"] = hashes.get(row["task_key"])
    return tasks_added(graph, user, resting, now) if resting else []


KIND = FileKind(REMOVED, _published, read, _decide, _undo, _settle)
