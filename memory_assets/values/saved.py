"""What was scored, saved in a folder of the installation from one scoring to the next.

A convenience: the graph says by the mark of the stage whether what is saved belongs to it, and anything that does
not, or cannot be read, is made again from the graph. It is put aside before anything of it is overwritten: who has the
owner's lock alone reads and writes it.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np

from memory_assets.files.on_disk import remove_cache, replace_cache
from memory_assets.values.columns import Column
from memory_assets.values.scored import ID, ROW, Scored

STAMP, ORDER = "stamp.json", "order.npy"
IDS, ROWS, VECTORS = COLUMNS = ("ids.npy", "rows.npy", "vectors.npy")
MOST_BLANK = 8
"""One row in so many may be blank; with more, all is written anew without them."""


def read_saved(folder: Path, stamp: str) -> Scored | None:
    """What was saved under ``stamp``; None when that is something else, or cannot be read."""
    try:
        said = json.loads((folder / STAMP).read_text())
        if said["stamp"] != stamp:
            return None
        of_ids, of_rows, of_vectors = (
            Column.read(folder / name, count) for name, count in zip(COLUMNS, said["counts"], strict=True)
        )
        order = np.load(folder / ORDER, allow_pickle=False)
    except (OSError, ValueError, KeyError, TypeError, EOFError):
        return None
    ids, rows, vectors = of_ids.array, of_rows.array, of_vectors.array
    if (
        (ids.dtype, rows.dtype, vectors.dtype) != (ID, ROW, np.float32)
        or vectors.ndim != 2
        or len(ids) != len(rows)
        or rows["has_vector"].sum() != len(vectors)
        or len(order) != len(rows)
        or (len(order) and not 0 <= order.min() <= order.max() < len(rows))
    ):
        return None
    scored = Scored(of_ids, of_rows, of_vectors, order)
    return scored if scored.digest() == said["digest"] else None


def discard(folder: Path) -> None:
    """Forget what is saved: the next scoring begins from the graph unless :func:`save` has said otherwise; also after
    a loss of power, with which what is half written would have a stamp.
    """
    remove_cache(folder / STAMP)


def save(folder: Path, scored: Scored, stamp: str) -> None:
    """Save it under ``stamp``, for the owner of the installation alone; where there is no room, nothing is saved."""
    discard(folder)
    if len(scored.rows) - len(scored) > len(scored.rows) // MOST_BLANK:
        scored = scored.without_blanks()
    try:
        for name, column in zip(COLUMNS, scored.columns, strict=True):
            column.save(folder / name)
        replace_cache(folder / ORDER, partial(np.save, arr=scored.places_by_id, allow_pickle=False))
        counts = [len(column.array) for column in scored.columns]
        said = json.dumps({"stamp": stamp, "digest": scored.digest(), "counts": counts}).encode()
        replace_cache(folder / STAMP, lambda file: file.write(said))
    except OSError:
        discard(folder)
