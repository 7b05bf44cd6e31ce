"""Which memories the file has: whole entries packed into section budgets, the most valuable first (000).

What a memory is worth here is ``weighing.py``'s, what says the same ``alike.py``'s, what is new beside the entries
``novelty.py``'s, what passes with time ``passing.py``'s; the pool is read, without what holds no longer, by
``items.py``, measured by ``ceilings.py``, packed and put in order by ``packing.py``. Sections fill to their own share
first (preferences, tasks, insights, recent), of recent context the newest :data:`FileRules.recent_sources`, the
newest first: no source of which the file says every sentence or tells a third of what is worth a line, no talk in
which nothing is. What is left then flows on in :data:`FLOW` order. What is worth too little is in no file, whatever
room there is; no entry is ever cut to fit.
"""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from memory_assets.memory_file import render
from memory_assets.memory_file.candidates import FileRules, LeftOut, Memory, Selection
from memory_assets.memory_file.ceilings import Ceiling, Counter, Sizes
from memory_assets.memory_file.items import Item, Reading
from memory_assets.memory_file.packing import Packing, newest_first

CODE_VERSION = "37"
"""Part of the draft's fingerprint: raise it when the same memories would be chosen or written differently."""

FLOW = ("insights", "tasks", "preferences", "recent")
"""Who gets unused budget, in order, behind the owner's standing instructions."""


@dataclass(frozen=True)
class Choice:
    """A file that was chosen, and all that it was chosen from, as it was read."""

    reading: Reading
    selection: Selection

    @cached_property
    def chosen(self) -> frozenset[str]:
        """The memories whose entries the file has, by id."""
        return frozenset(entry.memory_id for entry in self.selection.entries)

    @cached_property
    def required(self) -> frozenset[str]:
        """Those of them that are standing instructions and open tasks."""
        found = (item for item in self.reading.items if item.memory.is_standing or item.memory.section == "tasks")
        return frozenset(item.memory_id for item in found) & self.chosen


def choose(
    user: str,
    memories: Iterable[Memory],
    count_tokens: Counter,
    rules: FileRules = FileRules(),  # noqa: B008 (frozen)
    today: date | None = None,
    name: str | None = None,
) -> Choice:
    """Choose, order and render the file of ``user`` from a bounded pool, whatever order it comes in.

    ``today`` is the clock's day, by which tasks pass and sources are recent; without it, nothing passes. ``name`` is
    what the owner's profile calls the owner, if anything: the title, unless it does not fit.
    """
    pool = sorted({m.memory_id: m for m in memories}.values(), key=lambda m: m.memory_id)
    reading = Reading(user, pool, _sizes(user, name, count_tokens, rules.ceiling), rules, today)
    return Choice(reading, pack(reading, reading.items))


def _sizes(user: str, name: str | None, count_tokens: Counter, ceiling: Ceiling) -> Sizes:
    """Of a file with the name as its title, or with the user's id, for which there is always room, where it is longer
    than the file (a file is added before its owner has this name, or has it no more).
    """
    named = Sizes(name or user, count_tokens, ceiling)
    return named if min(named.total) >= 0 else Sizes(user, count_tokens, ceiling)


def pack(
    reading: Reading, items: Sequence[Item], first: Collection[str] = (), left_out: Iterable[LeftOut] = ()
) -> Selection:
    """Fill a file with whole entries, ``first`` before all others; ``left_out`` says why others are not in it.

    What is perhaps outdated is left out where the later statement is in the file; an order only for an order.
    """
    others = list(left_out)
    found = _pack(reading, items, first, others)
    chosen, refs = {entry.memory_id for entry in found.entries}, {entry.ref for entry in found.entries}
    orders = {item.memory.ref for item in items if item.memory.is_standing}
    doubted = [
        one.memory.left_out(later.what_became)
        for one in items
        if one.memory_id in chosen and not one.memory.by_editor
        for later in one.memory.later[-1:]
        if later.outdated == "perhaps" and later.ref in (refs & orders if one.memory.is_standing else refs)
    ]
    if not doubted:
        return found
    gone = {one.memory_id for one in doubted}
    return _pack(reading, [one for one in items if one.memory_id not in gone], first, [*others, *doubted])


def _pack(reading: Reading, items: Sequence[Item], first: Collection[str], left_out: Iterable[LeftOut]) -> Selection:
    rules, packing = reading.rules, Packing(reading, items, first)
    packing.left_out += left_out
    recent = newest_first(packing.waiting["recent"])
    too_old = f"not among the {rules.recent_sources} newest sources"
    packing.left_out += [item.memory.left_out(too_old) for item in recent[rules.recent_sources :]]
    packing.waiting["recent"] = recent[: rules.recent_sources]
    for name in render.SECTIONS if first else ():
        packing.fill(name, now=lambda item: item.memory_id in packing.first)
    many = set(_beyond(packing.waiting["tasks"], rules.tasks_of_a_source))
    for name in render.SECTIONS:
        packing.fill(name, packing.sizes.budgets[name], lambda item: item not in many)
    chosen = -1
    # Estimates are added up: what the real count leaves, or a year that was opened since, may make room for more.
    while chosen < len(packing.chosen):
        chosen = len(packing.chosen)
        packing.fill("preferences", now=lambda item: item.memory.is_standing)
        for name in FLOW:
            packing.fill(name)
        packing.recount()
        if packing.drop_said():
            chosen = -1
    return replace(packing.finish(), changes_on=reading.changes_on)


def _beyond(items: Iterable[Item], most: int) -> list[Item]:
    """All but the first so many of each source."""
    seen: Counted[str | None] = Counted()
    beyond = []
    for item in items:
        source = item.memory.source_id
        seen[source] += 1
        if source and seen[source] > most:
            beyond.append(item)
    return beyond
