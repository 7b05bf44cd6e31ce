"""A user's edited HEARTBEAT.md files between disk and graph: what was edited is taken in before anything is published.

The decisions, the tasks that follow from them, and that this state of the file was taken in, are one transaction. A stop
in between is repaired by the next run, which finds the same edit. Whoever calls holds the owner's lock.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.files.on_disk import LARGEST_READ, decode, read_edited
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.heartbeat.edit_decisions import (
    DISMISSED,
    KEPT,
    REMOVED,
    UNDONE,
    VANISHED,
    Decisions,
    decide,
    task_of,
    tasks_by_key,
)
from memory_assets.heartbeat.edits import Edit, diff
from memory_assets.heartbeat.heartbeat_file import PUBLICATION, copy_stage
from memory_assets.heartbeat.reading import read_tasks
from memory_assets.heartbeat.registry import read_registry, tasks_added
from memory_assets.heartbeat.tasks import Task, task_id
from memory_assets.model import fingerprint, node_id

_KEPT_FIELDS = ("id", "memory_id", "ref", "task_key", "path", "published_text", "edited_text", "task_before")


class TaskEditError(MemoryAssetsError):
    """An edit that cannot be taken back, and why."""


@dataclass(frozen=True)
class TakenIn:
    """What became of a user's edited files: what to say, and the bytes whose words are all in the graph now."""

    notes: tuple[str, ...] = ()
    whole: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Edited:
    path: Path
    sha256: str
    state: str
    edit: Edit
    at: datetime


def take_in_edits(graph: Graph, user: str, path: Path, now: datetime) -> TakenIn:
    """Take in every edit of a user's HEARTBEAT.md at ``path`` and of the further ones."""
    further = [Path(row["path"]) for row in graph.read("heartbeat/list_heartbeat_files", user_ids=[user])]
    stages = [(path, PUBLICATION), *((one, copy_stage(one)) for one in further)]
    _, stored = read_registry(graph, user)
    published = stored.get("text")
    if published is None:
        return TakenIn()
    notes: list[str] = []
    whole: set[str] = set()
    written: dict[str, Task] = {}
    found = [one for file, stage in stages if (one := _find_edited(graph, user, file, stage, stored))]
    for edited in sorted(found, key=lambda one: (one.at, str(one.path))):
        made = _decide(graph, user, edited, written, now)
        _record(graph, user, edited, made, now)
        written |= made.tasks
        if made.is_whole and not edited.edit.vanished:
            whole.add(edited.sha256)
        if made.rows:
            notes.append(_told(user, edited, made))
    return TakenIn(tuple(notes), frozenset(whole))


def _find_edited(graph: Graph, user: str, path: Path, stage: str, stored: Mapping[str, Any]) -> _Edited | None:
    """How a file differs from what was published; None where it does not, or nobody can tell from what."""
    announced = {digest for digest in (find_stage(graph, user, stage) or "").split(",") if digest}
    if stored["sha256"] not in announced:
        return None  # something else stood there: its bytes are kept beside, as publishing does
    try:
        data, at = read_edited(path)
    except OSError:
        return None  # gone, or a link: publishing says which
    sha256 = hashlib.sha256(data).hexdigest()
    text = decode(data)
    if sha256 in announced or len(data) > LARGEST_READ or text is None:
        return None
    # The same bytes after another publication are a new edit: somebody has done it once more.
    state = f"{stored['sha256']}@{to_iso(stored['last_sync'])}>{sha256}"
    if find_stage(graph, user, _stage_of(path)) == state:
        return None
    return _Edited(path, sha256, state, diff(stored["text"], text), at)


def _stage_of(path: Path) -> str:
    return f"edited-tasks/{fingerprint(str(path))[:16]}"


def _decide(graph: Graph, user: str, edited: _Edited, written: Mapping[str, Task], now: datetime) -> Decisions:
    edit = edited.edit
    named = [*edit.added, *edit.removed, *edit.kept, *edit.vanished, *edit.unclear, *(after for _, after in edit.changed)]
    keys = {one.key for one in named}
    keys |= {task.key for task in read_tasks(edit.rest).tasks} if edit.rest.strip() else set()
    latest = {row["task_key"]: row["action"] for row in list_task_edits(graph, user) if row["path"] == str(edited.path)}
    return decide(
        user,
        edit,
        _known(graph, user, keys),
        latest,
        written,
        path=str(edited.path),
        state=edited.state,
        at=to_iso(min(edited.at, now)) or "",
    )


def _known(graph: Graph, user: str, keys: Sequence[str] | set[str]) -> dict[str, Task]:
    ids = sorted(task_id(user, key) for key in keys)
    return tasks_by_key(graph.read("heartbeat/find_whole_tasks", ids=ids, user_id=user)) if ids else {}


def _record(graph: Graph, user: str, edited: _Edited, made: Decisions, now: datetime) -> None:
    tasks = list(made.tasks.values())
    writes = tasks_added(graph, user, tasks, now) if tasks else []
    graph.write_together(
        [*writes, *_decided(user, made.rows, now), stage_made(user, _stage_of(edited.path), edited.state, now)]
    )


