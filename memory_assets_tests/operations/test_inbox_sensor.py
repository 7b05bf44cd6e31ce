"""The sensor on the inbox: no file is lost, none starts a run twice, and the others go on."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.partitions.context import partition_loading_context
from dagster._core.test_utils import create_run_for_test
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.clock import Clock
from memory_assets.definitions import defs
from memory_assets.errors import GraphQueryError
from memory_assets.graph.graph import Graph
from memory_assets.llm.model_client import open_models
from memory_assets.model import can_own
from memory_assets.operations.abandoned import process_tag
from memory_assets.operations.automation import AUTOMATION_TAG
from memory_assets.operations.inbox import FOLLOWS, LOOK_SECONDS, inbox_sensor, list_inboxes, look_through
from memory_assets.operations.inbox_state import (
    GROUPS,
    LONG_PAUSE,
    PAUSES,
    Asked,
    InboxState,
    choose_doubtful,
    decide_group,
    dump_state,
    group_of,
    in_turn,
    load_state,
    request_for,
)
from memory_assets.operations.partitions import EVERYBODY, owners
from memory_assets.resources import ModelResource
from memory_assets.settings import Settings, ensure_home
from memory_assets.sources.inbox import INBOX_SETTLE_SECONDS
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.policy import IngestReport
from memory_assets_tests.support.fixture_resources import resources_of

INSTANT = datetime(2026, 11, 20, 12, tzinfo=UTC)
MODELS = {"models": ModelResource()}


class FilesClock(Clock):
    """Stopped as any clock of a test; how long ago files were changed is told by ``moment``."""

    moment = 0.0

    def file_time(self) -> float:
        return super().file_time() + FilesClock.moment


class House:
    """An installation with a real graph and inboxes, whose sensor is evaluated tick by tick."""

    def __init__(self, graph: Graph, home: Path, instance: dg.DagsterInstance, user: str) -> None:
        self.graph, self.instance, self.user = graph, instance, user
        given, clock = Settings(_env_file=None, home=home), FilesClock(INSTANT)
        ensure_home(given)
        self.inbox, self.clock, self.cursor, self.log = given.inbox, clock, None, []
        FilesClock.moment = 60.0
        self.resources = resources_of(graph, open_models(given), given, clock)

    def write(self, name: str, text: str, owner: str | None = None) -> Path:
        path = self.inbox / (owner or self.user) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def wait(self, seconds: float) -> None:
        """Let time pass for files and pauses."""
        FilesClock.moment += seconds

    def tick(self) -> dg.SensorResult | dg.SkipReason:
        """Evaluate the sensor as the daemon does: the cursor stands afterwards."""
        with dg.build_sensor_context(instance=self.instance, cursor=self.cursor, resources=self.resources) as context:
            result = inbox_sensor(context)
        if isinstance(result, dg.SensorResult):
            self.cursor = result.cursor
        return result

    def request(self) -> dg.RunRequest:
        """The one run that a tick asks for."""
        result = self.tick()
        assert isinstance(result, dg.SensorResult), result
        (request,) = result.run_requests
        return request

    def skipped(self) -> str:
        """Why a tick asks for none."""
        result = self.tick()
        if isinstance(result, dg.SkipReason):
            return result.skip_message
        assert not result.run_requests
        return result.skip_reason.skip_message

    def partitions(self) -> list[str]:
        """The owners that have become partitions."""
        return sorted(filter(can_own, self.instance.get_dynamic_partitions(owners.name)))

    def ended(self, request: dg.RunRequest, status: dg.DagsterRunStatus) -> None:
        """What Dagster knows of a run that was asked for, after its end."""
        create_run_for_test(self.instance, tags=dict(request.tags), status=status)

    def run(self, request: dg.RunRequest) -> list[IngestReport]:
        """What raw_sources does in the run that was asked for."""
        config = request.run_config["ops"]["raw_sources"]["config"]
        settle = config["settle_seconds"]
        return [
            ingest_paths(self.graph, owner, [self.inbox / owner], None, self.clock, settle_seconds=settle)
            for owner in config["owners"]
        ]


@pytest.fixture
def house(graph: Graph, user: str, tmp_path: Path) -> Iterator[House]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield House(graph, tmp_path / "home", instance, user)


def test_a_dropped_file_becomes_a_partition_and_one_run_and_is_then_read(house: House) -> None:
    assert house.skipped() == "Nothing new in 0 inboxes with 0 files."
    house.write("a.md", "One note.")
    request = house.request()
    assert request.run_config["ops"] == {
        "raw_sources": {"config": {"owners": [house.user], "settle_seconds": INBOX_SETTLE_SECONDS}},
        **{step: {"config": {"owners": [house.user]}} for step in FOLLOWS},
    }
    assert request.tags[AUTOMATION_TAG] == "inbox"
    assert house.user in house.partitions()
    (report,) = house.run(request)
    assert report.new == 1
    assert house.skipped() == "Nothing new in 1 inbox with 1 files."
    assert load_state(house.cursor).asked == {}


def test_the_run_that_is_asked_for_is_one_that_the_job_takes(house: House) -> None:
    house.write("a.md", "One note.")
    whole = dg.Definitions(assets=defs.assets, jobs=defs.jobs, sensors=[inbox_sensor], resources=house.resources | MODELS)
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
    assert request.run_config["ops"]["raw_sources"]["config"]["owners"] == [f"team-{house.user}", house.user]
    assert [report.new for report in house.run(request)] == [1, 1]
    house.skipped()
    house.write("c.md", "Another.")
    assert house.request().run_config["ops"]["raw_sources"]["config"]["owners"] == [house.user]


def test_a_file_that_is_still_growing_waits_and_costs_no_question(house: House) -> None:
    FilesClock.moment = 0.0
    growing = house.write("growing.md", "The first half")
    assert "1 changed a moment ago and wait" in house.skipped()
    growing.write_text("The first half and the second.")
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
        run = create_run_for_test(house.instance, tags={**request.tags, **process_tag()}, status=status)
        house.write("b.md", "Another.")
        assert run.run_id in house.skipped()
        assert house.cursor == cursor, "nothing is taken for seen"
        house.instance.report_run_canceled(run)
    house.run(request)
    house.write("c.md", "A third.")
    assert [report.new for report in house.run(house.request())] == [1]


def test_a_run_of_a_person_or_of_a_schedule_does_not_stop_the_sensor(house: House) -> None:
    for tags in ({}, {AUTOMATION_TAG: "nightly_storylines"}):
        create_run_for_test(house.instance, tags=tags | process_tag(), status=dg.DagsterRunStatus.STARTED)
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
    assert load_state(house.cursor).asked[house.user].tries == 1, "the inbox stands otherwise: at once"
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
    assert request.run_config["ops"]["raw_sources"]["config"]["owners"] == [house.user]
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


def write_inboxes(root: Path, names: list[str]) -> dict[str, Path]:
    for name in names:
        (root / name).mkdir()
        (root / name / "note.md").write_text(f"The note of {name}.")
    return {name: root / name for name in names}


def test_a_tick_that_runs_out_of_time_leaves_the_rest_to_the_next(tmp_path: Path) -> None:
    folders = write_inboxes(tmp_path, [f"user{number}" for number in range(30)])
    now = max(path.stat().st_ctime for path in tmp_path.glob("*/*")) + 60
    state, wanted, ticks, times = InboxState(), [], 0, iter(range(0, 10_000, int(LOOK_SECONDS / 4)))

    def is_unread(owner: str) -> bool:
        return owner not in wanted

    while len(wanted) < len(folders):
        tick = look_through(state, folders, is_unread, now, elapsed=lambda: float(next(times)))
        assert tick.wanted
        assert (tick.unseen > 0) == bool(tick.state.next_group)
        state, ticks = tick.state, ticks + 1
        wanted += tick.wanted
    assert ticks > 3
    assert sorted(wanted) == sorted(folders), "each once"


def test_an_owner_of_whom_the_graph_cannot_tell_does_not_stop_the_others(tmp_path: Path) -> None:
    folders = write_inboxes(tmp_path, ["maya", "nora", "olaf"])
    now = max(path.stat().st_ctime for path in tmp_path.glob("*/*")) + 60

    def ask(owner: str) -> bool:
        if owner == "nora":
            raise GraphQueryError("It was refused.")
        return owner == "olaf"

    tick = look_through(InboxState(), folders, ask, now)
    assert sorted(tick.wanted) == ["nora", "olaf"]
    assert "nora" in tick.troubles[0]
    assert "maya" not in tick.state.asked


def test_only_inboxes_that_stand_otherwise_cost_a_question(tmp_path: Path) -> None:
    folders = write_inboxes(tmp_path, [f"user{number}" for number in range(50)])
    now = max(path.stat().st_ctime for path in tmp_path.glob("*/*")) + 60
    questions: list[str] = []

    def ask(owner: str) -> bool:
        questions.append(owner)
        return False

    state = look_through(InboxState(), folders, ask, now).state
    assert len(questions) == 50
    questions.clear()
    state = look_through(state, folders, ask, now).state
    assert questions == []
    (folders["user7"] / "more.md").write_text("More.")
    look_through(state, folders, ask, now + 60)
    assert questions == [name for name in sorted(folders) if group_of(name) == group_of("user7")]


def test_the_cursor_stays_small_however_many_owners_there_are() -> None:
    state = InboxState()
    names = [f"user{number}" for number in range(5000)]
    for group, members in in_turn(state, names):
        digests = dict.fromkeys(members, "d" * 16)
        state, _ = decide_group(state, group, digests, dict.fromkeys(members, False), 0)
    assert len(state.read) <= GROUPS
    assert len(dump_state(state)) < 3000


@pytest.mark.parametrize(
    ("before", "digest", "unread", "now", "doubtful", "after", "wanted"),
    [
        (None, "d", True, 0, True, Asked("d", 1), True),
        (None, "d", False, 0, True, None, False),
        (Asked("d", 1), "d", False, 0, True, None, False),
        (Asked("d", 1), "d", True, 0, True, Asked("d", 2), True),
        (Asked("d", 2), "d", True, 100, True, Asked("d", 2, 160), False),
        (Asked("d", 2, 160), "d", None, 159, False, Asked("d", 2, 160), False),
        (Asked("d", 2, 160), "d", True, 160, True, Asked("d", 3), True),
        (Asked("d", 3), "d", True, 200, True, Asked("d", 3, 800), False),
        (Asked("d", 4), "d", True, 1000, True, Asked("d", 4, 4600), False),
        (Asked("d", 4, 4600), "d", True, 4600, True, Asked("d", 5), True),
        (Asked("d", 5), "d", True, 5000, True, Asked("d", 5, 8600), False),
        (Asked("d", 5, 8600), "e", True, 5001, True, Asked("e", 1), True),
        (Asked("d", 5, 8600), "e", False, 5001, True, None, False),
        (Asked("d", 5, 8600), "d", True, 60, True, Asked("d", 6), True),  # the machine's clock was set back
    ],
)
def test_what_becomes_of_an_inbox(
    before: Asked | None,
    digest: str,
    unread: bool | None,
    now: float,
    doubtful: bool,
    after: Asked | None,
    wanted: bool,
) -> None:
    group = group_of("maya")
    state = InboxState(asked={} if before is None else {"maya": before})
    assert choose_doubtful(state, group, {"maya": digest}, now) == (["maya"] if doubtful else [])
    answers = {"maya": unread} if unread is not None else {}
    state, chosen = decide_group(state, group, {"maya": digest}, answers, now)
    assert state.asked.get("maya") == after
    assert chosen == (["maya"] if wanted else [])
    assert (group in state.read) == (after is None)
    assert load_state(dump_state(state)) == state


NAMES = [f"user{number}" for number in range(6)]
EVENTS = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["arrives", "touched"]), max_size=3),
        st.sampled_from(["reads", "is killed", "reads some"]),
        st.sampled_from([15, 70, 700, 4000]),
    ),
    max_size=30,
)


@settings(deadline=None, max_examples=200)
@given(EVENTS)
def test_whatever_arrives_and_whatever_is_killed_everything_is_read_and_nothing_is_asked_for_in_vain(events) -> None:
    """A world of inboxes: each tick sees their digests, asks for runs, and those read, read some, or are killed."""
    digests, unread, state, now = dict.fromkeys(NAMES, "0"), dict.fromkeys(NAMES, False), InboxState(), 0.0
    keys: set[str] = set()
    number = 0

    def tick(run: str) -> list[str]:
        nonlocal state
        wanted: list[str] = []
        for group, members in in_turn(state, NAMES):
            here = {owner: digests[owner] for owner in members}
            answers = {owner: unread[owner] for owner in choose_doubtful(state, group, here, now)}
            state, chosen = decide_group(state, group, here, answers, now)
            wanted += chosen
        state = load_state(dump_state(state))
        assert all(unread[owner] for owner in wanted)
        assert all(owner in state.asked for owner in NAMES if unread[owner]), "none is taken for read that is not"
        request = request_for(state, wanted)
        assert (request is None) == (not wanted)
        if request:
            assert request.key not in keys, "a run that was asked for before would not start"
            keys.add(request.key)
        for owner in wanted if run == "reads" else wanted[:1] if run == "reads some" else []:
            unread[owner] = False
        return wanted

    for changes, run, seconds in events:
        now += seconds
        for owner, change in changes.items():
            number += 1
            digests[owner] = str(number)
            unread[owner] = unread[owner] or change == "arrives"
        tick(run)
    now += LONG_PAUSE
    for _ in range(len(PAUSES)):
        tick("reads")
        now += LONG_PAUSE
    assert not any(unread.values())
    tick("reads")
    assert state.asked == {}
    assert tick("reads") == []
