"""Runs whose process was killed are closed, whatever started them; runs that live are left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import dagster as dg
import psutil
import pytest
from dagster._core.events import DagsterEvent, DagsterEventType, EngineEventData
from dagster._core.events.log import EventLogEntry
from dagster._time import get_current_datetime

from memory_assets.runtime.instance import PID_TAG, SILENT, close_abandoned_runs, open_instance
from memory_assets.settings import Settings

STARTED, CANCELING = dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING
MINUTE = timedelta(minutes=1)


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    monkeypatch.setenv("DAGSTER_HOME", "")  # opening an instance sets it
    with open_instance(Settings(home=tmp_path / "home")) as opened:
        yield opened


@pytest.fixture
def dead() -> int:
    """The number of a process that was killed."""
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as process:
        process.kill()
    return process.pid


def add_run(
    instance: dg.DagsterInstance,
    status: dg.DagsterRunStatus = STARTED,
    pid: int | None = None,
    ago: timedelta = timedelta(),
) -> str:
    """A run in this status that was created, and has named its process, so long ago."""
    run = dg.DagsterRun(job_name="build_memory", run_id=str(uuid4()), status=status)
    at = get_current_datetime() - ago
    instance.run_storage.add_historical_run(run, at)
    for data in (EngineEventData(), *([EngineEventData.in_process(pid)] if pid else [])):
        event = DagsterEvent(
            DagsterEventType.ENGINE_EVENT.value, "build_memory", message="at work", event_specific_data=data
        )
        entry = EventLogEntry(
            error_info=None, level=20, user_message="", run_id=run.run_id, job_name="build_memory", dagster_event=event,
            timestamp=at.timestamp(),
        )  # fmt: skip
        instance.event_log_storage.store_event(entry)
    return run.run_id


def status(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRunStatus:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (STARTED, dg.DagsterRunStatus.FAILURE),
        (dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.FAILURE),
        (dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.FAILURE),
        (CANCELING, dg.DagsterRunStatus.CANCELED),
    ],
)
def test_a_run_of_a_killed_process_is_closed_at_once(
    instance: dg.DagsterInstance, dead: int, before: dg.DagsterRunStatus, after: dg.DagsterRunStatus
) -> None:
    run_id = add_run(instance, before, dead)
    assert close_abandoned_runs(instance) == [run_id]
    assert status(instance, run_id) == after
    assert close_abandoned_runs(instance) == []


def test_a_commands_run_says_from_its_first_moment_which_process_drives_it(
    instance: dg.DagsterInstance, dead: int
) -> None:
    killed, living, repeated = (
        dg.DagsterRun(job_name="build_memory", run_id=str(uuid4()), status=STARTED) for _ in range(3)
    )
    for run, tag in (
        (killed, f"{killed.run_id}:{dead}"),
        (living, f"{living.run_id}:{os.getpid()}"),
        (repeated, f"{killed.run_id}:{dead}"),
    ):
        instance.run_storage.add_historical_run(run.with_tags({PID_TAG: tag}), get_current_datetime())
    assert close_abandoned_runs(instance) == [killed.run_id]


def test_a_run_whose_process_lives_is_left_alone_however_silent(instance: dg.DagsterInstance) -> None:
    run_id = add_run(instance, pid=os.getpid())
    assert close_abandoned_runs(instance) == []
    assert status(instance, run_id) == STARTED


def test_another_process_under_the_same_number_is_not_the_run_s(instance: dg.DagsterInstance) -> None:
    process = psutil.Process()
    before_it = get_current_datetime().timestamp() - process.create_time() + 3600
    run_id = add_run(instance, pid=process.pid, ago=timedelta(seconds=before_it))
    assert close_abandoned_runs(instance) == [run_id]


@pytest.mark.parametrize("state", [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING, STARTED])
@pytest.mark.parametrize(("ago", "closed"), [(SILENT - MINUTE, False), (SILENT + MINUTE, True)])
def test_a_run_that_names_no_process_is_closed_when_it_is_old(
    instance: dg.DagsterInstance, state: dg.DagsterRunStatus, ago: timedelta, closed: bool
) -> None:
    run_id = add_run(instance, state, ago=ago)
    assert close_abandoned_runs(instance) == [run_id] * closed


def test_a_run_that_waited_in_the_queue_for_long_has_time_to_begin(instance: dg.DagsterInstance) -> None:
    run_id = add_run(instance, dg.DagsterRunStatus.NOT_STARTED, ago=12 * SILENT)
    instance.report_dagster_event(DagsterEvent(DagsterEventType.PIPELINE_STARTING.value, "build_memory"), run_id)
    assert status(instance, run_id) == dg.DagsterRunStatus.STARTING
    assert close_abandoned_runs(instance) == []


def test_a_command_killed_within_its_run_is_found_dead(instance: dg.DagsterInstance, tmp_path: Path) -> None:
    """The same for a launched run: both name their process by Dagster's own events."""
    program = f"""
import os, signal
import dagster as dg
from pathlib import Path
@dg.op
def die(): os.kill(os.getpid(), signal.SIGKILL)
@dg.job(executor_def=dg.in_process_executor)
def dying(): die()
with dg.DagsterInstance.from_config({str(tmp_path / "home" / "dagster")!r}) as instance:
    dying.execute_in_process(instance=instance)
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode < 0
    (run,) = instance.get_runs()
    assert run.status == STARTED
    assert close_abandoned_runs(instance) == [run.run_id]


@pytest.mark.parametrize(
    "state", [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
)
def test_a_run_that_has_ended_stays_as_it_is(
    instance: dg.DagsterInstance, dead: int, state: dg.DagsterRunStatus
) -> None:
    run_id = add_run(instance, state, dead, 2 * SILENT)
    assert close_abandoned_runs(instance) == []
    assert status(instance, run_id) == state


def test_opening_the_instance_closes_them(instance: dg.DagsterInstance, dead: int, tmp_path: Path) -> None:
    run_id = add_run(instance, pid=dead)
    with open_instance(Settings(home=tmp_path / "home")) as again:
        assert status(again, run_id) == dg.DagsterRunStatus.FAILURE
