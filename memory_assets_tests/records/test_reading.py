"""What people and agents read of records: one by its reference, and the list; each reading counts once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import timedelta
from typing import Any

import dagster as dg
import pytest

from memory_assets.commands.reading import open_memory, open_record
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.lifecycle import folding
from memory_assets.model import AccessKind
from memory_assets.records.assets import agent_records
from memory_assets.records.checks import records_stay_with_their_owner
from memory_assets.runtime.accesses import Access, AccessLog, record_accesses
from memory_assets.settings import Settings
from memory_assets_tests.records.conftest import NOW, Desk
from memory_assets_tests.records.test_recording import said, session
from memory_assets_tests.support.accesses import fold
from memory_assets_tests.support.command_line import run_command
from memory_assets_tests.support.fixture_resources import given_resources
from memory_assets_tests.support.partitions import add_partitions
from memory_assets_tests.support.scripted_models import ScriptedModel

pytestmark = pytest.mark.graph


def read(desk: Desk, memory: str, *at: float, agent: str) -> None:
    days = [NOW + timedelta(days=day) for day in at]
    record_accesses(desk.settings, [Access(desk.user, memory, day, AccessKind.RETRIEVED, agent) for day in days])


@pytest.fixture
def belief(desk: Desk) -> str:
    """The id of a belief that is there and that no cycle has to look at."""
    desk.write(
        "one.jsonl", said("belief", "b1", about=["Maya"], confidence=0.7), said("memory", "m1", refers_to=["b1"])
    )
    desk.record()
    one = str(desk.stored()["b1"]["id"])
    desk.change(one, curate_5m_key=None, curate_15m_key=None, curate_1h_key=None, curate_6h_key=None)
    return one


def test_accesses_say_when_and_by_whom_and_make_curation_look(desk: Desk, belief: str) -> None:
    read(desk, belief, 3, 1, agent="Mole")
    read(desk, belief, 2, agent="")
    fold(desk.graph, desk.settings, desk.user, NOW)
    read(desk, belief, 1, agent="Kite")
    fold(desk.graph, desk.settings, desk.user, NOW)
    one = desk.stored()["b1"]
    assert [at[:10] for at in one["recent_accesses"]] == ["2026-11-21", "2026-11-21", "2026-11-22", "2026-11-23"]
    assert (one["accessed_by"], one["access_count"], one["state"]) == (["Kite", "Mole"], 4, "active")
    assert one["last_accessed_at"] == NOW + timedelta(days=3)
    assert {one[f"curate_{cadence}_key"] for cadence in ("5m", "15m", "1h", "6h")} == {f"0|{desk.user}|{belief}"}
    assert one["version"] == 4, "its upsert, the link to it, two folds"


def test_of_many_accesses_the_latest_ten_are_told_and_a_record_never_is_core(desk: Desk, belief: str) -> None:
    for number in range(12):
        read(desk, belief, number, agent=f"agent {number:02d}")
        if number % 5 == 0:
            fold(desk.graph, desk.settings, desk.user, NOW)
    fold(desk.graph, desk.settings, desk.user, NOW)
    one = desk.stored()["b1"]
    assert [at[:10] for at in one["recent_accesses"]] == [
        (NOW + timedelta(days=day)).date().isoformat() for day in range(2, 12)
    ]
    assert one["accessed_by"] == [f"agent {number:02d}" for number in range(10)]
    assert (one["access_count"], one["state"]) == (12, "active")


# Before the transaction, and after it was made but not known to be.
@pytest.mark.parametrize("written", [False, True])
def test_a_fold_that_is_killed_counts_each_agents_access_once(
    desk: Desk, belief: str, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    monkeypatch.setattr(folding, "LINES", 2)
    for number in range(6):
        read(desk, belief, number, agent=["Mole", "Kite", "Fern"][number % 3])
    write = Graph.write_together

    def killed(self: Graph, statements: Any) -> Any:
        if written:
            write(self, statements)
        raise KeyboardInterrupt

    for _ in range(3):
        monkeypatch.setattr(Graph, "write_together", killed)
        with suppress(KeyboardInterrupt):
            fold(desk.graph, desk.settings, desk.user, NOW)
    monkeypatch.setattr(Graph, "write_together", write)
    fold(desk.graph, desk.settings, desk.user, NOW)
    one = desk.stored()["b1"]
    assert (one["access_count"], len(one["recent_accesses"]), one["accessed_by"]) == (6, 6, ["Fern", "Kite", "Mole"])


def test_a_tombstone_counts_nothing_and_one_that_its_agent_archived_is_back_when_it_is_read(desk: Desk) -> None:
    desk.write("one.jsonl", said("belief", "b1"), said("belief", "b2", state="archived"))
    desk.record()
    gone, resting = (desk.stored()[name]["id"] for name in ("b1", "b2"))
    desk.change(gone, tombstone=True, state="archived")
    for memory in (gone, resting):
        read(desk, memory, 1, agent="Mole")
    assert fold(desk.graph, desk.settings, desk.user, NOW).unknown == {gone}
    stored = desk.stored()
    assert (stored["b1"]["state"], stored["b1"]["access_count"]) == ("archived", 0)
    assert (stored["b2"]["state"], stored["b2"]["tier"], stored["b2"]["access_count"]) == ("active", "ARCHIVE", 1)


def test_a_record_is_opened_by_its_reference_and_that_is_an_access(desk: Desk, belief: str) -> None:
    ref = desk.stored()["b1"]["ref"]
    found = open_memory(desk.graph, desk.settings, desk.user, ref, 1000)
    assert {name: found[name] for name in ("kind", "agent", "text", "state", "tier", "about", "confidence")} == {
        "kind": "Belief",
        "agent": "Harbor",
        "text": "Slip 4 is dry.",
        "state": "active",
        "tier": "HOT",
        "about": ["Maya"],
        "confidence": 0.7,
    }
    (source,) = found["sources"]
    assert source["title"] == "Harbor: beliefs of 2026-10-05" and found["access_count"] == 1
    assert [(row["relation"], row["kind"]) for row in found["records"]] == [("referred to by", "MemoryEntry")]
    again = open_record(desk.graph, desk.settings, desk.user, ref, agent="Mole")
    assert again is not None and again["access_count"] == 2
    json.dumps([found, again])
    fold(desk.graph, desk.settings, desk.user, NOW)
    with closing(AccessLog(desk.settings.accesses_file(desk.user))) as log:
        assert log.counts([belief]) == {"retrieved": 2}
    assert desk.stored()["b1"]["access_count"] == 2
    desk.change(belief, tombstone=True)
    with pytest.raises(UnknownReferenceError):
        open_memory(desk.graph, desk.settings, desk.user, ref, 1000)
    with pytest.raises(UnknownReferenceError):
        open_memory(desk.graph, desk.settings, f"{desk.user}x", ref, 1000)


def test_its_page_shows_what_was_recorded_and_what_there_is(desk: Desk) -> None:
    desk.write("one.jsonl", said("belief", "b1"), said("task", "t1", state="archived"), session("s1"))

    def materialize() -> dict[str, Any]:
        resources = given_resources(desk.graph, ScriptedModel(lambda task, payload: None), desk.embedder, desk.clock)
        with dg.DagsterInstance.ephemeral() as instance:
            add_partitions(instance, [desk.user])
            assets = [agent_records, records_stay_with_their_owner]
            done = dg.materialize(assets, partition_key=desk.user, resources=resources, instance=instance)
            assert done.success and all(one.passed for one in done.get_asset_check_evaluations())
            (made,) = done.asset_materializations_for_node("agent_records")
            return {name: value.value for name, value in made.metadata.items()}

    shown = materialize()
    assert [shown[name] for name in ("due", "new", "changed", "retired", "records")] == [3, 3, 0, 0, 3]
    assert "|Belief|1|0|" in str(shown["by_kind"]).replace(" ", "")
    again = materialize()
    assert [again[name] for name in ("due", "standing", "new", "records")] == [0, 3, 0, 3]


@pytest.fixture
def command(graph_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run a command in this process, on the session's graph."""
    monkeypatch.setenv("MEMORY_ASSETS_HOME", str(graph_settings.home))
    for name in ("neo4j_uri", "neo4j_username", "neo4j_database"):
        if "NEO4J_URI" in os.environ:
            monkeypatch.setenv(name.upper(), str(getattr(graph_settings, name)))
    (graph_settings.home / "inbox").mkdir(parents=True, exist_ok=True)
    return run_command


