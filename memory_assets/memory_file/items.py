"""The pool read once: every memory cleaned, measured, and left out at once where it can never be in the file.
Pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

import numpy as np

from memory_assets.clock import in_utc
from memory_assets.llm.cited import Cited
from memory_assets.llm.local.days import day_of, days_in
from memory_assets.llm.local.parts import left_of, left_of_rewritten, parts_with
from memory_assets.memory_file import alike, passing, render, weighing
from memory_assets.memory_file.candidates import FileRules, LeftOut, Memory
from memory_assets.memory_file.ceilings import Size, Sizes, fits, plus
from memory_assets.text import attribution, when
from memory_assets.text import content as words
from memory_assets.text.lines import clean_text

UNCLEAR = "it can't be understood without what was said before"


WORTH_TOO_LITTLE = "worth too little for a file"
"""Why a memory is in no file, whatever room there is: how the reason begins."""


@dataclass(eq=False)
class Item:
    """A memory that may be in the file, measured and read once."""

    memory: Memory
    entry: render.Entry
    tokens: int
    size: Size
    year_size: Size
    words: frozenset[str]
    rank: int
    worth: float
    polarity: tuple[bool, tuple[str, ...]]
    folded: str
    # The memory's own words, cleaned: what judges of sentences read. The entry's may be another's about them.
    said: str
    # Who says it, where that is not the owner.
    speaker: str | None
    said_on: date | None
    vector: np.ndarray | None
    days: frozenset[date] = frozenset()

    @property
    def memory_id(self) -> str:
        """The memory's, of a composed line that of the first one that it rests on."""
        return self.memory.memory_id

    @property
    def rests_on(self) -> frozenset[str]:
        """The memories that its line tells, by id."""
        return frozenset({self.memory_id, *(one.memory_id for one in self.entry.rests_on)})

    @cached_property
    def wordings(self) -> tuple[str, str]:
        """Its line's words and the memory's own, folded."""
        return self.folded, self.said.casefold()

    @cached_property
    def lead(self) -> str:
        """What stands, folded, before its words where others are quoted, too; nothing before the owner's."""
        speaker = attribution.label_of(self.memory.label, self.memory.said_by_owner)
        return f"{speaker}: ".casefold() if speaker else ""

    @property
    def plain_text(self) -> str:
        """What its line tells, without who has written it, to whom and about what."""
        return attribution.without_writer(self.entry.text)


