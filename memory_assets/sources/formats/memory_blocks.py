"""A MEMORY.md of any habit, line by line: what each line is, and the statements that the lines make. Pure.

Headings, nested lists, check boxes, prose, tables, code, dated logs, front matter, quotes, comments: each line that
is not blank is a heading, part of a statement, or left out for a reason. What no rule knows is a statement as it
is, so nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from memory_assets.llm.local.sentences import bounded, split_sentences
from memory_assets.sources.cleaning import normalise_newlines
from memory_assets.sources.formats import memory_words as words
from memory_assets.sources.formats.markdown import front_matter
from memory_assets.text.layout import wrapping_lines

LONGEST = 6_000
"""Characters of a statement; a longer block becomes several, cut between its lines."""
SEPARATOR = " > "
HEADING, BLANK, STATEMENT, SKIPPED = "heading", "blank", "statement", "skipped"
FENCE_SKIPPED = "it opens or closes a block of code, which is kept"
RULE_SKIPPED = "it only divides the page"
EDGE_SKIPPED = "it is the edge of the front matter"
WORDLESS = "it says nothing in words"
MARKUP_SKIPPED = "it is markup without words"


@dataclass(frozen=True)
class Statement:
    """One statement: the lines (from 1, both included) that it is in, its words, the headings above, its day."""

    first: int
    last: int
    text: str
    section: str | None = None
    day: str | None = None
    is_open: bool = False
    """An open box of a list, or a line under a heading of tasks that is not ticked off."""


class Fate(NamedTuple):
    """What a line is; of a skipped one, why."""

    kind: str
    reason: str | None = None


@dataclass
class Split:
    """A whole file: ``lines`` as they are, the fate of each, its statements in order, and the day of the file."""

    lines: list[str]
    fates: list[Fate]
    statements: list[Statement]
    day: str | None = None


@dataclass(frozen=True)
class Place:
    """What is above a block: headings from the outermost, a line that leads in, the day, nested deeper or not."""

    headings: tuple[str, ...] = ()
    lead: str = ""
    is_led: bool = False
    """The lead has no line of its own: all that follows has its words."""
    day: str | None = None


@dataclass
class Walk:
    """The state of a pass over a file: its lines, the fate of each as far as known, and the statements so far."""

    lines: list[str]
    fates: list[Fate | None]
    statements: list[Statement] = field(default_factory=list)

    def mark(self, first: int, last: int, fate: Fate) -> None:
        """Give the lines from ``first`` to ``last`` (from 0, the last excluded) a fate, where they have none."""
        for number in range(max(first, 0), min(last, len(self.lines))):
            if self.fates[number] is None:
                self.fates[number] = fate

    def state(self, first: int, last: int, text: str, place: Place, *, box: str = "", led: bool | None = None) -> None:
        """A statement of the lines ``first`` to ``last`` (from 0, the last excluded)."""
        text = said = text.strip()
        if not words.has_words(text):
            return
        heading = next((name for name in reversed(place.headings) if words.can_lead(name)), "")
        lead = place.lead or heading
        must = place.is_led if led is None else led
        if lead and (must or not words.says_something_alone(text)) and lead.casefold() not in text.casefold():
            text = f"{lead}: {text}"
        headings = place.headings
        if box:
            headings = (*headings, "To do" if box == " " else "Done")
            text = text if box == " " else f"Done: {text}"
        section = SEPARATOR.join(headings) or None
        last = max(last, first + 1)
        parts = words.cut(text, LONGEST)
        spans = [(0, last - first)]
        if len(parts) > 1:  # each has the lines that it is cut from, and no others
            own = [parts[0][text.find(said) :], *parts[1:]]
            spans = words.line_spans(self.lines[first:last], own)
        for part, (begin, until) in zip(parts, spans, strict=True):
            self.statements.append(Statement(first + begin + 1, first + until, part, section, place.day, box == " "))
        self.mark(first, last, Fate(STATEMENT))


BARE_TAG = re.compile(
    r"</?(?:details|summary|div|span|p|br|hr|b|i|u|s|em|strong|ul|ol|li|center|sub|sup|kbd|small|table|tr|td|th)\s*/?>",
    re.I,
)
_COMMENT = re.compile(r"<!--|-->")
_FENCE_ALONE = re.compile(r"^[\s>]*(?:[-*+]\s+)?(?:`{3,}|~{3,})\s*$")
_CELL = re.compile(r"(?<!\\)\|")


def take_code(walk: Walk, node: SyntaxTreeNode, first: int, last: int, place: Place) -> None:
    """Code, whole, as one statement; what is above leads it in."""
    begin, until = first, last
    info = node.info.strip() if node.type == "fence" else ""
    if node.type == "fence" and last - first > 1 and not info.count(" "):
        begin += 1
        until -= _FENCE_ALONE.match(walk.lines[min(last, len(walk.lines)) - 1]) is not None
        walk.mark(first, begin, Fate(SKIPPED, FENCE_SKIPPED))
        walk.mark(until, last, Fate(SKIPPED, FENCE_SKIPPED))
    body = node.content.strip("\n")
    walk.state(begin, until, f"{info}\n{body}" if info.count(" ") else body, place, led=True)
    walk.mark(first, last, Fate(SKIPPED, WORDLESS))


def take_table(walk: Walk, first: int, last: int, place: Place) -> None:
    """A table: each row by itself, its cells with what the header calls them."""
    names = _cells(walk.lines[first])
    body = ((number, _cells(walk.lines[number])) for number in range(first + 2, last))
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
    groups = words.own_lines(lines) if "<!--" in lines[0] else ([line] for line in lines)
    at = first
    for group in groups:
        text = words.inline(BARE_TAG.sub(" ", _COMMENT.sub(" ", " ".join(group))))
        walk.state(at, at + len(group), text, place)
        walk.mark(at, at + len(group), Fate(SKIPPED, MARKUP_SKIPPED))
        at += len(group)


def _cells(line: str) -> list[str]:
    inner = re.sub(r"^\||\|$", "", words.unquoted(line).strip())
    return [words.inline(cell.replace("\\|", "|")) for cell in _CELL.split(inner)]


def _row(names: Sequence[str], cells: Sequence[str]) -> str:
    pairs = [(names[number] if number < len(names) else "", cell) for number, cell in enumerate(cells)]
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


_BOX = re.compile(r"^\[([ xX✓✔~-])\](?:[ \t]+|(?=\n)|\Z)")
_ORDER = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])(?:\s+|$)")


class Blocks:
    """The blocks of a file in order, by the lines that the parser says they take."""

    def __init__(self, walk: Walk, root: SyntaxTreeNode) -> None:
        self._walk, self._root = walk, root
        self._headings: list[tuple[int, str, str | None]] = []
        # The headings that say nothing themselves, with their lines.
        self._titles: list[tuple[int, int, str, Place]] = []

    def take(self) -> None:
        """All blocks: a heading applies to those that follow it."""
        here = Place()
        for node in self._root.children:
            here = self._heading(node) if node.type == "heading" else self._block(node, here)
        self._lonely()

    def _heading(self, node: SyntaxTreeNode) -> Place:
        content, level = node.children[0].content, int(node.tag[1])
        first, last = node.map or (0, 0)
        self._headings = [known for known in self._headings if known[0] < level]
        day, rest = words.split_day(words.label(content), is_heading=True)
        above = self._place()
        self._headings.append((level, rest, day))
        place = self._place()
        title = first, last, words.inline(content), replace(above, day=place.day)
        if words.is_statement(rest, dated=day is not None):
            self._walk.state(*title, led=False)
            self._walk.fates[first] = Fate(STATEMENT)
        else:
            self._titles.append(title)
        self._walk.mark(first, last, Fate(HEADING))
        return place

    def _place(self) -> Place:
        days = [day for *_, day in self._headings if day]
        return Place(tuple(title for _, title, _ in self._headings if title), day=days[-1] if days else None)

    def _lonely(self) -> None:
        """A heading with nothing under it, neither a line nor another heading, is a statement itself."""
        levels = {one.map[0]: int(one.tag[1]) for one in self._root.walk() if one.type == "heading" and one.map}
        ends = [*sorted(levels)[1:], len(self._walk.lines)]
        end_of = dict(zip(sorted(levels), ends, strict=False))
        for first, last, text, place in self._titles:
            is_parent = levels.get(end_of[first], 0) > levels[first]
            has_words = any(first < one.first <= end_of[first] and one.first > last for one in self._walk.statements)
            if is_parent or has_words or (words.is_general(text) and len(self._titles) == 1):
                continue
            self._walk.fates[first] = None
            self._walk.state(first, last, text, place, led=False)
            self._walk.mark(first, last, Fate(HEADING))

    def _block(self, node: SyntaxTreeNode, place: Place) -> Place:
        """A block; returns the place for the one that follows it at the same depth."""
        first, last = node.map or (0, 0)
        walk = self._walk
        base = replace(place, lead="", is_led=False) if place.lead else place
        if node.type == "paragraph":
            return self._paragraph(first, last, place, base)
        if node.type in ("bullet_list", "ordered_list", "blockquote"):
            self._each(node, place)
        elif node.type in ("fence", "code_block"):
            take_code(walk, node, first, last, place)
        elif node.type == "table":
            take_table(walk, first, last, place)
        elif node.type == "html_block":
            take_html(walk, first, last, place)
        elif node.type == "hr":
            walk.mark(first, last, Fate(SKIPPED, RULE_SKIPPED))
        return base

    def _each(self, node: SyntaxTreeNode, place: Place) -> None:
        """What is inside a list or a quote."""
        here = place
        for inner in node.children:
            if inner.type == "list_item":
                self._item(inner, place)
            elif inner.type == "heading":
                first, last = inner.map or (0, 0)
                self._walk.state(first, last, words.inline(inner.children[0].content), place)
            else:
                here = self._block(inner, here)

    def _item(self, node: SyntaxTreeNode, place: Place) -> None:
        """An item of a list: its own words, which lead in what is nested in it."""
        if not node.children or node.children[0].type != "paragraph":
            for child in node.children:
                self._block(child, place)
            return
        own, *rest = node.children
        first, last = own.map or (0, 0)
        text, box = own.children[0].content, ""
        if ticked := _BOX.match(text):
            text, box = text[ticked.end() :], ticked[1]
        day, _ = words.split_day(text)
        here = replace(place, day=day or place.day)
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
        for child in rest:
            inside = replace(self._block(child, inside), lead=lead, is_led=leads)
        if leads and len(self._walk.statements) == before:
            self._walk.fates[first:last] = [None] * (last - first)
            self._walk.state(first, last, text, here, box=box)

    def _paragraph(self, first: int, last: int, place: Place, base: Place) -> Place:
        """Prose; a last part that ends in a colon leads in what follows it, if anything does."""
        raw = [words.unquoted(line) for line in self._walk.lines[first:last]]
        chain = f"{place.lead}: {raw[0]}" if place.lead and place.is_led else raw[0]
        leads = last - first == 1 and words.is_announcing(raw[0]) and words.leads_in(chain)
        if leads and self._has_more_below(last):
            self._walk.mark(first, last, Fate(HEADING))
            return replace(base, lead=words.as_lead(chain), is_led=True)
        self._sentences(first, last, place, "\n".join(raw), "")
        last_line = words.inline(raw[-1])
        return replace(base, lead=words.as_lead(last_line)) if last_line.endswith(":") else base

    def _has_more_below(self, line: int) -> bool:
        """Whether a list, a table or code is right below a line that leads in."""
        following = next((text for text in self._walk.lines[line : line + 2] if text.strip()), "")
        text = words.unquoted(following).strip()
        is_item = _ORDER.match(text) is not None or text.startswith("|")
        return text.startswith(("```", "~~~")) or (is_item and words.has_words(text))

    def _sentences(self, first: int, last: int, place: Place, text: str, box: str) -> None:
        """The sentences of a paragraph or an item, each with the lines that it is in."""
        at = first
        for group in words.own_lines(text.split("\n")):
            whole = words.inline(" ".join(group))
            parts = [part for sentence in words.sentences(whole, split_sentences) for part in bounded(sentence)]
            offsets = words.line_spans(group, parts)
            for part, (begin, until) in zip(parts, offsets, strict=True):
                day, _ = words.split_day(part)
                self._walk.state(at + begin, min(at + until, last), part, replace(place, day=day or place.day), box=box)
            rest = Fate(STATEMENT) if any(map(words.has_words, group)) else Fate(SKIPPED, WORDLESS)
            self._walk.mark(at, min(at + len(group), last), rest)
            at += len(group)


DIVIDER = "\u00a7"
"""The line between two entries of a file that Hermes writes."""


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
        "" if number < start or number in edges or line.strip() == DIVIDER else line
        for number, line in enumerate(lines)
    )
    Blocks(walk, _parse(body)).take()
    _take_rest(walk)
    statements = sorted(walk.statements, key=lambda one: (one.first, one.last))
    fates = [fate if fate and line.strip() else Fate(BLANK) for fate, line in zip(walk.fates, lines, strict=True)]
    return Split(lines, fates, statements, day)


def _parse(text: str) -> SyntaxTreeNode:
    parser = MarkdownIt("commonmark", {"maxNesting": 60}).enable("table").disable("code").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return SyntaxTreeNode(parser.parse(text))


def _take_front_matter(text: str, walk: Walk) -> tuple[int, str | None]:
    """The fields above the text, each a statement; how many lines they take, and the day that they name."""
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
        plain = [words.inline(re.sub(r"^\s*-\s+", "", part)) for part in parts]
        joined = f"{plain[0]} {', '.join(plain[1:])}".strip()
        walk.state(number, number + len(parts), joined, Place(), led=False)
    for number in edges:
        walk.mark(number, number + 1, Fate(SKIPPED, EDGE_SKIPPED))
    return end, words.day_of_fields(matter.fields)


def _is_cut(line: str, parts: Sequence[str]) -> bool:
    """Whether statements hold a line one after the other, cut within what would be a word (scripts without spaces)."""
    return len(parts) > 1 and words.signs_of(line) in words.signs_of("".join(parts))


def _take_rest(walk: Walk) -> None:
    """Lines that are in no statement, or not with all of their words: statements as they are."""
    stated: dict[int, set[str]] = {}
    cut: dict[int, list[str]] = {}
    for one in walk.statements:
        found = words.words_in(one.text)
        for number in range(one.first - 1, one.last):
            stated[number] = stated[number] | found if number in stated else found
            cut.setdefault(number, []).append(one.text)
    for number, line in enumerate(walk.lines):
        fate = walk.fates[number]
        if not line.strip() or (fate is not None and fate.kind != STATEMENT):
            continue
        plain = words.inline(BARE_TAG.sub(" ", words.unmarked(line)))
        if number in stated and (words.words_in(plain) <= stated[number] or _is_cut(plain, cut[number])):
            walk.fates[number] = Fate(STATEMENT)
        elif words.has_words(plain):
            walk.fates[number] = None
            walk.state(number, number + 1, plain, Place(), led=False)
        else:
            rule = RULE_SKIPPED if not line.strip(f" \t*_=~|:>-{DIVIDER}") else WORDLESS
            walk.fates[number] = Fate(SKIPPED, rule)
