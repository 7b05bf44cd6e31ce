"""Which date a memory means by "yesterday" or "last month", from the day on which it was said. Pure.

Only what names one day, month or year counts: "last week" and "next Friday" may be meant in two ways, and stay as
they are; so do "the last month", "my last night there", "1.5 years ago" and "half a year ago". A year is written
where it is another one than the day's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from memory_assets.clock import MONTHS

MOST_NOTES = 2
"""Of one memory: the first ones in it."""

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
NUMBERS = {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}
_NUMBER = rf"(?P<number>a|\d{{1,2}}|{'|'.join(NUMBERS)})"
# "The last month" is a span, "my last night" the last of something. ("I met her last Friday" is not.)
_OF_SOMETHING = re.compile(r"(?:\b(?:the|every|my|your|his|our|their|its)|['’]s) $", re.I)
# A part of another number, or one of two of them.
_NOT_WHOLE = re.compile(
    rf"(?:\b(?:half|hundred|(?:{'|'.join(NUMBERS)}|\d+)(?: or| to)?|few|twenty|thirty|forty|fifty|sixty|seventy|"
    "eighty|ninety) |"
    r"\w[-–/]|\d[.,])$",
    re.I,
)
_WORDS = ("sat", "sun", "wed")
"""Short names of days that are words: "we last sat there"."""
_RELATIVE = re.compile(
    rf"\b(?:(?P<day>yesterday|last night|tomorrow)"
    rf"|last (?P<weekday>(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)"
    rf"|(?P<side>last|next) (?P<unit>month|year)"
    rf"|{_NUMBER} (?P<ago>day|month|year)s? ago)\b",
    re.I,
)
_BEFORE = 20
"""Characters before it in which is looked for those words."""
_DATE = rf"(?:(?:\d{{1,2}} )?(?:{'|'.join(MONTHS)})(?: \d{{4}})?|\d{{4}})"
_NOTE = rf"[A-Za-z\d]+(?: [A-Za-z\d]+){{0,2}} = {_DATE}"
OVERDUE = "overdue"
"""How a line says of a task that its day has passed."""
NOTES = rf" \((?:{OVERDUE}|(?:{OVERDUE}, )?{_NOTE}(?:, {_NOTE})*)\)"
"""The form of what :func:`render_notes` writes, as a pattern without groups."""


def notes_of(text: str, said: date | None) -> tuple[tuple[str, str], ...]:
    """The relative times in ``text``, as they are written, with the dates they mean; nothing of an unknown day."""
    found: dict[str, tuple[str, str]] = {}
    if said is not None:
        for words, meant in _meant(text, said):
            if len(found) < MOST_NOTES:
                found.setdefault(words.casefold(), (words, meant))
    return tuple(found.values())


def render_notes(notes: tuple[tuple[str, str], ...], *, is_overdue: bool = False) -> str:
    """The notes as they are written behind the words of a line: `` (yesterday = 7 May)``, `` (overdue)``."""
    rendered: dict[tuple[str, str], str] = {("", ""): OVERDUE} if is_overdue else {}
    for words, meant in notes:
        rendered.setdefault((words.casefold(), meant), f"{words} = {meant}")
    return f" ({', '.join(rendered.values())})" if rendered else ""


def _meant(text: str, said: date) -> Iterator[tuple[str, str]]:
    for match in _RELATIVE.finditer(text):
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if (_NOT_WHOLE if match["ago"] else _OF_SOMETHING).search(before) or match["weekday"] in _WORDS:
            continue
        try:
            meant = _one(match, said)
        except (ValueError, OverflowError):  # before the calendar's first day, or behind its last one
            continue
        if meant:
            yield " ".join(match[0].split()), meant


def _one(match: re.Match[str], said: date) -> str | None:
    if match["day"]:
        return _day(said + timedelta(days=1 if match["day"].lower() == "tomorrow" else -1), said)
    if match["weekday"]:
        back = (said.weekday() - _DAYS.index(match["weekday"][:3].lower()) - 1) % 7 + 1
        return _day(said - timedelta(days=back), said)
    if match["unit"]:
        number, unit = (1 if match["side"].lower() == "next" else -1), match["unit"].lower()
    else:
        written, unit = match["number"].lower(), match["ago"].lower()
        number = -(1 if written == "a" else NUMBERS.get(written) or int(written))
    if unit == "day":
        return _day(said + timedelta(days=number), said)
    if unit == "year":
        return f"{date(said.year + number, 1, 1).year:04d}"
    year, month = divmod(said.year * 12 + said.month - 1 + number, 12)
    return f"{MONTHS[month]}{_year(date(year, month + 1, 1), said)}"


def _day(meant: date, said: date) -> str:
    return f"{meant.day} {MONTHS[meant.month - 1]}{_year(meant, said)}"


def _year(meant: date, said: date) -> str:
    return "" if meant.year == said.year else f" {meant.year:04d}"
