"""Moving in: an existing MEMORY.md or HEARTBEAT.md becomes memories and tasks, and the bounded file takes its place.

The order, so that a stop at any point leaves a state from which the same command goes on: the graph notes what is to be
done (``FileMigration``), the old file is kept beside itself, its path becomes one of the user's files, what it says is
stored, a run publishes it, and the note says that it is done. The undo (:mod:`migrating_back`) goes the way back in the
same manner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.commands import migrating_files as files
from memory_assets.commands.migrating_files import MigrationError, OldFile
from memory_assets.commands.migrating_paths import (
    entry_of,
    kind_for,
    listed_file,
    own_file,
    preset_for,
    published_digests,
    was_published,
)
from memory_assets.commands.migrating_plan import HEARTBEAT_FILE, MEMORY_FILE, Plan, plan_text
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
from memory_assets.errors import MemoryAssetsError, SourceUnreadableError
from memory_assets.files import publish
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.heartbeat.heartbeat_file import copy_stage
from memory_assets.heartbeat.registry import add_tasks, known_tasks
from memory_assets.memory_file.ceilings import Ceiling
from memory_assets.memory_file.user_files import add_file, resolve_path
from memory_assets.model import check_user
from memory_assets.runtime.owner_lock import owner_lock
from memory_assets.settings import Settings
from memory_assets.sources.encoding import decode_file
from memory_assets.sources.told_lines import row_of, store_sources

HEARTBEAT_CEILING = Ceiling(tokens=500)

Run = Callable[[str], list[str]]
"""Builds a user's memory and publishes it; returns what failed."""


def dry_run(
    graph: Graph | None, settings: Settings, user: str, path: str | Path, *, kind: str | None = None
) -> dict[str, Any]:
    """What a migration would report; touches neither the file nor the graph (None: there is none yet)."""
    check_user(user)
    resolved = resolve_path(path)
    known = find_migration(graph, user, resolved) if graph else None
    if graph and (current := _current(graph, settings, user, resolved, known)):
        return current
    old = _old_bytes(resolved, known)
    chosen = _kind_of(graph, settings, user, resolved, known, kind)
    plan = _plan(user, resolved, old, chosen, settings.clock.now())
    return _report(user, resolved, chosen, "dry run", plan)


def migrate(
    graph: Graph,
    settings: Settings,
    user: str,
    path: str | Path,
    run: Run,
    *,
    kind: str | None = None,
    preset: str | None = None,
) -> dict[str, Any]:
    """Take a file in for ``user`` and put the bounded one in its place; returns the report.

    A second time it does nothing; after a stop it goes on. Raises a :class:`MemoryAssetsError` that says what stands
    where, and what to do.
    """
    check_user(user)
    resolved = resolve_path(path)
    with owner_lock(settings, user):
        known = find_migration(graph, user, resolved)
        if known and known.status == UNDOING:
            raise MigrationError(f"The undo of {resolved} was stopped: run it again with --undo, then migrate anew.")
        if current := _current(graph, settings, user, resolved, known):
            return current
        old = _old_bytes(resolved, known)
        chosen = _kind_of(graph, settings, user, resolved, known, kind)
        plan = _plan(user, resolved, old, chosen, settings.clock.now())
        migration = _take_in(graph, settings, user, resolved, old, plan, chosen, preset, known)
    failures = run(user)
    with owner_lock(settings, user):
        standing = files.digest_of(resolved, resolved.name)
        ours = [digest for digest in published_digests(graph, settings, user, resolved, chosen) if digest != old.sha256]
        if standing not in ours:
            reasons = "; ".join(failures) or "the run did not reach it"
            stands = "is as it was" if standing == old.sha256 else "was taken away" if standing is None else "was changed by somebody in the meantime"
            raise MigrationError(
                f"What {resolved} says is taken in, and the file {stands}, because nothing could be published in its "
                f"place: {reasons}. Run the same command again to go on, or with --undo to go back."
            )
        published = tuple(dict.fromkeys((*migration.published, *ours)))
        save(graph, user, replace(migration, status=DONE, published=published), settings.clock.now())
    report = _report(user, resolved, chosen, "migrated", plan) | {"backup": str(resolved.parent / (migration.backup or ""))}
    return report | {"failures": failures}


