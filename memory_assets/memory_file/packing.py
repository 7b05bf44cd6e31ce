"""Whole entries packed into section budgets: the state of one selection. Pure.

Greedy maximum coverage per size (Lin and Bilmes, 2010): an entry's score is ``gain x factor / cost ** .7``,
its gain what no chosen entry says yet (``words.py``), its factor its worth (``weighing.py``), its cost what
the file grows by. Insights of one source stand on one line with one reference: the first of them pays for
the line and brings its day, those after it only pay for their words; a line once opened is weighed again.
A date that is meant by "yesterday" (``when.py``) is paid and told where no chosen entry names it yet.

A cost has one figure per unit of the ceiling. A section is full when any unit is; entries compare by the
unit of which they take the largest part.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cache

import numpy as np

from memory_assets.memory_file import changes, render, validity, weighing, when, words
from memory_assets.memory_file.alike import Alike, is_sentence_of
from memory_assets.memory_file.candidates import (
    SHARES,
    Counter,
    FileRules,
    LeftOut,
    Memory,
    SectionUse,
    Selection,
)
from memory_assets.memory_file.ceilings import Ceiling

BYTES_PER_LINE = 125
"""What a line may hold where only lines are limited, as in 25,000 bytes of 200 lines: lines cannot grow for ever."""
# A reference as it ends a line; all have as many tokens, bytes and characters.
_REFERENCE = " [123456789]\n"

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")

Size = tuple[int, ...]
LineKey = tuple[str, str | None, str]


@dataclass(eq=False)
class Item:
    """A memory that may stand in the file, measured and read once."""

    memory: Memory
    entry: render.Entry
    tokens: int
    size: Size
    year_size: Size
    lead_size: Size
    label_size: Size
    line: LineKey | None
    words: frozenset[str]
    # The words and those of its day: what the file says once the entry stands there.
    telling: frozenset[str]
    rank: tuple[int, int]
    factor: float
    decides: bool
    is_latest: bool
    polarity: tuple[bool, tuple[str, ...]]
    folded: str
    vector: np.ndarray | None
    days: frozenset[date] = frozenset()
    # The dates that it means by "yesterday": written where the file does not name them otherwise.
    notes: tuple[tuple[str, str], ...] = ()
    notes_size: Size = ()
    note_words: frozenset[str] = frozenset()
    gain: float = 0.0


@dataclass
class Used:
    """What a section holds so far, and the years, lines and speakers' parts of lines that are open in it."""

    size: Size
    years: set[str | None] = field(default_factory=set)
    lines: set[LineKey] = field(default_factory=set)
    labels: set[tuple[LineKey, str | None]] = field(default_factory=set)