def _decided(user: str, rows: Sequence[Mapping[str, Any]], now: datetime) -> list[Statement]:
    params = {"rows": list(rows), "user_id": user, "now": to_iso(now)}
    return [Statement("curation/set_task_edits", params)] if rows else []


def _told(user: str, edited: _Edited, made: Decisions) -> str:
    counts: dict[str, int] = {}
    for row in made.rows:
        counts[row["action"]] = counts.get(row["action"], 0) + 1
    happened = ", ".join(f"{number} {what}" for what, number in counts.items())
    return f"{edited.path} was edited: tasks {happened}. `memory-assets edits --user {user}` tells what became of each."


def list_task_edits(graph: Graph, user: str) -> list[dict[str, Any]]:
    """All decisions of edits of a user's HEARTBEAT.md files, the oldest first."""
    return graph.read("heartbeat/list_task_edits", user_id=user)


def task_edit_list(graph: Graph, user: str) -> list[dict[str, Any]]:
    """The same in the shape of ``edits --json``, with the task's id as ``task``."""
    return [
        {
            "id": row["id"],
            "ref": row["ref"],
            "action": row["action"],
            "published": row["published_text"],
            "edited": row["edited_text"],
            "by_ref": None,
            "path": row["path"],
            "at": to_iso(row["at"]),
            "taken_in_at": to_iso(row["taken_in_at"]),
            "source": None,
            "conflict": row["conflict"],
            "task": row["task_key"],
        }
        for row in list_task_edits(graph, user)
    ]


def list_task_conflicts(graph: Graph, user: str) -> list[dict[str, str]]:
    """What an edit of a HEARTBEAT.md and the registry don't agree on, with both texts."""
    return [
        {
            "file": row["path"],
            "edit": row["id"],
            "what": row["conflict"],
            "known": row["published_text"] or "(nothing)",
            "edited": row["edited_text"] or "(the line is gone)",
        }
        for row in list_task_edits(graph, user)
        if row["conflict"]
    ]


def undo_task_edit(graph: Graph, user: str, identifier: str, now: datetime) -> list[dict[str, Any]] | None:
    """Take one decision back, by its id, its task's reference or id: the rows that were written, none if it was taken back
    already; None where no such edit is known. A task that an edit had added rests again, and is not lost."""
    named = identifier.strip("[]")
    known = [row for row in list_task_edits(graph, user) if named in names_of(row)]
    if not known:
        return None
    row = known[-1]
    if row["action"] in (UNDONE, DISMISSED):
        return []
    if row["action"] == VANISHED:
        return _settle(graph, user, [row], DISMISSED, [], now)
    if row["action"] == KEPT:
        raise TaskEditError(f"Nothing came of {row['edited_text']!r}: there is nothing to take back. `edits confirm` says it is seen.")
    stands = _known(graph, user, {row["task_key"]}).get(row["task_key"])
    if stands is None or stands.hash != row["task_hash"]:
        raise TaskEditError(f"The task {row['task_key']} was changed after this edit: change it as it shall be instead.")
    before = task_of(row["task_before"]) or replace(stands, is_active=False)
    return _settle(graph, user, [row], UNDONE, [before], now)


def names_of(row: Mapping[str, Any]) -> set[str]:
    """What a person may call an edit: its id, or the reference or id of its task."""
    return {row["id"], row["ref"], row["task_key"]}


def confirm_task_edits(graph: Graph, user: str, now: datetime, only: Collection[str] = ()) -> list[dict[str, Any]]:
    """Let the tasks rest whose lines had vanished with many others, and take conflicts as seen: of the edits called
    ``only``, or of all."""
    open_rows = [row for row in list_task_edits(graph, user) if row["conflict"] and (not only or names_of(row) & set(only))]
    gone = [row for row in open_rows if row["action"] == VANISHED]
    known = _known(graph, user, {row["task_key"] for row in gone})
    resting = [replace(task, is_active=False) for task in known.values() if task.is_active]
    seen = [row for row in open_rows if row["action"] != VANISHED]
    done = _settle(graph, user, gone, REMOVED, resting, now) if gone else []
    return [*done, *(_settle(graph, user, seen, None, [], now) if seen else [])]


def _settle(
    graph: Graph, user: str, rows: Sequence[Mapping[str, Any]], action: str | None, tasks: list[Task], now: datetime
) -> list[dict[str, Any]]:
    """Decisions that become another one (or stay what they are, seen), with the tasks that follow."""
    hashes = {task.key: task.hash for task in tasks}
    settled = [
        {
            **{name: row[name] for name in _KEPT_FIELDS},
            "at": to_iso(row["at"]),
            "action": action or row["action"],
            "conflict": None,
            "task_hash": hashes.get(row["task_key"], row["task_hash"]),
            "audit_id": node_id("audit", user, row["id"], action or "seen", to_iso(now)),
            "audit_action": f"edit-{action or 'seen'}",
            "reason": f"{action or 'seen'} by the owner's word",
            "snapshot": row["task_before"] or "",
        }
        for row in rows
    ]
    writes = tasks_added(graph, user, tasks, now) if tasks else []
    graph.write_together([*writes, *_decided(user, settled, now)])
    return settled
