"""Moving out again: the old bytes stand in their place, and what the file's moving in had made is taken back."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.commands import migrating_files as files
from memory_assets.commands.migrating import Run
from memory_assets.commands.migrating_files import MigrationError, OldFile
from memory_assets.commands.migrating_paths import list_again, published_digests
from memory_assets.commands.migrating_plan import HEARTBEAT_FILE
from memory_assets.commands.migrating_records import (
    BEGUN,
    DONE,
    UNDOING,
    UNDONE,
    Migration,
    find_migration,
    list_migrations,
    save,
)
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import source_mark, stage_made
from memory_assets.heartbeat.heartbeat_file import copy_stage
from memory_assets.heartbeat.registry import remove_tasks
from memory_assets.memory_file.user_files import remove_file, resolve_path
from memory_assets.model import check_user, node_id
from memory_assets.runtime.owner_lock import owner_lock
from memory_assets.settings import Settings

REASON = "the file that it came from was moved out again"


def undo(graph: Graph, settings: Settings, user: str, path: str | Path, run: Run) -> dict[str, Any]:
    """Give the old bytes back and take back what the migration had made; returns what was done.

    An edit that somebody made in the meantime is kept beside the file.
    """
    check_user(user)
    resolved = resolve_path(path)
    with owner_lock(settings, user):
        known = find_migration(graph, user, resolved)
        if known is None or known.status == UNDONE:
            raise MigrationError(f"No migration of {resolved} for {user} is there to undo.")
        now = settings.clock.now()
        old = _kept(resolved, known)
        ours = (*known.published, *published_digests(graph, settings, user, resolved, known.kind))
        known = replace(known, status=UNDOING, published=tuple(dict.fromkeys(ours)))
        save(graph, user, known, now)
        remove_file(graph, settings, user, resolved, now)
        if known.kind == HEARTBEAT_FILE:
            graph.write_together([stage_made(user, copy_stage(resolved), "", now)])
        copy = files.give_back(resolved, old, known.published)
        withdrawn = _withdraw(graph, user, known, now)
        removed = remove_tasks(graph, user, dict(known.tasks), REASON, now)
        if known.backup:
            files.forget_old(resolved, known.backup, known.sha256)
        if known.earlier is None:
            save(graph, user, replace(known, status=UNDONE), now)
    failures = run(user)
    if known.earlier is not None:
        # After the run, which would have published there again: as before, the next one does.
        with owner_lock(settings, user):
            now = settings.clock.now()
            list_again(graph, settings, user, resolved, known.earlier, now)
            save(graph, user, replace(known, status=UNDONE), now)
    return {
        "user": user,
        "file": str(resolved),
        "kind": known.kind,
        "status": "undone",
        "edited_copy": copy,
        "sources": withdrawn,
        "tasks": removed,
        "failures": failures,
        "is_listed": known.earlier is not None,
    }


def _withdraw(graph: Graph, user: str, known: Migration, now: datetime) -> int:
    """Put out of use what this migration alone has made."""
    others = {
        key
        for one in list_migrations(graph, user)
        if one.path != known.path and one.status in (BEGUN, DONE)
        for key in one.source_ids
    }
    rows = [
        {"id": key, "audit_id": node_id("audit", user, key, "withdraw", to_iso(now)), "reason": REASON}
        for key in known.source_ids
        if key not in others
    ]
    graph.write_together([source_mark(user, now)])
    done = graph.write("curation/withdraw_sources", rows, user_id=user, now=to_iso(now)) if rows else []
    graph.write_together([source_mark(user, now)])
    return len(done)


def _kept(path: Path, known: Migration) -> OldFile:
    """The old bytes, from beside the file, or from its place where they stand already."""
    for name in (known.backup, path.name):
        if name and files.digest_of(path, name) == known.sha256:
            return replace(files.read_old(path, name), mode=known.mode)
    raise MigrationError(
        f"The old file cannot be given back: {path.parent / (known.backup or path.name)} is gone or was changed. Put it back "
        f"(its SHA-256 is {known.sha256}) and undo it again. Nothing was changed."
    )
