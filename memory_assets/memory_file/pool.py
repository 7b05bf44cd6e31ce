"""What a file is chosen from: a bounded pool per section, read by indexed queries."""

from __future__ import annotations

from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.memory_file.selection import Memory

POOL_SIZE = 400


def read_pool(graph: Graph, user: str, readable: list[str]) -> list[Memory]:
    """The most valuable memories of each section, the newest sources, and every standing instruction."""
    common: dict[str, Any] = {"user_id": user, "user_ids": readable, "limit": POOL_SIZE}
    rows = graph.read("memory_file/list_standing_pool", **common)
    for section in ("preferences", "tasks", "insights"):
        rows += graph.read("memory_file/list_section_pool", section=section, **common)
    rows += graph.read("memory_file/list_recent_pool", **common)
    found = {}
    for row in rows:
        row.pop("owner")
        if row["text"] is not None:
            found[row["memory_id"]] = Memory(**row)
    return list(found.values())
