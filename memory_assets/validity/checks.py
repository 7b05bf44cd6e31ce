"""Whether contradictions wait for somebody's word."""

from datetime import datetime, timedelta

import dagster as dg

from memory_assets.graph.graph import Graph
from memory_assets.runtime.judging import users_check
from memory_assets.validity.decisions import open_contradictions

OPEN_DAYS = 30
"""So long a contradiction may be open (003: 7 and 30 days are its ages)."""
REMEDY = (
    "`memory-assets contradictions --user U` lists them, `contradictions resolve ID a_wins|b_wins|both_valid|merged` "
    "decides one"
)


def long_open(graph: Graph, user: str, now: datetime) -> list[dict[str, str]]:
    """The contradictions that were found long ago and are open."""
    return [
        {"contradiction": row["id"], "kind": row["kind"], "found": row["found_at"][:10]}
        for row in open_contradictions(graph, user)
        if now - datetime.fromisoformat(row["found_at"]) > timedelta(days=OPEN_DAYS)
    ]


contradictions_are_resolved = users_check(
    "statement_validity",
    "contradictions_are_resolved",
    f"No two statements have contradicted each other for {OPEN_DAYS} days without somebody's word.",
    long_open,
    # The statements are read with the command: the alert may reach somebody else than the memory's owner.
    f"contradictions have been open for {OPEN_DAYS} days",
    REMEDY,
    dg.AssetCheckSeverity.WARN,
    identity="contradiction",
)
