"""Which memories stand in the file: whole entries packed into section budgets (000; Lin and Bilmes, 2010).

Greedy maximum coverage per token: an entry's score is ``gain x factor / tokens``, its gain what no chosen
entry says yet (``words.py``), its tokens those of its day's line too when it is the first of its day. The
factor is mild: between half and whole by the stored value; questions count .3, sentences that lean on
something unsaid ("That is ...") less, decisions more. In a section the order is: the owner's standing
instructions, the owner's preferences, then everything else; within these KEEP before the rest. Tasks lose
with age; what is done or past, and what others like, stands among the insights, and what
was taken back later nowhere (``validity.py``). Recent Context is by event time, newest first.

Sections fill to their own budget first (preferences, tasks, recent, insights: what is said recently is not
said again). What is left then flows on in :data:`FLOW` order, so that the file is filled as far as there is
something worth saying. No entry is ever cut: one that does not fit makes room for the next that does.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter as Counts
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

import numpy as np
import snowballstemmer

from memory_assets.memory_file import render, validity, words
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Ceiling
from memory_assets.model import RetentionTier

CODE_VERSION = "2"
"""Part of the draft's fingerprint: raise it when the same memories would be chosen or written differently."""

FILL_ORDER = ("preferences", "tasks", "recent", "insights")
FLOW = ("preferences!", "insights", "tasks", "preferences", "recent")
"""Who gets unused budget, in order; ``preferences!`` stands for the owner's standing instructions alone."""

_DONE = re.compile(
    r"\[x\]|(?<!\bbe )(?<!\bget )(?<!\bbeing )(?<!\bhave )\b(?:done|finished|completed|fixed|shipped|resolved|cancelled|canceled|closed)\b",
    re.I,
)

_LEANS = re.compile(
    r"(?:that|this|these|those|it|they|he|she|him|them|there|here|so|then|such|both|which|also|and|but|because|"
    r"same|one|same here|you|your|the (?:first|second|third|other|same|last|former|latter|thing|truth|result))\b",
    re.I,
)
_DECIDES = re.compile(
    r"^decision:|\b(?:decided|decision (?:is|was|made)|agreed (?:with|to|that)|it is (?:decided|agreed)|moves? (?:from|to)|moved (?:from|to)|"
    r"postponed (?:to|until)|"
    r"(?:launch|release|pricing|price|database|budget|cutover) (?:of \w+ )?(?:is|are|moves|stays) (?:on|at|to|flat|now|[A-Z\d])|"
    r"no longer|(?:i|we) signed|chose|chosen|approved|accepted|switch(?:ed|es)? (?:to|from))\b",
    re.I,
)

