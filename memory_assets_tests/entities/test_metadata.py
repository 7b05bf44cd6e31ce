"""What extracted_entities shows."""

from __future__ import annotations

from collections import Counter

import pytest

from memory_assets.entities import metadata
from memory_assets.graph.graph import Graph
from memory_assets_tests.entities.test_extraction import TIMES, extract, rows
from memory_assets_tests.support.seeds import seed_sources


def test_counts_tables_and_what_stopped_it() -> None:
    counts = Counter({"due": 9, "extracted": 4, "failed": 1, "left_by_budget": 4, "dropped: no subpoints": 3})
    top = [{"id": "p", "name": "Mara|Lind", "entity_type": "person", "source_count": 4, "distinct_source_days": 2}]
    extent = {"person": 5, "concept": 7}, {"insight": 8, "task": 2}, top
    shown = metadata.describe_extraction(counts, extent)
    assert (shown["due"], shown["extracted"], shown["failed"], shown["mentions"]) == (9, 4, 1, 0)
    assert shown["stopped"] == "by the budget: 4 sources wait for the next run"
    assert (shown["names_in_all"], shown["statements_in_all"]) == (12, 10)
    assert shown["entities_by_kind"].splitlines()[2:] == ["| concept | 7 |", "| person | 5 |"]
    assert shown["statements_by_type"].splitlines()[2:] == [
        "| insight | 8 |", "| task | 2 |", "| chitchat | 0 |", "| preference | 0 |",
    ]  # fmt: skip
    assert shown["dropped_by_reason"].splitlines()[2:] == ["| no subpoints | 3 |"]
    assert shown["most_mentioned"].splitlines() == [
        "| name | kind | sources | days |",
        "|---|---|---:|---:|",
        "| Mara\\|Lind | person | 4 | 2 |",
    ]


@pytest.mark.graph
def test_the_extent_is_of_one_users_graph(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, TIMES))
    shown = metadata.describe_extraction(extract(graph, user), extent := metadata.read_extent(graph, user))
    assert shown["extracted"] == 4
    anchors, statements, _ = extent
    assert anchors["concept"] == 1 and sum(anchors.values()) == shown["names_in_all"] == 3
    assert sum(statements.values()) == shown["statements_in_all"] == 3
    assert "| Maria | person | 4 | 2 |" in shown["most_mentioned"]
    assert metadata.read_extent(graph, f"{user}-other") == ({}, {}, [])
