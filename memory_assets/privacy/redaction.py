"""Words that were erased, found by keyed digests: names become a fixed mark wherever they are. Pure.

A digest says nothing of a word without a guess; with the key, a guess can be confirmed.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass

MARK = "[erased]"
_WORD = re.compile(r"\w+")


def marked(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """The text with a mark in the place of each span, in order; of some that overlap the first one's, for all of it."""
    pieces: list[str] = []
    position = 0
    for start, end, mark in spans:
        if start >= position or not pieces:
            pieces += [text[position:start], mark]
        position = max(position, end)
    return "".join(pieces) + text[position:]


def words_of(text: str) -> list[str]:
    """The words of a text, without their case."""
    return [word.casefold() for word in _WORD.findall(text)]


@dataclass(frozen=True)
class Door:
    """What of an owner may not come in again: sources by the digests of their ids, names by those of their words.

    ``longest`` is the number of words of the longest name.
    """

    key: str = ""
    sources: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    longest: int = 0

    def digest(self, text: str) -> str:
        """The keyed digest of an id or of a name's words."""
        return hmac.new(self.key.encode(), text.encode(), hashlib.sha256).hexdigest()[:32]

    def with_names(self, names: Iterable[str]) -> Door:
        """The same, for these names alone."""
        worded = [words for name in names if (words := words_of(name))]
        digests = frozenset(self.digest(" ".join(words)) for words in worded)
        return Door(self.key, self.sources, digests, max(map(len, worded), default=0))

    def is_erased(self, source_id: str) -> bool:
        """Whether the source with this id was erased."""
        return bool(self.sources) and self.digest(source_id) in self.sources

    def names_in(self, text: str) -> list[tuple[int, int]]:
        """Where erased names are, from left to right; of names in one another the longest."""
        if not self.names:
            return []
        found = list(_WORD.finditer(text))
        words = [match[0].casefold() for match in found]
        spans: list[tuple[int, int]] = []
        at = 0
        while at < len(words):
            for length in range(min(self.longest, len(words) - at), 0, -1):
                if self.digest(" ".join(words[at : at + length])) in self.names:
                    spans.append((found[at].start(), found[at + length - 1].end()))
                    at += length - 1
                    break
            at += 1
        return spans

    def redacted(self, text: str) -> str:
        """The text with the mark in the place of every erased name; the same text where there is none."""
        return marked(text, ((start, end, MARK) for start, end in self.names_in(text)))


OPEN = Door()
"""The door of an owner of whom nothing was erased."""
