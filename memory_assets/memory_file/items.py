"""The pool read once: every memory cleaned, measured, and left out at once where it can never stand in the file.
Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

import numpy as np

from memory_assets.memory_file import (
    changes,
    passing,
    render,
    sentence_kinds,
    tasks_done,
    validity,
    weighing,
    when,
    words,
)
from memory_assets.memory_file.candidates import FileRules, LeftOut, Memory
from memory_assets.memory_file.clauses import left_of_rewritten
from memory_assets.memory_file.sizes import Size, Sizes, fits, plus
from memory_assets.text.lines import clean_text

UNCLEAR = "it can't be understood without what was said before"


@dataclass(eq=False)
class Item:
    """A memory that may stand in the file, measured and read once."""

    memory: Memory
    entry: render.Entry
    tokens: int
    size: Size
    year_size: Size
    words: frozenset[str]
    # The words and those of its day: what the file says once the entry stands there.
    telling: frozenset[str]
    rank: tuple[int, int]
    factor: float
    decides: bool
    is_latest: bool
    polarity: tuple[bool, tuple[str, ...]]
    folded: str
    # The memory's own words, cleaned: what judges of sentences read. The entry's may be another's about them.
    said: str
    said_words: frozenset[str]
    # Who says it, where that is not the owner.
    speaker: str | None
    vector: np.ndarray | None
    days: frozenset[date] = frozenset()
    # The dates that it means by "yesterday": written where the file does not name them otherwise.
    notes: tuple[tuple[str, str], ...] = ()
    notes_size: Size = ()
    note_words: frozenset[str] = frozenset()
    gain: float = 0.0


class Reading:
    """One pool as it is read: its items, the vocabulary of all that it says, and what is left out already."""

    def __init__(self, user: str, sizes: Sizes, rules: FileRules, today: date | None = None) -> None:
        self.user, self.sizes, self.rules, self.today = user, sizes, rules, today
        self._ends: dict[str, passing.End] = {}
        self.vocabulary = words.Vocabulary()
        self.left_out: list[LeftOut] = []
        self._words_of_days: dict[str | None, frozenset[str]] = {}

    def leave_out(self, memory: Memory, reason: str) -> None:
        """Note why a memory does not stand in the file."""
        self.left_out.append(LeftOut(memory.ref, memory.memory_id, reason))

    def prepare(self, pool: Sequence[Memory]) -> list[Item]:
        """Clean, measure and read every memory once; leave out at once what can never stand in the file."""
        newest = max((weighing.utc(m.occurred_at) for m in pool if m.occurred_at), default=None)
        short = weighing.short_labels(pool)
        has_owner = any(m.said_by_owner for m in pool)
        self._ends = {
            m.memory_id: end for m in pool if (end := weighing.end_of(weighing.with_own_day(m), self.user)) is not None
        }
        items = []
        for stored in pool:
            if len(stored.text) > self.rules.longest_text:
                self.leave_out(stored, f"longer than a file of {self.sizes.limits[0]:d} {self.sizes.units[0]} can hold")
                continue
            state = self._state(stored)
            memory = weighing.placed(weighing.with_own_day(stored), state, has_owner)
            entry = weighing.entry_of(memory, short)
            if not any(c.isalnum() for c in entry.text):
                self.leave_out(memory, "says nothing in words")
                continue
            item = self._item(memory, entry, newest, was_task=stored.section == "tasks")
            alone = plus(item.size, item.year_size, self.sizes.headings[memory.section])
            if not fits(alone, self.sizes.most_of(memory.section)):
                size, unit = item.size[0], self.sizes.units[0]
                whole = self.rules.budgets[memory.section]
                self.leave_out(memory, f"longer than its section's budget of {whole} {unit} ({size} {unit})")
                continue
            items.append(item)
        standing, left, gone = self._standing(items)
        tasks = {memory.memory_id for memory in pool if memory.section == "tasks"}
        for place, item in enumerate(standing):
            if item.memory.memory_id in left:
                rest, later = left[item.memory.memory_id]
                told_of = clean_text(item.memory.published)
                rewritten = left_of_rewritten(told_of, item.said, gone[item.memory.memory_id])
                memory = replace(item.memory, text=rest, statement=rewritten)
                entry = replace(weighing.entry_of(memory, short), text=rewritten or rest, rest_superseded_by=later)
                if rewritten is None and told_of != item.said:  # a quotation among statements
                    entry = replace(entry, label=render.label_of(memory.label))
                told = self._item(memory, entry, newest, was_task=memory.memory_id in tasks)
                told.is_latest, told.decides = item.is_latest, told.decides or item.is_latest
                standing[place] = told
        return [item for item in standing if self._is_clear(item.memory) and not self._has_passed(item.memory)]

    @property
    def changes_on(self) -> date | None:
        """The first day from which time alone may make another file of the pool."""
        days = (day for end in self._ends.values() for day in end.changes())
        return None if self.today is None else passing.next_change(days, self.today)

    def _state(self, memory: Memory) -> passing.State:
        end = self._ends.get(memory.memory_id)
        return passing.State.OPEN if end is None or self.today is None else end.state(self.today)

    def _has_passed(self, memory: Memory) -> bool:
        """Leave out a task whose day has passed, and a source that is recent no longer."""
        if memory.section not in ("tasks", "recent") or self._state(memory) is not passing.State.PASSED:
            return False
        day = render.written_day(self._ends[memory.memory_id].last)
        why = f"{passing.DAY_PASSED} on" if memory.section == "tasks" else f"{passing.NOT_RECENT} after"
        self.leave_out(memory, f"{why} {day}")
        return True

    def _is_clear(self, memory: Memory) -> bool:
        """Leave out what is not understood alone."""
        if not memory.is_clear:
            self.leave_out(memory, UNCLEAR)
        return memory.is_clear

    def _standing(
        self, items: Sequence[Item]
    ) -> tuple[list[Item], dict[str, tuple[str, str]], dict[str, frozenset[int]]]:
        """What still holds; and of what a later word takes some clauses back the other words, with that word's
        reference, and which parts these clauses are.
        """
        said = [
            validity.Said(
                i.memory.memory_id,
                i.memory.ref,
                i.said,
                "" if weighing.is_owners(i.memory, self.user) else i.memory.label or "",
                validity.day_of(i.said, weighing.day_of(i.memory.occurred_at)),
                i.said_words,
                i.memory.section == "preferences",
                i.memory.section == "tasks",
                (i.memory.occurred_at.isoformat() if i.memory.occurred_at else "", i.memory.turn, i.memory.position),
            )
            for i in items
            if i.memory.entity_type == "KnowledgeChunk"
        ]
        outcome = changes.outdated(said)
        taken = outcome.taken | validity.superseded(said)
        over = validity.done(said) | tasks_done.done(said)
        reasons = {m: f"done by {ref}" for m, ref in over.items()}
        reasons |= {m: f"superseded by {ref}" for m, ref in taken.items()}
        written = {i.memory.memory_id for i in items if i.memory.by_editor}
        clear = {i.memory.memory_id for i in items if i.memory.is_clear}
        left = {m: rest for m, rest in outcome.left.items() if m not in reasons}
        in_part = {m: ref for m, (_, ref) in left.items()}
        lasting = [
            replace(s, text=left[s.memory_id][0]) if s.memory_id in left else s
            for s in said
            if s.memory_id not in reasons and s.memory_id not in written and s.memory_id in clear
        ]
        reasons |= {m: f"says again what {ref} says" for m, ref in validity.repeated(lasting).items()}
        overviews = {i.memory.memory_id: i.entry.text for i in items if i.memory.entity_type != "KnowledgeChunk"}
        told_again = validity.outdated(overviews, said, over | taken | in_part, outcome.clauses)
        reasons |= {m: f"tells what {ref} has taken back" for m, ref in told_again.items()}
        latest = {*taken.values(), *in_part.values()}
        for item in items:
            if item.memory.memory_id in reasons:
                self.leave_out(item.memory, reasons[item.memory.memory_id])
            elif item.memory.ref in latest and item.memory.section == "insights":
                item.decides = item.is_latest = True
        return [item for item in items if item.memory.memory_id not in reasons], left, outcome.gone

    def _day_words(self, day: str | None) -> frozenset[str]:
        if day not in self._words_of_days:
            self._words_of_days[day] = self.vocabulary.read(day or "")
        return self._words_of_days[day]

    def _item(self, memory: Memory, entry: render.Entry, newest: datetime | None, *, was_task: bool) -> Item:
        vector = None
        if memory.embedding is not None and len(memory.embedding):
            vector = np.asarray(memory.embedding, dtype=np.float32)
            length = float(np.linalg.norm(vector))
            vector = vector / length if length > 0 and math.isfinite(length) else None
        read = self.vocabulary.read(entry.text)
        spoken = read | self.vocabulary.read(entry.label or "")
        own = clean_text(memory.text)
        is_chunk = memory.entity_type == "KnowledgeChunk"
        speaker = render.label_of(memory.label, memory.said_by_owner) if is_chunk else entry.label
        factor = weighing.factor_of(memory, own, self.user, newest, self.rules, was_task=was_task)
        if memory.section == "insights" and len(read) < 3:
            factor *= self.rules.scant_weight
        said = weighing.day_of(memory.occurred_at)
        days = validity.days_in(own, said) if memory.section == "tasks" else ()
        notes = when.notes_of(entry.text, validity.day_of(own, said)) if entry.day else ()
        return Item(
            memory=memory,
            entry=entry,
            tokens=max(1, self.sizes.count(entry.line + "\n")),
            size=self.sizes.measure(entry.line + "\n"),
            year_size=self.sizes.of_year(entry.day),
            words=spoken,
            telling=spoken | self._day_words(entry.day),
            rank=weighing.rank_of(memory),
            factor=factor,
            is_latest=False,
            decides=memory.section == "insights" and sentence_kinds.decides(own),
            polarity=words.polarity(own),
            folded=entry.text.casefold(),
            said=own,
            said_words=self.vocabulary.words_of(f"{own} {speaker or ''}"),
            speaker=speaker,
            vector=vector,
            days=frozenset(days),
            notes=notes,
            notes_size=self.sizes.measure_inside(when.render_notes(notes)),
            note_words=frozenset().union(*(self._day_words(meant) for _, meant in notes)),
        )
