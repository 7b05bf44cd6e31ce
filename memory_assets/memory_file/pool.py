"""What a file is chosen from: a bounded pool per section, read by indexed queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.memory_file.edit_decisions import WRITTEN
from memory_assets.memory_file.edit_store import list_edits
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
    rows += graph.read("memory_file/list_edited_pool", limit=POOL_SIZES["preferences"], **common)
    edits = list_edits(graph, user)
    written = {row["memory_id"] for row in edits if row["action"] in WRITTEN}
    # What was edited stands there in its editor's words: that somebody edited something is no news of its own.
    edited = {row["source_id"] for row in edits}
    found = {}
    for row in rows:
        row.pop("owner")
        if row["text"] is not None and not (row["section"] == "recent" and row["memory_id"] in edited):
            found[row["memory_id"]] = Memory(**row, by_editor=row["memory_id"] in written)
    return list(found.values())
