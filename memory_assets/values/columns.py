"""An array that grows at its end, from one scoring to the next in a file that is mapped into memory: what a scoring
reads and writes of it is what has changed, however much there is.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from memory_assets.files.on_disk import replace_cache

SPARE = 1024
"""Room for so many more, and for an eighth of what is there, is set apart beside it: with zeros, so that a disk that is
full is noticed when the file is made, and not when what is mapped is written.
"""


class Column:
    """The first ``count`` of an array of room, as ``array``; whoever changes some says so (``touch``)."""

    def __init__(self, room: np.ndarray, count: int | None = None, *, is_mapped: bool = False) -> None:
        self._room = room
        self._count = len(room) if count is None else count
        self._is_mapped = is_mapped
        self._touched: list[np.ndarray] = []
        self.array = room[: self._count]

    def append(self, given: np.ndarray) -> np.ndarray:
        """Put rows at the end; their places."""
        places = np.arange(self._count, self._count + len(given))
        if self._count + len(given) > len(self._room):
            self._room = _with_room(self.array, len(given))
            self._is_mapped = False
        self._count += len(given)
        self._room[places] = given
        self.array = self._room[: self._count]
        self.touch(places)
        return places

    def touch(self, places: np.ndarray) -> None:
        """Note that the rows at these places are others than the file has."""
        if len(places):
            self._touched.append(places)

    def save(self, path: Path) -> None:
        """Write to the file that it was read from what has changed, else all of it. Raises :class:`OSError`."""
        if not self._is_mapped:
            self._room = _with_room(self.array) if len(self._room) < self._count + SPARE else self._room
            self.array = self._room[: self._count]
            replace_cache(path, partial(np.save, arr=self._room, allow_pickle=False))
        elif self._touched:
            places = np.unique(np.concatenate(self._touched))
            mapped = np.load(path, mmap_mode="r+", allow_pickle=False)
            mapped[places] = self._room[places]
            mapped.flush()
        self._is_mapped, self._touched = self._room.size > 0, []

    @classmethod
    def read(cls, path: Path, count: int) -> Column:
        """The first so many rows of a file; what is changed of them is so in memory alone.

        Raises :class:`OSError` and :class:`ValueError` where it cannot be read, or has fewer.
        """
        room = np.load(path, mmap_mode="c", allow_pickle=False)
        if not 0 <= count <= len(room):
            raise ValueError(f"{path.name} has {len(room)} rows of {count}")
        return cls(np.asarray(room), count, is_mapped=True)


def _with_room(array: np.ndarray, more: int = 0) -> np.ndarray:
    count = len(array) + more
    room = np.zeros((count + count // 8 + SPARE, *array.shape[1:]), array.dtype)
    room[: len(array)] = array
    return room
