"""Moving in: an existing MEMORY.md or HEARTBEAT.md becomes memories and tasks, and the bounded file takes its place.

The order, so that a stop at any point leaves a state from which the same command goes on: the graph notes what is to be
done (``FileMigration``), the old file is kept beside itself, its path becomes one of the user's files, what it says is
stored, a run publishes it, and the note says that it is done. The undo goes the way back in the same manner.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError, SourceUnreadableError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage, source_mark, stage_made
from memory_assets.heartbeat.heartbeat_file import copy_stage
from memory_assets.heartbeat.registry import add_tasks, known_tasks, remove_tasks
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Ceiling
from memory_assets.memory_file.drafts import find_manifest
from memory_assets.memory_file.user_files import (
    UserFile,
    add_file,
    added_files,
    default_file,
    remove_file,
    resolve_path,
)
from memory_assets.model import check_user, node_id
from memory_assets.operations import migrating_files as files
from memory_assets.operations.migrating_files import MigrationError, OldFile
from memory_assets.operations.migrating_plan import HEARTBEAT_FILE, MEMORY_FILE, Plan, plan_text
from memory_assets.settings import Settings
from memory_assets.sources.encoding import decode_file
from memory_assets.sources.told_lines import row_of, store_sources

BEGUN, DONE, UNDOING, UNDONE = "begun", "done", "undoing", "undone"
HEARTBEAT_CEILING = Ceiling(tokens=500)
REASON = "the file that it came from was moved out again"
PLACES = {"claude-code": (".claude", "CLAUDE.md"), "openclaw": (".openclaw", "openclaw"), "hermes": (".hermes",), "codex": (".codex",)}
"""The folders, or names of files, of the agents whose files have ceilings of their own."""

Run = Callable[[str], list[str]]
"""Builds a user's memory and publishes it; returns what failed."""


@dataclass(frozen=True)
class Migration:
    """What the graph knows of a file that moved in."""

    path: Path
    kind: str
    sha256: str
    mode: int
    backup: str | None
    status: str
    source_ids: tuple[str, ...] = ()
    """Those that were not there before."""
    tasks: tuple[tuple[str, str], ...] = ()
    """The tasks that were not there before, with the digests of their definitions."""
    published: tuple[str, ...] = ()
    """The digests of what was put in the file's place."""
    earlier: str | None = None
    """The path's entry among the user's files, as JSON text, where the user had added it before; None where the migration did."""


def preset_for(path: Path) -> str:
    """The preset whose agent reads a file of this name and place; our own where none shows."""
    parts = {*path.parts}
    return next((preset for preset, names in PLACES.items() if parts.intersection(names)), DEFAULT_PRESET)


def kind_for(path: Path, kind: str | None) -> str:
    """Whether a file is one of memories or of tasks, by its name where nobody says so."""
    if kind is not None:
        return kind
    return HEARTBEAT_FILE if "heartbeat" in path.name.casefold() else MEMORY_FILE


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
    with _lock(settings, user):
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
    with _lock(settings, user):
        standing = files.digest_of(resolved, resolved.name)
        ours = [digest for digest in _published(graph, settings, user, resolved, chosen) if digest != old.sha256]
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


def undo(graph: Graph, settings: Settings, user: str, path: str | Path, run: Run) -> dict[str, Any]:
    """Give the old bytes back and take back what the migration had made; returns what was done.

    An edit that somebody made in the meantime is kept beside the file.
    """
    check_user(user)
    resolved = resolve_path(path)
    with _lock(settings, user):
        known = find_migration(graph, user, resolved)
        if known is None or known.status == UNDONE:
            raise MigrationError(f"No migration of {resolved} for {user} is there to undo.")
        now = settings.clock.now()
        old = _kept(resolved, known)
        ours = (*known.published, *_published(graph, settings, user, resolved, known.kind))
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
        with _lock(settings, user):
            now = settings.clock.now()
            _list_again(graph, settings, user, resolved, known.earlier, now)
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


def find_migration(graph: Graph, user: str, path: Path) -> Migration | None:
    """What is known of the moving in of a file."""
    return next((one for one in list_migrations(graph, user) if one.path == path), None)


def list_migrations(graph: Graph, user: str) -> list[Migration]:
    """All files of a user that have moved in, were about to, or have moved out again; by path."""
    return [
        Migration(
            Path(row["path"]),
            row["kind"],
            row["sha256"],
            row["mode"],
            row["backup"],
            row["status"],
            tuple(row["source_ids"]),
            tuple((key, digest) for key, digest in json.loads(row["tasks"])),
            tuple(row["published"]),
            row["earlier"],
        )
        for row in graph.read("operations/list_file_migrations", user_id=user)
    ]


