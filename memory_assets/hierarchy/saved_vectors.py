"""The vectors of sources and statements as storylines need them, saved in a folder of the installation between runs.

A convenience: what is not saved, or was made from something else since, is read from the graph.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from memory_assets.files.on_disk import replace_cache

SOURCES, STATEMENTS = "sources.npz", "statements.npz"
LONGEST_ID, DIGITS = 64, 32


def read_vectors(folder: Path | None, marks: Mapping[str, str], file: str = SOURCES) -> dict[str, np.ndarray]:
    """The embeddings of those, by id, that were saved with the mark that is given; none where none
    can be read.
    """
    if folder is None:
        return {}
    try:
        with np.load(folder / file, allow_pickle=False) as found:
            ids, known, vectors = found["ids"], found["marks"], found["vectors"]
    except (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile):  # RuntimeError: no such packing
        return {}
    if not (ids.dtype.kind == known.dtype.kind == "S" and vectors.ndim == 2 and len(ids) == len(known) == len(vectors)):
        return {}
    rows = zip(map(bytes.decode, ids), map(bytes.decode, known), vectors, strict=True)
    return {name: vector for name, mark, vector in rows if marks.get(name) == mark}


def save_vectors(
    folder: Path | None, marks: Mapping[str, str], vectors: Mapping[str, np.ndarray], name: str = SOURCES
) -> None:
    """Save the embeddings of the most common width; where there is no room, none.

    In four bytes a number where all of them are (:func:`shortened`).
    """
    widths = [len(vector) for vector in vectors.values() if len(vector)]
    width = max(sorted(set(widths)), key=widths.count, default=0)
    named = sorted(
        n for n, v in vectors.items() if n in marks and len(v) == width > 0 and len(n.encode()) <= LONGEST_ID
    )
    if folder is None or not named:
        return
    ids = np.array([one.encode() for one in named], f"S{LONGEST_ID}")
    said = np.array([marks[one].encode() for one in named], f"S{DIGITS}")
    table = np.array([vectors[one] for one in named])
    try:
        replace_cache(folder / name, lambda file: np.savez(file, ids=ids, marks=said, vectors=table))
    except OSError:
        (folder / name).unlink(missing_ok=True)


def shortened(embedding: Sequence[float]) -> np.ndarray:
    """An embedding in four bytes a number where that loses nothing (most models answer so), else in eight."""
    whole = np.asarray(embedding, dtype=np.float64)
    short = whole.astype(np.float32)
    return short if np.array_equal(short, whole) else whole
