"""Whether a composed line says what the memories that it cites say, and nothing else. Pure.

Judged are its names, numbers, days and denials, whom it speaks of, and how many of its words are its own. These are
forms: what passes can still be worded badly; in place of what fails a memory stands in its own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TypeVar, cast

from memory_assets.clock import MONTHS
from memory_assets.memory_file import validity, when, words

M = TypeVar("M", bound=Mapping[str, object])
LONGEST = 300
MOST_CITED = 8
OWN_SHARE = 3
"""One in so many words of a sentence may stand in nothing that it cites: one of them at least."""
_FIRST_OR_SECOND = re.compile(
    r"\b(?:I|[Mm](?:e|y|ine|yself)|[Ww]e|us|[Oo]ur(?:s|selves)?|[Yy]ou(?:rs?|rself|rselves)?)\b"
)
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_DENIED_WORDS = 5
_COUNTED_WORDS = 2


@dataclass(frozen=True)
class Cited:
    """A memory as a composed line cites it: its words, whose they are, and the day (``YYYY-MM-DD``) they are of."""

    ref: str
    memory_id: str
    section: str
    text: str
    said_by: str | None = None
    day: str | None = None
    rest_superseded_by: str | None = None

    @cached_property
    def on(self) -> date | None:
        """Its day."""
        return date.fromisoformat(self.day) if self.day else None

    @property
    def meant(self) -> tuple[str, ...]:
        """The dates that it means by "yesterday" and the like."""
        return tuple(meant for _, meant in when.notes_of(self.text, self.on))

    @property
    def says(self) -> str:
        """Its words with whose they are, and the dates that it means."""
        return " ".join((self.said_by or "", self.text, *self.meant))


def parts_of(entries: Iterable[M]) -> Iterator[M]:
    """The memories that entries of a draft or manifest rest on: those that a composed line cites, else its own."""
    for entry in entries:
        yield from cast(Sequence[M], entry.get("rests_on")) or (entry,)


def placed(entries: Iterable[Mapping[str, object]]) -> list[str]:
    """The ids of all memories that stand in a file, by its entries."""
    return [str(part["memory_id"]) for part in parts_of(entries)]


def fault(text: str, cited: Sequence[Cited]) -> str | None:
    """Why a line does not follow from what it cites; None where it does."""
    if len(text) > LONGEST:
        return f"longer than {LONGEST} characters"
    if len(cited) > MOST_CITED:
        return f"rests on more than {MOST_CITED} memories"
    if found := _FIRST_OR_SECOND.search(text):
        return f"not in the third person ({found[0]!r})"
    return next(filter(None, _faults(text, cited)), None)


def tells(text: str, one: Cited) -> float:
    """How much of a memory's content a line says, by its words: from 0 to 1."""
    wanted = _read(one.text)
    return len(wanted & _read(text)) / len(wanted) if wanted else 0.0


def _faults(text: str, cited: Sequence[Cited]) -> Iterator[str | None]:
    yield _unnamed_speaker(text, cited)
    yield _foreign_day(text, cited)
    yield _foreign_name(text, cited)
    yield _foreign_number(text, cited)
    yield _turned_denial(text, cited)
    yield _own_words(text, cited)


def _read(text: str) -> frozenset[str]:
    return words.content_words(validity.without_days(text))


def _foreign_name(text: str, cited: Sequence[Cited]) -> str | None:
    """A capitalised word that none of them says. At the beginning of a sentence common words may be capitalised."""
    known = {word for one in cited for word in _words(one.says) | _dated(one)}
    for sentence in _SENTENCE_END.split(validity.without_days(text)):
        for place, match in enumerate(_TOKEN.finditer(sentence)):
            word = _POSSESSIVE.sub("", match[0])
            is_common = place == 0 and (word.casefold() in words.STOP_WORDS or _is_said(word, cited))
            if any(map(str.isupper, word)) and word.casefold() not in known and not is_common:
                return f"names {word!r}, which nothing that it cites does"
    return None


