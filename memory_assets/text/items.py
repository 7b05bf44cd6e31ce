"""What a person may have left in a Markdown file, as items: headings, entries, paragraphs, code. Pure; no words are
lost.

Marks that say nothing of their own (a bullet, an unticked box, a ruler, a year of ours) are no part of an item's words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory_assets.text.lines import is_day_line, one_line, split_lines, struck_out

HEADING, RULE, ENTRY, PROSE, CODE = "heading", "rule", "entry", "prose", "code"

_HEADING = re.compile(r"^ {0,3}#{1,6}(?:\s+(?P<words>.*?))?(?:\s+#+)?\s*$")
_BULLET = re.compile(r"^(?P<indent>\s*)(?:[-*+•–]|\d{1,3}[.)])\s+(?P<words>.*)$")
_UNTICKED = re.compile(r"^\[ ?\]\s+")
_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
_COMMENT = re.compile(r"^\s*<!--.*-->\s*$")
_RULE_SIGNS = frozenset("-*_=|: \t")
_REFERENCE = re.compile(r"(?:(?<!\s)\s++)?\[(\d{9})\]\s*+$")
_ENDS = tuple(".!?:;…。！？|")
WRAPPED_FROM = 60
"""A line of prose shorter than this that nothing follows within its sentence was not wrapped by an editor."""


@dataclass(frozen=True)
class Item:
    """One thing that a file says: its first and last line (from 1), and its words."""

    line: int
    last: int
    kind: str
    words: str
    ref: str | None = None
    heading: str | None = None
    """The heading above it, as it is written there."""
    struck: bool = False


def without_reference(words: str) -> tuple[str, str | None]:
    """Words without the reference at their end, and that reference."""
    match = _REFERENCE.search(words)
    return (words[: match.start()].rstrip(), match[1]) if match else (words.strip(), None)


def items_of(text: str) -> list[Item]:
    """Everything that the file says, in its order."""
    return list(_items(split_lines(text)))


def _items(lines: Sequence[str]) -> Iterator[Item]:
    heading: str | None = None
    stop = 0
    while stop < len(lines):
        place, line = stop, lines[stop]
        stop = place + 1
        if fence := _FENCE.match(line):
            stop = _end_of_code(lines, place, fence[1])
            inside = [row for row in lines[place + 1 : stop] if not _FENCE.match(row)]
            if any(map(str.strip, inside)):
                yield Item(place + 1, stop, CODE, "\n".join(inside).strip("\n"), None, heading)
        elif not one_line(line) or is_day_line(line.strip()):
            continue
        elif match := _HEADING.match(line):
            heading = one_line(match["words"] or "") or None
            yield Item(place + 1, stop, HEADING, heading or "")
        elif _is_rule(line):
            continue
        else:
            bullet = _BULLET.match(line)
            stop = _end_of_bullet(lines, place, len(bullet["indent"])) if bullet else _end_of_prose(lines, place)
            first = bullet["words"] if bullet else line.strip()
            words = " ".join([first, *(row.strip() for row in lines[place + 1 : stop])])
            yield _entry(
                Item(place + 1, stop, ENTRY if bullet else PROSE, _UNTICKED.sub("", words.strip()), None, heading)
            )


def _entry(item: Item) -> Item:
    """An item without the marks around its words."""
    words, ref = without_reference(item.words)
    struck = struck_out(words)
    if struck is not None:
        words, inner = without_reference(struck)
        ref = ref or inner
    says = ref is not None or any(c.isalnum() or unicodedata.category(c) == "So" for c in words)
    return replace(item, kind=item.kind if says else RULE, words=words, ref=ref, struck=struck is not None)


def _end_of_code(lines: Sequence[str], start: int, fence: str) -> int:
    """Behind the line that closes the block; the file's end where none does."""
    for place in range(start + 1, len(lines)):
        closing = _FENCE.match(lines[place])
        if closing and closing[1].startswith(fence) and lines[place].strip() == closing[1]:
            return place + 1
    return len(lines)


def _is_rule(line: str) -> bool:
    """A ruler, the second line of a table, a comment: nothing that could be remembered."""
    return set(line) <= _RULE_SIGNS or _COMMENT.match(line) is not None


def _starts_something(line: str) -> bool:
    starts = (_HEADING.match(line), _BULLET.match(line), _FENCE.match(line))
    return not line.strip() or any(starts) or _is_rule(line)


def _end_of_bullet(lines: Sequence[str], start: int, indent: int) -> int:
    """Lines that are indented below a bullet belong to it."""
    stop = start + 1
    while stop < len(lines) and not _starts_something(lines[stop]):
        if len(lines[stop]) - len(lines[stop].lstrip()) <= indent or _REFERENCE.search(lines[stop - 1]):
            break
        stop += 1
    return stop


def _end_of_prose(lines: Sequence[str], start: int) -> int:
    """A paragraph that an editor has wrapped is one; lines that end by themselves are their own."""
    stop = start + 1
    while stop < len(lines) and not _starts_something(lines[stop]):
        before = lines[stop - 1].rstrip()
        if len(before) < WRAPPED_FROM or before.endswith(_ENDS) or _REFERENCE.search(before):
            break
        stop += 1
    return stop
