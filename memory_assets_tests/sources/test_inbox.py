"""Files are known by their stamps, read when they have settled, and never passed over: with a running engine."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.clock import Clock
from memory_assets.errors import GraphUnavailableError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import MARK, find_stage
from memory_assets.sources import seen_files
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.seen_files import (
    INBOX_SETTLE_SECONDS,
    IngestReport,
    has_new_files,
    is_settled,
    is_trusted,
    judge_inbox,
    look_at,
)

INSTANT = datetime(2026, 11, 20, 12, tzinfo=UTC)


class FilesClock(Clock):
    """Stopped as any clock of a test, but its files were changed a minute ago."""

    def file_time(self) -> float:
        return super().file_time() + 60


LATER = FilesClock(INSTANT)


@dataclass(frozen=True)
class JustNow(Clock):
    """The moment at which a file of a folder was changed last, however long a test has taken since then."""

    folder: Path = Path()
    after: float = 0.0

    def file_time(self) -> float:
        return max(path.stat().st_ctime for path in self.folder.iterdir()) + self.after


def just_now(folder: Path) -> Clock:
    return JustNow(INSTANT, folder)


def ingest(graph: Graph, user: str, folder: Path, clock: Clock = LATER, **options: object) -> IngestReport:
    return ingest_paths(graph, user, [folder], None, clock, **options)


def is_new(graph: Graph, user: str, folder: Path, clock: Clock = LATER, **options: object) -> bool:
    return has_new_files(graph, user, [folder], clock=clock, **options)


def stamps(graph: Graph, user: str) -> dict[str, str | None]:
    return {Path(row["path"]).name: row["stamp"] for row in graph.read("sources/list_source_files", user_id=user)}


def mark(graph: Graph, user: str) -> str | None:
    return find_stage(graph, user, f"{MARK}raw_sources")


class Opened:
    """Counts the files that are opened below a folder; the files are opened all the same."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.paths: list[str] = []
        real = os.open

        def counting(path, *arguments, **options):
            if isinstance(path, str) and path.startswith(str(folder)):
                self.paths.append(os.path.basename(path))
            return real(path, *arguments, **options)

        monkeypatch.setattr(os, "open", counting)

    def since(self) -> list[str]:
        """The names of what was opened since it was last asked."""
        found, self.paths = sorted(self.paths), []
        return found


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def test_a_file_that_nobody_touched_is_not_opened_again(
    graph: Graph, user: str, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (inbox / "a.md").write_text("One note.")
    (inbox / "b.bin").write_bytes(b"\x00" * 900)
    (inbox / "c.jsonl").write_text('{"role": "user", "content": "Hello"}\n{broken\n')
    opened = Opened(monkeypatch, inbox)
    first = ingest(graph, user, inbox)
    assert (first.new, len(first.set_aside), len(first.line_errors)) == (2, 1, 1)
    assert set(opened.since()) == {"a.md", "b.bin", "c.jsonl"}
    again = ingest(graph, user, inbox)
    assert (again.sources, again.new, again.set_aside, again.line_errors, again.files) == (
        2, 0, first.set_aside, first.line_errors, 3,
    )  # fmt: skip
    assert not is_new(graph, user, inbox)
    assert opened.since() == []
    assert ingest(graph, user, inbox, force=True).unchanged == 2
    assert set(opened.since()) == {"a.md", "b.bin", "c.jsonl"}


def test_a_touched_file_is_compared_by_its_bytes_and_its_stamp_renewed(
    graph: Graph, user: str, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = inbox / "a.md"
    note.write_text("One note.")
    ingest(graph, user, inbox)
    marked, before = mark(graph, user), stamps(graph, user)
    os.utime(note, (1_000_000_000, 1_000_000_000))
    opened = Opened(monkeypatch, inbox)
    assert not is_new(graph, user, inbox)
    assert opened.since() == ["a.md"]
    assert ingest(graph, user, inbox).unchanged == 1
    assert stamps(graph, user)["a.md"] != before["a.md"]
    assert mark(graph, user) == marked, "nothing new was stored"
    opened.since()
    assert not is_new(graph, user, inbox)
    assert opened.since() == []


def test_a_replaced_file_of_the_same_size_and_time_is_new(graph: Graph, user: str, inbox: Path, tmp_path: Path) -> None:
    note, other = inbox / "a.md", tmp_path / "other.md"
    note.write_text("Water the beans.")
    os.utime(note, (1_700_000_000, 1_700_000_000))
    ingest(graph, user, inbox)
    digest = look_at(inbox, LATER.file_time()).digest
    other.write_text("Water the peas..")
    os.utime(other, (1_700_000_000, 1_700_000_000))
    other.replace(note)
    assert look_at(inbox, LATER.file_time()).digest != digest
    assert is_new(graph, user, inbox)
    assert ingest(graph, user, inbox).new == 1


def test_a_file_rewritten_in_place_with_its_times_set_back_is_new(graph: Graph, user: str, inbox: Path) -> None:
    note = inbox / "a.md"
    note.write_text("Water the beans.")
    os.utime(note, (1_700_000_000, 1_700_000_000))
    ingest(graph, user, inbox)
    note.write_text("Water the peas..")
    os.utime(note, (1_700_000_000, 1_700_000_000))
    assert is_new(graph, user, inbox)
    assert ingest(graph, user, inbox).new == 1


def test_a_file_read_in_the_moment_of_its_change_has_no_stamp(
    graph: Graph, user: str, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (inbox / "a.md").write_text("One note.")
    opened = Opened(monkeypatch, inbox)
    assert ingest(graph, user, inbox, just_now(inbox)).new == 1
    assert stamps(graph, user) == {"a.md": None}
    opened.since()
    assert not is_new(graph, user, inbox)
    assert opened.since() == ["a.md"], "its bytes are compared, since its times prove nothing"
    assert ingest(graph, user, inbox).unchanged == 1
    assert stamps(graph, user)["a.md"]


def test_two_files_of_one_moment_are_two_files(graph: Graph, user: str, inbox: Path) -> None:
    for name in ("a.md", "b.md"):
        (inbox / name).write_text(f"The note {name}.")
        os.utime(inbox / name, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000))
    assert ingest(graph, user, inbox).new == 2
    assert not is_new(graph, user, inbox)


def test_what_changed_just_now_waits(graph: Graph, user: str, inbox: Path) -> None:
    growing = inbox / "growing.md"
    growing.write_text("The first half")
    settle = {"settle_seconds": INBOX_SETTLE_SECONDS}
    assert not is_new(graph, user, inbox, just_now(inbox), **settle)
    first = ingest(graph, user, inbox, just_now(inbox), **settle)
    assert (first.waiting, first.files, first.sources) == (1, 0, 0)
    assert graph.read("sources/list_source_files", user_id=user) == []
    look = look_at(inbox, just_now(inbox).file_time())
    assert (look.files, look.waiting) == (0, 1)
    growing.write_text("The first half and the second.")
    assert is_new(graph, user, inbox, LATER, **settle)
    assert look_at(inbox, LATER.file_time()).digest != look.digest
    assert ingest(graph, user, inbox, LATER, **settle).new == 1
    explicit = ingest(graph, f"{user}-b", inbox, just_now(inbox))
    assert (explicit.waiting, explicit.new) == (0, 1), "who names a file wants it read"


def test_a_moved_in_file_with_an_old_time_waits_as_others_do(inbox: Path) -> None:
    old = inbox / "old.md"
    old.write_text("Written years ago.")
    os.utime(old, (1_000_000_000, 1_000_000_000))
    assert look_at(inbox, just_now(inbox).file_time()).waiting == 1, "its status changed when it arrived"
    assert look_at(inbox, LATER.file_time()).files == 1


def test_a_file_from_the_future_does_not_wait_for_it(inbox: Path) -> None:
    note = inbox / "a.md"
    note.write_text("From a machine with a wrong clock.")
    os.utime(note, (4_000_000_000, 4_000_000_000))
    assert look_at(inbox, LATER.file_time()).files == 1


def test_a_set_aside_file_that_waits_stays_set_aside(graph: Graph, user: str, inbox: Path) -> None:
    (inbox / "b.bin").write_bytes(b"\x00" * 900)
    assert len(ingest(graph, user, inbox).set_aside) == 1
    (inbox / "b.bin").write_bytes(b"\x00" * 901)
    assert ingest(graph, user, inbox, just_now(inbox), settle_seconds=5).waiting == 1
    assert [row["status"] for row in graph.read("sources/list_source_files", user_id=user)] == [
        seen_files.FILE_SET_ASIDE
    ]


def write_channel(folder: Path) -> Path:
    channel = folder / "export" / "garden"
    channel.mkdir(parents=True)
    for day in (5, 6):
        message = {"type": "message", "ts": f"17911908{day:02d}.000100", "user": "U1AA", "text": f"Day {day}"}
        (channel / f"2026-10-{day:02d}.json").write_text(json.dumps([message]))
    (folder / "export" / "users.json").write_text(json.dumps([{"id": "U1AA", "profile": {"real_name": "Mara Lind"}}]))
    return channel


def test_a_slack_channel_is_known_by_the_stamps_of_its_days_and_users(graph: Graph, user: str, inbox: Path) -> None:
    channel = write_channel(inbox)
    assert ingest(graph, user, inbox).new == 2
    assert not is_new(graph, user, inbox)
    before = stamps(graph, user)["garden"]
    os.utime(channel / "2026-10-06.json", (1_000_000_000, 1_000_000_000))
    assert not is_new(graph, user, inbox)
    assert ingest(graph, user, inbox).unchanged == 2
    assert stamps(graph, user)["garden"] not in (before, None)
    users = [{"id": "U1AA", "profile": {"real_name": "Mara Lindt"}}]
    (inbox / "export" / "users.json").write_text(json.dumps(users))
    assert is_new(graph, user, inbox)


def test_a_slack_channel_waits_when_one_of_its_days_does(graph: Graph, user: str, inbox: Path) -> None:
    channel = write_channel(inbox)
    report = ingest(graph, user, inbox, JustNow(INSTANT, channel, after=4), settle_seconds=5)
    assert (report.waiting, report.new) == (2, 0), "the channel, and users.json beside it"


def test_the_mark_of_an_owner_is_renewed_by_what_is_new_alone(graph: Graph, user: str, inbox: Path) -> None:
    (inbox / "b.bin").write_bytes(b"\x00" * 900)
    ingest(graph, user, inbox)
    assert mark(graph, user) is None, "a file that was set aside is no source"
    (inbox / "a.md").write_text("One note.")
    ingest(graph, user, inbox)
    first = mark(graph, user)
    ingest(graph, user, inbox)
    assert first and mark(graph, user) == first
    (inbox / "c.md").write_text("Another note.")
    ingest(graph, user, inbox)
    assert mark(graph, user) not in (first, None)


class FailingGraph:
    """The graph until a statement by name comes for the nth time: then it is gone, as when a process is killed."""

    def __init__(self, graph: Graph, fatal: str, nth: int) -> None:
        self._graph, self._fatal, self._left = graph, fatal, nth

    def read(self, name: str, **params: object):
        return self._graph.read(name, **params)

    def write(self, name: str, rows: object = None, **params: object):
        self._stop_at(name)
        return self._graph.write(name, rows, **params)

    def write_together(self, statements):
        for statement in statements:
            self._stop_at(statement.name)
        return self._graph.write_together(statements)

    def _stop_at(self, name: str) -> None:
        self._left -= name == self._fatal
        if not self._left:
            raise GraphUnavailableError("The graph is gone.")


@pytest.mark.parametrize(
    ("fatal", "nth", "marked", "stored"),
    [
        ("graph/set_stage", 1, False, 0),
        ("graph/set_stage", 2, True, 1),
        ("sources/upsert_source_files", 1, True, 1),
    ],
)
def test_an_ingestion_killed_before_the_mark_or_after_it_marks_again(
    graph: Graph, user: str, inbox: Path, fatal: str, nth: int, marked: bool, stored: int
) -> None:
    (inbox / "a.md").write_text("One note.")
    with pytest.raises(GraphUnavailableError):
        ingest(FailingGraph(graph, fatal, nth), user, inbox)  # type: ignore[arg-type]
    left = mark(graph, user)
    assert (left is not None) == marked
    assert is_new(graph, user, inbox)
    report = ingest(graph, user, inbox)
    assert (report.new, report.unchanged) == (1 - stored, stored)
    assert mark(graph, user) not in (left, None)
    assert not is_new(graph, user, inbox)


def test_what_cannot_be_read_is_new_until_an_ingestion_has_said_so(graph: Graph, user: str, inbox: Path) -> None:
    (inbox / "nowhere").symlink_to("gone")
    assert is_new(graph, user, inbox)
    assert len(ingest(graph, user, inbox).set_aside) == 1
    assert not is_new(graph, user, inbox)


def test_deleted_files_are_nothing_new_and_a_renamed_one_is_read_without_a_new_source(
    graph: Graph, user: str, inbox: Path
) -> None:
    for name in ("a.md", "b.md"):
        (inbox / name).write_text(f"The note {name}.")
    ingest(graph, user, inbox)
    (inbox / "a.md").unlink()
    assert not is_new(graph, user, inbox)
    (inbox / "b.md").rename(inbox / "c.md")
    assert is_new(graph, user, inbox), "a name can tell a title or a day"
    assert ingest(graph, user, inbox).new == 0
    assert not is_new(graph, user, inbox)


def test_more_touched_bytes_than_a_tick_has_time_for_are_an_ingestions_work(
    graph: Graph, user: str, inbox: Path
) -> None:
    (inbox / "a.md").write_text("One note.")
    ingest(graph, user, inbox)
    assert not is_new(graph, user, inbox, most_bytes=0)
    os.utime(inbox / "a.md", (1_000_000_000, 1_000_000_000))
    assert not is_new(graph, user, inbox, most_bytes=9)
    assert is_new(graph, user, inbox, most_bytes=8)


def test_a_file_that_arrived_during_a_run_is_not_passed_over(graph: Graph, user: str, inbox: Path) -> None:
    (inbox / "a.md").write_text("One note.")
    changed = (inbox / "a.md").stat().st_ctime
    assert len(judge_inbox(graph, user, inbox).passed_over) == 1
    before = judge_inbox(graph, user, inbox, since=changed - 1)
    assert (before.passed_over, before.files) == ((), 1)
    assert len(judge_inbox(graph, user, inbox, since=changed + 1).passed_over) == 1


@pytest.mark.parametrize(
    ("changed_at", "now", "settled", "trusted"),
    [
        (100.0, 100.0, False, False),
        (100.0, 101.9, False, False),
        (100.0, 102.0, False, True),
        (100.0, 104.9, False, True),
        (100.0, 105.0, True, True),
        (104.0, 100.0, False, False),
        (106.0, 100.0, True, False),  # from the future: it must not wait until then, and proves nothing
    ],
)
def test_when_a_file_has_settled_and_when_its_stamp_proves_something(
    changed_at: float, now: float, settled: bool, trusted: bool
) -> None:
    assert is_settled(changed_at, now, 5) is settled
    assert is_trusted(changed_at, now) is trusted


@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_without_a_time_to_settle_every_file_has_settled(changed_at: float, now: float) -> None:
    assert is_settled(changed_at, now, 0)
