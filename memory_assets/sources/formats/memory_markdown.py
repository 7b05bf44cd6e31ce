"""A MEMORY.md of any habit, line by line: what each line is, and the statements that the lines make. Pure.

Headings, bullets within bullets, numbered lists, check boxes, prose, tables, code, dated logs, front matter, quotes,
comments: each line that is not blank is a heading, part of one or more statements, or left out for a reason that can be
said. What no rule knows is a statement as it stands, so that nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memory_assets.sources.cleaning import normalise_newlines
from memory_assets.sources.formats import memory_words as words
from memory_assets.sources.formats.markdown import front_matter
from memory_assets.sources.formats.memory_blocks import Blocks
from memory_assets.sources.formats.memory_tables import BARE_TAG
from memory_assets.sources.formats.memory_walk import (
    BLANK,
    EDGE_SKIPPED,
    FENCE_SKIPPED,
    RULE_SKIPPED,
    SKIPPED,
    STATEMENT,
    WORDLESS,
    Fate,
    Place,
    Split,
    Walk,
)
from memory_assets.text.wrapped import wrapping_lines

DIVIDER = "\u00a7"
"""What stands alone between two entries of a file that Hermes keeps."""
_TABLE_RULE = re.compile(r"^[\s>]*+\|?\s*+:?-++:?\s*+(?>(?:\|\s*+:?-++:?\s*+)*)\|?\s*+$")


def split(text: str) -> Split:
    """A file's text as lines and statements."""
    text = normalise_newlines(text)
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    walk = Walk(lines, [None] * len(lines))
    edges = wrapping_lines(text) or ()
    for number in edges:
        walk.mark(number, number + 1, Fate(SKIPPED, FENCE_SKIPPED))
    start, day = (0, None) if edges else _take_front_matter(text, walk)
    body = "\n".join(
        "" if number < start or number in edges or line.strip() == DIVIDER else line for number, line in enumerate(lines)
    )
    tokens = _parse(body)
    Blocks(walk, tokens).take(Place(day=None))
    _take_rest(walk)
    statements = sorted(walk.statements, key=lambda one: (one.first, one.last))
    fates = [fate if fate and line.strip() else Fate(BLANK) for fate, line in zip(walk.fates, lines, strict=True)]
    return Split(lines, fates, statements, day)


def _parse(text: str) -> list[Token]:
    parser = MarkdownIt("commonmark", {"maxNesting": 60}).enable("table").disable("code").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser.parse(text)


def _take_front_matter(text: str, walk: Walk) -> tuple[int, str | None]:
    """The fields above the text, each a statement; how many lines they take, and the day that they tell."""
    matter = front_matter(text)
    if not matter.end:
        return 0, None
    end = min(text.count("\n", 0, matter.end) + (not text[: matter.end].endswith("\n")), len(walk.lines))
    edges = [number for number in (0, end - 1) if number >= 0]
    fields: list[tuple[int, list[str]]] = []
    for number in range(1, end - 1):
        line = walk.lines[number]
        if re.match(r"^[^\s#-][^:]*:", line) or not fields:
            fields.append((number, [line]))
        elif line.strip():
            fields[-1][1].append(line)
    for number, parts in fields:
        told = [words.inline(re.sub(r"^\s*-\s+", "", part)) for part in parts]
        joined = f"{told[0]} {', '.join(told[1:])}".strip()
        walk.state(number, number + len(parts), joined, Place(), led=False)
    for number in edges:
        walk.mark(number, number + 1, Fate(SKIPPED, EDGE_SKIPPED))
    return end, words.day_of_fields(matter.fields)


def _is_cut(line: str, parts: Sequence[str]) -> bool:
    """Whether statements hold a line one after the other, cut within what would be a word (scripts without spaces)."""
    return len(parts) > 1 and words.signs_of(line) in words.signs_of("".join(parts))


def _take_rest(walk: Walk) -> None:
    """Lines that no block has told of, or not with all of their words: statements as they stand."""
    told: dict[int, set[str]] = {}
    cut: dict[int, list[str]] = {}
    for one in walk.statements:
        found = words.words_in(one.text)
        for number in range(one.first - 1, one.last):
            told[number] = told[number] | found if number in told else found
            cut.setdefault(number, []).append(one.text)
    for number, line in enumerate(walk.lines):
        fate = walk.fates[number]
        if fate is not None and fate.kind != STATEMENT:
            continue
        plain = words.inline(BARE_TAG.sub(" ", words.unmarked(line)))
        if number in told and (words.words_in(plain) <= told[number] or _is_cut(plain, cut[number])):
            walk.fates[number] = Fate(STATEMENT) if line.strip() else Fate(BLANK)
            continue
        walk.fates[number] = None
        if not line.strip():
            walk.fates[number] = Fate(BLANK)
        elif words.has_words(plain):
            walk.state(number, number + 1, plain, Place(), led=False)
        else:
            rule = RULE_SKIPPED if _TABLE_RULE.match(line) or not line.strip(f" \t*_=~-{DIVIDER}") else WORDLESS
            walk.fates[number] = Fate(SKIPPED, rule)
