"""What a file is chosen from: a bounded pool per section, read by indexed queries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.memory_file.candidates import Memory
from memory_assets.memory_file.weighing import utc

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
    statements = sorted({row["memory_id"] for row in rows if row["entity_type"] == "KnowledgeChunk"})
    said_in = places(graph.read("memory_file/list_pool_places", memory_ids=statements, **common))
    found = {}
    for row in rows:
        row.pop("owner")
        if row["text"] is not None:
            found[row["memory_id"]] = Memory(**row, **said_in.get(row["memory_id"], {}))
    return list(found.values())


def places(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The source that a statement stands under, of several the newest: as a :class:`Memory` has it, by id."""
    newest: dict[str, tuple[tuple[float, str], dict[str, Any]]] = {}
    for row in rows:
        started = row["started_at"]
        order = (-math.inf if started is None else utc(started).timestamp(), row["source_id"])
        known = newest.get(row["memory_id"])
        if known is None or order > known[0]:
            place = {"source_id": row["source_id"], "source_ref": row["source_ref"], "turn": row["turn"] or 0}
            newest[row["memory_id"]] = (order, place)
    return {memory_id: place for memory_id, (_, place) in newest.items()}
