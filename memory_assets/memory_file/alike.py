"""Which chosen entry says the same as another item: found without comparing every pair. Pure.

What can be the same shares its text or a sentence, its days, its kind (denial, numbers, speaker) and all its words,
or lies near in its vector. Each chosen item is looked up by these, its vector multiplied with all others at once;
only what is found so is judged by :func:`says_the_same`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memory_assets.memory_file import validity, weighing

if TYPE_CHECKING:
    from memory_assets.memory_file.items import Item

_PART_END = re.compile(r"(?<=[.!?:])\s+")

MARGIN = 1e-3
"""Products of many unit vectors at once differ from those of two by less (rounding of four-byte numbers: 1e-6)."""


def says_the_same(item: Item, other: Item, near_duplicate: float) -> bool:
    """Whether a chosen item ``other`` says what ``item`` says; ``near_duplicate`` is a cosine."""
    if item.folded == other.folded or is_sentence_of(item.folded, other.folded):
        return item.speaker == other.speaker or None in (item.speaker, other.speaker)
    if item.days and item.days == other.days and len(weighing.telling(item.words & other.words)) >= 2:
        return True  # one task with one day, in two people's or two days' words
    if item.polarity != other.polarity or item.speaker != other.speaker:
        return False
    if item.words and item.words <= other.words:
        return not validity.turned(item.said, other.said)
    if item.vector is None or other.vector is None or len(item.vector) != len(other.vector):
        return False
    return float(item.vector @ other.vector) >= near_duplicate


class Alike:
    """The chosen items by what others can share with them."""

    def __init__(self, items: Iterable[Item], near_duplicate: float) -> None:
        self.near_duplicate = near_duplicate
        self._vectors = dict(_by_width(items))
        self._shared: dict[object, list[Item]] = {}
        self._near: dict[str, list[Item]] = {}

    def add(self, chosen: Item) -> None:
        """Note that an item stands in the file."""
        for key in (*_keys(chosen), *_sentences(chosen)):
            self._shared.setdefault(key, []).append(chosen)
        if chosen.vector is not None and len(chosen.vector) in self._vectors:
            ids, matrix = self._vectors[len(chosen.vector)]
            for place in np.flatnonzero(matrix @ chosen.vector >= self.near_duplicate - MARGIN):
                self._near.setdefault(ids[place], []).append(chosen)

    def first(self, item: Item, chosen: Sequence[Item]) -> Item | None:
        """The first of ``chosen``, each of which was added, that says the same as ``item``."""
        found = {id(other) for other in self._candidates(item) if says_the_same(item, other, self.near_duplicate)}
        return next((other for other in chosen if id(other) in found), None) if found else None

    def _candidates(self, item: Item) -> Iterator[Item]:
        text, kind, *days = _keys(item)
        for key in (text, *days, *_sentences(item)[:1]):
            yield from self._shared.get(key, ())
        yield from (other for other in self._shared.get(kind, ()) if item.words <= other.words)
        yield from self._near.get(item.memory.memory_id, ())


def _keys(item: Item) -> Iterator[object]:
    yield "text", item.folded
    yield "kind", item.polarity, item.speaker
    if item.days:
        yield "days", item.days


def _sentences(item: Item) -> list[tuple[str, str]]:
    return [("sentence", sentence) for sentence in _PART_END.split(item.folded)]


def is_sentence_of(text: str, longer: str) -> bool:
    """Whether ``longer`` says ``text`` word for word among its sentences."""
    at = longer.find(text) if len(text) < len(longer) else -1
    if at < 0 or text[-1:] not in ".!?":
        return False
    before, after = longer[:at].rstrip(), longer[at + len(text) :]
    return (not before or before[-1] in ".!?:") and (not after or after[0].isspace())


def _by_width(items: Iterable[Item]) -> Iterator[tuple[int, tuple[list[str], np.ndarray[Any, Any]]]]:
    widths: dict[int, list[Item]] = {}
    for item in items:
        if item.vector is not None:
            widths.setdefault(len(item.vector), []).append(item)
    for width, of_width in widths.items():
        vectors = np.stack([item.vector for item in of_width if item.vector is not None])
        yield width, ([item.memory.memory_id for item in of_width], vectors)
