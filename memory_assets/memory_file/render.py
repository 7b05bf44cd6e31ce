"""Entries to Markdown. The same entries give the same bytes; a memory's text can forge nothing.

One line per entry, ``- Speaker: text [123456789]``, under the day that it is from, ``### 8 May 2023``,
written once for all that follow: whatever a source says, it cannot start a line, a heading, a code block,
an image or a reference of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

HEADINGS: Mapping[str, str] = {
    "preferences": "Personal Preferences",
    "tasks": "Active Tasks",
    "insights": "Key Insights",
    "recent": "Recent Context",
}
SECTIONS = tuple(HEADINGS)

LABEL_LIMIT = 40
# Role names say nothing that the reader does not know.
UNSAID_LABELS = frozenset({"user", "assistant", "system", "tool", "human", "ai", "me", "unknown"})

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
DAY_UNKNOWN = "Day unknown"
_DAY_LINE = re.compile(rf"^### (?:\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}|{DAY_UNKNOWN})$")
_ENTRY = re.compile(r"^- .* \[(\d{9})\]$")
# Signs that take no room though they are no format characters by category.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U000e0100-\U000e01ef\ufff9-\ufffb]"
)
_BLOCK_START = re.compile(
    r"#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|[-*_=]{3,}|`{3,}|~{3,}|\[(?=[^\]]*\]:)|<(?=[a-zA-Z!?/])"
)
_NUMBERED = re.compile(r"(\d{1,9})(?=[.)](?:\s|$))")
_ACTIVE_TAG = re.compile(
    r"(?<!\\)<(?=/?(?:script|style|iframe|img|svg|object|embed|link|meta|form|textarea|video|audio|pre)\b|!--)",
    re.I,
)
_REFERENCE = re.compile(r"\[\s*(\d{9})\s*\]")


@dataclass(frozen=True)
class Entry:
    """One memory as it stands in the file: ``text`` is cleaned, ``label`` leads it in, ``day`` stands above."""

    ref: str
    memory_id: str
    section: str
    text: str
    label: str | None = None
    day: str | None = None

    @property
    def line(self) -> str:
        """The entry's whole line, without its end."""
        return f"- {self.label}: {self.text} [{self.ref}]" if self.label else f"- {self.text} [{self.ref}]"


def clean_text(text: str) -> str:
    """A memory's text on one line, whole, with nothing in it that could pass for our own marks.

    Line ends and white space become single spaces; control, direction-changing and zero-width characters
    go; Markdown that would start a block, embed something, or look like a reference is made plain.
    """
    line = one_line(text)
    line = _REFERENCE.sub(r"(\1)", line).replace("![", "!\\[")
    line = _ACTIVE_TAG.sub(r"\<", line)
    if _BLOCK_START.match(line):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\", line, count=1) if _NUMBERED.match(line) else line


def one_line(text: str) -> str:
    """``text`` with single spaces for all white space and without invisible characters."""
    spaced = " ".join(text.split())
    visible = (c for c in spaced if unicodedata.category(c) not in ("Cc", "Cf"))
    plain = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in visible)
    return " ".join(_INVISIBLE.sub("", plain).split())


def label_of(speaker: str | None, said_by_owner: bool = False) -> str | None:
    """Who said it, where that helps: not for the owner's own words, nor for a mere role."""
    if said_by_owner or not speaker:
        return None
    name = clean_text(re.sub(r"[:\[\]]", " ", speaker)).strip()
    return name if name and len(name) <= LABEL_LIMIT and name.casefold() not in UNSAID_LABELS else None


def day_of(instant: datetime | None) -> str | None:
    """``8 May 2023``, or None for an unknown time."""
    if instant is None:
        return None
    utc = instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    return f"{utc.day} {MONTHS[utc.month - 1]} {utc.year}"


def render_title(user: str) -> str:
    """The file's first line."""
    return f"# Memory of {user}\n"


def render_section(section: str, entries: Iterable[Entry]) -> str:
    """A section with the blank line before it; nothing when it has no entries."""
    lines: list[str] = []
    day = None
    for entry in entries:
        if entry.day != day:
            day = entry.day
            lines.append(day_line(day))
        lines.append(entry.line)
    return "\n".join(("", f"## {HEADINGS[section]}", *lines, "")) if lines else ""


def day_line(day: str | None) -> str:
    """The line above the entries of one day; what has none comes first, or says so."""
    return f"### {day or DAY_UNKNOWN}"


def is_day_line(line: str) -> bool:
    """Whether a line of a file is one of our own days."""
    return _DAY_LINE.match(line) is not None


def render(user: str, entries: Sequence[Entry]) -> str:
    """The whole file: sections in their fixed order, entries in the order given."""
    blocks = (render_section(name, [e for e in entries if e.section == name]) for name in SECTIONS)
    return render_title(user) + "".join(blocks)


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
