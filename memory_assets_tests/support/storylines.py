"""A user's storylines as they are stored."""

from __future__ import annotations

from typing import Any

from memory_assets.graph.graph import Graph


def stored_storylines(graph: Graph, user: str) -> list[dict[str, Any]]:
    """Whole, with what they are about and include, by id."""
    ids = [row["id"] for row in graph.read("hierarchy/list_storyline_heads", user_id=user)]
    return graph.read("hierarchy/list_whole_storylines", user_id=user, ids=ids)
