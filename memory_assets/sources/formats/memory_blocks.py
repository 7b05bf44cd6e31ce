"""The blocks of a MEMORY.md in order: headings, lists within lists, quotes, prose. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from markdown_it.token import Token

from memory_assets.llm.local.sentences import bounded, split_sentences
from memory_assets.sources.formats import memory_words as words
from memory_assets.sources.formats.memory_tables import take_code, take_html, take_table
from memory_assets.sources.formats.memory_walk import (
    HEADING,
    RULE_SKIPPED,
    SKIPPED,
    STATEMENT,
    WORDLESS,
    Fate,
    Place,
    Walk,
)

_BOX = re.compile(r"^\[([ xX✓✔~-])\](?:[ \t]+|(?=\n)|\Z)")
_ORDER = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])(?:\s+|$)")


class Blocks:
    """The blocks of a file in order, by the lines that the parser says they take."""

    def __init__(self, walk: Walk, tokens: Sequence[Token]) -> None:
        self._walk, self._tokens = walk, tokens
        self._headings: list[tuple[int, str, int, str | None]] = []
        self._ends = _closings(tokens)

    def take(self, place: Place) -> None:
        """Everything: headings hold for what follows them."""
        titles: list[tuple[int, int, str, Place]] = []
        index = 0
        here = place
        while index < len(self._tokens):
            token = self._tokens[index]
            if token.type == "heading_open":
                here = self._heading(index, titles)
                index = self._ends[index] + 1
                continue
            end = self._ends.get(index, index)
            here = self._block(index, end, here)
            index = end + 1
        self._lonely(titles)

    def _heading(self, index: int, titles: list[tuple[int, int, str, Place]]) -> Place:
        token, inline = self._tokens[index], self._tokens[index + 1]
        level = int(token.tag[1])
        first, last = token.map or (0, 0)
        self._headings = [known for known in self._headings if known[0] < level]
        day, rest = words.split_day(words.label(inline.content), is_heading=True)
        above = self._place()
        self._headings.append((level, rest, first, day))
        place = self._place()
        if words.is_statement(rest, dated=day is not None):
            self._walk.state(first, last, words.inline(inline.content), replace(above, day=place.day), led=False)
            self._walk.fates[first] = Fate(STATEMENT)
        else:
            titles.append((first, last, words.inline(inline.content), replace(above, day=place.day)))
        self._walk.mark(first, last, Fate(HEADING))
        return place

    def _place(self) -> Place:
        days = [day for *_, day in self._headings if day]
        return Place(tuple(title for _, title, _, _ in self._headings if title), day=days[-1] if days else None)

    def _lonely(self, titles: Sequence[tuple[int, int, str, Place]]) -> None:
        """A heading that nothing stands under, neither a line nor another heading, is what it says."""
        levels = {t.map[0]: int(t.tag[1]) for t in self._tokens if t.type == "heading_open" and t.map}
        heads = sorted(levels)
        told = sorted({one.first - 1 for one in self._walk.statements} - levels.keys())
        for first, last, text, place in titles:
            following = min((*_after(told, last), *_after(heads, last)), default=None)
            is_parent = levels.get(following or 0, 0) > levels[first] and following is not None
            if is_parent or following in told or (words.is_general(text) and len(titles) == 1):
                continue
            self._walk.fates[first] = None
            self._walk.state(first, last, text, place, led=False)
            self._walk.mark(first, last, Fate(HEADING))

    def _block(self, index: int, end: int, place: Place) -> Place:
        """A block; returns the place for the one that follows it at the same depth."""
        token = self._tokens[index]
        first, last = token.map or (0, 0)
        walk = self._walk
        base = replace(place, lead="", is_led=False) if place.lead else place
        kind = token.type
        if kind == "paragraph_open":
            return self._paragraph(first, last, place, base)
        if kind in ("bullet_list_open", "ordered_list_open"):
            self._each(index, end, place)
        elif kind == "blockquote_open":
            self._each(index, end, place)
        elif kind in ("fence", "code_block"):
            take_code(walk, token, first, last, place)
        elif kind == "table_open":
            take_table(walk, first, last, place)
        elif kind == "html_block":
            take_html(walk, first, last, place)
        elif kind == "hr":
            walk.mark(first, last, Fate(SKIPPED, RULE_SKIPPED))
        return base

    def _each(self, index: int, end: int, place: Place) -> None:
        """What stands inside a list or a quote."""
        inner = index + 1
        here = place
        while inner < end:
            closing = self._ends.get(inner, inner)
            token = self._tokens[inner]
            if token.type == "list_item_open":
                self._item(inner, closing, place)
            elif token.type == "heading_open":
                first, last = token.map or (0, 0)
                self._walk.state(first, last, words.inline(self._tokens[inner + 1].content), place)
            else:
                here = self._block(inner, closing, here)
            inner = closing + 1

    def _item(self, index: int, end: int, place: Place) -> None:
        """An item of a list: its own words, which lead in what is nested in it."""
        children = list(self._children(index, end))
        if not children:
            return
        inner, closing = children[0]
        token = self._tokens[inner]
        if token.type != "paragraph_open":
            for child, last in children:
                self._block(child, last, place)
            return
        first, last = token.map or (0, 0)
        text, box = self._own_words(inner)
        day, _ = words.split_day(text)
        here = replace(place, day=day or place.day)
        rest = children[1:]
        chain = f"{place.lead}: {text}" if place.lead and place.is_led else text
        leads = bool(rest) and words.leads_in(text) and len(chain) <= words.LONGEST_LEAD
        lead = words.as_lead(chain if leads else text)
        if leads:
            self._walk.mark(first, last, Fate(HEADING))
        else:
            self._sentences(first, last, here, text, box)
        inside = replace(here, lead=lead, is_led=leads)
        if box and box != " ":
            inside = replace(inside, headings=(*inside.headings, "Done"))
        before = len(self._walk.statements)
        for child, until in rest:
            inside = replace(self._block(child, until, inside), lead=lead, is_led=leads)
        if leads and len(self._walk.statements) == before:
            self._unmark(first, last)
            self._walk.state(first, last, text, here, box=box)

    def _own_words(self, index: int) -> tuple[str, str]:
        text = self._tokens[index + 1].content
        box = _BOX.match(text)
        return (text[box.end() :], box[1]) if box else (text, "")

    def _children(self, index: int, end: int) -> Iterator[tuple[int, int]]:
        inner = index + 1
        while inner < end:
            closing = self._ends.get(inner, inner)
            yield inner, closing
            inner = closing + 1

    def _unmark(self, first: int, last: int) -> None:
        for number in range(first, last):
            self._walk.fates[number] = None

    def _paragraph(self, first: int, last: int, place: Place, base: Place) -> Place:
        """Prose; a last part that ends in a colon leads in what follows it, if anything does."""
        raw = [words.unquoted(line) for line in self._walk.lines[first:last]]
        chain = f"{place.lead}: {raw[0]}" if place.lead and place.is_led else raw[0]
        announces = words.is_announcing(raw[0]) if raw else False
        leads = last - first == 1 and announces and words.leads_in(chain)
        if leads and self._has_more_below(last):
            self._walk.mark(first, last, Fate(HEADING))
            return replace(base, lead=words.as_lead(chain), is_led=True)
        self._sentences(first, last, place, "\n".join(raw), "")
        last_line = words.inline(raw[-1]) if raw else ""
        if last_line.endswith(":"):
            return replace(base, lead=words.as_lead(last_line), is_led=False)
        return base if not place.is_led else replace(base, lead="", is_led=False)

    def _has_more_below(self, line: int) -> bool:
        """Whether a list, a table or code stands right below a line that leads in."""
        following = next((text for text in self._walk.lines[line : line + 2] if text.strip()), "")
        text = words.unquoted(following).strip()
        return bool(_ORDER.match(text) or text.startswith(("```", "~~~", "|"))) and any(map(str.isalnum, text)) or bool(
            text.startswith(("```", "~~~"))
        )

    def _sentences(self, first: int, last: int, place: Place, text: str, box: str) -> None:
        """The sentences of a paragraph or an item, each with the lines that it stands in."""
        at = first
        for group in words.own_lines(text.split("\n")):
            whole = words.inline(" ".join(group))
            parts = [part for sentence in words.sentences(whole, split_sentences) for part in bounded(sentence)]
            offsets = words.line_spans(group, parts)
            for part, (begin, until) in zip(parts, offsets, strict=True):
                day, _ = words.split_day(part)
                self._walk.state(at + begin, min(at + until, last), part, replace(place, day=day or place.day), box=box)
            self._walk.mark(at, min(at + len(group), last), self._rest_of(group))
            at += len(group)

    def _rest_of(self, group: Sequence[str]) -> Fate:
        return Fate(STATEMENT) if any(words.has_words(line) for line in group) else Fate(SKIPPED, WORDLESS)


def _closings(tokens: Sequence[Token]) -> dict[int, int]:
    """The index of the token that closes each opening one."""
    opened: list[int] = []
    ends: dict[int, int] = {}
    for index, token in enumerate(tokens):
        if token.nesting == 1:
            opened.append(index)
        elif token.nesting == -1:
            ends[opened.pop()] = index
    return ends


def _after(numbers: Sequence[int], line: int) -> Iterator[int]:
    at = bisect_left(numbers, line)
    if at < len(numbers):
        yield numbers[at]
