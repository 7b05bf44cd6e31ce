"""What people look at on extracted_entities: what was extracted, what the graph holds now, and who matters most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.model import ContentType
from memory_assets.presentation.reports import IN_PLACE, count_table, markdown_table

_ALWAYS = (
    *("due", "extracted", "failed", "left_by_budget", "standing", "waiting", "of_teams_not_asked_for"),
    *("mentions", "statements", "retired"),
)
_TOP = {"name": "name", "entity_type": "kind", "source_count": "sources", "distinct_source_days": "days"}


Extent = tuple[Mapping[str, int], Mapping[str, int], Sequence[Mapping[str, Any]]]
"""What a user's graph holds: names by kind, statements by content type, and the names most mentioned."""


def read_extent(graph: Graph, user: str) -> Extent:
    """Three small counts of a user's graph."""
    anchors, statements = (
        {row["kind"] or "unknown": row["memories"] for row in graph.read(name, user_id=user)}
        for name in ("entities/count_anchors", "entities/count_statements")
    )
    return anchors, statements, graph.read("entities/list_top_anchors", user_id=user)


def read_failures(graph: Graph, user: str) -> list[dict[str, Any]]:
    """The sources whose extraction failed (100 at most): ``source_id``, ``title`` and ``error``."""
    return graph.read("graph/list_failed_extractions", user_id=user, user_ids=readable_owners(graph, user))


def describe_extraction(
    counts: Counter[str], extent: Extent, standing: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """What an extraction did (``counts`` as ``Extractor.run`` gives them) and what there is now.

    ``standing`` are the extractions that are failed after it (:func:`read_failures`).
    """
    anchors, statements, top = extent
    shown: dict[str, Any] = {key: counts[key] for key in _ALWAYS}
    if counts["left_by_budget"]:
        shown["stopped"] = f"by the budget: {counts['left_by_budget']} sources wait for the next run"
    if standing:
        shown["set_aside"] = len(standing)
        shown["set_aside_sources"] = markdown_table({"title": "title", "error": "reason", "source_id": "id"}, standing)
        shown["to_try_again"] = "memory-assets retry"
    shown["names_in_all"] = sum(anchors.values())
    shown["statements_in_all"] = sum(statements.values())
    shown["entities_by_kind"] = count_table("kind", anchors, "in the graph")
    all_types = {kind.value: statements.get(kind.value, 0) for kind in ContentType}
    shown["statements_by_type"] = count_table("content type", all_types, "in the graph")
    dropped = {key.removeprefix("dropped: "): n for key, n in counts.items() if key.startswith("dropped: ")}
    if dropped:
        shown["dropped_by_reason"] = count_table("why it was not taken", dropped, "answers")
    shown["most_mentioned"] = markdown_table(_TOP, top, fit=IN_PLACE)
    return shown
