"""The words of a line of a MEMORY.md: whether they say something alone, lead in what follows, or name a day. Pure."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from memory_assets.sources.dates import parse_written_date
from memory_assets.sources.formats.markdown import DATES, date_in
from memory_assets.text.words import BARE_WORD

FEWEST_WORDS = 4
"""A line of fewer words says nothing by itself; its heading leads it in."""
MANY_WORDS = 8
WHOLE_WORDS = 30
"""Words of a paragraph that stays one statement."""
WHOLE_SIGNS = {False: 240, True: 80}
"""Its characters at most; fewer where each is nearly a word."""
LONGEST_LEAD = 120
WIDE = 45
"""Characters of a line that an editor wraps; in a narrower one each may stand for itself."""
STATEMENT_WORDS = 6
"""A heading of as many words says something itself."""

_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_QUOTE = re.compile(r"^ {0,3}(?:> ?)+")
_MARKS = re.compile(r"^\s*(?:(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s|$)|\[[ xX✓✔~-]\](?=\s|$))\s*)*")
_NUMBER = re.compile(r"^\s*(?:\d+(?:\.\d+)*[.)]|[IVX]+\.)\s+")
_SYMBOLS = re.compile("^[\\s\u2190-\u2bff\U0001f000-\U0001faff\ufe0f\u200d:–—-]+")
_TITLE = (
    r"(?:memory|memories|memory\.md|heartbeat(?:\.md)?|claude(?:\.md)?|agents?(?:\.md)?|notes?|misc(?:ellaneous)?|"
    "general|other|facts?|key facts|overview|summary|details?|information|info|context|background|long[- ]term memory|"
    "index|log|journal|diary|history|insights?|key insights|learnings?|lessons(?: learned)?|preferences?|"
    "user preferences|personal preferences|tasks?|to[- ]?dos?|active tasks|done|reminders?|rules?|instructions?|"
    "conventions?|guidelines?|user|about(?: me| the user| user)?|profile|user profile|me|core|important|remember|"
    "recent context|current state|status)"
)
_GENERAL = re.compile(
    f"^(?:(?:my|the|your|our|more|all|key|long[- ]term|core|important|personal|user) )*{_TITLE}(?: (?:and|&|"
    f"/) {_TITLE})*$",
    re.I,
)
_KEY = re.compile(r"^[^\s:|][^:|\n]{0,60}:\s+\S")
_LEANS = re.compile(
    "^(?:that|this|these|those|it|its|they|their|he|she|his|her|so|but|and|then|however|also|otherwise|which|"
    r"because|instead|therefore|thus|if so|else|e\.g\.|i\.e\.|for example|for instance)\b",
    re.I,
)
# A point behind it ends no sentence for sure: an ordinal ("am 3. März"), an initial, letters one by one ("z. B.", "p.
# ex.").
_OPEN_END = re.compile(r"(?<![^\W_])(?:\d{1,2}|[^\W\d_](?:\. ?[^\W\d_]{1,3})?)\.$")
_MONTHS = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?)"
)
_DAY = re.compile(
    rf"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+|(?:mon|tue|wed|thu|fri|sat|sun),?\s+)?"
    rf"(?P<day>\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)? {_MONTHS},? \d{{4}}|"
    rf"{_MONTHS} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}\.\d{{1,2}}\.\d{{4}})"
    r"(?:[T ,]+\d{1,2}:\d{2}(?::\d{2})?(?:\s?(?:[ap]m|utc|z))?)?(?:\s*\((?:mon|tue|wed|thu|fri|sat|sun)\w*\))?",
    re.I,
)
_EDGE = " \t[]()*_`:;,.–—-|"
_DAY_FIELDS = ("updated", "last_updated", "last updated", "updated_at", "modified", "last_modified", *DATES)


def has_words(text: str) -> bool:
    """Whether there is a letter or a digit in it."""
    return any(map(str.isalnum, text))


def signs_of(text: str) -> str:
    """The letters and digits of a text alone."""
    return "".join(filter(str.isalnum, text))


def words_in(text: str) -> set[str]:
    """The words of a text, without case."""
    return set(BARE_WORD.findall(text.casefold()))


def unmarked(line: str) -> str:
    """A line without the signs before it: of quotations, of items, of boxes."""
    return _MARKS.sub("", line)


def inline(text: str) -> str:
    """A line's words on one line, without the signs of bold print."""
    plain = " ".join(text.replace("\\\n", " ").split()).removesuffix("\\")
    return _EMPHASIS.sub(r"\2", plain).strip()


