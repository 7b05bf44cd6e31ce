"""The schema is applied once, by the first process, and again where a file of it has changed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memory_assets.errors import QueryFileError
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.graph.query_files import Query, catalogue, cypher_folder, load
from memory_assets.settings import Settings
from memory_assets_tests.graph.test_graph import environment

NOW = "2026-05-03T09:00:00Z"
FILES = sorted(name for name, query in catalogue().items() if query.mode == "schema")


@pytest.mark.graph
def test_the_schema_is_applied_once(graph: Graph) -> None:
    recorded = graph.read("graph/list_migrations")
    assert [row["name"] for row in recorded] == FILES
    assert graph.apply_schema(NOW) == []
    assert graph.read("graph/list_migrations") == recorded


@pytest.mark.graph
def test_a_file_that_has_changed_is_applied_again_and_remembered(graph: Graph) -> None:
    name = "schema/metrics"
    applied: list[tuple[str, list[str]]] = []

    class Watched(Graph):
        def _run_schema(self, query: Query) -> None:
            super()._run_schema(query)
            applied.append((query.name, query.statements))

    def apply(text: str) -> list[str]:
        changed = dict(catalogue()) | {name: replace(catalogue()[name], text=text)}
        return Watched(graph._connection, changed).apply_schema(NOW)

    one, text = catalogue()[name].statements[0], catalogue()[name].text
    assert apply(f"{one}; // twice\n{one}") == [name] and applied == [(name, [one, one])]
    assert apply(f"{one};\n\n{one}") == []
    assert apply(text) == [name] and graph.apply_schema(NOW) == []


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
        assert [row["name"] for row in opened.read("graph/list_migrations")] == FILES
        opened.close()
    finally:
        embedded.stop(fresh)


def test_another_mode_is_refused_among_the_files_of_the_schema(tmp_path: Path) -> None:
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / "reads.cypher").write_text(catalogue()["graph/list_migrations"].text)
    with pytest.raises(QueryFileError, match="no schema file"):
        load(tmp_path)


def test_each_file_of_the_schema_is_a_rooms() -> None:
    rooms = {path.name for path in cypher_folder().iterdir()} - {"schema"} | {"graph"}
    assert {name.removeprefix("schema/") for name in FILES} <= rooms
    names = [statement.split()[2] for name in FILES for statement in catalogue()[name].statements]
    assert len(names) == len(set(names))
