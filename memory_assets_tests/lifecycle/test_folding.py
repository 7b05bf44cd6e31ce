"""Accesses come into the graph once each, whatever is killed, and into nobody else's memories."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.curation.likeness import Likeness, Verdict
from memory_assets.curation.merging import Pair, merge, pair_id
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.lives import life_of
from memory_assets.lifecycle import folding
from memory_assets.lifecycle.assets import accesses
from memory_assets.lifecycle.policy import accessed, folded
from memory_assets.lifecycle.reading import read_courses, read_life
from memory_assets.runtime.accesses import AccessLog, access_log, users_waiting, waiting_accesses
from memory_assets_tests.lifecycle.test_ageing import seed
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.accesses import access, fold
from memory_assets_tests.support.partitions import add_partitions

pytestmark = pytest.mark.graph


def stored(world: World, memory: str) -> dict[str, Any]:
    (row,) = world.graph.read("graph/list_lives", user_id=world.user, memory_ids=[memory])
    return row


def recall(world: World, *memories: str, days: float = 0, kind: str = "retrieved") -> None:
    access(world.settings, world.user, *memories, at=world.now + timedelta(days=days), kind=kind)


def count(world: World) -> folding.Folded:
    return fold(world.graph, world.settings, world.user, world.now)


def test_an_access_counts_once_and_makes_its_memory_active(world: World) -> None:
    source = world.add_source("cello")
    cello = world.add_statement("The cello is old.", source)
    before = life_of(stored(world, cello))
    recall(world, cello, source, days=2)
    assert waiting_accesses(world.graph, world.settings, world.user, [cello]) == {cello: 1}
    assert users_waiting(world.graph, world.settings, [world.user]) == [world.user]
    done = count(world)
    assert (done.accesses, done.states["active"], done.unknown) == ({"retrieved": 2}, 2, set())
    row = stored(world, cello)
    assert (row["state"], row["access_count"], row["recall_frequency"]) == ("active", 1, 1)
    assert (row["last_accessed_at"], row["last_recall_interval"]) == (world.now + timedelta(days=2), 2)
    assert life_of(row) == accessed(before, world.now + timedelta(days=2))
    assert stored(world, source)["access_count"] == 1
    assert count(world).accesses == {} and stored(world, cello) == row
    assert users_waiting(world.graph, world.settings, [world.user]) == []


def test_ten_retrievals_make_it_core(world: World) -> None:
    cello = world.add_statement("The cello is old.", world.add_source("cello"))
    for day in range(9):
        recall(world, cello, days=day)
    count(world)
    assert stored(world, cello)["state"] == "active"
    recall(world, cello, days=9)
    assert count(world).states == {"core": 1}


def test_what_was_shown_or_cited_is_in_the_log_and_changes_no_life(world: World) -> None:
    cello = world.add_statement("The cello is old.", world.add_source("cello"))
    before = stored(world, cello)
    for kind in ("injected", "cited", "ignored", "wrong"):
        recall(world, cello, kind=kind)
    assert count(world).accesses.total() == 4 and stored(world, cello) == before
    with closing(AccessLog(world.settings.accesses_file(world.user))) as log:
        assert set(log.counts([cello]).values()) == {1} and len(log.counts([cello])) == 4


def test_another_users_memory_and_one_that_is_gone_are_left_alone(world: World, graph: Graph) -> None:
    other = World(graph, f"{world.user}x", world.settings)
    theirs = other.add_statement("The harbour is deep.", other.add_source("harbour"))
    recall(world, theirs, "chunk:gone")
    done = count(world)
    assert (done.memories, done.unknown) == (set(), {theirs, "chunk:gone"})
    assert stored(other, theirs)["access_count"] == 0


def merge_into(world: World, gone: str, kept: str, days: float) -> None:
    a, b = sorted((gone, kept))
    pair = Pair(
        pair_id(world.user, a, b), "KnowledgeChunk", a, b, Verdict(Likeness.MERGE, "they say the same"), None, "w"
    )
    now = world.now + timedelta(days=days)
    audit, why = merge(world.graph, world.user, pair, kept, now, reason="they say the same", decided_by="a rule")
    assert audit, why


def test_what_was_merged_before_the_count_counts_for_what_it_was_merged_into(world: World) -> None:
    source = world.add_source("cello")
    one, two, three = (
        seed(world, world.add_statement(f"The cello is old{mark}", source), recall_frequency=0, decay_gradient=1.0)
        for mark in (".", "!", "")
    )
    for days, memory in ((2, one), (3, two), (4, three)):
        recall(world, memory, days=days)
    merge_into(world, one, two, 5)
    merge_into(world, two, three, 6)
    born = life_of(stored(world, three))
    now = world.now + timedelta(days=8)
    ref = world.graph.read("graph/list_owned_nodes", ids=[three], user_ids=[world.user])[0]["properties"]["ref"]
    before = read_life(world.graph, world.settings, world.user, ref, now)
    assert before is not None and (before["accesses"], before["last_seven_days"]) == (3, {"retrieved": 3})
    assert waiting_accesses(world.graph, world.settings, world.user, [three]) == {three: 3}
    done = count(world)
    assert (done.memories, done.unknown) == ({three}, set())
    recall(world, one, days=1)
    count(world)
    at = [world.now + timedelta(days=days) for days in (1, 2, 3, 4)]
    assert life_of(stored(world, three)) == folded(born, at), "a line that comes late, too"
    after = read_life(world.graph, world.settings, world.user, ref, now)
    assert after is not None and (after["last_seven_days"], after["uses"]["retrieved"]) == ({"retrieved": 4}, 4)


def test_the_future_is_no_part_of_the_last_seven_days(world: World) -> None:
    cello = world.add_statement("The cello is old.", world.add_source("cello"))
    recall(world, cello, days=-1)
    recall(world, cello, days=100)
    ref = world.graph.read("graph/list_owned_nodes", ids=[cello], user_ids=[world.user])[0]["properties"]["ref"]
    found = read_life(world.graph, world.settings, world.user, ref, world.now)
    assert found is not None and found["last_seven_days"] == {"retrieved": 1, "mentioned": 1}
    assert found["uses"] == {"retrieved": 2, "mentioned": 1}


@pytest.mark.parametrize(
    ("seconds", "mentioned"), [(7 * 86400 + 1, 0), (7 * 86400, 1), (1, 1), (0, 1), (-1, 0), (-50 * 86400, 0)]
)
def test_a_mention_counts_in_the_last_seven_days_from_their_first_instant_to_now(
    world: World, seconds: int, mentioned: int
) -> None:
    cello = world.add_statement("The cello is old.", world.add_source("cello"))
    ref = world.graph.read("graph/list_owned_nodes", ids=[cello], user_ids=[world.user])[0]["properties"]["ref"]
    now = world.now + timedelta(seconds=seconds)
    found = read_life(world.graph, world.settings, world.user, ref, now)
    assert found is not None and found["last_seven_days"].get("mentioned", 0) == mentioned
    assert found["uses"] == {"mentioned": 1}


def test_ten_memories_are_drawn_whatever_else_was_asked_for_more(world: World) -> None:
    source = world.add_source("cello")
    cellos = [world.add_statement(f"Cello {number} is old.", source) for number in range(12)]
    recall(world, *cellos)
    recall(world, cellos[7], *[f"context:{number}" for number in range(120)] * 2)
    count(world)
    often, _ = read_courses(world.graph, world.settings, world.user, world.now)
    assert len(often.rows) == 10 and often.rows[0]["text"] == "Cello 7 is old."


# Before the transaction, and after it was made but not known to be.
@pytest.mark.parametrize("written", [False, True])
def test_a_fold_that_is_killed_counts_each_access_once(
    world: World, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    cello = world.add_statement("The cello is old.", world.add_source("cello"))
    monkeypatch.setattr(folding, "LINES", 2)
    for day in range(7):
        recall(world, cello, days=day)
    write = world.graph.write_together
    turns = iter([True, False, False])

    def killed(statements: Sequence[Statement]) -> list[list[dict[str, Any]]]:
        lives = next(turns, True)
        done = write(statements) if lives or written else []
        if not lives:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(world.graph, "write_together", killed)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            count(world)
    count(world)
    assert stored(world, cello)["access_count"] == 7
    whole = world.add_statement("The harbour is deep.", world.sources[0])
    for day in range(7):
        recall(world, whole, days=day)
    monkeypatch.setattr(folding, "LINES", 100)
    count(world)
    counted = {"state", "salience", "decay_gradient", "access_count", "last_recall_interval", "last_accessed_at"}
    assert {name: stored(world, cello)[name] for name in counted} == {
        name: stored(world, whole)[name] for name in counted
    }


def test_what_comes_after_the_log_was_restored_is_counted_once(world: World, tmp_path: Path) -> None:
    cello = world.add_statement("The cello is old.", world.add_source("cello"))
    path = world.settings.accesses_file(world.user)
    recall(world, cello, cello, days=-2)
    access_log(world.settings, world.user).close()
    backup = shutil.copy(path, tmp_path / "backup")
    recall(world, *[cello] * 5, days=-1)
    count(world)
    access_log(world.settings, world.user).close()
    os.replace(backup, path)
    assert count(world).accesses == {} and stored(world, cello)["access_count"] == 7
    recall(world, cello, days=1)
    assert users_waiting(world.graph, world.settings, [world.user]) == [world.user]
    assert waiting_accesses(world.graph, world.settings, world.user, [cello]) == {cello: 1}
    for _ in range(2):
        count(world)
        assert stored(world, cello)["access_count"] == 8
    recall(world, *[cello] * 9, days=2)
    count(world)
    assert stored(world, cello)["access_count"] == 17


def test_what_comes_after_a_restored_log_is_counted_where_it_is_longer_by_then(world: World, tmp_path: Path) -> None:
    cello = world.add_statement("The cello is old.", world.add_source("cello"))
    path = world.settings.accesses_file(world.user)
    recall(world, cello, cello, days=-2)
    access_log(world.settings, world.user).close()
    backup = shutil.copy(path, tmp_path / "backup")
    recall(world, *[cello] * 8, days=-1)
    count(world)
    access_log(world.settings, world.user).close()
    os.replace(backup, path)
    recall(world, *[cello] * 9, days=1)
    assert waiting_accesses(world.graph, world.settings, world.user, [cello]) == {cello: 9}
    for _ in range(2):
        count(world)
        assert stored(world, cello)["access_count"] == 19


def test_a_log_that_comes_back_after_another_is_not_counted_twice(world: World, tmp_path: Path) -> None:
    cello = world.add_statement("The cello is old.", world.add_source("cello"))
    path = world.settings.accesses_file(world.user)
    recall(world, cello, cello)
    count(world)
    access_log(world.settings, world.user).close()
    first = shutil.move(path, tmp_path / "first")
    recall(world, *[cello] * 3, days=1)
    count(world)
    access_log(world.settings, world.user).close()
    os.replace(first, path)
    assert count(world).accesses == {} and stored(world, cello)["access_count"] == 5
    recall(world, cello, days=2)
    count(world)
    assert stored(world, cello)["access_count"] == 6


def test_its_page_shows_what_was_counted(world: World) -> None:
    cello = world.add_statement("The cello is old.", world.add_source("cello"))
    recall(world, cello, "chunk:gone")
    recall(world, cello, kind="cited")

    def materialize() -> dict[str, Any]:
        with dg.DagsterInstance.ephemeral() as instance:
            add_partitions(instance, [world.user])
            done = dg.materialize([accesses], partition_key=world.user, resources=world.resources(), instance=instance)
            (made,) = done.asset_materializations_for_node("accesses")
            return {name: value.value for name, value in made.metadata.items()}

    shown = materialize()
    assert [shown[name] for name in ("accesses", "memories", "became_active", "gone")] == [3, 1, 1, 1]
    assert "cited" in str(shown["by_kind"])
    assert materialize()["note"] == "no access was waiting"
