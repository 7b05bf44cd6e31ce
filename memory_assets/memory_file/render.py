"""Entries to Markdown. The same entries give the same bytes; a memory's text can forge nothing.

One line per entry, ``- 8 May, Speaker: text [123456789]``, under its year, ``### 2023``, written once for
all that follow. What it means by "yesterday" follows its words: ``(yesterday = 7 May)``. Whatever a source
says, it cannot start a line, a heading, a code block, an image or a reference of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

from memory_assets.clock import MONTHS, in_utc
from memory_assets.llm.cited import Cited
from memory_assets.text import attribution
from memory_assets.text.lines import DAY_UNKNOWN, clean_text
from memory_assets.text.when import NOTES, render_notes

HEADINGS: Mapping[str, str] = {
    "preferences": "Personal Preferences",
    "tasks": "Active Tasks",
    "insights": "Key Insights",
    "recent": "Recent Context",
}
SECTIONS = tuple(HEADINGS)

_ENTRY = re.compile(r"^- .* \[(\d{9})\]$")


@dataclass(frozen=True)
class Entry:
    """One memory as the file has it: ``text`` is cleaned, ``day`` and ``label`` lead it in.

    ``notes`` are relative times in it with the dates that they mean (``when.py``); ``is_overdue`` is noted there,
    too. Where a later word has taken some of its memory's clauses back, ``rest_superseded_by`` is that word's
    reference, and ``text`` the clauses that still hold.

    Of a line that a model has composed, ``rests_on`` are the memories that it cites, the one whose reference it has
    among them, and ``composed_by`` is the model.
    """

    ref: str
    memory_id: str
    section: str
    text: str
    label: str | None = None
    day: str | None = None
    notes: tuple[tuple[str, str], ...] = ()
    rest_superseded_by: str | None = None
    is_overdue: bool = False
    rests_on: tuple[Cited, ...] = ()
    composed_by: str | None = None

    @property
    def line(self) -> str:
        """Its line in the file, without the line's end: who said it and when, the words, notes, and its reference."""
        lead = lead_of(self.day, self.label)
        notes = render_notes(self.notes, is_overdue=self.is_overdue)
        return f"- {lead and f'{lead} '}{self.text}{notes} [{self.ref}]"


@lru_cache(maxsize=1024)
def label_of(speaker: str | None, said_by_owner: bool = False) -> str | None:
    """Who said it, as a file names them (``attribution.py`` decides whose words need a name)."""
    label = attribution.label_of(speaker, said_by_owner)
    return (clean_text(label) or attribution.UNNAMED) if label else None


def day_of(instant: datetime | None) -> str | None:
    """``8 May 2023``, or None for an unknown time."""
    return written_day(in_utc(instant).date()) if instant else None


def written_day(day: date) -> str:
    """``8 May 2023``."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def render_title(called: str) -> str:
    """The file's first line; ``called`` is the owner's name, or the id where nobody knows one."""
    return f"# Memory of {attribution.name_of(clean_text(called))}\n"


def render_section(section: str, entries: Iterable[Entry]) -> str:
    """A section with the blank line before it; nothing when it has no entries."""
    lines: list[str] = []
    year = None
    for entry in entries:
        if year_of(entry.day) != year:
            year = year_of(entry.day)
            lines.append(day_line(entry.day))
        lines.append(entry.line)
    return "\n".join(("", f"## {HEADINGS[section]}", *lines, "")) if lines else ""


def is_line_of(line: str, text: str) -> bool:
    """Whether a line holds an entry of this text whole, with a day, a speaker, notes and a reference of ours alone.

    A speaker's name has neither colon nor bracket in it: nothing else fits before the text.
    """
    lead = rf"(?:[^|:\[\]]{{1,{attribution.LABEL_LIMIT + 20}}}: )?"
    return re.fullmatch(rf"- {lead}{re.escape(text)}(?:{NOTES})? \[\d{{9}}\]", line) is not None


def lead_of(day: str | None, label: str | None) -> str:
    """What leads the words in: ``8 May, Caroline:``, either alone, or nothing."""
    said = ", ".join(filter(None, (day and day.rpartition(" ")[0], label)))
    return said and f"{said}:"


def year_of(day: str | None) -> str | None:
    """The year of a day as :func:`day_of` writes it."""
    return day and day.rpartition(" ")[2]


def day_line(day: str | None) -> str:
    """The line above the entries of one year; what has none comes first, or says so."""
    return f"### {year_of(day) or DAY_UNKNOWN}"


def render(called: str, entries: Sequence[Entry]) -> str:
    """The whole file: sections in their fixed order, entries in the order given."""
    blocks = (render_section(name, [e for e in entries if e.section == name]) for name in SECTIONS)
    return render_title(called) + "".join(blocks)


def split_sections(text: str) -> dict[str, str]:
    """The rendered sections of a file by name, each with the blank line before it."""
    names = {heading: name for name, heading in HEADINGS.items()}
    found: dict[str, str] = {}
    for block in re.split(r"(?m)^(?=\n## )", text)[1:]:
        heading = block.split("\n", 2)[1].removeprefix("## ")
        found[names.get(heading, heading)] = block
    return found


def references_in(text: str) -> list[str]:
    """The references of a file's entries, in order."""
    return [match[1] for line in text.split("\n") if (match := _ENTRY.match(line))]


def without_entries(text: str, refs: Collection[str]) -> str:
    """A file without the entries of these references."""
    lines = text.split("\n")
    return "\n".join(line for line in lines if not ((match := _ENTRY.match(line)) and match[1] in refs))
