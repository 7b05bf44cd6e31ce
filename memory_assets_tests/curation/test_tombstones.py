"""What prunes and removes: only what no rail keeps and nobody has written since, with an audit that holds it whole."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_assets.clock import to_iso
from memory_assets.curation.rails import GRACE, RAILS
from memory_assets.curation.snapshots import decode, encode, read_whole, whole_snapshots
from memory_assets.graph.graph import Graph
from memory_assets.graph.knife import cut
from memory_assets.graph.values import instant
from memory_assets.model import node_id
from memory_assets_tests.curation.records import record, run, seed

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
DUE = ("curate_5m_key", "curate_15m_key", "curate_1h_key", "curate_6h_key")


def rows_to_cut(graph: Graph, user: str, ids: list[str], action: str, now: datetime = NOW) -> list[dict[str, Any]]:
    """What a cycle gives a cutting statement, as the memories are now."""
    stored, texts = read_whole(graph, user, ids), whole_snapshots(graph, user, ids)
    return [
        {
            "id": key,
            "version": stored[key].properties.get("version", 0),
            "audit_id": node_id("audit", user, key, action, to_iso(now)),
            "label": stored[key].kind,
            "action": action,
            "reason": "its time is over",
            "snapshot": texts[key],
            "cycle_id": f"cycle:{user}",
            "remove_at": f"{now + timedelta(days=30):%Y%m%dT%H%M%SZ}|{user}|{key}",
        }
        for key in ids
        if key in stored
    ]


def carry_out(graph: Graph, user: str, name: str, rows: list[dict[str, Any]], now: datetime = NOW) -> set[str]:
    return {row["id"] for row in cut(graph, name, rows, user=user, now=now, born_before=to_iso(now - GRACE))}


def prune(graph: Graph, user: str, ids: list[str], now: datetime = NOW) -> set[str]:
    return carry_out(graph, user, "tombstone_records", rows_to_cut(graph, user, ids, "prune", now), now)


def remove(graph: Graph, user: str, ids: list[str], now: datetime = NOW + timedelta(days=30)) -> set[str]:
    return carry_out(graph, user, "remove_tombstones", rows_to_cut(graph, user, ids, "remove", now), now)


def audits(graph: Graph, user: str) -> list[dict[str, Any]]:
    asked = "MATCH (a:CurationAudit {user_id: $user}) RETURN properties(a) AS p ORDER BY a.at, a.id"
    return [row["p"] for row in graph.query_read_only(asked, {"user": user})]


def test_a_pruned_record_is_a_tombstone_with_an_audit_of_all_that_it_was(graph: Graph, user: str) -> None:
    one, near, source, far = (f"{user}:{name}" for name in ("one", "near", "source", "far"))
    rows = [record(one, embedding=[0.5, 0.25]), record(near, "Task", **dict.fromkeys(DUE, "2"))]
    rows += [record(source, "Source", pruned_records=["x|y"]), record(far)]
    links = [(near, "REFERS_TO", one), (one, "RECORDED_IN", source), (far, "REFERS_TO", near)]
    seed(graph, user, rows, links)
    before = read_whole(graph, user, [one, near, source, far])
    assert prune(graph, user, [one]) == {one}
    after = read_whole(graph, user, [one, near, source, far])

    mine = {"tombstone": True, "deleted_at": NOW, "tombstone_key": f"20260531T120000Z|{user}|{one}"}
    mine |= {"tombstoned_from": "candidate", "state": "archived", "version": 2}
    assert after[one].properties == dict(before[one].properties) | mine
    assert encode(replace(after[one], properties={})) == encode(replace(before[one], properties={})), "its links stay"
    assert after[near].properties == dict(before[near].properties) | dict.fromkeys(DUE, f"0|{user}|{near}")
    assert after[far].properties == before[far].properties
    assert after[source].properties["pruned_records"] == ["x|y", f"{one}|f-{one}"]

    (audit,) = audits(graph, user)
    assert audit["snapshot"] == encode(before[one])
    assert set(audit["rails_checked"]) == set(RAILS) and audit["cycle_id"] == f"cycle:{user}"
    seen = {name: audit[name] for name in ("seen_state", "seen_ttl_policy", "seen_access_count")}
    assert seen == {"seen_state": "candidate", "seen_ttl_policy": "decay", "seen_access_count": 0}
    assert audit["seen_agent_references"] == 1 and instant(audit["at"]) == NOW
    assert prune(graph, user, [one]) == set(), "a tombstone is none again"


def test_two_that_are_linked_go_together(graph: Graph, user: str) -> None:
    source = f"{user}:s"
    ids = [f"{user}:{number}" for number in range(12)]
    links = [(one, "REFERS_TO", other) for one in ids for other in ids if one < other]
    links += [(one, "RECORDED_IN", source) for one in ids]
    seed(graph, user, [*(record(key) for key in ids), record(source, "Source")], links)
    assert prune(graph, user, ids) == set(ids)
    left = read_whole(graph, user, [source])[source].properties["pruned_records"]
    assert sorted(left) == sorted(f"{key}|f-{key}" for key in ids), "each of them once"
    assert remove(graph, user, ids) == set(ids)
    assert read_whole(graph, user, ids) == {}
    assert read_whole(graph, user, [source])[source].properties["pruned_records"] == left


def test_what_somebody_has_written_since_stays(graph: Graph, user: str) -> None:
    seed(graph, user, [record(user)])
    rows = rows_to_cut(graph, user, [user], "prune")
    run(graph, "change_record", id=user, user_id=user, text="Another content.")
    before = read_whole(graph, user, [user])
    assert carry_out(graph, user, "tombstone_records", rows) == set() == set(audits(graph, user))
    assert read_whole(graph, user, [user]) == before
    assert carry_out(graph, f"{user}-x", "tombstone_records", rows_to_cut(graph, user, [user], "prune")) == set()


@pytest.mark.parametrize(
    ("label", "change"),
    [
        ("Task", {"status": "in_progress"}),
        ("SessionContext", {"active": True}),
        ("Belief", {"state": "active", "confidence": 0.9}),
        ("Reflection", {"consolidated": False}),
        ("Analysis", {"ttl_policy": "keep_forever"}),
        ("Notification", {"created_at": to_iso(NOW - timedelta(hours=23))}),
        ("KnowledgeChunk", {"ttl_policy": None}),
    ],
)
def test_what_a_rail_keeps_is_no_tombstone_and_is_not_removed(
    graph: Graph, user: str, label: str, change: dict[str, Any]
) -> None:
    seed(graph, user, [record(user, label, **change)])
    before = read_whole(graph, user, [user])
    assert prune(graph, user, [user]) == set() == set(audits(graph, user))
    for name in ("remove_tombstones", "remove_records"):
        assert carry_out(graph, user, name, rows_to_cut(graph, user, [user], "remove")) == set()
    assert read_whole(graph, user, [user]) == before


def test_only_tombstones_are_removed_and_only_events_at_once(graph: Graph, user: str) -> None:
    belief, note, source = f"{user}:belief", f"{user}:note", f"{user}:source"
    links = [(note, "RECORDED_IN", source)]
    seed(graph, user, [record(belief), record(note, "Notification"), record(source, "Source")], links)
    both = [belief, note]
    assert remove(graph, user, both) == set()
    assert carry_out(graph, user, "remove_records", rows_to_cut(graph, user, both, "remove")) == {note}
    left = read_whole(graph, user, [belief, note, source])
    assert set(left) == {belief, source} and left[source].properties["pruned_records"] == [f"{note}|f-{note}"]
    (audit,) = audits(graph, user)
    assert audit["action"] == "remove" and decode(audit["snapshot"]).links[0].other_id == source


def test_a_tombstone_that_many_refer_to_since_is_not_removed(graph: Graph, user: str) -> None:
    seed(graph, user, [record(user)])
    assert prune(graph, user, [user]) == {user}
    agents = [record(f"{user}:{agent}", "Task", agent=agent) for agent in "abcd"]
    seed(graph, user, agents, [(one["id"], "REFERS_TO", user) for one in agents])
    assert remove(graph, user, [user]) == set()
