"""A file that moves into the memory, and out again: backed up beside it, its lines read as sources or tasks, listed.

The graph notes how far each has come, so that a killed migration goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError, SourceUnreadableError
from memory_assets.files import publish
from memory_assets.graph.graph import Graph
from memory_assets.graph.knife import cut
from memory_assets.graph.owners import find_stage, source_mark, stage_made
from memory_assets.heartbeat.heartbeat_file import copy_stage
from memory_assets.heartbeat.registry import add_tasks, known_tasks, remove_tasks
from memory_assets.memory_file.ceilings import PRESETS, Ceiling
from memory_assets.memory_file.drafts import find_manifest
from memory_assets.memory_file.user_files import (
    UserFile,
    add_file,
    added_files,
    default_file,
    remove_file,
    resolve_path,
)
from memory_assets.migration.old_files import (
    MigrationError,
    OldFile,
    digest_of,
    forget_old,
    give_back,
    keep_old,
    read_old,
)
from memory_assets.migration.plan import Plan, kind_for, plan_text, preset_for
from memory_assets.model import check_user, node_id
from memory_assets.runtime.edited_files import HEARTBEAT, MEMORY
from memory_assets.runtime.owners import owner_lock
from memory_assets.settings import Settings
from memory_assets.sources.encoding import decode_file
from memory_assets.sources.source_rows import source_row
from memory_assets.sources.store import store_sources

BEGUN, DONE, UNDOING, UNDONE = "begun", "done", "undoing", "undone"
HEARTBEAT_CEILING = Ceiling(tokens=500)
REASON = "the file that it came from was moved out again"

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
    source_ids: Sequence[str] = ()
    """The sources that were not there before."""
    tasks: Mapping[str, str] = field(default_factory=dict)
    """The tasks that were not there before, with the digests of their definitions."""
    published: Sequence[str] = ()
    """The digests of what was put in the file's place."""
    earlier: str | None = None
    """The path's entry among the user's files (JSON) from before; None where the migration has added it."""


def find_migration(graph: Graph, user: str, path: Path) -> Migration | None:
    """What is known of the moving in of a file."""
    return next((one for one in list_migrations(graph, user) if one.path == path), None)


def list_migrations(graph: Graph, user: str) -> list[Migration]:
    """All files of a user that have moved in, were about to, or have moved out again; by path."""
    rows = graph.read("migration/list_file_migrations", user_id=user)
    return [Migration(**row | {"path": Path(row["path"]), "tasks": json.loads(row["tasks"])}) for row in rows]


