"""The blocks of a note, and their places: below which headings, behind which line that announces them, in which
column. Pure.

"clinic back door 4417#" says nothing without "Codes" above it, and "1 scoop" nothing without "morning". A title that is
only a day says nothing that the note's own day does not. An item of a list, a table's row and a line that was broken
on purpose are one thing each, however many sentences they have.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import NamedTuple

from memory_assets.llm.local.days import is_month, weekday_of, without_days
from memory_assets.llm.local.gazetteer import is_given_name, is_surname
from memory_assets.llm.local.language import ENGLISH, language_of, words_in
from memory_assets.llm.local.lexicon import KIN_AND_ROLES, PERSON_NOUNS
from memory_assets.llm.local.sentence_features import Setting
from memory_assets.llm.local.sentences import FENCE, LONGEST, MOST_WORDS, Form, Line, Piece, lines, pieces
from memory_assets.llm.local.standalone import TIMES
from memory_assets.text.words import BARE_WORD

LONGEST_LEAD = 80
"""Characters of a line that can lead in others; a longer one says something itself."""
MOST_ABOVE = 2
"""So many of the title, the headings and the lines above a line lead it in: the innermost."""
_MOST_OUTER = MOST_ABOVE + 3
"""So many are looked at: some say nothing beside those below them."""
_MOST_WORDS_OF_LEAD = 6
_QUOTED = 10
"""A quoted heading is so many levels lower: it is below all that are outside of the quotation."""
_FULL = 60
"""A line of so many characters may have been wrapped by an editor."""
ITEMS = frozenset({Form.BULLET, Form.STEP, Form.TODO, Form.DONE})
_APART = frozenset({Form.CODE, Form.UNREAD})
_ENDS = ".!?…。！？"
_ENDED = re.compile(rf"[{_ENDS}](?:\s|$)")
_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\s*+\|?(?>(?:\s*+:?-++:?\s*+\|)+)\s*+:?-*+:?\s*+\|?\s*+$")
_ASIDE = re.compile(r"(?<!\s)\s*+\([^()]{0,200}\)\s*+$")
_QUOTE_MARK = re.compile(r"\s{0,3}(?:>(?!\d)\s?)+")
_DRAWN = re.compile(r"\s*+(?>(?:[-=*_~]\s*+){3,})$")
_MAIN = re.compile(r"^ {0,3}#[ \t]", re.MULTILINE)
_MARKS = " \t:：–—-*_"
_PAIR = re.compile(r"[^.!?\n]{1,60}?(?::\s|：| (?:=|→|->|–|—|-) )\s*\S")
_RUN_IN = re.compile(r"\s{0,3}(?P<mark>\*\*|__)(?P<label>[^*_\n:]{1,60})(?::(?P=mark)|(?P=mark):)\s+\S")
_MOST_NAMES, _SHORTEST_NAME = 3, 4
"""Of a heading that is a name: so many words, of which shorter ones may be anything ("my", "Dr")."""
PEOPLE = KIN_AND_ROLES | PERSON_NOUNS
_YEAR = re.compile(r"(?<!\d)(?:19|20|21)\d\d(?!\d)")
_DAY = "\0"


class Place(NamedTuple):
    """A block's place. ``above``: what leads it in, the outermost first. ``row``: its cells behind their columns'
    names, where it is a table's row; a whole list, where it opens one of bare things. ``is_listed``: it is in such a
    list. ``is_line``: it is a line of its own, no part of a paragraph. ``is_quoted``: it is somebody else's words.
    """

    above: tuple[str, ...] = ()
    row: str = ""
    is_line: bool = False
    is_listed: bool = False
    is_quoted: bool = False

    @property
    def is_below_somebody(self) -> bool:
        """Whether the innermost line above it is a person's name, or what somebody is to the writer, and nothing
        else but for an aside: "Graeme (mine)", "Dr Lim", but not "Doctor questions", nor the month of May.
        """
        words = BARE_WORD.findall(_ASIDE.sub("", self.above[-1])) if self.above else []
        if len(words) > _MOST_NAMES or len(words) == 1 and is_month(words[0], ENGLISH):
            return False
        are_names = [is_given_name(one) or is_surname(one) or one.casefold() in PEOPLE for one in words]
        is_known = any(is_given_name(one) or one.casefold() in PEOPLE for one in words)
        return is_known and all(one or len(word) < _SHORTEST_NAME for one, word in zip(are_names, words, strict=True))

    def lead(self, text: str) -> str:
        """What is above a block and not in its ``text``."""
        return ", ".join(one for one in self.above[-MOST_ABOVE:] if not _says(text, one))


class Block(NamedTuple):
    """A block as it is written, and its undecorated text. ``is_whole``: it is one thing, whatever sentences it has."""

    raw: str
    text: str
    form: Form | None
    place: Place
    is_whole: bool = False


@dataclass
class _Walk:
    """A note that is being gone through: the headings above, the line that announces, the items that a line is in.

    ``has_mains``: several main headings are in it, so that none of them says what all of it is about. ``kind``: what
    follows the line that announces, a list or a table.
    """

    title: str
    has_mains: bool = False
    headings: list[tuple[int, str]] = field(default_factory=list)
    announced: str = ""
    kind: str = ""
    items: list[tuple[int, str]] = field(default_factory=list)
    columns: Sequence[str] = ()
    is_quoted: bool = False

    def place(self, row: str = "") -> Place:
        inner = (text for _, text in self.items)
        # A main heading says what the note is about, as its title does.
        title = "" if any(level == 1 and text for level, text in self.headings) else self.title
        leads = [text for text in (title, *(text for _, text in self.headings), self.announced, *inner) if text]
        leads = leads[-_MOST_OUTER:]
        above = (one for at, one in enumerate(leads) if not any(_says(other, one) for other in leads[at + 1 :]))
        return Place(tuple(above), row, is_quoted=self.is_quoted)

    def announce(self, text: str = "") -> None:
        """What a line announces, or that nothing is announced any more."""
        self.announced, self.kind, self.items = text, "", []

    def follow(self, kind: str, indent: int) -> None:
        """What was announced is one list or one table."""
        if self.kind not in {"", kind}:
            self.announce()
        self.kind = kind
        self.items = [one for one in self.items if one[0] < indent]

    def quote(self, is_quoted: bool) -> None:
        """A quotation begins or ends: what is above in it leads nothing outside."""
        if self.is_quoted and not is_quoted:
            self.headings = [one for one in self.headings if one[0] < _QUOTED]
        if self.is_quoted != is_quoted:
            self.announce("" if self.is_quoted or self.kind else self.announced)
            self.columns = ()
        self.is_quoted = is_quoted

    def interrupt(self, line: Line) -> None:
        """A rule, or code that is no part of an item, ends what is announced."""
        if _DRAWN.match(line.raw[:300]) or _is_apart(line) and not _indent(line):
            self.announce()
            self.columns = ()


def blocks(title: str, texts: Sequence[str]) -> Iterator[list[Block]]:
    """The blocks of each part of a note, but for tables' headers and code that no line announces; headings hold for the
    parts behind them, too.
    """
    walk = _Walk(_title_lead(title, texts), sum(len(_MAIN.findall(text)) for text in texts) > 1)
    parts = [*map(_unquoted, texts), []]
    for part, following in pairwise(parts):
        walk.quote(False)
        yield list(_blocks(walk, part, following[0][0] if following else None, title))


def _unquoted(text: str) -> list[tuple[Line, bool]]:
    """The lines of a text without the mark of a quotation, and whether they had one."""
    bare = (
        (line, _QUOTE_MARK.sub("", line.raw, count=1) if line.raw[:4].lstrip()[:1] == ">" else line.raw)
        for line in lines(text)
    )
    return [(line._replace(raw=raw), raw != line.raw) for line, raw in bare]


def sentences_of(found: Sequence[Block]) -> Iterator[tuple[Piece, Place]]:
    """The sentences of a note's part: its blocks, as far as each is one thing and can be remembered as that."""
    for block in found:
        section = block.place.above[-1] if block.place.above else ""
        if block.is_whole and words_in(block.text) <= MOST_WORDS and len(block.text) <= LONGEST:
            yield Piece(block.text, block.form or Form.SENTENCE, section), block.place
            continue
        above, labels = block.place.above, [label["label"] for label in _RUN_IN.finditer(block.raw)]
        for piece in pieces(block.raw):
            label = next((one for one in labels if piece.text.startswith(f"{one}:")), None)
            if label and section in labels:  # a paragraph's label leads in what follows it up to the next one
                above = (*above[:-1], label)
            yield Piece(piece.text, piece.form, piece.section or section), block.place._replace(above=above, row="")


