"""The schema is applied once, whoever comes first, and notices when history was rewritten."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from memory_assets.errors import GraphQueryError, QueryFileError
from memory_assets.graph import schema
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.graph.query_files import catalogue
from memory_assets.settings import Settings
from memory_assets_tests.graph.test_graph import environment

NOW = "2026-05-03T09:00:00Z"


@pytest.mark.graph
def test_the_schema_is_applied_once(graph: Graph) -> None:
    recorded = graph.read("operations/list_migrations")
    wanted = [version for version, _, _ in schema.migrations(catalogue(), graph.engine)]
    assert [row["version"] for row in recorded] == wanted
    assert graph.apply_schema(NOW) == []
    assert graph.read("operations/list_migrations") == recorded


@pytest.mark.graph
def test_a_changed_migration_is_refused(graph: Graph) -> None:
    name = next(name for name in catalogue() if name.startswith("schema/V002"))
    changed = dict(catalogue()) | {name: replace(catalogue()[name], text="// other\nRETURN 1")}
    with pytest.raises(GraphQueryError, match="was changed after it was applied"):
        schema.apply(changed, graph.engine, graph.read, graph.write, graph._run_schema, now=NOW)


@pytest.mark.graph
@pytest.mark.slow
def test_two_processes_may_apply_it_at_once(tmp_path_factory: pytest.TempPathFactory, graph_settings: Settings) -> None:
    from memory_assets.graph import embedded

    home = tmp_path_factory.mktemp("both")
    fresh = graph_settings.model_copy(update={"home": home})
    command = [
        sys.executable, "-c",
        "from memory_assets.settings import load_settings; from memory_assets.graph.graph import open_graph;"
        "open_graph(load_settings()).close()",
    ]  # fmt: skip
    try:
        both = [subprocess.Popen(command, env=environment(fresh), stderr=subprocess.PIPE, text=True) for _ in "12"]
        for one in both:
            _, errors = one.communicate(timeout=300)
            assert one.returncode == 0, errors
        opened = open_graph(fresh)
        versions = [row["version"] for row in opened.read("operations/list_migrations")]
        assert versions == [version for version, _, _ in schema.migrations(catalogue(), opened.engine)]
        opened.close()
    finally:
        embedded.stop(fresh)


def test_two_files_with_one_number_are_refused() -> None:
    query = next(query for query in catalogue().values() if query.name.startswith("schema/V002"))
    twin = replace(query, name="schema/V002__twin")
    with pytest.raises(QueryFileError, match="both V002"):
        schema.migrations({query.name: query, twin.name: twin}, "embedded")


def test_each_engine_has_its_own_files() -> None:
    query = next(query for query in catalogue().values() if query.name.startswith("schema/V002"))
    own = replace(query, name="schema/neo4j/V999__only_there")
    queries = dict(catalogue()) | {own.name: own}
    assert "V999" in [version for version, _, _ in schema.migrations(queries, "neo4j")]
    assert "V999" not in [version for version, _, _ in schema.migrations(queries, "embedded")]
