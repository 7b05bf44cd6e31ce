"""When a task is due: cron expressions and intervals, in UTC. Pure.

A slot is an instant at which a task should run. The next one is the first after a given instant: for an interval that
instant plus the interval, for a cron expression its first match.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import pytimeparse2
from cronsim import CronSim, CronSimError

FORMS = "a cron expression of five fields such as '0 9 * * 1' (in UTC), or an interval such as 'every 2 hours'"
LONGEST = timedelta(days=3660)

_NAMED = {
    "hourly": "0 * * * *",
    "daily": "0 0 * * *",
    "nightly": "0 3 * * *",
    "weekly": "0 0 * * 1",
    "monthly": "0 0 1 * *",
    "yearly": "0 0 1 1 *",
    "annually": "0 0 1 1 *",
    "every month": "0 0 1 * *",
    "every year": "0 0 1 1 *",
}
_DAYS = {name: number for number, name in enumerate(("sun", "mon", "tue", "wed", "thu", "fri", "sat"))}
_HOURS = {"morning": 9, "afternoon": 15, "evening": 19, "night": 21}
_GROUPS = {"day": "*", "weekday": "1-5", "workday": "1-5", "weekend": "0,6"} | dict.fromkeys(_HOURS, "*")
# "Every evening at 7" is 19:00; "every night at 2" is 2:00.
_LATE_FROM = {"afternoon": 1, "evening": 1, "night": 6}
_AT = r"(?: (?:at )?(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))? ?(?P<half>am|pm)?(?: ?utc)?)?"
_DAY_NAMES = r"(?:sun|mon|fri)(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:rs|rsday)?|sat(?:urday)?"
_ON_DAYS = re.compile(
    rf"(?:every|each|on) (?P<days>day|weekday|workday|weekend|{'|'.join(_HOURS)}|{_DAY_NAMES})s?{_AT}"
)
_NAMED_AT = re.compile(rf"@?(?P<named>daily|weekly){_AT}")
_SPAN = re.compile(r"\d+ ?(?:s|m|h|d|w|secs?|mins?|hrs?|seconds?|minutes?|hours?|days?|weeks?)")
_EVERY = re.compile(r"every (?P<other>other )?(?P<span>\S.*)")


class ScheduleError(ValueError):
    """A text that is no schedule, and why."""


@dataclass(frozen=True)
class Schedule:
    """A schedule as it was written, and as one of its two kinds: a cron expression or an interval."""

    text: str
    cron: str | None = None
    interval: timedelta | None = None

    def slot_after(self, instant: datetime) -> datetime:
        """The first slot after ``instant``, in UTC."""
        start = instant.astimezone(UTC)
        if self.interval is not None:
            return start + self.interval
        return next(CronSim(self.cron or "", start))


@lru_cache(maxsize=4096)
def parse_schedule(text: str) -> Schedule:
    """The schedule that ``text`` says; raises :class:`ScheduleError` for everything else."""
    words = " ".join(text.split())
    plain = words.casefold().strip("`'\" ")
    if plain.startswith("cron:"):
        plain = plain.removeprefix("cron:").strip("`'\" ")
    if _SPAN.fullmatch(plain):
        plain = f"every {plain}"
    if len(plain.split()) == 5 and not plain.startswith(("every", "each", "on ")):
        return Schedule(words, cron=_checked(plain, words))
    if (cron := _cron_of(plain)) is not None:
        return Schedule(words, cron=_checked(cron, words))
    return Schedule(words, interval=_interval(plain, words))


def _cron_of(plain: str) -> str | None:
    if plain.lstrip("@") in _NAMED:
        return _NAMED[plain.lstrip("@")]
    if match := _NAMED_AT.fullmatch(plain):
        hour, minute = _clock(match, 0)
        return f"{minute} {hour} * * {'1' if match['named'] == 'weekly' else '*'}"
    if plain in ("every day", "each day"):
        return None  # an interval: a day after the last time
    if match := _ON_DAYS.fullmatch(plain):
        day = match["days"]
        hour, minute = _clock(match, _HOURS.get(day, 0))
        if not match["half"] and _LATE_FROM.get(day, 12) <= hour < 12:
            hour += 12
        return f"{minute} {hour} * * {_GROUPS[day] if day in _GROUPS else _DAYS[day[:3]]}"
    return None


def _clock(match: re.Match[str], otherwise: int) -> tuple[int, int]:
    """Hour and minute of a match; an hour of 12 with "am" is midnight."""
    hour = otherwise if match["hour"] is None else int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] == "pm" else 0)
    return hour, int(match["minute"] or 0)


def _checked(cron: str, text: str) -> str:
    try:
        next(CronSim(cron, datetime(2000, 1, 1, tzinfo=UTC)))
    except (CronSimError, StopIteration) as error:
        reason = str(error) or "it never comes"
        raise ScheduleError(f"{text!r} is no schedule ({reason}): write {FORMS}.") from None
    return cron


def _interval(plain: str, text: str) -> timedelta:
    match = _EVERY.fullmatch(plain.removeprefix("@").replace("each ", "every ", 1))
    span = match["span"] if match else ""
    if span and not span[0].isdigit():
        span = f"1 {span}"
    try:
        seconds = pytimeparse2.parse(span.replace(" and ", " ")) if span else None
    except (ValueError, OverflowError):
        seconds = None
    every = seconds * (2 if match and match["other"] else 1) if isinstance(seconds, int | float) else 0
    if not 1 <= every <= LONGEST.total_seconds():
        raise ScheduleError(f"{text!r} is no schedule: write {FORMS}.")
    return timedelta(seconds=every)
