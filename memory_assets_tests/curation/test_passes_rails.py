"""The rails where the knife is, in Cypher, and the table: the same verdict about every memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_assets.clock import to_iso
from memory_assets.curation.rails import GRACE, closed_rails
from memory_assets.graph.graph import Graph
from memory_assets_tests.curation.records import run, seed

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
KINDS = (
    *("Belief", "Reflection", "Task", "Analysis", "Recommendation", "Synthesis", "Notification", "SessionContext"),
    *("MemoryEntry", "KnowledgeChunk", "Person", "Source", "Agent", "AgentKey", "Migration", "SystemConfig"),
)
AROUND_A_DAY = st.one_of(
    st.sampled_from([0, 1, -1, 86_400_000]),
    st.integers(-5000, 5000),
    st.integers(-86_400_000, 30 * 86_400_000),
).map(lambda ms: NOW - GRACE - timedelta(milliseconds=ms))
MEMORIES = st.fixed_dictionaries(
    {"label": st.sampled_from(KINDS), "agents": st.lists(st.sampled_from(["a", "b", "c", "d", "e", None]), max_size=6)},
    optional={
        "created_at": AROUND_A_DAY,
        "restored_at": AROUND_A_DAY,
        "state": st.sampled_from(["candidate", "active", "core", "archived"]),
        "ttl_policy": st.sampled_from(["decay", "ephemeral", "keep_forever"]),
        "access_count": st.integers(0, 7),
        "confidence": st.sampled_from([0, 0.5, 0.89, 0.8999999, 0.9, 0.95, 1.0]),
        "status": st.sampled_from(["pending", "in_progress", "blocked", "completed", "failed", "cancelled", "odd", ""]),
        "active": st.booleans(),
        "consolidated": st.booleans(),
        "is_owner": st.booleans(),
        "tombstone": st.just(True),
    },
)
# Most memories have what lets them go, so that a single rail decides often.
LIKELY = st.fixed_dictionaries(
    {
        "created_at": st.one_of(st.just(NOW - timedelta(days=9)), AROUND_A_DAY),
        "ttl_policy": st.just("decay"),
        "status": st.just("completed"),
        "active": st.just(False),
        "consolidated": st.just(True),
        "access_count": st.integers(4, 7),
    }
)
NUMBERS = count()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(MEMORIES, st.builds(lambda likely, memory: likely | memory, LIKELY, MEMORIES)),
        min_size=25,
        max_size=40,
    ),
)
def test_the_query_and_the_table_agree_on_every_memory(graph: Graph, user: str, memories: list[dict[str, Any]]) -> None:
    owner = f"{user}-{next(NUMBERS)}"
    rows, links, railed = [], [], set()
    for number, memory in enumerate(memories):
        agents, label = memory["agents"], memory["label"]
        properties = {key: value for key, value in memory.items() if key not in ("agents", "label")}
        key = f"{owner}:{number}"
        rows.append({"id": key, "label": label, **properties})
        for place, agent in enumerate(agents):
            rows.append({"id": f"{key}:{place}", "label": "Task"} | ({"agent": agent} if agent else {}))
            links.append((f"{key}:{place}", "REFERS_TO", key))
        seen = properties | {"labels": ["Memory", label], "agent_references": len(set(agents))}
        if closed_rails(seen, NOW):
            railed.add(key)
    seed(graph, owner, rows, links)
    asked = [f"{owner}:{number}" for number in range(len(memories))]
    passing = run(graph, "list_passing", ids=asked, user_id=owner, born_before=to_iso(NOW - GRACE))
    run(graph, "clear", user_id=owner)
    assert {row["id"] for row in passing} == set(asked) - railed


def test_what_a_tombstone_says_of_a_memory_counts_no_more(graph: Graph, user: str) -> None:
    agents = ["a", "b", "c", "d"]
    rows = [{"id": f"{user}:{agent}", "label": "Task", "agent": agent} for agent in agents]
    rows += [{"id": user, "label": "Analysis", "created_at": NOW - timedelta(days=9), "ttl_policy": "decay"}]
    rows[0]["tombstone"] = True
    seed(graph, user, rows, [(f"{user}:{agent}", "REFERS_TO", user) for agent in agents])
    asked = {"ids": [user], "user_id": user, "born_before": to_iso(NOW - GRACE)}
    assert [row["id"] for row in run(graph, "list_passing", **asked)] == [user]