class Reading:
    """One pool as it is read: its items, what repeats others, and what is left out already."""

    def __init__(
        self, user: str, pool: Sequence[Memory], sizes: Sizes, rules: FileRules, today: date | None = None
    ) -> None:
        self.user, self.sizes, self.rules, self.today = user, sizes, rules, today
        self._ends = {m.memory_id: end for m in pool if (end := weighing.end_of(weighing.with_own_day(m), user))}
        self._held = {day for m in pool for day in m.held.changes()}
        self._newest = weighing.newest_of(pool)
        self._owner = weighing.Owner.of(user, pool)
        self._short = weighing.short_labels(pool)
        self._tasks = {m.memory_id for m in pool if m.section == "tasks"}
        self.left_out: list[LeftOut] = []
        self.repeated: dict[str, tuple[Memory, Memory]] = {}
        """The statements that another one says already, by id, each with that one."""
        self.worth_telling: dict[str, set[str]] = {}
        """Of each source the statements that may be in the file, by id; none of one whose statements may not."""
        self._wished_before: dict[str, str] = {}
        self.items = self._prepare(pool)

    def _leaves_out(self, memory: Memory, why: str | None) -> bool:
        """Note why a memory is not in the file, if there is a reason."""
        if why is not None:
            self.left_out.append(memory.left_out(why))
        return why is not None

    def _prepare(self, pool: Sequence[Memory]) -> list[Item]:
        """Clean, measure and read every memory once, without what can never be in the file or is said by another."""
        read = (item for stored in pool if (item := self._read(stored)) is not None)
        whole = (left for item in self._holding(list(read)) if (left := self._without_lost(item)) is not None)
        entering = [item for item in whole if not self._leaves_out(item.memory, self._why_not(item.memory))]
        self.worth_telling = {m.source_id: set() for m in pool if m.source_id is not None}
        for item in entering:
            if item.memory.source_id is not None:
                self.worth_telling[item.memory.source_id].add(item.memory_id)
        return self._once([item for item in entering if not self._leaves_out(item.memory, self._untold(item.memory))])

    def _read(self, stored: Memory) -> Item | None:
        """A memory as an item; None, and why, where it can be in no file."""
        sizes, why = self.sizes, stored.excluded
        if len(stored.text) > self.rules.longest_text:
            why = why or f"longer than a file of {sizes.limits[0]:d} {sizes.units[0]} can hold"
        if self._leaves_out(stored, why):
            return None
        memory = weighing.placed(weighing.with_own_day(stored), self._state(stored), self._owner)
        entry = weighing.entry_of(memory, self._short)
        if not any(c.isalnum() for c in entry.text):
            self._leaves_out(memory, "says nothing in words")
            return None
        item = self._item(memory, entry)
        if not fits(plus(item.size, item.year_size, sizes.headings[memory.section]), sizes.most_of(memory.section)):
            size, whole, unit = item.size[0], self.rules.ceiling.budgets[memory.section], sizes.units[0]
            self._leaves_out(memory, f"longer than its section's budget of {whole} {unit} ({size} {unit})")
            return None
        return item

    def _untold(self, memory: Memory) -> str | None:
        """Why a talk is left out of whose statements none may be in the file: nobody has judged its summary. Of one
        without any in the pool nothing is known.
        """
        is_talk = memory.section == "recent" and memory.is_said and not memory.by_editor
        is_told = not is_talk or self.worth_telling.get(memory.memory_id, True)
        return None if is_told else f"{WORTH_TOO_LITTLE}: none of its statements may be in one"

    def _why_not(self, memory: Memory) -> str | None:
        """Why a memory is left out that is not understood alone, that has passed, or that nobody is likely to need
        again.
        """
        if not memory.is_clear:
            return UNCLEAR
        if memory.section in ("tasks", "recent") and self._state(memory) is passing.State.PASSED:
            day = render.written_day(self._ends[memory.memory_id].last)
            return (
                f"{passing.DAY_PASSED} on {day}" if memory.section == "tasks" else f"{passing.NOT_RECENT} after {day}"
            )
        if self.today is not None and (note := memory.held.note(self.today)):
            return note
        was_task = memory.memory_id in self._tasks
        least = weighing.least_retention_of(memory, self._owner, self.rules, was_task=was_task)
        held = weighing.held_by(memory, self._newest, self.rules)
        if least == weighing.NONE_MAY:
            return f"{WORTH_TOO_LITTLE}: none of its kind may"
        if memory.retention < least:
            return f"{WORTH_TOO_LITTLE}: its retention is {memory.retention:.3f}, the least is {least}"
        if held < 1 and memory.retention * held < weighing.least_held_of(memory, self.rules):
            return f"{WORTH_TOO_LITTLE}: its retention is {memory.retention:.3f}, and by now it holds at {held:.0%}"
        return None

    def _once(self, items: Sequence[Item]) -> list[Item]:
        """The items without repetitions; each that others repeat is worth as much as the best of them."""
        by_ref = {item.entry.ref: item for item in items}
        wished = {m: by_ref[ref] for m, ref in self._wished_before.items() if ref in by_ref}
        canonical = alike.find_repeated([item for item in items if item.memory_id not in wished])
        canonical |= {m: canonical.get(item.memory_id, item) for m, item in wished.items()}
        for item in items:
            if (other := canonical.get(item.memory_id)) is not None:
                other.worth = max(other.worth, item.worth)
                self.repeated[item.memory_id] = item.memory, other.memory
        return [item for item in items if item.memory_id not in canonical]

    def composed(self, text: str, section: str, rests_on: Mapping[Item, Cited], model: str) -> Item:
        """A line of a model's for the memories it rests on: the first gives its reference, the newest its day."""
        first = next(iter(rests_on))
        newest = max((in_utc(i.memory.occurred_at) for i in rests_on if i.memory.occurred_at), default=None)
        is_standing = any(item.memory.is_standing for item in rests_on)
        memory = replace(first.memory, text=text, occurred_at=newest, section=section, is_standing=is_standing)
        memory = replace(memory, statement=None, label=None, embedding=None)
        entry = replace(weighing.entry_of(memory), rests_on=tuple(rests_on.values()), composed_by=model)
        item = self._item(memory, entry)
        item.worth = max(one.worth for one in rests_on)
        return item

    @property
    def changes_on(self) -> date | None:
        """The first day from which time alone may make another file of the pool."""
        days = {day for end in self._ends.values() for day in end.changes()} | self._held
        return None if self.today is None else passing.next_change(days, self.today)

    def _state(self, memory: Memory) -> passing.State:
        end = self._ends.get(memory.memory_id)
        return passing.State.OPEN if end is None or self.today is None else end.state(self.today)

    def _holding(self, items: Sequence[Item]) -> list[Item]:
        """Leave out what is superseded, and overviews that repeat it; note which wishes repeat earlier ones."""
        reasons: dict[str, str] = {}
        taken: dict[str, str] = {}
        clauses: dict[str, str] = {}
        for item in items:
            if (later := item.memory.superseded_by) is not None:
                reasons[item.memory_id], taken[item.memory_id] = later.what_became, later.ref
            clauses |= {one.lost: one.ref for one in item.memory.later if one.outdated == "in part"}
        self._wished_before = alike.find_repeated_wishes(
            item
            for item in items
            if (memory := item.memory).section == "preferences"
            and weighing.is_owners(memory, self.user)
            and memory.is_clear
            and memory.memory_id not in reasons
            and not memory.by_editor
        )
        overviews = {i.memory_id: i.entry.text for i in items if i.memory.entity_type != "KnowledgeChunk"}
        quotations = {i.memory_id: i.plain_text for i in items if i.plain_text != i.entry.text}
        texts = {i.memory_id: (i.said, clean_text(i.memory.published)) for i in items}
        outdated = alike.find_outdated(overviews, texts, taken, clauses)
        reasons |= {m: f"tells what {ref} has taken back" for m, ref in outdated.items()}
        stale = alike.find_outdated(quotations, texts, taken, clauses)
        left = [i for i in items if not self._leaves_out(i.memory, reasons.get(i.memory_id))]
        return [self._of_own_words(i) if i.memory_id in stale else i for i in left]

    def _of_own_words(self, item: Item) -> Item:
        """An item quoted alone: what is quoted with it holds no longer."""
        text = attribution.requoted(item.entry.text, item.said)
        memory, entry = replace(item.memory, statement=text), replace(item.entry, text=text)
        made = self._item(memory, entry)
        made.worth = item.worth
        return made

    def _without_lost(self, item: Item) -> Item | None:
        """An item without the clauses that later statements supersede; None where nothing of it is left."""
        lost = [one for one in item.memory.later if one.outdated == "in part"]
        gone = frozenset().union(*(parts_with(item.said, clean_text(one.lost)) for one in lost))
        if not gone:
            return item
        rest = left_of(item.said, gone)
        if rest is None:
            self._leaves_out(item.memory, lost[-1].what_became)
            return None
        published = clean_text(item.memory.published)
        rewritten = left_of_rewritten(published, item.said, gone)
        memory = replace(item.memory, text=rest, statement=rewritten)
        entry = replace(weighing.entry_of(memory, self._short), text=rewritten or rest, rest_superseded_by=lost[-1].ref)
        if rewritten is None and published != item.said:  # a quotation among statements
            entry = replace(entry, label=render.label_of(memory.label))
        made = self._item(memory, entry)
        made.worth = max(made.worth, item.worth)
        return made

    def _item(self, memory: Memory, entry: render.Entry) -> Item:
        vector = None
        if memory.embedding is not None and len(memory.embedding):
            vector = np.asarray(memory.embedding, dtype=np.float32)
            length = float(np.linalg.norm(vector))
            vector = vector / length if length > 0 and math.isfinite(length) else None
        own, said = clean_text(memory.text), weighing.day_of(memory.occurred_at)
        is_chunk = memory.entity_type == "KnowledgeChunk"
        days = days_in(own, said) if memory.section == "tasks" else ()
        said_on = day_of(own, said)
        entry = replace(entry, notes=when.notes_of(entry.text, said_on) if entry.day else ())
        return Item(
            memory=memory,
            entry=entry,
            tokens=max(1, self.sizes.count(entry.line + "\n")),
            size=self.sizes.measure(entry.line + "\n"),
            year_size=self.sizes.of_year(entry.day),
            words=words.content_words(own),
            rank=weighing.rank_of(memory),
            worth=weighing.worth_of(
                memory, self._owner, self._newest, self.rules, was_task=memory.memory_id in self._tasks
            ),
            polarity=words.polarity(own),
            folded=attribution.without_writer(entry.text).casefold(),
            said=own,
            speaker=render.label_of(memory.label, memory.said_by_owner) if is_chunk else entry.label,
            said_on=said_on,
            vector=vector,
            days=frozenset(days),
        )
