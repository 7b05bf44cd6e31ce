"""What agents record becomes memories: each once, its latest version, whatever the order; what is gone is let go."""

from __future__ import annotations

import contextlib
import random
from datetime import timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from memory_assets.curation.rails import judge_retirements
from memory_assets.graph.graph import Graph
from memory_assets.model import RECORD_KINDS
from memory_assets.records import recording
from memory_assets.records.policy import KINDS
from memory_assets.records.reading import find_record, list_records
from memory_assets_tests.records.conftest import NOW, Desk
from memory_assets_tests.support.scripted_models import HashEmbedder

pytestmark = pytest.mark.graph

AT = "2026-10-05T09:00:00Z"


def said(kind: str, own_id: str, text: str = "Slip 4 is dry.", **more: Any) -> dict[str, Any]:
    return {"record": kind, "id": own_id, "agent": "Harbor", "at": AT, "text": text, **more}


def session(own_id: str, **more: Any) -> dict[str, Any]:
    turns = [{"role": "user", "name": "Maya", "text": "Is the slip free?"}, {"role": "assistant", "text": "From noon."}]
    return {"record": "session", "id": own_id, "agent": "Harbor", "at": AT, "turns": turns, **more}


def line(kind: str, own_id: str) -> dict[str, Any]:
    return session(own_id) if kind == "session" else said(kind, own_id)


def test_each_type_becomes_a_memory_of_its_kind(desk: Desk) -> None:
    assert set(KINDS.values()) == set(RECORD_KINDS)
    desk.write("all.jsonl", *(line(kind, f"{kind}-1") for kind in KINDS))
    assert desk.record()["new"] == len(KINDS)
    stored = desk.stored()
    assert {own_id: one["labels"] for own_id, one in stored.items()} == {
        f"{kind}-1": {"Memory", label} for kind, label in KINDS.items()
    }
    tiers = {KINDS[own_id.removesuffix("-1")]: one.get("tier") for own_id, one in stored.items()}
    assert {label for label, tier in tiers.items() if tier == "HOT"} == {
        "Belief", "Reflection", "Analysis", "Recommendation", "Synthesis", "MemoryEntry",
    } and set(tiers.values()) == {"HOT", None}  # fmt: skip
    for one in stored.values():
        assert (one["state"], one["version"], one["access_count"], one["ttl_policy"]) == ("active", 1, 0, "decay")
        assert one["created_at"] == one["changed_at"] == NOW
        assert {one[f"curate_{cadence}_key"] for cadence in ("5m", "15m", "1h", "6h")} == {f"0|{desk.user}|{one['id']}"}
        assert len(one["embedding"]) == 256 and one["token_count"] > 3
    assert stored["session-1"]["text"] == "Maya: Is the slip free?\nHarbor: From noon."


PROPERTIES = [
    ("belief", {"confidence": 0.95}, {"confidence": 0.95, "stated_confidence": 0.95, "confirmed_at": NOW}),
    ("belief", {}, {"confidence": None, "stated_confidence": None, "confirmed_at": NOW}),
    ("analysis", {"confidence": 0.2, "severity": "critical"}, {"severity": "critical", "confirmed_at": None}),
    ("task", {"status": "open", "due": "2026-10-09"}, {"status": "pending", "due": "2026-10-09"}),
    ("task", {"status": "In Progress"}, {"status": "in_progress"}),
    ("task", {"status": "done"}, {"status": "completed"}),
    ("task", {"status": "parked"}, {"status": None}),
    ("notification", {"read": True, "critical": False}, {"is_read": True, "is_critical": False}),
    ("notification", {}, {"is_read": None, "is_critical": None}),
    ("reflection", {"consolidated": True}, {"consolidated": True}),
    ("memory", {"keep": True}, {"ttl_policy": "keep_forever", "memory_kind": None}),
    ("synthesis", {"state": "archived"}, {"state": "archived", "tier": "ARCHIVE"}),
    ("task", {"state": "archived"}, {"state": "archived", "tier": None}),
    ("belief", {"about": ["Maya", " Slip  4", "Maya"]}, {"about": ["Maya", "Slip 4"]}),
]


