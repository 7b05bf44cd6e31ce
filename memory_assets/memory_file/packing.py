"""Whole entries packed into section budgets: the state of one selection. Pure.

Greedy maximum coverage per size (Lin and Bilmes, 2010): an entry's score is ``gain x factor / cost ** .85``,
its gain what no chosen entry says yet (``words.py``), its factor its worth (``weighing.py``), its cost what
the file grows by: its line, and its year's where no entry of the section has brought that yet.
A date that is meant by "yesterday" (``when.py``) is paid and told where no chosen entry names it yet.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memory_assets.memory_file import render, weighing
from memory_assets.memory_file.alike import Alike, is_sentence_of
from memory_assets.memory_file.candidates import FileRules, LeftOut, Memory, SectionUse, Selection
from memory_assets.memory_file.items import Item, Reading
from memory_assets.memory_file.sizes import Size, Sizes, fits, minus, plus
from memory_assets.text import attribution

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass
class Used:
    """What a section holds so far, and the years that are written in it."""

    size: Size
    years: set[str | None] = field(default_factory=set)


class Packing:
    """The state of one selection: what is chosen, said and used so far."""

    def __init__(self, reading: Reading, items: Iterable[Item]) -> None:
        self.sizes: Sizes = reading.sizes
        self.user = reading.user
        self.rules: FileRules = reading.rules
        self.vocabulary = reading.vocabulary
        self.left_out: list[LeftOut] = list(reading.left_out)
        self.used = {name: Used(self.sizes.nothing) for name in render.SECTIONS}
        self.chosen: list[Item] = []
        self.said: set[str] = set()
        self.decided: set[str] = set()
        self.standing: set[str] = set()
        self.refs: set[str] = set()
        self.alike = Alike(items, reading.rules.near_duplicate)

    @property
    def spare(self) -> Size:
        """What no section uses."""
        left = self.sizes.total
        for used in self.used.values():
            left = minus(left, used.size)
        return tuple(max(0, size) for size in left)

    def leave_out(self, memory: Memory, reason: str) -> None:
        """Note why a memory does not stand in the file."""
        self.left_out.append(LeftOut(memory.ref, memory.memory_id, reason))

    def leave_waiting(self, item: Item) -> None:
        """Note that there was no room."""
        self.leave_out(item.memory, f"no room left in its section (needs {item.size[0]} {self.sizes.units[0]})")

    def fill(self, section: str, items: Sequence[Item], limit: Size) -> list[Item]:
        """Pack a section up to ``limit`` in all; returns what did not fit, its case still open."""
        waiting: list[Item] = []
        used = self.used[section]
        for item in self._by_score(section, items):
            already = self._already_said(item)
            if already:
                self.leave_out(item.memory, already)
                continue
            heading = self.sizes.nothing if any(used.size) else self.sizes.headings[section]
            grown = plus(used.size, heading, self._cost(section, item))
            if not fits(grown, limit):
                waiting.append(item)
                continue
            item.gain = self._gain(item)
            if self._names_a_date(item):
                item.entry = replace(item.entry, notes=item.notes)
                self.said |= item.note_words
            used.size = grown
            used.years.add(render.year_of(item.entry.day))
            self.chosen.append(item)
            self.alike.add(item)
            self.standing.add(item.memory.memory_id)
            self.said |= item.telling
            if item.decides:
                self.decided |= item.words
            self.refs.add(item.entry.ref)
        return waiting

    def _cost(self, section: str, item: Item) -> Size:
        """Its size, and its year's where no entry of the section has brought that yet."""
        used, cost = self.used[section], item.size
        if self._names_a_date(item):
            cost = plus(cost, item.notes_size)
        if render.year_of(item.entry.day) not in used.years:
            cost = plus(cost, item.year_size)
        return cost

    def _names_a_date(self, item: Item) -> bool:
        """Whether its notes say a day, month or year that nothing chosen names, nor the line's own day."""
        return not item.note_words <= self.said | item.telling

    def _by_score(self, section: str, items: Sequence[Item]) -> Iterable[Item]:
        """Best first, by a lazy heap: what has been said since only lowers a score (Minoux, 1978).

        But for one thing that raises scores: once a year is written, its other entries cost less. They are weighed
        again then; their older places in the heap are passed over.
        """
        beside: dict[str | None, list[Item]] = {}
        for item in items:
            beside.setdefault(render.year_of(item.entry.day), []).append(item)
        heap = [self._place(section, item) for item in items]
        heapq.heapify(heap)
        seen: set[str] = set()
        opened = set(self.used[section].years)
        while heap:
            place = heapq.heappop(heap)
            item = place[-1]
            if item.memory.memory_id in seen:
                continue
            fresh = self._place(section, item)
            if fresh > place and heap and fresh > heap[0]:
                heapq.heappush(heap, fresh)
                continue
            seen.add(item.memory.memory_id)
            yield item
            year = render.year_of(item.entry.day)
            if year not in opened and item.memory.memory_id in self.standing:
                opened.add(year)
                for other in beside[year]:
                    if other.memory.memory_id not in seen:
                        heapq.heappush(heap, self._place(section, other))

    def _place(self, section: str, item: Item) -> tuple[Any, ...]:
        # Between equals what was said first decides, then the id; the item's own address only if a memory stood here
        # twice.
        memory = item.memory
        said = (*weighing.newest_first(memory.occurred_at), memory.turn, memory.position)
        return item.rank, -self._score(section, item), said, memory.memory_id, id(item), item

    def _gain(self, item: Item, *, with_day: bool = True) -> float:
        if item.is_latest:
            return self.rules.repeated_by_latest * self._weight(item.words)
        telling = item.words
        if with_day:
            telling = item.telling | item.note_words if self._names_a_date(item) else item.telling
        gain = self._weight(telling - self.said)
        if item.decides:
            gain += self.rules.repeated_by_decision * self._weight((item.words & self.said) - self.decided)
        return gain

    def _weight(self, said: frozenset[str]) -> float:
        # Sorted, so that the sum's last digit does not depend on how a set happens to lie in memory.
        return math.fsum(sorted(self.vocabulary.weight(word) for word in said))

    def _score(self, section: str, item: Item) -> float:
        share = self.sizes.share(self._cost(section, item))
        return self._gain(item) * item.factor / max(share, 0.001) ** self.rules.length_power

    def _already_said(self, item: Item) -> str | None:
        """Why it need not be said: a chosen entry says the same, or together they say all of it."""
        if item.entry.ref in self.refs:
            return "its reference is taken by another entry"
        same = self.alike.first(item, self.chosen)
        if same is not None:
            return f"already said by {same.entry.ref}"
        # An instruction is only ever left out for one that says it whole. A recent summary repeats by nature what its
        # statements say, in part; of an overview that must not be most of it.
        if item.memory.section == "recent":
            return self._says_all_of(item)
        if item.memory.is_standing:
            return None
        is_overview = item.memory.entity_type != "KnowledgeChunk"
        least = self.rules.least_new_of_overview * self._weight(item.words) if is_overview else self.rules.least_gain
        if self._gain(item, with_day=False) < least:
            closest = max(self.chosen, key=lambda other: len(item.words & other.words), default=None)
            if closest is None or not item.words & closest.words:
                return "says nothing of its own"
            return f"already said by {closest.entry.ref}"
        return None

    def _says_all_of(self, item: Item) -> str | None:
        """Why a summary need not be said: each of its sentences stands word for word in the file."""
        closest: Item | None = None
        for part in _SENTENCE_END.split(item.folded):
            closest = next((o for o in self.chosen if _says(o, part)), None)
            if closest is None:
                return None
        return f"already said by {closest.entry.ref}" if closest else None

    def recount(self) -> None:
        """Take each section's real size: lines count a little otherwise together than alone."""
        for name, size in section_sizes(self._entries(), self.sizes).items():
            self.used[name].size = size

    def _entries(self) -> tuple[render.Entry, ...]:
        self.chosen = in_order(self.chosen)
        return tuple(item.entry for item in self.chosen)

    def finish(self) -> Selection:
        """Order, render and count; the entry that says least goes while the real count is too high."""
        sizes = self.sizes
        while True:
            entries = self._entries()
            counted = section_sizes(entries, sizes)
            # A ceiling below the title's own size is kept by an empty file.
            text = render.render(self.user, entries) if min(sizes.total) >= 0 else ""
            whole = plus(sizes.nothing, *counted.values())
            if fits(sizes.measure(text), sizes.limits) and fits(whole, sizes.total) or not self.chosen:
                break
            least = min(self.chosen, key=lambda i: (i.memory.is_standing, i.gain, i.memory.memory_id))
            self.chosen.remove(least)
            self.leave_out(least.memory, "no room left in the finished file")
        return Selection(
            text=text,
            tokens=sizes.count(text),
            entries=entries,
            entry_tokens=tuple(i.tokens for i in self.chosen),
            sections=effective_budgets(
                {name: size[0] for name, size in counted.items()},
                {name: max(0, size[0]) for name, size in sizes.budgets.items()},
                max(0, sizes.total[0]),
            ),
            left_out=tuple(sorted(self.left_out, key=lambda row: row.memory_id)),
        )


