"""A task as it is given, and as the graph stores it (000, HeartbeatTask). Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.heartbeat.schedules import ScheduleError, parse_schedule
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint, node_id, reference
from memory_assets.privacy.masking import mask_json, mask_text

QUICK_BELOW = 100
"""000, ``LazyHeartbeatLoader``: a task of fewer tokens is quick, and is in the file in full."""
QUICK, DEFERRED = "quick", "deferred"
LONGEST_KEY, LONGEST_NAME, LONGEST_DEFINITION = 120, 200, 200_000

Row = dict[str, Any]


class TaskError(ValueError):
    """A task that cannot be taken, and why."""


@dataclass(frozen=True)
class Task:
    """A task as people give it. ``key`` is its id in their words; ``definition`` any JSON value."""

    key: str
    name: str
    schedule: str
    definition: Any
    is_active: bool = True

    @property
    def text(self) -> str:
        """The definition as text: itself, or its JSON."""
        return self.definition if isinstance(self.definition, str) else to_json(self.definition)

    @property
    def hash(self) -> str:
        """What of it can change, in 12 characters."""
        return fingerprint(self.name, self.schedule, to_json(self.definition), self.is_active)[:12]


@dataclass(frozen=True)
class Refused:
    """An entry of a file that is no task: its line, its key if it has one, and why not."""

    line: int
    key: str | None
    reason: str


def to_json(value: Any) -> str:
    """JSON text in a fixed form; what JSON does not know (a day in YAML) as text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def definition_text(definition_json: str) -> str:
    """A stored definition as text."""
    value = json.loads(definition_json)
    return value if isinstance(value, str) else definition_json


def task_from(fields: object) -> Task:
    """A mapping of ``id``, ``task_name``, ``schedule``, ``definition`` and ``is_active`` (true if absent) as a task.

    Secrets in it are masked: tasks are read into prompts, and the place of a secret is the environment.
    """
    if not isinstance(fields, Mapping):
        raise TaskError("it is no mapping: give it id, task_name, schedule and definition")
    unknown = sorted(str(name) for name in fields.keys() - {"id", "task_name", "schedule", "definition", "is_active"})
    if unknown:
        raise TaskError(
            f"it has {', '.join(unknown)}, which no task has: id, task_name, schedule, definition, is_active"
        )
    key = _line(fields, "id", LONGEST_KEY)
    name = _line(fields, "task_name", LONGEST_NAME) if fields.get("task_name") is not None else key
    definition = fields.get("definition")
    if definition is None or definition == "":
        raise TaskError("it has no definition: say what is to be done")
    if len(to_json(definition)) > LONGEST_DEFINITION:
        raise TaskError(f"its definition is longer than {LONGEST_DEFINITION:,} characters")
    is_active = fields.get("is_active", True)
    if not isinstance(is_active, bool):
        raise TaskError(f"its is_active is {is_active!r}: write true or false")
    schedule = fields.get("schedule")
    if not isinstance(schedule, str):
        raise TaskError("it has no schedule in words: a cron expression, or an interval such as 'every 2 hours'")
    try:
        parse_schedule(schedule)
    except ScheduleError as error:
        raise TaskError(str(error)) from None
    return Task(mask_text(key), mask_text(name), " ".join(schedule.split()), _masked(definition), is_active)


def _masked(definition: Any) -> Any:
    if isinstance(definition, str):
        return mask_text(definition)
    return json.loads(mask_json(to_json(definition)))


def _line(fields: Mapping[Any, Any], field: str, longest: int) -> str:
    value = fields.get(field)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TaskError(f"it has no {field}")
    text = " ".join(str(value).split())
    if not text or len(text) > longest or not text.isprintable():
        raise TaskError(f"its {field} must be one line of 1 to {longest} characters")
    return text


def quick_line(key: str, schedule: str, text: str) -> str:
    """A task in full as it is written in the file; lines after its first are indented, so that they stay its own."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return f"- {key} ({schedule}): " + "\n  ".join(lines)


def task_row(user: str, task: Task, now: datetime, known: Mapping[str, Any] | None) -> Row:
    """A task as a row of ``heartbeat/upsert_tasks``; ``known`` is what the graph has of it.

    A task is due at the first slot after the later of its adding and its last execution. Its definition waits to be
    loaded again (``is_pending``) when it has changed since it was last given to somebody.
    """
    tokens = count_tokens(quick_line(task.key, task.schedule, task.text))
    is_quick = tokens < QUICK_BELOW
    added = known["added_at"] if known else now
    since = max(filter(None, (added, known and known["last_executed"])))
    shelf = QUICK if is_quick else DEFERRED
    is_pending = bool(known and (known["is_pending"] or known["last_definition_load"] is not None))
    return {
        "id": task_id(user, task.key),
        "task_key": task.key,
        "ref": reference(task_id(user, task.key)),
        "task_name": task.name,
        "schedule": task.schedule,
        "definition_json": to_json(task.definition),
        "definition_tokens": tokens,
        "definition_hash": task.hash,
        "is_active": task.is_active,
        "is_quick": is_quick,
        "is_pending": is_pending,
        "pending_key": f"{user}|{task.key}" if is_pending else None,
        "shelf_key": f"{user}|{shelf}|{task.key}" if task.is_active else None,
        "added_at": to_iso(added),
        **due_properties(user, task.key, task.schedule, since, is_active=task.is_active),
    }


def due_properties(user: str, key: str, schedule: str, since: datetime, *, is_active: bool) -> Row:
    """When the task of this key is next due after ``since``, and the text of that for an index; nothing when idle."""
    if not is_active:
        return {"next_due": None, "due_key": None}
    slot = to_iso(parse_schedule(schedule).slot_after(since))
    return {"next_due": slot, "due_key": due_key(user, slot or "", key)}


def due_key(user: str, instant: str, key: str) -> str:
    """The text that sorts a user's tasks by when they are due, then by their keys: no two have the same."""
    return f"{user}|{instant}|{key}"


def task_id(user: str, key: str) -> str:
    """The id of a task's node."""
    return node_id("heartbeat-task", user, key)


def registry_id(user: str) -> str:
    """The id of a user's registry."""
    return node_id("heartbeat-registry", user)
