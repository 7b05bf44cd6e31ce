"""The embeddings of sources as storylines need them, kept in a folder of the installation from one run to the next.

A convenience: what is not kept, or was made from something else since, is read from the graph.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from memory_assets.files.on_disk import replace_kept

FILE = "sources.npz"
LONGEST_ID, DIGITS = 64, 32


@dataclass
class KeptVectors:
    """One row for each source: its id, the mark of what its embedding was made from, and the embedding as it is
    stored.
    """

    ids: np.ndarray = field(default_factory=lambda: np.zeros(0, f"S{LONGEST_ID}"))
    marks: np.ndarray = field(default_factory=lambda: np.zeros(0, f"S{DIGITS}"))
    vectors: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    def of(self, marks: Mapping[str, str]) -> dict[str, np.ndarray]:
        """The embeddings of those of these sources, by id, that have the mark here that is given with them."""
        return {
            name: vector
            for name, mark, vector in zip(
                map(bytes.decode, self.ids), map(bytes.decode, self.marks), self.vectors, strict=True
            )
            if marks.get(name) == mark
        }


def read_vectors(folder: Path | None) -> KeptVectors:
    """What was kept; nothing where there is no folder, or what stands there cannot be read."""
    if folder is None:
        return KeptVectors()
    try:
        with np.load(folder / FILE, allow_pickle=False) as found:
            kept = KeptVectors(found["ids"], found["marks"], found["vectors"])
    except (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile):  # RuntimeError: no such packing
        return KeptVectors()
    fits = kept.ids.dtype.kind == kept.marks.dtype.kind == "S" and kept.vectors.ndim == 2
    return kept if fits and len(kept.ids) == len(kept.marks) == len(kept.vectors) else KeptVectors()


def keep_vectors(folder: Path | None, marks: Mapping[str, str], vectors: Mapping[str, np.ndarray]) -> None:
    """Keep the embeddings of the most common width; where there is no room, none.

    In four bytes a number where all of them are (:func:`shortened`).
    """
    widths = [len(vector) for vector in vectors.values() if len(vector)]
    width = max(sorted(set(widths)), key=widths.count, default=0)
    names = sorted(
        n for n, v in vectors.items() if n in marks and len(v) == width > 0 and len(n.encode()) <= LONGEST_ID
    )
    if folder is None or not names:
        return
    ids = np.array([name.encode() for name in names], f"S{LONGEST_ID}")
    said = np.array([marks[name].encode() for name in names], f"S{DIGITS}")
    table = np.array([vectors[name] for name in names])
    try:
        replace_kept(folder / FILE, lambda file: np.savez(file, ids=ids, marks=said, vectors=table))
    except OSError:
        (folder / FILE).unlink(missing_ok=True)


def shortened(embedding: Sequence[float]) -> np.ndarray:
    """An embedding in four bytes a number where that loses nothing (most models answer so), else in eight."""
    whole = np.asarray(embedding, dtype=np.float64)
    short = whole.astype(np.float32)
    return short if np.array_equal(short, whole) else whole
