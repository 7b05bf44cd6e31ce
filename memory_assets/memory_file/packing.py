"""Whole entries packed into section budgets, the most valuable first: the state of one selection. Pure.

A section takes its statements in the order of their rank and worth (``weighing.py``), less what the chosen entries
already cover (``novelty.py``), each whole; one that does not fit leaves its place to the next that does. Its cost is
what the file grows by: its line, and its year's where no entry of the section has brought that yet.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memory_assets.memory_file import alike, render, weighing
from memory_assets.memory_file.candidates import LeftOut, SectionUse, Selection
from memory_assets.memory_file.ceilings import Size, Sizes, fits, minus, plus
from memory_assets.memory_file.items import Item, Reading
from memory_assets.memory_file.novelty import Coverage

ALREADY_SAID, NO_ROOM = "already said", "no room"
"""How the reasons begin why a memory that is worth a place is in no file."""
COVERED_SHARE = 1 / 3
"""A source of which the file has so much of what is worth a line is told: of 20 such summaries readers found 6 good."""


@dataclass
class Used:
    """What a section holds so far, and the years that are written in it."""

    size: Size
    years: set[str | None] = field(default_factory=set)


class Packing:
    """The state of one selection: what is chosen and used so far, and the items that wait, the best first."""

    def __init__(self, reading: Reading, items: Iterable[Item], first: Collection[str] = ()) -> None:
        self.sizes: Sizes = reading.sizes
        self._reading = reading
        self.first = frozenset(first)
        self.left_out: list[LeftOut] = list(reading.left_out)
        self.used = {name: Used(self.sizes.nothing) for name in render.SECTIONS}
        self.chosen: list[Item] = []
        self._by_ref: dict[str, Item] = {}
        self._coverage = Coverage(reading.user)
        self._said: list[tuple[Item, list[str]]] = []
        in_turn = best_first(items)
        self.waiting = {name: [i for i in in_turn if i.memory.section == name] for name in render.SECTIONS}

    @property
    def spare(self) -> Size:
        """What no section uses."""
        left = self.sizes.total
        for used in self.used.values():
            left = minus(left, used.size)
        return tuple(max(0, size) for size in left)

    def fill(self, section: str, limit: Size | None = None, now: Callable[[Item], object] = lambda item: True) -> None:
        """Pack of a section what may come ``now``, up to ``limit`` in all (None: what is left), the best beside what
        is chosen first, recent context in its order; what does not fit still waits.
        """
        used = self.used[section]
        limit = plus(used.size, self.spare) if limit is None else limit
        items: list[Item] = []
        waiting: list[Item] = []
        later: list[Item] = []
        for item in self.waiting[section]:
            (items if now(item) else later).append(item)
        for item in iter(items) if section == "recent" else self._best_first(items):
            if item.entry.ref in self._by_ref:
                self.left_out.append(item.memory.left_out("its reference is taken by another entry"))
                continue
            if said := self._said_by(item):
                self._said.append((item, said))
                continue
            grown = plus(used.size, self._cost(item))
            if not fits(grown, limit):
                waiting.append(item)
                continue
            used.size = grown
            used.years.add(render.year_of(item.entry.day))
            self.chosen.append(item)
            self._coverage.add(item)
            self._by_ref[item.entry.ref] = item
        self.waiting[section] = waiting + later

    def _best_first(self, items: Iterable[Item]) -> Iterator[Item]:
        """Items by rank and by what they are worth beside what is chosen when they are taken.

        That only falls, so that it is worked out anew for the best alone.
        """
        heap = [(_place(item, item.worth), n, item) for n, item in enumerate(items)]
        heapq.heapify(heap)
        while heap:
            place, n, item = heapq.heappop(heap)
            now = _place(item, self._worth(item))
            if heap and now > place and now > heap[0][0]:
                heapq.heappush(heap, (now, n, item))
            else:
                yield item

    def _worth(self, item: Item) -> float:
        return item.worth if item.memory_id in self.first else self._coverage.worth(item)

    def _cost(self, item: Item) -> Size:
        """Its size, with its section's heading and its year's line where the file has none yet."""
        used, cost = self.used[item.memory.section], item.size
        if not any(used.size):
            cost = plus(cost, self.sizes.headings[item.memory.section])
        return cost if render.year_of(item.entry.day) in used.years else plus(cost, item.year_size)

    def _said_by(self, item: Item) -> list[str]:
        """The entries that say it already: one word for word, or several all of it, of an overview most."""
        if item.memory.entity_type != "KnowledgeChunk":
            return self._covering(item) or alike.said_by(item, self.chosen)
        if item.memory.is_standing:
            return []
        whole = next((other for other in self.chosen if alike.is_sentence_of(item.folded, other.folded)), None)
        if whole is not None:
            return [whole.entry.ref]
        return [] if item.memory_id in self.first else self._coverage.wholly_by(item)

    def _covering(self, source: Item) -> list[str]:
        """The entries that tell of a source what is worth telling; none where they tell only a little of that."""
        worth_telling = self._reading.worth_telling.get(source.memory_id, set())
        if source.memory.by_editor or source.memory_id in self.first:
            return []
        repeated = self._reading.repeated
        ids = {repeated[name][1].memory_id if name in repeated else name for name in worth_telling}
        telling = {item.entry.ref: ids & item.rests_on for item in self.chosen}
        covered = set().union(*telling.values())
        return [ref for ref, some in telling.items() if some] if len(covered) >= COVERED_SHARE * len(ids) else []

    def _least(self, item: Item) -> tuple[bool, bool, float, str]:
        memory_id = item.memory_id
        return memory_id not in self.first, not item.memory.is_standing, -item.worth, memory_id

    def drop_said(self) -> bool:
        """Take out the overviews that entries chosen after them say, and that say none themselves; whether there were
        any.
        """
        statements = [item for item in self.chosen if item.memory.entity_type == "KnowledgeChunk"]
        overviews = (item for item in self.chosen if item.memory.entity_type != "KnowledgeChunk")
        say = {ref for _, refs in self._said for ref in refs}
        free = (item for item in overviews if item.entry.ref not in say)
        said = [(item, refs) for item in free if (refs := self._covering(item) or alike.said_by(item, statements))]
        if not said:
            return False
        for item, _ in said:
            self.chosen.remove(item)
            del self._by_ref[item.entry.ref]
        self._said += said
        for name, used in self.used.items():
            used.years = {render.year_of(item.entry.day) for item in self.chosen if item.memory.section == name}
        self.recount()
        return True

    def recount(self) -> None:
        """Put what is chosen in the order of the file, and take each section's real size as it is rendered: lines count
        a little otherwise together than alone.
        """
        self.chosen = in_order(self.chosen)
        for name, used in self.used.items():
            entries = (item.entry for item in self.chosen if item.entry.section == name)
            used.size = self.sizes.measure(render.render_section(name, entries))

    def finish(self) -> Selection:
        """Order, render and count; the least of the file goes while the real count is too high."""
        sizes, missed = self.sizes, [item for items in self.waiting.values() for item in items]
        while True:
            self.recount()
            entries = tuple(item.entry for item in self.chosen)
            # Only an empty file fits a ceiling below the title's own size.
            text = render.render(sizes.called, entries) if min(sizes.total) >= 0 else ""
            whole = plus(sizes.nothing, *(used.size for used in self.used.values()))
            if fits(sizes.measure(text), sizes.limits) and fits(whole, sizes.total) or not self.chosen:
                break
            least = max(self.chosen, key=self._least)
            self.chosen.remove(least)
            missed.append(least)
        refs = {entry.ref for entry in entries}
        for item, said in self._said:
            if refs.issuperset(said):
                how = ", a third or more of what is worth a line," if self._covering(item) else ""
                self.left_out.append(item.memory.left_out(f"{ALREADY_SAID}{how} by {', '.join(said)}"))
            else:
                missed.append(item)
        self.left_out += [item.memory.left_out(self._no_room_for(item)) for item in missed]
        reasons = {row.memory_id: row.reason for row in self.left_out}
        # For each repetition the entry that says it, or why what says it is not there either.
        for memory, other in self._reading.repeated.values():
            why = reasons.get(other.memory_id)
            same = f"{ALREADY_SAID} by {other.ref}" if why is None else f"says the same as {other.ref}: {why}"
            self.left_out.append(memory.left_out(same))
        sizes_used = {name: used.size[0] for name, used in self.used.items()}
        budgets = {name: max(0, size[0]) for name, size in sizes.budgets.items()}
        sections = effective_budgets(sizes_used, budgets, max(0, sizes.total[0]))
        left_out = tuple(sorted(self.left_out, key=lambda row: row.memory_id))
        entry_tokens = tuple(i.tokens for i in self.chosen)
        return Selection(text, sizes.count(text), entries, entry_tokens, sections, left_out)

    def _no_room_for(self, item: Item) -> str:
        """What it needs and what is left, how its value ranks in its section, or which entries cover most of it."""
        cost, spare = self._cost(item), self.spare
        reason = f"{NO_ROOM} left in the finished file"
        short = [
            (need, left, unit) for need, left, unit in zip(cost, spare, self.sizes.units, strict=True) if need > left
        ]
        if short:
            need, left, unit = short[0]
            reason = f"{NO_ROOM}: it needs {need} {unit}, {left} are left"
        values = [other.memory.value_score for other in self.chosen if other.memory.section == item.memory.section]
        if values and item.memory.value_score < min(values):
            value, last = item.memory.value_score, min(values)
            reason += f"; its value of {value:.3f} is below the {last:.3f} of the last in its section"
        elif mostly := self._coverage.mostly_by(item, self.chosen):
            reason += f"; the words that tell most of it stand in {', '.join(mostly)}"
        return reason


def newest_first(items: Iterable[Item]) -> list[Item]:
    """Items by the time of their events, the newest first, those of unknown time last."""
    return sorted(items, key=lambda i: (*weighing.newest_first(i.memory.occurred_at), i.memory_id))


def best_first(items: Iterable[Item]) -> list[Item]:
    """Items by rank and worth; between equals what was said first decides, then the id."""
    return sorted(items, key=lambda item: _place(item, item.worth))


def _place(item: Item, worth: float) -> tuple[Any, ...]:
    memory = item.memory
    said = (*weighing.newest_first(memory.occurred_at), memory.turn, memory.position)
    return item.rank, -worth, said, memory.memory_id


def in_order(chosen: Iterable[Item]) -> list[Item]:
    """What is chosen, in the order of the file."""
    return sorted(chosen, key=lambda item: weighing.place_of(item.memory))


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
