"""The cadences: nothing due is no run, something due is one, and never two at once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path

import dagster as dg
import pytest
from dagster._utils.schedules import schedule_execution_time_iterator

from memory_assets.automation.jobs import AT_WORK, AUTOMATION_TAG
from memory_assets.automation.pipeline import STEPS, what_is_due
from memory_assets.automation.schedules import ALL, CADENCES
from memory_assets.runtime.chain import read_chain, recipes_of
from memory_assets.runtime.marks import due_steps
from memory_assets.runtime.partitions import EVERYBODY
from memory_assets_tests.support.accesses import access
from memory_assets_tests.support.house import House, in_partitions, materialized
from memory_assets_tests.support.instances import instance_on_files
from memory_assets_tests.support.memory_files import show_file
from memory_assets_tests.support.storylines import stored_storylines

pytestmark = pytest.mark.own_engine
MONDAY, NEXT_MONDAY = datetime(2026, 11, 16, tzinfo=UTC), datetime(2026, 11, 23, tzinfo=UTC)
SCHEDULES = {schedule.name: schedule for schedule in ALL}
BY_NAME = {cadence.name: cadence for cadence in CADENCES}


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    with instance_on_files(tmp_path) as opened:  # a schedule's context asks for one with a place
        yield opened


@pytest.fixture
def ana(house: House) -> str:
    """A user whose memory is current."""
    ana = house.user("ana")
    house.ingest(ana, "2026-11-01 note.md", "The Lighthouse lamp was repaired by Tomasz Wilk in Skagness.")
    assert house.run("build_memory").success
    return ana


def asked_for(house: House) -> dict[str, object]:
    """The resources that a schedule takes."""
    return {name: house.resources[name] for name in ("graph", "installation")}


def tick(house: House, name: str, at: datetime) -> dg.RunRequest | dg.SkipReason:
    """One evaluation of a schedule."""
    # Ended at once: whenever it were collected, Dagster would take the instance of an earlier test for the current one.
    with dg.build_schedule_context(
        instance=house.instance, scheduled_execution_time=at, resources=asked_for(house)
    ) as context:
        return SCHEDULES[name](context)


def a_week() -> list[tuple[datetime, str]]:
    """Every tick of a week, by the schedules' own crons."""
    ticks = []
    for schedule in ALL:
        times = schedule_execution_time_iterator(
            MONDAY.timestamp(), schedule.cron_schedule, schedule.execution_timezone, ascending=True
        )
        ticks += [(at, schedule.name) for at in takewhile(lambda at: at < NEXT_MONDAY, times)]
    return sorted(ticks)


def confirmations(house: House) -> dict[str, list[str]]:
    """Who has confirmed each asset without a run."""
    found = {}
    for step in STEPS:
        records = house.instance.fetch_materializations(dg.AssetKey(step), limit=1000).records
        found[step] = [
            record.asset_materialization.metadata["looked_at"].value.split(": ")[1]
            for record in records
            if record.asset_materialization and not record.run_id
        ]
        assert all(record.partition_key == EVERYBODY for record in records if not record.run_id)
    return {step: names for step, names in found.items() if names}


def test_a_week_has_seven_nights_and_one_sunday() -> None:
    ticks = a_week()
    names = [name for _, name in ticks]
    assert {name: names.count(name) for name in SCHEDULES} == {
        "nightly_lifecycle": 7, "nightly_storylines": 7, "nightly_descriptions": 7, "nightly_notes_cleanup": 7,
        "weekly_macros": 1, "daily_compaction": 7, "nightly_consolidation": 7,
        "nightly_storyline_refresh": 7, "weekly_macro_refresh": 1,
    }  # fmt: skip
    sunday = [
        (at.weekday(), at.hour, at.minute) for at, name in ticks if name in ("weekly_macros", "weekly_macro_refresh")
    ]
    assert sunday == [(6, 2, 0), (6, 2, 30)]
    assert {(at.hour, at.minute) for at, name in ticks if name == "nightly_storyline_refresh"} == {(3, 30)}
    assert {(name, at.hour) for at, name in ticks} >= {("nightly_storylines", 3), ("daily_compaction", 4)}
    nights = [(at, name) for at, name in ticks if name in ("nightly_descriptions", "nightly_notes_cleanup")]
    assert [name for _, name in sorted(nights)] == ["nightly_descriptions", "nightly_notes_cleanup"] * 7
    assert {(at.hour, at.minute) for at, name in nights if name == "nightly_notes_cleanup"} == {(4, 0)}