def _says(chosen: Item, sentence: str) -> bool:
    """Whether a chosen entry says a folded sentence word for word, both by the same person."""
    speaker = attribution.label_of(chosen.memory.label, chosen.memory.said_by_owner)
    said = sentence.removeprefix(f"{speaker}: ".casefold()) if speaker else sentence
    return said == chosen.folded or is_sentence_of(said, chosen.folded)


def newest_first(items: Iterable[Item]) -> list[Item]:
    """Items by the time of their events, the newest first, those of unknown time last."""
    return sorted(items, key=lambda i: (*weighing.newest_first(i.memory.occurred_at), i.memory.memory_id))


def in_order(chosen: Iterable[Item]) -> list[Item]:
    """What is chosen, in the order in which it stands in the file."""
    return sorted(chosen, key=lambda item: weighing.place_of(item.memory))


def section_sizes(entries: Sequence[render.Entry], sizes: Sizes) -> dict[str, Size]:
    """The real size of each section as it is rendered; nothing where it has no entries."""
    blocks: Mapping[str, str] = {
        name: render.render_section(name, [e for e in entries if e.section == name]) for name in render.SECTIONS
    }
    return {name: sizes.measure(block) if block else sizes.nothing for name, block in blocks.items()}


def effective_budgets(used: Mapping[str, int], budgets: Mapping[str, int], total: int) -> tuple[SectionUse, ...]:
    """Each section's budget after the flow: what it uses, and of what is left its own share back.

    They add up to ``total`` (the file's budget less its title) whatever flowed where.
    """
    left = total - sum(used.values())
    result = {}
    for name in render.SECTIONS:
        back = min(max(0, budgets[name] - used[name]), left)
        left -= back
        result[name] = SectionUse(name, used[name], used[name] + back)
    return tuple(result.values())
