"""The four metrics: the specification's figures, their history, what people see of it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import dagster as dg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.heartbeat.heartbeat_file import publish_heartbeat
from memory_assets.heartbeat.registry import add_tasks, due_tasks, mark_loaded, remove_tasks, task_done
from memory_assets.heartbeat.tasks import Task
from memory_assets.memory_file import drafts
from memory_assets.memory_file.user_files import default_of
from memory_assets.metrics import policy
from memory_assets.metrics.assets import bounded_memory_metrics
from memory_assets.metrics.metadata import describe_metrics
from memory_assets.metrics.snapshots import read_history, read_measures, take_snapshot
from memory_assets.values.classify import classify_memories
from memory_assets_tests.memory_file.world import NOW, World
from memory_assets_tests.support.memory_files import make_draft
from memory_assets_tests.support.partitions import add_partitions
from memory_assets_tests.support.pictures import picture_in


def manifest(tokens: int = 1500, entries: int = 3, **known: object) -> dict[str, object]:
    listed = json.dumps([{"memory_id": f"chunk:{place}"} for place in range(entries)])
    plain = {"path": "/h/files/nora/MEMORY.md", "tokens": tokens, "entries": listed}
    return plain | {"limits": '{"tokens": 2000}', "sizes": json.dumps({"tokens": tokens})} | known


def measured(*files: dict[str, object], memories: int = 60, **tasks: int) -> dict[str, Any]:
    tiers = json.dumps({"KEEP": {"memories": 12, "mean_value": 0.85}})
    return policy.measure(files, {"memories": memories, "tiers": tiers}, tasks, 120)


@pytest.mark.parametrize(
    ("known", "of", "percent"),
    [
        ({}, "tokens", 75.0),
        ({"limits": '{"lines": 200, "bytes": 25600}', "sizes": '{"lines": 150, "bytes": 2560}'}, "lines", 75.0),
        ({"limits": '{"characters": 2200}', "sizes": '{"characters": 2145, "tokens": 10}'}, "characters", 97.5),
    ],
)
def test_a_file_is_as_full_as_the_fullest_of_its_limits(known: dict[str, object], of: str, percent: float) -> None:
    (file,) = measured(manifest(**known))["files"]
    assert (file["of"], file["utilization_pct"], file["entries"]) == (of, percent, 3)


def test_the_graph_against_the_files_counts_a_memory_of_two_files_once() -> None:
    found = measured(manifest(entries=3), manifest(entries=5, path="/p/CLAUDE.md"))
    assert (found["memories"], found["file_entries"], found["graph_to_file_ratio"]) == (60, 5, 12.0)
    assert measured()["graph_to_file_ratio"] is None


def test_the_tiers_and_the_heartbeat_are_the_specifications() -> None:
    found = measured(tasks=4, loaded=1, deferred=2, definition_tokens=960, executions=6)
    assert found["tiers"]["KEEP"] == {"memories": 12, "mean_value": 0.85}
    assert found["tiers"]["ARCHIVE"] == {"memories": 0, "mean_value": 0.0}
    assert found["heartbeat"] == {
        "tasks": 4, "loaded_at_least_once": 1, "never_loaded": 3, "deferred": 2, "file_tokens": 120,
        "definition_tokens": 960, "loading_pct": 12.5, "avg_executions": 1.5,
    }  # fmt: skip
    assert measured()["heartbeat"]["avg_executions"] is None


def test_each_file_has_a_curve_of_its_own_however_alike_their_paths_are() -> None:
    paths = ("/home/ana/mill/docs/MEMORY.md", "/home/ana/quay/docs/MEMORY.md", "/h/files/ana/MEMORY.md")
    one = json.loads(json.dumps(measured(*(manifest(path=path) for path in paths))))
    assert set(policy.chart([one])["utilization"]) == {
        "mill/docs/MEMORY.md",
        "quay/docs/MEMORY.md",
        "files/ana/MEMORY.md",
    }
    assert set(policy.chart([one | {"files": one["files"][1:]}])["utilization"]) == {"docs/MEMORY.md", "ana/MEMORY.md"}


@settings(max_examples=4)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**5), st.integers(0, 3)), min_size=1, max_size=12))
def test_any_history_is_four_small_pictures_at_most(states: list[tuple[int, int, int]]) -> None:
    history = []
    for place, (memories, tokens, files) in enumerate(states):
        listed = [manifest(tokens % 2500, path=f"/a/{name}/MEMORY.md") for name in range(files)]
        one = json.loads(json.dumps(measured(*listed, memories=memories, tasks=3, definition_tokens=tokens)))
        history.append({"day": (NOW + timedelta(days=place)).date().isoformat(), **one})
    shown = describe_metrics(history, is_new=True)
    plots = {name: picture_in(shown[name]) for name in shown if name.endswith("_plot")}
    assert set(plots) >= {"tiers_plot", "heartbeat_plot"} if len(history) > 1 else not plots
    assert all(f"on {history[-1]['day']} " in words.replace("\\", "") for words, _ in plots.values())
    assert sum(len(shown[name]) for name in plots) < 68_000


@pytest.mark.graph
def test_a_day_has_one_snapshot_and_the_same_state_adds_none(world: World) -> None:
    world.fill()
    classify_memories(world.graph, world.user, world.now)
    make_draft(world.graph, world.user, world.now)
    drafts.publish_draft(world.graph, default_of(world.user, world.path), world.now)
    add_tasks(
        world.graph,
        world.user,
        [Task("a", "A", "daily", "Water the beans."), Task("b", "B", "daily", "x " * 300)],
        world.now,
    )
    publish_heartbeat(world.graph, world.user, world.settings.heartbeat_file(world.user), world.now)
    found = read_measures(world.graph, world.user)
    entries = drafts.read_draft(world.graph, default_of(world.user)).entries
    assert found["memories"] == sum(tier["memories"] for tier in found["tiers"].values()) == 63
    assert found["file_entries"] == len({entry["memory_id"] for entry in entries})
    assert found["files"][0]["utilization_pct"] == round(
        drafts.read_draft(world.graph, default_of(world.user)).tokens / 20, 2
    )
    assert (found["heartbeat"]["tasks"], found["heartbeat"]["deferred"], found["heartbeat"]["never_loaded"]) == (
        2,
        1,
        2,
    )
    assert 0 < found["heartbeat"]["file_tokens"] < found["heartbeat"]["definition_tokens"]

    def days() -> list[str]:
        return [row["day"] for row in read_history(world.graph, world.user, world.now.date())]

    assert take_snapshot(world.graph, world.user, world.now)
    assert not take_snapshot(world.graph, world.user, world.now + timedelta(days=1))
    add_tasks(world.graph, world.user, [Task("c", "C", "daily", "Feed the cat.")], world.now)
    assert take_snapshot(world.graph, world.user, world.now)
    assert days() == ["2026-11-20"]
    world.now += timedelta(days=2)
    add_tasks(world.graph, world.user, [Task("d", "D", "daily", "Walk.")], world.now)
    assert take_snapshot(world.graph, world.user, world.now)
    assert days() == ["2026-11-20", "2026-11-22"]
    assert read_history(world.graph, f"{world.user}-other", world.now.date()) == []
    # Two years later the first ones go.
    world.now += timedelta(days=policy.RETENTION_DAYS)
    add_tasks(world.graph, world.user, [Task("e", "E", "daily", "Sleep.")], world.now)
    assert take_snapshot(world.graph, world.user, world.now)
    everything = read_history(world.graph, world.user, world.now.date(), 2 * policy.RETENTION_DAYS)
    assert [row["day"] for row in everything] == [world.now.date().isoformat()]


@pytest.mark.graph
def test_the_registry_keeps_what_its_tasks_add_up_to(world: World) -> None:
    """Whatever is done to tasks, the stored totals are what adding all of them up gives; so is an old registry's."""
    graph, user, now = world.graph, world.user, world.now
    add_tasks(graph, user, [Task(name, name, "every 2 hours", "Water the beans. " * 9) for name in "abcd"], now)
    add_tasks(graph, user, [Task("a", "a", "every 2 hours", "Less.")], now)
    ids = {task["id"]: task["node_id"] for task in due_tasks(graph, user, now + timedelta(hours=3))}
    for names in ("abc", "b"):
        mark_loaded(graph, user, [ids[name] for name in names], now)
    for name in ("a", "b", "b", "d"):
        task_done(graph, user, name, now)
    (gone,) = graph.read("heartbeat/find_tasks", ids=[ids["b"]], user_id=user)
    assert remove_tasks(graph, user, {"b": gone["definition_hash"]}, "not wanted", now) == 1
    totals = read_measures(graph, user)["heartbeat"]
    assert (totals["tasks"], totals["loaded_at_least_once"], totals["avg_executions"]) == (3, 2, 0.67)
    task_done(graph, user, "c", now)
    assert read_measures(graph, user)["heartbeat"] == totals | {"avg_executions": 1.0}
    task_done(graph, user, "c", now)
    assert read_measures(graph, user)["heartbeat"]["avg_executions"] == 1.33


@pytest.mark.graph
def test_the_asset_shows_figures_and_no_curve_of_one_day(world: World) -> None:
    world.add_statement("The cello is old.", world.add_source("cello"))
    classify_memories(world.graph, world.user, world.now)
    make_draft(world.graph, world.user, world.now)
    drafts.publish_draft(world.graph, default_of(world.user, world.path), world.now)
    with dg.DagsterInstance.ephemeral() as instance:
        add_partitions(instance, [world.user])
        done = dg.materialize(
            [bounded_memory_metrics],
            partition_key=world.user,
            resources=world.resources(),
            instance=instance,
        )
    metadata = done.asset_materializations_for_node("bounded_memory_metrics")[0].metadata
    assert (metadata["memories"].value, metadata["snapshot_kept"].value) == (2, True)
    assert "MEMORY.md" in metadata["utilization"].value
    assert {"utilization", "tiers"} <= metadata.keys(), "as tables"
    assert not [name for name in metadata if name.endswith("_plot")], "one day is no curve"