def dry_run(
    graph: Graph | None, settings: Settings, user: str, path: str | Path, *, kind: str | None = None
) -> dict[str, Any]:
    """What a migration would report; touches neither the file nor the graph (None: there is none yet)."""
    move = _Move(graph, settings, user, path)
    known = move.known() if graph else None
    if graph and (current := move.current(known)):
        return current
    old = move.old_bytes(known)
    chosen = move.kind_of(known, kind) if graph else kind_for(move.path, kind)
    return move.report(chosen, "dry run", move.plan(old, chosen))


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

    A second time it does nothing; after a stop it goes on. Raises a :class:`MemoryAssetsError` that says what is
    where, and what to do.
    """
    move = _Move(graph, settings, user, path)
    with owner_lock(settings, user):
        known = move.known()
        if known and known.status == UNDOING:
            raise MigrationError(f"The undo of {move.path} was stopped: run it again with --undo, then migrate anew.")
        if current := move.current(known):
            return current
        old = move.old_bytes(known)
        chosen = move.kind_of(known, kind)
        plan = move.plan(old, chosen)
        migration = move.take_in(old, plan, chosen, preset, known)
    failures = run(user)
    with owner_lock(settings, user):
        there = digest_of(move.path, move.path.name)
        ours = [digest for digest in move.published_digests(chosen) if digest != old.sha256]
        if there not in ours:
            reasons = "; ".join(failures) or "the run did not reach it"
            states = {old.sha256: "is as it was", None: "was taken away"}
            state = states.get(there, "was changed by somebody in the meantime")
            raise MigrationError(
                f"What {move.path} says is taken in, and the file {state}, because nothing could be published in its "
                f"place: {reasons}. Run the same command again to go on, or with --undo to go back."
            )
        move.save(replace(migration, status=DONE, published=list(dict.fromkeys((*migration.published, *ours)))))
    backup = str(move.path.parent / (migration.backup or ""))
    return move.report(chosen, "migrated", plan) | {"backup": backup, "failures": failures}


def undo(graph: Graph, settings: Settings, user: str, path: str | Path, run: Run) -> dict[str, Any]:
    """Give the old bytes back and take back what the migration had made; returns what was done.

    An edit that somebody made in the meantime is saved beside the file.
    """
    move = _Move(graph, settings, user, path)
    with owner_lock(settings, user):
        known = move.known()
        if known is None or known.status == UNDONE:
            raise MigrationError(f"No migration of {move.path} for {user} is there to undo.")
        now = settings.clock.now()
        old = move.backup_of(known)
        ours = dict.fromkeys((*known.published, *move.published_digests(known.kind)))
        known = replace(known, status=UNDOING, published=list(ours))
        move.save(known)
        remove_file(graph, settings, user, move.path, now)
        if known.kind == HEARTBEAT:
            graph.write_together([stage_made(user, copy_stage(move.path), "", now)])
        copy = give_back(move.path, old, known.published)
        withdrawn = move.withdraw(known)
        removed = remove_tasks(graph, user, known.tasks, REASON, now)
        if known.backup:
            forget_old(move.path, known.backup, known.sha256)
        if known.earlier is None:
            move.save(replace(known, status=UNDONE))
    failures = run(user)
    if known.earlier is not None:
        # After the run, which would have published there again: as before, the next one does.
        with owner_lock(settings, user):
            move.list_again(known.earlier)
            move.save(replace(known, status=UNDONE))
    report: dict[str, Any] = {"user": user, "file": str(move.path), "kind": known.kind, "status": "undone"}
    report |= {"edited_copy": copy, "sources": withdrawn, "tasks": removed, "failures": failures}
    return report | {"is_listed": known.earlier is not None}


class _Move:
    """One file of one user, on its way in or out."""

    def __init__(self, graph: Graph | None, settings: Settings, user: str, path: str | Path) -> None:
        check_user(user)
        # There is none in a first dry run, which asks nothing of it.
        self.graph = cast(Graph, graph)
        self._settings, self._user, self.path = settings, user, resolve_path(path)

    def known(self) -> Migration | None:
        """What is known of the moving in of this file."""
        return find_migration(self.graph, self._user, self.path)

    def save(self, migration: Migration) -> None:
        """Note how far it has come."""
        row = asdict(migration) | {"path": str(migration.path), "tasks": json.dumps(migration.tasks)}
        identifier, now = node_id("file-migration", self._user, migration.path), self._settings.clock.now()
        self.graph.write("migration/upsert_file_migration", id=identifier, user_id=self._user, **row, now=to_iso(now))

    def current(self, known: Migration | None) -> dict[str, Any] | None:
        """The report that there is nothing to do, where the file is one of ours."""
        own = self._own()
        if known and known.status == DONE:
            if own is None:
                raise MigrationError(
                    f"{self.path} has moved in before and was then taken off {self._user}'s files. `memory-assets "
                    f"files add --user {self._user} --path {self.path}` publishes it again, `migrate --undo` gives "
                    "the old file back."
                )
            is_saved = known.backup and digest_of(self.path, known.backup) == known.sha256
            plan = self.plan(read_old(self.path, known.backup), known.kind) if is_saved else None
            return self.report(known.kind, "nothing to do", plan)
        if own and not (known and known.status == BEGUN) and (own.is_default or self._was_published(own)):
            more = "; `heartbeat add` takes tasks in, too" if own.kind == HEARTBEAT else ""
            note = f"What you have changed in it is taken in by `memory-assets materialize`{more}."
            return self.report(own.kind, "nothing to do", None) | {"note": note}
        return None

    def old_bytes(self, known: Migration | None) -> OldFile:
        """What moves in: what is there, or after a stop its backup."""
        if known and known.status == BEGUN and known.backup:
            there = digest_of(self.path, self.path.name)
            if there != known.sha256 and digest_of(self.path, known.backup) == known.sha256:
                return replace(read_old(self.path, known.backup), mode=known.mode)
        return read_old(self.path)

    def kind_of(self, known: Migration | None, kind: str | None) -> str:
        """What a file moves in as: as it has begun to, as somebody says, as it was added, or by its name."""
        if known and known.status == BEGUN:
            return known.kind
        listed = self._listed() if kind is None else None
        return listed.kind if listed else kind_for(self.path, kind)

    def plan(self, old: OldFile, kind: str) -> Plan:
        """What would become of these bytes."""
        try:
            text = decode_file(old.data).text.removeprefix("\ufeff")
        except SourceUnreadableError as error:
            raise MigrationError(f"{self.path} cannot move in. {error} Nothing was changed.") from None
        plan = plan_text(self._user, self.path.name, text, kind, self._settings.clock.now())
        if not plan.sources and not plan.tasks:
            raise MigrationError(
                f"{self.path} says nothing: there is nothing to take in. `memory-assets files add` makes it yours."
            )
        return plan

    def report(self, kind: str, status: str, plan: Plan | None) -> dict[str, Any]:
        """The shape of ``migrate --json``."""
        found: dict[str, Any] = {"counts": {}, "masked": {}, "lines": []}
        if plan:
            found = {"counts": plan.counts, "masked": dict(sorted(plan.masked.items())), "lines": list(plan.rows)}
        return {"user": self._user, "file": str(self.path), "kind": kind, "status": status, **found}

    def take_in(self, old: OldFile, plan: Plan, kind: str, preset: str | None, known: Migration | None) -> Migration:
        """Note, keep, make the path one of the user's files, and store; every step may be done before."""
        graph, user, path, now = self.graph, self._user, self.path, self._settings.clock.now()
        listed = self._listed()
        if not (known and known.status == BEGUN and known.sha256 == old.sha256):
            earlier = known.earlier if known and known.status == BEGUN else entry_of(listed) if listed else None
            there = known_tasks(graph, user, [task.key for task in plan.tasks]) if plan.tasks else {}
            tasks = {task.key: task.hash for task in plan.tasks if task.key not in there}
            new = self._new_sources(plan)
            known = Migration(path, kind, old.sha256, old.mode, None, BEGUN, new, tasks, earlier=earlier)
            self.save(known)
        # A backup that was taken away since the stop is made anew: without it nothing could be given back.
        is_saved = known.backup is not None and digest_of(path, known.backup) == old.sha256
        backup = known.backup if known.backup and is_saved else keep_old(path, old)
        known = replace(known, backup=backup)
        self.save(known)
        ceiling = HEARTBEAT_CEILING if kind == HEARTBEAT else None
        chosen = None if ceiling else preset or preset_for(path)
        try:
            if listed and listed.kind == kind and preset is None:
                file = listed  # the user's own ceiling is no guess
            else:
                file = add_file(graph, self._settings, user, path, now, preset=chosen, ceiling=ceiling, kind=kind)
        except MemoryAssetsError as error:
            if not error.retryable:  # it never can be: as if nobody had asked
                forget_old(path, backup, old.sha256)
                self.save(replace(known, status=UNDONE))
            raise
        publish.close(path)  # before, it was the owner's to show; an undo gives it its mode again
        stage = copy_stage(path) if kind == HEARTBEAT else file.publication_stage
        # What is there is nobody's edit of ours: its backup has it already.
        announced = dict.fromkeys([*self._announced(stage), old.sha256])
        graph.write_together([stage_made(user, stage, ",".join(announced), now)])
        if plan.sources:
            originals = self._settings.keep_originals
            store_sources(graph, user, plan.sources, path=str(path), now=now, keep_originals=originals)
        if plan.tasks:
            add_tasks(graph, user, list(plan.tasks), now)
        return known

    def _new_sources(self, plan: Plan) -> list[str]:
        """The sources that the migration makes: not there before, withdrawn by an undo, or another migration's too."""
        now = self._settings.clock.now()
        ids = [source_row(source, owner=self._user, path=str(self.path), now=now)["id"] for source in plan.sources]
        found = self.graph.read("graph/find_sources", ids=ids, user_id=self._user)
        there = {row["id"] for row in found if not row["is_withdrawn"]}
        migrations = list_migrations(self.graph, self._user)
        ours = {key for one in migrations if one.status != UNDONE for key in one.source_ids}
        return [key for key in dict.fromkeys(ids) if key not in there or key in ours]

    def withdraw(self, known: Migration) -> int:
        """Put out of use the sources that this migration alone has made; how many these are."""
        graph, user, now = self.graph, self._user, self._settings.clock.now()
        alive = (one for one in list_migrations(graph, user) if one.path != known.path and one.status in (BEGUN, DONE))
        others = {key for one in alive for key in one.source_ids}
        rows = [
            {"id": key, "audit_id": node_id("audit", user, key, "withdraw", to_iso(now)), "reason": REASON}
            for key in known.source_ids
            if key not in others
        ]
        graph.write_together([source_mark(user, now)])
        done = cut(graph, "withdraw_sources", rows, user=user, now=now)
        graph.write_together([source_mark(user, now)])
        return len(done)

    def backup_of(self, known: Migration) -> OldFile:
        """The old bytes, from beside the file, or from its place where they are already."""
        for name in (known.backup, self.path.name):
            if name and digest_of(self.path, name) == known.sha256:
                return replace(read_old(self.path, name), mode=known.mode)
        raise MigrationError(
            f"The old file cannot be given back: {self.path.parent / (known.backup or self.path.name)} is gone or "
            f"was changed. Put it back (its SHA-256 is {known.sha256}) and undo it again. Nothing was changed."
        )

    def list_again(self, entry: str) -> None:
        """Put the file back on the user's list as :func:`entry_of` has noted it."""
        said = json.loads(entry)
        limits = None if said["preset"] in PRESETS else Ceiling(**said["limits"])
        preset, now = None if limits else said["preset"], self._settings.clock.now()
        add_file(
            self.graph, self._settings, self._user, self.path, now, preset=preset, ceiling=limits, kind=said["kind"]
        )

    def published_digests(self, kind: str) -> list[str]:
        """The digests of what we have put, or were about to put, at the path."""
        own = self._own()
        if own is None:
            return []
        manifest = find_manifest(self.graph, own)
        announced = self._announced(copy_stage(self.path) if kind == HEARTBEAT else own.publication_stage)
        return [*announced, *([manifest["sha256"]] if manifest else [])]

    def _announced(self, stage: str) -> list[str]:
        return [digest for digest in (find_stage(self.graph, self._user, stage) or "").split(",") if digest]

    def _was_published(self, file: UserFile) -> bool:
        """Whether we have put something at an added file's path, so that what is there now is an edit of it."""
        if file.kind == HEARTBEAT:
            return bool(self._announced(copy_stage(file.path)))
        return find_manifest(self.graph, file) is not None

    def _listed(self) -> UserFile | None:
        """The file of this path among those that the user has added."""
        files = added_files(self.graph, self._settings, self._user)
        return next((file for file in files if file.path == self.path), None)

    def _own(self) -> UserFile | None:
        """The file of this path among all of the user's, the two that nobody need add included."""
        defaults = (default_file(self._settings, self._user, kind) for kind in (MEMORY, HEARTBEAT))
        own = (file for file in defaults if resolve_path(file.path) == self.path)
        return next((replace(file, path=self.path) for file in own), None) or self._listed()


def entry_of(file: UserFile) -> str:
    """What the user's list says of a file, as text."""
    return json.dumps({"kind": file.kind, "preset": file.preset, "limits": dict(file.ceiling.limits)}, sort_keys=True)
