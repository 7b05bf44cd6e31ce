"""How long the history of runs stays: which of them may go, the job that removes them with all their files, and its
schedule.

What the UI shows of an asset (which partitions are materialized, the latest metadata, whether a check passes) is
read from the events of runs: a run goes only when a later one has said all of it anew. Dagster's own ``delete_run``
leaves a run's event file (SQLite), its folder of logs and the evaluations of its checks. Here the run's own row
goes last: a process that is killed in between leaves a run that the next one removes again. Nothing outside the
instance's own folders is ever touched.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast
from uuid import UUID

import dagster as dg
import sqlalchemy as sql
from pydantic import Field

from memory_assets.automation.jobs import AT_WORK, AUTOMATION_TAG, ENDED, OWNERS, still_at_work
from memory_assets.clock import Clock
from memory_assets.files.on_disk import idle_files
from memory_assets.runtime.dagster_internals import (
    AssetCheckExecutionsTable,
    LocalComputeLogManager,
    SqlEventLogStorage,
    SqlEventLogStorageTable,
    SqliteEventLogStorage,
)
from memory_assets.settings import load_settings

EVALUATED = ("SUCCEEDED", "FAILED")
SQLITE_COMPANIONS = ("", "-wal", "-shm", "-journal")
"""A file, and what SQLite may keep beside it."""
TICKS = "__repository__"
"""The folder of what schedules and sensors have logged, one file for each tick that logged anything."""


def holders(instance: dg.DagsterInstance) -> frozenset[str]:
    """The ids of the runs which the present state of the assets rests upon; no event is loaded.

    They logged the latest materialization of an asset's partition, or the latest evaluation of a check, also the latest
    planned one; or they have failed at a partition that nothing was made of since.
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
            sql.select(events.run_id).where(events.id.in_(attempts), events.dagster_event_type == kinds[1]).distinct()
        ).all()
        found = [
            *connection.execute(sql.select(events.run_id).where(events.id.in_(latest)).distinct()),
            *connection.execute(sql.select(checks.run_id).where(checks.id.in_(planned)).distinct()),
            *connection.execute(sql.select(checks.run_id).where(checks.id.in_(evaluated)).distinct()),
        ]
    holding = {run_id for (run_id,) in found if run_id}
    if tried:
        wanted = dg.RunsFilter([run_id for (run_id,) in tried], statuses=[dg.DagsterRunStatus.FAILURE])
        holding |= set(instance.get_run_ids(wanted))
    return frozenset(holding)


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
    if not _is_run_id(run_id):
        return 0
    storage, base = instance.event_log_storage, _log_base(instance)
    freed = 0
    if isinstance(storage, SqliteEventLogStorage):  # its own event file; Postgres has none
        freed += sum(remove_file(Path(storage.path_for_shard(run_id) + ending)) for ending in SQLITE_COMPANIONS)
    folder = base / run_id if base else None
    if folder and folder.is_dir() and not folder.is_symlink():
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
    storage, base = instance.event_log_storage, _log_base(instance)
    files = list(base.iterdir()) if base and base.is_dir() else []
    if isinstance(storage, SqliteEventLogStorage):
        files += Path(storage.path_for_shard("index")).parent.glob("*.db*")
    for path in files:
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


def _log_base(instance: dg.DagsterInstance) -> Path | None:
    """The folder that has one folder of logs for each run; None where logs are not written to files."""
    manager = instance.compute_log_manager
    if not isinstance(manager, LocalComputeLogManager):
        return None
    return Path(manager.get_captured_local_path(["any"], "out")).parent


SCHEDULE = "history_retention"

BACKFILLS_ENDED = frozenset({"COMPLETED", "FAILED", "CANCELED", "COMPLETED_SUCCESS", "COMPLETED_FAILED"})


class Retention(dg.Config):
    """How much of the history of runs to keep. The defaults are what the schedule uses."""

    keep_days: int = Field(default=30, ge=0, description="Finished runs that are younger than this many days stay.")


RETENTION = Retention()
ORPHAN_DAYS = 1
"""Days after which the files of a run that does not exist are no run just coming into being."""