def save(graph: Graph, user: str, migration: Migration, now: datetime) -> None:
    """Note how far a migration has come."""
    graph.write(
        "operations/upsert_file_migration",
        id=node_id("file-migration", user, migration.path),
        user_id=user,
        path=str(migration.path),
        kind=migration.kind,
        sha256=migration.sha256,
        mode=migration.mode,
        backup=migration.backup,
        status=migration.status,
        source_ids=list(migration.source_ids),
        tasks=json.dumps(migration.tasks),
        published=list(migration.published),
        earlier=migration.earlier,
        now=to_iso(now),
    )


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
    listed = _listed(graph, settings, user, path)
    if not (known and known.status == BEGUN and known.sha256 == old.sha256):
        earlier = known.earlier if known and known.status == BEGUN else _entry_of(listed) if listed else None
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
    listed = _listed(graph, settings, user, path) if graph and kind is None else None
    return listed.kind if listed else kind_for(path, kind)


def _listed(graph: Graph, settings: Settings, user: str, path: Path) -> UserFile | None:
    """The file of this path among those that the user has added."""
    return next((file for file in added_files(graph, settings, user) if file.path == path), None)


def _entry_of(file: UserFile) -> str:
    """What the user's list says of a file, as text."""
    return json.dumps({"kind": file.kind, "preset": file.preset, "limits": dict(file.ceiling.limits)}, sort_keys=True)


def _list_again(graph: Graph, settings: Settings, user: str, path: Path, entry: str, now: datetime) -> None:
    """Put a file back on the user's list as :func:`_entry_of` has noted it."""
    said = json.loads(entry)
    limits = None if said["preset"] in PRESETS else Ceiling(**said["limits"])
    add_file(graph, settings, user, path, now, preset=None if limits else said["preset"], ceiling=limits, kind=said["kind"])


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


def _current(
    graph: Graph, settings: Settings, user: str, path: Path, known: Migration | None
) -> dict[str, Any] | None:
    """The report that there is nothing to do, where the file is one of ours."""
    own = _own_file(graph, settings, user, path)
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
    if own and not (known and known.status == BEGUN) and (own.is_default or _was_published(graph, user, own)):
        return _report(user, path, own.kind, "nothing to do", None) | {"note": _NOTES[own.kind]}
    return None


_NOTES = {
    MEMORY_FILE: "What you have changed in it is taken in by `memory-assets materialize`.",
    HEARTBEAT_FILE: "What you have changed in it is taken in by `memory-assets materialize`; `heartbeat add` takes tasks in, too.",
}


def _was_published(graph: Graph, user: str, file: UserFile) -> bool:
    """Whether we have put something at an added file's path, so that what stands there now is an edit of it."""
    if file.kind == HEARTBEAT_FILE:
        return bool(find_stage(graph, user, copy_stage(file.path)))
    return find_manifest(graph, file) is not None


def _own_file(graph: Graph, settings: Settings, user: str, path: Path) -> UserFile | None:
    defaults = [default_file(settings, user, kind) for kind in (MEMORY_FILE, HEARTBEAT_FILE)]
    own = [replace(file, path=resolve_path(file.path)) for file in defaults]
    return next((file for file in (*own, *added_files(graph, settings, user)) if file.path == path), None)


def _published(graph: Graph, settings: Settings, user: str, path: Path, kind: str) -> list[str]:
    """The digests of what we have put, or were about to put, at a path."""
    own = _own_file(graph, settings, user, path)
    if own is None:
        return []
    stage = copy_stage(path) if kind == HEARTBEAT_FILE else own.publication_stage
    manifest = find_manifest(graph, own)
    announced = (find_stage(graph, user, stage) or "").split(",")
    return [digest for digest in (*announced, manifest["sha256"] if manifest else "") if digest]


def _old_bytes(path: Path, known: Migration | None) -> OldFile:
    """What moves in: what stands there, or after a stop what was kept of it."""
    if known and known.status == BEGUN and known.backup:
        standing = files.digest_of(path, path.name)
        if standing != known.sha256 and files.digest_of(path, known.backup) == known.sha256:
            return replace(files.read_old(path, known.backup), mode=known.mode)
    return files.read_old(path)


def _kept(path: Path, known: Migration) -> OldFile:
    """The old bytes, from beside the file, or from its place where they stand already."""
    for name in (known.backup, path.name):
        if name and files.digest_of(path, name) == known.sha256:
            return replace(files.read_old(path, name), mode=known.mode)
    raise MigrationError(
        f"The old file cannot be given back: {path.parent / (known.backup or path.name)} is gone or was changed. Put it back "
        f"(its SHA-256 is {known.sha256}) and undo it again. Nothing was changed."
    )


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


@contextmanager
def _lock(settings: Settings, user: str) -> Iterator[None]:
    """The right to write for an owner, as the steps of a run take it."""
    folder = settings.home / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with FileLock(folder / f"{user}.lock"):
        yield


__all__ = ["Migration", "MigrationError", "MemoryAssetsError", "dry_run", "find_migration", "migrate", "undo"]
