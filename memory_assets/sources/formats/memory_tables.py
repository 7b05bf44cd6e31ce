"""The blocks of a MEMORY.md that are no prose: code, tables, comments and markup. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.token import Token

from memory_assets.sources.formats import memory_words as words
from memory_assets.sources.formats.memory_walk import (
    FENCE_SKIPPED,
    HEADING,
    MARKUP_SKIPPED,
    RULE_SKIPPED,
    SKIPPED,
    STATEMENT,
    WORDLESS,
    Fate,
    Place,
    Walk,
)

BARE_TAG = re.compile(
    r"</?(?:details|summary|div|span|p|br|hr|b|i|u|s|em|strong|ul|ol|li|center|sub|sup|kbd|small|table|tr|td|th)\s*/?>", re.I
)
_COMMENT = re.compile(r"<!--|-->")
_CELL = re.compile(r"(?<!\\)\|")


def take_code(walk: Walk, token: Token, first: int, last: int, place: Place) -> None:
    """Code, whole, as one statement; what stands above leads it in."""
    fenced = token.type == "fence"
    body = token.content.strip("\n")
    closed = fenced and last - first > 1 and bool(re.match(r"^[\s>]*(?:[-*+]\s+)?(?:`{3,}|~{3,})\s*$", walk.lines[min(last, len(walk.lines)) - 1]))
    if fenced:
        info = token.info.strip()
        walk.mark(first, first + 1, Fate(SKIPPED, FENCE_SKIPPED) if len(info.split()) < 2 else Fate(STATEMENT))
        body = f"{info}\n{body}" if len(info.split()) > 1 else body
        if closed:
            walk.mark(last - 1, last, Fate(SKIPPED, FENCE_SKIPPED))
    begin, until = (first + fenced, last - closed) if words.has_words(body) else (first, last)
    begin = min(begin, last - 1)
    walk.state(begin, until, body, place, led=True)
    walk.mark(begin, until, Fate(SKIPPED, WORDLESS))


def take_table(walk: Walk, first: int, last: int, place: Place) -> None:
    """A table: each row by itself, its cells with what the header calls them."""
    rows = [(number, walk.lines[number]) for number in range(first, last)]
    names = _cells(rows[0][1])
    body = [(number, _cells(line)) for number, line in rows[2:]]
    walk.mark(first + 1, first + 2, Fate(SKIPPED, RULE_SKIPPED))
    said = [(number, cells) for number, cells in body if any(map(words.has_words, cells))]
    if not said:
        walk.state(first, first + 1, ", ".join(filter(None, names)), place)
    else:
        walk.mark(first, first + 1, Fate(HEADING))
    for number, cells in said:
        walk.state(number, number + 1, _row(names, cells), place)
    walk.mark(first, last, Fate(SKIPPED, WORDLESS))


def take_html(walk: Walk, first: int, last: int, place: Place) -> None:
    """Comments and markup: their words. A comment of several lines is one statement."""
    lines = [words.unquoted(line) for line in walk.lines[first:last]]
    if "<!--" not in lines[0]:
        for number, line in enumerate(lines, first):
            walk.state(number, number + 1, words.inline(BARE_TAG.sub(" ", _COMMENT.sub(" ", line))), place)
            walk.mark(number, number + 1, Fate(SKIPPED, MARKUP_SKIPPED))
        return
    at = first
    for group in words.own_lines(lines):
        told = words.inline(BARE_TAG.sub(" ", _COMMENT.sub(" ", " ".join(group))))
        walk.state(at, at + len(group), told, place)
        walk.mark(at, at + len(group), Fate(SKIPPED, MARKUP_SKIPPED))
        at += len(group)


def _cells(line: str) -> list[str]:
    inner = re.sub(r"^\||\|$", "", words.unquoted(line).strip())
    return [words.inline(cell.replace("\\|", "|")) for cell in _CELL.split(inner)]


def _row(names: Sequence[str], cells: Sequence[str]) -> str:
    pairs = [(names[number] if number < len(names) else "", cell) for number, cell in enumerate(cells)]
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)
