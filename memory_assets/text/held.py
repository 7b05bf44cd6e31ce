"""The days between which something holds, as said when it was remembered. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeVar

from memory_assets.text.words import SENTENCE_END, UNSPACED_SIGN

_ENDS = " .!?…。！？"

T = TypeVar("T")


@dataclass(frozen=True)
class Held:
    """The first and the last day (UTC) on which something holds; None: without a beginning, without an end."""

    first: date | None = None
    last: date | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Held:
        """By a row's ``valid_from`` and ``valid_to``, days as ISO 8601."""
        first, last = (date.fromisoformat(row[name]) if row.get(name) else None for name in ("valid_from", "valid_to"))
        return cls(first, last)

    def as_row(self) -> dict[str, str | None]:
        """The same as a row has it."""
        return {
            "valid_from": self.first.isoformat() if self.first else None,
            "valid_to": self.last.isoformat() if self.last else None,
        }

    def or_else(self, other: Held) -> Held:
        """These days; the other's where one is left out."""
        return Held(self.first or other.first, self.last or other.last)

    def and_also(self, other: Held) -> Held:
        """On which days both hold."""
        firsts = [day for day in (self.first, other.first) if day]
        lasts = [day for day in (self.last, other.last) if day]
        return Held(max(firsts, default=None), min(lasts, default=None))

    def changes(self) -> Iterator[date]:
        """The days from which on it holds, and no longer holds."""
        if self.first is not None:
            yield self.first
        if self.last is not None and self.last < date.max:
            yield self.last + timedelta(days=1)

    def note(self, day: date) -> str | None:
        """Why it does not hold on a day; None where it does."""
        if self.last is not None and day > self.last:
            return f"held until {self.last.isoformat()}"
        if self.first is not None and day < self.first:
            return f"holds from {self.first.isoformat()}"
        return None


ALWAYS = Held()


def held_by(words: str, records: Sequence[tuple[str, Held]]) -> Held:
    """The days on which all of some words hold, by the records of their source, each with its own days."""
    found = ALWAYS
    for sentence in _sentences(words):
        for held in closest(sentence, [(text, None if held == ALWAYS else held) for text, held in records]):
            found = found.and_also(held)
    return found


def closest(words: str, texts: Iterable[tuple[str, T | None]]) -> list[T]:
    """The notes of the texts that are closest to some words: that are or have them as a sentence, else contain them,
    else have the longest sentence that the words contain. Nothing where one of the closest has no note.
    """
    near = [(_closeness(text, words), note) for text, note in texts]
    best = max((close for close, _ in near), default=(0, 0))
    notes = [note for close, note in near if close == best and any(best)]
    return [note for note in notes if note is not None] if None not in notes else []


def says(text: str, words: str) -> bool:
    """Whether words are some of a text's, each of them whole, whatever the spaces between them."""
    return _has(_flat(text), _flat(words))


def _closeness(text: str, words: str) -> tuple[int, int]:
    flat, wanted = _flat(text), _flat(words)
    sentences = [_flat(sentence) for sentence in _sentences(text)]
    if wanted and wanted.rstrip(_ENDS) in (one.rstrip(_ENDS) for one in (flat, *sentences)):
        return 3, 0
    if _has(flat, wanted):
        return 2, 0
    longest = max((len(one) for one in sentences if _has(wanted, one)), default=0)
    return (1, longest) if longest else (0, 0)


def _has(flat: str, wanted: str) -> bool:
    # The look for the plain words comes first: hardly any text passes it.
    return bool(wanted) and wanted in flat and bool(re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", flat))


def _flat(text: str) -> str:
    """With one space between words, and around each sign of a script without spaces."""
    return " ".join(UNSPACED_SIGN.sub(r" \g<0> ", text).split())


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in SENTENCE_END.split(text) if sentence and sentence.strip()]
