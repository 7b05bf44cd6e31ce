"""Whether insights still follow from what they rest on. Reads only."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import groupby

from memory_assets.clock import to_iso
from memory_assets.consolidation.policy import RULES, day_said, fault_of
from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import ClusterStatement

JUDGED = timedelta(days=30)
"""So long an insight is judged after it was noted."""
MOST_JUDGED = RULES.most_planned
"""The insights of so many consolidations are judged, the last: as many as one run carries out."""


def unsupported_insights(graph: Graph, user: str, now: datetime) -> list[dict[str, str]]:
    """A user's last insights (``JUDGED``, ``MOST_JUDGED``) that do not follow from what they rest on, each with why."""
    asked = {"user_id": user, "since": to_iso(now - JUDGED), "most": MOST_JUDGED}
    rows = graph.read("consolidation/list_recent_insights", **asked)
    found = []
    for (key, text), stated in groupby(rows, key=lambda row: (row["id"], row["content"])):
        cited = [
            ClusterStatement(
                **{name: row[name] for name in ("ref", "text", "speaker", "said_by_owner")},
                day=day_said(row["said_at"]),
            )
            for row in stated
        ]
        # Sources may state one in words of their own: any of these will do.
        if (why := fault_of(text, cited)) and fault_of(text, [*{one.ref: one for one in cited}.values()]):
            found.append({"memory_id": key, "insight": text, "why": why})
    return found
