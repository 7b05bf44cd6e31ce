"""How much of a memory the chosen entries of a file already cover. Pure.

In the manner of maximal marginal relevance (Carbonell and Goldstein, 1998): of memories of nearly the same worth, the
one with more that is new comes first. A memory's content is its content words, names and figures, each weighed by how
rare it is in English, without the names of whose memory it is. An entry covers the words that both have in common,
where these are more than one (scattered words are no repetition) and the entry is of no other day. Value stays first: a
memory with enough that is new loses nothing, and none loses all of its worth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from memory_assets.llm.local.days import days_in, is_of_then
from memory_assets.memory_file import alike, render, weighing
from memory_assets.memory_file.items import Item
from memory_assets.text import content as words
from memory_assets.text import when
from memory_assets.text.words import WORD

MOST_TAKEN_OFF = 0.4
"""The part of its worth that a wholly covered memory loses."""
HALF = 0.5
"""A memory of which the entries cover no more than this loses nothing."""
NAMED, RAREST = 3.0, 4.0
"""The least weight of a figure or a name, and the most of any word, where a word weighs how rare it is."""
NEARLY_ALL, NEAR = 0.8, 0.7
"""A memory repeats a single entry that covers so much of it and is so near it in its vector, where the words left
over name nobody and no figure.
"""
CLOSE, ABOUT, MOSTLY = 0.6, 0.5, 0.55
"""A statement also repeats entries in other words where the nearest is as near as ``CLOSE`` in its vector, all that are
as near as ``ABOUT`` cover ``MOSTLY`` of it, and the words left over name nobody and no figure.
"""
IN_COMMON = 2
"""An entry with fewer words in common with a memory than this, and not all of its words, covers nothing of it."""
_PART_END = re.compile(r"[,;.!?](?=\s|$)|\band\b")
# With its unit: 400ms is not 400kB.
_FIGURE = re.compile(rf"{words.FIGURE.pattern}(?:%|[^\W\d_]+)?")


@dataclass
class _Seen:
    """A memory as it is compared: its words by weight, its times, and what the first ``entries`` cover of it."""

    weights: dict[str, float]
    words: frozenset[str]
    times: frozenset[str]
    entries: int = 0
    covered: set[str] = field(default_factory=set)
    share: float = 0.0
    closest: tuple[float, str] = (0.0, "")
    nearby: set[str] = field(default_factory=set)
    nearest: tuple[float, str] = (0.0, "")
    parts: list[set[str]] | None = None


class Coverage:
    """What the chosen entries of one file cover, in the order in which they were chosen."""

    def __init__(self, user: str) -> None:
        self._user = user
        self._entries: list[Item] = []
        self._seen: dict[str, _Seen] = {}

    def add(self, item: Item) -> None:
        """Take an entry in."""
        self._entries.append(item)

    def worth(self, item: Item) -> float:
        """What a memory is worth beside the entries: this only falls while entries are added."""
        if _has_full_worth(item):
            return item.worth
        above_half = max(0.0, self.share(item) - HALF) / (1.0 - HALF)
        return item.worth * (1.0 - MOST_TAKEN_OFF * above_half**2)

    def share(self, item: Item) -> float:
        """How much of a memory the entries cover, from 0 to 1."""
        seen = self._read(item)
        if seen.entries < len(self._entries) and len(seen.covered) < len(seen.words):
            for entry in self._entries[seen.entries :]:
                common = self._in_common(entry, item, seen)
                seen.covered |= common
                near = alike.cosine(entry, item) if common else 0.0
                if near < ABOUT or not _may_say_again(entry, item):
                    continue
                seen.nearby |= common
                seen.nearest = max(seen.nearest, (near, entry.entry.ref))
                if near >= NEAR and not _names_another(item, seen.words - common):
                    seen.closest = max(seen.closest, (_part_of(seen.weights, common), entry.entry.ref))
            seen.entries, seen.share = len(self._entries), _part_of(seen.weights, seen.covered)
        return seen.share

    def mostly_by(self, item: Item, entries: Iterable[Item]) -> list[str]:
        """The references of the fewest entries that cover more than half of a memory; none where they cover less."""
        seen, covered, refs = self._read(item), frozenset[str](), []
        common = {entry.entry.ref: self._in_common(entry, item, seen) for entry in entries}
        common = {ref: words for ref, words in common.items() if words}
        part = 0.0
        while part <= HALF:
            gain, ref = max(
                ((_part_of(seen.weights, covered | words), ref) for ref, words in common.items()), default=(0, "")
            )
            if gain <= part:
                return []
            part, covered = gain, covered | common[ref]
            refs.append(ref)
        return refs

    def _in_common(self, entry: Item, item: Item, seen: _Seen) -> frozenset[str]:
        """The words of a memory that an entry covers."""
        read = self._read(entry)
        shared = seen.words & read.words
        is_enough = shared and len(shared) >= min(IN_COMMON, len(seen.words))
        return shared if is_enough and _may_cover(entry, item) and seen.times <= read.times else frozenset()

    def wholly_by(self, item: Item) -> list[str]:
        """The references of the entries that say all of a statement, each part of it in one of them; none where some
        of it is new. A single entry need not have every word of it.

        Where it takes several, each begins as it does, with the same subject and verb, and none was said before it.
        """
        if _has_full_worth(item) or item.memory.entity_type != "KnowledgeChunk":
            return []
        share, (part, ref) = self.share(item), self._read(item).closest
        if part >= NEARLY_ALL:
            return [ref]
        if self._is_in_other_words(item):
            return [self._read(item).nearest[1]]
        if share < 1.0:
            return []
        opening = self._opening(item)
        entries = [
            entry
            for entry in self._entries
            if entry.memory.entity_type == "KnowledgeChunk"
            and entry.speaker == item.speaker
            and _may_cover(entry, item)
            and self._read(item).times <= self._read(entry).times
            and entry.days == item.days
            and not _is_before(entry, item)
            and not alike.turned(entry.said, item.said)
            and _words_of(entry.plain_text)[: len(opening)] == opening
        ]
        known = [(entry.entry.ref, part) for entry in entries for part in self._parts(entry)]
        found = [next((ref for ref, other in known if part <= other), "") for part in self._parts(item)]
        return list(dict.fromkeys(found)) if all(found) else []

    def _is_in_other_words(self, item: Item) -> bool:
        """Whether it says in other words what an entry says, and names nobody and no figure that is new."""
        seen = self._read(item)
        if item.memory.section == "tasks" or seen.nearest[0] < CLOSE or _part_of(seen.weights, seen.nearby) < MOSTLY:
            return False
        return not _names_another(item, seen.words - seen.nearby)

    def _read(self, item: Item) -> _Seen:
        seen = self._seen.get(item.memory_id)
        if seen is None:
            weights = weigh(item.plain_text, self._whose(item))
            seen = self._seen[item.memory_id] = _Seen(weights, frozenset(weights), _times_of(item))
        return seen

    def _whose(self, item: Item) -> str:
        return f"{self._user} {item.memory.label or ''}" if item.memory.entity_type == "KnowledgeChunk" else self._user

    def _opening(self, item: Item) -> list[str]:
        """The words before the first name or figure, but for the names of whose it is."""
        text, terms = item.plain_text, _words_of(item.plain_text)
        mine = _words_of(self._whose(item))
        names = {word for name in words.names_beside(text, "") for word in _words_of(name)}.difference(mine)
        return terms[: next((n for n, word in enumerate(terms) if word in names or word[0].isdigit()), len(terms))]

    def _parts(self, item: Item) -> list[set[str]]:
        seen = self._read(item)
        if seen.parts is None:
            seen.parts = _parts_of(item.plain_text, self._whose(item))
        return seen.parts


def _parts_of(text: str, whose: str) -> list[set[str]]:
    """The words of each part of a list, together with those of the first one that hold for all of them.

    A part of a single word goes with the next one: "Ana and Ben have sold the cello" says nothing of Ana alone.
    """
    texts = _PART_END.split(text)
    names = _names_in(texts[0])
    of_all = {word for word in weigh(texts[0], whose) if word not in names and not word[0].isdigit()}
    parts: list[set[str]] = []
    waiting: set[str] = set()
    for part in texts:
        waiting |= weigh(part, whose).keys()
        if len(waiting) >= IN_COMMON:
            parts.append(waiting)
            waiting = set()
    if waiting:
        parts = [*parts[:-1], waiting.union(*parts[-1:])]
    return [part | of_all for part in parts]


def weigh(text: str, whose: str = "") -> dict[str, float]:
    """The stems of a text's content words, and its figures, each by its weight, but for the names of whose it is."""
    named = _names_in(text)
    found = {
        word: min(RAREST, max(rarity, NAMED if word in named else 0.0))
        for word, rarity in words.weighed(_FIGURE.sub(" ", text)).items()
    }
    found |= dict.fromkeys(_FIGURE.findall(text.casefold()), NAMED)
    goes_without_saying = words.content_words(whose)
    return {word: weight for word, weight in found.items() if word not in goes_without_saying}


