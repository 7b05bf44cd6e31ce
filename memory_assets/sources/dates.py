"""Reading instants from what people and programs write; pure. What cannot be read is unknown."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_YEAR, LAST_YEAR = 1900, 2199

_WRITTEN = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%b %d %Y", "%Y/%m/%d", "%d.%m.%Y")
_IN_NAME = re.compile(r"(?<!\d)((?:19|20|21)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR_ZERO = re.compile(r"[A-Za-z]{3}[ -]+0\d{3}\b")
_ORDINAL = re.compile(r"(?<=\d)(st|nd|rd|th)\b", re.IGNORECASE)


def within_bounds(instant: datetime | None) -> datetime | None:
    """``instant`` in UTC with whole milliseconds, or None when its year cannot be meant."""
    if instant is None:
        return None
    try:
        aware = instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
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
    """An RFC 5322 date as mail programs write it, however badly. A year before 1000 is no year of this century."""
    if _YEAR_ZERO.search(value[:200]):
        return None
    try:
        return within_bounds(parsedate_to_datetime(value.strip()[:200]))
    except (TypeError, ValueError, IndexError, OverflowError):
        return parse_instant(value)


def parse_written_date(value: str) -> datetime | None:
    """A date in a header line of a transcript or note: ISO, or day, month name and year."""
    text = _ORDINAL.sub("", value.strip().strip("\"'")[:80])
    found = parse_instant(text)
    if found is not None:
        return found
    for pattern in _WRITTEN:
        try:
            return within_bounds(datetime.strptime(text, pattern))
        except ValueError:
            continue
    return None


def date_in_name(name: str) -> datetime | None:
    """The day in a file's name, ``YYYY-MM-DD`` or ``YYYYMMDD``: the first one that exists."""
    for match in _IN_NAME.finditer(name):
        try:
            return datetime(int(match[1]), int(match[3]), int(match[4]), tzinfo=UTC)
        except ValueError:
            continue
    return None