def test_a_week_in_which_nothing_is_due_starts_no_run_and_confirms_what_was_promised(house: House, ana: str) -> None:
    runs, events = house.instance.get_runs_count(), confirmations(house)
    assert events == {}
    published = house.file(ana).stat().st_mtime_ns
    asked = house.models.ledger.last_call()
    for at, name in a_week():
        result = tick(house, name, at)
        assert isinstance(result, dg.SkipReason), (at, name)
        assert result.skip_message == "Nothing is due for anybody."
    assert house.instance.get_runs_count() == runs
    assert confirmations(house) == {
        "memory_states": ["nightly_lifecycle"] * 7,
        "storylines": ["nightly_storyline_refresh", "nightly_storylines"] * 7,
        "descriptions": ["nightly_descriptions"] * 7,
        "current_notes": ["nightly_notes_cleanup"] * 7,
        "macros": ["weekly_macro_refresh", "weekly_macros"],
        "memory_file": ["daily_compaction"] * 7,
        "consolidation_plan": ["nightly_consolidation"] * 7,
    }
    assert house.models.ledger.last_call() == asked and house.file(ana).stat().st_mtime_ns == published


def learn(house: House, ana: str, part: str) -> None:
    """Something new of the same matter."""
    house.ingest(ana, f"2026-11-02 {part}.md", f"The Lighthouse {part} was painted by Tomasz Wilk.")


def test_what_is_due_is_one_run_and_nothing_after_it(house: House, ana: str) -> None:
    """Of each cadence, one after the other: what one has made is due for the next, and a new source for the day's."""
    learn(house, ana, "mast")
    house.run("update_memory")
    access(house.settings, ana, "chunk:of-hers", at=house.settings.clock.now())
    confirmed: dict[str, list[str]] = {}
    for name, schedule in SCHEDULES.items():
        cadence, at = BY_NAME[name], next(at for at, ticked in a_week() if ticked == name)
        if cadence.naming == "changed":
            # All that was due is new, and named.
            assert isinstance(tick(house, name, at), dg.SkipReason), name
            confirmed[cadence.promise].insert(0, name)
            continue
        if name == "daily_compaction":
            learn(house, ana, "door")
        request = tick(house, name, at)
        assert isinstance(request, dg.RunRequest), name
        assert request.partition_key == EVERYBODY and request.tags[AUTOMATION_TAG] == name
        assert request.tags["memory_assets/for"] == ana
        again = tick(house, name, at)
        assert isinstance(again, dg.RunRequest) and again.run_key == request.run_key, f"{name}: a tick tried again"
        later = tick(house, name, at.replace(year=2027))
        assert isinstance(later, dg.RunRequest) and later.run_key != request.run_key, name
        assert confirmations(house) == confirmed, f"{name}: what is due is not confirmed"

        assert schedule.job_name == cadence.job
        result = house.request(request, cadence.job)
        assert result.success, name
        beside = ("accesses", "heartbeat_file")  # nothing was recalled, and she has no tasks
        for step in (step for step in cadence.steps if step not in beside):
            assert materialized(result, step) == in_partitions([ana]), (name, step)
        assert isinstance(tick(house, name, at.replace(year=2027)), dg.SkipReason), name
        confirmed |= {cadence.promise: [name]}
        assert confirmations(house) == confirmed, name


