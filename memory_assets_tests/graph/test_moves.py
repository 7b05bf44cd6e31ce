"""A graph of an older version comes through its migrations with all that it holds, stopped on the way or not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_assets.clock import Clock
from memory_assets.graph import moves, schema
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.graph.query_files import catalogue
from memory_assets.operations.teams import add_members
from memory_assets.sources.ingest import ingest_paths
from memory_assets_tests.support.canaries import PASSWORD
from memory_assets_tests.support.seeds import seed_old_texts, seed_sources, source_row, stored_sources

pytestmark = pytest.mark.graph
CLOCK = Clock(datetime(2026, 11, 20, 12, tzinfo=UTC))
NOW = "2026-11-20T12:00:00Z"
VERSION = "V091"


def exported(graph: Graph, user: str, **options: bool) -> list[dict[str, Any]]:
    return list(export_user(graph, user, **options))


def apply_again(graph: Graph, batches: int | None = None) -> list[str]:
    """Apply the migration as if it never was; stopped before its batch of number ``batches`` + 1."""
    written = 0

    def read(name: str, **params: Any) -> list[dict[str, Any]]:
        rows = graph.read(name, **params)
        return [row for row in rows if row["version"] != VERSION] if name == "operations/list_migrations" else rows

    def write(name: str, *given: Any, **params: Any) -> list[dict[str, Any]]:
        nonlocal written
        if name.startswith(f"schema/{VERSION}"):
            if written == batches:
                raise KeyboardInterrupt
            written += 1
        return graph.write(name, *given, **params)

    return schema.apply(catalogue(), graph.engine, read, write, graph._run_schema, now=NOW)


@pytest.fixture
def old(graph: Graph, user: str, tmp_path: Path) -> str:
    """Two sources of the user as found, one of them masked with its original, one processed, one of their team's."""
    team = f"team-{user}"
    add_members(graph, CLOCK, user, [user])
    (tmp_path / "plain.md").write_text("The boat leaves at noon.")
    (tmp_path / "masked.md").write_text(f"password: {PASSWORD}\n\nThe gate is blue.")
    ingest_paths(graph, user, [tmp_path], None, CLOCK, keep_originals=True)
    ingest_paths(graph, team, [tmp_path / "plain.md"], None, CLOCK)
    seed_sources(graph, [source_row(f"{user}/read", user)])
    return team


def test_sources_come_through_with_their_texts(
    graph: Graph, user: str, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moves, "ROWS_AT_ONCE", 1)
    before = [exported(graph, user, **options) for options in ({"canonical": True}, {"originals": True})]
    whole = stored_sources(graph, user), stored_sources(graph, old)
    told = json.dumps(before[1])
    assert PASSWORD in told and f"About {user}/read." in told and PASSWORD not in json.dumps(before[0])
    for owner, sources in zip((user, old), whole, strict=True):
        seed_old_texts(graph, owner, [source["id"] for source in sources])
    shapes = "MATCH (s:Source {user_id: $user}) RETURN keys(s) AS names"
    assert all("turns" in row["names"] for row in graph.query_read_only(shapes, {"user": user}))

    with pytest.raises(KeyboardInterrupt):
        apply_again(graph, batches=2)
    assert len(graph.read("operations/list_unmoved_texts")) == 2
    assert apply_again(graph) == [VERSION]

    assert graph.read("operations/list_unmoved_texts") == []
    assert [exported(graph, user, **options) for options in ({"canonical": True}, {"originals": True})] == before
    assert (stored_sources(graph, user), stored_sources(graph, old)) == whole
    names = {name for row in graph.query_read_only(shapes, {"user": user}) for name in row["names"]}
    assert not names & {"raw_content", "original_content", "content", "turns"}
    apply_again(graph)
    assert (stored_sources(graph, user), stored_sources(graph, old)) == whole


def test_a_text_that_was_moved_already_stays_as_it_is(graph: Graph, user: str, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("The lamp is out.")
    ingest_paths(graph, user, [tmp_path], None, CLOCK)
    ((source,), (batch,)) = stored_sources(graph, user), _after_old(graph, user)
    graph.write("schema/V091__source_texts", batch)
    (tmp_path / "note.md").write_text("The lamp is lit.")
    graph.write("schema/V091__source_texts", batch)
    assert stored_sources(graph, user) == [source]


def _after_old(graph: Graph, user: str) -> list[list[dict[str, Any]]]:
    seed_old_texts(graph, user, [source["id"] for source in stored_sources(graph, user)])
    return list(moves.source_texts(graph.read))
