"""Between which days something holds, as whoever remembered it has said. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

_SENTENCE_ENDS = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")


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


def shares_words(text: str, words: str) -> bool:
    """Whether one says a whole sentence of the other's."""
    return says(text, words) or any(says(words, sentence) for sentence in _SENTENCE_ENDS.split(text))


def says(text: str, words: str) -> bool:
    """Whether words are some of a text's, whatever the spaces between them."""
    return bool(words.split()) and " ".join(words.split()) in " ".join(text.split())
