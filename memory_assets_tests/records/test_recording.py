"""What agents record becomes memories: each once, its latest version, whatever the order; what is gone is let go."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory_assets.model import RECORD_KINDS
from memory_assets.records.policy import KINDS
from memory_assets_tests.records.conftest import NOW, Desk

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
    ("memory", {"keep": True}, {"ttl_policy": "keep_forever"}),
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
    # An older version that comes in later is known to be older, and the memory stands in the sources of both.
    desk.write("three.jsonl", said("belief", "b1", "Slip 4 leaks.", at="2026-10-05T11:00:00Z"))
    counts = desk.record()
    assert (counts["due"], counts["changed"]) == (1, 0) and desk.stored()["b1"]["text"] == "Slip 4 is wet."
    query = "MATCH (m:Belief {user_id: $user})-[r:RECORDED_IN]->(s:Source) RETURN count(s) AS sources"
    assert desk.graph.query_read_only(query, {"user": desk.user}) == [{"sources": 2}]
