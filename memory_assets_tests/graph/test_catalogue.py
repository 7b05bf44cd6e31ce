"""Every shipped statement, on the engine that runs the tests."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

import neo4j
import pytest

from memory_assets.graph.graph import Graph
from memory_assets.graph.query_files import (
    FRAGMENTS,
    Query,
    bare,
    catalogue,
    cypher_folder,
    load_fragments,
    words_in,
)

EVERY = list(catalogue().values())
FRAGMENT_NAMES = sorted(load_fragments(cypher_folder()))
QUERIES = [query for query in catalogue().values() if query.mode != "schema"]
MANY = re.compile(r"rows|.*s(?<!ss)")
NUMBERS = re.compile(r"\b(?:LIMIT|SKIP)\s+\$(\w+)")
CLAUSES = re.compile(r"\bWHERE\b(.*?)(?=\b(?:WITH|MATCH|RETURN|SET|UNWIND|CREATE|MERGE)\b|\Z)", re.DOTALL)
RANGES = re.compile(r"\b(\w+)\.\w+_key\s*[<>]")
MERGES_BY_TWO_LABELS = re.compile(r"\bMERGE\s*\(\s*\w*\s*:\s*\w+\s*[:&]\s*\w+", re.IGNORECASE)


HEADER = re.compile(r"// (mode|params|returns|owner): (.+)")
APPLIED_TWICE = re.compile(r"CREATE (?:INDEX|CONSTRAINT) (?:\w+|`[^`]+`) IF NOT EXISTS\b")


def header(query: Query) -> dict[str, str]:
    """What the lines of comment at the top say; under "" what it does."""
    lines = list(takewhile(lambda line: line.startswith("//"), query.path.read_text(encoding="utf-8").splitlines()))
    found = [match.groups() for line in lines if (match := HEADER.fullmatch(line.rstrip()))]
    assert len(dict(found)) == len(found), "a key twice"
    return {"": " ".join(line for line in lines if not HEADER.fullmatch(line.rstrip())), **dict(found)}


def names(value: str) -> list[str]:
    """The names that a line of a header lists."""
    assert value == "-" or re.fullmatch(r"\w+(?:, \w+)*", value)
    return [] if value == "-" else value.split(", ")


def owned(query: Query) -> bool:
    """Whether a statement is somebody's; where it is not, its header says why."""
    said = header(query).get("owner")
    assert said is None or re.match(r"no\b.*\w{3}", said)
    return said is None


@pytest.mark.parametrize("query", EVERY, ids=lambda query: query.name)
def test_a_header_says_what_its_text_does(query: Query) -> None:
    said = header(query)
    assert re.search(r"\w{3}", said[""]), "it begins with what it does"
    assert said["mode"] == query.mode
    params, returned = names(said["params"]), names(said["returns"])
    assert set(params) == query.params and len(set(params)) == len(params)
    assert len(set(returned)) == len(returned)
    if query.mode == "schema":
        assert all(APPLIED_TWICE.match(statement) for statement in query.statements)
    else:
        assert len(query.statements) == 1
        assert returned or query.mode == "write"
        assert not returned or "RETURN" in set(words_in(query.text))


@pytest.mark.parametrize("name", FRAGMENT_NAMES)
def test_a_fragment_uses_what_it_takes(name: str) -> None:
    fragment = load_fragments(cypher_folder())[name]
    source = (cypher_folder() / FRAGMENTS / f"{name}.cypher").read_text(encoding="utf-8")
    assert re.match(r"// .*\w{3}", source) and len(re.findall(r"^// takes: ", source, re.MULTILINE)) == 1
    assert all(re.search(rf"(?<![\w.$:@]){taken}\b", bare(fragment.text)) for taken in fragment.takes)


def generic(query: Query) -> dict[str, Any]:
    """Nothing, as the right type: no rows, no ids, no time."""
    guessed: dict[str, Any] = {name: [] if MANY.fullmatch(name) else None for name in query.params}
    guessed |= {name: 1 for name in NUMBERS.findall(query.text)}
    return guessed | {name: "nobody" for name in query.params if re.fullmatch(r"(?:.*_)?(?:id|owner|key)", name)}


@pytest.mark.graph
@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_every_statement_runs(graph: Graph, query: Query) -> None:
    connection = graph._connection
    access = neo4j.READ_ACCESS if query.mode == "read" else neo4j.WRITE_ACCESS
    with (
        connection.driver().session(database=connection.database, default_access_mode=access) as session,
        session.begin_transaction() as tx,
    ):
        result = tx.run(query.text, generic(query))  # type: ignore[arg-type]
        columns = result.keys()
        summary = result.consume()
        tx.rollback()
    returned = names(header(query)["returns"])
    assert not columns or set(columns) == set(returned)
    if graph.engine == "neo4j":
        assert columns or not returned
        assert summary.query_type in (("r",) if query.mode == "read" else ("w", "rw"))


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_every_statement_knows_its_owner(query: Query) -> None:
    if owned(query):
        assert {"user_id", "user_ids"} & query.params
        assert re.search(r"\$user_ids?\b", bare(query.text))


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_every_statement_finds_nodes_by_one_label(query: Query) -> None:
    found = MERGES_BY_TWO_LABELS.findall(bare(query.text))
    assert not found, f"{found}: the embedded engine would scan. See the door sign of memory_assets/graph."


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_a_range_of_an_index_is_asked_for_alone(query: Query) -> None:
    for clause in CLAUSES.findall(bare(query.text)):
        for name in RANGES.findall(clause):
            assert f"{name}.user_id" not in clause, (
                "beside it the embedded engine reads the owner's index, and all that the owner has: ask in a WITH "
                "behind it"
            )


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
        assert keyed - memories - of_sources - {"Migration", "SystemConfig"} <= set(re.findall(r"\(n:(\w+)", text))
