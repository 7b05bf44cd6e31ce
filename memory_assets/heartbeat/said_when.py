"""What words say of when something is to be done again and again: "every 2 hours", "weather at 07:00 daily". Pure.

The first line of a task decides, then the lines around it. "Daily" right before another word ("the daily logs")
describes that word: in a task's own line it counts only where nothing else says when; in a heading ("Daily checks")
it counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from memory_assets.heartbeat.schedules import ScheduleError, parse_schedule

WHEN_FIELD = re.compile(
    r"(?:\*\*)?(?:time|when|schedule|interval|cron|frequency|every|at)(?:\*\*)?:(?:\*\*)? *`?([^`]+)`?$", re.I
)
LONGEST_WHEN = 6
"""Words of a cell or an opening that only says when."""
_SPAN = r"(?:\d+ ?)?(?:other )?(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)"
_TIME = r"\d{1,2}(?::\d{2})? ?(?:am|pm)?"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_OFTEN = "hourly|daily|nightly|weekly|monthly|yearly"
_AFTER_OFTEN = r"(?:and|at|on|in|for|if|unless|until|from|before|after|during|except|when|while|or|via|by|as|to|then)\b"
_BETWEEN = re.compile(r"(?:(?<!\s)\s++)?(?:,|、|&|/|\band\b|和)\s*+")
_ONE_TIME = r"(?:\d{1,2}[:：]\d{2}(?: ?[ap]m)?|\d{1,2} ?[ap]m)"
_TIMES = rf"{_ONE_TIME}(?:\s{{0,3}}(?:,|、|&|/|\band\b|和)\s{{0,3}}{_ONE_TIME}){{1,11}}"
_UNITS = dict(zip("分小时天日周星月", "minute hour hour day day week week month".split(), strict=True))


def _times(match: re.Match[str]) -> str:
    """ "Daily at 9:00 and 21:00" as one cron expression, where the minute is the same."""
    days = (f"every day at {part.replace('：', ':').strip()}" for part in _BETWEEN.split(match[1] or match[2]))
    times = [(parse_schedule(day).cron or "").split() for day in days]
    hours = sorted({int(hour) for _, hour, *_ in times})
    return f"{times[0][0]} {','.join(map(str, hours))} * * *" if len({minute for minute, *_ in times}) == 1 else ""


_EACH_DAY = r"(?:daily|nightly|(?:every|each) day)"
# Forms of a schedule within words, the surest first, each with what its match is as a schedule.
_WHEN: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(form, re.I), written)
    for form, written in (
        (
            r"(?<![\d*/,\-])((?:[\d*][\d*/,\-]{0,60}\s{1,8}){4}(?:[\d*][\d*/,\-]*|[A-Z]{3}(?:-[A-Z]{3})?))",
            r"\1",
        ),
        (
            rf"(?:\b(?:{_EACH_DAY}|(?:twice|three times) (?:a|per) day)(?: at)?|每[天日])[\s,:：(]{{0,3}}({_TIMES})|"
            rf"\b({_TIMES}) {_EACH_DAY}\b",
            _times,
        ),
        (r"每[天日]\s{0,3}(?:早上|上午)?\s{0,3}(\d{1,2})[:：](\d{2})", r"every day at \1:\2"),
        (
            r"\b((?:every|each|on) (?:weekdays?|workdays?|weekends?|mornings?|afternoons?|evenings?|nights?|days?|"
            rf"{_DAY}s?)(?: at {_TIME}| \d{{1,2}}:\d{{2}}(?: ?(?:am|pm))?)?)\b",
            r"\1",
        ),
        (rf"\b(every {_SPAN})\b", r"\1"),
        (r"\bevery (\d+) ?[-–] ?\d+ (minutes?|mins?|hours?|hrs?|days?|weeks?)\b", r"every \1 \2"),
        (r"\bevery (\d+) ?(m|h|d|w)\b", r"every \1\2"),
        (rf"\b(?:at )?(\d{{1,2}}:\d{{2}}(?: ?[ap]m)?|\d{{1,2}} ?[ap]m) {_EACH_DAY}\b", r"every day at \1"),
        (rf"\b((?:{_OFTEN})(?: at {_TIME})?)\b(?!(?:-\w| (?!{_AFTER_OFTEN})[^\W\d_]))", r"\1"),
        (r"\b(?:once|1x|one time) (?:per|a|an|every|each) (hour|day|week|month)\b", r"every \1"),
        (rf"\b({_DAY})s?,? (?:at )?(\d{{1,2}}(?::\d{{2}})? ?(?:am|pm)|\d{{1,2}}:\d{{2}})\b", r"on \1 at \2"),
        (rf"\b({_DAY})s\b", r"on \1"),
        (
            r"每隔?\s*+(\d*+)\s*+个?\s*+(分钟|小时|时|天|日|周|星期|月)",
            lambda match: f"every {match[1]} {_UNITS[match[2][0]]}{'s' if match[1] else ''}",
        ),
    )
)
# "Review the daily logs" is about logs; it says when only where nothing else does.
_OFTEN_OF_SOMETHING = re.compile(rf"\b(?:{_OFTEN})\b", re.I)
# "Morning check (8:00 AM)", "Evening 18:30".
_AT_A_TIME = re.compile(
    r"\b(?:morning|noon|midday|afternoon|evening|night)\b.{0,80}?\b(\d{1,2}:\d{2}(?: ?[ap]m)?|\d{1,2} ?[ap]m)\b|"
    r"\((?:at )?(\d{1,2}:\d{2}(?: ?[ap]m)?|\d{1,2} ?[ap]m)\)$",
    re.I,
)
_ON_A_DAY = re.compile(rf"\bweekly\b[^()]{{0,80}}\((?:on )?({_DAY})s?\)", re.I)
_TIME_OF_DAY = re.compile(rf"\b{_ONE_TIME}\b", re.I)
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_SAYS_WHEN = re.compile(rf"(?:\*\*)?(?:every|each|on|once|at|{_OFTEN}|{_DAY}s?)\b", re.I)


def schedule_of(first: str, around: Iterable[str], otherwise: str) -> str:
    """The schedule that a task's first line says, else the first one around it, else ``otherwise``."""
    of_something = _OFTEN_OF_SOMETHING.search(first)
    found = [said_when(first), *map(when_of_heading, around), of_something and of_something[0].lower()]
    return next((said for said in found if said is not None), otherwise)


