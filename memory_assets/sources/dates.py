"""Reading instants from what people and programs write; pure. What cannot be read is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, time
from email.utils import parsedate_to_datetime

from memory_assets.clock import in_utc
from memory_assets.llm.local.days import days_in, weekday_of, without_days
from memory_assets.llm.local.language import ENGLISH, WITH_ABBREVIATIONS

FIRST_YEAR, LAST_YEAR = 1900, 2199
_DAY_SECONDS = 86_400

_IN_NAME = re.compile(r"(?<!\d)((?:19|20|21)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
# What RFC 5322 does not name and programs write all the same; names that mean several zones are left out.
_ZONES = {
    "WET": "+0000", "WEST": "+0100", "BST": "+0100", "CET": "+0100", "MET": "+0100", "MEZ": "+0100", "CEST": "+0200",
    "MEST": "+0200", "MESZ": "+0200", "EET": "+0200", "EEST": "+0300", "MSK": "+0300", "SGT": "+0800", "HKT": "+0800",
    "JST": "+0900", "KST": "+0900", "AEST": "+1000", "AEDT": "+1100", "NZST": "+1200", "NZDT": "+1300",
}  # fmt: skip
_ZONE = re.compile(r"(?<=\d )([A-Z]{3,4})$")
_COMMENT = re.compile(r"\([^()]{0,80}\)")
_HALF_DAY = re.compile(r"\b(\d{1,2})(:\d{2}(?::\d{2})?)[ \u202f]?([AaPp])\.?[Mm]\b\.?")
_YEAR_ZERO = re.compile(r"[A-Za-z]{3}[ -]+0\d{3}\b")
_YEAR_FIRST = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})")


def within_bounds(instant: datetime | None) -> datetime | None:
    """``instant`` in UTC with whole milliseconds, or None when its year cannot be meant."""
    if instant is None:
        return None
    try:
        aware = in_utc(instant)
    except (OverflowError, ValueError):
        return None
    if not FIRST_YEAR <= aware.year <= LAST_YEAR:
        return None
    return aware.replace(microsecond=aware.microsecond // 1000 * 1000)


def parse_instant(value: object) -> datetime | None:
    """ISO 8601 text, or seconds or milliseconds since 1970; a time without an offset is UTC."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return from_epoch(value)
    if not isinstance(value, str) or not 8 <= len(value.strip()) <= 64:
        return None
    try:
        return within_bounds(datetime.fromisoformat(value.strip()))
    except ValueError:
        return None


def from_epoch(value: object) -> datetime | None:
    """Seconds (or, from the year 5138 on, milliseconds) since 1970, as number or text."""
    try:
        seconds = float(value)  # type: ignore[arg-type]
        if abs(seconds) >= 1e11:
            seconds /= 1000
        return within_bounds(datetime.fromtimestamp(seconds, UTC))
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def parse_mail_date(value: str) -> datetime | None:
    """An RFC 5322 date as mail programs write it, however badly. A year before 1000 is no year of this century,
    and the first day of 1970 is a clock that was never set."""
    text = _HALF_DAY.sub(_whole_day, _COMMENT.sub(" ", value[:200]).strip())
    if _YEAR_ZERO.search(text):
        return None
    text = _ZONE.sub(lambda match: _ZONES.get(match[1], match[1]), text)
    try:
        found = within_bounds(parsedate_to_datetime(text))
    except (TypeError, ValueError, IndexError, OverflowError):
        found = parse_instant(value)
    return None if found is not None and abs(found.timestamp()) < _DAY_SECONDS else found


def _whole_day(match: re.Match[str]) -> str:
    """An hour of a half day, as one of the whole; an hour that no half day has stays as it is."""
    hour = int(match[1])
    if not 1 <= hour <= 12:
        return match[1] + match[2]
    return f"{hour % 12 + (12 if match[3] in 'Pp' else 0):02d}{match[2]}"


def parse_written_date(value: str) -> datetime | None:
    """A date in a header line of a transcript or note: ISO, or a day as it is written in one of the languages that are
    read, perhaps with its weekday, and nothing else.
    """
    text = value.strip().strip("\"'")[:80]
    if match := _YEAR_FIRST.fullmatch(text):
        text = "-".join(part.zfill(2) for part in match.groups())
    if (found := parse_instant(text)) is not None:
        return found
    days, rest = days_in(text, None), without_days(text, "").strip(" ,.")
    is_alone = not rest or any(weekday_of(rest, language) is not None for language in (ENGLISH, *WITH_ABBREVIATIONS))
    return within_bounds(datetime.combine(days[0], time(), UTC)) if len(days) == 1 and is_alone else None


def chat_days(stamps: Iterable[tuple[str, str, str, str]], *, has_am_pm: bool) -> list[datetime]:
    """The days of a messenger's export from its stamps: first number, sign, second number, year of 2 or 4 digits; a
    number of four digits is the year, and the last one the day.

    Which number is the day is decided by one above 12, by the days' going on, by a point between them (day first) or by
    "AM" (month first); where nothing decides, the days are unknown: none, or the first alone where that is the same.
    """
    orders: dict[bool, list[datetime]] = {True: [], False: []}
    signs: set[str] = set()
    for first, sign, second, year in stamps:
        signs.add(sign)
        for day_first, days in orders.items():
            day, month = (first, second) if day_first else (second, first)
            if len(first) == 4:
                day, month, year = year, second, first
            try:
                days.append(datetime(int(year) + (2000 if len(year) == 2 else 0), int(month), int(day), tzinfo=UTC))
            except ValueError:
                days.append(datetime.max.replace(tzinfo=UTC))
    fits = [
        day_first for day_first, days in orders.items() if days and days == sorted(days) and days[-1].year <= LAST_YEAR
    ]
    if len(fits) == 2 and orders[True] != orders[False]:
        decided = [True] if signs == {"."} else [False] if has_am_pm else []
        if not decided and orders[True][0] == orders[False][0]:
            return orders[True][:1]
        fits = decided
    return orders[fits[0]] if fits and within_bounds(orders[fits[0]][0]) else []


def date_in_name(name: str) -> datetime | None:
    """The day in a file's name, ``YYYY-MM-DD`` or ``YYYYMMDD``: the first one that exists."""
    for match in _IN_NAME.finditer(name):
        try:
            return datetime(int(match[1]), int(match[3]), int(match[4]), tzinfo=UTC)
        except ValueError:
            continue
    return None
