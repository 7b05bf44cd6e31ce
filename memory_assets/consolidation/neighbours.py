"""Which sources a source may meet in a cluster: what names the same, is alike, and happened near it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import numpy as np

from memory_assets.clock import END_OF_TIME, day_of
from memory_assets.consolidation.policy import RULES
from memory_assets.graph.statements import in_parts

REACH = RULES.recent * RULES.farthest
"""No further apart are a source and those of a group that it is compared with to join it."""
EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2199, 12, 31, tzinfo=UTC)
"""Between these lies every instant that is stored."""
A_DAY = timedelta(days=1)
AT_ONCE = 1000
"""So many are compared with all others at once."""
ROUNDING = 1e-6
"""What rounding may add to a likeness."""


@dataclass(frozen=True)
class Placed:
    """What groups follow from, of a source: when it happened, whom and what it names, and its vector as in
    :class:`~memory_assets.consolidation.policy.Episode`.
    """

    id: str
    started_at: datetime | None
    anchors: frozenset[str]
    vector: np.ndarray | None = field(default=None, compare=False, repr=False)


def neighbours_of(some: Sequence[Placed], others: Sequence[Placed]) -> list[Placed]:
    """Those of the others that one of these may meet in a group.

    A source joins a group of which all name what it names, too, and one of the last is as alike as what is near must
    be: none of those is further away than :data:`REACH`. So what no chain of such pairs leads to changes nothing for
    the groups of these.
    """
    width = max((len(one.vector) for one in (*some, *others) if one.vector is not None), default=1)
    mine, found = _table(some, width), list[Placed]()
    for part in in_parts(others, AT_ONCE):
        # Of what has no vector nothing is known: anything may be like it.
        is_alike = ~(_table(part, width) @ mine.T < RULES.likeness[0] - ROUNDING)
        for one, near in zip(part, is_alike, strict=True):
            if any(_may_meet(one, some[int(place)]) for place in np.flatnonzero(near)):
                found.append(one)
    return found


def _table(some: Sequence[Placed], width: int) -> np.ndarray:
    unknown = np.full(width, np.nan)
    return np.array([unknown if one.vector is None else one.vector for one in some])


def _may_meet(one: Placed, other: Placed) -> bool:
    """Whether two name the same, and are near enough; unknown times part nothing."""
    if one.anchors.isdisjoint(other.anchors):
        return False
    # Of what has rested the day alone is known.
    return not one.started_at or not other.started_at or abs(one.started_at - other.started_at) <= REACH + A_DAY


def months_around(times: Iterable[datetime | None]) -> set[int]:
    """The months, counted from the year 0, in which what is within :data:`REACH` of these has happened; with the one of
    what has no time, whose neighbours are in any.
    """
    found = {_month(END_OF_TIME.date())}
    for at in times:
        around = (at - REACH, at + REACH) if at else (EARLIEST, LATEST)
        first, last = (_month(day_of(end)) for end in around)
        found |= set(range(first, last + 1))
    return found


def spans_of(months: Iterable[int]) -> list[tuple[date, date | None]]:
    """Months that follow each other as spans, each with its first day and that of the month behind it; None where
    there is none.
    """
    spans: list[list[int]] = []
    for month in sorted(months):
        if spans and spans[-1][1] == month:
            spans[-1][1] = month + 1
        else:
            spans.append([month, month + 1])
    return [(_first_day(first), _first_day(after) if after <= _month(date.max) else None) for first, after in spans]


def _month(day: date) -> int:
    return day.year * 12 + day.month - 1


def _first_day(month: int) -> date:
    return date(month // 12, month % 12 + 1, 1)
