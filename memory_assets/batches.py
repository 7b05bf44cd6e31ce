"""Work in the order of events, in batches that are bounded by number and by size. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from memory_assets.clock import to_iso

T = TypeVar("T")

TOKENS_PER_BATCH = 60_000
"""How much text the sources of one batch have together: about 2,000 statements of a chat, some 10 MB in a
transaction.
"""


def in_batches(
    things: Sequence[T], most: int, size_of: Callable[[T], int], largest: int = TOKENS_PER_BATCH
) -> Iterator[Sequence[T]]:
    """``things`` in order, at most ``most`` and ``largest`` of their sizes in a batch; a larger thing is one."""
    start, filled = 0, 0
    for place, thing in enumerate(things):
        size = size_of(thing)
        if place > start and (place - start >= most or filled + size > largest):
            yield things[start:place]
            start, filled = place, 0
        filled += size
    if start < len(things):
        yield things[start:]


def event_order(source: Mapping[str, Any]) -> tuple[bool, str, str]:
    """What sorts sources by their events; unknown times last, of one instant by id."""
    return source["started_at"] is None, to_iso(source["started_at"]) or "", source["id"]


def is_within(at: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    """Whether an event lies in a window; an unknown time lies in none but the open one."""
    if since is None and until is None:
        return True
    return at is not None and (since is None or at >= since) and (until is None or at < until)
