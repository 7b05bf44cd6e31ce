"""Classifying with all that was classified at hand."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.values.classify import classify_memories as classify
from memory_assets.values.policy import Classification


def classify_memories(graph: Graph, user: str, now: datetime, **options: Any) -> dict[str, Any]:
    """The report of a classification with the classifications themselves as ``made``, ordered by memory."""
    made: list[Classification] = []
    report = classify(graph, user, now, on_made=made.append, **options)
    return report | {"made": sorted(made, key=lambda row: row.memory_id)}