def when_of_heading(text: str) -> str | None:
    """What a heading says of when: "Daily checks" is a schedule there, "Weekly summary (Sunday)" names its day."""
    of_something, at, day = _OFTEN_OF_SOMETHING.search(text), _AT_A_TIME.search(text), _ON_A_DAY.search(text)
    by_time = said_when(f"every day at {at[1] or at[2]}") if at else None
    time = _TIME_OF_DAY.search(text) if day else None
    by_day = said_when(f"on {day[1]} at {time[0]}" if time else f"on {day[1]}") if day else None
    return by_day or said_when(text) or by_time or (of_something[0].lower() if of_something else None)


def said_when(text: str) -> str | None:
    """The first schedule that a text says, in a form that :func:`parse_schedule` knows."""
    for form, written in _WHEN:
        for match in form.finditer(text):
            try:
                said = written(match) if callable(written) else match.expand(written)
                return parse_schedule(said).text
            except ScheduleError:
                continue
    return None


def said_in_field(line: str) -> str | None:
    """What a field such as "Time: 08:00" or "every: 2 hours" says of when; None for any other line."""
    field = WHEN_FIELD.match(line)
    said = map(said_when, (field[1], f"every {field[1]}", f"every day at {field[1]}")) if field else ()
    return next(filter(None, said), None)


def without_when(text: str) -> str:
    """A text's other words, without what says when and the signs at their edges."""
    for form in (*(form for form, _ in _WHEN), _OFTEN_OF_SOMETHING, _TIME_OF_DAY):
        text = form.sub(" ", text)
    return _EDGES.sub("", " ".join(text.split()))


def begins_with_when(body: str) -> bool:
    """Whether a paragraph is a task though it is no item: "Every Friday at 17:00, write the summary." """
    begins, _, rest = body.partition("\n")[0].replace(", ", ": ", 1).partition(": ")
    said = said_when(begins)
    return (
        said is not None
        and len(rest.split()) > 1
        and len(begins.split()) <= LONGEST_WHEN
        and _SAYS_WHEN.match(begins) is not None
    )
