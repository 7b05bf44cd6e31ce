"""The chosen entries as sections: ordered, counted, budgets after the flow. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memory_assets.memory_file import render, weighing
from memory_assets.memory_file.candidates import SectionUse
from memory_assets.memory_file.items import Item
from memory_assets.memory_file.sizes import Size, Sizes


def in_order(chosen: Iterable[Item]) -> list[Item]:
    """What is chosen, in the order in which it stands in the file."""
    return sorted(chosen, key=lambda item: weighing.place_of(item.memory))


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
