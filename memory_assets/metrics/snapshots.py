"""A user's metrics read from the graph, and their history in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.knife import cut
from memory_assets.metrics import policy
from memory_assets.model import node_id

HISTORY = 365
"""Days that a picture shows at most."""


def read_measures(graph: Graph, user: str) -> dict[str, Any]:
    """The metrics as they are now. What values and tasks add up to was noted when they were scored and changed."""
    files = graph.read("metrics/list_files", user_id=user)
    totals = graph.read("metrics/find_totals", user_id=user) or [{}]
    tasks = graph.read("metrics/find_heartbeat", user_id=user) or [{}]
    return policy.measure(files, totals[0], tasks[0], tasks[0].get("tokens"))


def read_history(graph: Graph, user: str, today: date, days: int = HISTORY) -> list[dict[str, Any]]:
    """The snapshots of the last ``days`` up to ``today``, the oldest first: ``day`` and the measures."""
    rows = graph.read("metrics/list_snapshots", user_id=user, ids=_ids(user, today, range(days)))
    return [{"day": row["day"], **json.loads(row["measures"])} for row in rows]


def take_snapshot(graph: Graph, user: str, now: datetime) -> bool:
    """Store the metrics of the day, unless the last ones stored say the same; False when nothing was stored.

    A day has one snapshot, its last state, and days more than :data:`policy.RETENTION_DAYS` ago have none.
    """
    measures = read_measures(graph, user)
    today = now.date()
    last = read_history(graph, user, today)[-1:]
    if last and {name: value for name, value in last[0].items() if name != "day"} == measures:
        return False
    said = json.dumps(measures, sort_keys=True, ensure_ascii=False)
    of_day: dict[str, Any] = {"id": _id(user, today), "user_id": user, "day": today.isoformat()}
    graph.write("metrics/set_snapshot", **of_day, measures=said, now=to_iso(now))
    # A year of days at once: after a longer pause some older ones stay.
    gone = _ids(user, today, range(policy.RETENTION_DAYS, policy.RETENTION_DAYS + HISTORY))
    cut(graph, "retire_snapshots", None, user=user, ids=gone)
    return True


def _id(user: str, day: date) -> str:
    return node_id("metrics", user, day.isoformat())


def _ids(user: str, today: date, ago: Iterable[int]) -> list[str]:
    return [_id(user, today - timedelta(days=days)) for days in ago]
