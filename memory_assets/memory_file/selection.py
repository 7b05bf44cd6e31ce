"""Which memories stand in the file: whole entries packed into section budgets (000; Lin and Bilmes, 2010).

What is worth saying is ``weighing.py``'s, what still holds ``validity.py``'s, what passes with time
``passing.py``'s; the pool is read by ``items.py``, measured by ``sizes.py``, packed and put in order by
``packing.py``. Sections fill to their own share first (preferences, tasks, recent, insights: what is said recently
is not said again). The newest :data:`FileRules.recent_sources` of the recent sources come first; which of these are
told is chosen like everything else, by what they say that the file does not say yet. What is left then flows on in
:data:`FLOW` order, so that the file is filled as far as there is something worth saying. No entry is ever cut to
fit: one that does not makes room for the next that does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from memory_assets.memory_file import render
from memory_assets.memory_file.candidates import Counter, FileRules, Memory, Selection
from memory_assets.memory_file.items import Item, Reading
from memory_assets.memory_file.packing import Packing, newest_first
from memory_assets.memory_file.sizes import Sizes, plus

CODE_VERSION = "13"
"""Part of the draft's fingerprint: raise it when the same memories would be chosen or written differently."""

FILL_ORDER = ("preferences", "tasks", "recent", "insights")
FLOW = ("preferences!", "insights", "tasks", "preferences", "recent")
"""Who gets unused budget, in order; ``preferences!`` stands for the owner's standing instructions alone."""


def select_entries(
    user: str,
    memories: Iterable[Memory],
    count_tokens: Counter,
    rules: FileRules = FileRules(),  # noqa: B008 (frozen)
    today: date | None = None,
) -> Selection:
    """Choose, order and render the file of ``user`` from a bounded pool, whatever order it comes in.

    ``today`` is the clock's day, by which tasks pass and sources are recent; without it, nothing passes.
    """
    pool = sorted({m.memory_id: m for m in memories}.values(), key=lambda m: m.memory_id)
    reading = Reading(user, Sizes(user, count_tokens, rules), rules, today)
    items = reading.prepare(pool)
    packing = Packing(reading, items)
    waiting = {name: [i for i in items if i.memory.section == name] for name in render.SECTIONS}
    recent = newest_first(waiting["recent"])
    waiting["recent"], older = recent[: rules.recent_sources], recent[rules.recent_sources :]
    for name in FILL_ORDER:
        if name == "recent":
            # What was last of all is told first, whatever else it repeats.
            last = packing.fill(name, waiting[name][:1], packing.sizes.budgets[name])
            waiting[name] = last + waiting[name][1:]
        waiting[name] = packing.fill(name, waiting[name], packing.sizes.budgets[name])
    _flow(packing, waiting)
    # Estimates have been added up so far: what the real count leaves is filled as well.
    packing.recount()
    _flow(packing, waiting)
    # Where the file has room left for all of that, what is older comes newest first.
    for item in older:
        waiting["recent"] += packing.fill("recent", [item], plus(packing.used["recent"].size, packing.spare))
    for item in (item for name in render.SECTIONS for item in waiting[name]):
        packing.leave_waiting(item)
    return replace(packing.finish(), changes_on=reading.changes_on)


def _flow(packing: Packing, waiting: dict[str, list[Item]]) -> None:
    for step in FLOW:
        name = step.rstrip("!")
        now = [i for i in waiting[name] if i.memory.is_standing or not step.endswith("!")]
        later = [i for i in waiting[name] if i not in now] if step.endswith("!") else []
        waiting[name] = packing.fill(name, now, plus(packing.used[name].size, packing.spare)) + later
