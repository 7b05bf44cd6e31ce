"""Calendar days in text: which ones it names, and its words without them. Pure."""

from __future__ import annotations

import re
from datetime import date

from memory_assets.clock import MONTHS

_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS)
ISO_DAY = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_SPOKEN = re.compile(
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})|(?P<m2>{_MONTH})\.? (?P<d2>\d{{1,2}})(?:st|"
    r"nd|rd|th)?)\b"
    r"(?:,? (?P<year>(?:19|20|21)\d\d)\b)?",
    re.I,
)
_THEN = re.compile(rf"\b(?:last (?!name)\w+|ago|yesterday|(?:back )?then|once|in (?:(?:19|20)\d\d|{_MONTH}))\b", re.I)


def day_of(text: str, said: date | None) -> date | None:
    """The day that a memory is of: a log's line begins with its own ("2026-10-14: The database is ...")."""
    match = ISO_DAY.match(text)
    is_logged = match is not None and text.startswith(": ", match.end())
    own = _date(int(match[1]), int(match[2]), int(match[3])) if match and is_logged else None
    return own if own is not None and (said is None or own <= said) else said


def days_in(text: str, said: date | None) -> list[date]:
    """The calendar days that ``text`` names; without a year, the one nearest to the day it was said."""
    found = []
    for year, month, day in ISO_DAY.findall(text):
        found.append(_date(int(year), int(month), int(day)))
    for match in _SPOKEN.finditer(text):
        name = (match["m1"] or match["m2"])[:3].title()
        month = next(i for i, full in enumerate(MONTHS, 1) if full.startswith(name))
        day = int(match["d1"] or match["d2"])
        if match["year"]:
            found.append(_date(int(match["year"]), month, day))
        elif said is not None:
            near = [_date(said.year + step, month, day) for step in (-1, 0, 1)]
            found.append(min((d for d in near if d), key=lambda d: abs((d - said).days), default=None))
    return [day for day in found if day is not None]


def without_days(text: str) -> str:
    """The text without the calendar days that it names."""
    return _SPOKEN.sub(" ", ISO_DAY.sub(" ", text))


def is_of_then(text: str) -> bool:
    """Whether a text says that it is of a time: "last year", "in June"."""
    return _THEN.search(text) is not None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
