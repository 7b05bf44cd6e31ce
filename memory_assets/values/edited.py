"""What a person has taken out of a memory file has no value for that person, whatever is extracted again."""

from __future__ import annotations

from memory_assets.graph.graph import Graph


def edited_out(graph: Graph, user: str) -> set[str]:
    """The ids of the memories that edits of the user's files have retired or superseded."""
    return {row["memory_id"] for row in graph.read("values/list_edited_memories", user_id=user)}
