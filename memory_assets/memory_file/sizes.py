"""What an entry costs: one figure per unit of the ceiling, and the budgets that they are compared with. Pure.

A section is full when any unit is.
"""

from __future__ import annotations

from functools import cache

from memory_assets.memory_file import render
from memory_assets.memory_file.candidates import SHARES, Counter, FileRules
from memory_assets.memory_file.ceilings import Ceiling

BYTES_PER_LINE = 125
"""What a line may hold where only lines are limited, as in 25,000 bytes of 200 lines: lines cannot grow for ever."""

Size = tuple[int, ...]


class Sizes:
    """The budgets of one file, and what its headings and years cost, in each unit of its ceiling."""

    def __init__(self, called: str, count_tokens: Counter, rules: FileRules) -> None:
        """``called``: whose memory the file is by its title."""
        self.called = called
        self.count = cache(count_tokens)
        limits = rules.ceiling.limits
        if set(limits) == {"lines"}:
            limits = limits | {"bytes": limits["lines"] * BYTES_PER_LINE}
        self._bounds = Ceiling(**limits)
        self.limits = tuple(limits.values())
        self.units = tuple(limits)
        title = self.measure(render.render_title(called))
        self.total = minus(self.limits, title)
        self.budgets = {name: tuple(limit * share // 100 for limit in self.limits) for name, share in SHARES.items()}
        # The title is paid by the largest section.
        largest = max(SHARES, key=lambda name: SHARES[name])
        self.budgets[largest] = minus(self.budgets[largest], title)
        self.nothing: Size = (0,) * len(self.units)
        self.headings = {name: self.measure(f"\n## {render.HEADINGS[name]}\n") for name in render.SECTIONS}
        self._years: dict[str | None, Size] = {}

    def measure(self, text: str) -> Size:
        """The size of ``text`` in each unit of the ceiling."""
        return tuple(self._bounds.measure(text, self.count).values())

    def of_year(self, day: str | None) -> Size:
        """What the line of a day's year costs."""
        year = render.year_of(day)
        if year not in self._years:
            self._years[year] = self.measure(render.day_line(day) + "\n")
        return self._years[year]

    def most_of(self, section: str) -> Size:
        """What one entry of a section may take at most, alone: its share, but of lines all."""
        return tuple(
            total if unit == "lines" else limit * SHARES[section] // 100
            for unit, limit, total in zip(self.units, self.limits, self.total, strict=True)
        )


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
