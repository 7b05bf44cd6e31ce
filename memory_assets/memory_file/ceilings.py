"""How large a file may be: tokens, lines, bytes or characters; the limits of the files that agents load, and what an
entry costs: one figure per unit of the ceiling. Pure.

Each preset is what its agent really reads before it cuts: our own default is 000's 2,000 tokens. A section is full when
any unit is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property

from memory_assets.errors import WrongUseError
from memory_assets.memory_file import render

DEFAULT_PRESET = "memory-assets"

SHARES: Mapping[str, int] = {"preferences": 25, "tasks": 40, "insights": 25, "recent": 10}
"""What of a file is each section's own, in hundredths (000: 500, 800, 500 and 200 of 2,000 tokens)."""

BYTES_PER_LINE = 125
"""What a line may hold where only lines are limited, as in 25,000 bytes of 200 lines: lines cannot grow for ever."""

Counter = Callable[[str], int]
Size = tuple[int, ...]


@dataclass(frozen=True)
class Ceiling:
    """The limits of one file; whatever is None is not limited. At least one limit is set, all hold at once.

    ``tokens`` are counted by the house's counter, ``lines`` by their ends, ``bytes`` in UTF-8 and
    ``characters`` by code points.
    """

    tokens: int | None = None
    lines: int | None = None
    bytes: int | None = None
    characters: int | None = None

    def __post_init__(self) -> None:
        if not self.limits or min(self.limits.values()) < 1:
            raise ValueError("a ceiling has at least one limit, each of 1 or more")

    @cached_property
    def limits(self) -> dict[str, int]:
        """The limits that are set, by their unit."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {unit: limit for unit, limit in values.items() if limit is not None}

    @property
    def unit(self) -> str:
        """The first unit: what budgets are reported in."""
        return next(iter(self.limits))

    @property
    def limit(self) -> int:
        """The limit in the first unit."""
        return self.limits[self.unit]

    @property
    def budgets(self) -> dict[str, int]:
        """Each section's own share of ``limit``."""
        return {name: self.limit * share // 100 for name, share in SHARES.items()}

    def measure(self, text: str, count_tokens: Counter) -> dict[str, int]:
        """The size of ``text`` in each limited unit."""
        return {unit: count_tokens(text) if unit == "tokens" else _SIZES[unit](text) for unit in self.limits}

    def exceeded(self, text: str, count_tokens: Counter) -> dict[str, int]:
        """By how much ``text`` is over, in each unit in which it is; empty when it fits."""
        limits = self.limits
        return {
            unit: size - limits[unit] for unit, size in self.measure(text, count_tokens).items() if size > limits[unit]
        }


_SIZES: Mapping[str, Callable[[str], int]] = {
    "lines": lambda value: value.count("\n") + (not value.endswith("\n") and value != ""),
    "bytes": lambda value: len(value.encode("utf-8", "surrogatepass")),
    "characters": len,
}


PRESETS: Mapping[str, Ceiling] = {
    DEFAULT_PRESET: Ceiling(tokens=2_000),
    "claude-code": Ceiling(lines=200, bytes=25_000),
    "openclaw": Ceiling(characters=10_000),
    "hermes": Ceiling(characters=2_200),
    "codex": Ceiling(tokens=5_000),
}


def checked_preset(name: str) -> str:
    """A preset's name, or :class:`WrongUseError`."""
    if name not in PRESETS:
        raise WrongUseError(f"There is no preset {name!r}. There are: {', '.join(PRESETS)}.")
    return name


class Sizes:
    """The budgets of one file, and what its headings and years cost, in each unit of its ceiling."""

    def __init__(self, called: str, count_tokens: Counter, ceiling: Ceiling) -> None:
        """``called``: whose memory the file is by its title."""
        self.called = called
        self.count = cache(count_tokens)
        limits = ceiling.limits
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

    def measure(self, text: str) -> Size:
        """The size of ``text`` in each unit of the ceiling."""
        return tuple(self._bounds.measure(text, self.count).values())

    def of_year(self, day: str | None) -> Size:
        """What the line of a day's year costs."""
        return self.measure(render.day_line(day) + "\n")

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
