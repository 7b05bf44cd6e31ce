"""Which memories stand in the file: whole entries packed into section budgets (000; Lin and Bilmes, 2010).

Greedy maximum coverage per token: an entry's score is ``gain x value / tokens``, its gain what no chosen
entry says yet (``words.py``), its value the stored value score; questions count .3. In a section the order
is: the owner's standing instructions, the owner's preferences, then everything else; within these KEEP
before the rest, and SUMMARIZE before ARCHIVE by their values. Tasks lose with age and when they sound done.
Recent Context is by event time, newest first.

Sections fill to their own budget first (preferences, tasks, recent, insights: what is said recently is not
said again). What is left then flows on in :data:`FLOW` order, so that the file is filled as far as there is
something worth saying. No entry is ever cut: one that does not fit makes room for the next that does.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from memory_assets.memory_file import render, words
from memory_assets.model import RetentionTier

CODE_VERSION = "1"
"""Part of the draft's fingerprint: raise it when the same memories would be chosen or written differently."""

FILL_ORDER = ("preferences", "tasks", "recent", "insights")
FLOW = ("preferences!", "insights", "tasks", "preferences", "recent")
"""Who gets unused budget, in order; ``preferences!`` stands for the owner's standing instructions alone."""

_DONE = re.compile(
    r"\[x\]|\b(?:done|finished|completed|fixed|shipped|resolved|cancelled|canceled|closed)\b", re.I
)

Counter = Callable[[str], int]


@dataclass(frozen=True)
class FileRules:
    """Budgets in tokens and the few numbers of the choice (000, ``BoundedMemoryManager``)."""

    max_tokens: int = 2000
    budgets: Mapping[str, int] = field(
        default_factory=lambda: {"preferences": 500, "tasks": 800, "insights": 500, "recent": 200}
    )
    near_duplicate: float = 0.92
    question_weight: float = 0.3
    done_weight: float = 0.3
    task_half_days: float = 30.0
    # Less than one middling word that is not said yet is nothing new.
    least_gain: float = 1.0
    # No text of this length fits any section: it is not even counted.
    longest_text: int = 20_000


@dataclass(frozen=True)
class Memory:
    """A memory of the pool, as read."""

    memory_id: str
    ref: str
    section: str
    entity_type: str
    text: str
    value_score: float
    tier: str
    label: str | None = None
    occurred_at: datetime | None = None
    said_by_owner: bool = False
    is_standing: bool = False
    embedding: Sequence[float] | None = None


@dataclass(frozen=True)
class LeftOut:
    """A memory of the pool that does not stand in the file, and why."""

    ref: str
    memory_id: str
    reason: str


@dataclass(frozen=True)
class SectionUse:
    """A section's real tokens, heading included, and its effective budget."""

    name: str
    tokens: int
    budget: int


@dataclass(frozen=True)
class Selection:
    """The finished file and how it came about."""

    text: str
    tokens: int
    entries: tuple[render.Entry, ...]
    entry_tokens: tuple[int, ...]
    sections: tuple[SectionUse, ...]
    left_out: tuple[LeftOut, ...]


@dataclass
class _Item:
    memory: Memory
    entry: render.Entry
    tokens: int
    words: frozenset[str]
    rank: tuple[int, int]
    factor: float
    polarity: tuple[bool, tuple[str, ...]]
    vector: np.ndarray | None
    gain: float = 0.0


def select_entries(
    user: str,
    memories: Iterable[Memory],
    count_tokens: Counter,
    rules: FileRules = FileRules(),  # noqa: B008 (frozen)
) -> Selection:
    """Choose, order and render the file of ``user`` from a bounded pool, whatever order it comes in."""
    packing = _Packing(user, count_tokens, rules)
    pool = sorted({m.memory_id: m for m in memories}.values(), key=lambda m: m.memory_id)
    items = packing.prepare(pool)
    waiting = {name: [i for i in items if i.memory.section == name] for name in render.SECTIONS}
    for name in FILL_ORDER:
        waiting[name] = packing.fill(name, waiting[name], packing.budgets[name])
    for step in FLOW:
        name = step.rstrip("!")
        now = [i for i in waiting[name] if i.memory.is_standing or not step.endswith("!")]
        later = [i for i in waiting[name] if i not in now] if step.endswith("!") else []
        waiting[name] = packing.fill(name, now, packing.used[name] + packing.spare) + later
    for item in (item for name in render.SECTIONS for item in waiting[name]):
        packing.leave_out(item.memory, f"no room left in its section (needs {item.tokens} tokens)")
    return packing.finish()