def _is_said(word: str, cited: Sequence[Cited]) -> bool:
    return _read(word) <= _said(cited)


def _said(cited: Sequence[Cited]) -> frozenset[str]:
    return _read(" ".join(one.says for one in cited))


def _foreign_number(text: str, cited: Sequence[Cited]) -> str | None:
    """A number that none of them says, or that counts something else than where they say it."""
    said = [pair for one in cited for pair in _counted(one.says)]
    years = {str(one.on.year) for one in cited if one.on}
    for number, counts in _counted(validity.without_days(text)):
        theirs = [what for other, what in said if other == number]
        if not theirs and number not in years:
            return f"says {number}, which nothing that it cites does"
        if len(number) < 4 and counts and all(theirs) and not any(counts & what for what in theirs):
            return f"counts something else by {number} than what it cites"
    return None


def _counted(text: str) -> list[tuple[str, frozenset[str]]]:
    """Each number in a text with the words that follow it: what it counts."""
    tokens = [match[0] for match in re.finditer(rf"{_NUMBER.pattern}|{_TOKEN.pattern}|[.,;:!?]", text)]
    found = []
    for place, token in enumerate(tokens):
        number = when.NUMBERS.get(token.casefold()) if token.casefold() != "one" else None
        written = _NUMBER.search(token)
        if number is not None or written:
            value = str(number) if number is not None else written[0].replace(",", "") if written else ""
            behind = " ".join(tokens[place + 1 : place + 1 + _COUNTED_WORDS])
            found.append((value, _read(re.split(r"[.,;:!?]", behind)[0])))
    return found


def _turned_denial(text: str, cited: Sequence[Cited]) -> str | None:
    """A denial that none of them says, or that is lost of what the line tells of them."""
    mine, whole = _denied(text), _read(text)
    theirs = [_denied(one.text) for one in cited]
    every = [what for denied in theirs for what in denied]
    if any(not any(not what or what & other for other in every) for what in mine):
        return "denies what nothing that it cites denies"
    if not mine and (theirs and all(theirs) or any(what & whole for what in every)):
        return "leaves out a denial"
    if any(what & whole and not any(what & other for other in mine) for what in every):
        return "leaves out a denial"
    return None


def _denied(text: str) -> list[frozenset[str]]:
    return [_read(" ".join(behind.split()[:_DENIED_WORDS])) for behind in words.denied(text)]


def _own_words(text: str, cited: Sequence[Cited]) -> str | None:
    """A sentence of which too little stands in what it cites."""
    known = _said(cited)
    for sentence in _SENTENCE_END.split(text):
        said = _read(sentence)
        if said and (not said & known or len(said - known) > max(1, len(said) // OWN_SHARE)):
            return "says much that nothing which it cites says"
    return None


def _unnamed_speaker(text: str, cited: Sequence[Cited]) -> str | None:
    """Whoever speaks of themselves in what it cites is named in the line."""
    named = _words(text)
    for one in cited:
        if one.said_by and _FIRST_OR_SECOND.search(one.text) and not named & _words(one.said_by):
            return f"does not name {one.said_by}, whose words it cites"
    return None


def _foreign_day(text: str, cited: Sequence[Cited]) -> str | None:
    """A day that none of them names or is of; or one told by what "yesterday" is, of words of several days."""
    own = {one.on for one in cited}
    newest = max((day for day in own if day), default=None)
    if len(own) > 1 and when.notes_of(text, newest):
        return "tells a day by another one, of words of several days"
    named = {day for one in cited for said in (one.text, *one.meant) for day in validity.days_in(said, one.on)}
    foreign = next((day for day in validity.days_in(text, newest) if day not in named | own), None)
    return f"names {foreign.isoformat()}, which nothing that it cites does" if foreign else None


def _words(text: str) -> set[str]:
    return {_POSSESSIVE.sub("", match[0]).casefold() for match in _TOKEN.finditer(text)}


def _dated(one: Cited) -> set[str]:
    """The month of its day, as it may be written."""
    return {MONTHS[one.on.month - 1].casefold()} if one.on else set()
