"""A branch that was abandoned stays to be found, and what it alone says is nothing for a file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_assets.clock import Clock
from memory_assets.entities.extraction import Extractor
from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import EXTRACT_ENTITIES, Extraction, SourceDescription, SourceText
from memory_assets.memory_file.reports import explain
from memory_assets.runtime.scope import RunScope
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.process import process_sources
from memory_assets_tests.sources.exports import DAY, forked, gpt, gpt_message
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel, stated
from memory_assets_tests.support.seeds import living_statements
from memory_assets_tests.support.values import classify_memories

pytestmark = pytest.mark.graph
NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)
CLOCK = Clock(NOW)


def script(task: str, payload: Any) -> Any:
    """Each turn is a statement of its speaker's."""
    if task != EXTRACT_ENTITIES:
        return SourceDescription(summary=payload.turns[0].text, keywords=("garden",) * 5, tags=("garden",) * 3)
    assert isinstance(payload, SourceText)
    statements = tuple(stated(turn.text, speaker=turn.speaker, turn=turn.index, confidence=9) for turn in payload.turns)
    return Extraction(entities=(), statements=statements)


def learn(graph: Graph, user: str, path: Path) -> dict[str, dict[str, Any]]:
    """Take a file from bytes to values; the statements by their words."""
    model, embedder = ScriptedModel(script), HashEmbedder()
    ingest_paths(graph, user, [path], None, CLOCK)
    process_sources(graph, user, model, embedder, CLOCK)
    counts = Extractor(graph, model, embedder, CLOCK, user, lambda _: None).run(RunScope())
    assert counts["failed"] == 0
    made = {row.memory_id: row for row in classify_memories(graph, user, NOW, force=True)["made"]}
    considered = graph.read("memory_file/list_considered", user_id=user, user_ids=[user])
    refs = {row["memory_id"]: row["ref"] for row in considered}
    sources = [row["id"] for row in graph.read("recall/list_sources", user_ids=[user])]
    read = graph.read("values/list_sources", user_ids=[user], memory_ids=sources, with_vectors=False)
    rows = [*living_statements(graph, user), *read]
    return {
        row["text"]: {
            "section": made[row["memory_id"]].section,
            "ref": refs[row["memory_id"]],
            "abandoned": row["is_abandoned"],
        }
        for row in rows
    }


def test_what_stands_in_an_abandoned_branch_alone_is_for_no_file(graph: Graph, user: str, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([forked()]), encoding="utf-8")
    found = learn(graph, user, path)
    assert {text: (row["section"], row["abandoned"]) for text, row in found.items()} == {
        "When do I plant garlic?": ("recent", False),  # the summary; the statement of the same words is below
        "In October.": ("insights", False),
        "And onions?": ("insights", False),
        "In March.": ("insights", False),
        "And onions in clay?": (None, True),
        "Onions hate clay.": (None, True),
    }
    explained = explain(graph, user, found["Onions hate clay."]["ref"])
    assert [source["title"] for source in explained["sources"]] == [
        "Garden plan (abandoned branch: And onions in clay?)"
    ]


def test_said_in_a_shown_conversation_too_it_counts(graph: Graph, user: str, tmp_path: Path) -> None:
    again = gpt(
        "c2",
        {
            "u": (None, gpt_message("user", "I read on.", at=DAY)),
            "a": ("u", gpt_message("assistant", "Onions hate clay.", at=DAY)),
        },
        "a",
    )
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([forked()]), encoding="utf-8")
    assert learn(graph, user, path)["Onions hate clay."]["section"] is None
    path.write_text(json.dumps([forked(), again]), encoding="utf-8")
    assert learn(graph, user, path)["Onions hate clay."]["section"] == "insights"
