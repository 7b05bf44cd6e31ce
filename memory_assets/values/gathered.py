"""Everything scored from the start, from pages of memories: of each no more is kept than its row and its vector. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory_assets.values import policy
from memory_assets.values.policy import Candidate, Vector
from memory_assets.values.scored import ROW, Scored, in_order, rows_of, units_of


class Gathered:
    """Takes pages of memories, at most ``most`` of them, and scores them together.

    Room for all is set apart at once, but only what is filled of it is really taken. Vectors of several widths are
    compared each with its like, and none is kept.
    """

    def __init__(self, most: int) -> None:
        self._rows = np.zeros(most, ROW)
        self._vectors: dict[int, np.ndarray] = {}
        self._count = 0

    def add(self, candidates: Sequence[Candidate], vectors: Sequence[Vector | None]) -> None:
        """Take a page."""
        first, self._count = self._count, self._count + len(candidates)
        self._rows[first : self._count] = rows_of(candidates, vectors)
        for width in {len(vector) for vector in vectors if vector is not None}:
            room = self._vectors.setdefault(width, np.zeros((len(self._rows), width), np.float32))
            room[first : self._count] = units_of([v if v is not None and len(v) == width else None for v in vectors], width)

    def score(self) -> Scored:
        """What was taken, scored; nothing can be added any more."""
        rows = self._rows[: self._count]
        widths = {width: room[: self._count] for width, room in sorted(self._vectors.items())}
        order = in_order(rows)
        arrange(rows, order)
        for vectors in widths.values():
            arrange(vectors, order)
            # The zeros of those that have none, or one of another width, are like nothing.
            np.maximum(rows["highest"], policy.highest_earlier(vectors), out=rows["highest"])
        if len(widths) > 1:
            scored = Scored(rows, np.zeros((len(rows), 0), np.float32), is_comparable=False)
            rows["has_vector"] = False
        else:
            scored = Scored(rows, next(iter(widths.values()), np.zeros((len(rows), 0), np.float32)))
        scored.find_repeats(rows["text"])
        return scored


def score_all(candidates: Sequence[Candidate], vectors: Sequence[Vector | None]) -> Scored:
    """Everything from the start, from one page."""
    gathered = Gathered(len(candidates))
    gathered.add(candidates, vectors)
    return gathered.score()


def arrange(array: np.ndarray, order: np.ndarray) -> None:
    """Put the rows of an array in an order, where they stand: a copy of all vectors would take their room once more."""
    wanted = order.copy()
    for first in range(len(wanted)):
        held, place = array[first].copy(), first
        while (source := int(wanted[place])) != first:
            array[place], wanted[place] = array[source], place
            place = source
        array[place], wanted[place] = held, place