def unquoted(line: str) -> str:
    """A line without the signs of a quotation before it."""
    return _QUOTE.sub("", line) if line.lstrip(" ").startswith(">") else line


def label(text: str) -> str:
    """A heading's words: no number, symbol or bold print before them, no colon behind."""
    bare = _SYMBOLS.sub("", inline(text))
    return _NUMBER.sub("", bare).strip(" :") if not _DAY.match(bare) else bare.strip(" :")


def is_general(title: str) -> bool:
    """Whether a heading says nothing but that memories, or memories of a type, are below it."""
    return not has_words(title) or _GENERAL.match(label(title)) is not None


def can_lead(title: str) -> bool:
    """Whether a heading says what the lines below it are about, and no more than that."""
    return not is_general(title) and not is_statement(title, dated=False)


def split_day(text: str, *, is_heading: bool = False) -> tuple[str | None, str]:
    """The day (``YYYY-MM-DD``) that a line begins with, or that a short one ends with, and the rest of its words.

    A heading ends with its day as it likes; any other line in brackets alone: else the day is one that it speaks of.
    """
    bare = text.lstrip(" *_`[(")
    match = _DAY.match(bare)
    rest = bare[match.end() :] if match else ""
    if match is None and len(text.split()) <= 8 and (found := list(_DAY.finditer(text))):
        last = found[-1]
        is_its_day = is_heading or text[: last.start()].endswith(("(", "["))
        if is_its_day and not text[last.end() :].strip(_EDGE):
            match, rest = last, text[: last.start()]
    day = _read_day(match["day"]) if match else None
    return (day, rest.strip(_EDGE)) if day else (None, text)


def day_of_fields(fields: Mapping[str, object]) -> str | None:
    """The day of a file, by its front matter."""
    found = date_in(fields, _DAY_FIELDS)
    return found.date().isoformat() if found else None


def _read_day(text: str) -> str | None:
    if text[:4].isdigit():
        text = re.sub(r"[-.]", "/", text)
    found = parse_written_date(text)
    return found.date().isoformat() if found else None


def says_something_alone(text: str) -> bool:
    """Whether a line says something without its heading: a whole sentence, or many words."""
    if _wide(text):
        return len(text) >= 8
    is_sentence = text.rstrip("\"')*`").endswith((".", "!", "?"))
    return len(text.split()) >= (FEWEST_WORDS if is_sentence else MANY_WORDS)


def _wide(text: str) -> bool:
    """Text of a script without spaces between words."""
    letters = [char for char in text if char.isalpha()]
    return bool(letters) and sum("\u3040" <= char <= "\u9fff" for char in letters) * 2 > len(letters)


def is_statement(heading: str, *, dated: bool) -> bool:
    """Whether a heading says something itself: a sentence, ``key: value``, or what happened on a day."""
    count = len(heading.split())
    if _wide(heading):
        return len(heading) >= 16
    return (
        count >= (3 if dated else STATEMENT_WORDS)
        or bool(_KEY.match(heading))
        or (count >= 3 and heading.endswith((".", "!", "?")))
    )


def leads_in(text: str) -> bool:
    """Whether a line only introduces what is nested in it or follows it."""
    bare = inline(text)
    return (
        has_words(bare)
        and len(bare) <= LONGEST_LEAD
        and (
            bare.endswith((":", "："))
            or (len(bare.split()) < FEWEST_WORDS and not bare.endswith((".", "!", "?")) and not _wide(bare))
        )
    )


def is_announcing(line: str) -> bool:
    """Whether a line of prose announces what follows it: by a colon, or as a line in bold print alone."""
    return leads_in(line) and (
        inline(line).endswith((":", "：")) or line.strip() in (f"**{inline(line)}**", f"__{inline(line)}__")
    )


