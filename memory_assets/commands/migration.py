"""A file that moves into the memory, and out again: kept beside itself, its lines read as sources or tasks, listed.

The graph notes how far each has come, so that a killed migration goes on from there. Nothing here follows a link.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.commands.migration_plan import (
    HEARTBEAT_FILE,
    MEMORY_FILE,
    Plan,
    entry_of,
    kind_for,
    list_again,
    listed_file,
    own_file,
    plan_text,
    preset_for,
    published_digests,
    was_published,
)
from memory_assets.errors import MemoryAssetsError, SourceUnreadableError
from memory_assets.files import publish
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage, source_mark, stage_made
from memory_assets.heartbeat.heartbeat_file import copy_stage
from memory_assets.heartbeat.registry import add_tasks, known_tasks, remove_tasks
from memory_assets.memory_file.ceilings import Ceiling
from memory_assets.memory_file.user_files import add_file, remove_file, resolve_path
from memory_assets.model import check_user, node_id
from memory_assets.runtime.owners import owner_lock
from memory_assets.settings import Settings
from memory_assets.sources.encoding import decode_file
from memory_assets.sources.told_lines import row_of, store_sources

BEGUN, DONE, UNDOING, UNDONE = "begun", "done", "undoing", "undone"


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
        for row in graph.read("commands/list_file_migrations", user_id=user)
    ]


def save(graph: Graph, user: str, migration: Migration, now: datetime) -> None:
    """Note how far a migration has come."""
    graph.write(
        "commands/upsert_file_migration",
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


LARGEST = 64 << 20
SUFFIX = ".pre-migration"


class MigrationError(MemoryAssetsError):
    """A file that cannot move in or out, why, and what to do."""


@dataclass(frozen=True)
class OldFile:
    """A file as it was found."""

    data: bytes
    sha256: str
    mode: int


def read_old(path: Path, name: str | None = None) -> OldFile:
    """The regular file at ``path``, or another one beside it; raises :class:`MigrationError` for anything else."""
    name = name or path.name
    shown = path.parent / name
    with publish.told(path), publish.open_folder(path.parent, private=False) as folder:
        if shown.is_dir() and not shown.is_symlink():
            raise MigrationError(f"{shown} is a folder: give the path of the file in it.")
        standing = publish.look(folder, name)
        if standing.kind == "link":
            raise MigrationError(f"{shown} is a link to {standing.target}: give the path of the file itself.")
        if standing.kind != "file":
            raise MigrationError(f"There is no file {shown}." if standing.kind == "nothing" else f"{shown} is no file.")
        data = publish.read(folder, name, LARGEST + 1)
    if len(data) > LARGEST:
        raise MigrationError(f"{shown} is larger than {LARGEST >> 20} MB: split it.")
    return OldFile(data, hashlib.sha256(data).hexdigest(), standing.mode or publish.FILE_MODE)


def digest_of(path: Path, name: str) -> str | None:
    """The SHA-256 of a regular file beside ``path``; None when there is none."""
    try:
        return read_old(path, name).sha256
    except MemoryAssetsError:
        return None


def keep_old(path: Path, old: OldFile) -> str:
    """Keep the bytes beside the file, for its owner alone, with its times; returns the name, which may stand there from before.

    A name that other bytes bear is left alone: the next number is taken.
    """
    with publish.told(path), publish.open_folder(path.parent, private=False) as folder:
        times = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
        for number in range(1, 100):
            name = f"{path.name}{SUFFIX}" + (f"-{number}" if number > 1 else "")
            there = publish.look(folder, name)
            if there.sha256 == old.sha256:
                os.chmod(name, publish.closed(there.mode or publish.FILE_MODE), dir_fd=folder)
                return name
            if there.kind != "nothing":
                continue
            _write(folder, f".{name}.new", replace(old, mode=publish.closed(old.mode)))
            os.utime(f".{name}.new", ns=(times.st_atime_ns, times.st_mtime_ns), dir_fd=folder)
            os.rename(f".{name}.new", name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
            return name
    raise MigrationError(f"Beside {path} stand a hundred files of the name {path.name}{SUFFIX}: move them away.")


def give_back(path: Path, old: OldFile, ours: Collection[str]) -> str | None:
    """Put the old bytes in their place in one step, and read them back; returns the copy of somebody's edit, if any."""
    copies: list[str] = []
    with publish.told(path), publish.open_folder(path.parent, private=False) as folder:
        for _ in range(publish.ATTEMPTS):
            standing = publish.look(folder, path.name)
            if standing.sha256 == old.sha256:
                os.chmod(path.name, old.mode, dir_fd=folder)
                return ", ".join(copies) or None
            publish.remove_leftover(folder, path.name)
            _write(folder, publish.new_name(path.name), old)
            try:
                kept = publish.keep_edited(folder, path.name, standing, {*ours, old.sha256})
                copies += [kept] if kept else []
                taken = publish.replace(folder, path.name, standing, {*ours, old.sha256})
            except (FileExistsError, FileNotFoundError):
                publish.remove_leftover(folder, path.name)
                continue
            copies += [taken] if taken else []
    if digest_of(path, path.name) != old.sha256:
        raise MigrationError(f"{path} is changed by somebody again and again; it is as they left it. Undo it again later.")
    return ", ".join(copies) or None


def forget_old(path: Path, backup: str, sha256: str) -> None:
    """Remove the copy beside the file, when it holds what the file holds again."""
    with publish.told(path), publish.open_folder(path.parent, private=False) as folder:
        if {publish.look(folder, name).sha256 for name in (path.name, backup)} == {sha256}:
            os.unlink(backup, dir_fd=folder)


def _write(folder: int, name: str, old: OldFile) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        with os.fdopen(os.open(name, flags, publish.FILE_MODE, dir_fd=folder), "wb") as file:
            os.fchmod(file.fileno(), old.mode)
            file.write(old.data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        raise


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
        standing = digest_of(resolved, resolved.name)
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
    is_kept = known.backup is not None and digest_of(path, known.backup) == old.sha256
    backup = known.backup if known.backup and is_kept else keep_old(path, old)
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
            forget_old(path, backup, old.sha256)
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
        if known.backup and digest_of(path, known.backup) == known.sha256:
            plan = _plan(user, path, read_old(path, known.backup), known.kind, settings.clock.now())
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
        standing = digest_of(path, path.name)
        if standing != known.sha256 and digest_of(path, known.backup) == known.sha256:
            return replace(read_old(path, known.backup), mode=known.mode)
    return read_old(path)


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
        copy = give_back(resolved, old, known.published)
        withdrawn = _withdraw(graph, user, known, now)
        removed = remove_tasks(graph, user, dict(known.tasks), REASON, now)
        if known.backup:
            forget_old(resolved, known.backup, known.sha256)
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
        if name and digest_of(path, name) == known.sha256:
            return replace(read_old(path, name), mode=known.mode)
    raise MigrationError(
        f"The old file cannot be given back: {path.parent / (known.backup or path.name)} is gone or was changed. Put it back "
        f"(its SHA-256 is {known.sha256}) and undo it again. Nothing was changed."
    )
