"""HEARTBEAT.md as text within its budget (000, ``LazyHeartbeatLoader``). Pure.

Quick tasks stand in full, the others by id, schedule and hash; then those whose definitions have changed since they
were loaded. What does not fit is a count: every task is reached by ``heartbeat due`` when it is due.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_assets.heartbeat.tasks import quick_line

Counter = Callable[[str], int]

RESERVED_FOR_DEFERRED, RESERVED_FOR_PENDING = 90, 50
"""Tokens that quick tasks leave to the others, where there are any."""

_MORE = "- and {:,} more"


@dataclass(frozen=True)
class Listed:
    """Tasks of a section: lines in order, each with the key by which the next rendering finds them, and how many in
    all.
    """

    lines: Sequence[tuple[str, str]]
    total: int


@dataclass(frozen=True)
class Heartbeat:
    """The text, its tokens, and the keys of the first quick and deferred tasks that did not fit (None: all did)."""

    text: str
    tokens: int
    quick_shown: int
    deferred_shown: int
    quick_through: str | None
    deferred_through: str | None


def quick_tasks(rows: Iterable[Mapping[str, Any]], total: int, text_of: Callable[[str], str]) -> Listed:
    """Quick tasks in full."""
    lines = [(quick_line(row["task_key"], row["schedule"], text_of(row["definition_json"])), row) for row in rows]
    return Listed([(line, row["shelf_key"]) for line, row in lines], total)


def deferred_tasks(rows: Iterable[Mapping[str, Any]], total: int) -> Listed:
    """Deferred tasks by id, schedule and hash."""
    return Listed(
        [(f"- {row['task_key']} ({row['schedule']}) {row['definition_hash']}", row["shelf_key"]) for row in rows], total
    )


def pending_tasks(rows: Sequence[Mapping[str, Any]], limit: int) -> Listed:
    """Tasks to be loaded again; there may be more than the ``limit`` that was asked for."""
    return Listed([(f"- {row['task_key']} {row['definition_hash']}", "") for row in rows[: limit - 1]], len(rows))


def render(
    user: str,
    *,
    tasks: int,
    registry_hash: str,
    synced: str,
    quick: Listed,
    deferred: Listed,
    pending: Listed,
    count_tokens: Counter,
    budget: int,
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
    spare = budget - count_tokens(head)
    reserved = RESERVED_FOR_DEFERRED * bool(deferred.total) + RESERVED_FOR_PENDING * bool(pending.total)
    sections: list[tuple[str, Listed, int]] = []
    for title, listed, reserve in (
        ("Quick Tasks", quick, reserved),
        ("Deferred Tasks", deferred, RESERVED_FOR_PENDING * bool(pending.total)),
        ("Pending Changes", pending, 0),
    ):
        shown = _fitting(title, listed, spare - reserve, count_tokens)
        spare -= count_tokens(_section(title, listed, shown))
        sections.append((title, listed, shown))
    while True:
        text = head + "".join(_section(*section) for section in sections)
        tokens = count_tokens(text)
        if tokens <= budget or not any(shown for _, _, shown in sections):
            break
        fullest = max(range(len(sections)), key=lambda place: sections[place][2])
        title, listed, shown = sections[fullest]
        sections[fullest] = (title, listed, shown - 1)
    (_, _, quick_shown), (_, _, deferred_shown), _ = sections
    return Heartbeat(
        text=text,
        tokens=tokens,
        quick_shown=quick_shown,
        deferred_shown=deferred_shown,
        quick_through=_through(quick, quick_shown),
        deferred_through=_through(deferred, deferred_shown),
    )


def _fitting(title: str, listed: Listed, budget: int, count_tokens: Counter) -> int:
    """How many lines fit, counted one by one: always the first ones, so that a new task moves few others."""
    used = count_tokens(_section(title, Listed([], listed.total), 0)) if listed.total else 0
    shown = 0
    for line, _ in listed.lines:
        used += count_tokens(line + "\n")
        if used > budget:
            break
        shown += 1
    return shown


def _section(title: str, listed: Listed, shown: int) -> str:
    return "\n".join(_section_lines(title, listed, shown)) + "\n" if listed.total else ""


def _section_lines(title: str, listed: Listed, shown: int) -> Iterator[str]:
    yield f"\n## {title}"
    yield from (line for line, _ in listed.lines[:shown])
    if shown < listed.total:
        yield _MORE.format(listed.total - shown)


def _through(listed: Listed, shown: int) -> str | None:
    """The key of the first line that did not fit: as far as the next rendering has to read, unless lines are gone."""
    return listed.lines[shown][1] if shown < len(listed.lines) else None
