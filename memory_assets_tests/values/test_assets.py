"""Values in the graph: written once, again only when something changed, gone with their memory."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.graph.graph import Graph
from memory_assets.values.assets import value_classifications
from memory_assets.values.classify import classify_memories as classify
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.partitions import add_partitions

pytestmark = pytest.mark.graph


def classify_memories(graph: Graph, user: str, now: datetime, **options: bool) -> dict[str, Any]:
    """With a memory of what was scored, as the asset has it."""
    return classify(graph, user, now, saved=Path(os.environ["MEMORY_ASSETS_HOME"]) / "kept", **options)


def values_of(world: World) -> dict[str, dict[str, object]]:
    return {row["memory_id"]: row for row in world.graph.read("seed/list_values", user_id=world.user)}


def test_every_memory_gets_one_value_and_a_second_run_writes_nothing(world: World) -> None:
    world.fill()
    first = classify_memories(world.graph, world.user, world.now)
    found = values_of(world)
    assert first["written"] == len(found) == 12 * 5 + 1 + 2
    sections = [row["section"] for row in found.values()]
    assert {name: sections.count(name) for name in ("preferences", "tasks", "insights", "recent", None)} == {
        "preferences": 13, "tasks": 12, "insights": 14, "recent": 12, None: 12,
    }  # fmt: skip
    assert classify_memories(world.graph, world.user, world.now)["unchanged"]
    again = classify_memories(world.graph, world.user, world.now, force=True)
    assert (again["written"], again["retired"]) == (0, 0)


def test_as_days_pass_recency_falls_without_anything_new(world: World) -> None:
    world.add_statement("The cello is old.", world.add_source("cello"))
    first = classify_memories(world.graph, world.user, world.now)
    before = values_of(world)
    tomorrow = (world.now + timedelta(days=1)).replace(hour=0)
    assert first["changes_at"] == tomorrow
    unchanged = classify_memories(world.graph, world.user, tomorrow - timedelta(milliseconds=1))
    assert (unchanged["unchanged"], unchanged["changes_at"]) == (True, tomorrow)
    later = world.now + timedelta(days=3)
    report = classify_memories(world.graph, world.user, later)
    assert (report["written"], report["changes_at"]) == (2, tomorrow + timedelta(days=3))
    for memory_id, row in values_of(world).items():
        assert row["score"] == pytest.approx(before[memory_id]["score"] - 0.15 * 2 / 30, abs=1e-5)
    assert classify_memories(world.graph, world.user, later, force=True)["written"] == 0
    old = classify_memories(world.graph, world.user, world.now + timedelta(days=90))
    assert (old["written"], old["changes_at"]) == (2, None)
    assert classify_memories(world.graph, world.user, world.now + timedelta(days=900))["unchanged"]


def test_the_value_of_an_archived_memory_goes(world: World) -> None:
    source = world.add_source("cello")
    gone, other = (
        world.add_statement("The cello is old.", source),
        world.add_statement("The bow is new.", source),
    )
    classify_memories(world.graph, world.user, world.now)
    world.graph.write("seed/set_chunk_archived", user_id=world.user, id=gone)
    assert classify_memories(world.graph, world.user, world.now)["retired"] == 1
    assert set(values_of(world)) == {other, source}


def test_a_member_values_the_teams_sources_in_their_own_name(world: World) -> None:
    team = f"team-{world.user}"
    source = world.add_source("rota", owner=team)
    classify_memories(world.graph, world.user, world.now)
    assert values_of(world) == {}
    world.join(team)
    classify_memories(world.graph, world.user, world.now)
    assert [(row["memory_id"], row["owner"]) for row in values_of(world).values()] == [(source, team)]


def test_the_asset_reports_its_tiers_and_values(world: World) -> None:
    world.fill()
    with dg.DagsterInstance.ephemeral() as instance:
        add_partitions(instance, [world.user])
        done = dg.materialize(
            [value_classifications], partition_key=world.user, resources=world.resources(), instance=instance
        )
        metadata = done.asset_materializations_for_node("value_classifications")[0].metadata
        assert metadata["memories"].value == 63
        assert "| KnowledgeChunk |" in metadata["tiers"].value