def below(setting: Setting, piece: Piece, place: Place) -> Setting:
    """Where a sentence of a note was said: with what is above it."""
    is_item = piece.form in ITEMS or place.is_line
    is_led = piece.form is not Form.HEADING and bool(place.above) and bool(lead_of(place.above[-1]))
    is_run_in = is_led and piece.text.startswith(f"{place.above[-1]}:")
    is_entry = is_led and is_item and (place.is_below_somebody or is_pair(piece.text)) or is_run_in
    return setting._replace(
        lead=place.lead(piece.text) if is_led else "",  # a day says nothing of what was noted on it
        row=place.row,
        is_line=place.is_line,
        is_entry=is_entry and not place.is_listed,
        is_of_somebody=is_entry and is_item and place.is_below_somebody,
        is_listed=place.is_listed,
    )


def is_pair(text: str) -> bool:
    """Whether it says something of what its first words name: "shed key = under the pot"."""
    return _PAIR.match(text) is not None and "?" not in text


def names_above(above: Sequence[str]) -> list[str]:
    """The given names in the innermost line above that has any; of names in a row ("Anna Maria") the first."""
    for one in reversed(above):
        names = [word for word in BARE_WORD.finditer(one) if is_given_name(word[0])]
        if names:
            return [
                name[0] for at, name in enumerate(names) if not at or one[names[at - 1].end() : name.start()].strip()
            ]
    return []


