"""What time alone changes in a file: tasks whose day passes, and sources that are recent no longer. Pure.

All of it is by whole UTC days of the clock, never by when a run happens or what has arrived since. A task that
names its day ("by 20 November", "on Friday") is open until that day ends, overdue for a week, and then leaves the
file. One that names none counts as open for some weeks; then it says what somebody meant to do, and is among the
insights.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum

from memory_assets.llm.local.days import coming_weekdays, days_in, next_weekday

OVERDUE_DAYS = 7
"""So long a task whose day has passed is shown as overdue."""
RECENT_DAYS = 30
"""So long a source is recent context."""
UNDATED_TASK_DAYS = 21
OTHERS_UNDATED_TASK_DAYS = 10
"""So long an undated task counts as open: the owner's own, and what others said that they or one would do."""

DAY_PASSED, NOT_RECENT = "its day passed", "no longer recent"
"""Why a task, or a source, is in the file no more, before the day."""

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WHEN = re.compile(
    r"\b(?:(?P<now>today|tonight|this (?:morning|afternoon|evening))|(?P<next_day>tomorrow)"
    r"|(?<!every )(?<!each )(?P<next>next )?(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|(?P<side>this|next) (?P<unit>week|month)(?:end)?|in (?P<weeks>a|one|two) weeks?)\b",
    re.I,
)
_SINCE = re.compile(
    r"\b(?:since|seit|desde|depuis)(?: (?!(?:by|on|until|before|please)\b)[\w.'’/-]+){1,3}(?:, \d{4})?", re.I
)
"""A day from which on something was is none by which a thing is to be done."""
_LATEST = date.max - timedelta(days=366)


class State(Enum):
    """What a task or a source is on a day."""

    OPEN = "open"
    OVERDUE = "overdue"
    PASSED = "passed"
    """It has no place in the file any more."""
    INSIGHT = "insight"
    """It says what was to be done, and is no task any more."""


@dataclass(frozen=True)
class End:
    """The last day on which a task is open or a source recent, and what it is ``then``: overdue first if ``is_due``."""

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
    """Until when a task that was said on a day is open; None where nothing shows it."""
    text = _SINCE.sub(" ", text)
    if (end := due_on(days_in(text, said))) is not None or said is None:
        return end
    if meant := [*(_last_day(match, said) for match in _WHEN.finditer(text)), *coming_weekdays(text, said)]:
        return End(max(meant), is_due=True)
    return End(said + timedelta(days=UNDATED_TASK_DAYS if is_own else OTHERS_UNDATED_TASK_DAYS), State.INSIGHT)


def due_on(named: Sequence[date]) -> End | None:
    """The end of a task that names these days; None where it names none."""
    return End(min(max(named), _LATEST), is_due=True) if named else None


def _last_day(match: re.Match[str], said: date) -> date:
    """The last day that is meant by words like "on Friday", "next week" and "this month"."""
    if match["now"] or match["next_day"]:
        return said + timedelta(days=1 if match["next_day"] else 0)
    if match["weekday"]:
        return next_weekday(_DAYS.index(match["weekday"][:3].lower()), said) + timedelta(days=7 if match["next"] else 0)
    if match["weeks"]:
        return said + timedelta(days=14 if match["weeks"].lower() == "two" else 7)
    is_next = match["side"].lower() == "next"
    if match["unit"].lower() == "week":
        return said + timedelta(days=6 - said.weekday() + (7 if is_next else 0))
    year, month = divmod(said.year * 12 + said.month + is_next, 12)
    return date(year, month + 1, 1) - timedelta(days=1)


def recent_through(day: date | None) -> End | None:
    """Until when a source of a day is recent; None for one of an unknown day."""
    return None if day is None else End(day + timedelta(days=RECENT_DAYS))


def next_change(days: Iterable[date], today: date) -> date | None:
    """The first of the days on which something changes that is still to come."""
    return min((day for day in days if day > today), default=None)