# A capitalised word that no other capitalised one follows.
_PROPOSES = re.compile(r"\b(?:propose|suggest|shall we|should we|if we|whether)\b|\?", re.I)
_MONTH_STEMS = frozenset(
    snowballstemmer.stemmer("english").stemWords([name.lower() for name in render.MONTHS])
)
_NAME_OR_NUMBER = re.compile(r"\d|(?<=[^.!?:\s] )(?!I\b)[A-Z]")
_ABOUT_SELF = re.compile(r"\b(?:i|i'm|i'll|i've|we|we're|we'll|my|our)\b", re.I)
_ALONE = re.compile(r"\b([A-Z][\w'’-]*[^\W_])(?![\w'’-]| [A-Z])")

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
    leaning_weight: float = 0.55
    decision_weight: float = 1.5
    # Of what a decision is about much has been said already; until a decision says it, it counts this much.
    repeated_by_decision: float = 0.3
    # What takes an earlier word back is how things stand: its words count whoever has said them.
    repeated_by_latest: float = 0.8
    # Without a name or a number, it is less likely to be asked for.
    plain_weight: float = 0.85
    # A task without a day; an insight of one or two words.
    undated_task_weight: float = 0.6
    scant_weight: float = 0.35
    overview_weight: float = 0.8
    # A request or a note to oneself whose day is past; what people told of their plans stays news.
    past_request_weight: float = 0.35
    past_plan_weight: float = 0.9
    # What somebody else means to do is worth less among the owner's tasks.
    others_task_weight: float = 0.6
    # A memory without value counts half of one of full value: what it says decides.
    value_floor: float = 0.5
    task_half_days: float = 30.0
    # Less than one middling word that is not said yet is nothing new.
    least_gain: float = 1.0
    # No text of this length fits any section: it is not even counted.
    longest_text: int = 20_000
    ceiling: Ceiling = PRESETS[DEFAULT_PRESET]

    @classmethod
    def of(cls, ceiling: Ceiling) -> FileRules:
        """The rules of a file with this ceiling: 25, 40, 25 and 10 % of it for its sections, in its first unit."""
        limit = next(iter(ceiling.limits.values()))
        shares = {"preferences": 25, "tasks": 40, "insights": 25, "recent": 10}
        return cls(limit, {name: limit * share // 100 for name, share in shares.items()}, ceiling=ceiling)

    def cost(self, count_tokens: Counter) -> Counter:
        """What a text takes of the ceiling, in its first unit: by the limit of which it takes the largest share."""
        if list(self.ceiling.limits) == ["tokens"]:
            return count_tokens
        limits = self.ceiling.limits
        return lambda text: max(
            -(-size * self.max_tokens // limits[unit]) for unit, size in self.ceiling.measure(text, count_tokens).items()
        )


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
    by_editor: bool = False
    """A person has written it into one of the user's files: first of its section."""


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
    day_tokens: int
    words: frozenset[str]
    rank: tuple[int, int]
    factor: float
    decides: bool
    is_latest: bool
    polarity: tuple[bool, tuple[str, ...]]
    vector: np.ndarray | None
    days: frozenset[date] = frozenset()
    gain: float = 0.0


def select_entries(
    user: str,
    memories: Iterable[Memory],
    count_tokens: Counter,
    rules: FileRules = FileRules(),  # noqa: B008 (frozen)
) -> Selection:
    """Choose, order and render the file of ``user`` from a bounded pool, whatever order it comes in."""
    packing = _Packing(user, rules.cost(count_tokens), rules)
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
    chosen = packing.finish()
    lines = tuple(count_tokens(entry.line + "\n") for entry in chosen.entries)
    return replace(chosen, tokens=count_tokens(chosen.text), entry_tokens=lines)


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
        self.days: dict[str, set[str | None]] = {name: set() for name in render.SECTIONS}
        self.day_tokens: dict[str | None, int] = {}
        self.chosen: list[_Item] = []
        self.said: set[str] = set()
        self.decided: set[str] = set()
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
        short = short_labels(pool)
        has_owner = any(m.said_by_owner for m in pool)
        items = []
        for stored in pool:
            if len(stored.text) > self.rules.longest_text:
                self.leave_out(stored, f"longer than a file of {self.rules.max_tokens} tokens can hold")
                continue
            memory = self._placed(stored, newest, has_owner)
            entry = entry_of(memory, short)
            if not any(c.isalnum() for c in entry.text):
                self.leave_out(memory, "says nothing in words")
                continue
            tokens = self.count(entry.line + "\n")
            whole = self.rules.budgets[memory.section]
            if tokens + self._day_tokens(entry.day) + self.headings[memory.section] > whole:
                self.leave_out(
                    memory, f"longer than its section's budget of {whole} tokens ({tokens} tokens)"
                )
                continue
            items.append(self._item(stored, memory, entry, tokens, newest))
        return self._standing(items)

    def _placed(self, memory: Memory, newest: datetime | None, has_owner: bool) -> Memory:
        """Past tasks and others' preferences, where it is known whose file it is, are insights."""
        if memory.section == "tasks":
            said = _day(memory.occurred_at)
            own = is_owners(memory, self.user)
            asked_here = memory.said_by_owner and memory.text.rstrip().endswith("?")
            if (
                asked_here
                or sounds_done(memory.text)
                or validity.is_past(memory.text, said, _day(newest), is_own=own)
            ):
                return replace(memory, section="insights")
        if memory.section == "preferences" and not memory.is_standing:
            # Others' likes, where it is known whose file it is, and "That is what I like", whatever it was.
            if has_owner and memory.label and not memory.said_by_owner or _LEANS.match(memory.text):
                return replace(memory, section="insights")
        return memory

    def _standing(self, items: Sequence[_Item]) -> list[_Item]:
        """What still holds: a later word of the same person on the same thing takes the earlier one back."""
        said = [
            validity.Said(
                i.memory.memory_id,
                i.entry.ref,
                i.entry.text,
                "" if is_owners(i.memory, self.user) else i.memory.label or "",
                validity.day_of(i.entry.text, _day(i.memory.occurred_at)),
                i.words,
                i.memory.section == "preferences",
                i.memory.section == "tasks",
            )
            for i in items
            if i.memory.entity_type == "KnowledgeChunk"
        ]
        taken = validity.superseded(said)
        reasons = {m: f"done by {ref}" for m, ref in validity.done(said).items()}
        reasons |= {m: f"superseded by {ref}" for m, ref in taken.items()}
        latest = set(taken.values())
        for item in items:
            if item.memory.memory_id in reasons:
                self.leave_out(item.memory, reasons[item.memory.memory_id])
            elif item.entry.ref in latest and item.memory.section == "insights":
                item.decides = item.is_latest = True
        return [item for item in items if item.memory.memory_id not in reasons]

    def _day_tokens(self, day: str | None) -> int:
        if day not in self.day_tokens:
            self.day_tokens[day] = self.count(render.day_line(day) + "\n")
        return self.day_tokens[day]

    def _item(
        self, stored: Memory, memory: Memory, entry: render.Entry, tokens: int, newest: datetime | None
    ) -> _Item:
        vector = None
        if memory.embedding is not None and len(memory.embedding):
            vector = np.asarray(memory.embedding, dtype=np.float32)
            length = float(np.linalg.norm(vector))
            vector = vector / length if length > 0 and math.isfinite(length) else None
        read = self.vocabulary.read(entry.text)
        factor = self._factor(memory, entry.text, newest, was_task=stored.section == "tasks")
        if memory.section == "insights" and len(read) < 3:
            factor *= self.rules.scant_weight
        return _Item(
            memory=memory,
            entry=entry,
            tokens=max(1, tokens),
            day_tokens=self._day_tokens(entry.day),
            words=read | self.vocabulary.read(entry.label or ""),
            rank=rank_of(memory),
            factor=factor,
            is_latest=False,
            decides=memory.section == "insights" and _decides(entry.text),
            polarity=words.polarity(entry.text),
            vector=vector,
            days=frozenset(validity.days_in(entry.text, _day(memory.occurred_at)))
            if memory.section == "tasks"
            else frozenset(),
        )

    def _factor(self, memory: Memory, text: str, newest: datetime | None, *, was_task: bool) -> float:
        rules = self.rules
        value = min(1.0, max(0.0, memory.value_score))
        factor = rules.value_floor + (1 - rules.value_floor) * value
        if text.rstrip().endswith(("?", "？")):
            factor *= rules.question_weight
        if _LEANS.match(text):
            factor *= rules.leaning_weight
        if was_task and memory.section == "insights":
            factor *= rules.past_plan_weight if _ABOUT_SELF.search(text) else rules.past_request_weight
        elif memory.section == "insights" and _decides(text):
            factor *= rules.decision_weight
        if memory.section == "insights" and not _NAME_OR_NUMBER.search(text):
            factor *= rules.plain_weight
        if memory.entity_type in ("Macro", "Storyline"):
            factor *= rules.overview_weight
        if memory.section == "tasks":
            age = (newest - _utc(memory.occurred_at)).days if newest and memory.occurred_at else math.inf
            factor *= 0.5 + 0.5 * 0.5 ** (age / rules.task_half_days)
            if not is_owners(memory, self.user):
                factor *= rules.others_task_weight
            if not validity.days_in(text, _day(memory.occurred_at)):
                factor *= rules.undated_task_weight
        return factor

    def fill(self, section: str, items: Sequence[_Item], limit: int) -> list[_Item]:
        """Pack a section up to ``limit`` tokens in all; returns what did not fit, its case still open."""
        waiting: list[_Item] = []
        for item in self._recent(items) if section == "recent" else self._by_score(section, items):
            already = self._already_said(item)
            if already:
                self.leave_out(item.memory, already)
                continue
            heading = 0 if self.used[section] else self.headings[section]
            cost = heading + self._cost(section, item)
            if self.used[section] + cost > limit:
                waiting.append(item)
                continue
            item.gain = self._gain(item)
            self.used[section] += cost
            self.days[section].add(item.entry.day)
            self.chosen.append(item)
            self.said |= item.words
            if item.decides:
                self.decided |= item.words
            self.refs.add(item.entry.ref)
        return waiting

    def _cost(self, section: str, item: _Item) -> int:
        """Its tokens, and its day's when no entry of the section has brought that yet."""
        return item.tokens + (0 if item.entry.day in self.days[section] else item.day_tokens)

    def _recent(self, items: Sequence[_Item]) -> Iterable[_Item]:
        return sorted(items, key=lambda i: (*_newest_first(i.memory.occurred_at), i.memory.memory_id))

    def _by_score(self, section: str, items: Sequence[_Item]) -> Iterable[_Item]:
        """Best first, by a lazy heap: what has been said since only lowers a score (Minoux, 1978).

        But for one thing that raises scores: once a day is written, its other entries cost less. They are
        weighed again then; their older places in the heap are passed over.
        """
        by_day: dict[str | None, list[_Item]] = {}
        for item in items:
            by_day.setdefault(item.entry.day, []).append(item)
        heap = [self._place(section, item) for item in items]
        heapq.heapify(heap)
        seen: set[str] = set()
        opened = set(self.days[section])
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
            if item.entry.day in self.days[section] and item.entry.day not in opened:
                opened.add(item.entry.day)
                for other in by_day[item.entry.day]:
                    if other.memory.memory_id not in seen:
                        heapq.heappush(heap, self._place(section, other))

    def _place(self, section: str, item: _Item) -> tuple[tuple[int, int], float, str, int, _Item]:
        # The id decides between equals; the item's own address only if a memory stood here twice.
        return item.rank, -self._score(section, item), item.memory.memory_id, id(item), item

    def _gain(self, item: _Item) -> float:
        # Sorted, so that the sum's last digit does not depend on how a set happens to lie in memory.
        if item.is_latest:
            weights = sorted(self.vocabulary.weight(word) for word in item.words)
            return self.rules.repeated_by_latest * math.fsum(weights)
        gain = math.fsum(sorted(self.vocabulary.weight(word) for word in item.words - self.said))
        if item.decides:
            repeated = (item.words & self.said) - self.decided
            weights = sorted(self.vocabulary.weight(word) for word in repeated)
            gain += self.rules.repeated_by_decision * math.fsum(weights)
        return gain

    def _score(self, section: str, item: _Item) -> float:
        return self._gain(item) * item.factor / self._cost(section, item)

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
        if item.days and item.days == other.days and len(_telling(item.words & other.words)) >= 2:
            return True  # one task with one day, in two people's or two days' words
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


def entry_of(memory: Memory, short: Mapping[str, str] | None = None) -> render.Entry:
    """A memory as a line of the file. Preferences hold whenever they were said: they carry no date.

    Overviews carry their dates in their texts; their titles repeat what those say.
    """
    is_overview = memory.entity_type in ("Macro", "Storyline")
    undated = is_overview or memory.section == "preferences"
    label = None if is_overview else render.label_of(memory.label, memory.said_by_owner)
    return render.Entry(
        ref=memory.ref,
        memory_id=memory.memory_id,
        section=memory.section,
        text=render.clean_text(memory.text),
        label=(short or {}).get(label, label) if label else None,
        day=None if undated else render.day_of(memory.occurred_at),
    )


def sounds_done(text: str) -> bool:
    """Whether a task reports itself ("Fixed the gate"), not when it is to be ("must be finished")."""
    return _DONE.search(text) is not None


def _decides(text: str) -> bool:
    return _DECIDES.search(text) is not None and _PROPOSES.search(text) is None


def _telling(shared: Iterable[str]) -> list[str]:
    """Shared words but for numbers and months, which a shared day brings by itself."""
    return [word for word in shared if not word.isdigit() and word not in _MONTH_STEMS]


def short_labels(pool: Iterable[Memory]) -> dict[str, str]:
    """First names for whole ones ("Maya Lindqvist": "Maya"), where the pool calls one person so and no other.

    A pair of words is somebody's name when others use its first word alone: nobody calls a Millpond Pool
    Millpond.
    """
    chunks = [m for m in pool if m.entity_type == "KnowledgeChunk"]
    labels = {label for m in chunks if (label := render.label_of(m.label))}
    alone: Counts[str] = Counts()
    for memory in chunks:
        if len(memory.text) <= 2000:
            alone.update(set(_ALONE.findall(memory.text)))
    firsts = Counts(label.split()[0] for label in labels if len(label.split()) > 1)
    return {
        label: first
        for label in labels
        if len(label.split()) == 2
        and firsts[first := label.split()[0]] == 1
        and (alone[first] >= 2 or words.rarity(label.split()[1].casefold()) > 2.8)
    }


def is_owners(memory: Memory, user: str) -> bool:
    """Whether it is the owner's own word, or nobody's in particular (their notes). Never makes it an order."""
    speaker = (memory.label or "").split()
    return memory.said_by_owner or not speaker or speaker[0].casefold() == user.casefold()


def rank_of(memory: Memory) -> tuple[int, int]:
    """Which class of its section is packed first: the owner's word, then KEEP."""
    if memory.by_editor:
        return -1, 0
    owners_word = 2
    if memory.section == "preferences" and memory.said_by_owner:
        owners_word = 0 if memory.is_standing else 1
    return owners_word, 0 if memory.tier == RetentionTier.KEEP else 1


def place_of(memory: Memory) -> tuple[object, ...]:
    """Where an entry stands: by section, instructions first, overviews next, then newest first, then id.

    Not by score: scores move with every new memory, and a file that people and caches compare should not.
    """
    kind = {"Macro": 0, "Storyline": 1}.get(memory.entity_type, 2)
    undated = kind < 2 or memory.section == "preferences"
    return (
        render.SECTIONS.index(memory.section),
        not memory.is_standing,
        not (memory.section == "preferences" and memory.said_by_owner),
        kind,
        *_newest_first(_midnight(memory.occurred_at) if not undated else memory.occurred_at),
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


def _day(instant: datetime | None) -> date | None:
    return None if instant is None else _utc(instant).date()


def _midnight(instant: datetime | None) -> datetime | None:
    return None if instant is None else _utc(instant).replace(hour=0, minute=0, second=0, microsecond=0)


def _utc(instant: datetime) -> datetime:
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