def _names_in(text: str) -> frozenset[str]:
    """The stems of the names in a text, but for those of days and months."""
    return frozenset(weighing.distinctive(words.content_words(" ".join(words.names_beside(text, "")))))


def _has_full_worth(item: Item) -> bool:
    """Whether its worth never falls, whatever else is in the file: a person's own line, an order, a composed line."""
    memory = item.memory
    return memory.is_written or memory.is_standing or item.entry.composed_by is not None


def _may_cover(entry: Item, item: Item) -> bool:
    """Whether an entry can cover anything of a memory: both by one person, both denied or neither, of one day."""
    by_one = entry.speaker == item.speaker or entry.memory.entity_type != "KnowledgeChunk"
    of_others = entry.days and item.days and entry.days != item.days
    return by_one and entry.polarity[0] == item.polarity[0] and not of_others


def _may_say_again(entry: Item, item: Item) -> bool:
    """Whether an entry may say what a memory says: not what is to be done where the other reports it."""
    both = (entry.memory.section == "tasks") is (item.memory.section == "tasks")
    return both and not alike.turned(entry.said, item.said)


def _names_another(item: Item, left: Iterable[str]) -> bool:
    """Whether the words ``left`` of a memory name somebody or something, or are figures."""
    names = _names_in(item.plain_text)
    return any(word in names or word[0].isdigit() for word in left)


def _part_of(weights: dict[str, float], covered: Iterable[str]) -> float:
    whole = math.fsum(weights.values())
    return math.fsum(weights[word] for word in covered) / whole if whole else 0.0


def _times_of(item: Item) -> frozenset[str]:
    """The days that a memory names, and what it means by "yesterday"; of "last week" the day on which it was said."""
    text, said = item.plain_text, weighing.day_of(item.memory.occurred_at)
    times = {render.written_day(day) for day in days_in(text, said)}
    times |= {f"{meant} {said}" for _, meant in when.notes_of(text, said)}
    if not times and is_of_then(text):
        times = {str(said)}
    return frozenset(times)


def _is_before(entry: Item, item: Item) -> bool:
    one, other = weighing.day_of(entry.memory.occurred_at), weighing.day_of(item.memory.occurred_at)
    return other is not None and (one is None or one < other)


def _words_of(text: str) -> list[str]:
    return WORD.findall(text.casefold())