class _Packing:
    """The state of one selection: what is chosen, said and used so far."""

    def __init__(self, user: str, count_tokens: Counter, rules: FileRules) -> None:
        self.user, self.count, self.rules = user, count_tokens, rules
        self.title_tokens = count_tokens(render.render_title(user))
        self.total = rules.max_tokens - self.title_tokens
        self.budgets = dict(rules.budgets)
        # The title is paid by the largest section.
        self.budgets[max(self.budgets, key=lambda name: self.budgets[name])] -= self.title_tokens
        self.headings = {name: count_tokens(f"\n## {render.HEADINGS[name]}\n") for name in render.SECTIONS}
        self.used = dict.fromkeys(render.SECTIONS, 0)
        self.chosen: list[_Item] = []
        self.said: set[str] = set()
        self.refs: set[str] = set()
        self.left_out: list[LeftOut] = []
        self.vocabulary = words.Vocabulary()

    @property
    def spare(self) -> int:
        return max(0, self.total - sum(self.used.values()))

    def leave_out(self, memory: Memory, reason: str) -> None:
        self.left_out.append(LeftOut(memory.ref, memory.memory_id, reason))

    def prepare(self, pool: Sequence[Memory]) -> list[_Item]:
        """Clean, measure and read every memory once; leave out at once what can never stand in the file."""
        newest = max((_utc(m.occurred_at) for m in pool if m.occurred_at), default=None)
        items = []
        for memory in pool:
            if len(memory.text) > self.rules.longest_text:
                self.leave_out(memory, f"longer than a file of {self.rules.max_tokens} tokens can hold")
                continue
            entry = entry_of(memory)
            if not any(c.isalnum() for c in entry.text):
                self.leave_out(memory, "says nothing in words")
                continue
            tokens = self.count(entry.line + "\n")
            whole = self.rules.budgets[memory.section]
            if tokens + self.headings[memory.section] > whole:
                self.leave_out(
                    memory, f"longer than its section's budget of {whole} tokens ({tokens} tokens)"
                )
                continue
            items.append(self._item(memory, entry, tokens, newest))
        return items

    def _item(self, memory: Memory, entry: render.Entry, tokens: int, newest: datetime | None) -> _Item:
        vector = None
        if memory.embedding is not None and len(memory.embedding):
            vector = np.asarray(memory.embedding, dtype=np.float32)
            length = float(np.linalg.norm(vector))
            vector = vector / length if length > 0 and math.isfinite(length) else None
        return _Item(
            memory=memory,
            entry=entry,
            tokens=max(1, tokens),
            words=self.vocabulary.read(f"{entry.label or ''} {entry.text}"),
            rank=rank_of(memory),
            factor=self._factor(memory, entry.text, newest),
            polarity=words.polarity(entry.text),
            vector=vector,
        )

    def _factor(self, memory: Memory, text: str, newest: datetime | None) -> float:
        factor = min(1.0, max(0.0, memory.value_score)) or 0.01
        if text.rstrip().endswith(("?", "？")):
            factor *= self.rules.question_weight
        if memory.section == "tasks":
            age = (newest - _utc(memory.occurred_at)).days if newest and memory.occurred_at else math.inf
            factor *= 0.5 + 0.5 * 0.5 ** (age / self.rules.task_half_days)
            if _DONE.search(text):
                factor *= self.rules.done_weight
        return factor

    def fill(self, section: str, items: Sequence[_Item], limit: int) -> list[_Item]:
        """Pack a section up to ``limit`` tokens in all; returns what did not fit, its case still open."""
        waiting: list[_Item] = []
        for item in self._recent(items) if section == "recent" else self._by_score(items):
            already = self._already_said(item)
            if already:
                self.leave_out(item.memory, already)
                continue
            heading = 0 if self.used[section] else self.headings[section]
            if self.used[section] + heading + item.tokens > limit:
                waiting.append(item)
                continue
            item.gain = self._gain(item)
            self.used[section] += heading + item.tokens
            self.chosen.append(item)
            self.said |= item.words
            self.refs.add(item.entry.ref)
        return waiting

    def _recent(self, items: Sequence[_Item]) -> Iterable[_Item]:
        return sorted(items, key=lambda i: (*_newest_first(i.memory.occurred_at), i.memory.memory_id))

    def _by_score(self, items: Sequence[_Item]) -> Iterable[_Item]:
        """Best first, by a lazy heap: what has been said since only lowers a score (Minoux, 1978)."""
        heap = [(item.rank, -self._score(item), item.memory.memory_id, item) for item in items]
        heapq.heapify(heap)
        while heap:
            rank, stale, identifier, item = heapq.heappop(heap)
            fresh = -self._score(item)
            if fresh > stale and heap and (rank, fresh, identifier) > heap[0][:3]:
                heapq.heappush(heap, (rank, fresh, identifier, item))
                continue
            yield item

    def _gain(self, item: _Item) -> float:
        # Sorted, so that the sum's last digit does not depend on how a set happens to lie in memory.
        return math.fsum(sorted(self.vocabulary.weight(word) for word in item.words - self.said))

    def _score(self, item: _Item) -> float:
        return self._gain(item) * item.factor / item.tokens

    def _already_said(self, item: _Item) -> str | None:
        """Why it need not be said: a chosen entry says the same, or together they say all of it."""
        if item.entry.ref in self.refs:
            return "its reference is taken by another entry"
        for other in self.chosen:
            if self._says_the_same(item, other):
                return f"already said by {other.entry.ref}"
        # An instruction is only ever left out for one that says it whole.
        # A recent summary repeats by nature what its statements say.
        if item.memory.is_standing or item.memory.section == "recent":
            return None
        if self._gain(item) < self.rules.least_gain:
            closest = max(self.chosen, key=lambda other: len(item.words & other.words), default=None)
            if closest is None or not item.words & closest.words:
                return "says nothing of its own"
            return f"already said by {closest.entry.ref}"
        return None

    def _says_the_same(self, item: _Item, other: _Item) -> bool:
        if item.entry.text.casefold() == other.entry.text.casefold():
            return item.entry.label == other.entry.label or None in (item.entry.label, other.entry.label)
        if item.polarity != other.polarity or item.entry.label != other.entry.label:
            return False
        if item.words and item.words <= other.words:
            return True
        if item.vector is None or other.vector is None or len(item.vector) != len(other.vector):
            return False
        return float(item.vector @ other.vector) >= self.rules.near_duplicate

    def finish(self) -> Selection:
        """Order, render and count; the entry that says least goes while the real count is too high."""
        while True:
            self.chosen.sort(key=lambda i: place_of(i.memory))
            entries = tuple(i.entry for i in self.chosen)
            blocks = {
                name: render.render_section(name, [e for e in entries if e.section == name])
                for name in render.SECTIONS
            }
            counted = {name: self.count(block) if block else 0 for name, block in blocks.items()}
            text = render.render(self.user, entries)
            tokens = self.count(text)
            if tokens <= self.rules.max_tokens and sum(counted.values()) <= self.total or not self.chosen:
                break
            least = min(self.chosen, key=lambda i: (i.memory.is_standing, i.gain, i.memory.memory_id))
            self.chosen.remove(least)
            self.leave_out(least.memory, "no room left in the finished file")
        return Selection(
            text=text,
            tokens=tokens,
            entries=entries,
            entry_tokens=tuple(i.tokens for i in self.chosen),
            sections=effective_budgets(counted, self.budgets, self.total),
            left_out=tuple(sorted(self.left_out, key=lambda row: row.memory_id)),
        )


