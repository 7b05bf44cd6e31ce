"""The sensor that doesn't wait for the day: what is past the threshold, and what somebody has changed."""

from __future__ import annotations

import dagster as dg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.automation.jobs import AT_WORK, AUTOMATION_TAG
from memory_assets.automation.schedules import memory_threshold, past_threshold
from memory_assets_tests.support.house import House, in_partitions, materialized

pytestmark = pytest.mark.own_engine
BUDGET = 2000
SENTENCE = "The Lighthouse lamp number {} was repaired by Tomasz Wilk in Skagness. "


@pytest.mark.parametrize(
    ("waiting", "past"),
    [
        ({}, []),
        ({"ana": 0}, []),
        ({"ana": 1599}, []),
        ({"ana": 1600}, ["ana"]),
        ({"ben": 5000, "ana": 1600, "cleo": 1000}, ["ana", "ben"]),
        ({"ana": 800, "ben": 800}, []),
    ],
)
def test_the_threshold_is_eight_tenths_of_each_owners_own_budget(waiting: dict[str, int], past: list[str]) -> None:
    assert past_threshold(waiting, BUDGET) == past


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 4000)), st.integers(1, 4000), st.floats(0.1, 1))
def test_an_owner_is_past_it_by_the_owners_own_tokens(waiting: dict[str, int], budget: int, share: float) -> None:
    past = past_threshold(waiting, budget, share)
    assert past == sorted(name for name in waiting if past_threshold({name: waiting[name]}, budget, share))
    more = {name: tokens + 1 for name, tokens in waiting.items()}
    assert set(past) <= set(past_threshold(more, budget, share))


def text(tokens: int) -> str:
    """Text that weighs so many tokens before it is processed: four bytes each."""
    words = "".join(SENTENCE.format(number) for number in range(tokens))
    return words[: 4 * tokens]


def tick(house: House) -> dg.RunRequest | dg.SkipReason:
    resources = {name: house.resources[name] for name in ("graph", "installation")}
    with dg.build_sensor_context(instance=house.instance, resources=resources) as context:
        return memory_threshold(context)


def requested(house: House) -> dg.RunRequest:
    result = tick(house)
    assert isinstance(result, dg.RunRequest), result
    assert result.tags[AUTOMATION_TAG] == "memory_threshold"
    return result


def skipped(house: House) -> str:
    result = tick(house)
    assert isinstance(result, dg.SkipReason), result
    return result.skip_message or ""


def test_new_material_triggers_from_the_threshold_on_once_for_each_state(house: House) -> None:
    ana, ben = house.user("ana"), house.user("ben")
    house.ingest(ben, "small.md", text(700))
    house.ingest(ana, "most.md", text(1599))
    assert "1599 tokens" in skipped(house)
    house.ingest(ana, "rest.md", "The mast was painted.")
    request = requested(house)
    assert requested(house).run_key == request.run_key
    house.ingest(ana, "more.md", "The mast was painted again.")
    newer = requested(house)
    assert newer.run_key != request.run_key
    result = house.request(newer, "update_memory")
    assert result.success
    assert materialized(result, "memory_file") == in_partitions([ana, ben]), "all who are due go along"
    assert "at most 0 tokens" in skipped(house)


def test_what_was_processed_but_not_extracted_still_waits(house: House) -> None:
    ana = house.user("ana")
    house.ingest(ana, "note.md", text(4000))
    house.run("process_sources")
    assert house.due(ana) == ["recall_index", "agent_records", "extracted_entities"]
    house.request(requested(house), "update_memory")
    assert skipped(house)


def test_a_team_past_it_counts_for_itself(house: House) -> None:
    ana = house.user("ana")
    team = house.team("garden", ana)
    house.ingest(team, "plan.md", text(1700))
    result = house.request(requested(house), "update_memory")
    assert materialized(result, "processed_sources") == in_partitions([ana, team])
    assert "Lighthouse" in house.file(ana).read_text()
    assert skipped(house)


def test_a_changed_file_triggers_once_for_each_change(house: House) -> None:
    ana = house.user("ana")
    house.ingest(ana, "note.md", "The Lighthouse lamp was repaired.")
    assert house.run("build_memory").success
    published = house.file(ana).read_bytes()
    assert skipped(house)
    house.file(ana).write_text("Mine.")
    edited = requested(house)
    assert requested(house).run_key == edited.run_key, "one run for one state"
    house.file(ana).write_text("Mine, again.")
    assert requested(house).run_key != edited.run_key
    house.file(ana).unlink()
    removed = requested(house)
    assert removed.run_key != edited.run_key
    result = house.request(removed, "update_memory")
    assert materialized(result, "memory_file") == in_partitions([ana])
    assert house.file(ana).read_bytes() == published
    assert skipped(house)


@pytest.mark.parametrize("status", AT_WORK)
def test_any_run_at_work_is_waited_for(house: House, status: dg.DagsterRunStatus) -> None:
    house.ingest(house.user("ana"), "note.md", text(1700))
    run = house.run_at_work(status)
    assert run.run_id in skipped(house)
    house.instance.report_run_failed(run)
    requested(house)


def test_it_is_on_and_described() -> None:
    assert memory_threshold.default_status == dg.DefaultSensorStatus.RUNNING and memory_threshold.description
