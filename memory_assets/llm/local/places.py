"""The blocks of a note, and where they stand: below which headings, behind which line that announces them, in which
column. Pure.

"clinic back door 4417#" says nothing without "Codes" above it, and "1 scoop" nothing without "morning". A heading that
is only a day says nothing that the note's own day does not. An item of a list, a table's row and a line that was broken
on purpose are one thing each, however many sentences they have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple

from memory_assets.llm.local.days import weekday_of, without_days
from memory_assets.llm.local.language import language_of, words_in
from memory_assets.llm.local.sentence_features import Setting
from memory_assets.llm.local.sentences import LONGEST, MOST_WORDS, Form, Line, Piece, lines, pieces
from memory_assets.llm.local.standalone import TIMES
from memory_assets.text.words import BARE_WORD

LONGEST_LEAD = 80
"""Characters of a line that can lead in others; a longer one says something itself."""
MOST_ABOVE = 2
"""So many of the title, the headings and the lines above a line lead it in: the innermost."""
_MOST_WORDS_OF_LEAD = 6
_FULL = 60
"""A line of so many characters may have been wrapped by an editor."""
_ITEMS = frozenset({Form.BULLET, Form.STEP, Form.TODO, Form.DONE})
_APART = frozenset({Form.CODE, Form.UNREAD})
_ENDS = ".!?…。！？"
_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\s*+\|?(?>(?:\s*+:?-++:?\s*+\|)+)\s*+:?-*+:?\s*+\|?\s*+$")
_FENCE = re.compile(r"\s{0,6}(?:```|~~~)")
_ASIDE = re.compile(r"(?<!\s)\s*+\([^()]{0,200}\)\s*+$")
_MARKS = " \t:：–—-*_"


class Place(NamedTuple):
    """Where a block stands. ``above``: what leads it in, the outermost first. ``row``: its cells behind their columns'
    names, where it is a table's row. ``is_line``: it is a line of its own, no part of a paragraph.
    """

    above: tuple[str, ...] = ()
    row: str = ""
    is_line: bool = False

    def lead(self, text: str) -> str:
        """What stands above a block and not in its ``text``."""
        told = text.casefold()
        return ", ".join(one for one in self.above[-MOST_ABOVE:] if one.casefold() not in told)


class Block(NamedTuple):
    """A block as it is written, and its undecorated text. ``is_whole``: it is one thing, whatever sentences it has."""

    raw: str
    text: str
    form: Form | None
    place: Place
    is_whole: bool = False


@dataclass
class _Walk:
    """A note that is being gone through: the headings above, the line that announces, the items that a line is in."""

    title: str
    headings: list[tuple[int, str]] = field(default_factory=list)
    announced: str = ""
    items: list[tuple[int, str]] = field(default_factory=list)
    columns: Sequence[str] = ()

    def place(self, row: str = "") -> Place:
        inner = (text for _, text in self.items)
        # A main heading says what the note is about, as its title does.
        title = "" if any(level == 1 and text for level, text in self.headings) else self.title
        told = [text for text in (title, *(text for _, text in self.headings), self.announced, *inner) if text]
        folded = [text.casefold() for text in told]
        says_more = (not any(one in other for other in folded[at + 1 :]) for at, one in enumerate(folded))
        return Place(tuple(text for text, is_new in zip(told, says_more, strict=True) if is_new), row)


def blocks(title: str, texts: Sequence[str]) -> Iterator[list[Block]]:
    """The blocks of each part of a note, but for tables' headers; headings hold for the parts behind them, too."""
    walk = _Walk(_title_lead(title, texts))
    read = [lines(text) for text in texts]
    for number, (text, part) in enumerate(zip(texts, read, strict=True)):
        following = read[number + 1][0] if number + 1 < len(read) and read[number + 1] else None
        if any(line.form in _APART or _FENCE.match(line.raw) for line in part):
            yield [Block(text, "", None, walk.place())]
        else:
            yield list(_blocks(walk, part, following))


def sentences_of(found: Sequence[Block]) -> Iterator[tuple[Piece, Place]]:
    """The sentences of a note's part: its blocks, as far as each is one thing and can be remembered as that."""
    for block in found:
        section = block.place.above[-1] if block.place.above else ""
        if block.is_whole and words_in(block.text) <= MOST_WORDS and len(block.text) <= LONGEST:
            yield Piece(block.text, block.form or Form.SENTENCE, section), block.place
            continue
        for piece in pieces(block.raw):
            yield Piece(piece.text, piece.form, piece.section or section), block.place._replace(row="")


def below(setting: Setting, piece: Piece, place: Place) -> Setting:
    """Where a sentence of a note was said: with what stands above it."""
    return setting._replace(lead=place.lead(piece.text), row=place.row, is_line=place.is_line)


