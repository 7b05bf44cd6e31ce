"""Runs whose process was killed: they would look alive for ever, and everything that waits for their end would wait.

A run that a command drives carries the command's process in a tag from its start; a run that the daemon launched
carries its own process's from its first step on. What was killed before that says nothing: it is taken for dead
when it has been silent for long and the code server that launched it does not know it.
"""

from __future__ import annotations

import json
from datetime import UTC, timedelta

import dagster as dg
import psutil
from dagster import deserialize_value

from memory_assets.clock import Clock
from memory_assets.runtime.dagster_internals import (
    GRPC_INFO_TAG,
    CanCancelExecutionRequest,
    CanCancelExecutionResult,
    DagsterGrpcClient,
    DagsterUserCodeUnreachableError,
)

PROCESS_TAG = ".dagster/memory_assets_process"
"""Hidden in the UI, as all tags with this beginning are: it is no news for a person."""
SILENT_SECONDS = 600
ANSWER_SECONDS = 5

ENDED = "The process that drove this run was ended. Run it again: it goes on from there."
SILENT = "This run has said nothing for long, and nobody knows its process. Run it again: it goes on from there."

NEVER_LAUNCHED = "This run was created, and whoever created it was ended before it could start. Run it again."

DRIVEN = (dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.CANCELING)


def process_tag() -> dict[str, str]:
    """The tag by which a run tells which process drives it."""
    me = psutil.Process()
    return {PROCESS_TAG: f"{me.pid}@{me.create_time():.2f}"}


def close_abandoned_runs(instance: dg.DagsterInstance) -> list[str]:
    """Close the runs whose process is gone, as failed, or as canceled if that was asked of them; their ids.

    Costs one query when no run is at work. A run of another machine on the same storage would be taken for dead:
    an installation is one machine's.
    """
    closed = []
    # A run that has not started yet is a command's (with its tag), or one that the daemon is about to launch.
    for run in instance.get_runs(dg.RunsFilter(statuses=[*DRIVEN, dg.DagsterRunStatus.NOT_STARTED])):
        if told := _why_abandoned(instance, run):
            _close(instance, run.run_id, told)
            closed.append(run.run_id)
    return closed


def _why_abandoned(instance: dg.DagsterInstance, run: dg.DagsterRun) -> str | None:
    """The sentence for the run's log; None for a run that lives, or may."""
    tag = run.tags.get(PROCESS_TAG)
    if tag and not _is_inherited(instance, run, tag):
        return None if _is_alive(tag) else ENDED
    if run.status == dg.DagsterRunStatus.NOT_STARTED:
        return NEVER_LAUNCHED if _is_old(instance, run.run_id) else None
    if run.status in DRIVEN and _is_silent(instance, run.run_id) and not _is_known(run):
        return SILENT
    return None


def _close(instance: dg.DagsterInstance, run_id: str, told: str) -> None:
    """Once: several processes look at the same time, and the run may have ended since it was read."""
    run = instance.get_run_by_id(run_id)
    if run is None or run.is_finished:
        return
    if run.status == dg.DagsterRunStatus.CANCELING:
        instance.report_run_canceled(run, told)
    else:
        instance.report_run_failed(run, told)


def _is_inherited(instance: dg.DagsterInstance, run: dg.DagsterRun, tag: str) -> bool:
    """Whether the tag is another run's: repeating a run in the UI copies its tags, until the first step signs."""
    parent = instance.get_run_by_id(run.parent_run_id) if run.parent_run_id else None
    return parent is not None and parent.tags.get(PROCESS_TAG) == tag


def _is_alive(tag: str) -> bool:
    pid, _, started = tag.partition("@")
    try:
        # The clock may have been set since: a few seconds are no other process.
        process = psutil.Process(int(pid))
        return abs(process.create_time() - float(started)) < 5 and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, ValueError):
        return False


def _is_silent(instance: dg.DagsterInstance, run_id: str) -> bool:
    newest = instance.get_records_for_run(run_id, limit=1, ascending=False).records
    return not newest or Clock().now().timestamp() - newest[0].event_log_entry.timestamp > SILENT_SECONDS


def _is_old(instance: dg.DagsterInstance, run_id: str) -> bool:
    record = instance.get_run_record_by_id(run_id)
    if record is None:
        return False
    created = record.create_timestamp
    created = created if created.tzinfo else created.replace(tzinfo=UTC)
    return Clock().now() - created > timedelta(seconds=SILENT_SECONDS)


def _is_known(run: dg.DagsterRun) -> bool:
    """Whether the code server that launched the run still has its process."""
    if GRPC_INFO_TAG not in run.tags:
        return False
    address = json.loads(run.tags[GRPC_INFO_TAG])
    client = DagsterGrpcClient(
        port=address.get("port"),
        socket=address.get("socket"),
        host=address.get("host") or "localhost",
        use_ssl=bool(address.get("use_ssl")),
    )
    try:
        answer = client.can_cancel_execution(CanCancelExecutionRequest(run_id=run.run_id), timeout=ANSWER_SECONDS)
    except DagsterUserCodeUnreachableError:
        return False
    return deserialize_value(answer, CanCancelExecutionResult).can_cancel
