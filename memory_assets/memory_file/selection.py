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

from memory_assets.memory_file import render
from memory_assets.memory_file.candidates import FileRules, LeftOut, Memory, Selection
from memory_assets.memory_file.ceilings import Ceiling, Counter, Sizes, plus
from memory_assets.memory_file.items import Item, Reading
from memory_assets.memory_file.packing import Packing, best_first, newest_first

CODE_VERSION = "36"
"""Part of the draft's fingerprint: raise it when the same memories would be chosen or written differently."""

FILL_ORDER = ("preferences", "tasks", "insights", "recent")
FLOW = ("preferences!", "insights", "tasks", "preferences", "recent")
"""Who gets unused budget, in order; ``preferences!`` are the owner's standing instructions alone."""


@dataclass(frozen=True)
class Choice:
    """A file that was chosen, and all that it was chosen from, as it was read."""

    reading: Reading
    items: tuple[Item, ...]
    selection: Selection


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
    reading = Reading(user, _sizes(user, name, count_tokens, rules.ceiling), rules, today)
    items = reading.prepare(pool)
    return Choice(reading, tuple(items), pack(reading, items))


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
        LeftOut(one.memory.ref, one.memory.memory_id, later.what_became)
        for one in items
        if one.memory.memory_id in chosen and not one.memory.by_editor
        for later in one.memory.later[-1:]
        if later.outdated == "perhaps" and later.ref in (refs & orders if one.memory.is_standing else refs)
    ]
    if not doubted:
        return found
    gone = {one.memory_id for one in doubted}
    return _pack(reading, [one for one in items if one.memory.memory_id not in gone], first, [*others, *doubted])


def _pack(reading: Reading, items: Sequence[Item], first: Collection[str], left_out: Iterable[LeftOut]) -> Selection:
    rules, packing = reading.rules, Packing(reading, first)
    packing.left_out += left_out
    waiting = {name: best_first(i for i in items if i.memory.section == name) for name in render.SECTIONS}
    waiting["recent"] = newest_first(waiting["recent"])
    for item in waiting["recent"][rules.recent_sources :]:
        packing.leave_out(item.memory, f"not among the {rules.recent_sources} newest sources")
    waiting["recent"] = waiting["recent"][: rules.recent_sources]
    for name in render.SECTIONS if first else ():
        now = [i for i in waiting[name] if i.memory.memory_id in packing.first]
        left = packing.fill(name, now, plus(packing.used[name].size, packing.spare))
        waiting[name] = left + [i for i in waiting[name] if i.memory.memory_id not in packing.first]
    for name in FILL_ORDER:
        now, later = _of_each_source(waiting[name], rules.tasks_of_a_source) if name == "tasks" else (waiting[name], [])
        waiting[name] = packing.fill(name, now, packing.sizes.budgets[name]) + later
    chosen = -1
    # Estimates are added up: what the real count leaves, or a year that was opened since, may make room for more.
    while chosen < len(packing.chosen):
        chosen = len(packing.chosen)
        _flow(packing, waiting)
        packing.recount()
        if packing.drop_said():
            chosen = -1
    left = [item for name in render.SECTIONS for item in waiting[name]]
    return replace(packing.finish(left, reading.repeated), changes_on=reading.changes_on)


def _of_each_source(items: Iterable[Item], most: int) -> tuple[list[Item], list[Item]]:
    """The first so many of each source, with those of none, and all others."""
    seen: Counted[str] = Counted()
    first: list[Item] = []
    others: list[Item] = []
    for item in items:
        source = item.memory.source_id
        seen.update([source] if source else [])
        (others if source and seen[source] > most else first).append(item)
    return first, others


def _flow(packing: Packing, waiting: dict[str, list[Item]]) -> None:
    for step in FLOW:
        name = step.rstrip("!")
        now = [i for i in waiting[name] if i.memory.is_standing or not step.endswith("!")]
        later = [i for i in waiting[name] if i not in now] if step.endswith("!") else []
        waiting[name] = packing.fill(name, now, plus(packing.used[name].size, packing.spare)) + later