def test_the_commands_list_and_show_records(desk: Desk, belief: str, command: Callable[..., Any]) -> None:
    ref = desk.stored()["b1"]["ref"]
    listed = command("records", "--user", desk.user)
    header, first, *_ = listed.stdout.splitlines()
    assert listed.exit_code == 0 and header.split() == ["ref", "kind", "agent", "state", "tier", "day", "text"]
    assert first.split()[:6] == [ref, "Belief", "Harbor", "active", "HOT", "2026-10-05"]
    rows = json.loads(command("records", "--user", desk.user, "--kind", "memory", "--json").stdout)
    assert [(row["kind"], row["record_id"], row["recorded_at"]) for row in rows] == [
        ("MemoryEntry", "m1", "2026-10-05T09:00:00.000Z")
    ]
    for name in ("open", "explain"):
        shown = command(name, ref, "--user", desk.user)
        assert shown.exit_code == 0 and f"Slip 4 is dry. [{ref}]" in shown.stdout
        assert "Belief, by Harbor, 2026-10-05, active, HOT, confidence 0.7, about Maya" in shown.stdout
        assert "recorded in: Harbor: beliefs of 2026-10-05" in shown.stdout
    assert json.loads(command("explain", ref, "--user", desk.user, "--json").stdout)["access_count"] == 3
    desk.change(belief, tombstone=True)
    assert ref not in command("records", "--user", desk.user).stdout
    for name in ("open", "explain"):
        assert command(name, ref, "--user", desk.user).exit_code != 0
