"""What was scored, saved in a folder of the installation from one scoring to the next.

A convenience: the graph says by the mark of the stage whether what is saved belongs to it, and anything that does
not, or cannot be read, is made again from the graph. It is put aside before anything of it is overwritten.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np

from memory_assets.files.on_disk import replace_cache
from memory_assets.values.scored import ROW, Scored

STAMP, ROWS, VECTORS = "stamp.json", "rows.npy", "vectors.npy"


def read_saved(folder: Path, stamp: str) -> Scored | None:
    """What was saved under ``stamp``; None when that is something else, or cannot be read."""
    try:
        said = json.loads((folder / STAMP).read_text())
        if said["stamp"] != stamp:
            return None
        # Read page by page, where they are looked at; what is changed of the rows is so in memory alone.
        rows = np.asarray(np.load(folder / ROWS, mmap_mode="c", allow_pickle=False))
        vectors = np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, KeyError, TypeError, EOFError):
        return None
    if (
        rows.dtype != ROW
        or vectors.dtype != np.float32
        or vectors.ndim != 2
        or rows["has_vector"].sum() != len(vectors)
    ):
        return None
    scored = Scored(rows, vectors)
    return scored if scored.digest() == said["digest"] else None


def discard(folder: Path) -> None:
    """Forget what is saved: the next scoring begins from the graph unless :func:`save` has said otherwise."""
    (folder / STAMP).unlink(missing_ok=True)


def save(folder: Path, scored: Scored, stamp: str) -> None:
    """Save it under ``stamp``, for the owner of the installation alone; where there is no room, nothing is saved.

    Files are put in the place of the old ones, never written over: somebody may be reading those.
    """
    discard(folder)
    try:
        for name, array in ((ROWS, scored.rows), (VECTORS, scored.vectors)):
            replace_cache(folder / name, partial(np.save, arr=array, allow_pickle=False))
        said = json.dumps({"stamp": stamp, "digest": scored.digest()}).encode()
        replace_cache(folder / STAMP, lambda file: file.write(said))
    except OSError:
        discard(folder)
