"""The memories to be valued, read page by page: however many there are, no more than a page of them is there at
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from memory_assets.graph.graph import Graph
from memory_assets.graph.statements import in_parts
from memory_assets.values import policy
from memory_assets.values.policy import Candidate

READS = {
    policy.CHUNK: "values/list_chunks",
    policy.STORYLINE: "values/list_storylines",
    policy.MACRO: "values/list_macros",
    policy.SOURCE: "values/list_sources",
}
PAGE = 1000

Read = tuple[Candidate, "np.ndarray | None"]
"""A memory and its vector, in numbers of four bytes; None where it has none, or where none was asked for."""


@dataclass(frozen=True)
class Reader:
    """Reads what one user may have valued."""

    graph: Graph
    user: str
    readable: Sequence[str]
    """Whose sources the user may read (``graph.owners.readable_owners``)."""
    left_out: set[str]
    """The ids of what edits have taken out of the user's files."""

    def ids(self) -> dict[str, list[str]]:
        """The ids of the user's own memories by kind; those of teams' sources come with their marks."""
        found: dict[str, list[str]] = {kind: [] for kind in READS}
        rows = self.graph.read_each("values/list_memories", itemgetter("kind", "memory_id"), user_id=self.user)
        for kind, memory_id in rows:
            found[kind].append(memory_id)
        return found

    def pages(self, kind: str, ids: Sequence[str], *, with_vectors: bool) -> Iterator[list[Read]]:
        """The living ones of ``ids``, of one kind, in the order of a page's ids or another one."""
        owner: dict[str, Any] = {"user_ids": self.readable} if kind == policy.SOURCE else {"user_id": self.user}

        def make(row: dict[str, Any]) -> Read:
            vector = row.pop("embedding")
            known = {name: value for name, value in row.items() if value is not None}
            return Candidate(entity_type=kind, **known), None if vector is None else np.asarray(
                vector, dtype=np.float32
            )

        wanted = [name for name in ids if name not in self.left_out]
        for page in in_parts(wanted, PAGE):
            yield self.graph.read_each(READS[kind], make, memory_ids=list(page), with_vectors=with_vectors, **owner)

    def some(self, ids: Iterable[str]) -> dict[str, Read]:
        """Those of ``ids`` that live, of whichever kind, with their vectors, by id, as many as are wanted at once."""
        found: dict[str, Read] = {}
        wanted = sorted(ids)
        for kind in READS:
            for page in self.pages(kind, wanted, with_vectors=True):
                found |= {candidate.memory_id: (candidate, vector) for candidate, vector in page}
            wanted = [name for name in wanted if name not in found]
        return found