def _blocks(walk: _Walk, quotable: Sequence[tuple[Line, bool]], following: Line | None, title: str) -> Iterator[Block]:
    walk.columns = ()
    part = [line for line, _ in quotable]
    prose_lines = sum(line.form is None and bool(line.text) and not line.raw.lstrip().startswith("|") for line in part)
    for group in _groups(part, [is_quoted for _, is_quoted in quotable]):
        line, end = part[group[0]], group[-1] + 1
        if _is_apart(line) or not line.text:
            walk.interrupt(line)
            continue
        walk.quote(quotable[group[0]][1])
        after = part[end] if end < len(part) else following
        own = [part[at] for at in group if not _is_apart(part[at])]
        raw, text = "\n".join(part[at].raw for at in group), " ".join(one.text for one in own)
        is_whole = len(own) == len(group)
        if line.form is Form.HEADING:
            yield Block(raw, text, line.form, _of_heading(walk, line, title))
        elif line.raw.lstrip().startswith("|"):
            if (place := _of_row(walk, line, after)) is not None:
                yield Block(raw, text, line.form, place, is_whole=True)
            continue
        elif line.form in ITEMS:
            yield Block(raw, text, line.form, _of_item(walk, line, after), is_whole=is_whole)
        else:
            place = _of_prose(walk, line, after, opens=not group[0])
            # Other lines of prose are beside it, or a list right below it.
            is_line = prose_lines > len(own) or bool(walk.announced)
            form = Form.HEADING if walk.announced else None
            if label := _RUN_IN.match(line.raw):
                place = place._replace(above=(*place.above, label["label"]))
            yield Block(raw, text, form, place._replace(is_line=is_line), is_whole=is_line and is_whole)
        walk.columns = ()


