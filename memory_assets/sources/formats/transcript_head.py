"""What a transcript tells of itself: its title, and the day on which it began."""

from __future__ import annotations

import re
from datetime import datetime

from memory_assets.sources.cleaning import one_line
from memory_assets.sources.dates import chat_date, parse_written_date
from memory_assets.sources.formats.captions import is_captions
from memory_assets.sources.formats.transcript_lines import (
    ABOVE_DATED,
    DATED,
    HEADER,
    HEADER_LINES,
    first_speaker,
    is_dated,
    layout_of,
)

_STAMP_DAY = re.compile(r"^[ \t\u200e\[]*(\d{1,2})([./-])(\d{1,2})[./-](\d{4}|\d{2})\b(?:[^\n]{0,20}?\d[ \xa0\u202f]?([AaPp])\.?[ \xa0]?[Mm]\b)?")

# A line that is a day, with or without a weekday and a time; or a meeting's title with its day in brackets.
_DAY = (
    r"[A-Za-z]{3,9} \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{1,2}(?:st|nd|rd|th)? [A-Za-z]{3,9} \d{4}"
    r"|\d{4}[-/]\d{2}[-/]\d{2}|\d{1,2}\.\d{1,2}\.\d{4}"
)
_DAY_LINE = re.compile(
    rf"[ \t]*(?:[^\W\d_]{{2,10}}\.?,?[ \t]+)?({_DAY})"
    r"(?:[ \t,T]*(?:at[ \t]+)?\d{1,2}[:.]\d{2}.{0,60}|[ \t]*[•·|].{0,60})?[ \t]*"
)
_DAY_IN_TITLE = re.compile(r".{1,150}\((\d{4}[-/]\d{2}[-/]\d{2})[ \t]+(?:at[ \t]+)?\d{1,2}:\d{2}[^()]{0,40}\).{0,40}")


def header_of(text: str) -> dict[str, str]:
    """What the first lines of a text tell under names such as "Date:", by the name in small letters."""
    found: dict[str, str] = {}
    for line in text.split("\n")[:HEADER_LINES]:
        match = HEADER.match(line[:400])
        if match:
            found.setdefault(match[1].lower(), match[2].strip())
    return found


def day_in_header(header: dict[str, str]) -> datetime | None:
    """The day that a header tells, if it tells one."""
    for name in ("date", "started", "when"):
        found = parse_written_date(header.get(name, ""))
        if found is not None:
            return found
    return None


def day_above(text: str) -> datetime | None:
    """The day that a program has written into a transcript's head, on a line of its own."""
    if is_captions(text):
        return None
    lines = text.split("\n")
    for line in lines[: min(first_speaker(lines, layout_of(lines)), HEADER_LINES)]:
        match = _DAY_LINE.fullmatch(line[:200]) or _DAY_IN_TITLE.fullmatch(line[:300])
        found = parse_written_date(match[1]) if match else None
        if found is not None:
            return found
    return None


def first_day(text: str) -> datetime | None:
    """The day of a messenger's first message; a two-digit year is this century's."""
    lines = [line[:200] for line in text.split("\n")]
    if is_captions(text):
        return None
    if layout_of(lines) is ABOVE_DATED:
        above = [match for line in lines if (match := ABOVE_DATED.match(line))]
        days = [re.match(r"(\d+)([./-])(\d+)[./-](\d+)", match["day"]) for match in above]
        return chat_date([(d[1], d[2], d[3], d[4]) for d in days if d], has_am_pm=any(match["half"] for match in above))
    if not is_dated(lines):
        return None
    found = [match for line in lines if DATED.match(line) and (match := _STAMP_DAY.match(line))]
    return chat_date([(m[1], m[2], m[3], m[4]) for m in found], has_am_pm=any(m[5] for m in found))


def title_in(header: dict[str, str]) -> str:
    """The title that a header tells; empty when it tells none."""
    return next((header[name] for name in ("title", "meeting", "subject", "topic") if header.get(name)), "")


def words_of(stem: str) -> str:
    """A file's name as words."""
    return re.sub(r"[_\s]+", " ", one_line(stem)).strip()
