"""What time alone changes in a file: tasks whose day passes, and sources that are recent no longer. Pure.

All of it is by whole UTC days of the clock, never by when a run happens or what has arrived since. A task that
names its day ("by 20 November", "on Friday") is open until that day ends, overdue for a week, and then leaves the
file. One that names none counts as open for some weeks; then it tells what somebody meant to do, and stands among
the insights.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum

from memory_assets.memory_file.validity import days_in

OVERDUE_DAYS = 7
"""So long a task whose day has passed is shown as overdue."""
RECENT_DAYS = 30
"""So long a source is recent context."""
UNDATED_TASK_DAYS = 21
OTHERS_UNDATED_TASK_DAYS = 10
"""So long an undated task counts as open: the owner's own, and what others said that they or one would do."""

DAY_PASSED, NOT_RECENT = "its day passed", "no longer recent"
"""Why a task, or a source, is in the file no more, before the day."""

_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WITHIN_DAYS = re.compile(r"\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening))\b", re.I)
_WITHIN_A_WEEK = re.compile(rf"\b(?:(?<!\bevery )(?<!\beach ){_WEEKDAY}|this week(?:end)?)\b", re.I)
_WITHIN_WEEKS = re.compile(r"\b(?:next week(?:end)?|this month|in (?:a|one|two) weeks?)\b", re.I)
_LATEST = date.max - timedelta(days=366)
_SPANS = ((_WITHIN_DAYS, 2), (_WITHIN_A_WEEK, 8), (_WITHIN_WEEKS, 15))
"""Which words mean at most how many days from when they were said."""


class State(Enum):
    """What a task or a source is on a day."""

    OPEN = "open"
    OVERDUE = "overdue"
    PASSED = "passed"
    """It has no place in the file any more."""
    TOLD = "told"
    """It tells what was to be done, and is no task any more."""


@dataclass(frozen=True)
class End:
    """The last day on which a task is open, or a source recent, and what it is ``then``: overdue for a week first, if
    ``is_due``."""

    last: date
    then: State = State.PASSED
    is_due: bool = False

    def state(self, today: date) -> State:
        """What it is on a day."""
        if today <= self.last:
            return State.OPEN
        return State.OVERDUE if self.is_due and today <= self.last + timedelta(days=OVERDUE_DAYS) else self.then

    def changes(self) -> Iterator[date]:
        """The days on which it becomes something else."""
        yield self.last + timedelta(days=1)
        if self.is_due:
            yield self.last + timedelta(days=OVERDUE_DAYS + 1)


def open_through(text: str, said: date | None, *, is_own: bool = True) -> End | None:
    """Until when a task that was said on a day is open; None where nothing tells."""
    named = days_in(text, said)
    if named:
        return End(min(max(named), _LATEST), is_due=True)
    if said is None:
        return None
    span = next((days for pattern, days in _SPANS if pattern.search(text)), None)
    if span is not None:
        return End(said + timedelta(days=span), is_due=True)
    return End(said + timedelta(days=UNDATED_TASK_DAYS if is_own else OTHERS_UNDATED_TASK_DAYS), State.TOLD)


def recent_through(day: date | None) -> End | None:
    """Until when a source of a day is recent; None for one of an unknown day."""
    return None if day is None else End(day + timedelta(days=RECENT_DAYS))


def next_change(days: Iterable[date], today: date) -> date | None:
    """The first of the days on which something changes that is still to come."""
    return min((day for day in days if day > today), default=None)
