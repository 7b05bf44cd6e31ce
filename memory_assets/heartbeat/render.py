"""HEARTBEAT.md as text within its budget (000, ``LazyHeartbeatLoader``). Pure.

Quick tasks are in full, the others by id, schedule and hash; then those whose definitions have changed since they were
loaded. What does not fit is a count: every task is reached by ``heartbeat due`` when it is due.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_assets.heartbeat.tasks import definition_text, quick_line
from memory_assets.llm.tokens import count_tokens

BUDGET = 500
"""Tokens of the whole file, headings included."""
MOST_PENDING = 12
"""More lines than these never fit the budget."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Listed:
    """Tasks of a section: lines in order, each with the key by which the next rendering finds them, how many in all,
    and the tokens that the sections before leave to them, where there are any.
    """

    title: str
    lines: Sequence[tuple[str, str]]
    total: int
    reserved: int = 0


@dataclass(frozen=True)
class Heartbeat:
    """The text, its tokens, and the keys of the first quick and deferred tasks that did not fit (None: all did)."""

    text: str
    tokens: int
    quick_shown: int
    deferred_shown: int
    quick_through: str | None
    deferred_through: str | None


def quick_tasks(rows: Iterable[Row], total: int) -> Listed:
    """Quick tasks in full."""
    lines = [
        (quick_line(row["task_key"], row["schedule"], definition_text(row["definition_json"])), row) for row in rows
    ]
    return Listed("Quick Tasks", [(line, row["shelf_key"]) for line, row in lines], total)


def deferred_tasks(rows: Iterable[Row], total: int) -> Listed:
    """Deferred tasks by id, schedule and hash."""
    lines = [(f"- {row['task_key']} ({row['schedule']}) {row['definition_hash']}", row["shelf_key"]) for row in rows]
    return Listed("Deferred Tasks", lines, total, reserved=90)


def pending_tasks(rows: Sequence[Row]) -> Listed:
    """Tasks to be loaded again; there may be more than the :data:`MOST_PENDING` that were asked for."""
    lines = [(f"- {row['task_key']} {row['definition_hash']}", "") for row in rows[: MOST_PENDING - 1]]
    return Listed("Pending Changes", lines, len(rows), reserved=50)


def render(
    user: str, tasks: int, registry_hash: str, synced: str, quick: Listed, deferred: Listed, pending: Listed
) -> Heartbeat:
    """The file; nothing at all when no task is active."""
    active = quick.total + deferred.total
    if not active:
        return Heartbeat("", 0, 0, 0, None, None)
    idle = f", {tasks - active:,} idle" if tasks > active else ""
    head = (
        f"# Heartbeat of {user}\n\n{active:,} tasks{idle}; registry {registry_hash}, synced {synced}. What is due, "
        f"in full: `memory-assets heartbeat due --user {user}`\n"
    )
    spare = BUDGET - count_tokens(head)
    sections, shown = (quick, deferred, pending), list[int]()
    for place, listed in enumerate(sections):
        reserved = sum(later.reserved for later in sections[place + 1 :] if later.total)
        shown.append(_fitting(listed, spare - reserved))
        spare -= count_tokens(_section(listed, shown[place]))
    while True:
        text = head + "".join(map(_section, sections, shown))
        tokens = count_tokens(text)
        if tokens <= BUDGET or not any(shown):
            break
        shown[shown.index(max(shown))] -= 1
    return Heartbeat(text, tokens, shown[0], shown[1], _through(quick, shown[0]), _through(deferred, shown[1]))


def _fitting(listed: Listed, budget: int) -> int:
    """How many lines fit, counted one by one: always the first ones, so that a new task moves few others."""
    used = count_tokens(_section(listed, 0))
    shown = 0
    for line, _ in listed.lines:
        used += count_tokens(line + "\n")
        if used > budget:
            break
        shown += 1
    return shown


def _section(listed: Listed, shown: int) -> str:
    more = [f"- and {listed.total - shown:,} more"] if shown < listed.total else []
    lines = [f"\n## {listed.title}", *(line for line, _ in listed.lines[:shown]), *more]
    return "\n".join(lines) + "\n" if listed.total else ""


def _through(listed: Listed, shown: int) -> str | None:
    """The key of the first line that did not fit: as far as the next rendering has to read, unless lines are gone."""
    return listed.lines[shown][1] if shown < len(listed.lines) else None
