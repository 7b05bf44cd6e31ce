"""How long the history of runs is kept: which of them may go, the job that removes them, and its schedule.

Dagster keeps every run for ever, and offers no setting. What the UI shows of an asset (which partitions are
materialized, the latest metadata, whether a check passes) is read from the events of runs, though: a run goes only
when a later one has said all of it anew. Ticks of schedules and sensors have a setting of their own (``dagster.yaml``).
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import dagster as dg
from pydantic import Field

from memory_assets.automation.history_storage import (
    holders,
    old_tick_logs,
    orphans,
    remove_file,
    remove_files,
    remove_run,
)
from memory_assets.automation.jobs import OWNERS
from memory_assets.automation.requests import AT_WORK, AUTOMATION_TAG, ENDED, active_run
from memory_assets.clock import Clock
from memory_assets.files.kept_files import idle_files
from memory_assets.runtime.abandoned import close_abandoned_runs
from memory_assets.settings import load_settings

SCHEDULE = "history_retention"

BACKFILLS_ENDED = frozenset({"COMPLETED", "FAILED", "CANCELED", "COMPLETED_SUCCESS", "COMPLETED_FAILED"})


@dataclass(frozen=True)
class Retention:
    """What is kept, whatever rests upon it."""

    keep_days: int = 30
    """Days for which every run is kept."""
    keep_runs: int = 100
    """The newest runs are kept, however old they are."""
    at_once: int = 2000
    """Runs that are removed at most by one run of the job; the next one goes on."""
    orphan_days: int = 1
    """Days after which the files of a run that does not exist are no run just coming into being."""


RETENTION = Retention()
PROGRESS = 200
"""Runs after which the job says how far it is."""


def may_go(
    finished: Sequence[str], *, newest: Collection[str], held: Collection[str], in_use: Collection[str]
) -> list[str]:
    """The ids of those of the old, ``finished`` runs that nothing rests upon, in their order.

    Kept are the ``newest`` runs, those whose events are ``held`` as the latest of their kind, and those that
    something in progress still looks at.
    """
    kept = {*newest, *held, *in_use}
    return [run_id for run_id in finished if run_id not in kept]


def runs_to_go(instance: dg.DagsterInstance, now: datetime, retention: Retention = RETENTION) -> list[str]:
    """The ids of the runs that may be removed at ``now``, the oldest first. Loads no event and no run."""
    before = now - timedelta(days=retention.keep_days)
    finished = instance.get_run_ids(dg.RunsFilter(statuses=list(ENDED), created_before=before))
    if not finished:
        return []
    return may_go(
        list(reversed(finished)),
        newest=instance.get_run_ids(limit=retention.keep_runs) if retention.keep_runs else (),
        held=holders(instance),
        in_use=set(_in_use(instance)),
    )


def _in_use(instance: dg.DagsterInstance) -> Iterator[str]:
    """The runs of backfills in progress, and those that a run at work repeats from where they failed."""
    for backfill in instance.get_backfills():
        if backfill.status.value not in BACKFILLS_ENDED:
            yield from instance.get_run_ids(dg.RunsFilter(tags={"dagster/backfill": backfill.backfill_id}))
    for run in instance.get_runs(dg.RunsFilter(statuses=list(AT_WORK))):
        yield from filter(None, (run.parent_run_id, run.root_run_id))


@dataclass(frozen=True)
class Pruned:
    """What one pruning did, in numbers."""

    runs_removed: int
    runs_left_for_next_time: int
    leftovers_removed: int
    """Runs that no longer existed, but still had files."""
    tick_logs_removed: int
    kept_files_removed: int
    """Of what is kept of users for whom nothing was done for as long."""
    bytes_of_files_removed: int


def prune(
    instance: dg.DagsterInstance,
    now: datetime,
    retention: Retention = RETENTION,
    say: Callable[[str], None] | None = None,
    kept: Sequence[Path] = (),
) -> Pruned:
    """Remove what may go at ``now``, also of the folders ``kept``. Whatever is interrupted is done by the next one."""
    due = runs_to_go(instance, now, retention)
    freed = 0
    for number, run_id in enumerate(due[: retention.at_once], start=1):
        freed += remove_run(instance, run_id)
        if say and number % PROGRESS == 0:
            say(f"{number} of {len(due)} runs removed.")
    left_over = orphans(instance, now - timedelta(days=retention.orphan_days))
    freed += sum(remove_files(instance, run_id) for run_id in left_over)
    tick_logs = list(old_tick_logs(instance, now - timedelta(days=retention.keep_days)))
    freed += sum(remove_file(path) for path in tick_logs)
    idle = list(idle_files(kept, now - timedelta(days=retention.keep_days)))
    freed += sum(map(remove_file, idle))
    return Pruned(
        runs_removed=min(len(due), retention.at_once),
        runs_left_for_next_time=max(0, len(due) - retention.at_once),
        leftovers_removed=len(left_over),
        tick_logs_removed=len(tick_logs),
        kept_files_removed=len(idle),
        bytes_of_files_removed=freed,
    )


class PruneConfig(dg.Config):
    """How much of the history of runs to keep. The defaults are what the schedule uses."""

    keep_days: int = Field(
        default=RETENTION.keep_days, ge=0, description="Finished runs that are younger than this many days are kept."
    )
    keep_runs: int = Field(
        default=RETENTION.keep_runs, ge=0, description="At least this many runs are kept, the newest of all."
    )
    at_once: int = Field(
        default=RETENTION.at_once, ge=1, description="At most this many runs are removed now; the next run goes on."
    )


@dg.op(tags={"kind": "upkeep"})
def remove_old_runs(context: dg.OpExecutionContext, config: PruneConfig) -> None:
    """Remove finished runs that nothing rests upon, with their events, logs and files.

    A run stays as long as it holds the latest materialization of an owner's asset or the latest evaluation of a
    check. Also removed: files of runs that no longer exist, logs of old ticks, and what is kept under ``HOME/cache`` of
    users for whom nothing was kept for as long; it is made anew when they have something new. Whatever is interrupted is
    done by the next run.
    """
    retention = replace(RETENTION, keep_days=config.keep_days, keep_runs=config.keep_runs, at_once=config.at_once)
    # The history is the machine's: a clock that is stopped for the memories must not age it.
    pruned = prune(context.instance, Clock().now(), retention, context.log.info, load_settings().kept_folders)
    context.add_output_metadata(asdict(pruned) | {"runs_kept": context.instance.get_runs_count()})


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
    close_abandoned_runs(instance)
    if active := active_run(instance, SCHEDULE):
        return dg.SkipReason(f"The last one is still at work: run {active.run_id}.")
    now = Clock().now()
    idle = any(idle_files(load_settings().kept_folders, now - timedelta(days=RETENTION.keep_days)))
    if not idle and not runs_to_go(instance, now):
        return dg.SkipReason(
            f"No run is older than {RETENTION.keep_days} days, beyond the newest {RETENTION.keep_runs}, "
            "without holding the latest state of an asset, and nothing is kept of users that long without anything new."
        )
    return dg.RunRequest(
        run_key=f"{SCHEDULE}:{context.scheduled_execution_time.isoformat()}", tags={AUTOMATION_TAG: SCHEDULE}
    )