def test_what_a_nights_storylines_bring_is_taken_up_an_hour_later(house: House, ana: str) -> None:
    learn(house, ana, "mast")
    house.run("update_memory")
    assert isinstance(tick(house, "daily_compaction", MONDAY), dg.SkipReason)
    request = tick(house, "nightly_storylines", MONDAY)
    assert isinstance(request, dg.RunRequest)
    house.request(request, "form_storylines")
    due = ["descriptions", "macros", "memory_states", "consolidation_plan", "value_classifications"]
    assert house.due(ana) == due
    assert isinstance(tick(house, "daily_compaction", MONDAY), dg.RunRequest)


def test_an_edited_file_is_due_for_the_day(house: House, ana: str) -> None:
    file = house.file(ana)
    file.write_text(f"{file.read_text(encoding='utf-8')}\n- The boat is mine.\n", encoding="utf-8")
    request = tick(house, "daily_compaction", MONDAY)
    assert isinstance(request, dg.RunRequest)
    assert house.request(request, "update_memory").success
    published = file.read_text(encoding="utf-8")
    assert "Lighthouse" in published and "The boat is mine. [" in published
    assert isinstance(tick(house, "daily_compaction", MONDAY), dg.SkipReason)


@pytest.mark.parametrize("status", AT_WORK)
def test_a_schedule_waits_for_its_own_run_alone(house: House, user: str, status: dg.DagsterRunStatus) -> None:
    house.ingest(house.user("ana"), "note.md", "The lamp was repaired.")
    assert isinstance(tick(house, "daily_compaction", MONDAY), dg.RunRequest)
    house.run_at_work(status, **{AUTOMATION_TAG: "weekly_macros"})
    assert isinstance(tick(house, "daily_compaction", MONDAY), dg.RunRequest), "another's run is no reason"
    run = house.run_at_work(status, **{AUTOMATION_TAG: "daily_compaction"})
    result = tick(house, "daily_compaction", MONDAY)
    assert isinstance(result, dg.SkipReason)
    assert result.skip_message == f"The run {run.run_id} that this schedule has started is still at work."
    house.instance.report_run_failed(run)
    assert isinstance(tick(house, "daily_compaction", MONDAY), dg.RunRequest)
    assert confirmations(house) == {}


def test_a_request_is_what_dagster_takes_for_a_tick(house: House, ana: str) -> None:
    learn(house, ana, "mast")
    repository = house.definitions.get_repository_def()
    schedule = repository.get_schedule_def("daily_compaction")
    with dg.build_schedule_context(
        instance=house.instance, scheduled_execution_time=MONDAY, repository_def=repository,
        resources=asked_for(house),
    ) as context:  # fmt: skip
        (request,) = schedule.evaluate_tick(context).run_requests or ()
    assert request.partition_key == EVERYBODY
    assert request.tags["dagster/partition"] == EVERYBODY


def test_each_is_on_described_and_of_a_job_that_exists(house: House) -> None:
    for name, schedule in SCHEDULES.items():
        assert schedule.default_status == dg.DefaultScheduleStatus.RUNNING and schedule.description, name
        assert house.definitions.resolve_job_def(schedule.job_name), name


WORDS = """The Lighthouse lamp was repaired by Tomasz Wilk in Skagness.

- [ ] Pay the fee of the harbour by 2026-11-24
- [ ] Order a winter cover for the boat
"""


