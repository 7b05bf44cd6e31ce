"""Lines of text: what can forge no mark of a published file, and when two lines are one and the same. Pure."""

from __future__ import annotations

import re
import unicodedata
from datetime import date

from memory_assets.clock import MONTHS

DAY_UNKNOWN = "Day unknown"
_DAY_LINE = re.compile(rf"^### (?:\d{{1,4}}|{DAY_UNKNOWN})$")
# Signs that take no room though they are no format characters by category.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U000e0100-\U000e01ef\ufff9-\ufffb]")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_BLOCK_START = re.compile(r"#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|[-*_=]{3,}|`{3,}|~{3,}|\[(?=[^\]]*\]:)|<(?=[a-zA-Z!?/])")
_NUMBERED = re.compile(r"(\d{1,9})(?=[.)](?:\s|$))")
_ACTIVE_TAG = re.compile(
    r"(?<!\\)<(?=/?(?:script|style|iframe|img|svg|object|embed|link|meta|form|textarea|video|audio|pre)\b|!--)", re.I
)
_REFERENCE = re.compile(r"\[\s*(\d{9})\s*\]")
_LEADING_DAY = re.compile(
    rf"(?P<day>\d{{1,2}}) (?P<month>{'|'.join(MONTHS)}) (?P<year>\d{{4}})(?:: (?=\S)|, (?=[^:|]{{1,60}}: \S))"
)
_EMPHASIS = re.compile(r"(\*\*|__|(?<![\w*])\*|(?<![\w_])_|`)(?=\S)(.+?)(?<=\S)\1(?!\w)")
LONGEST_EMPHASISED = 2_000


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
    if spaced.isprintable():  # nearly every text: no control, direction-changing or lone surrogate sign is
        return spaced if spaced.isascii() else " ".join(_INVISIBLE.sub("", spaced).split())
    visible = (c for c in spaced if unicodedata.category(c) not in ("Cc", "Cf"))
    plain = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in visible)
    return " ".join(_INVISIBLE.sub("", plain).split())


def files_of_patch(patch: str) -> list[str]:
    """The files that a patch changes, in the form that Codex's models write: ``*** Update File: PATH``."""
    return [found.strip() for found in _PATCHED.findall(patch)]


def shortened(text: str, most: int) -> str:
    """A text on one line, with a mark where it goes on behind so many signs."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def struck_out(text: str) -> str | None:
    """The words of a text that is struck out as a whole; None for any other."""
    is_struck = len(text) > 4 and text.startswith("~~") and text.endswith("~~") and "~~" not in text[2:-2]
    return text[2:-2] if is_struck else None


def split_lines(text: str) -> list[str]:
    """The lines of a text, by any editor's line ends; none for the empty text after the last one."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


def begins_with(text: str, title: str, longest: int) -> bool:
    """Whether a text begins with a title, in whole words, as the first words do of what has no title of its own.
    ``longest``: so many characters are left of a title that was cut.
    """
    begins = " ".join(text[: 2 * longest].split())
    is_whole = len(title) >= longest or not begins[len(title) : len(title) + 1].isalnum()
    return begins.startswith(title) and is_whole


def same_words(text: str) -> str:
    """The form in which two lines are one and the same: white space, emphasis and invisible signs don't count."""
    plain = one_line(unicodedata.normalize("NFC", text))
    for _ in range(3 if len(plain) <= LONGEST_EMPHASISED else 0):
        plain = _EMPHASIS.sub(r"\2", plain)
    return plain.strip()


def leading_day(text: str) -> tuple[date, str] | None:
    """The day that a written line itself begins with, as an edited line keeps that of the one before it, and the words
    behind it: "1 November 2026, Ana: We agreed." is of 1 November, and says "Ana: We agreed."."""
    match = _LEADING_DAY.match(text)
    try:
        day = date(int(match["year"]), MONTHS.index(match["month"]) + 1, int(match["day"])) if match else None
    except ValueError:
        return None
    return (day, text[match.end() :]) if match and day else None


def is_day_line(line: str) -> bool:
    """Whether a line of a file is one of our own years."""
    return _DAY_LINE.match(line) is not None


def characters_of(text: str) -> int:
    """The characters of a text as JavaScript counts them."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
