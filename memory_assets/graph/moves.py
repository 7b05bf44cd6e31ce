"""What migrations that carry data over go through: rows in small batches, each a transaction of its own.

Such a migration is a file of ``cypher/schema/`` in mode write. One that was stopped goes on where it was, because what
has been moved is not listed again; it is recorded as applied when all has been.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from memory_assets.model import TEXT_KINDS, source_text_ids

ROWS_AT_ONCE = 100
CHARACTERS_AT_ONCE = 500_000

Read = Callable[..., list[dict[str, Any]]]


def source_texts(read: Read) -> Iterator[list[dict[str, Any]]]:
    """The sources that hold their texts themselves, with the ids that the texts get."""
    batch: list[dict[str, Any]] = []
    size = 0
    for row in sorted(read("operations/list_unmoved_texts"), key=lambda row: row["id"]):
        if batch and (len(batch) >= ROWS_AT_ONCE or size + row["raw_size"] > CHARACTERS_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append({"id": row["id"]} | source_text_ids(row["user_id"], row["id"], *TEXT_KINDS))
        size += row["raw_size"]
    if batch:
        yield batch


MOVES = {"V091": source_texts}
"""The batches of each migration in mode write, by its version."""
