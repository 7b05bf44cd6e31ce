"""The nearest misses of a file: the most valuable memories that were weighed for it and left out, with their words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.memory_file.render import clean_text

TEXT_LENGTH = 160
"""Characters of a text that is shown beside others."""


def read_nearest(graph: Graph, user: str, left_out: Iterable[Mapping[str, Any]], limit: int) -> list[dict[str, Any]]:
    """At most ``limit`` of the rows that a draft has left out, the most valuable first, each with its words and value.

    Rows of ``memory_id``, ``ref``, ``section``, ``value``, ``text`` and ``reason``. It costs what the draft has weighed. What is
    gone since is not among them, and what the user may read no more has no text.
    """
    weighed = {row["memory_id"]: row for row in left_out}
    if not weighed or not limit:
        return []
    best = graph.read("memory_file/list_best_left_out", user_id=user, memory_ids=list(weighed), limit=limit)
    ids = [row["memory_id"] for row in best]
    said = graph.read("memory_file/list_pool_memories", user_ids=readable_owners(graph, user), memory_ids=ids)
    texts = {row["memory_id"]: row["text"] for row in said}
    return [
        {
            "memory_id": row["memory_id"],
            "ref": weighed[row["memory_id"]]["ref"],
            "section": row["section"],
            "value": row["value_score"],
            "text": _shortened(texts.get(row["memory_id"])),
            "reason": weighed[row["memory_id"]]["reason"],
        }
        for row in best
    ]


def _shortened(text: str | None) -> str | None:
    line = clean_text(text) if text else ""
    return (line if len(line) <= TEXT_LENGTH else line[: TEXT_LENGTH - 1].rstrip() + "…") or None
