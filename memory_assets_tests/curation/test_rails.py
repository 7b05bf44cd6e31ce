"""The never-prune rails: one table, each row flips one thing about a memory that nothing protects."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_assets.clock import to_iso
from memory_assets.curation.rails import RAILS, RETIREMENT_RAILS, closed_rails, judge_retirements
from memory_assets.graph.graph import Graph
from memory_assets.graph.retirement import retirement_rows
from memory_assets_tests.support.seeds import seed_properties

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def memory(*labels: str, **change: Any) -> dict[str, Any]:
    """A memory that no rail keeps."""
    given = {
        "labels": labels or ("KnowledgeChunk",),
        "created_at": NOW - timedelta(days=2),
        "ttl_policy": "decay",
        "state": "candidate",
        "access_count": 0,
        "confidence": 0.5,
    }
    return given | change


@pytest.mark.parametrize(
    ("known", "rails"),
    [
        (memory(), ()),
        (memory("Agent"), ("is_agent",)),
        (memory("AgentKey"), ("is_agent_key",)),
        (memory("Task", status="in_progress"), ("is_open_task",)),
        (memory("Task", status="pending"), ("is_open_task",)),
        (memory("Task", status="blocked"), ("is_open_task",)),
        (memory("Task"), ("is_open_task",)),
        (memory("Task", status="completed"), ()),
        (memory("SessionContext", active=True), ("is_active_session",)),
        (memory("SessionContext"), ("is_active_session",)),
        (memory("SessionContext", active=False), ()),
        (memory("Belief", state="active", confidence=0.9), ("is_certain_belief",)),
        (memory("Belief", state="active", confidence=None), ("is_certain_belief",)),
        (memory("Belief", state="active", confidence=0.89), ()),
        (memory("Belief", state="archived", confidence=1.0), ()),
        (memory("Reflection", consolidated=True, access_count=6), ("is_proven_reflection",)),
        (memory("Reflection", consolidated=True, access_count=5), ()),
        (memory("Reflection", consolidated=True, access_count=None), ("is_proven_reflection",)),
        (memory("Reflection", consolidated=False), ("is_proven_reflection",)),
        (memory("Migration"), ("is_migration",)),
        (memory("SystemConfig"), ("is_system_config",)),
        (memory(created_at=NOW - timedelta(hours=23, minutes=59)), ("is_new",)),
        (memory(created_at=NOW - timedelta(hours=24)), ()),
        (memory(created_at=None), ("is_new",)),
        (memory(created_at="2026-04-30T12:00:00Z"), ("is_new",)),
        (memory(created_at="2026-04-01T12:00:00Z"), ()),
        (memory(created_at="soon"), ("is_new",)),
        (memory(restored_at=NOW - timedelta(hours=23)), ("is_new",)),
        (memory(restored_at=NOW - timedelta(hours=24)), ()),
        (memory(restored_at="soon"), ()),
        (memory("Person", is_owner=True), ("is_owner",)),
        (memory("Person", is_owner=False), ()),
        (memory(agent_references=4), ("is_consensus",)),
        (memory(agent_references=3), ()),
        (memory(ttl_policy="keep_forever"), ("is_kept_forever",)),
        (memory(ttl_policy=None), ("is_kept_forever",)),
        (memory("Agent", ttl_policy="keep_forever"), ("is_agent", "is_kept_forever")),
    ],
)
def test_one_closed_rail_keeps_the_memory(known: dict[str, Any], rails: tuple[str, ...]) -> None:
    assert closed_rails(known, NOW) == rails


def test_the_table_holds_the_ten_the_word_of_a_person_and_the_owner() -> None:
    assert len(RAILS) == 12
    assert all(rail.__doc__ for rail in RAILS.values())


@pytest.mark.parametrize(
    ("change", "rails"),
    [
        ({"created_at": NOW}, ()),
        ({"state": "core"}, ("is_core",)),
        ({"state": None}, ("is_core",)),
        ({"access_count": 1}, ("was_recalled",)),
        ({"access_count": None}, ("was_recalled",)),
        ({"ttl_policy": "keep_forever"}, ("is_kept_forever",)),
    ],
)
def test_a_retirement_asks_for_use_instead_of_age(change: dict[str, Any], rails: tuple[str, ...]) -> None:
    assert closed_rails(memory(**change), NOW, RETIREMENT_RAILS) == rails


def audit(**change: Any) -> dict[str, Any]:
    given = {
        "memory_id": "chunk:1",
        "label": "KnowledgeChunk",
        "snapshot": '{"created_at": "2026-04-30T12:00:00.000Z", "access_count": 0}',
        "state": "candidate",
        "ttl_policy": "decay",
        "access_count": 0,
        "at": NOW,
    }
    return given | change


@pytest.mark.parametrize(
    ("change", "rails"),
    [
        ({}, None),
        ({"access_count": 3}, "was_recalled"),
        ({"state": "core"}, "is_core"),
        ({"ttl_policy": "keep_forever"}, "is_kept_forever"),
        ({"snapshot": '{"agent_references": 5}'}, "is_consensus"),
        ({"snapshot": None}, "its snapshot cannot be read"),
        ({"label": "Source"}, "never derived, so never retired"),
        ({"label": "Agent"}, "never derived, so never retired, is_agent"),
        ({"label": "Task"}, "is_open_task"),
    ],
)
def test_an_audit_of_something_protected_is_a_violation(change: dict[str, Any], rails: str | None) -> None:
    found = judge_retirements([audit(**change)])
    assert [violation["protected_by"] for violation in found] == ([rails] if rails else [])


SEEN = ("state", "ttl_policy", "access_count")


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"state": "core"},
        {"state": None},
        {"state": "active"},
        {"access_count": 1},
        {"access_count": None},
        {"ttl_policy": "keep_forever"},
        {"ttl_policy": None},
    ],
)
def test_what_retires_asks_the_same_rails(graph: Graph, user: str, change: dict[str, Any]) -> None:
    """The query's rails are those of the table: what one closes is there still, anything else has an audit of all
    it was.
    """
    identifier = f"chunk:{user}"
    row = {"id": identifier, "ref": identifier, "embedding": None}
    graph.write("entities/upsert_chunks", [row], user_id=user, embedder=None, now=to_iso(NOW))
    seed_properties(graph, user, identifier, **change)
    (stored,) = graph.read("graph/list_owned_nodes", ids=[identifier], user_ids=[user])
    rows = retirement_rows(user, [stored], "nothing makes it", NOW)
    retired = graph.write("curation/retire_unstated_chunks", rows, user_id=user, now=to_iso(NOW))
    assert bool(retired) is not bool(closed_rails(memory(**change), NOW, RETIREMENT_RAILS))
    left = graph.read("graph/list_owned_nodes", ids=[identifier], user_ids=[user])
    audits = graph.read("curation/list_retirements", user_id=user)
    assert bool(left) is not bool(retired) and len(audits) == len(retired)
    for found in audits:
        assert {name: found[name] for name in SEEN} == {name: stored["properties"].get(name) for name in SEEN}
        assert found["snapshot"] == rows[0]["snapshot"] and judge_retirements(audits) == []
        assert set(found["rails_checked"]) < RETIREMENT_RAILS.keys()
