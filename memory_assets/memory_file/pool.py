"""What a file is chosen from: a bounded pool per section, read by indexed queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.memory_file.selection import Memory

POOL_SIZES: Mapping[str, int] = {"preferences": 300, "tasks": 300, "insights": 900, "recent": 100}


def read_pool(graph: Graph, user: str, readable: list[str]) -> list[Memory]:
    """The most valuable memories of each section, the newest sources, and every standing instruction."""
    common: dict[str, Any] = {"user_id": user, "user_ids": readable}
    rows = graph.read("memory_file/list_standing_pool", limit=POOL_SIZES["preferences"], **common)
    for section in ("preferences", "tasks", "insights"):
        rows += graph.read(
            "memory_file/list_section_pool", section=section, limit=POOL_SIZES[section], **common
        )
    rows += graph.read("memory_file/list_recent_pool", limit=POOL_SIZES["recent"], **common)
    found = {}
    for row in rows:
        row.pop("owner")
        if row["text"] is not None:
            found[row["memory_id"]] = Memory(**row)
    return list(found.values())