def _groups(part: Sequence[Line], quoted: Sequence[bool]) -> Iterator[list[int]]:
    """The lines of each block: an item with the lines that go on with it, a paragraph that an editor has wrapped, each
    with the code that it announces. A line that is none of a block is alone.
    """
    wrapped = _wrapped(part, quoted)
    group: list[int] = []
    for at in range(len(part)):
        if group and _joins(part, group, at, is_wrapped=wrapped[group[0]]) and quoted[at] == quoted[group[0]]:
            group.append(at)
            continue
        if group:
            yield group
        group = [at]
    if group:
        yield group


def _joins(part: Sequence[Line], group: Sequence[int], at: int, *, is_wrapped: bool) -> bool:
    first, last, line = part[group[0]], part[group[-1]], part[at]
    if _is_apart(first) or not first.text or first.form is Form.HEADING or first.raw.lstrip().startswith("|"):
        return False
    if _is_apart(line) and line.form is not Form.UNREAD:
        return _is_apart(last) or last.text.endswith(":")
    goes_on = line.form is None and bool(line.text) and not line.raw.lstrip().startswith("|") and not _is_apart(last)
    return goes_on and (first.form is not None or is_wrapped)


def _is_apart(line: Line) -> bool:
    """Whether a line is code, or its fence, or nobody's to be remembered."""
    return line.form in _APART or not line.text and FENCE.match(line.raw) is not None


def _indent(line: Line) -> int:
    raw = line.raw.expandtabs(4)
    return len(raw) - len(raw.lstrip())


def _wrapped(part: Sequence[Line], quoted: Sequence[bool]) -> list[bool]:
    """Of each line whether an editor has wrapped the prose from there on: no line had room for the next one's first
    word, and a sentence goes on.
    """
    found = [False] * len(part)
    width, least, goes_on = 0, sys.maxsize, False
    for at in range(len(part) - 1, -1, -1):
        text = part[at].raw.strip()
        if part[at].form is not None or not part[at].text:
            continue
        following = part[at + 1] if at + 1 < len(part) and quoted[at + 1] == quoted[at] else None
        if following is None or following.form is not None or not following.text:
            width, least, goes_on = len(text), sys.maxsize, False
        else:
            below = following.raw.strip()
            width, goes_on = max(width, len(text)), goes_on or below[0].islower()
            least = min(least, len(text) + 1 + len(below.split()[0]))
        found[at] = goes_on and _FULL <= width < least
    return found


def _of_heading(walk: _Walk, line: Line, title: str) -> Place:
    level = len(line.raw.lstrip()) - len(line.raw.lstrip().lstrip("#")) + (_QUOTED if walk.is_quoted else 0)
    walk.headings = [one for one in walk.headings if one[0] < level]
    walk.announce()
    place = walk.place()
    is_title = not walk.has_mains and (level == 1 or line.text == title)
    walk.headings.append((level, lead_of(line.text) if is_title else _short(line.text.strip(_MARKS))))
    return place


