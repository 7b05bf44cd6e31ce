"""Which context follows which, and what is part of what (000, Enhanced CompressedContext Node: FOLLOWS, parents). Pure.

What the set of a user's extracted sources implies, and no order of their coming:

- A source follows the one before it, by the event's time, in its thread of mails, its channel, its conversation or its
  file. One whose time is unknown follows nothing.
- A mail is part of the one it answers; a thread in a channel is part of the channel's day on which it began.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from memory_assets.clock import day_of
from memory_assets.compression.policy import FULL, SUMMARY, context_id
from memory_assets.model import SourceType, fingerprint


@dataclass(frozen=True)
class Head:
    """A source as its place among the others is decided."""

    id: str
    owner: str
    source_type: str
    started_at: datetime | None = None
    thread_id: str | None = None
    conversation_id: str | None = None
    channel: str | None = None
    path: str | None = None
    replies_to: str | None = None
    """The id of the mail that it answers."""


@dataclass(frozen=True)
class Place:
    """The place of a source's full context: the ids of the context before it, of its parent and of its children."""

    id: str
    previous: str | None
    parent: str | None
    children: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Another one whenever the place is."""
        return fingerprint(self.previous, self.parent, *self.children)


def arrange(user: str, heads: Iterable[Head], with_summary: Iterable[str]) -> dict[str, Place]:
    """The place of each source by its id; a context's first child is its own summary, where it has one."""
    known = {head.id: head for head in heads}
    summarised = set(with_summary)
    before = _before(known.values())
    parents = _parents(known)
    parts: dict[str, list[str]] = defaultdict(list)
    for part, whole in parents.items():
        parts[whole].append(part)

    def full(key: str | None) -> str | None:
        return None if key is None else context_id(user, key, FULL)

    found = {}
    for key in sorted(known):
        below = [context_id(user, key, SUMMARY)] if key in summarised else []
        below += sorted(context_id(user, part, FULL) for part in parts[key])
        found[key] = Place(context_id(user, key, FULL), full(before.get(key)), full(parents.get(key)), tuple(below))
    return found


def series_of(head: Head) -> tuple[str, str, str] | None:
    """What a source goes on with, by owner, kind and name; None where it goes on with nothing."""
    if head.source_type == SourceType.EMAIL:
        return (head.owner, "thread", head.thread_id) if head.thread_id else None
    if head.channel:
        return head.owner, "channel", head.channel
    if head.path:
        return head.owner, "file", head.path
    if head.conversation_id or head.thread_id:
        return head.owner, "conversation", head.conversation_id or head.thread_id or ""
    return None


def _before(heads: Iterable[Head]) -> dict[str, str]:
    series: dict[tuple[str, ...], list[tuple[datetime, str]]] = defaultdict(list)
    for head in heads:
        key = series_of(head)
        if key is not None and head.started_at is not None:
            series[key].append((head.started_at.astimezone(UTC), head.id))
    before: dict[str, str] = {}
    for found in map(sorted, series.values()):
        before |= {later: earlier for (_, earlier), (_, later) in zip(found[:-1], found[1:], strict=True)}
    return before


def _parents(known: Mapping[str, Head]) -> dict[str, str]:
    days: dict[tuple[object, ...], str] = {}
    for head in known.values():
        if head.channel and not head.thread_id and head.started_at is not None:
            day = (head.owner, head.channel, day_of(head.started_at))
            days[day] = min(head.id, days.get(day, head.id))
    parents: dict[str, str] = {}
    for head in known.values():
        if head.replies_to is not None and head.replies_to in known and head.replies_to != head.id:
            parents[head.id] = head.replies_to
        elif head.channel and head.thread_id and head.started_at is not None:
            whole = days.get((head.owner, head.channel, day_of(head.started_at)))
            if whole is not None:
                parents[head.id] = whole
    return parents
