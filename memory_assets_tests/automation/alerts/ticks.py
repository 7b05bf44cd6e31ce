"""Sensors, schedules and their ticks, written as the daemon writes them; and a look at them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import dagster as dg
from dagster._core.remote_origin import GrpcServerCodeLocationOrigin, RemoteInstigatorOrigin, RemoteRepositoryOrigin
from dagster._core.scheduler.instigation import (
    InstigatorState,
    InstigatorStatus,
    InstigatorTick,
    InstigatorType,
    ScheduleInstigatorData,
    TickData,
    TickStatus,
)
from dagster._utils.error import SerializableErrorInfo

from memory_assets.automation.alerts.gather import Gathering
from memory_assets.automation.alerts.outbox import Outbox
from memory_assets.clock import Clock

FAILED, WORKED, SKIPPED, RUNNING = TickStatus.FAILURE, TickStatus.SUCCESS, TickStatus.SKIPPED, TickStatus.STARTED


def look(
    instance: dg.DagsterInstance,
    outbox: Outbox,
    cursor: datetime | None = None,
    ahead: timedelta = timedelta(),
    channels: Sequence[str] = ("log",),
) -> tuple[int, str]:
    """One gathering as of now or later: how many alerts are new, and its cursor."""
    clock = Clock(datetime.now(UTC) + ahead)
    outbox.channels = channels
    gathered = Gathering(instance, outbox, clock, "http://ui")
    reached = gathered.look(cursor.isoformat() if cursor else None)
    assert gathered.unreadable is None
    return gathered.alerts, reached


def origin(name: str) -> RemoteInstigatorOrigin:
    """Where a sensor or schedule of the house comes from."""
    location = GrpcServerCodeLocationOrigin(host="localhost", socket="/tmp/code", location_name="memory_assets")
    return RemoteInstigatorOrigin(RemoteRepositoryOrigin(location, "__repository__"), name)


def selector(name: str) -> str:
    """What the instance knows the automation by, whatever process serves the code."""
    return origin(name).get_selector().get_id()


def add_automation(instance: dg.DagsterInstance, name: str, kind: InstigatorType = InstigatorType.SENSOR) -> None:
    """A sensor or schedule as the daemon has written it down when it first evaluated it."""
    data = ScheduleInstigatorData("0 3 * * *", 0.0) if kind == InstigatorType.SCHEDULE else None
    instance.add_instigator_state(InstigatorState(origin(name), kind, InstigatorStatus.DECLARED_IN_CODE, data))


def add_tick(
    instance: dg.DagsterInstance,
    name: str,
    minutes_ago: float,
    status: TickStatus,
    count: int = 0,
    kind: InstigatorType = InstigatorType.SENSOR,
    content: str = "words",
) -> InstigatorTick:
    """A tick of so many minutes ago; ``count`` is Dagster's number of failures in a row, ``content`` their text."""
    cause = SerializableErrorInfo(f"KeyError: {content}", [content], "KeyError")
    error = (
        SerializableErrorInfo(content, [], "SensorExecutionError", cause=cause)
        if status == TickStatus.FAILURE
        else None
    )
    data = TickData(
        instigator_origin_id=origin(name).get_id(),
        instigator_name=name,
        instigator_type=kind,
        status=status,
        timestamp=(datetime.now(UTC) - timedelta(minutes=minutes_ago)).timestamp(),
        selector_id=selector(name),
        run_ids=[],
        run_keys=[],
        error=error,
        consecutive_failure_count=count,
    )
    return instance.create_tick(data)
