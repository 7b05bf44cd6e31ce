"""The sensor on the inboxes, on the real graph: no file is lost, none starts a run twice, and the others go on."""

import os
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.partitions.context import partition_loading_context
from dagster._core.test_utils import create_run_for_test

from memory_assets.automation.inbox import inbox_sensor, list_inboxes
from memory_assets.automation.inbox_state import InboxState, load_state
from memory_assets.automation.jobs import AUTOMATION_TAG
from memory_assets.definitions import defs
from memory_assets.graph.graph import Graph
from memory_assets.runtime.partitions import EVERYBODY
from memory_assets.runtime.resources import ModelResource
from memory_assets.sources.seen_files import INBOX_SETTLE_SECONDS
from memory_assets_tests.automation.inbox_house import FilesClock, House

pytestmark = pytest.mark.own_engine
MODELS = {"models": ModelResource()}


@pytest.fixture
def house(graph: Graph, user: str, tmp_path: Path) -> Iterator[House]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield House(graph, tmp_path / "home", instance, user)


def test_a_dropped_file_becomes_a_partition_and_one_run_and_is_then_read(house: House) -> None:
    assert house.skipped() == "Nothing new in 0 inboxes with 0 files."
    house.write("a.md", "One note.")
    request = house.request()
    assert request.run_config == {
        "resources": {"scope": {"config": {"owners": [house.user]}}},
        "ops": {"raw_sources": {"config": {"settle_seconds": INBOX_SETTLE_SECONDS}}},
    }
    assert request.tags[AUTOMATION_TAG] == "inbox"
    assert house.user in house.partitions()
    (report,) = house.run(request)
    assert report.new == 1
    assert house.skipped() == "Nothing new in 1 inbox with 1 files."
    assert load_state(house.cursor).asked == {}


def test_the_run_that_is_asked_for_is_one_that_the_job_takes(house: House) -> None:
    house.write("a.md", "One note.")
    whole = dg.Definitions(
        assets=defs.assets, jobs=defs.jobs, sensors=[inbox_sensor], resources=house.resources | MODELS
    )
    with (
        partition_loading_context(dynamic_partitions_store=house.instance),
        dg.build_sensor_context(instance=house.instance, definitions=whole, resources=house.resources) as context,
    ):
        ticked = inbox_sensor.evaluate_tick(context)
    (request,) = ticked.run_requests
    assert request.partition_key == EVERYBODY
    assert request.run_key == house.request().run_key
    assert dg.validate_run_config(whole.resolve_job_def("update_memory"), request.run_config)


def test_a_users_and_a_teams_inbox_share_one_run(house: House) -> None:
    house.write("a.md", "One note.")
    house.write("b.md", "The team's.", owner=f"team-{house.user}")
    request = house.request()
    assert request.run_config["resources"]["scope"]["config"]["owners"] == [f"team-{house.user}", house.user]
    assert [report.new for report in house.run(request)] == [1, 1]
    house.skipped()
    house.write("c.md", "Another.")
    assert house.request().run_config["resources"]["scope"]["config"]["owners"] == [house.user]


def test_a_file_that_is_still_growing_waits_and_costs_no_question(house: House) -> None:
    FilesClock.moment = 0.0
    house.write("growing.md", "The first half")
    assert "1 changed a moment ago and wait" in house.skipped()
    house.write("growing.md", "The first half and the second.")
    house.wait(15)
    (report,) = house.run(house.request())
    assert (report.new, report.waiting) == (1, 0)


def test_an_old_file_that_was_moved_in_is_found(house: House, tmp_path: Path) -> None:
    house.write("a.md", "One note.")
    house.run(house.request())
    house.skipped()
    old = tmp_path / "old.md"
    old.write_text("Written years ago.")
    os.utime(old, (1_000_000_000, 1_000_000_000))
    old.rename(house.inbox / house.user / "old.md")
    (report,) = house.run(house.request())
    assert report.new == 1


def test_two_files_of_one_moment_are_both_found_also_one_after_the_other(house: House) -> None:
    moment = (1_700_000_000_000_000_000, 1_700_000_000_000_000_000)
    for name in ("a.md", "b.md"):
        os.utime(house.write(name, f"The note {name}."), ns=moment)
        (report,) = house.run(house.request())
        assert report.new == 1
        house.skipped()


def test_a_replaced_file_of_the_same_size_and_time_is_read_again(house: House, tmp_path: Path) -> None:
    moment = (1_700_000_000, 1_700_000_000)
    note = house.write("a.md", "Water the beans.")
    os.utime(note, moment)
    house.run(house.request())
    house.skipped()
    other = tmp_path / "other.md"
    other.write_text("Water the peas..")
    os.utime(other, moment)
    other.replace(note)
    (report,) = house.run(house.request())
    assert report.new == 1


def test_a_renamed_file_is_looked_at_once_and_a_deleted_one_starts_nothing(house: House) -> None:
    note, other = house.write("a.md", "One note."), house.write("b.md", "Another.")
    house.run(house.request())
    house.skipped()
    other.unlink()
    house.skipped()
    note.rename(note.with_name("c.md"))
    (report,) = house.run(house.request())
    assert (report.new, report.files) == (0, 1)
    house.skipped()
    assert load_state(house.cursor).asked == {}


@pytest.mark.slow
def test_three_thousand_files_at_once_are_one_request(house: House) -> None:
    for number in range(3000):
        house.write(f"{number}.md", f"The note {number}.")
    request = house.request()
    (report,) = house.run(request)
    assert report.new == 3000
    assert house.skipped() == "Nothing new in 1 inbox with 3000 files."