def as_lead(text: str) -> str:
    """The words with which a line leads in another, cut between words where they are many."""
    bare = inline(text).rstrip(" :：.")
    if len(bare) <= LONGEST_LEAD:
        return bare
    return bare[:LONGEST_LEAD].rsplit(" ", 1)[0] + "…"


def own_lines(lines: Sequence[str]) -> Iterator[list[str]]:
    """The lines of a paragraph in groups: one that was broken on purpose begins anew, one that was wrapped goes on."""
    width = max((len(line.strip()) for line in lines), default=0)
    pairs = list(zip(lines, lines[1:], strict=False))
    is_full = len(lines) > 2 and not any(_has_room(*pair, width) for pair in pairs)
    is_wrapped = is_full and any(map(_is_small, lines[1:]))
    group = [*lines[:1]]
    for above, line in pairs:
        goes_on = is_wrapped or (
            width >= WIDE and (_is_small(line) or not _has_room(above, line, min(width, 100) * 0.75))
        )
        if _begins_anew(above, line) or not goes_on:
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _is_small(line: str) -> bool:
    return line.strip()[:1].islower()


def _has_room(above: str, line: str, width: float) -> bool:
    """Whether the first word of a line would have stood in the one above it."""
    return len(above.strip()) + 1 + len(line.lstrip().partition(" ")[0]) <= width


def _begins_anew(above: str, line: str) -> bool:
    """Whether a line shows that it was broken on purpose, whatever the width."""
    text, before = line.strip(), above.strip()
    if not text or not before or above.endswith(("  ", "\\")):
        return True
    bare = text.lstrip("*_`")
    is_key = _KEY.match(bare) and len(bare.split(":")[0].split()) <= 4 and not before.endswith((",", ";", "(", "-"))
    return bool(is_key or _SYMBOLS.match(text) or _DAY.match(bare) or text.startswith(("•", "·", "✓", "✗", "|")))


def sentences(text: str, cut_sentences: Callable[[str], list[str]]) -> list[str]:
    """A paragraph as statements: whole where it is short, else its sentences, with those that lean on them."""
    if len(text.split()) <= WHOLE_WORDS and len(text) <= WHOLE_SIGNS[_wide(text)]:
        return [text] if text else []
    statements: list[str] = []
    for part in _between(text, cut_sentences(text)):
        short = len(part.split()) < FEWEST_WORDS and not _wide(part)
        closes = unicodedata.category(part[0]) in ("Pe", "Pf")
        if statements and (short or closes or _LEANS.match(part) or _OPEN_END.search(statements[-1])):
            statements[-1] += f" {part}"
        else:
            statements.append(part)
    return statements or [text]


def _between(text: str, parts: Iterable[str]) -> Iterator[str]:
    """The text cut where the parts begin, so that what a part leaves out (a bare sign) goes with the one before."""
    starts = [0]
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            continue
        if found > 0:
            starts.append(found)
        at = found + len(part)
    bounds = sorted({*starts, len(text)})
    for begin, end in zip(bounds, bounds[1:], strict=False):
        if piece := text[begin:end].strip():
            yield piece


def line_spans(lines: Sequence[str], parts: Sequence[str]) -> list[tuple[int, int]]:
    """In which of the lines (the last excluded) each part is, by counting letters: print and spaces may differ."""
    ends: list[int] = []
    total = 0
    for line in lines:
        total += len(signs_of(line))
        ends.append(total)
    spans = []
    done = 0
    for part in parts:
        begin = min(bisect_right(ends, done), max(len(ends) - 1, 0))
        done += len(signs_of(part))
        until = min(bisect_left(ends, done), max(len(ends) - 1, 0))
        spans.append((begin, until + 1))
    if spans:
        spans[-1] = (spans[-1][0], len(lines))
    return spans


def cut(text: str, longest: int) -> list[str]:
    """A text in parts of at most ``longest`` characters, cut between lines, else words, else anywhere."""
    parts: list[str] = []
    begin = 0
    while len(text) - begin > longest:
        middle, end = begin + longest // 2, begin + longest
        at = max(text.rfind("\n", middle, end), -1)
        at = at if at > 0 else text.rfind(" ", middle, end)
        at = at if at > 0 else end
        parts.append(text[begin:at].strip())
        begin = at
    parts.append(text[begin:].strip())
    return [part for part in parts if part]