@pytest.mark.parametrize(("kind", "more", "expected"), PROPERTIES, ids=range(len(PROPERTIES)))
def test_a_record_says_what_its_line_says(
    desk: Desk, kind: str, more: dict[str, Any], expected: dict[str, Any]
) -> None:
    desk.write("one.jsonl", said(kind, "x1", **more))
    desk.record()
    one = desk.stored()["x1"]
    assert {name: one.get(name) for name in expected} == expected


def test_what_an_agent_remembers_has_its_kind(desk: Desk) -> None:
    desk.write("one.jsonl", said("memory", "x1") | {"kind": "decision"})
    desk.record()
    assert desk.stored()["x1"]["memory_kind"] == "decision"


@pytest.mark.parametrize(("active", "expected"), [(None, None), (True, True), (False, False)])
def test_a_session_says_whether_it_goes_on(desk: Desk, active: bool | None, expected: bool | None) -> None:
    desk.write("one.jsonl", session("s1", active=active))
    desk.record()
    assert desk.stored()["s1"].get("active") is expected


def test_a_rerun_changes_nothing_and_a_record_that_comes_again_neither(desk: Desk) -> None:
    desk.write("one.jsonl", said("belief", "b1"), said("belief", "b2", refers_to=["b1"]))
    desk.record()
    before, picture = desk.stored(), desk.picture()
    desk.travel(NOW + timedelta(days=3))
    assert desk.record()["due"] == 0
    desk.write("again.jsonl", said("belief", "b2", refers_to=["b1"]), said("belief", "b3"))
    counts = desk.record()
    assert (counts["due"], counts["new"], counts["changed"]) == (1, 1, 0)
    after = desk.stored()
    assert {name: after[name] for name in before} == before
    desk.write("again.jsonl", said("belief", "b3"))
    assert picture != desk.picture() and desk.record()["due"] == 0


def test_another_content_is_the_same_memory_changed(desk: Desk) -> None:
    desk.write("one.jsonl", said("belief", "b1", confidence=0.4))
    desk.record()
    desk.travel(NOW + timedelta(days=3))
    desk.write("two.jsonl", said("belief", "b1", "Slip 4 is wet.", at="2026-10-06T09:00:00Z", confidence=0.9))
    assert desk.record()["changed"] == 1
    one = desk.stored()["b1"]
    assert (one["text"], one["confidence"], one["version"], one["created_at"]) == ("Slip 4 is wet.", 0.9, 2, NOW)
    assert one["changed_at"] == one["confirmed_at"] == NOW + timedelta(days=3)
    # An older version that comes in later is known to be older, and the memory is in the sources of both.
    desk.write("three.jsonl", said("belief", "b1", "Slip 4 leaks.", at="2026-10-05T11:00:00Z"))
    counts = desk.record()
    assert (counts["due"], counts["changed"]) == (1, 0) and desk.stored()["b1"]["text"] == "Slip 4 is wet."
    query = "MATCH (m:Belief {user_id: $user})-[r:RECORDED_IN]->(s:Source) RETURN count(s) AS sources"
    assert desk.graph.query_read_only(query, {"user": desk.user}) == [{"sources": 2}]


def test_records_refer_to_each_other_by_their_own_ids_whoever_comes_first(desk: Desk) -> None:
    desk.write("one.jsonl", session("s1", refers_to=["b1", "b2"], learned_from=["r1"]))
    counts = desk.record()
    assert (counts["linked"], counts["waiting_for_others"], desk.links()) == (0, 1, set())
    desk.write("two.jsonl", said("belief", "b1", agent="Mole"), said("reflection", "r1"))
    assert desk.record()["waiting_for_others"] == 1
    assert desk.links() == {("s1", "REFERS_TO", "b1"), ("s1", "LEARNED_FROM", "r1")}
    desk.change(desk.stored()["b1"]["id"], curate_6h_key=None)
    desk.write("three.jsonl", said("analysis", "b2"), said("recommendation", "b1", agent="Kite", refers_to=["r1", "x"]))
    assert (desk.record()["linked"], len(desk.links())) == (1, 4)
    # What one own id names is everybody's who has it; that of the other agent is linked as well.
    query = "MATCH (m:SessionContext {user_id: $user})-[:REFERS_TO]->(o) RETURN o.agent AS agent ORDER BY agent"
    rows = desk.graph.query_read_only(query, {"user": desk.user})
    assert [row["agent"] for row in rows] == ["Harbor", "Kite", "Mole"]
    before = desk.picture()
    assert desk.record()["linked"] == 0 and desk.picture() == before


