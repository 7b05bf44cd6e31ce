"""What people look at on descriptions: how many were due and what became of them, the latest before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memory_assets.descriptions.cleaning import Cleaned
from memory_assets.graph.graph import Graph
from memory_assets.presentation.reports import IN_PLACE, count_table, markdown_table

_ALWAYS = ("due", "consolidated", "unchanged", "left", "embedded", "failed", "refused", "left_by_budget")
_LATEST = {"name": "who or what", "kind": "kind", "before": "before", "after": "after"}


def describe_descriptions(
    graph: Graph, user: str, counts: Counter[str], latest: Sequence[Mapping[str, str]], refused: Counter[str]
) -> dict[str, Any]:
    """What a run of consolidation did (``counts`` as ``Consolidator.run`` gives them), and what there is now."""
    (row,) = graph.read("descriptions/count_described", user_id=user)
    shown: dict[str, Any] = {key: counts[key] for key in _ALWAYS}
    shown["described_in_all"] = row["described"]
    shown["waiting"] = row["waiting"] or 0
    if counts["left_by_budget"]:
        shown["stopped"] = f"by the budget: {counts['left_by_budget']} wait for the next run"
    if latest:
        shown["latest"] = markdown_table(_LATEST, latest, fit=IN_PLACE)
    if refused:
        shown["refused_by_reason"] = count_table("reason", dict(refused.most_common(20)), "sentences")
    return shown


def describe_current_notes(cleaned: Cleaned) -> dict[str, Any]:
    """What went, and when the next one may."""
    shown: dict[str, Any] = {"retired": cleaned.retired}
    if cleaned.next_at is not None:
        shown["next_at"] = cleaned.next_at.isoformat()
    return shown
