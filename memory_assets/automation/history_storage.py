"""What a run leaves behind in the instance's storage, and how all of it goes.

Dagster's own ``delete_run`` removes rows and leaves files: on SQLite each run has an event file of its own
(``history/runs/<run id>.db``, 150 to 400 KB), and on every storage a folder of logs (``storage/<run id>``). It also
leaves the evaluations of checks. Here the run's own row goes last: a process that is killed in between leaves a
run that the next one removes again.

Nothing outside the instance's own folders is ever touched: files and folders are asked from Dagster's storages by
run id, and only names that are run ids count.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import cast
from uuid import UUID

import dagster as dg
import sqlalchemy as sql

from memory_assets.runtime.dagster_internals import (
    AssetCheckExecutionsTable,
    LocalComputeLogManager,
    SqlEventLogStorage,
    SqlEventLogStorageTable,
    SqliteEventLogStorage,
)

EVALUATED = ("SUCCEEDED", "FAILED")
SQLITE_COMPANIONS = ("", "-wal", "-shm", "-journal")
TICKS = "__repository__"
"""The folder of what schedules and sensors have logged, one file for each tick that logged anything."""


def holders(instance: dg.DagsterInstance) -> frozenset[str]:
    """The ids of the runs which the present state of the assets rests upon.

    They logged the latest materialization of an asset's partition or of an asset without one, or the latest
    evaluation of a check (also the latest planned one, which says whether a check is under way); or they have failed
    at a partition that nothing was made of since. Queries on indexed columns, none of which loads an event.
    """
    events, checks = SqlEventLogStorageTable.c, AssetCheckExecutionsTable.c
    materialized = sql.and_(
        events.dagster_event_type == dg.DagsterEventType.ASSET_MATERIALIZATION.value, events.asset_key.is_not(None)
    )
    latest = sql.select(sql.func.max(events.id)).where(materialized).group_by(events.asset_key, events.partition)
    check = (checks.asset_key, checks.check_name, checks.partition)
    planned = sql.select(sql.func.max(checks.id)).group_by(*check)
    evaluated = planned.where(checks.execution_status.in_(EVALUATED))
    kinds = (dg.DagsterEventType.ASSET_MATERIALIZATION.value, dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED.value)
    attempted = sql.and_(events.dagster_event_type.in_(kinds), events.asset_key.is_not(None))
    attempts = sql.select(sql.func.max(events.id)).where(attempted).group_by(events.asset_key, events.partition)
    with _events(instance).index_connection() as connection:
        tried = connection.execute(
            sql.select(events.run_id)
            .where(events.id.in_(attempts), events.dagster_event_type == kinds[1])
            .distinct()
        ).all()
        found = [
            *connection.execute(sql.select(events.run_id).where(events.id.in_(latest)).distinct()),
            *connection.execute(sql.select(checks.run_id).where(checks.id.in_(planned)).distinct()),
            *connection.execute(sql.select(checks.run_id).where(checks.id.in_(evaluated)).distinct()),
        ]
    return frozenset(run_id for (run_id,) in found if run_id) | _failed(instance, [run_id for (run_id,) in tried])


def _failed(instance: dg.DagsterInstance, run_ids: list[str]) -> frozenset[str]:
    if not run_ids:
        return frozenset()
    return frozenset(instance.get_run_ids(dg.RunsFilter(run_ids=run_ids, statuses=[dg.DagsterRunStatus.FAILURE])))


def remove_run(instance: dg.DagsterInstance, run_id: str) -> int:
    """Remove a finished run with its events, evaluations and files; the bytes of the files."""
    storage = _events(instance)
    with storage.index_connection() as connection:
        storage.delete_events_for_run(connection, run_id)
        connection.execute(AssetCheckExecutionsTable.delete().where(AssetCheckExecutionsTable.c.run_id == run_id))
    if storage.supports_global_concurrency_limits:
        storage.free_concurrency_slots_for_run(run_id)
    freed = remove_files(instance, run_id)
    instance.run_storage.delete_run(run_id)
    return freed


def remove_files(instance: dg.DagsterInstance, run_id: str) -> int:
    """Remove the files of a run, as far as there are any; their bytes."""
    freed = sum(map(remove_file, _event_files(instance, run_id)))
    for folder in _log_folders(instance, run_id):
        freed += sum(remove_file(path) for path in folder.rglob("*") if path.is_file() or path.is_symlink())
        shutil.rmtree(folder, ignore_errors=True)
    return freed


def remove_file(path: Path) -> int:
    """Remove a file, which may be gone already; its bytes. Of a link, the link alone."""
    try:
        size = path.lstat().st_size
        path.unlink()
    except FileNotFoundError:
        return 0
    return size


def orphans(instance: dg.DagsterInstance, before: datetime) -> list[str]:
    """The ids of runs that have files, none of them changed since ``before``, but no longer a row."""
    newest: dict[str, float] = {}
    for path in _all_files(instance):
        run_id = path.name.partition(".")[0]
        with suppress(FileNotFoundError):
            if _is_run_id(run_id):
                newest[run_id] = max(newest.get(run_id, 0.0), path.stat().st_mtime)
    old = [run_id for run_id, changed in newest.items() if changed < before.timestamp()]
    return [run_id for run_id in old if not instance.has_run(run_id)]


def old_tick_logs(instance: dg.DagsterInstance, before: datetime) -> Iterator[Path]:
    """What schedules and sensors logged in ticks before ``before``. Dagster purges ticks, but not their logs."""
    base = _log_base(instance)
    for path in (base / TICKS).rglob("*") if base else ():
        with suppress(FileNotFoundError):
            if path.is_file() and path.stat().st_mtime < before.timestamp():
                yield path


def _events(instance: dg.DagsterInstance) -> SqlEventLogStorage:
    """The event storage: SQLite and Postgres are both Dagster's SQL storage."""
    return cast(SqlEventLogStorage, instance.event_log_storage)


def _is_run_id(name: str) -> bool:
    """Whether this is a run's id and no other name, nor a way out of the folder."""
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False


def _event_files(instance: dg.DagsterInstance, run_id: str) -> Iterator[Path]:
    """The run's own event file with what SQLite may keep beside it; none on Postgres."""
    storage = instance.event_log_storage
    if isinstance(storage, SqliteEventLogStorage) and _is_run_id(run_id):
        shard = storage.path_for_shard(run_id)
        yield from (path for ending in SQLITE_COMPANIONS if (path := Path(shard + ending)).exists())


def _log_folders(instance: dg.DagsterInstance, run_id: str) -> Iterator[Path]:
    base = _log_base(instance)
    if base and _is_run_id(run_id) and (folder := base / run_id).is_dir() and not folder.is_symlink():
        yield folder


def _log_base(instance: dg.DagsterInstance) -> Path | None:
    """The folder that has one folder of logs for each run; None where logs are not kept in files."""
    manager = instance.compute_log_manager
    if not isinstance(manager, LocalComputeLogManager):
        return None
    return Path(manager.get_captured_local_path(["any"], "out")).parent


def _all_files(instance: dg.DagsterInstance) -> Iterator[Path]:
    storage, base = instance.event_log_storage, _log_base(instance)
    if isinstance(storage, SqliteEventLogStorage):
        yield from Path(storage.path_for_shard("index")).parent.glob("*.db*")
    if base and base.is_dir():
        yield from base.iterdir()