def test_a_link_makes_both_ends_due_and_goes_with_the_word(desk: Desk) -> None:
    desk.write("one.jsonl", said("belief", "b1"))
    desk.record()
    belief = desk.stored()["b1"]["id"]
    desk.change(belief, curate_1h_key=None)
    desk.write("two.jsonl", said("recommendation", "r1", refers_to=["b1", "r1"]))
    desk.record()
    one = desk.stored()["b1"]
    assert (one["curate_1h_key"], one["version"]) == (f"0|{desk.user}|{belief}", 2)
    desk.change(belief, curate_1h_key=None)
    desk.write("three.jsonl", said("recommendation", "r1", "Paint it.", at="2026-10-06T09:00:00Z"))
    desk.record()
    assert desk.links() == set() and desk.stored()["b1"]["curate_1h_key"] == f"0|{desk.user}|{belief}"


@pytest.mark.parametrize("how", ["curation/set_sources_removed", "curation/withdraw_sources"])
def test_what_is_removed_is_retired_with_an_audit_and_comes_back_with_its_source(desk: Desk, how: str) -> None:
    desk.write("one.jsonl", said("analysis", "a1", refers_to=["a2"]))
    desk.write("two.jsonl", said("analysis", "a2", at="2026-10-07T09:00:00Z"))
    desk.record()
    before, links = desk.picture(), desk.links()
    (source,) = desk.graph.query_read_only(
        "MATCH (:Memory {user_id: $user, record_id: 'a2'})-[:RECORDED_IN]->(s) RETURN s.id AS id", {"user": desk.user}
    )
    desk.remove(source["id"], how=how)
    assert desk.record()["retired"] == 1
    assert set(desk.stored()) == {"a1"} and desk.links() == set()
    (audit,) = desk.graph.read("curation/list_retirements", user_id=desk.user)
    assert (audit["label"], audit["access_count"]) == ("Analysis", 0) and "Slip 4 is dry." in audit["snapshot"]
    assert judge_retirements([audit]) == []
    desk.put_back(source["id"])
    desk.record()
    assert desk.links() == links and desk.picture() == before


RETAINED = [
    said("task", "x", status="open"),
    said("task", "x", status="parked"),
    said("belief", "x"),
    said("belief", "x", confidence=0.9),
    said("reflection", "x"),
    session("x"),
    session("x", active=True),
    said("analysis", "x", keep=True),
]
LET_GO = [
    said("task", "x", status="done"),
    said("belief", "x", confidence=0.89),
    said("belief", "x", state="archived"),
    said("reflection", "x", consolidated=True),
    session("x", active=False),
    said("notification", "x"),
    said("memory", "x"),
]


@pytest.mark.parametrize("record", [*RETAINED, *LET_GO], ids=range(len(RETAINED) + len(LET_GO)))
def test_what_a_rail_protects_stays_though_no_source_has_it(desk: Desk, record: dict[str, Any]) -> None:
    desk.write("one.jsonl", record)
    desk.record()
    desk.remove(*desk.sources())
    counts = desk.record()
    is_retained = record in RETAINED
    assert (counts["retired"], counts["kept_by_a_rail"]) == (not is_retained, is_retained)
    assert set(desk.stored()) == ({"x"} if is_retained else set())
    assert list_records(desk.graph, desk.user) == [], "what no source has any more is not shown"
    assert judge_retirements(desk.graph.read("curation/list_retirements", user_id=desk.user)) == []
    desk.put_back(*desk.sources())
    desk.record()
    assert [row["record_id"] for row in list_records(desk.graph, desk.user)] == ["x"]


