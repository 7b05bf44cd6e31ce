"""What an edit of a HEARTBEAT.md decides about tasks, as rows and tasks to be stored. Pure.

A new line is a task, one with other words replaces its task, one that is gone (or ticked off, or struck out) lets its task
rest: it keeps its definition and its counts, and comes back with its line. What is no task is kept in a copy beside the file
and said. Each decision holds the task as it was, so that it can be taken back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from memory_assets.heartbeat.edits import UNCLEAR, Edit, TaskLine
from memory_assets.heartbeat.reading import DEFAULT_SCHEDULE, read_tasks
from memory_assets.heartbeat.tasks import Task, TaskError, task_from, task_id
from memory_assets.model import node_id, reference
from memory_assets.privacy.masking import mask_text

ADDED, CHANGED, REMOVED, RESTORED, VANISHED = "added", "changed", "removed", "restored", "vanished"
KEPT, UNDONE, DISMISSED = "kept beside", "undone", "dismissed"

CHANGED_MEANWHILE = "the task was changed elsewhere after the file was published"
OTHERWISE = "another of your files says otherwise"
MANY = "it vanished with many others"
A_REMARK = "a remark: a task is a line of a list, or says when"
OTHER = "the file that was edited is of another publication, which did not have it so"

# A bullet, a number, a heading: what people write a task as.
_IS_LISTED = re.compile(r"\s*(?:[-*+•–#]|\d{1,3}[.)])")

Row = dict[str, Any]


@dataclass
class Decisions:
    """The rows of an edit's decisions, the tasks that follow from them by id, and what in the file became no task."""

    rows: list[Row] = field(default_factory=list)
    tasks: dict[str, Task] = field(default_factory=dict)
    is_whole: bool = True
    """Whether all that the file says is in the graph now."""


def decide(
    user: str,
    edit: Edit,
    known: Mapping[str, Task],
    latest: Mapping[str, str],
    written: Mapping[str, Task],
    *,
    path: str,
    state: str,
    at: str,
) -> Decisions:
    """The decisions of one file's edit.

    ``known`` are the tasks of the graph that it names, by id; ``latest`` the last decision about each of them;
    ``written`` the tasks that another file's edit has made in this same run.
    """
    made = Decisions(is_whole=not edit.is_doubtful)

    def row(action: str, key: str, before: str | None, after: str | None, conflict: str | None, task: Task | None) -> None:
        made.rows.append(
            edit_row(
                user, action, key, path=path, at=at, published=before, edited=after, conflict=conflict,
                state=state, before=known.get(key), task=task,
            )
        )
        if task is not None:
            made.tasks[key] = task

    for one in edit.added:
        _take(one, None, known.get(one.key), row, made)
    for before, after in edit.changed:
        _take(after, before, known.get(before.key), row, made)
    for one in edit.removed:
        task = known.get(one.key)
        if task is not None and task.is_active:
            row(REMOVED, one.key, one.words, None, _meanwhile(one, task), replace(task, is_active=False))
    for one in edit.kept:
        task = known.get(one.key)
        if task is not None and not task.is_active and latest.get(one.key) == REMOVED:
            row(RESTORED, one.key, one.words, one.words, None, replace(task, is_active=True))
    for one in edit.vanished:
        if one.key in known and known[one.key].is_active and latest.get(one.key) != VANISHED:
            row(VANISHED, one.key, one.words, None, OTHER if edit.is_other else MANY, None)
    for one in edit.unclear:
        made.is_whole = False
        row(KEPT, one.key, None, one.words, UNCLEAR, None)
    _take_rest(edit.rest, known, row, made)
    for decision in made.rows:
        other, task = written.get(decision["task_key"]), made.tasks.get(decision["task_key"])
        if other is not None and task is not None and other.hash != task.hash:
            decision["conflict"] = OTHERWISE
        elif edit.is_other and task is not None and decision["action"] != ADDED:
            decision["conflict"] = decision["conflict"] or OTHER
    return made


