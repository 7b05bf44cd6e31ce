"""Runs whose process was killed are closed, whoever started them; runs that live are left alone."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import dagster as dg
import psutil
import pytest
from dagster._core.events import DagsterEvent, DagsterEventType, EngineEventData
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.tags import GRPC_INFO_TAG

from memory_assets.clock import Clock
from memory_assets.runtime.abandoned import PROCESS_TAG, SILENT_SECONDS, close_abandoned_runs, process_tag
from memory_assets.runtime.instance import open_instance
from memory_assets.settings import Settings

STARTED, CANCELING = dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    monkeypatch.setenv("DAGSTER_HOME", "")  # opening an instance sets it
    with open_instance(Settings(home=tmp_path / "home")) as opened:
        yield opened


@pytest.fixture
def dead() -> str:
    """The tag of a process that was killed."""
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as process:
        tag = f"{process.pid}@{psutil.Process(process.pid).create_time():.2f}"
        process.kill()
    return tag


def add_run(
    instance: dg.DagsterInstance,
    status: dg.DagsterRunStatus = STARTED,
    silent_for: float = 0,
    parent: str | None = None,
    **tags: str,
) -> str:
    """A run in this status whose last event is ``silent_for`` seconds old."""
    run = dg.DagsterRun(
        job_name="build_memory", run_id=str(uuid4()), status=status, tags=tags, parent_run_id=parent, root_run_id=parent
    )
    instance.add_run(run)
    event = DagsterEvent(
        DagsterEventType.ENGINE_EVENT.value, "build_memory", message="at work", event_specific_data=EngineEventData()
    )
    entry = EventLogEntry(
        error_info=None, level=20, user_message="", run_id=run.run_id, job_name="build_memory", dagster_event=event,
        timestamp=Clock().now().timestamp() - silent_for,
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
    instance: dg.DagsterInstance, dead: str, before: dg.DagsterRunStatus, after: dg.DagsterRunStatus
) -> None:
    run_id = add_run(instance, before, **{PROCESS_TAG: dead})
    assert close_abandoned_runs(instance) == [run_id]
    assert status(instance, run_id) == after
    assert close_abandoned_runs(instance) == []


def test_a_run_whose_process_lives_is_left_alone_however_silent(instance: dg.DagsterInstance) -> None:
    run_id = add_run(instance, silent_for=30 * SILENT_SECONDS, **process_tag())
    assert close_abandoned_runs(instance) == []
    assert status(instance, run_id) == STARTED


def test_another_process_under_the_same_number_is_not_the_run_s(instance: dg.DagsterInstance) -> None:
    (tag,) = process_tag().values()
    pid, _, started = tag.partition("@")
    run_id = add_run(instance, **{PROCESS_TAG: f"{pid}@{float(started) - 3600:.2f}"})
    assert close_abandoned_runs(instance) == [run_id]


def test_a_rerun_is_not_taken_for_the_run_whose_tags_it_was_given(instance: dg.DagsterInstance, dead: str) -> None:
    parent = add_run(instance, dg.DagsterRunStatus.FAILURE, **{PROCESS_TAG: dead})
    rerun = add_run(instance, parent=parent, **{PROCESS_TAG: dead})
    assert close_abandoned_runs(instance) == []
    assert status(instance, rerun) == STARTED


@pytest.mark.parametrize(("silent_for", "closed"), [(SILENT_SECONDS - 60, False), (SILENT_SECONDS + 60, True)])
def test_a_run_that_says_nothing_of_its_process_is_closed_when_it_has_been_silent_for_long(
    instance: dg.DagsterInstance, silent_for: float, closed: bool
) -> None:
    run_id = add_run(instance, silent_for=silent_for)
    assert close_abandoned_runs(instance) == [run_id] * closed


def test_a_launched_run_is_closed_when_its_code_server_does_not_answer(instance: dg.DagsterInstance) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        server = json.dumps({"host": "127.0.0.1", "port": taken.getsockname()[1]})
        run_id = add_run(instance, silent_for=2 * SILENT_SECONDS, **{GRPC_INFO_TAG: server})
        assert close_abandoned_runs(instance) == [run_id]


@pytest.mark.parametrize(
    "state", [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
)
def test_a_run_that_has_ended_stays_as_it_is(
    instance: dg.DagsterInstance, dead: str, state: dg.DagsterRunStatus
) -> None:
    run_id = add_run(instance, state, silent_for=2 * SILENT_SECONDS, **{PROCESS_TAG: dead})
    assert close_abandoned_runs(instance) == []
    assert status(instance, run_id) == state


def test_opening_the_instance_closes_them(instance: dg.DagsterInstance, dead: str, tmp_path: Path) -> None:
    run_id = add_run(instance, **{PROCESS_TAG: dead})
    with open_instance(Settings(home=tmp_path / "home")) as again:
        assert status(again, run_id) == dg.DagsterRunStatus.FAILURE
