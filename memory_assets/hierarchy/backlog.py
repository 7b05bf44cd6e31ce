"""What a run names of all that is due: the oldest first, within the specification's limit per run. Pure.

004 limits each night to a hundred storylines and each week to fifty macros: what a run may cost, not what a person
may have. What is beyond the limit stays due, and the next run goes on with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import BaseModel


@dataclass(frozen=True)
class Wanted:
    """A memory that the sources make up, what a model would be asked to name it, and how long that has been due."""

    id: str
    fingerprint: str
    request: BaseModel
    anchor_id: str
    since: datetime | None
    """The first event's time."""


def oldest_first(due: Iterable[Wanted], most: int | None) -> tuple[list[Wanted], list[Wanted]]:
    """What is named now, at most ``most``, and what is left for the next run.

    Memories of one anchor go together: sources may have passed from one of them to another, and none may be in two.
    """
    anchors: dict[str, list[Wanted]] = {}
    for item in sorted(due, key=_age):
        anchors.setdefault(item.anchor_id, []).append(item)
    now: list[Wanted] = []
    left: list[Wanted] = []
    for items in anchors.values():
        fits = most is None or len(now) + len(items) <= most or (not now and not left)
        (now if fits and not left else left).extend(items)
    return now, left


def _age(item: Wanted) -> tuple[bool, datetime, str]:
    return item.since is None, item.since or datetime.max.replace(tzinfo=UTC), item.id