def test_while_its_run_is_at_work_the_sensor_waits_and_then_finds_what_arrived(house: House) -> None:
    house.write("a.md", "One note.")
    request = house.request()
    cursor = house.cursor
    for status in (dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED):
        run = create_run_for_test(house.instance, tags=request.tags, status=status)
        house.write("b.md", "Another.")
        assert run.run_id in house.skipped()
        assert house.cursor == cursor, "nothing is taken for seen"
        house.instance.report_run_canceled(run)
    house.run(request)
    house.write("c.md", "A third.")
    assert [report.new for report in house.run(house.request())] == [1]


def test_a_run_of_a_person_or_of_a_schedule_does_not_stop_the_sensor(house: House) -> None:
    for tags in ({}, {AUTOMATION_TAG: "nightly_storylines"}):
        create_run_for_test(house.instance, tags=tags, status=dg.DagsterRunStatus.STARTED)
    house.write("a.md", "One note.")
    assert house.request()


def test_a_killed_run_is_tried_again_at_once_then_with_pauses_then_every_hour(house: House) -> None:
    house.write("a.md", "One note.")
    keys = [house.request().run_key]
    keys.append(house.request().run_key)  # it was killed: at once
    for pause in (60, 600, 3600, 3600):
        assert "1 that the last runs could not finish are tried again later" in house.skipped()
        house.wait(pause - 1)
        house.skipped()
        house.wait(1.5)
        keys.append(house.request().run_key)
    assert len(set(keys)) == len(keys), "each of them starts"
    house.skipped()
    house.write("b.md", "Another.")
    last = house.request()
    assert load_state(house.cursor).asked[house.user].tries == 1, "the inbox has changed: at once"
    house.run(last)
    house.skipped()
    assert load_state(house.cursor).asked == {}


def test_a_run_killed_after_it_had_read_the_files_is_started_again_for_what_follows(house: House) -> None:
    house.write("a.md", "One note.")
    keys = set()
    for pause in (0, 0, 60, 600):
        house.wait(pause + 1)
        request = house.request()
        house.run(request)
        house.ended(request, dg.DagsterRunStatus.FAILURE)
        keys.add(request.run_key)
        if len(keys) in (2, 3):
            house.skipped()
    assert len(keys) == 4
    house.skipped()
    assert load_state(house.cursor).asked == {}, "from here on it is the day's"


def test_a_run_that_ended_or_was_canceled_after_it_had_read_the_files_is_not_started_again(house: House) -> None:
    for name, status in (("a.md", dg.DagsterRunStatus.SUCCESS), ("b.md", dg.DagsterRunStatus.CANCELED)):
        house.write(name, f"The note {name}.")
        request = house.request()
        house.run(request)
        house.ended(request, status)
        house.skipped()
        assert load_state(house.cursor).asked == {}


def test_the_same_state_of_things_asks_for_the_same_run(house: House) -> None:
    """A daemon that is killed between the request and its cursor asks again, and Dagster starts it once."""
    house.write("a.md", "One note.")
    before = house.cursor
    first = house.request()
    house.cursor = before
    assert house.request().run_key == first.run_key


def test_a_folder_that_nobody_can_own_does_not_stop_the_others_and_is_told_once(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    (house.inbox / "No Name").mkdir()
    (house.inbox / "loop").symlink_to("loop")
    house.write("a.md", "One note.")
    request = house.request()
    assert request.run_config["resources"]["scope"]["config"]["owners"] == [house.user]
    assert "Nobody can own 'No Name'" in capsys.readouterr().err
    house.run(request)
    assert "Nobody can own 'No Name'" in house.skipped()
    assert "No Name" not in capsys.readouterr().err
    assert house.user in house.partitions() and "No Name" not in house.partitions()
    (house.inbox / "No Name").rename(house.inbox / f"{house.user}-b")
    assert house.skipped() == "Nothing new in 2 inboxes with 1 files."


def test_a_folder_that_cannot_be_read_does_not_stop_the_others(house: House) -> None:
    (house.inbox / f"{house.user}-b" / "installation").mkdir(parents=True)
    (house.inbox / f"{house.user}-b" / "installation" / ".memory-assets-home").touch()
    house.write("a.md", "One note.")
    reports = house.run(house.request())
    assert [(report.new, len(report.set_aside)) for report in reports] == [(1, 0), (0, 1)]
    assert f"could not be read lie in the inbox of {house.user}-b" in house.skipped()


def test_an_inbox_that_is_missing_or_no_folder_is_no_reason_to_fail(tmp_path: Path) -> None:
    assert list_inboxes(tmp_path / "none") == ({}, [])
    (tmp_path / "file").touch()
    folders, troubles = list_inboxes(tmp_path / "file")
    assert not folders
    assert "could not be listed" in troubles[0]


@pytest.mark.parametrize("cursor", ["garbage", "[]", "{}", '{"version": 0}', '{"version":1,"read":3}', "[" * 100_000])
def test_a_cursor_that_nobody_can_read_begins_anew(
    house: House, cursor: str, capsys: pytest.CaptureFixture[str]
) -> None:
    house.write("a.md", "One note.")
    house.run(house.request())
    house.cursor = cursor
    house.skipped()
    assert "could not be read" in capsys.readouterr().err
    assert load_state(house.cursor) == InboxState(read=load_state(house.cursor).read)