def _blocks(walk: _Walk, part: Sequence[Line], following: Line | None) -> Iterator[Block]:
    walk.items, walk.columns = [], ()
    for group in _groups(part):
        line, end = part[group[0]], group[-1] + 1
        after = part[end] if end < len(part) else following
        raw, text = "\n".join(part[at].raw for at in group), " ".join(part[at].text for at in group)
        if line.form is Form.HEADING:
            level = len(line.raw.lstrip()) - len(line.raw.lstrip().lstrip("#"))
            walk.headings = [one for one in walk.headings if one[0] < level]
            yield Block(raw, text, line.form, walk.place())
            walk.headings.append((level, lead_of(line.text)))
            walk.announced, walk.items, walk.columns = "", [], ()
        elif line.raw.lstrip().startswith("|"):
            if (place := _of_row(walk, line, after)) is not None:
                yield Block(raw, text, line.form, place, is_whole=True)
        elif line.form in _ITEMS:
            yield Block(raw, text, line.form, _of_item(walk, line, after), is_whole=True)
        else:
            place = _of_prose(walk, line, after, opens=not group[0])
            is_line = len(part) > len(group)
            form = Form.HEADING if walk.announced else None
            yield Block(raw, text, form, place._replace(is_line=is_line), is_whole=is_line)


def _groups(part: Sequence[Line]) -> Iterator[list[int]]:
    """The lines of each block: an item with the lines that go on with it, a paragraph that an editor has wrapped."""
    group: list[int] = []
    for at, line in enumerate(part):
        if not line.text:
            if group:
                yield group
            group = []
            continue
        goes_on = line.form is None and bool(group) and not line.raw.lstrip().startswith("|")
        if goes_on and part[group[0]].form is None:
            run = group[0] if at == group[-1] + 1 else at
            goes_on = run < at and _is_wrapped(_prose_from(part, run))
        if goes_on and part[group[0]].form is not Form.HEADING:
            group.append(at)
            continue
        if group:
            yield group
        group = [at]
    if group:
        yield group


def _prose_from(part: Sequence[Line], start: int) -> list[str]:
    end = next((at for at in range(start, len(part)) if part[at].form is not None or not part[at].text), len(part))
    return [line.raw.strip() for line in part[start:end]]


def _is_wrapped(told: Sequence[str]) -> bool:
    """Whether an editor has wrapped lines: none had room for the next one's first word, and a sentence goes on."""
    width = max(map(len, told))
    is_full = all(len(above) + 1 + len(line.split()[0]) > width for above, line in zip(told, told[1:], strict=False))
    return is_full and width >= _FULL and any(line[0].islower() for line in told[1:])


def _of_row(walk: _Walk, line: Line, after: Line | None) -> Place | None:
    cells = [cell.strip() for cell in _CELL.split(line.raw.strip().strip("|"))]
    if after is not None and _RULE.match(after.raw[:300]):
        walk.columns = cells
        return None
    pairs = zip_longest(walk.columns[: len(cells)], cells, fillvalue="")
    told = (f"{name}: {cell}" if name else cell for name, cell in pairs if any(map(str.isalnum, cell)))
    return walk.place("; ".join(told))


def _of_item(walk: _Walk, line: Line, after: Line | None) -> Place:
    indent = len(line.raw) - len(line.raw.lstrip())
    walk.items = [one for one in walk.items if one[0] < indent]
    place = walk.place()
    is_parent = after is not None and after.form in _ITEMS and len(after.raw) - len(after.raw.lstrip()) > indent
    walk.items.append((indent, lead_of(line.text) if is_parent else ""))
    return place


def _of_prose(walk: _Walk, line: Line, after: Line | None, *, opens: bool) -> Place:
    """A line that announces what stands right below it leads that in; any other ends what was announced."""
    is_followed = after is not None and (after.form in _ITEMS or after.raw.lstrip().startswith("|"))
    is_short = len(line.text.split()) <= _MOST_WORDS_OF_LEAD and line.text[-1] not in _ENDS
    walk.announced, walk.items = "", []
    place = walk.place()
    if is_followed and (line.text[-1] in ":：" or opens and is_short):
        walk.announced = lead_of(line.text)
    return place


def lead_of(text: str) -> str:
    """What a line says of those that it stands above, without its day; "" where it is too long for that."""
    told, language = text.strip(_MARKS), language_of(text)
    if (undated := without_days(told)) != told:
        undated = re.sub(r"\(\s*+\)", "", undated)
        kept = [word for word in undated.split() if weekday_of(word.strip(","), language) is None]
        while kept and (kept[-1].isdigit() or len(kept) > 1 and kept[-2].isdigit()):
            kept.pop()  # "10 to 14 December"
        told = " ".join(kept).strip(f"{_MARKS},")
    left = [word for word in BARE_WORD.findall(told) if not word.isdigit()]
    if all(weekday_of(word, language) is not None or word.casefold() in TIMES for word in left):
        return ""  # "Friday evening"
    short = _ASIDE.sub("", told) if len(told) > LONGEST_LEAD // 2 else told
    return short if len(short) <= LONGEST_LEAD else ""


def _title_lead(title: str, texts: Sequence[str]) -> str:
    """What a note's title says of its lines; "" where it is only a day, or where it is the first of those lines."""
    opening = [line for line in lines(texts[0][:2_000]) if line.text] if texts else []
    is_line = bool(opening) and opening[0].form is None and opening[0].text.startswith(title.rstrip("…")[:40])
    return "" if is_line and not is_title(texts[0]) else lead_of(title)


def is_title(text: str) -> bool:
    """Whether a paragraph is one short line of no sentence: what some write above a note without a mark."""
    told = [line for line in lines(text[:400]) if line.text]
    is_one = len(told) == 1 and told[0].form is None
    return is_one and len(told[0].text) <= LONGEST_LEAD and told[0].text[-1] not in f"{_ENDS}:"
