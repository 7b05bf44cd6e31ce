"""An answer in parts, each within a budget of tokens; all parts together say everything once. Pure.

A part is an object like the whole, with what fits of it in the order of the whole; ``more`` says where the next one
begins. A row of a list stays whole where a part has room for it; a text is cut where none has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memory_assets.errors import MemoryAssetsError
from memory_assets.llm.tokens import count_tokens

POSITION = r"^\d{1,9}(\.\d{1,9})?$"
"""How ``more`` is written: a leaf of the answer, and a character in it."""
HEAD = ("ref", "kind")
"""What every part says of the whole."""
SHORT = 200
"""A text of fewer characters is not cut while it may fit whole into the next part."""
LONGEST_MORE = "9999999.9999999"

Path = tuple[str | int, ...]
Leaf = tuple[Path, Any]
Row = dict[str, Any]


class PartError(MemoryAssetsError):
    """An answer has no such part."""


def as_text(answer: Any) -> str:
    """An answer as it goes to an agent, and as it is counted."""
    return json.dumps(answer, ensure_ascii=False, default=_plain, separators=(",", ":"))


def part_of(answer: Mapping[str, Any], budget: int, more: str = "") -> Row:
    """The part of an answer that begins at ``more`` (the first: ""), in at most ``budget`` tokens as
    :func:`as_text` writes it. Raises :class:`PartError`.
    """
    leaves = list(_leaves(answer, ()))
    first, offset = _position(more, len(leaves))
    head: list[Leaf] = [((name,), answer[name]) for name in HEAD if first and answer.get(name)]
    part = _Part(head, budget)
    at = first
    while at < len(leaves):
        path, value = leaves[at]
        value = value[offset:] if offset and isinstance(value, str) else value
        if part.take(path, value):
            at, offset = at + 1, 0
            continue
        row = _row_of(path)
        begun = next((n for n in range(at, first - 1, -1) if n == first or _row_of(leaves[n - 1][0]) != row), at)
        if row and begun > first:  # the row is whole in the next part
            part.drop(at - begun)
            at, offset = begun, 0
        elif isinstance(value, str) and (part.is_empty or len(value) >= SHORT):
            offset += part.take_some(path, value)
        elif part.is_empty:  # nothing shorter can be said
            part.force(path, value)
            at += 1
        break
    rest = None if at >= len(leaves) else f"{at}.{offset}" if offset else str(at)
    return part.whole | {"more": rest}


class _Part:
    """Leaves that fit together into a budget."""

    def __init__(self, head: list[Leaf], budget: int) -> None:
        self._leaves, self._least, self._budget = list(head), len(head), budget
        self._used = self._count()

    @property
    def is_empty(self) -> bool:
        return len(self._leaves) == self._least

    @property
    def whole(self) -> Row:
        return _built(self._leaves)

    def take(self, path: Path, value: Any) -> bool:
        """Add a leaf; false where it does not fit."""
        cost = count_tokens(as_text(value)) + sum(count_tokens(as_text(one)) + 1 for one in path) + 1
        self._leaves.append((path, value))
        if self._used + cost <= self._budget:  # an upper bound: names of rows are written once
            self._used += cost
            return True
        self._used = self._count()
        if self._used <= self._budget:
            return True
        self.drop(1)
        return False

    def take_some(self, path: Path, text: str) -> int:
        """Add as much of a text's beginning as fits; how many characters. At least one where nothing else is there."""
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.take(path, text[:middle]):
                self.drop(1)
                low = middle
            else:
                high = middle - 1
        if low < len(text):  # at the end of a word
            low = max((found.end() for found in re.finditer(r"\s", text[:low])), default=low) or low
        low = low or int(self.is_empty)
        if low:
            self.force(path, text[:low])
        return low

    def drop(self, leaves: int) -> None:
        """Take the last leaves out again."""
        if leaves:
            del self._leaves[-leaves:]
            self._used = self._count()

    def force(self, path: Path, value: Any) -> None:
        """Add a leaf whatever it takes."""
        self._leaves.append((path, value))

    def _count(self) -> int:
        return count_tokens(as_text(_built(self._leaves) | {"more": LONGEST_MORE}))


def _leaves(value: Any, path: Path) -> Iterator[Leaf]:
    if isinstance(value, Mapping) and value:
        for name, one in value.items():
            yield from _leaves(one, (*path, name))
    elif isinstance(value, list | tuple) and value:
        for number, one in enumerate(value):
            yield from _leaves(one, (*path, number))
    else:
        yield path, value


def _row_of(path: Path) -> Path:
    """The row of a list that a leaf belongs to; none outside of lists."""
    at = next((n for n, name in enumerate(path) if isinstance(name, int)), None)
    return () if at is None else path[: at + 1]


def _built(leaves: Iterable[Leaf]) -> Row:
    tree: Row = {}
    for path, value in leaves:
        node: Any = tree
        for name in path[:-1]:
            node = node.setdefault(name, _Node())
        node[path[-1]] = value
    return {name: _listed(one) for name, one in tree.items()}


class _Node(dict[Any, Any]):
    """What is built, unlike an empty object of the answer."""


def _listed(value: Any) -> Any:
    """The rows of lists by their order alone."""
    if not isinstance(value, _Node):
        return value
    if isinstance(next(iter(value)), int):
        return [_listed(one) for one in value.values()]
    return {name: _listed(one) for name, one in value.items()}


def _position(more: str, leaves: int) -> tuple[int, int]:
    if not more:
        return 0, 0
    if not re.match(POSITION, more) or int(more.partition(".")[0]) >= leaves:
        raise PartError(f"There is no more at {more!r}: give the `more` of the answer before it.")
    at, _, offset = more.partition(".")
    return int(at), int(offset or 0)


def _plain(value: Any) -> str:
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)