def _take_in(
    graph: Graph,
    settings: Settings,
    user: str,
    path: Path,
    old: OldFile,
    plan: Plan,
    kind: str,
    preset: str | None,
    known: Migration | None,
) -> Migration:
    """Note, keep, make the path one of the user's files, and store; every step may be done before."""
    now = settings.clock.now()
    listed = listed_file(graph, settings, user, path)
    if not (known and known.status == BEGUN and known.sha256 == old.sha256):
        earlier = known.earlier if known and known.status == BEGUN else entry_of(listed) if listed else None
        new = (_new_sources(graph, user, plan, path, now), _new_tasks(graph, user, plan))
        known = Migration(path, kind, old.sha256, old.mode, None, BEGUN, *new, earlier=earlier)
        save(graph, user, known, now)
    # One that was taken away since the stop is kept anew: without it nothing could be given back.
    is_kept = known.backup is not None and files.digest_of(path, known.backup) == old.sha256
    backup = known.backup if known.backup and is_kept else files.keep_old(path, old)
    known = replace(known, backup=backup)
    save(graph, user, known, now)
    ceiling = HEARTBEAT_CEILING if kind == HEARTBEAT_FILE else None
    chosen = None if ceiling else preset or preset_for(path)
    try:
        if listed and listed.kind == kind and preset is None:
            file = listed  # the user's own ceiling is no guess
        else:
            file = add_file(graph, settings, user, path, now, preset=chosen, ceiling=ceiling, kind=kind)
    except MemoryAssetsError as error:
        if not error.retryable:  # it never can be: as if nobody had asked
            files.forget_old(path, backup, old.sha256)
            save(graph, user, replace(known, status=UNDONE), now)
        raise
    publish.close(path)  # before, it was the owner's to show; an undo gives it its mode again
    stage = copy_stage(path) if kind == HEARTBEAT_FILE else file.publication_stage
    announced = [digest for digest in (find_stage(graph, user, stage) or "").split(",") if digest]
    # What stands there is nobody's edit of ours: it is kept already, under a name of its own.
    graph.write_together([stage_made(user, stage, ",".join(dict.fromkeys([*announced, old.sha256])), now)])
    if plan.sources:
        store_sources(graph, user, plan.sources, path=str(path), now=now, keep_originals=settings.keep_originals)
    if plan.tasks:
        add_tasks(graph, user, list(plan.tasks), now)
    return known


def _kind_of(
    graph: Graph | None, settings: Settings, user: str, path: Path, known: Migration | None, kind: str | None
) -> str:
    """What a file moves in as: as it has begun to, as somebody says, as it was added, or by its name."""
    if known and known.status == BEGUN:
        return known.kind
    listed = listed_file(graph, settings, user, path) if graph and kind is None else None
    return listed.kind if listed else kind_for(path, kind)


def _new_sources(graph: Graph, user: str, plan: Plan, path: Path, now: datetime) -> tuple[str, ...]:
    """The sources that the migration makes: not there before, or withdrawn by an undo, or another migration's too."""
    ids = [row_of(source, owner=user, path=str(path), now=now)["id"] for source in plan.sources]
    found = graph.read("sources/find_sources", ids=ids, user_id=user)
    there = {row["id"] for row in found if not row["is_withdrawn"]}
    ours = {key for one in list_migrations(graph, user) if one.status != UNDONE for key in one.source_ids}
    return tuple(key for key in dict.fromkeys(ids) if key not in there or key in ours)


def _new_tasks(graph: Graph, user: str, plan: Plan) -> tuple[tuple[str, str], ...]:
    there = known_tasks(graph, user, [task.key for task in plan.tasks]) if plan.tasks else {}
    return tuple((task.key, task.hash) for task in plan.tasks if task.key not in there)


def _current(
    graph: Graph, settings: Settings, user: str, path: Path, known: Migration | None
) -> dict[str, Any] | None:
    """The report that there is nothing to do, where the file is one of ours."""
    own = own_file(graph, settings, user, path)
    if known and known.status == DONE:
        if own is None:
            raise MigrationError(
                f"{path} has moved in before and was then taken off {user}'s files. `memory-assets files add --user {user} "
                f"--path {path}` publishes it again, `migrate --undo` gives the old file back."
            )
        plan = None
        if known.backup and files.digest_of(path, known.backup) == known.sha256:
            plan = _plan(user, path, files.read_old(path, known.backup), known.kind, settings.clock.now())
        return _report(user, path, known.kind, "nothing to do", plan)
    if own and not (known and known.status == BEGUN) and (own.is_default or was_published(graph, user, own)):
        return _report(user, path, own.kind, "nothing to do", None) | {"note": _NOTES[own.kind]}
    return None


_NOTES = {
    MEMORY_FILE: "What you have changed in it is taken in by `memory-assets materialize`.",
    HEARTBEAT_FILE: "What you have changed in it is taken in by `memory-assets materialize`; `heartbeat add` takes tasks in, too.",
}


def _old_bytes(path: Path, known: Migration | None) -> OldFile:
    """What moves in: what stands there, or after a stop what was kept of it."""
    if known and known.status == BEGUN and known.backup:
        standing = files.digest_of(path, path.name)
        if standing != known.sha256 and files.digest_of(path, known.backup) == known.sha256:
            return replace(files.read_old(path, known.backup), mode=known.mode)
    return files.read_old(path)


def _plan(user: str, path: Path, old: OldFile, kind: str, now: datetime) -> Plan:
    try:
        text = decode_file(old.data).text.removeprefix("\ufeff")
    except SourceUnreadableError as error:
        raise MigrationError(f"{path} cannot move in. {error} Nothing was changed.") from None
    plan = plan_text(user, path.name, text, kind, now)
    if not plan.sources and not plan.tasks:
        raise MigrationError(f"{path} says nothing: there is nothing to take in. `memory-assets files add` makes it yours.")
    return plan


def _report(user: str, path: Path, kind: str, status: str, plan: Plan | None) -> dict[str, Any]:
    return {
        "user": user,
        "file": str(path),
        "kind": kind,
        "status": status,
        "counts": plan.counts if plan else {},
        "masked": dict(sorted(plan.masked.items())) if plan else {},
        "lines": list(plan.rows) if plan else [],
    }
