"""What a person may have left in a memory file, as items: entries, paragraphs, code, headings. Pure; nothing is lost.

Every line of the file belongs to exactly one item. Marks of Markdown that say nothing of their own (a bullet, an
unticked box, emphasis around the whole) are no part of an item's words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from memory_assets.clock import MONTHS
from memory_assets.memory_file import render, words

BLANK, HEADING, DAY, RULE, ENTRY, PROSE, CODE = "blank", "heading", "day", "rule", "entry", "prose", "code"

_LINE_END = re.compile(r"\r\n|\r|\n")
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:\s+(?P<words>.*?))?(?:\s+#+)?\s*$")
_BULLET = re.compile(r"^(?P<indent>\s*)(?:[-*+•–]|\d{1,3}[.)])\s+(?P<words>.*)$")
_UNTICKED = re.compile(r"^\[ ?\]\s+")
_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
_COMMENT = re.compile(r"^\s*<!--.*-->\s*$")
_RULE_SIGNS = frozenset("-*_=|: \t")
_REFERENCE = re.compile(r"(?:(?<!\s)\s++)?\[(\d{9})\]\s*+$")
_STRUCK = re.compile(r"^~~(?P<words>.+)~~$")
_EMPHASIS = re.compile(r"(\*\*|__|(?<![\w*])\*|(?<![\w_])_|`)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_ENDS = tuple(".!?:;…。！？|")
LONGEST_EMPHASISED = 2_000
WRAPPED_FROM = 60
"""A line of prose shorter than this that nothing follows within its sentence was not wrapped by an editor."""


@dataclass(frozen=True)
class Item:
    """One thing that stands in an edited file: its first line (from 1), all its lines, and its words."""

    line: int
    lines: tuple[int, ...]
    kind: str
    words: str
    ref: str | None = None
    heading: str | None = None
    """The heading it stands under, as it is written there."""
    struck: bool = False


def split_lines(text: str) -> list[str]:
    """The lines of a text, by any editor's line ends; none for the empty text after the last one."""
    lines = _LINE_END.split(text)
    return lines[:-1] if lines and not lines[-1] else lines


FEWEST_WORDS = 3
"""A sentence of fewer words ("Yes, please.") says nothing by itself."""
TELLING = 3.0
"""Nor does one whose words are less rare together (``words.rarity``), and that has no name or number: "Let me know what you
think.", "Sounds good to me." stand beside the most different things."""
_SENTENCE_ENDS = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_TOLD_DAY = re.compile(rf"(?P<day>\d{{1,2}}) (?P<month>{'|'.join(MONTHS)}) (?P<year>\d{{4}})(?:: (?=\S)|, (?=[^:|]{{1,60}}: \S))")
_PLAIN_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_LEAD = re.compile(r"[^:.]{1,60}: \S+ \S+ ")


def same_words(text: str) -> str:
    """The form in which two lines are one and the same: white space, emphasis and invisible signs don't count."""
    plain = render.one_line(unicodedata.normalize("NFC", text))
    for _ in range(3 if len(plain) <= LONGEST_EMPHASISED else 0):
        plain = _EMPHASIS.sub(r"\2", plain)
    return plain.strip()


def key_of(text: str) -> str:
    """The form in which two memories say the same: case and closing punctuation don't count either."""
    return same_words(render.clean_text(text)).casefold().rstrip(" .!…。")


def sentence_keys(text: str) -> set[str]:
    """The same of a text as a whole and of each of its sentences, with and without who is said to have said it."""
    flat = render.clean_text(text)
    said = [part for part in _SENTENCE_ENDS.split(flat) if _is_telling(part)]
    parts = {flat, *said, *(part.partition(": ")[2] for part in said if _LEAD.match(part))}
    return {key for part in parts if (key := key_of(part))}


def _is_telling(sentence: str) -> bool:
    """Whether a sentence beside others is by itself something that can be taken out."""
    if not sentence.isascii():
        return True
    said = sentence.split()
    if len(said) < FEWEST_WORDS:
        return False
    if any(map(str.isdigit, sentence)) or any(word[:1].isupper() and len(word) > 1 and word[1] != "'" for word in said[1:]):
        return True
    known = set(_PLAIN_WORD.findall(sentence.casefold())) - words.STOP_WORDS
    return sum(map(words.rarity, known)) >= TELLING


def told_day(text: str) -> tuple[date, str] | None:
    """The day that a written line itself begins with, as an edited line keeps that of the one before it, and the words
    behind it: "1 November 2026, Ana: We agreed." is of 1 November, and says "Ana: We agreed."."""
    match = _TOLD_DAY.match(text)
    try:
        day = date(int(match["year"]), MONTHS.index(match["month"]) + 1, int(match["day"])) if match else None
    except ValueError:
        return None
    return (day, text[match.end() :]) if match and day else None


def without_reference(words: str) -> tuple[str, str | None]:
    """Words without the reference at their end, and that reference."""
    match = _REFERENCE.search(words)
    return (words[: match.start()].rstrip(), match[1]) if match else (words.strip(), None)


def items_of(text: str) -> list[Item]:
    """Everything in the file in its order; each of its lines is in exactly one item."""
    return list(_items(split_lines(text)))


def _items(lines: Sequence[str]) -> Iterator[Item]:
    heading: str | None = None
    place = 0
    while place < len(lines):
        line, stop = lines[place], place + 1
        numbers: tuple[int, ...] = (place + 1,)
        if fence := _FENCE.match(line):
            stop = _end_of_code(lines, place, fence[1])
            inside = [row for row in lines[place + 1 : stop] if not _FENCE.match(row)]
            numbers = tuple(range(place + 1, stop + 1))
            kind = CODE if any(map(str.strip, inside)) else BLANK
            yield Item(place + 1, numbers, kind, "\n".join(inside).strip("\n"), None, heading)
        elif not line.strip() or not render.one_line(line):
            yield Item(place + 1, numbers, BLANK, "")
        elif render.is_day_line(line.strip()):
            yield Item(place + 1, numbers, DAY, line.strip().removeprefix("### "), None, heading)
        elif match := _HEADING.match(line):
            heading = render.one_line(match["words"] or "") or None
            yield Item(place + 1, numbers, HEADING, heading or "")
        elif _is_rule(line):
            yield Item(place + 1, numbers, RULE, line.strip(), None, heading)
        elif match := _BULLET.match(line):
            stop = _end_of_bullet(lines, place, len(match["indent"]))
            words = " ".join([match["words"], *(row.strip() for row in lines[place + 1 : stop])])
            yield _entry(ENTRY, tuple(range(place + 1, stop + 1)), words, heading)
        else:
            stop = _end_of_prose(lines, place)
            words = " ".join(row.strip() for row in lines[place:stop])
            yield _entry(PROSE, tuple(range(place + 1, stop + 1)), words, heading)
        place = stop


def _entry(kind: str, numbers: tuple[int, ...], written: str, heading: str | None) -> Item:
    words, ref = without_reference(_UNTICKED.sub("", written.strip()))
    struck = _STRUCK.match(words)
    if struck:
        words, inner = without_reference(struck["words"])
        ref = ref or inner
    if not any(map(str.isalnum, words)) and ref is None and not any(unicodedata.category(c) == "So" for c in words):
        kind = RULE
    return Item(numbers[0], numbers, kind, words, ref, heading, struck is not None)


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
