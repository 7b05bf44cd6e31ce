"""The sensor over real instances and runs: what opens and what closes is sent once, to a real receiver, without
content.
"""

import logging
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.scheduler.instigation import InstigatorType

from memory_assets.automation.alerts import gather
from memory_assets.automation.alerts.alert import Alert
from memory_assets.automation.alerts.conditions import Changes
from memory_assets.automation.alerts.gather import Gathering
from memory_assets.automation.alerts.outbox import Outbox
from memory_assets.automation.alerts.sensor import alerts
from memory_assets.automation.jobs import AUTOMATION_TAG
from memory_assets.clock import Clock
from memory_assets.errors import GraphUnavailableError
from memory_assets.graph.graph import Graph
from memory_assets.runtime.held_up import RECORD_TAG
from memory_assets.runtime.partitions import EVERYBODY, owners
from memory_assets.runtime.resources import GraphResource, InstallationResource
from memory_assets.settings import Settings
from memory_assets_tests.automation.alerts.receiver import Received, Receiver
from memory_assets_tests.automation.alerts.ticks import FAILED, RUNNING, WORKED, add_automation, add_tick, look
from memory_assets_tests.support.instances import instance_on_files
from memory_assets_tests.support.partitions import add_partitions

CANARY = "divorced-7c1"
CONTENT = f"Maya is getting {CANARY}"
TOLD = {"failed_for": "maya, ben", "found": 2, "alert": "Two drafts are too long.", "what_to_do": "Prune them."}
ALL = timedelta(days=1)


@dg.asset(partitions_def=owners)
def fine() -> None:
    """Works."""


@dg.asset(partitions_def=owners)
def failing() -> None:
    """Fails with one of our errors, and content in its message and in its cause's."""
    try:
        raise FileNotFoundError(f"/inbox/{CONTENT}.md")
    except FileNotFoundError as error:
        raise GraphUnavailableError(CONTENT) from error


@dg.asset(metadata={"note": CONTENT})
def draft() -> dg.MaterializeResult:
    """Has a check that blocks."""
    return dg.MaterializeResult(metadata={"text": CONTENT})


@dg.asset(deps=[draft])
def file() -> None:
    """Comes after the draft."""


@dg.asset_check(asset=draft, blocking=True)
def fits() -> dg.AssetCheckResult:
    """Fails, with content wherever it is not meant for alerts."""
    metadata = {**TOLD, "what_failed": dg.MetadataValue.md(CONTENT), "text": CONTENT, "rows": {"text": CONTENT}}
    return dg.AssetCheckResult(passed=False, description=CONTENT, metadata=metadata)


@dg.asset_check(asset=file)
def is_fresh() -> dg.AssetCheckResult:
    """Fails as a warning, with metadata that is no text."""
    metadata = {"failed_for": 7, "alert": {"text": CONTENT}, "text": CONTENT}
    return dg.AssetCheckResult(
        passed=False, severity=dg.AssetCheckSeverity.WARN, description=CONTENT, metadata=metadata
    )


@dg.asset(partitions_def=owners)
def sometimes(context: dg.AssetExecutionContext) -> None:
    """Fails where its run's tag says so."""
    if "fails" in context.run.tags:
        raise FileNotFoundError(CONTENT)


