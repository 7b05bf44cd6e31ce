"""A sensor or schedule that fails is reported once, and once more when it works again."""

import uuid
from collections.abc import Iterator

import dagster as dg
import pytest
from dagster._core.scheduler.instigation import InstigatorType, TickStatus

from memory_assets.automation.alerts.outbox import Outbox
from memory_assets_tests.automation.alerts.ticks import (
    FAILED,
    RUNNING,
    SKIPPED,
    WORKED,
    add_automation,
    add_tick,
    look,
    origin,
    selector,
)
from memory_assets_tests.support.instances import instance_on_files


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dg.DagsterInstance]:
    with instance_on_files(tmp_path_factory.mktemp("dagster")) as opened:
        yield opened


@pytest.fixture
def name(instance: dg.DagsterInstance) -> Iterator[str]:
    """An automation that no other test has; the next test does not see it."""
    unique = f"inbox_{uuid.uuid4().hex}"
    yield unique
    instance.delete_instigator_state(origin(unique).get_id(), selector(unique))


@pytest.mark.parametrize("counted", [True, False], ids=["counted by Dagster", "not counted"])
@pytest.mark.parametrize(
    ("ticks", "expected"),
    [
        ([], 0),
        ([WORKED, SKIPPED], 0),
        ([FAILED], 1),
        ([FAILED, FAILED, FAILED], 1),
        ([FAILED, FAILED, WORKED], 2),
        ([FAILED, FAILED, WORKED, SKIPPED, WORKED], 2),
        ([FAILED, SKIPPED, FAILED, FAILED], 3),
        ([WORKED, FAILED, FAILED, WORKED, FAILED], 3),
        ([FAILED, RUNNING], 1),
        ([RUNNING], 0),
    ],
)
@pytest.mark.parametrize("looks", ["once", "after each"])
def test_a_streak_of_failing_ticks_is_told_once_and_its_end_once(
    instance: dg.DagsterInstance,
    outbox: Outbox,
    name: str,
    ticks: list[TickStatus],
    expected: int,
    looks: str,
    counted: bool,
) -> None:
    add_automation(instance, name)
    found, count = 0, 0
    for number, status in enumerate(ticks):
        count = count + 1 if status == FAILED else 0
        add_tick(instance, name, 50 - number, status, count if counted else 0)
        if looks == "after each":
            found += look(instance, outbox)[0]
    found += look(instance, outbox)[0]
    assert found == expected
    assert look(instance, outbox)[0] == 0


def test_an_interruption_within_a_streak_is_no_recovery(
    instance: dg.DagsterInstance, outbox: Outbox, name: str
) -> None:
    add_automation(instance, name)
    for minutes, status, count in [(50, FAILED, 1), (40, SKIPPED, 1), (30, FAILED, 2)]:
        add_tick(instance, name, minutes, status, count)
    assert look(instance, outbox)[0] == 1


def test_a_streak_from_before_the_first_look_is_told(instance: dg.DagsterInstance, outbox: Outbox, name: str) -> None:
    add_automation(instance, name)
    for minutes, count in [(90, 1), (50, 2), (40, 3)]:
        add_tick(instance, name, minutes, FAILED, count)
    assert look(instance, outbox)[0] == 1


def test_a_schedule_that_recovers_in_place_may_fail_anew(
    instance: dg.DagsterInstance, outbox: Outbox, name: str
) -> None:
    kind = InstigatorType.SCHEDULE
    add_automation(instance, name, kind)
    tick = add_tick(instance, name, 50, FAILED, 1, kind)
    assert look(instance, outbox)[0] == 1
    instance.update_tick(tick.with_status(RUNNING, error=None))
    assert look(instance, outbox)[0] == 0
    instance.update_tick(tick.with_status(SKIPPED, error=None, consecutive_failure_count=0))
    assert look(instance, outbox)[0] == 1
    add_tick(instance, name, 10, FAILED, 1, kind)
    assert look(instance, outbox)[0] == 1


def test_an_instance_in_memory_has_no_ticks(outbox: Outbox) -> None:
    with dg.DagsterInstance.ephemeral() as in_memory:
        assert look(in_memory, outbox)[0] == 0
