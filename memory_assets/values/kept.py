"""What was scored, kept in a folder of the installation from one scoring to the next.

A convenience: the graph says by the mark of the stage whether what is kept belongs to it, and anything that does
not, or cannot be read, is made again from the graph. It is put aside before anything of it is overwritten.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np

from memory_assets.values.scored import ROW, Scored

STAMP, ROWS, VECTORS = "stamp.json", "rows.npy", "vectors.npy"


def read_kept(folder: Path, stamp: str) -> Scored | None:
    """What was kept under ``stamp``; None when that is something else, or cannot be read."""
    try:
        said = json.loads((folder / STAMP).read_text())
        if said["stamp"] != stamp:
            return None
        rows = np.load(folder / ROWS, allow_pickle=False)
        # Looked at where something has changed alone, and then page by page.
        vectors = np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, KeyError, TypeError, EOFError):
        return None
    if rows.dtype != ROW or vectors.dtype != np.float32 or vectors.ndim != 2 or len(rows) != len(vectors):
        return None
    scored = Scored(rows, vectors)
    return scored if scored.digest() == said["digest"] else None


def put_aside(folder: Path) -> None:
    """Forget what is kept: the next scoring begins from the graph unless :func:`keep` has said otherwise."""
    (folder / STAMP).unlink(missing_ok=True)


def keep(folder: Path, scored: Scored, stamp: str) -> None:
    """Keep it under ``stamp``, for the owner of the installation alone; where there is no room, nothing is kept.

    Files are put in the place of the old ones, never written over: somebody may be reading those.
    """
    put_aside(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, array in ((ROWS, scored.rows), (VECTORS, scored.vectors)):
            with open(_own_file(folder / f"{name}.new"), "wb") as file:
                np.save(file, array, allow_pickle=False)
            os.replace(folder / f"{name}.new", folder / name)
        with open(_own_file(folder / STAMP), "w") as file:
            json.dump({"stamp": stamp, "digest": scored.digest()}, file)
    except OSError:
        put_aside(folder)


def _own_file(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