def runs_to_go(instance: dg.DagsterInstance, now: datetime, retention: Retention = RETENTION) -> list[str]:
    """The ids of the runs that may be removed at ``now``, the oldest first. Loads no event and no run."""
    before = now - timedelta(days=retention.keep_days)
    finished = instance.get_run_ids(dg.RunsFilter(statuses=list(ENDED), created_before=before))
    needed = {*holders(instance), *_in_use(instance)} if finished else set()
    return [run_id for run_id in reversed(finished) if run_id not in needed]


def _in_use(instance: dg.DagsterInstance) -> Iterator[str]:
    """The runs of backfills in progress, and those that a run at work repeats from where they failed."""
    for backfill in instance.get_backfills():
        if backfill.status.value not in BACKFILLS_ENDED:
            yield from instance.get_run_ids(dg.RunsFilter(tags={"dagster/backfill": backfill.backfill_id}))
    for run in instance.get_runs(dg.RunsFilter(statuses=list(AT_WORK))):
        yield from filter(None, (run.parent_run_id, run.root_run_id))


def prune(
    instance: dg.DagsterInstance, now: datetime, retention: Retention = RETENTION, caches: Sequence[Path] = ()
) -> dict[str, int]:
    """Remove what may go at ``now``, also of the ``caches``; in numbers what was removed: runs, leftovers (of runs that
    no longer existed), logs of ticks, caches (of users for whom nothing was done for as long). What an interruption
    leaves, the next one removes.
    """
    due = runs_to_go(instance, now, retention)
    freed = sum(remove_run(instance, run_id) for run_id in due)
    left_over = orphans(instance, now - timedelta(days=ORPHAN_DAYS))
    freed += sum(remove_files(instance, run_id) for run_id in left_over)
    tick_logs = list(old_tick_logs(instance, now - timedelta(days=retention.keep_days)))
    freed += sum(remove_file(path) for path in tick_logs)
    idle = list(idle_files(caches, now - timedelta(days=retention.keep_days)))
    freed += sum(map(remove_file, idle))
    counts = {"runs": len(due), "leftovers": len(left_over), "tick_logs": len(tick_logs), "kept_files": len(idle)}
    return {f"{name}_removed": count for name, count in counts.items()} | {"bytes_of_files_removed": freed}


@dg.op(tags={"kind": "upkeep"})
def remove_old_runs(context: dg.OpExecutionContext, config: Retention) -> None:
    """Remove finished runs that nothing rests upon, with their events, logs and files.

    Also files of runs that no longer exist, logs of old ticks, and caches of users with nothing new for as long.
    """
    # The history is the machine's: a clock that is stopped for the memories must not age it.
    pruned = prune(context.instance, Clock().now(), config, load_settings().cache_folders)
    context.add_output_metadata(pruned | {"runs_kept": context.instance.get_runs_count()})


@dg.job(owners=OWNERS)
def prune_history() -> None:
    """Remove the history that nobody needs any more: old runs with their files and logs.

    Whatever the UI shows of an asset stays: its partitions, latest materializations and checks.
    """
    remove_old_runs()


@dg.schedule(
    name=SCHEDULE,
    job=prune_history,
    cron_schedule="0 5 * * *",
    execution_timezone=load_settings().timezone,
    default_status=dg.DefaultScheduleStatus.RUNNING,
    owners=OWNERS,
    tags={AUTOMATION_TAG: SCHEDULE},
    description=f"Every morning at five: removes runs older than {RETENTION.keep_days} days that nothing rests upon. "
    "Starts no run when there is none.",
)
def history_retention(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """Ask for a run of ``prune_history`` when there is anything to remove and the last one has ended."""
    instance = context.instance
    if waits := still_at_work(instance, SCHEDULE, "schedule"):
        return waits
    now = Clock().now()
    idle = any(idle_files(load_settings().cache_folders, now - timedelta(days=RETENTION.keep_days)))
    if not idle and not runs_to_go(instance, now):
        return dg.SkipReason(
            f"No run is older than {RETENTION.keep_days} days "
            "without holding the latest state of an asset, and no user without anything new for that long has a cache."
        )
    return dg.RunRequest(
        run_key=f"{SCHEDULE}:{context.scheduled_execution_time.isoformat()}", tags={AUTOMATION_TAG: SCHEDULE}
    )