def test_in_february_the_file_of_november_is_due_and_is_another(house: House) -> None:
    """Nothing new has come: time alone makes the file due, once, and what follows from it."""
    eva = house.user("eva")
    house.ingest(eva, "2026-11-19 note.md", WORDS)
    assert house.run("build_memory").success
    november = house.file(eva).read_text(encoding="utf-8")
    assert "## Active Tasks" in november
    assert isinstance(tick(house, "daily_compaction", MONDAY), dg.SkipReason)
    asked = house.models.ledger.last_call()

    house.travel(datetime(2026, 11, 25, 4, tzinfo=UTC))
    assert isinstance(request := tick(house, "daily_compaction", MONDAY), dg.RunRequest)
    assert house.request(request, "update_memory").success
    assert "2026-11-24 (overdue) [" in house.file(eva).read_text(encoding="utf-8")

    house.travel(datetime(2027, 2, 3, 4, tzinfo=UTC))
    steps = ("value_classifications", "memory_draft", "memory_file")
    due = what_is_due(house.graph, house.settings, [eva], steps)
    assert due == {eva: "value_classifications is due: enough time has passed."}
    assert what_is_due(house.graph, house.settings, [eva], steps[1:]) == {
        eva: "memory_draft is due: enough time has passed."
    }
    request = tick(house, "daily_compaction", MONDAY)
    assert isinstance(request, dg.RunRequest)
    result = house.request(request, "update_memory")
    assert result.success and materialized(result, "processed_sources") == [EVERYBODY], (
        "what time does not change is not made"
    )
    february = house.file(eva).read_text(encoding="utf-8")
    assert "harbour" not in february and "## Active Tasks" not in february and "## Recent Context" not in february
    assert "Lighthouse" in february
    shown = show_file(house.graph, house.settings, eva)
    assert shown and "its day passed on 24 November 2026" in {row["reason"] for row in shown["left_out"]}
    assert house.models.ledger.last_call() == asked
    house.travel(datetime(2027, 2, 3, 5, tzinfo=UTC))
    assert isinstance(tick(house, "daily_compaction", MONDAY), dg.SkipReason)
    # From then on nothing but a memory's fading is a matter of time.
    house.travel(datetime(2029, 2, 3, tzinfo=UTC))
    assert what_is_due(house.graph, house.settings, [eva], ("memory_states",))
    assert not what_is_due(house.graph, house.settings, [eva], steps)


def test_a_storyline_that_has_changed_is_made_anew_half_an_hour_after_new_ones(house: House) -> None:
    bea = house.user("bea")

    def note(day: int) -> None:
        words = f"The Lighthouse lamp was repaired by Tomasz Wilk in Skagness, part {day}."
        house.ingest(bea, f"2026-11-{day:02} note.md", words)

    def sources() -> set[int]:
        return {row["properties"]["source_count"] for row in stored_storylines(house.graph, bea)}

    for day in range(1, 6):
        note(day)
    assert house.run("build_memory").success
    assert sources() == {5}
    note(6)
    house.run("update_memory")
    for name, count in (("nightly_storylines", 5), ("nightly_storyline_refresh", 6)):
        request = tick(house, name, MONDAY)
        assert isinstance(request, dg.RunRequest), name
        assert house.request(request, "form_storylines").success
        assert sources() == {count}, name
    assert isinstance(tick(house, "nightly_storyline_refresh", NEXT_MONDAY), dg.SkipReason)


def test_a_story_that_is_only_too_young_is_due_when_it_is_old_enough(house: House) -> None:
    """Nobody says anything more: time alone makes it due, and only then (004: more than three days)."""
    bea = house.user("bea")
    for number, day in enumerate((18, 18, 19, 19, 20)):
        words = f"The Lighthouse lamp was repaired by Tomasz Wilk in Skagness, part {number}."
        house.ingest(bea, f"2026-11-{day} note {number}.md", words)
    assert house.run("build_memory").success
    assert stored_storylines(house.graph, bea) == []
    recipes = recipes_of(STEPS, house.models)

    def due(at: datetime) -> list[str]:
        return due_steps(read_chain(house.graph, STEPS, recipes, [bea], at), bea, ["storylines", "macros"])

    assert due(datetime(2026, 11, 20, 23, tzinfo=UTC)) == []
    later = datetime(2026, 11, 23, 3, tzinfo=UTC)
    assert due(later) == ["storylines"]
    house.run("form_storylines")  # by its own clock it is as young as before
    assert due(later) == ["storylines"]
