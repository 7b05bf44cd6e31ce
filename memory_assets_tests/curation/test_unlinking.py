"""Links that go, of nodes that have many: all of them, whichever rows of one statement are about the same node."""

from __future__ import annotations

from typing import Any

import pytest

from memory_assets.graph.graph import Graph, Statement
from memory_assets_tests.support.seeds import seed_sources, source_row

pytestmark = pytest.mark.graph
NOW = "2026-05-01T09:00:00.000Z"
STEPS = ("people", "concepts", "entities")


@pytest.fixture
def source(graph: Graph, user: str) -> str:
    """A source that much is linked to."""
    identifier = f"source:{user}"
    seed_sources(graph, [source_row(identifier, user)])
    return identifier


def unlinked(graph: Graph, name: str, **params: Any) -> int:
    """How many links a statement says that it removed."""
    [rows] = graph.write_together([Statement(name, params)])
    return sum(row["removed"] for row in rows)


@pytest.mark.parametrize("each", [100, 300])
@pytest.mark.parametrize("kept", [0, 7])
def test_the_notes_of_all_steps_of_a_source_go_at_once(
    graph: Graph, user: str, source: str, each: int, kept: int
) -> None:
    notes = {step: [f"note:{user}:{step}:{number}" for number in range(each)] for step in STEPS}
    rows = [
        {
            "id": key,
            "source_id": source,
            "step": step,
            "subject_kind": "person",
            "name_id": "n",
            "relationship_id": None,
        }
        | {"content": key, "lifetime_rank": 1, "counts_from": None, "added_by": "m"}
        for step, keys in notes.items()
        for key in keys
    ]
    graph.write("graph/upsert_notes", rows, user_id=user, user_ids=[user], now=NOW)
    gone = [{"source_id": source, "step": step, "kept_ids": keys[:kept]} for step, keys in notes.items()]
    assert unlinked(graph, "curation/retire_note_origins", rows=gone, user_id=user) == len(STEPS) * (each - kept)
    left = {row["id"] for row in graph.read("notes/list_given_notes", ids=[source], user_id=user)}
    assert left == {key for keys in notes.values() for key in keys[:kept]}


def test_what_all_steps_of_a_source_support_goes_at_once(graph: Graph, user: str, source: str) -> None:
    rows = [
        {"id": f"relationship:{user}:{step}:{number}", "source_id": source, "step": step, "ref": f"{step}{number}"}
        | {"type": "knows", "from_name_id": "a", "to_name_id": "b", "description": "D", "confidence": 0.5}
        for step in STEPS
        for number in range(100)
    ]
    graph.write("notes/upsert_relationships", rows, user_id=user, now=NOW)
    graph.write("notes/link_supports", rows, user_id=user, user_ids=[user])
    gone: list[dict[str, Any]] = [{"source_id": source, "step": step, "kept_ids": []} for step in STEPS]
    assert unlinked(graph, "curation/retire_supports", rows=gone, user_id=user) == len(rows)
    assert graph.read("notes/list_supported_relationships", ids=[source], user_id=user) == []


@pytest.mark.parametrize("each", [100, 700])
def test_all_names_in_a_source_move_at_once(graph: Graph, user: str, source: str, each: int) -> None:
    keys = [f"entity:{user}:{number}" for number in range(each)]
    anchors = [{"id": key, "canonical_name": key, "entity_type": "place", "ref": key} for key in (*keys, f"{user}:new")]
    graph.write("entities/upsert_entities", anchors, user_id=user, now=NOW)
    mentions = [
        {"source_id": source, "anchor_id": key, "name_id": key, "name": key, "confidence": 0.5, "subpoints": []}
        for key in keys
    ]
    graph.write("entities/link_mentions", mentions, user_id=user, user_ids=[user])
    moves = [{"source_id": source, "name_id": key, "old_id": key, "new_id": f"{user}:new"} for key in keys]
    graph.write_together([Statement("entities/move_mentions", {"rows": moves, "user_id": user, "user_ids": [user]})])
    found = graph.read("entities/list_name_mentions", user_id=user, ids=[anchor["id"] for anchor in anchors])
    assert {(row["anchor_id"], row["name_id"]) for row in found} == {(f"{user}:new", key) for key in keys}
    assert len(found) == len(keys)