def entry_of(memory: Memory) -> render.Entry:
    """A memory as a line of the file. Preferences hold whenever they were said: they carry no date."""
    return render.Entry(
        ref=memory.ref,
        memory_id=memory.memory_id,
        section=memory.section,
        text=render.clean_text(memory.text),
        label=render.label_of(memory.label, memory.said_by_owner),
        day=None if memory.section == "preferences" else render.day_of(memory.occurred_at),
    )


def rank_of(memory: Memory) -> tuple[int, int]:
    """Which class of its section is packed first: the owner's word, then KEEP."""
    owners_word = 2
    if memory.section == "preferences" and memory.said_by_owner:
        owners_word = 0 if memory.is_standing else 1
    return owners_word, 0 if memory.tier == RetentionTier.KEEP else 1


def place_of(memory: Memory) -> tuple[object, ...]:
    """Where an entry stands: by section, instructions first, overviews next, then newest first, then id.

    Not by score: scores move with every new memory, and a file that people and caches compare should not.
    """
    kind = {"Macro": 0, "Storyline": 1}.get(memory.entity_type, 2)
    return (
        render.SECTIONS.index(memory.section),
        not memory.is_standing,
        kind,
        *_newest_first(memory.occurred_at),
        memory.memory_id,
    )


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


def _newest_first(instant: datetime | None) -> tuple[bool, float]:
    return (True, 0.0) if instant is None else (False, -_utc(instant).timestamp())


def _utc(instant: datetime) -> datetime:
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
