"""What is due next is found by the first of an index, however much is due later."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import neo4j
import pytest

from memory_assets.clock import to_iso
from memory_assets.compression import policy
from memory_assets.compression.compressing import Compressor
from memory_assets.descriptions.cleaning import retire_expired
from memory_assets.descriptions.policy import end_of_keys, stale_key
from memory_assets.graph.due_keys import find_first
from memory_assets.graph.graph import Graph

pytestmark = pytest.mark.graph
NOW = datetime(2026, 3, 20, 9, tzinfo=UTC)
FIRST = NOW + timedelta(days=5)
MAKE = """
UNWIND $rows AS row
CREATE (:Note {id: row.id + 'n', user_id: $user, expires_at: datetime(row.at), expiry_key: $user + '|' + row.day})
CREATE (:Memory:Concept {id: row.id + 'm', user_id: $user, stale_key: row.stale_key})
CREATE (:Memory:CompressedContext {id: row.id + 'c', user_id: $user, due_key: row.due_key})
"""


def seed(graph: Graph, user: str, many: int = 200) -> None:
    """Memories that are due at instants of which no two are the same, the last first."""
    instants = [FIRST + timedelta(hours=7 * place) for place in reversed(range(many))]
    rows = [
        {"id": f"{user}/{place}", "at": to_iso(at), "day": at.date().isoformat()}
        | {"stale_key": stale_key(user, at), "due_key": policy.due_key(user, at)}
        for place, at in enumerate(instants)
    ]
    graph._run(neo4j.WRITE_ACCESS, lambda tx: tx.run(MAKE, {"rows": rows, "user": user}).consume(), "seed")


def test_the_next_is_found_and_of_the_others_few_are_read(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(graph, user)
    seed(graph, f"{user}x", 1)
    rows_read: list[dict[str, Any]] = []
    read = Graph.read

    def spy(self: Graph, name: str, **given: Any) -> Any:
        found = read(self, name, **given)
        rows_read.extend(found)
        return found

    monkeypatch.setattr(Graph, "read", spy)
    key = find_first(graph, "descriptions/find_next_stale", user, stale_key(user, NOW), end_of_keys(user))
    assert key == stale_key(user, FIRST)
    assert find_first(graph, "descriptions/find_next_stale", user, key, stale_key(user, FIRST)) is None
    assert Compressor(graph, user, NOW, lambda _: None).next_expiry() == FIRST
    assert retire_expired(graph, user, NOW).next_at == FIRST
    assert len(rows_read) < 40


def test_what_expires_later_today_is_the_next(graph: Graph, user: str) -> None:
    seed(graph, user, 2)
    assert retire_expired(graph, user, FIRST - timedelta(hours=1)).next_at == FIRST
    assert retire_expired(graph, user, FIRST).next_at == FIRST + timedelta(hours=7)
    assert retire_expired(graph, user, FIRST + timedelta(hours=7)).next_at is None
