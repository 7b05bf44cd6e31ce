"""Classifying with all that was classified at hand."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from unittest.mock import patch

from memory_assets.graph.graph import Graph
from memory_assets.values import policy
from memory_assets.values.classify import classify_memories as classify
from memory_assets.values.policy import Classification


def classify_memories(graph: Graph, user: str, now: datetime, **options: Any) -> dict[str, Any]:
    """The report of a classification with the classifications themselves as ``made``, ordered by memory."""
    made: list[Classification] = []
    one = policy.classify

    def noted(*args: Any) -> Classification:
        made.append(one(*args))
        return made[-1]

    with patch.object(policy, "classify", noted):
        report = classify(graph, user, now, **options)
    return report | {"made": sorted(made, key=lambda row: row.memory_id)}
