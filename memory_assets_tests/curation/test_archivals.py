"""Archived memories: judged by their audits, and in no file, whatever else is stored of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.curation.checks import every_archival_passed_the_rails, nothing_archived_is_published
from memory_assets.curation.rails import judge_archivals
from memory_assets.graph.graph import Graph
from memory_assets.lifecycle.ageing import age_memories
from memory_assets.lifecycle.assets import memory_states
from memory_assets.memory_file import drafts
from memory_assets.memory_file.assets import memory_file
from memory_assets.memory_file.pool import read_pool
from memory_assets.memory_file.user_files import default_of
from memory_assets.settings import Settings
from memory_assets.values.classify import classify_memories
from memory_assets_tests.curation.test_rails import NOW, audit
from memory_assets_tests.lifecycle.test_ageing import seed
from memory_assets_tests.memory_file.world import NOW as TODAY
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.memory_files import make_draft, show_file
from memory_assets_tests.support.partitions import add_partitions
from memory_assets_tests.support.seeds import seed_properties


@pytest.mark.parametrize(
    ("memory", "change", "why"),
    [
        ({}, {}, None),
        ({}, {"state": "core", "access_count": 12}, None),
        ({}, {"label": "Source"}, None),
        ({}, {"ttl_policy": "keep_forever"}, "is_kept_forever"),
        ({}, {"ttl_policy": None}, "is_kept_forever"),
        ({}, {"snapshot": f'{{"created_at": "{(NOW - timedelta(hours=23)).isoformat()}"}}'}, "is_new"),
        ({}, {"snapshot": "{}"}, "is_new"),
        ({}, {"label": "Task"}, "is_open_task"),
        ({}, {"snapshot": None}, "its snapshot cannot be read"),
        ({}, {"at": NOW - timedelta(days=1)}, "there is no audit of it"),
        ({}, {"memory_id": "chunk:2"}, "there is no audit of it"),
        ({"archived_at": None}, {}, "there is no audit of it"),
        ({"is_owner": True}, {}, "it is the owner"),
    ],
)
def test_an_archival_is_judged_by_its_own_audit(
    memory: dict[str, Any], change: dict[str, Any], why: str | None
) -> None:
    archived = {"memory_id": "chunk:1", "label": "KnowledgeChunk", "is_owner": False, "archived_at": NOW} | memory
    given = {"snapshot": '{"created_at": "2026-04-01T12:00:00.000Z"}'} | change
    found = judge_archivals([archived], [audit(**given)])
    assert [one["protected_by"] for one in found] == ([why] if why else [])


@pytest.fixture
def world(graph: Graph, user: str, tmp_path: Path) -> World:
    return World(graph, user, Settings(_env_file=None, home=tmp_path / "home", now=TODAY))


def judged(world: World) -> dict[str, bool]:
    checks = [every_archival_passed_the_rails, nothing_archived_is_published]
    with dg.DagsterInstance.ephemeral() as instance:
        add_partitions(instance, [world.user])
        done = dg.materialize(
            [memory_states, memory_file, *checks],
            selection=dg.AssetSelection.checks(*checks),
            resources=world.resources(),
            instance=instance,
        )
    return {one.check_name: one.passed for one in done.get_asset_check_evaluations()}


@pytest.mark.graph
def test_what_was_archived_by_the_rails_passes_and_what_was_not_is_found(world: World) -> None:
    world.fill()
    faded = seed(world, world.add_statement("The cello may be old.", world.sources[0]), ttl_policy="ephemeral")
    classify_memories(world.graph, world.user, world.now)
    make_draft(world.graph, world.user, world.now)
    drafts.publish_draft(world.graph, default_of(world.user, world.path), world.now)
    every, nothing = "every_archival_passed_the_rails", "nothing_archived_is_published"
    assert judged(world) == {every: True, nothing: True}
    age_memories(world.graph, world.user, world.now + timedelta(days=91))
    archived = {row["memory_id"] for row in world.graph.read("curation/list_archived", user_id=world.user)}
    assert faded in archived and judged(world)[every]

    entry = next(
        row for row in show_file(world.graph, world.settings, world.user)["entries"] if row["section"] == "insights"
    )
    (found,) = world.graph.read("graph/find_valued", user_id=world.user, user_ids=[world.user], ref=entry["ref"])
    name = found["memory_id"]
    assert name in {one.memory_id for one in read_pool(world.graph, world.user, [world.user])}
    seed_properties(world.graph, world.user, name, state="archived")
    assert judged(world) == {every: False, nothing: False}
    assert name not in {one.memory_id for one in read_pool(world.graph, world.user, [world.user])}, "valued as it is"
    considered = world.graph.read("memory_file/list_considered", user_id=world.user, user_ids=[world.user])
    assert name not in {row["memory_id"] for row in considered}
