"""Runs whose process was killed: they would look alive for ever, and everything that waits for their end would wait.

Every run, launched or a command's own, logs the number of its process before its first step.
"""

from __future__ import annotations

from datetime import UTC, timedelta

import dagster as dg
import psutil

from memory_assets.clock import Clock

SILENT = timedelta(minutes=10)
"""A run that has not named its process for as long never will."""
ENDED = "The process that drove this run was ended. Run it again: it goes on from there."
NEVER_BEGUN = "This run was created, and whatever created it was ended before it could start. Run it again."
UNDER_WAY = (
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
)


def close_abandoned_runs(instance: dg.DagsterInstance) -> list[str]:
    """Close the runs whose process is gone, as failed, or as canceled if that was asked of them; their ids.

    Costs one query when no run is at work. A run of another machine on the same storage would be taken for dead:
    an installation is one machine's.
    """
    closed = []
    for record in instance.get_run_records(dg.RunsFilter(statuses=list(UNDER_WAY))):
        run_id = record.dagster_run.run_id
        why = _why_abandoned(instance, record)
        run = instance.get_run_by_id(run_id) if why else None
        if why and run and not run.is_finished:  # several processes look at once, and it may have ended since
            is_canceling = run.status == dg.DagsterRunStatus.CANCELING
            (instance.report_run_canceled if is_canceling else instance.report_run_failed)(run, why)
            closed.append(run_id)
    return closed


def _why_abandoned(instance: dg.DagsterInstance, record: dg.RunRecord) -> str | None:
    """The sentence for the run's log; None for a run that lives, or may."""
    events = instance.get_records_for_run(
        record.dagster_run.run_id, of_type=dg.DagsterEventType.ENGINE_EVENT, limit=100
    ).records
    for entry in (event.event_log_entry for event in events):
        pid = entry.dagster_event.engine_event_data.metadata.get("pid") if entry.dagster_event else None
        if pid is not None:
            return None if _lives(int(str(pid.value)), entry.timestamp) else ENDED
    created = record.create_timestamp
    aware = created if created.tzinfo else created.replace(tzinfo=UTC)
    return NEVER_BEGUN if Clock().now() - aware > SILENT else None


def _lives(pid: int, at: float) -> bool:
    """Whether the process that had this number at an instant still has it."""
    try:
        process = psutil.Process(pid)
        # The clock may have been set since: a few seconds are no other process.
        return process.create_time() < at + 5 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
