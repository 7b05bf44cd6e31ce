"""Work in batches that are bounded by number and by size. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

TOKENS_PER_BATCH = 60_000
"""How much text the sources of one batch have together: about 2,000 statements of a chat, some 10 MB in a
transaction.
"""


def in_batches(
    things: Sequence[T], most: int, size_of: Callable[[T], int], largest: int = TOKENS_PER_BATCH
) -> Iterator[Sequence[T]]:
    """``things`` in order, at most ``most`` and ``largest`` of their sizes in a batch; a thing larger than that is
    one.
    """
    start, filled = 0, 0
    for place, thing in enumerate(things):
        size = size_of(thing)
        if place > start and (place - start >= most or filled + size > largest):
            yield things[start:place]
            start, filled = place, 0
        filled += size
    if start < len(things):
        yield things[start:]
