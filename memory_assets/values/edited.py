"""What a person has taken out of a memory file has no value for that person, whatever is extracted again."""

from __future__ import annotations

from memory_assets.graph.graph import Graph
from memory_assets.values.policy import Candidate

OUT = frozenset({"retired", "superseded"})
"""The decisions that leave a memory out (``memory_file/edit_decisions.py``)."""


def edited_out(graph: Graph, user: str) -> set[str]:
    """The ids of the memories that edits of the user's files have retired or superseded."""
    return {row["memory_id"] for row in graph.read("values/list_edited_memories", user_id=user) if row["action"] in OUT}


def without_edited(
    graph: Graph, user: str, candidates: list[Candidate], embeddings: list[list[float] | None]
) -> tuple[list[Candidate], list[list[float] | None]]:
    """The candidates, each with its vector, without those that the user has edited out."""
    out = edited_out(graph, user)
    kept = [place for place, candidate in enumerate(candidates) if candidate.memory_id not in out]
    return [candidates[place] for place in kept], [embeddings[place] for place in kept]


def edits_mark(graph: Graph, user: str) -> list[str]:
    """What values follow from in a user's edits: nothing where there are none."""
    return [part for row in graph.read("values/list_edited_memories", user_id=user) for part in (row["memory_id"], row["action"])]
