"""How large a file may be: tokens, lines, bytes or characters, and the limits of the files that agents load.

Each preset is what its agent really reads before it cuts: our own default is 000's 2,000 tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property

from memory_assets.errors import WrongUseError

DEFAULT_PRESET = "memory-assets"


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

    def measure(self, text: str, count_tokens: Callable[[str], int]) -> dict[str, int]:
        """The size of ``text`` in each limited unit."""
        return {unit: count_tokens(text) if unit == "tokens" else _SIZES[unit](text) for unit in self.limits}

    def exceeded(self, text: str, count_tokens: Callable[[str], int]) -> dict[str, int]:
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