def _of_row(walk: _Walk, line: Line, after: Line | None) -> Place | None:
    row = line.raw.strip().removeprefix("|")
    row = row if row.endswith("\\|") else row.removesuffix("|")
    cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(row)]
    walk.follow("rows", _indent(line))
    if after is not None and _RULE.match(after.raw[:300]):
        walk.columns = cells
        return None
    if not any(map(str.isalnum, row)):
        return None
    pairs = zip_longest(walk.columns[: len(cells)], cells, fillvalue="")
    return walk.place("; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell))


def _of_item(walk: _Walk, line: Line, after: Line | None) -> Place:
    indent = _indent(line)
    walk.follow("items", indent)
    place = walk.place()
    is_parent = after is not None and after.form in {None, *ITEMS} and bool(after.text) and _indent(after) > indent
    walk.items.append((indent, _short(line.text.strip(_MARKS)) if is_parent else ""))
    return place


def _of_prose(walk: _Walk, line: Line, after: Line | None, *, opens: bool) -> Place:
    """A line that announces what is right below it leads that in; any other ends what was announced, but for a
    paragraph of an item.
    """
    is_followed = after is not None and (after.form in ITEMS or after.raw.lstrip().startswith("|"))
    is_short = len(line.text.split()) <= _MOST_WORDS_OF_LEAD and not _ENDED.search(line.text)
    around = [one for one in walk.items if one[0] < _indent(line)]
    if around:
        walk.items = around
        return walk.place()
    walk.announce()
    place = walk.place()
    if is_followed and (line.text[-1] in ":：" or opens and is_short):
        walk.announce(_short(line.text.strip(_MARKS)))
    return place


def lead_of(text: str) -> str:
    """What a title says of what is below it, without its day; "" where it is only a day or a span of months, or too
    long for that.
    """
    title, language = text.strip(_MARKS), language_of(text)
    words = without_days(title, f" {_DAY} ").split()
    if _DAY in words:
        left = [word for at, word in enumerate(words) if word != _DAY and not _is_of_day(words, at, language)]
        title = re.sub(r"\(\s*+\)", "", " ".join(left)).strip(f"{_MARKS},")
    named = [word for word in BARE_WORD.findall(title) if not word.isdigit()]
    months = {word for word in named if is_month(word, language)}
    if len(months) == 1 and not _YEAR.search(title):
        months = set()  # "August" and "June" are people, too
    if all(weekday_of(word, language) is not None or word.casefold() in TIMES or word in months for word in named):
        return ""  # "Friday evening", "Jan – Mar 2026"
    return _short(title)


def _is_of_day(words: Sequence[str], at: int, language: str) -> bool:
    """Whether a word goes with the day beside it: its weekday, or "10 to" before it."""
    beside = {*words[max(0, at - 1) : at], *words[at + 1 : at + 2]}
    if _DAY in beside and weekday_of(words[at].strip(",.("), language) is not None:
        return True
    if words[at + 1 : at + 2] == [_DAY]:
        joins = at > 0 and _joins_days(words[at]) and (words[at - 1] == _DAY or words[at - 1].rstrip(".").isdigit())
        return joins or words[at][-1] in "-–—/" and words[at][:-1].rstrip(".").isdigit()
    is_first = words[at].rstrip(".").isdigit() and words[at + 2 : at + 3] == [_DAY]
    return is_first and _joins_days(words[at + 1])


def _joins_days(word: str) -> bool:
    """Whether it may join two days of one month: "10 to 14", "10 – 14"."""
    return word in {"-", "–", "—", "/", "&", "+"} or word.isalpha() and len(word) <= 3


def _short(text: str) -> str:
    """A line as it leads in others; "" where it is too long for that, or says nothing."""
    short = _ASIDE.sub("", text) if len(text) > LONGEST_LEAD // 2 else text
    return short if len(short) <= LONGEST_LEAD and any(map(str.isalnum, short)) else ""


def _says(text: str, lead: str) -> bool:
    """Whether a text has the words of what is above it."""
    said, words = (" ".join(BARE_WORD.findall(one.casefold())) for one in (text, lead))
    return f" {words} " in f" {said} " if words else lead in text


def _title_lead(title: str, texts: Sequence[str]) -> str:
    """What a note's title says of its lines; "" where it is only a day, or where it is the first of those lines."""
    opening = [line for line in lines(texts[0][:2_000]) if line.text] if texts else []
    is_line = bool(opening) and opening[0].form is None and opening[0].text.startswith(title.rstrip("…")[:40])
    return "" if is_line and not is_title(texts[0]) else lead_of(title)


def is_title(text: str) -> bool:
    """Whether a paragraph is one short line of no sentence: what some write above a note without a mark."""
    filled = [line for line in lines(text[:400]) if line.text]
    is_one = len(filled) == 1 and filled[0].form is None
    return is_one and len(filled[0].text) <= LONGEST_LEAD and filled[0].text[-1] not in f"{_ENDS}:"
