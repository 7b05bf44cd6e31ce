"""What composed lines of a file rest on: the memories that they cite. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar, cast

M = TypeVar("M", bound=Mapping[str, object])


def parts_of(entries: Iterable[M]) -> Iterator[M]:
    """The memories that entries of a draft or manifest rest on: those that a composed line cites, else its own."""
    for entry in entries:
        yield from cast(Sequence[M], entry.get("rests_on")) or (entry,)


def placed(entries: Iterable[Mapping[str, object]]) -> list[str]:
    """The ids of all memories that are in a file, by its entries."""
    return [str(part["memory_id"]) for part in parts_of(entries)]