@dg.asset_check(asset=sometimes)
def holds(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    """Fails for whom its run's tag names, for the reason that another one names."""
    named, reason = context.run.tags.get("failed_for", ""), context.run.tags.get("reason", "")
    reasons = {owner: [reason] for owner in named.split(", ") if reason}
    return dg.AssetCheckResult(
        passed=not named, metadata={"failed_for": named, "alert_reasons": reasons, "text": CONTENT}
    )


JOBS = {
    "may_fail": dg.AssetSelection.assets(sometimes),
    "works": dg.AssetSelection.assets(fine),
    "fails": dg.AssetSelection.assets(failing),
    "is_blocked": dg.AssetSelection.assets(draft, file),
    "warns": dg.AssetSelection.assets(file),
}
HOUSE = dg.Definitions(
    assets=[fine, failing, draft, file, sometimes],
    asset_checks=[fits, is_fresh, holds],
    jobs=[dg.define_asset_job(name, selection=selection) for name, selection in JOBS.items()],
    executor=dg.in_process_executor,
)


class Here(InstallationResource):
    """The installation of a test."""

    @property
    def settings(self) -> Settings:
        return Settings()


class Nowhere(GraphResource):
    """A graph that nobody reaches: alerts go out all the same."""

    def open(self) -> Graph:
        raise GraphUnavailableError("It is gone.")


@dataclass
class World:
    """An instance, a receiver, and the cursor that the daemon would keep."""

    instance: dg.DagsterInstance
    receiver: Receiver
    cursor: str | None = None
    reasons: list[str] = field(default_factory=list)

    def run(self, job: str, partition: str | None = None, **tags: str) -> str:
        """Run a job to its end; its id."""
        done = HOUSE.resolve_job_def(job).execute_in_process(
            instance=self.instance, partition_key=partition, tags=tags, raise_on_error=False
        )
        return done.run_id

    def tick(self, keep_cursor: bool = True) -> list[Received]:
        """Evaluate the sensor as the daemon does; the requests that the receiver got."""
        before = len(self.receiver.received)
        context = dg.build_sensor_context(
            instance=self.instance, cursor=self.cursor, resources={"installation": Here(), "graph": Nowhere()}
        )
        result = alerts(context)
        assert isinstance(result, dg.SensorResult) and not result.run_requests
        self.reasons.append(result.skip_reason.skip_message)
        if keep_cursor:
            self.cursor = result.cursor
        return self.receiver.received[before:]

    def received_ids(self) -> list[str]:
        """The ids of all alerts that were received, in order."""
        return [request.body["id"] for request in self.receiver.received]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    home = tmp_path / "dagster"
    home.mkdir()
    with instance_on_files(home) as instance, Receiver() as receiver:
        add_partitions(instance, ["ben", "maya"])
        monkeypatch.setenv("MEMORY_ASSETS_ALERT_WEBHOOK_URL", receiver.url)
        yield World(instance, receiver)


def test_each_failure_is_told_once_and_successes_never(world: World) -> None:
    world.run("works", "maya")
    failed = world.run("fails", "maya", **{AUTOMATION_TAG: "nightly_storylines", "note": CONTENT})
    blocked = world.run("is_blocked")
    warned = world.run("warns")
    ids = [f"run-{failed}", f"run-{blocked}", f"run-{warned}"]
    step, check, warning = (request.body for request in world.tick())
    assert world.received_ids() == ids
    assert (step["severity"], check["severity"], warning["severity"]) == ("error", "error", "warning")
    assert step["what"] == [
        "The step failing failed. GraphUnavailableError: The graph cannot be reached. Caused by FileNotFoundError."
    ]
    assert (step["for"], step["job"], step["run_id"], step["automation"]) == (
        ["maya"],
        "fails",
        failed,
        "nightly_storylines",
    )
    assert check["what"] == [
        "The check fits of draft failed and holds up what follows for maya, ben (2 found). Two drafts are too long."
    ]
    assert (check["for"], check["what_to_do"], check["title"]) == (
        ["ben", "maya"],
        ["Prune them."],
        "is_blocked failed, 1 check with it",
    )
    assert check["where"][0]["url"] == f"http://127.0.0.1:3000/runs/{blocked}"
    assert check["where"][1]["url"] == "http://127.0.0.1:3000/assets/draft?view=checks&checkDetail=fits"
    assert (warning["title"], warning["for"], warning["automation"]) == ("warns: 1 check warns", [], None)
    world.tick()
    world.tick(keep_cursor=False)
    world.cursor = None  # as after an instance was made anew beside an old home, or by hand in the UI
    world.tick()
    world.cursor = "not an instant"
    world.tick()
    assert world.received_ids() == ids
    assert world.reasons[0].startswith("3 new alerts") and set(world.reasons[1:]) == {"Nothing to tell."}


def test_a_condition_is_told_when_it_opens_for_whom_joins_and_when_it_closes(world: World) -> None:
    def judged(failed_for: str, **tags: str) -> list[tuple[str, list[str]]]:
        world.run("may_fail", "maya", failed_for=failed_for, **tags)
        return [(request.body["state"], request.body["for"]) for request in world.tick()]

    assert judged("ben") == [("opened", ["ben"])]
    opened = world.receiver.received[-1].body
    assert opened["since"] == opened["at"] and opened["severity"] == "error"
    assert judged("ben") == judged("ben") == []
    assert judged("ben, maya") == [("opened", ["maya"])]
    world.cursor = None  # another daemon, that knows no more than what is stored
    assert judged("ben, maya") == []
    assert judged("maya") == [("closed", ["ben"])]
    assert world.receiver.received[-1].body["since"] <= opened["at"] < world.receiver.received[-1].body["at"]
    assert judged("maya", reason="KeyError") == [("opened", ["maya"])]
    assert judged("maya", reason="KeyError") == []
    assert judged("") == [("closed", ["maya"])]
    closed = world.receiver.received[-1].body
    assert closed["severity"] == "info" and closed["what_to_do"] == []
    assert closed["what"][0].startswith("The check holds of sometimes passes again for maya; it had failed since ")
    assert judged("") == [] and judged("ben") == [("opened", ["ben"])]
    assert len(set(world.received_ids())) == len(world.received_ids())


def test_runs_that_fail_are_told_once_and_once_when_it_works_again(world: World) -> None:
    def ran(partition: str, **tags: str) -> list[tuple[str, list[str]]]:
        world.run("may_fail", partition, **tags)
        return [(request.body["state"], request.body["for"]) for request in world.tick()]

    assert ran("maya", fails="yes") == [("opened", ["maya"])]
    assert ran("maya", fails="yes") == []
    assert ran("ben") == []
    assert ran("ben", fails="yes") == [("opened", ["ben"])]
    assert ran("maya") == [("closed", ["maya"])]
    assert world.receiver.received[-1].body["what"][0].startswith("The step sometimes works again for maya")
    assert ran("maya") == [] and ran("maya", fails="yes") == [("opened", ["maya"])]
    add_partitions(world.instance, [EVERYBODY])
    assert ran(EVERYBODY) == [("closed", ["ben", "maya"])]


def test_a_killed_run_is_told_until_its_job_succeeds(world: World) -> None:
    for _ in range(2):
        run = dg.DagsterRun(job_name="works", run_id=str(uuid.uuid4()), status=dg.DagsterRunStatus.STARTED)
        world.instance.add_run(run)
        world.instance.report_run_failed(run)
        world.tick()
    assert [request.body["state"] for request in world.receiver.received] == ["opened"]
    run = dg.DagsterRun(job_name="works", run_id=str(uuid.uuid4()), status=dg.DagsterRunStatus.STARTED)
    world.instance.add_run(run)
    world.instance.report_dagster_event(dg.DagsterEvent("PIPELINE_SUCCESS", "works"), run.run_id)
    world.tick()
    assert [request.body["state"] for request in world.receiver.received] == ["opened", "closed"]


def test_what_a_run_has_judged_before_it_was_canceled_counts(world: World) -> None:
    world.run("may_fail", "maya", failed_for="ben")
    world.tick()
    finished = world.run("may_fail", "maya")
    world.instance.report_run_canceled(world.instance.get_run_by_id(finished))
    assert [request.body["state"] for request in world.tick()] == ["closed"]


def test_a_kill_while_a_run_is_taken_loses_nothing_and_repeats_nothing(world: World) -> None:
    def killed(_: Changes) -> list[Alert]:
        raise KeyboardInterrupt

    outbox = Outbox(Settings().alerts_file, ["webhook"])
    for failed_for, state in (("ben", "opened"), ("", "closed")):
        world.run("may_fail", "maya", failed_for=failed_for)
        (*_, ended) = gather.ended_runs(world.instance, datetime.now(UTC) - ALL)
        facts = gather.facts_of_run(world.instance, ended)
        assert facts is not None
        with pytest.raises(KeyboardInterrupt):
            outbox.take_run(f"run/{ended.dagster_run.run_id}", facts, killed, datetime.now(UTC))
        # Taken, and killed before it was sent.
        assert look(world.instance, outbox, None, channels=["log", "webhook"])[0] == 1
        assert [request.body["state"] for request in world.tick()] == [state]
        world.cursor = None
        assert world.tick() == []
    outbox.close()


def test_the_record_of_who_was_held_up_is_no_failure_of_its_own(world: World) -> None:
    counts, parent = [], None
    for _ in ("the record", "its repetition, which has its tags"):
        run = dg.DagsterRun(
            job_name="works",
            run_id=str(uuid.uuid4()),
            status=dg.DagsterRunStatus.STARTED,
            tags={RECORD_TAG: "another"},
            parent_run_id=parent,
            root_run_id=parent,
        )
        world.instance.add_run(run)
        world.instance.report_run_failed(run, CONTENT)
        counts.append(len(world.tick()))
        parent = run.run_id
    assert counts == [0, 1]


def test_no_content_gets_anywhere(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    world.run("fails", "maya", note=CONTENT, **{AUTOMATION_TAG: CONTENT, "dagster/failure_reason": CONTENT})
    world.run(
        "is_blocked", **{"dagster/asset_partition_range_start": CONTENT, "dagster/asset_partition_range_end": CONTENT}
    )
    world.run("warns", **{"dagster/partition": CONTENT})
    add_automation(world.instance, "inbox")
    add_tick(world.instance, "inbox", 5, FAILED, content=CONTENT)
    caplog.clear()  # Dagster logs what runs do
    assert len(world.tick()) == 4
    stored = b"".join(path.read_bytes() for path in Settings().home.glob("alerts.sqlite*"))
    for shown in (
        repr(world.receiver.received),
        caplog.text,
        "".join(world.reasons),
        world.cursor or "",
        stored.decode("latin-1"),
    ):
        assert CANARY not in shown
    assert "alerts.sqlite" in {path.name for path in Settings().home.iterdir()} and b"GraphUnavailableError" in stored


def test_a_run_is_told_when_it_has_ended_and_not_before(world: World) -> None:
    run = dg.DagsterRun(job_name="fails", run_id=str(uuid.uuid4()), status=dg.DagsterRunStatus.STARTED)
    world.instance.add_run(run)
    assert world.tick() == []
    world.instance.report_run_failed(run, CONTENT)
    (request,) = world.tick()
    assert request.body["id"] == f"run-{run.run_id}" and "ended without a failing step" in request.body["what"][0]


def test_canceled_runs_are_no_news(world: World) -> None:
    run = dg.DagsterRun(job_name="fails", run_id=str(uuid.uuid4()), status=dg.DagsterRunStatus.STARTED)
    world.instance.add_run(run)
    world.instance.report_run_canceled(run)
    assert world.tick() == []


def test_what_was_not_sent_is_sent_by_a_later_tick_of_another_process(world: World) -> None:
    outbox = Outbox(Settings().alerts_file)
    run = world.run("fails", "maya")
    # As a tick does that is killed after it has gathered: the outbox holds the alert, the cursor was never stored.
    assert look(world.instance, outbox, None, channels=["log", "webhook"])[0] == 1
    assert [request.body["id"] for request in world.tick()] == [f"run-{run}"]
    outbox.close()


def test_the_first_look_goes_back_an_hour(world: World, outbox: Outbox) -> None:
    world.run("fails", "maya")
    assert look(world.instance, outbox, None, timedelta(minutes=61))[0] == 0
    assert look(world.instance, outbox, None, timedelta(minutes=59))[0] == 1


def test_the_look_overlaps_so_that_runs_recorded_late_are_not_lost(world: World, outbox: Outbox) -> None:
    world.run("fails", "maya")
    now = datetime.now(UTC)
    assert look(world.instance, outbox, now + timedelta(minutes=6))[0] == 0
    assert look(world.instance, outbox, now + timedelta(minutes=4))[0] == 1


def test_after_a_long_silence_news_is_a_week_old_at_most(world: World, outbox: Outbox) -> None:
    world.run("fails", "maya")
    assert look(world.instance, outbox, datetime(2020, 1, 1, tzinfo=UTC), timedelta(days=8))[0] == 0
    assert look(world.instance, outbox, datetime(2020, 1, 1, tzinfo=UTC), timedelta(days=6))[0] == 1


def test_an_old_run_whose_tags_change_is_not_told_again(world: World, outbox: Outbox) -> None:
    run = world.run("fails", "maya")
    ended = datetime.now(UTC)
    world.instance.add_run_tags(run, {"note": "looked at"})
    assert list(gather.ended_runs(world.instance, ended)) == []
    assert [found.dagster_run.run_id for found in gather.ended_runs(world.instance, ended - ALL)] == [run]


def test_a_deleted_run_is_passed_over(world: World) -> None:
    world.run("fails", "maya")
    (ended,) = gather.ended_runs(world.instance, datetime.now(UTC) - ALL)
    assert gather.facts_of_run(world.instance, ended) is not None
    world.instance.delete_run(ended.dagster_run.run_id)
    assert gather.facts_of_run(world.instance, ended) is None and world.tick() == []


def test_many_runs_come_in_pages_and_none_is_lost(
    world: World, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gather, "PAGE", 3)
    for _ in range(10):
        run = dg.DagsterRun(job_name="fails", run_id=str(uuid.uuid4()), status=dg.DagsterRunStatus.STARTED)
        world.instance.add_run(run)
        world.instance.report_run_failed(run)
    assert look(world.instance, outbox, None)[0] == 1, "the same, ten times"
    known = [found.dagster_run.run_id for found in gather.ended_runs(world.instance, datetime.now(UTC) - ALL)]
    assert len(set(known)) == 10 and all(outbox.is_known(f"run/{run_id}") for run_id in known)


def test_a_look_that_takes_too_long_goes_on_at_the_next(world: World, outbox: Outbox) -> None:
    add_partitions(world.instance, names := [f"user-{number}" for number in range(5)])
    for name in names:
        world.run("fails", name)
    passing = iter(range(0, 10_000, 5))
    clock = Clock(datetime.now(UTC))
    gathering = Gathering(world.instance, outbox, clock, "http://ui", monotonic=lambda: next(passing))
    cursor, found = None, []
    for _ in range(3):
        cursor = gathering.look(cursor)
        found.append(gathering.alerts)
    assert found == [2, 4, 5]


def test_the_owners_of_a_run_over_several_partitions(world: World) -> None:
    add_partitions(world.instance, ["nora", "olaf"])
    tags = {"dagster/asset_partition_range_start": "maya", "dagster/asset_partition_range_end": "nora"}
    run = dg.DagsterRun(job_name="fails", run_id=str(uuid.uuid4()), status=dg.DagsterRunStatus.STARTED, tags=tags)
    world.instance.add_run(run)
    world.instance.report_run_failed(run)
    assert world.tick()[0].body["for"] == ["maya", "nora"]


def test_a_run_that_cannot_be_read_does_not_hold_up_the_others_and_fails_the_tick(world: World) -> None:
    broken, other = world.run("fails", "maya"), world.run("fails", "ben")
    events = Path(world.instance.root_directory) / "history" / "runs" / f"{broken}.db"
    world.instance.event_log_storage.dispose()  # closes the file
    original = events.read_bytes()
    events.write_bytes(b"no database" * 1000)
    with pytest.raises(Exception, match="not a database"):
        world.tick()
    assert world.received_ids() == [f"run-{other}"]
    world.instance.event_log_storage.dispose()
    events.write_bytes(original)
    world.tick()
    assert world.received_ids() == [f"run-{other}", f"run-{broken}"]


def test_a_failing_sensor_a_failing_schedule_and_the_sensors_own_failure_are_told(world: World) -> None:
    add_automation(world.instance, "inbox")
    add_automation(world.instance, "nightly_storylines", InstigatorType.SCHEDULE)
    add_automation(world.instance, "alerts")
    add_tick(world.instance, "inbox", 30, FAILED, 1)
    add_tick(world.instance, "nightly_storylines", 20, FAILED, 1, InstigatorType.SCHEDULE)
    add_tick(world.instance, "alerts", 10, FAILED, 1)
    add_tick(world.instance, "alerts", 0, RUNNING)
    bodies = {request.body["automation"]: request.body for request in world.tick()}
    assert {body["state"] for body in bodies.values()} == {"opened"}
    assert set(bodies) == {"inbox", "nightly_storylines", "alerts"}
    assert bodies["inbox"]["kind"] == "automation" and "KeyError" in bodies["inbox"]["what"][0]
    assert bodies["inbox"]["where"][0]["url"] == "http://127.0.0.1:3000/locations/memory_assets/sensors/inbox"
    assert bodies["nightly_storylines"]["where"][0]["url"].endswith(
        "/locations/memory_assets/schedules/nightly_storylines"
    )
    assert world.tick() == []
    add_tick(world.instance, "inbox", 1, WORKED)
    (works,) = (request.body for request in world.tick())
    assert (works["state"], works["automation"], works["since"]) == ("closed", "inbox", bodies["inbox"]["at"])
    assert works["title"] == "The sensor inbox works again"
    assert world.tick() == []


def test_the_sensor_runs_by_itself_and_starts_nothing() -> None:
    assert alerts.default_status == dg.DefaultSensorStatus.RUNNING and alerts.minimum_interval_seconds == 20
    assert alerts.description and not alerts.targets
    dg.Definitions.validate_loadable(
        dg.Definitions(sensors=[alerts], resources={"installation": Here(), "graph": Nowhere()})
    )
