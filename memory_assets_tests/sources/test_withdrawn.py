"""A source that was withdrawn is in the graph, and nobody reads it: neither a person nor a stage."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memory_assets.automation.schedules import waiting_tokens
from memory_assets.clock import to_iso
from memory_assets.entities.team_sources import request_sources
from memory_assets.graph.graph import Graph
from memory_assets_tests.support.seeds import seed_sources, source_row

pytestmark = pytest.mark.graph
NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)


def readings(graph: Graph, user: str, source: str) -> dict[str, list[Any]]:
    """What each reader of living sources finds."""
    own, known = {"user_id": user}, {"user_ids": [user]}
    due = {"recipe": "another", "force": True, "retry": True, "now": to_iso(NOW)}
    found = {
        "recall": graph.read("recall/list_sources", **known),
        "words": graph.read("graph/list_turns", ids=[source], **known),
        "original": graph.read("compression/find_original", id=source, **known),
        "source of a key": graph.read("compression/find_source_of", key=source, **own, **known),
        "one of the file's sources": graph.read("memory_file/find_source", memory_id=source, **known),
        "list": graph.read("graph/list_source_heads", **known, reader_ids=[user]),
        "page of the list": graph.read("graph/list_source_details", ids=[source], **known, reader_ids=[user]),
        "page": graph.read("sources/find_source_page", id=source, **known),
        "to process": graph.read("sources/list_sources_to_process", **own, **due),
        "failed": graph.read("sources/list_failed_sources", **own),
        "by status": graph.read("sources/count_sources_by_status", **own),
        "by day": graph.read("sources/count_sources_by_day", **own),
        "waiting": waiting_tokens(graph, [user]),
    }
    (retried,) = graph.read("sources/find_next_processing", **own, now=to_iso(NOW))
    request_sources(graph, user, [source], NOW)
    wanted = [row for row in graph.read("graph/list_extractions", **own) if row["source_id"] == source]
    due_again = graph.write("sources/set_failures_due", **own, now=to_iso(NOW))
    return found | {"retried": retried["ids"], "wanted": wanted, "due again": due_again}


@pytest.mark.parametrize("is_withdrawn", [False, True])
def test_nobody_reads_what_was_withdrawn(graph: Graph, user: str, is_withdrawn: bool) -> None:
    source, failed = f"{user}/s1", f"{user}/s2"
    seed_sources(graph, [source_row(source, user), source_row(failed, user, processing_status="failed")])
    if is_withdrawn:
        rows = [{"id": name, "audit_id": f"{name}/audit", "reason": "taken back"} for name in (source, failed)]
        assert len(graph.write("curation/withdraw_sources", rows, user_id=user, now=to_iso(NOW))) == 2
    found = readings(graph, user, source)
    assert {name for name, rows in found.items() if rows} == (set() if is_withdrawn else set(found))