def test_what_four_agents_refer_to_or_somebody_recalled_stays(desk: Desk) -> None:
    desk.write("one.jsonl", said("analysis", "a1"), said("analysis", "a2"), said("analysis", "a3"))
    agents = ["Mole", "Kite", "Fern", "Moth"]
    desk.write("two.jsonl", *(said("memory", f"m-{name}", agent=name, refers_to=["a1"]) for name in agents))
    desk.write("three.jsonl", *(said("memory", f"n-{name}", agent=name, refers_to=["a2"]) for name in agents[:3]))
    desk.record()
    stored = desk.stored()
    desk.change(stored["a3"]["id"], access_count=1)
    (source,) = desk.graph.query_read_only(
        "MATCH (:Memory {user_id: $user, record_id: 'a1'})-[:RECORDED_IN]->(s) RETURN s.id AS id", {"user": desk.user}
    )
    desk.remove(source["id"])
    assert desk.record()["kept_by_a_rail"] == 2
    assert {"a1", "a2", "a3"} & set(desk.stored()) == {"a1", "a3"}


def test_what_curation_has_pruned_does_not_come_back_but_another_version_does(desk: Desk) -> None:
    desk.write("one.jsonl", said("analysis", "a1"), said("analysis", "a2"))
    desk.record()
    one = desk.stored()["a1"]
    (source,) = desk.sources()
    desk.change(source, pruned_records=[f"{one['id']}|{one['fingerprint']}"])
    tombstone = {"tombstone": True, "state": "archived", "tombstoned_from": "active", "tombstone_key": "t"}
    desk.change(one["id"], **tombstone)
    assert [row["record_id"] for row in list_records(desk.graph, desk.user)] == ["a2"]
    assert find_record(desk.graph, desk.user, one["ref"]) is None
    before = desk.picture()
    assert one["id"] not in "".join(line for line in before if '"type": "node"' in line)
    desk.write("two.jsonl", said("analysis", "a1"), said("analysis", "a3"))
    assert desk.record()["new"] == 1 and desk.stored()["a1"]["tombstone"]
    desk.change(one["id"], fingerprint="-")
    desk.write("two.jsonl", said("analysis", "a1"), said("analysis", "a4"))
    assert desk.record()["new"] == 1 and desk.stored()["a1"]["tombstone"], "this version was pruned, whatever holds"
    desk.write("three.jsonl", said("analysis", "a1", "It leaks.", at="2026-10-05T10:00:00Z"))
    assert desk.record()["changed"] == 1
    again = desk.stored()["a1"]
    assert (again.get("tombstone"), again["state"], again["text"]) == (None, "active", "It leaks.")


def test_an_older_version_does_not_take_the_place_of_one_that_was_pruned_and_removed(desk: Desk) -> None:
    desk.write("one.jsonl", said("analysis", "a1"))
    desk.write("two.jsonl", said("analysis", "a1", "It leaks.", at="2026-10-06T09:00:00Z"))
    desk.record()
    one = desk.stored()["a1"]
    for source in desk.sources():
        desk.change(source, pruned_records=[f"{one['id']}|{one['fingerprint']}"])
    desk.run("remove", id=one["id"])
    desk.write("three.jsonl", said("analysis", "a2"))
    assert desk.record()["new"] == 1 and set(desk.stored()) == {"a2"}


def test_another_embedder_embeds_what_stands_and_changes_nothing_else(desk: Desk) -> None:
    desk.write("one.jsonl", said("analysis", "a1"))
    desk.record()
    before = desk.stored()["a1"]
    desk.embedder = HashEmbedder()
    assert desk.record()["embedded_again"] == 1
    after = desk.stored()["a1"]
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"embedding", "embedder", "version"}
    assert desk.record()["due"] == 0


def test_a_secret_is_masked_in_the_memory_as_in_its_source(desk: Desk) -> None:
    desk.write("one.jsonl", said("memory", "m1", "The password is hunter2xyz9, and the slip is dry."))
    desk.record()
    assert "hunter2xyz9" not in str(desk.stored()) and "[masked: password]" in desk.stored()["m1"]["text"]


