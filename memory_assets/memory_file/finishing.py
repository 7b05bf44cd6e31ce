"""The chosen entries as sections: ordered, each line with its reference, counted, budgets after the flow. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memory_assets.memory_file import render, weighing
from memory_assets.memory_file.candidates import SectionUse
from memory_assets.memory_file.items import Item, LineKey
from memory_assets.memory_file.sizes import Size, Sizes

MOST_TOGETHER = 4
"""So many likes or tasks on one line at most: more are hard to find one's way in."""
MOST_CHARACTERS = 600
"""So long are the words of insights on one line at most: about what a paragraph has."""


@dataclass(frozen=True)
class Filled:
    """How full the last line of a group is: its number, how many entries stand on it, and their characters."""

    part: int = 0
    entries: int = 0
    characters: int = 0

    def with_next(self, section: str, text: str) -> Filled:
        """The same with one more entry, on a line of its own where it would be too much for this one."""
        more = self.characters + len(text)
        is_full = more > MOST_CHARACTERS if section == "insights" else self.entries >= MOST_TOGETHER
        if self.entries and is_full:
            return Filled(self.part + 1, 1, len(text))
        return Filled(self.part, self.entries + 1, more)


def in_order(chosen: Sequence[Item]) -> list[Item]:
    """The chosen entries as they stand in the file: a line stands where the first on it was said."""
    openings: dict[LineKey, tuple[int, int]] = {}
    for item in chosen:
        if item.line is not None:
            said = item.memory.turn, item.memory.position
            openings[item.line] = min(openings.get(item.line, said), said)

    def place(item: Item) -> tuple[object, ...]:
        own = item.memory.turn, item.memory.position
        return weighing.place_of(item.memory, own if item.line is None else openings[item.line])

    return sorted(chosen, key=place)


def entries_of(ordered: Sequence[Item]) -> tuple[render.Entry, ...]:
    """Entries :func:`in_order`, each with the reference of its line: of several insights the source's own, else the first's."""
    lines: dict[tuple[LineKey | str, int], list[Item]] = {}
    filled: dict[LineKey | str, Filled] = {}
    for item in ordered:
        line = item.line or item.memory.memory_id
        filled[line] = filled.get(line, Filled()).with_next(item.memory.section, item.entry.text)
        lines.setdefault((line, filled[line].part), []).append(item)
    taken = {items[0].memory.ref for items in lines.values() if len(items) == 1}
    entries: list[render.Entry] = []
    for items in lines.values():
        first = items[0].memory
        ref = first.ref
        if len(items) > 1:
            if first.section == "insights":
                ref = first.source_ref if first.source_ref and first.source_ref not in taken else first.ref
            taken.add(ref)
        entries.extend(replace(item.entry, ref=ref) for item in items)
    return tuple(entries)


def section_sizes(entries: Sequence[render.Entry], sizes: Sizes) -> dict[str, Size]:
    """The real size of each section as it is rendered; nothing where it has no entries."""
    blocks: Mapping[str, str] = {
        name: render.render_section(name, [e for e in entries if e.section == name]) for name in render.SECTIONS
    }
    return {name: sizes.measure(block) if block else sizes.nothing for name, block in blocks.items()}


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
