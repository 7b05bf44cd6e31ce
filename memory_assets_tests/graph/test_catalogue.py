"""Every shipped statement, on the engine that runs the tests."""

from __future__ import annotations

import re
from typing import Any

import neo4j
import pytest

from memory_assets.graph.graph import Graph
from memory_assets.graph.query_files import Query, bare, catalogue

QUERIES = [query for query in catalogue().values() if query.mode != "schema"]
MANY = re.compile(r"rows|.*s(?<!ss)")
NUMBERS = re.compile(r"\b(?:LIMIT|SKIP)\s+\$(\w+)")
CLAUSES = re.compile(r"\bWHERE\b(.*?)(?=\b(?:WITH|MATCH|RETURN|SET|UNWIND|CREATE|MERGE)\b|\Z)", re.DOTALL)
RANGES = re.compile(r"\b(\w+)\.\w+_key\s*[<>]")
MERGES_BY_TWO_LABELS = re.compile(r"\bMERGE\s*\(\s*\w*\s*:\s*\w+\s*[:&]\s*\w+", re.IGNORECASE)


MAPS = frozenset({"properties", "instants"})


def generic(query: Query) -> dict[str, Any]:
    """Nothing, as the right type: no rows, no ids, no time."""
    guessed: dict[str, Any] = {name: [] if MANY.fullmatch(name) else None for name in query.params}
    guessed |= {name: {} for name in MAPS & query.params}
    guessed |= {name: 1 for name in NUMBERS.findall(query.text)}
    return guessed | {name: "nobody" for name in query.params if re.fullmatch(r"(?:.*_)?(?:id|owner|key)", name)}


@pytest.mark.graph
def test_every_statement_runs(graph: Graph, subtests: pytest.Subtests) -> None:
    connection = graph._connection
    assert len(QUERIES) > 400
    for query in QUERIES:
        access = neo4j.READ_ACCESS if query.mode == "read" else neo4j.WRITE_ACCESS
        with (
            subtests.test(query.name),
            connection.driver().session(database=connection.database, default_access_mode=access) as session,
            session.begin_transaction() as tx,
        ):
            result = tx.run(query.text, generic(query))  # type: ignore[arg-type]
            columns = result.keys()
            summary = result.consume()
            tx.rollback()
            assert not columns or set(columns) == set(query.returns)
            if graph.engine == "neo4j":
                assert columns or not query.returns
                assert summary.query_type in (("r",) if query.mode == "read" else ("w", "rw"))


def test_every_statement_knows_its_owner() -> None:
    owned = [query for query in QUERIES if query.owned]
    without = [
        query.name
        for query in owned
        if not {"user_id", "user_ids"} & query.params or not re.search(r"\$user_ids?\b", bare(query.text))
    ]
    assert owned and not without


def test_every_statement_finds_nodes_by_one_label() -> None:
    found = {query.name: labels for query in QUERIES if (labels := MERGES_BY_TWO_LABELS.findall(bare(query.text)))}
    assert not found, "the embedded engine would scan. See the door sign of memory_assets/graph."


def test_a_range_of_an_index_is_asked_for_alone() -> None:
    ranges = [
        (query.name, name, clause)
        for query in QUERIES
        for clause in CLAUSES.findall(bare(query.text))
        for name in RANGES.findall(clause)
    ]
    wrong = [query for query, name, clause in ranges if f"{name}.user_id" in clause]
    assert ranges and not wrong, (
        "beside it the embedded engine reads the owner's index, and all that the owner has: ask in a WITH behind it"
    )


def test_the_first_of_an_open_range_is_no_minimum_of_all_of_it() -> None:
    wrong = [
        query.name
        for query in QUERIES
        for name in RANGES.findall(bare(query.text))
        if re.search(rf"\bmin\(\s*{name}\.", bare(query.text))
    ]
    assert not wrong, "it would read all that is ever due: graph/due_keys.py finds the first"


@pytest.mark.graph
def test_every_label_of_the_schema_is_exported_or_infrastructure(graph: Graph) -> None:
    keyed = {
        label
        for query in catalogue().values()
        if query.mode == "schema"
        for label in re.findall(r"FOR \(n:(\w+)\)\s+REQUIRE n\.id IS UNIQUE", query.text)
    }
    memories = {
        *("Source", "Person", "Concept", "Entity", "KnowledgeChunk", "Storyline", "Macro", "Relationship"),
        "CompressedContext",
    }
    of_sources = {"SourceText"}  # an export has them as properties of their sources
    assert "HAS_RAW_CONTENT" in catalogue()["graph/list_owned_texts"].text
    for name in ("list_owned_ids", "list_owned_nodes"):
        text = catalogue()[f"graph/{name}"].text
        assert keyed - memories - of_sources - {"Migration", "SystemConfig", "Erasure"} <= set(
            re.findall(r"\(n:(\w+)", text)
        )
