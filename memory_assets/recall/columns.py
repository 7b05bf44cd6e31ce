"""What ranks a passage, in three files that are mapped into memory and only ever grow: a row, its terms, its vector.

A writer records how much of them counts; what lies behind that belongs to no passage, and is overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from memory_assets.recall.ranking import Candidates

ROW = np.dtype(
    [("source", "<u4"), ("place", "<u4"), ("first", "<u8"), ("terms", "<u2")]
    + [("tokens", "<u2"), ("flags", "<u4"), ("speaker", "<u4"), ("day", "<i4")]
)
_TERM = np.dtype("<u4")
_SHARES = 127
"""A vector's numbers are stored as so many steps of its largest."""


class Columns:
    """The three files in ``folder``."""

    def __init__(self, folder: Path, width: int) -> None:
        self._paths = [folder / name for name in ("rows.bin", "terms.bin", "vectors.bin")]
        self._vector = np.dtype((np.int8, (width,)))
        self._width = width
        self.close()

    def append(
        self, row: int, term: int, rows: Sequence[tuple[int, ...]], terms: Sequence[int], vectors: np.ndarray
    ) -> None:
        """Write from this row and this term on, to the disk."""
        largest = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-9) if len(vectors) else vectors
        small = np.rint(vectors / np.maximum(largest, 1e-9) * _SHARES).astype(np.int8)
        parts = (
            (row * ROW.itemsize, np.array(list(rows), dtype=ROW)),
            (term * _TERM.itemsize, np.array(terms, dtype=_TERM)),
            (row * self._width, small),
        )
        for path, (at, values) in zip(self._paths, parts, strict=True):
            with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
                file.truncate(at)
                file.seek(at)
                file.write(values.tobytes())
                file.flush()
                os.fsync(file.fileno())

    def open(self, rows: int, terms: int) -> None:
        """Map the first so many rows and terms of the files."""
        self._rows = _mapped(self._paths[0], ROW, rows)
        self._terms = _mapped(self._paths[1], _TERM, terms)
        self._vectors = _mapped(self._paths[2], np.dtype(np.int8), rows * self._width).reshape(rows, self._width)

    def close(self) -> None:
        """Unmap the files."""
        self._rows = np.zeros(0, dtype=ROW)
        self._terms = np.zeros(0, dtype=_TERM)
        self._vectors = np.zeros((0, self._width), dtype=np.int8)

    def sources(self, numbers: np.ndarray) -> np.ndarray:
        """The number of the source of each of these passages."""
        return self._rows["source"][numbers]

    def heads(self, numbers: np.ndarray) -> np.ndarray:
        """The rows of these passages."""
        return self._rows[numbers]

    def terms_of(self, places: range, rows: int, terms: int) -> Iterator[np.ndarray]:
        """The terms of each of these passages, as the files are now."""
        if len(places):
            columns = _mapped(self._paths[0], ROW, rows)
            words = _mapped(self._paths[1], _TERM, terms)
            for row in columns[places.start : places.stop]:
                yield words[int(row["first"]) : int(row["first"]) + int(row["terms"])]

    def read(self, numbers: np.ndarray, wanted: np.ndarray, reach: int) -> Candidates:
        """What ranks each passage, and how often it and its neighbours have each of the ``wanted`` terms
        (sorted); a neighbour is at most ``reach`` passages away in the same source.
        """
        own = self._rows[numbers]
        around = numbers[:, None] + np.arange(-reach, reach + 1)
        inside = (around >= 0) & (around < len(self._rows))
        rows = self._rows[np.where(inside, around, numbers[:, None])]
        inside &= rows["source"] == own["source"][:, None]
        lengths = np.where(inside, rows["terms"], 0).astype(np.int64)
        counts = np.zeros((*around.shape, max(1, len(wanted))), dtype=np.float32)
        flat = lengths.ravel()
        total = int(flat.sum())
        if total and len(wanted):
            starts = rows["first"].astype(np.int64).ravel()
            shift = np.repeat(starts - np.concatenate(([0], np.cumsum(flat)[:-1])), flat)
            found = self._terms[shift + np.arange(total)]
            may_be = np.zeros(1 << 16, dtype=bool)  # few terms share their last bits with one that is wanted
            may_be[wanted & 0xFFFF] = True
            hits = np.flatnonzero(may_be[found & 0xFFFF])
            at = np.minimum(np.searchsorted(wanted, found[hits]), len(wanted) - 1)
            is_wanted = wanted[at] == found[hits]
            owner = np.searchsorted(np.cumsum(flat), hits[is_wanted], side="right")
            size = len(flat) * len(wanted)
            summed = np.bincount(owner * len(wanted) + at[is_wanted], minlength=size)
            counts = summed.reshape(*around.shape, len(wanted)).astype(np.float32)
        near = np.where(inside, around, numbers[:, None])[:, reach - 1 : reach + 2]
        return Candidates(
            source=own["source"],
            place=own["place"],
            speaker=np.where(inside, rows["speaker"], 0),
            day=own["day"],
            flags=np.where(inside, rows["flags"], 0),
            tokens=own["tokens"].astype(np.float32),
            lengths=lengths.astype(np.float32),
            counts=counts,
            vectors=self._vectors[near].astype(np.float32) * inside[:, reach - 1 : reach + 2, None],
        )


def _mapped(path: Path, dtype: np.dtype, count: int) -> np.ndarray:
    # As a plain array: a memmap asks at each step what it is a view of.
    return np.asarray(np.memmap(path, dtype=dtype, mode="r", shape=(count,))) if count else np.zeros(0, dtype=dtype)
