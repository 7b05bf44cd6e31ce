"""Taking a source out of everything that is made of it, and taking that back.

Removing is soft: the source stays, unread by anybody, with an audit. What it alone states goes with the next run, by the
rails of every retirement; what other sources state too stays. Its file is not read as it again, unless it is restored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_assets.clock import Clock, to_iso
from memory_assets.errors import MemoryAssetsError, UnknownReferenceError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import readable_owners, source_mark
from memory_assets.graph.retirement import removal_rows
from memory_assets.sources.source_list import Line, read_source

WHY = {"reader": "its file is read otherwise now", "owner": "its owner wants it gone"}


def remove_source(graph: Graph, clock: Clock, user: str, source_id: str, reason: str = "") -> bool:
    """Remove one of the user's own sources; False where it was removed before.

    Raises :class:`UnknownReferenceError` for one that the user does not have, :class:`MemoryAssetsError` for a team's and
    for one that a rail keeps.
    """
    if _was_removed(graph, user, source_id):
        return False
    source = read_source(graph, user, source_id)
    if source is None:
        raise UnknownReferenceError(
            f"No source {source_id!r} is known to {user}. `memory-assets sources --user {user}` lists those that are."
        )
    if source["owner"] != user:
        raise MemoryAssetsError(f"{source_id!r} belongs to {source['owner']}, not to {user}: only an own source can be removed.")
    if not _write(graph, clock, user, source_id, "curation/set_sources_removed", reason or "its owner wants it gone"):
        raise MemoryAssetsError(f"{source_id!r} is kept forever or core, so that it is not removed: say first that it is not.")
    return True


def restore_source(graph: Graph, clock: Clock, user: str, source_id: str) -> bool:
    """Take back that a source was removed, or withdrawn with the file that it came from; False where it stands.

    Raises :class:`UnknownReferenceError` for one that the user does not have.
    """
    if _was_removed(graph, user, source_id):
        return _write(graph, clock, user, source_id, "curation/restore_sources", "its owner wants it back")
    if not graph.read("sources/find_sources", ids=[source_id], user_id=user):
        raise UnknownReferenceError(
            f"No source {source_id!r} is known to {user}. `memory-assets sources --user {user} --removed` lists those that were removed."
        )
    return False


def list_removed(graph: Graph, owners: Sequence[str], user: str | None = None) -> list[Line]:
    """The removed and withdrawn sources of these owners, the latest first, as the list of sources shows sources.

    Those that ``user`` may read; without one, all.
    """
    readers = readable_owners(graph, user) if user is not None else None
    return [
        {
            **{key: row[key] for key in ("id", "kind", "title", "path", "owner")},
            "phase": "removed",
            "started_at": to_iso(row["started_at"]),
            "reason": WHY.get(row["removed_by"], "the file that it came from was moved out again"),
        }
        for row in graph.read("sources/list_removed_sources", user_ids=list(owners), reader_ids=readers)
    ]


def _was_removed(graph: Graph, user: str, source_id: str) -> bool:
    return any(line["id"] == source_id for line in list_removed(graph, [user]))


def _write(graph: Graph, clock: Clock, user: str, source_id: str, name: str, reason: str) -> bool:
    now = clock.now()
    given: dict[str, Any] = {"rows": removal_rows(user, [source_id], reason, now), "user_id": user, "now": to_iso(now)}
    done, _ = graph.write_together([Statement(name, given), source_mark(user, now)])
    return bool(done)
