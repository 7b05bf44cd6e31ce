"""Lines that are statements: stored through the door of every source, whole, and said by the owner."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.clock import Clock
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.policy import statement_id
from memory_assets.graph.graph import Graph
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.opening import embedder as open_embedder
from memory_assets.model import SourceType
from memory_assets.runtime.scope import RunScope
from memory_assets.settings import Settings
from memory_assets.sources.formats import clean
from memory_assets.sources.formats.memory_lines import OWNER, Line, lines_of, source_of
from memory_assets.sources.process import process_sources
from memory_assets.sources.store import store_lines

CLOCK = Clock(datetime(2026, 11, 2, 9, tzinfo=UTC))
AT = datetime(2026, 3, 1, tzinfo=UTC)
SECRET = "AKIA" + "Q3EGTI5WXRH7KJ2M"
LINES = [
    Line(3, "Home city: Berlin"),
    Line(5, "Always answer in German."),
    Line(6, "Use pnpm, not npm", "Conventions"),
    Line(8, "Send Maria the slides", "Tasks"),
    Line(9, "I prefer trains to planes", "Notes"),
    Line(10, f"The deploy key is {SECRET}"),
    Line(11, "   "),
]


@given(st.lists(st.tuples(st.text(max_size=60), st.none() | st.text(max_size=20)), max_size=8))
@settings(max_examples=60)
def test_every_line_with_words_is_one_turn_of_the_owner(rows: list[tuple[str, str | None]]) -> None:
    lines = [Line(number, text, section) for number, (text, section) in enumerate(rows, 1)]
    raw = source_of(SourceType.MEMORY_FILE, "MEMORY.md", AT, lines).raw_content
    stored, turns = lines_of(raw), clean("memory-file", raw).turns
    assert [line.text for line in stored] == [turn.text for turn in turns]
    assert {turn.speaker for turn in turns} <= {OWNER}
    assert [turn.section for turn in turns] == [line.section for line in stored]


def test_only_kinds_of_lines_have_them() -> None:
    with pytest.raises(ValueError, match="email is not a kind"):
        source_of(SourceType.EMAIL, "x", None, [])


@pytest.mark.parametrize("raw", ["", "[]", "{}", '{"lines": 3}', '{"lines": [{"line": "x", "text": 1}]}'])
def test_a_broken_raw_content_has_no_turns(raw: str) -> None:
    assert clean("file-edit", raw).turns == ()


def test_each_line_becomes_one_memory_whose_id_is_known_before(
    graph: Graph, graph_settings: Settings, user: str
) -> None:
    def store() -> tuple[str, list[str]]:
        stored = store_lines(
            graph, user, SourceType.MEMORY_FILE, "MEMORY.md", AT, LINES, path="/home/x/MEMORY.md", now=CLOCK.now()
        )
        assert stored.masked.total() == 1
        return stored.source_id, [statement_id(user, OWNER, line.text) for line in stored.lines]

    source_id, expected = store()
    assert store() == (source_id, expected)
    embedder, language = open_embedder(graph_settings), LocalModel()
    process_sources(graph, user, language, embedder, CLOCK)
    Extractor(graph, language, embedder, CLOCK, user, print).run(RunScope())
    nodes = graph.read("graph/list_owned_nodes", ids=[*expected, source_id], user_ids=[user])
    assert SECRET not in json.dumps(nodes, default=str)
    found = {node["id"]: node["properties"] for node in nodes}
    assert str(found[source_id]["started_at"]).startswith("2026-03-01")
    memories = [found[key] for key in expected]
    assert [memory["content"] for memory in memories[:5]] == [line.text for line in LINES[:5]]
    assert [memory["content_type"] for memory in memories[:5]] == [
        "insight",
        "preference",
        "preference",
        "task",
        "preference",
    ]
    assert [memory["is_instruction"] for memory in memories[:5]] == [False, True, True, False, False]
    assert all(memory["said_by_owner"] for memory in memories)