def _take(one: TaskLine, before: TaskLine | None, known: Task | None, row: Any, made: Decisions) -> None:
    """A line in our own form: a new task, or other words for one."""
    definition: Any = one.text
    if one.text is None and known is not None:
        definition = known.definition
    elif known is not None and not isinstance(known.definition, str):
        definition = _value(one.text or "")
    fields = {
        "id": one.key, "task_name": known.name if known else one.key, "schedule": one.schedule, "definition": definition,
        "is_active": not one.is_done,
    }
    published = before.words if before else None
    try:
        task = task_from(fields)
    except TaskError as error:
        made.is_whole = False
        row(KEPT, one.key, published, one.words, str(error), None)
        return
    if known is not None and known.hash == task.hash:
        return
    action = ADDED if known is None else RESTORED if replace(known, is_active=True).hash == task.hash else CHANGED
    is_other = before is not None and known is not None and _meanwhile(before, known)
    row(action, one.key, published or (known and known.text), one.words, is_other or None, task)


def _take_rest(rest: str, known: Mapping[str, Task], row: Any, made: Decisions) -> None:
    """What else a person has written, read as a HEARTBEAT.md of old is."""
    if not rest.strip():
        return
    reading = read_tasks(rest)
    lines = rest.split("\n")
    told = {number for first, last in reading.spans.values() for number in range(first, last + 1)}
    if any(line.strip() for number, line in enumerate(lines, 1) if number not in told):
        made.is_whole = False
    for task in reading.tasks:
        first, last = reading.spans[task.key]
        stands = known.get(task.key)
        if stands is None and task.schedule == DEFAULT_SCHEDULE and not _IS_LISTED.match(lines[first - 1]):
            made.is_whole = False
            row(KEPT, task.key, None, "\n".join(lines[first - 1 : last]).strip(), A_REMARK, None)
            continue
        if stands is None or stands.hash != task.hash:
            action = ADDED if stands is None else CHANGED
            row(action, task.key, stands.text if stands else None, "\n".join(lines[first - 1 : last]).strip(), None, task)
    for one in reading.refused:
        words = lines[one.line - 1].strip() if 0 < one.line <= len(lines) else ""
        row(KEPT, one.key or f"line {one.line}", None, words, one.reason, None)


def _meanwhile(line: TaskLine, task: Task) -> str | None:
    """Why a published line isn't what its task says any more, if so."""
    says = TaskLine(0, task.key, task.schedule, task.text if line.text is not None else None, "")
    return None if says.says == line.says and task.is_active else CHANGED_MEANWHILE


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def edit_row(
    user: str,
    action: str,
    key: str,
    *,
    path: str,
    at: str,
    published: str | None,
    edited: str | None,
    conflict: str | None,
    state: str,
    before: Task | None,
    task: Task | None,
) -> Row:
    """A decision with its audit; ``state`` names the bytes it was found in, so that a repetition makes no second one."""
    identifier = task_id(user, key)
    edited = None if edited is None else mask_text(edited)
    return {
        "id": node_id("task-edit", user, path, key, state, edited or ""),
        "memory_id": identifier,
        "ref": reference(identifier),
        "task_key": mask_text(key),
        "action": action,
        "path": path,
        "published_text": published,
        "edited_text": edited,
        "conflict": conflict,
        "task_before": task_json(before),
        "task_hash": task.hash if task else None,
        "at": at,
        "audit_id": node_id("audit", user, identifier, "task-edit", action, state, edited or ""),
        "audit_action": f"edit-{action}",
        "reason": f"{action} by an edit of {path}",
        "snapshot": task_json(before) or "",
    }


def task_json(task: Task | None) -> str | None:
    """A task as it is kept with a decision."""
    return json.dumps(asdict(task), ensure_ascii=False, sort_keys=True, default=str) if task else None


def task_of(text: str | None) -> Task | None:
    """A task that :func:`task_json` has kept."""
    return Task(**json.loads(text)) if text else None


def tasks_by_key(rows: Iterable[Mapping[str, Any]]) -> dict[str, Task]:
    """Tasks of the graph as they were given, by their ids in people's words."""
    return {
        row["task_key"]: Task(
            row["task_key"], row["task_name"], row["schedule"], json.loads(row["definition_json"]), row["is_active"]
        )
        for row in rows
    }