def test_two_owners_of_one_id_have_a_memory_each(desk: Desk, tmp_path: Path) -> None:
    other = Desk(desk.graph, f"{desk.user}x", tmp_path / "other", desk.embedder)
    for one in (desk, other):
        one.write("one.jsonl", said("belief", "b1"), said("belief", "b2", refers_to=["b1"]))
        one.record()
    assert desk.stored()["b1"]["id"] != other.stored()["b1"]["id"]
    assert desk.links() == other.links() == {("b2", "REFERS_TO", "b1")}
    assert desk.graph.read("records/list_foreign_records", user_id=desk.user) == []


def test_a_link_to_what_is_somebody_elses_is_seen(desk: Desk, tmp_path: Path) -> None:
    other = Desk(desk.graph, f"{desk.user}x", tmp_path / "other", desk.embedder)
    for one in (desk, other):
        one.write("one.jsonl", said("belief", "b1"))
        one.record()
    ids = [one.stored()["b1"]["id"] for one in (desk, other)]
    desk.run("link_wrongly", one=ids[0], other=ids[1])
    (found,) = desk.graph.read("records/list_foreign_records", user_id=desk.user)
    assert found == {"memory_id": ids[0], "relation": "REFERS_TO", "other_id": ids[1]}


def test_what_an_agent_says_is_archived_needs_no_audit_but_what_was_archived_does(desk: Desk) -> None:
    records = [said("belief", "b1", state="archived"), said("belief", "b2", state="active"), said("belief", "b3")]
    desk.write("one.jsonl", *records)
    desk.record()
    stored = desk.stored()
    for name in ("b2", "b3"):
        desk.change(stored[name]["id"], state="archived", archived_from="active")
    archived = desk.graph.read("curation/list_archived", user_id=desk.user)
    assert {row["memory_id"] for row in archived} == {stored["b2"]["id"], stored["b3"]["id"]}


FILES = (
    [said("belief", "b1", confidence=0.5), said("task", "t1", status="open", refers_to=["s1"]), session("s1")],
    [said("belief", "b1", "Slip 4 leaks.", at="2026-10-06T09:00:00Z", refers_to=["t1", "s2"], state="archived")],
    [said("belief", "b1", "Slip 4 is dry again.", at="2026-10-07T09:00:00Z", refers_to=["t1"], keep=True)],
    [said("task", "t1", status="done", at="2026-10-06T09:00:00Z", learned_from=["b1"]), said("task", "b1")],
    [session("s1", active=False, at="2026-10-05T12:00:00Z"), said("belief", "b1", agent="Mole", refers_to=["b1"])],
)


@pytest.mark.parametrize("all_at_once", [True, False])
def test_whatever_the_order_in_which_files_come_the_memories_are_the_same(desk: Desk, all_at_once: bool) -> None:
    pictures = set()
    for order in random.Random(7).sample(list(permutations(range(len(FILES)))), 5):
        for file in order:
            desk.write(f"{file}.jsonl", *FILES[file])
            if not all_at_once:
                desk.travel(desk.clock.now() + timedelta(days=1))
                desk.record()
        desk.record()
        assert len(list_records(desk.graph, desk.user)) == 5
        assert desk.links() == {("b1", "REFERS_TO", "t1"), ("t1", "LEARNED_FROM", "b1"), ("b1", "REFERS_TO", "b1")}
        pictures.add("\n".join(desk.picture()))
        desk.clear()
    assert len(pictures) == 1


def test_a_run_that_is_killed_leaves_what_the_next_one_completes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    write, pictures = Graph.write_together, []
    monkeypatch.setattr(recording, "SOURCES_AT_ONCE", 1)
    for kills in (range(0), range(1, 9)):
        for number, records in enumerate(FILES):
            desk.write(f"{number}.jsonl", *records)
        for killed_at in kills:
            calls = iter(range(1, 99))

            def killed(self: Graph, statements: Any, calls: Any = calls, at: int = killed_at) -> Any:
                if next(calls) == at:
                    raise KeyboardInterrupt
                return write(self, statements)

            monkeypatch.setattr(Graph, "write_together", killed)
            with contextlib.suppress(KeyboardInterrupt):
                desk.record()
            monkeypatch.setattr(Graph, "write_together", write)
        desk.record()
        pictures.append(desk.picture())
        desk.clear()
    assert pictures[0] == pictures[1]
