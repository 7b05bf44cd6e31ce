"""Whether what lies in an inbox is known: what the check of raw_sources looks at."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from memory_assets.graph.graph import Graph
from memory_assets.sources import policy, readers


@dataclass(frozen=True)
class InboxVerdict:
    """How many files an inbox holds, which of them are set aside, and which nothing is known of."""

    files: int
    set_aside: tuple[str, ...]
    passed_over: tuple[str, ...]


def judge_inbox(graph: Graph, owner: str, inbox: Path) -> InboxVerdict:
    """Compare an inbox with what ingestions have recorded of it; reads no file."""
    found = readers.walk([inbox])
    status = {row["id"]: row["status"] for row in graph.read("sources/list_source_files", user_id=owner)}
    paths = [unit.path for unit in found.units] + [path for path, _ in found.set_aside]
    known = {path: status.get(policy.file_id(owner, os.fsencode(path))) for path in paths}
    return InboxVerdict(
        files=len(paths),
        set_aside=tuple(readers.printable(path) for path in paths if known[path] == policy.FILE_SET_ASIDE),
        passed_over=tuple(
            readers.printable(path) for path in paths if known[path] in (None, policy.FILE_GONE)
        ),
    )
