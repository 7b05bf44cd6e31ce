"""In the graph: scoring what changed leaves what scoring everything leaves, and asks for no more than that."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.model import node_id
from memory_assets.settings import Settings
from memory_assets.values import classify as module
from memory_assets.values.saved import STAMP, VECTORS
from memory_assets_tests.conftest import owner_for
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.accesses import access, fold
from memory_assets_tests.support.seeds import seed_properties
from memory_assets_tests.support.values import classify_memories

pytestmark = pytest.mark.graph


def saved_in() -> Path:
    return Path(os.environ["MEMORY_ASSETS_HOME"]) / "kept"


def step(world: World) -> dict[str, Any]:
    return classify_memories(world.graph, world.user, world.now, saved=saved_in())


def stored(world: World) -> list[dict[str, Any]]:
    rows = world.graph.read("values/list_fingerprints", user_id=world.user)
    return sorted(rows, key=lambda row: row["id"])


def stage(world: World) -> str | None:
    return module.find_stage(world.graph, world.user, module.STAGE)


def test_in_pieces_is_at_once(world: World) -> None:
    source = world.add_source("cello")
    for words in ("The cello is old.", "The bow is new.", "Rosin is in the case."):
        world.add_statement(words, source)
    assert step(world)["written"] == 4
    later = world.add_source("harbour", days=9)
    world.add_statement("The harbour freezes in January.", later)
    world.add_statement("The cello is old!", later)
    gone = world.add_statement("The lighthouse is shut.", later)
    assert {row.memory_id for row in step(world)["made"]} >= {later, gone}
    world.graph.write("seed/set_chunk_archived", user_id=world.user, id=gone)
    assert step(world)["retired"] == 1
    assert step(world)["unchanged"]
    mark, rows = stage(world), stored(world)
    assert len(rows) == 7
    # From the start, without anything saved: the same, to the mark.
    again = classify_memories(world.graph, world.user, world.now, force=True)
    assert (again["written"], again["retired"], stage(world), stored(world)) == (0, 0, mark, rows)


def test_what_is_retired_is_out_of_the_others_scores(world: World) -> None:
    source = world.add_source("cello")
    first = world.add_statement("The cello is old.", source)
    later = world.add_source("harbour", days=90)
    again = world.add_statement("The cello is old!", later)
    step(world)
    world.graph.write("seed/unlink_statement", user_id=world.user, id=first)
    row = {
        "id": first,
        "audit_id": node_id("audit", world.user, first),
        "label": "KnowledgeChunk",
        "reason": "r",
        "snapshot": "{}",
    }
    assert world.graph.write("curation/retire_unstated_chunks", [row], user_id=world.user, now=world.now)
    report = step(world)
    assert {made.memory_id: made.uniqueness_score for made in report["made"]} == {again: 0.7}
    assert report["retired"] <= 1 and step(world)["unchanged"]
    assert node_id("value", world.user, first) not in {row["id"] for row in stored(world)}


def recall_it(world: World, memory: str) -> None:
    access(world.settings, world.user, memory, at=world.now)
    fold(world.graph, world.settings, world.user, world.now)


def test_what_was_recalled_is_scored_again(world: World) -> None:
    source = world.add_source("cello")
    cello = world.add_statement("The cello is old.", source)
    (before,) = [row for row in step(world)["made"] if row.memory_id == cello]
    recall_it(world, cello)
    (after,) = step(world)["made"]
    assert (after.memory_id, after.access_frequency) == (cello, pytest.approx(2 / 3, abs=1e-6))
    mark, rows = stage(world), stored(world)
    again = classify_memories(world.graph, world.user, world.now, force=True)
    assert (again["written"], stage(world), stored(world)) == (0, mark, rows)
    assert step(world)["unchanged"]


def test_a_recall_while_scores_are_made_is_not_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    source = world.add_source("cello")
    cello = world.add_statement("The cello is old.", source)
    write = module._write

    def recalled_first(*given: Any) -> None:
        monkeypatch.setattr(module, "_write", write)
        recall_it(world, cello)
        write(*given)

    monkeypatch.setattr(module, "_write", recalled_first)
    step(world)
    (again,) = step(world)["made"]
    assert (again.memory_id, again.access_frequency) == (cello, pytest.approx(2 / 3, abs=1e-6))


def test_what_was_kept_before_is_not_taken_for_what_was_written_before_a_stop(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = world.add_source("cello")
    world.add_statement("The cello is old.", source, embedding=[1.0, 0.0])
    step(world)
    mark = stage(world)

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    world.add_statement("The cello is old.", source, embedding=[0.0, 1.0])
    with monkeypatch.context() as patched:
        patched.setattr(module, "save", stop)
        with pytest.raises(KeyboardInterrupt):
            step(world)
    assert stage(world) == mark, "another vector alone makes no other file"
    bow = world.add_statement("The bow is new.", world.add_source("bow", days=9), embedding=[1.0, 0.0])
    assert {row.memory_id: row.uniqueness_score for row in step(world)["made"]}[bow] == 0.7


@pytest.mark.parametrize("reply_is", ["living", "withdrawn", "removed", "back"])
def test_a_reply_counts_while_it_lives_and_may_be_read(world: World, reply_is: str) -> None:
    mail, reply = world.add_source("mail"), world.add_source("reply", days=9)
    world.graph.write("seed/link_reply", user_id=world.user, id=reply, parent=mail)
    assert {row.memory_id: row.access_frequency for row in step(world)["made"]}[mail] == 0.5
    seed_properties(world.graph, world.user, reply)
    rows = [
        {"id": reply, "audit_id": f"{reply}/audit", "reason": "taken back", "removed_by": "owner", "snapshot": None}
    ]
    query = "withdraw_sources" if reply_is == "withdrawn" else "set_sources_removed"
    if reply_is != "living":
        assert world.graph.write(f"curation/{query}", rows, user_id=world.user, now=to_iso(world.now))
    if reply_is == "back":
        step(world)
        assert world.graph.write("curation/restore_sources", rows, user_id=world.user, now=to_iso(world.now))
    step(world)
    read = world.graph.read("values/list_sources", user_ids=[world.user], memory_ids=[mail], with_vectors=False)
    assert [row["source_count"] for row in read] == [1 if reply_is in ("living", "back") else 0]
    mark, rows = stage(world), stored(world)
    again = classify_memories(world.graph, world.user, world.now, force=True)
    assert (again["written"], stage(world), stored(world)) == (0, mark, rows)


def rows_by_read(world: World, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, bool]]:
    """Every read from now on that lists memories: its query, its rows, and whether they come with vectors."""
    asked: list[tuple[str, int, bool]] = []
    read = world.graph.read_each

    def counted(name: str, make: Any, **params: Any) -> list[Any]:
        found = read(name, make, **params)
        if "memory_ids" in params:
            asked.append((name, len(found), params["with_vectors"]))
        return found

    monkeypatch.setattr(world.graph, "read_each", counted)
    return asked


def test_only_what_changed_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.fill()
    step(world)
    asked = rows_by_read(world, monkeypatch)
    new = world.add_statement("Zebras sleep standing up.", world.sources[0])
    made = step(world)["made"]
    assert new in {row.memory_id for row in made}
    assert sum(count for _, count, with_vectors in asked if not with_vectors) == len(made) < 12
    assert sum(count for _, count, with_vectors in asked if with_vectors) == 1


def test_memories_are_read_classified_and_written_page_by_page(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.fill()
    at_once = classify_memories(world.graph, world.user, world.now)["made"]
    mark, rows = stage(world), stored(world)
    monkeypatch.setattr(module, "PAGE", 7)
    asked = rows_by_read(world, monkeypatch)
    written: list[int] = []
    write = module._write

    def counted(*given: Any) -> None:
        written.append(len(given[-1]))
        write(*given)

    monkeypatch.setattr(module, "_write", counted)
    later = world.now + timedelta(days=3)
    report = classify_memories(world.graph, world.user, later, force=True, saved=saved_in())
    assert max(count for _, count, _ in asked) == max(written) == 7
    assert sum(written) == report["written"] == len(at_once) == 63
    assert sum(count for _, count, with_vectors in asked if with_vectors) == 63
    assert classify_memories(world.graph, world.user, world.now, force=True, saved=saved_in())["made"] == at_once
    assert (stage(world), stored(world)) == (mark, rows)
    for place in range(9):
        world.add_statement(f"Zebra {place} sleeps standing up.", world.sources[place])
    asked.clear()
    assert step(world)["written"] >= 9
    assert max(count for _, count, _ in asked) == 7
    mark, rows = stage(world), stored(world)
    assert classify_memories(world.graph, world.user, world.now, force=True)["written"] == 0
    assert (stage(world), stored(world)) == (mark, rows)


def test_what_goes_while_scores_are_made_and_says_nothing_is_noticed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = world.add_source("cello")
    first = world.add_statement("The cello is old.", source)
    again = world.add_statement("The cello is old!", world.add_source("harbour", days=90))
    score = module._score_everything

    def gone_then(*given: Any) -> module.Work:
        monkeypatch.setattr(module, "_score_everything", score)
        work = score(*given)
        world.graph.write("seed/set_chunk_archived", user_id=world.user, id=first)
        return work

    monkeypatch.setattr(module, "_score_everything", gone_then)
    assert {row.memory_id: row.uniqueness_score for row in step(world)["made"]}[again] == 0.7
    assert node_id("value", world.user, first) not in {row["id"] for row in stored(world)}
    assert step(world)["unchanged"]


@pytest.mark.parametrize("harm", ["lost", "cut", "of another time", "begun"])
def test_what_was_kept_and_cannot_be_used_is_made_again(world: World, harm: str) -> None:
    source = world.add_source("cello")
    world.add_statement("The cello is old.", source)
    step(world)
    if harm == "lost":
        (saved_in() / STAMP).unlink()
    elif harm == "cut":
        (saved_in() / VECTORS).write_bytes((saved_in() / VECTORS).read_bytes()[:40])
    elif harm == "of another time":
        (saved_in() / STAMP).write_text('{"stamp": "x", "digest": "y"}')
    else:
        world.graph.write_together([module.stage_made(world.user, module.STAGE, module.BEGUN, world.now)])
    bow = world.add_statement("The bow is new.", source)
    report = step(world)
    assert (len(report["made"]), report["written"]) == (3, 1)
    assert node_id("value", world.user, bow) in {row["id"] for row in stored(world)}
    assert step(world)["unchanged"]


def test_what_is_kept_is_its_owners_alone(world: World) -> None:
    world.add_statement("The cello is old.", world.add_source("cello"))
    step(world)
    assert saved_in().stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in saved_in().iterdir()} == {0o600}


def at(world: World, days: int, **options: Any) -> dict[str, Any]:
    return classify_memories(world.graph, world.user, world.now + timedelta(days=days), saved=saved_in(), **options)


def test_only_what_is_due_by_time_is_read_and_scored(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.fill()
    step(world)
    at(world, 30)
    young = world.add_source("zebra", days=90)
    born = world.now
    world.now += timedelta(days=31)
    zebra = world.add_statement("Zebras sleep standing up.", young)
    step(world)  # the source is as old as the world, the statement is of today
    asked = rows_by_read(world, monkeypatch)
    world.now += timedelta(days=1)
    report = step(world)
    assert [row.memory_id for row in report["made"]] == [zebra]
    assert asked == [("values/list_chunks", 1, False)]
    assert report["changes_at"] == (born + timedelta(days=33)).replace(hour=0)
    assert step(world)["unchanged"] and len(asked) == 1


@settings(max_examples=12)
@given(
    st.lists(st.tuples(st.integers(0, 20), st.sampled_from(("statement", "recall", "nothing"))), max_size=6),
    st.integers(0, 40),
)
def test_whenever_it_is_scored_the_values_of_a_day_are_the_same(
    graph: Graph, tmp_path_factory: pytest.TempPathFactory, days: list[tuple[int, str]], last: int
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    owner = owner_for(f"whenever it is scored {days} {last}")
    world = World(graph, owner, Settings(_env_file=None, home=folder / "home"))
    source = world.add_source("cello")
    world.add_statement("The cello is old.", source)
    for place, (passed, what) in enumerate(days):
        world.now += timedelta(days=passed)
        if what == "statement":
            world.add_statement(f"The bow has number {place}.", source)
        elif what == "recall":
            recall_it(world, source)
        classify_memories(graph, owner, world.now, saved=folder)
    world.now += timedelta(days=last)
    classify_memories(graph, owner, world.now, saved=folder)
    mark, rows = stage(world), stored(world)
    from_the_start = classify_memories(graph, owner, world.now, force=True)
    assert (from_the_start["written"], stage(world), stored(world)) == (0, mark, rows)


def test_a_value_of_nothing_that_is_scored_is_not_due_for_ever(world: World) -> None:
    source = world.add_source("cello")
    lost = world.add_statement("The cello is old.", source)
    made = [row for row in step(world)["made"] if row.memory_id == lost]
    world.graph.write("seed/set_chunk_archived", user_id=world.user, id=lost)
    assert step(world)["retired"] == 1
    module._write(world.graph, world.user, world.now, made)
    assert (at(world, 1)["retired"], at(world, 1)["unchanged"]) == (1, True)
