"""What a run of ``accesses`` does, and what somebody who reads leaves for it."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime

from memory_assets.graph.graph import Graph
from memory_assets.lifecycle.folding import Folded, fold_accesses
from memory_assets.model import AccessKind
from memory_assets.runtime.accesses import Access, AccessLog, record_accesses
from memory_assets.settings import Settings


def access(settings: Settings, user: str, *memory_ids: str, at: datetime, kind: str = "retrieved") -> None:
    """Append to a user's log that these memories were used."""
    record_accesses(settings, [Access(user, name, at, AccessKind(kind)) for name in memory_ids])


def fold(graph: Graph, settings: Settings, user: str, now: datetime) -> Folded:
    """Count what waits in a user's log."""
    with closing(AccessLog(settings.accesses_file(user))) as log:
        return fold_accesses(graph, log, user, now)
