"""How long curation keeps what it wrote down of itself: audits and its cycles' figures, 30 days (001, audit bloat).

Longer where something living needs them: the archival of what is still archived, and how to bring back a tombstone or
what was removed less than 30 days ago.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_assets.clock import to_iso
from memory_assets.curation.restoring import RESTORABLE, RETIRE
from memory_assets.graph.graph import Graph
from memory_assets.graph.knife import cut
from memory_assets.graph.statements import id_rows

RETENTION = timedelta(days=30)
MOST = 10_000
"""So many of each go at once; the next cycle takes the rest."""
OF_MEMORIES = (*RESTORABLE, RETIRE, "restore")
"""The audits of memories. Those of decisions (edits, tasks, names) stay with them."""


@dataclass(frozen=True)
class Removed:
    """How many audits and figures of cycles went, and how many are ``left``, at least."""

    audits: int = 0
    cycles: int = 0
    left: int = 0


def remove_old(
    graph: Graph, user: str, now: datetime, *, needed_by: Collection[str] = (), dry_run: bool = False
) -> Removed:
    """Remove what is older than 30 days and needed by nothing; with ``dry_run`` only count it, without what the
    memories would need that it has made tombstones. Repeating it changes nothing.
    """
    before = to_iso(now - RETENTION)
    asked = {"user_id": user, "before": before, "limit": MOST + 1}
    old = graph.read("curation/list_old_audits", actions=list(OF_MEMORIES), **asked)
    cycles = [row["id"] for row in graph.read("curation/list_old_cycles", **asked)]
    left = max(0, len(old) - MOST) + max(0, len(cycles) - MOST)
    audits, cycles = [row["id"] for row in old[:MOST] if row["memory_id"] not in needed_by], cycles[:MOST]
    if not dry_run:
        cut(graph, "retire_audits", id_rows(audits), user=user, before=before)
        cut(graph, "retire_cycles", id_rows(cycles), user=user, before=before)
    return Removed(len(audits), len(cycles), left)