class Packing:
    """The state of one selection: what is chosen, said and used so far."""

    def __init__(self, user: str, count_tokens: Counter, rules: FileRules) -> None:
        # Many lines are measured alone and as a part of others.
        self.user, self.count, self.rules = user, cache(count_tokens), rules
        limits = rules.ceiling.limits
        if set(limits) == {"lines"}:
            limits = limits | {"bytes": limits["lines"] * BYTES_PER_LINE}
        self.bounds = Ceiling(**limits)
        self.limits = tuple(limits.values())
        self.units = tuple(limits)
        title = self.measure(render.render_title(user))
        self.total = minus(self.limits, title)
        self.budgets = {name: tuple(limit * share // 100 for limit in self.limits) for name, share in SHARES.items()}
        # The title is paid by the largest section.
        largest = max(SHARES, key=lambda name: SHARES[name])
        self.budgets[largest] = minus(self.budgets[largest], title)
        self.nothing: Size = (0,) * len(self.units)
        self.headings = {name: self.measure(f"\n## {render.HEADINGS[name]}\n") for name in render.SECTIONS}
        self.line_size = plus(self.measure(_REFERENCE), self._measure_inside("-"))
        self.used = {name: Used(self.nothing) for name in render.SECTIONS}
        self.year_sizes: dict[str | None, Size] = {}
        self.day_words: dict[str | None, frozenset[str]] = {}
        self.chosen: list[Item] = []
        self.said: set[str] = set()
        self.decided: set[str] = set()
        self.standing: set[str] = set()
        self.refs: set[str] = set()
        self.left_out: list[LeftOut] = []
        self.vocabulary = words.Vocabulary()
        self.alike = Alike((), rules.near_duplicate)

    def measure(self, text: str) -> Size:
        """The size of ``text`` in each unit of the ceiling."""
        return tuple(self.bounds.measure(text, self.count).values())

    def _measure_inside(self, text: str) -> Size:
        """The same for a part of a line, which is no line of its own."""
        return tuple(0 if unit == "lines" else size for unit, size in self.bounds.measure(text, self.count).items())

    @property
    def spare(self) -> Size:
        """What no section uses."""
        left = self.total
        for used in self.used.values():
            left = minus(left, used.size)
        return tuple(max(0, size) for size in left)

    def leave_out(self, memory: Memory, reason: str) -> None:
        """Note why a memory does not stand in the file."""
        self.left_out.append(LeftOut(memory.ref, memory.memory_id, reason))

    def leave_waiting(self, item: Item) -> None:
        """Note that there was no room."""
        self.leave_out(item.memory, f"no room left in its section (needs {item.size[0]} {self.units[0]})")

    def prepare(self, pool: Sequence[Memory]) -> list[Item]:
        """Clean, measure and read every memory once; leave out at once what can never stand in the file."""
        newest = max((weighing.utc(m.occurred_at) for m in pool if m.occurred_at), default=None)
        short = weighing.short_labels(pool)
        has_owner = any(m.said_by_owner for m in pool)
        items = []
        for stored in pool:
            if len(stored.text) > self.rules.longest_text:
                self.leave_out(stored, f"longer than a file of {self.limits[0]:d} {self.units[0]} can hold")
                continue
            memory = weighing.placed(weighing.as_told(stored), self.user, newest, has_owner)
            entry = weighing.entry_of(memory, short)
            if not any(c.isalnum() for c in entry.text):
                self.leave_out(memory, "says nothing in words")
                continue
            item = self._item(stored, memory, entry, newest)
            alone = plus(self.measure(entry.line + "\n"), item.year_size, self.headings[memory.section])
            whole = self.rules.budgets[memory.section]
            most = tuple(
                total if unit == "lines" else limit * SHARES[memory.section] // 100
                for unit, limit, total in zip(self.units, self.limits, self.total, strict=True)
            )
            if not fits(alone, most):
                size = self.measure(entry.line + "\n")[0]
                unit = self.units[0]
                self.leave_out(memory, f"longer than its section's budget of {whole} {unit} ({size} {unit})")
                continue
            items.append(item)
        items = self._standing(items)
        self.alike = Alike(items, self.rules.near_duplicate)
        return items

    def _standing(self, items: Sequence[Item]) -> list[Item]:
        """What still holds: a later word of the same person on the same thing takes the earlier one back."""
        said = [
            validity.Said(
                i.memory.memory_id,
                i.memory.ref,
                i.entry.text,
                "" if weighing.is_owners(i.memory, self.user) else i.memory.label or "",
                validity.day_of(i.entry.text, weighing.day_of(i.memory.occurred_at)),
                i.words,
                i.memory.section == "preferences",
                i.memory.section == "tasks",
                (i.memory.occurred_at.isoformat() if i.memory.occurred_at else "", i.memory.turn or 0),
            )
            for i in items
            if i.memory.entity_type == "KnowledgeChunk"
        ]
        taken = changes.changed(said) | validity.superseded(said)
        over = validity.done(said) | changes.done(said)
        reasons = {m: f"done by {ref}" for m, ref in over.items()}
        reasons |= {m: f"superseded by {ref}" for m, ref in taken.items()}
        written = {i.memory.memory_id for i in items if i.memory.by_editor}
        lasting = [s for s in said if s.memory_id not in reasons and s.memory_id not in written]
        reasons |= {m: f"says again what {ref} says" for m, ref in validity.repeated(lasting).items()}
        overviews = {i.memory.memory_id: i.entry.text for i in items if i.memory.entity_type != "KnowledgeChunk"}
        reasons |= {m: f"tells what {ref} has taken back" for m, ref in validity.outdated(overviews, said, over | taken).items()}
        latest = set(taken.values())
        for item in items:
            if item.memory.memory_id in reasons:
                self.leave_out(item.memory, reasons[item.memory.memory_id])
            elif item.memory.ref in latest and item.memory.section == "insights":
                item.decides = item.is_latest = True
        return [item for item in items if item.memory.memory_id not in reasons]

    def _year_size(self, day: str | None) -> Size:
        year = render.year_of(day)
        if year not in self.year_sizes:
            self.year_sizes[year] = self.measure(render.day_line(day) + "\n")
        return self.year_sizes[year]

    def _day_words(self, day: str | None) -> frozenset[str]:
        if day not in self.day_words:
            self.day_words[day] = self.vocabulary.read(day or "")
        return self.day_words[day]

    def _item(self, stored: Memory, memory: Memory, entry: render.Entry, newest: datetime | None) -> Item:
        vector = None
        if memory.embedding is not None and len(memory.embedding):
            vector = np.asarray(memory.embedding, dtype=np.float32)
            length = float(np.linalg.norm(vector))
            vector = vector / length if length > 0 and math.isfinite(length) else None
        read = self.vocabulary.read(entry.text)
        spoken = read | self.vocabulary.read(entry.label or "")
        was_task = stored.section == "tasks"
        factor = weighing.factor_of(memory, entry.text, self.user, newest, self.rules, was_task=was_task)
        if memory.section == "insights" and len(read) < 3:
            factor *= self.rules.scant_weight
        line = line_of(memory, entry)
        said = weighing.day_of(memory.occurred_at)
        days = validity.days_in(entry.text, said) if memory.section == "tasks" else ()
        notes = when.notes_of(entry.text, validity.day_of(entry.text, said)) if entry.day else ()
        return Item(
            memory=memory,
            entry=entry,
            tokens=max(1, self.count(entry.line + "\n" if line is None else " " + entry.text)),
            size=self.measure(entry.line + "\n") if line is None else self._measure_inside(" " + entry.text),
            year_size=self._year_size(entry.day),
            lead_size=self._measure_inside(" " + render.lead_of(entry.day, None)) if entry.day else self.nothing,
            label_size=self._measure_inside(f" | {entry.label}:") if entry.label else self.nothing,
            line=line,
            words=spoken,
            telling=spoken | self._day_words(entry.day),
            rank=weighing.rank_of(memory),
            factor=factor,
            is_latest=False,
            decides=memory.section == "insights" and weighing.decides(entry.text),
            polarity=words.polarity(entry.text),
            folded=entry.text.casefold(),
            vector=vector,
            days=frozenset(days),
            notes=notes,
            notes_size=self._measure_inside(when.render_notes(notes)),
            note_words=frozenset().union(*(self._day_words(meant) for _, meant in notes)),
        )

    def fill(self, section: str, items: Sequence[Item], limit: Size) -> list[Item]:
        """Pack a section up to ``limit`` in all; returns what did not fit, its case still open."""
        waiting: list[Item] = []
        used = self.used[section]
        for item in self._by_score(section, items):
            already = self._already_said(item)
            if already:
                self.leave_out(item.memory, already)
                continue
            heading = self.nothing if any(used.size) else self.headings[section]
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
            if item.line is not None:
                used.lines.add(item.line)
                used.labels.add((item.line, item.entry.label))
            self.chosen.append(item)
            self.alike.add(item)
            self.standing.add(item.memory.memory_id)
            self.said |= item.telling
            if item.decides:
                self.decided |= item.words
            self.refs.add(item.entry.ref)
        return waiting

    def _cost(self, section: str, item: Item) -> Size:
        """Its size, and its year's, line's and speaker's where no entry of the section has brought these yet."""
        used, cost = self.used[section], item.size
        if self._names_a_date(item):
            cost = plus(cost, item.notes_size)
        if render.year_of(item.entry.day) not in used.years:
            cost = plus(cost, item.year_size)
        if item.line is not None:
            if item.line not in used.lines:
                cost = plus(cost, self.line_size, item.lead_size)
            if (item.line, item.entry.label) not in used.labels:
                cost = plus(cost, item.label_size)
        return cost

    def _names_a_date(self, item: Item) -> bool:
        """Whether its notes say a day, month or year that nothing chosen names, nor the line's own day."""
        return not item.note_words <= self.said | item.telling

    def newest_first(self, items: Iterable[Item]) -> list[Item]:
        """Items by the time of their events, the newest first, those of unknown time last."""
        return sorted(items, key=lambda i: (*weighing.newest_first(i.memory.occurred_at), i.memory.memory_id))

    def _by_score(self, section: str, items: Sequence[Item]) -> Iterable[Item]:
        """Best first, by a lazy heap: what has been said since only lowers a score (Minoux, 1978).

        But for one thing that raises scores: once a year or a line is opened, its other entries cost less.
        They are weighed again then; their older places in the heap are passed over.
        """
        beside: dict[object, list[Item]] = {}
        for item in items:
            for key in _openings(item):
                beside.setdefault(key, []).append(item)
        heap = [self._place(section, item) for item in items]
        heapq.heapify(heap)
        seen: set[str] = set()
        used = self.used[section]
        opened: set[object] = {*used.years, *used.lines, *used.labels}
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
            new = [key for key in _openings(item) if key not in opened]
            if new and item.memory.memory_id in self.standing:
                opened.update(new)
                for other in beside[new[0]]:
                    if other.memory.memory_id not in seen:
                        heapq.heappush(heap, self._place(section, other))

    def _place(self, section: str, item: Item) -> tuple[tuple[int, int], float, str, int, Item]:
        # The id decides between equals; the item's own address only if a memory stood here twice.
        return item.rank, -self._score(section, item), item.memory.memory_id, id(item), item

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
        cost = self._cost(section, item)
        share = max(size / limit for size, limit in zip(cost, self.limits, strict=True)) * self.limits[0]
        return self._gain(item) * item.factor / max(share, 0.001) ** self.rules.length_power

    def _already_said(self, item: Item) -> str | None:
        """Why it need not be said: a chosen entry says the same, or together they say all of it."""
        if item.entry.ref in self.refs:
            return "its reference is taken by another entry"
        same = self.alike.first(item, self.chosen)
        if same is not None:
            return f"already said by {same.entry.ref}"
        # An instruction is only ever left out for one that says it whole.
        # A recent summary repeats by nature what its statements say, in part; of an overview that must not be most of it.
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
            closest = next((o for o in self.chosen if part == o.folded or is_sentence_of(part, o.folded)), None)
            if closest is None:
                return None
        return f"already said by {closest.entry.ref}" if closest else None

    def recount(self) -> None:
        """Take each section's real size: parts of a line count a little otherwise together than alone."""
        for name, block in self._blocks(self._entries()).items():
            self.used[name].size = self.measure(block) if block else self.nothing

    def _entries(self) -> tuple[render.Entry, ...]:
        """The chosen entries in the order of the file, each with the reference of its line."""
        self.chosen.sort(key=lambda i: weighing.place_of(i.memory))
        lines: dict[LineKey | str, list[Item]] = {}
        for item in self.chosen:
            lines.setdefault(item.line or item.memory.memory_id, []).append(item)
        taken = {items[0].memory.ref for items in lines.values() if len(items) == 1}
        entries: list[render.Entry] = []
        for items in lines.values():
            first = items[0].memory
            ref = first.ref
            if len(items) > 1:
                ref = first.source_ref if first.source_ref and first.source_ref not in taken else first.ref
                taken.add(ref)
            entries.extend(replace(item.entry, ref=ref) for item in items)
        return tuple(entries)

    def _blocks(self, entries: Sequence[render.Entry]) -> Mapping[str, str]:
        return {
            name: render.render_section(name, [e for e in entries if e.section == name])
            for name in render.SECTIONS
        }

    def finish(self) -> Selection:
        """Order, render and count; the entry that says least goes while the real count is too high."""
        while True:
            entries = self._entries()
            counted = {
                name: self.measure(block) if block else self.nothing
                for name, block in self._blocks(entries).items()
            }
            # A ceiling below the title's own size is kept by an empty file.
            text = render.render(self.user, entries) if min(self.total) >= 0 else ""
            whole = plus(self.nothing, *counted.values())
            if fits(self.measure(text), self.limits) and fits(whole, self.total) or not self.chosen:
                break
            least = min(self.chosen, key=lambda i: (i.memory.is_standing, i.gain, i.memory.memory_id))
            self.chosen.remove(least)
            self.leave_out(least.memory, "no room left in the finished file")
        return Selection(
            text=text,
            tokens=self.count(text),
            entries=entries,
            entry_tokens=tuple(i.tokens for i in self.chosen),
            sections=effective_budgets(
                {name: size[0] for name, size in counted.items()},
                {name: max(0, size[0]) for name, size in self.budgets.items()},
                max(0, self.total[0]),
            ),
            left_out=tuple(sorted(self.left_out, key=lambda row: row.memory_id)),
        )


def line_of(memory: Memory, entry: render.Entry) -> LineKey | None:
    """The line that an insight shares with others of its source and day; None for an entry of its own."""
    if memory.section != "insights" or memory.entity_type != "KnowledgeChunk" or memory.source_id is None:
        return None
    return memory.section, entry.day, memory.source_id


def _openings(item: Item) -> Iterable[object]:
    """What becomes cheaper for others once this entry stands: the widest first."""
    yield render.year_of(item.entry.day)
    if item.line is not None:
        yield item.line
        yield item.line, item.entry.label


def effective_budgets(
    used: Mapping[str, int], budgets: Mapping[str, int], total: int
) -> tuple[SectionUse, ...]:
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


def plus(first: Size, *others: Size) -> Size:
    """The sum of sizes, unit by unit."""
    for other in others:
        first = tuple(a + b for a, b in zip(first, other, strict=True))
    return first


def minus(first: Size, other: Size) -> Size:
    """The difference of sizes, unit by unit."""
    return tuple(a - b for a, b in zip(first, other, strict=True))


def fits(size: Size, limit: Size) -> bool:
    """Whether no unit is over its limit."""
    return all(a <= b for a, b in zip(size, limit, strict=True))
