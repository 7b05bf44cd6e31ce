"""The log of accesses: whole lines in the order in which they came, from several processes, whatever is killed."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_assets.model import AccessKind
from memory_assets.runtime import accesses
from memory_assets.runtime.accesses import ALL, JUDGED, Access, AccessLog, AccessLogError, Given, Position

NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)


def access(memory: str, days: float = 0, kind: str = "retrieved") -> Access:
    return Access("ana", memory, NOW + timedelta(days=days), AccessKind(kind), "helper", "s1")


@pytest.fixture
def log(tmp_path: Path) -> AccessLog:
    return AccessLog(tmp_path / "accesses" / "ana.sqlite3")


def test_who_has_no_log_has_no_accesses_and_gets_none_by_looking(log: AccessLog) -> None:
    assert log.after(Position(), 10) == (Position(), [])
    assert (log.waiting(Position()), log.counts(["m1"])) == ({}, {})
    assert not log.path.exists()


def test_what_was_appended_is_read_in_its_order_from_a_position_on(log: AccessLog) -> None:
    lines = [access("m1"), access("m2", 1, "cited"), access("m1", 2)]
    log.append(lines[:2])
    log.append(lines[2:])
    first, found = log.after(Position(), 2)
    assert found == lines[:2]
    second, found = log.after(Position.of(first.text), 2)
    assert (found, log.after(second, 2)) == (lines[2:], (second, []))
    assert log.path.stat().st_mode & 0o077 == 0


def test_what_waits_is_counted_by_memory_and_kind(log: AccessLog) -> None:
    log.append([access("m1"), access("m1"), access("m2", kind="cited"), access("m3")])
    start, _ = log.after(Position(), 1)
    assert log.waiting(start) == {"m1": 1, "m3": 1}
    assert log.waiting(start, ["m3", "m4"]) == {"m3": 1}
    assert log.waiting(start, kind=AccessKind.CITED) == {"m2": 1}
    many = [f"x{number}" for number in range(1200)] + ["m3"]
    assert log.waiting(Position(), many) == {"m3": 1}


def test_the_last_days_are_counted_exactly(log: AccessLog) -> None:
    log.append([access("m1", days) for days in (0, 1, 6.99, 7, 7.01)] + [access("m1", 8, "injected")])
    week = NOW + timedelta(days=1)
    assert log.counts(["m1"], week) == {"retrieved": 4, "injected": 1}
    assert log.counts(["m1"], week, NOW + timedelta(days=7)) == {"retrieved": 3}, "a clock that was set back"
    assert log.counts(["m1"]) == {"retrieved": 5, "injected": 1}
    log.append([access("m2", 2)])
    assert log.counts(["m1", "m2"], week)["retrieved"] == 5


def test_what_each_agent_used_is_counted_by_kind(log: AccessLog) -> None:
    assert log.by_agent(NOW) == []
    by_hand = Access("ana", "m1", NOW, AccessKind.CITED)
    log.append([access("m1"), access("m2"), access("m1", kind="injected"), access("m1", -1), by_hand])
    log.append([access("m1")], Given("ana", NOW, 300, "helper"))
    log.append([], Given("ana", NOW, 50, "helper"))
    log.append([], Given("ana", NOW - timedelta(seconds=1), 7, "helper"))  # before
    log.append([], Given("ana", NOW, 20, "other"))
    none = dict.fromkeys((*(kind.value for kind in AccessKind), "tokens"), 0)
    assert log.by_agent(NOW) == [
        none | {"agent": "", "cited": 1},
        none | {"agent": "helper", "retrieved": 3, "injected": 1, "tokens": 350},
        none | {"agent": "other", "tokens": 20},
    ]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([("injected", "s1", "a")], {"m"}),
        ([("retrieved", "s1", "a")], {"m"}),
        ([("injected", "s2", "a")], set()),
        ([("retrieved", "", "a")], {"m"}),
        ([("retrieved", "", "b")], set()),
        ([("injected", "s1", "a"), ("cited", "s1", "a")], set()),
        ([("injected", "s1", "a"), ("wrong", "", "a")], set()),
        ([("injected", "s1", "a"), ("ignored", "s2", "a")], {"m"}),
        ([("injected", "s1", "a"), ("cited", "s1", "a"), ("injected", "s1", "a")], {"m"}),
        ([("cited", "s1", "a")], set()),
        ([("retrieved", "", "a"), ("cited", "s2", "b")], set()),
        ([("retrieved", "", "a"), ("cited", "s2", "b"), ("retrieved", "s1", "a")], {"m"}),
    ],
)
def test_what_was_shown_is_judged_once_for_each_time(
    log: AccessLog, lines: list[tuple[str, str, str]], found: set[str]
) -> None:
    assert log.unjudged("s1", "a", NOW, None) == set()
    log.append([Access("ana", "m", NOW, AccessKind(kind), agent, session) for kind, session, agent in lines])
    assert log.unjudged("s1", "a", NOW, ["m", "n"]) == found
    assert log.unjudged("s1", "a", NOW, ["n"]) == log.unjudged("", "a", NOW, ["m"]) == set()
    is_injected = any(line[:2] == ("injected", "s1") for line in lines)
    assert log.unjudged("s1", "a", NOW, None) == (found if is_injected else set())
    is_here = any(kind not in JUDGED and session == "s1" for kind, session, _ in lines)
    assert log.unjudged("s1", "a", NOW + timedelta(seconds=1), ["m"]) == (found if is_here else set())


def test_what_was_said_without_a_session_holds_however_long_the_session_goes_on(log: AccessLog) -> None:
    log.append([Access("ana", "m", NOW, AccessKind.INJECTED, "a", "s1")])
    log.append([Access("ana", "m", NOW + timedelta(hours=1), AccessKind.CITED, "a", "")])
    assert log.unjudged("s1", "a", NOW + timedelta(days=2), None) == set()


def test_uses_are_counted_as_they_come_and_none_is_looked_for_among_all(log: AccessLog) -> None:
    assert log.usage(["m", ALL]) == {}
    log.append([access("m"), access("m", kind="injected"), access("n"), access("m")])
    counts = {"m": {"retrieved": 2, "injected": 1}, ALL: {"retrieved": 3, "injected": 1}}
    assert log.usage(["m", ALL, "none"]) == counts
    log.append([Access("ana", "n", NOW + timedelta(days=1), AccessKind.INJECTED)])
    before = log.usage(["m", "n", ALL, "none"], NOW + timedelta(days=1))
    assert before == counts | {"n": {"retrieved": 1, "injected": 0}}, "what is injected from then on counts later"
    with log._file.reading() as connection:
        for query, given in (
            (accesses._SHOWN_HERE.format("?"), 2),
            (accesses._SHOWN_OUTSIDE.format(" AND memory_id IN (?)"), 5),
            (accesses._JUDGED.format(" AND memory_id IN (?)"), 7),
            (accesses._INJECTED_SINCE.format(" AND memory_id IN (?)"), 3),
            (accesses._ALL_INJECTED_SINCE, 2),
            (accesses._OPEN_HERE.format("?", "?"), 3),
        ):
            plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", ["x"] * given).fetchall()
            assert [row["detail"] for row in plan if row["detail"].startswith("SCAN")] == []


def test_a_position_in_another_log_is_before_the_first_line(log: AccessLog, tmp_path: Path) -> None:
    log.append([access("m1"), access("m2")])
    end, _ = log.after(Position(), 10)
    other = AccessLog(tmp_path / "other.sqlite3")
    other.append([access("m3")])
    assert [line.memory_id for line in other.after(end, 10)[1]] == ["m3"]


def test_what_comes_after_a_log_was_restored_waits_and_what_it_had_does_not(log: AccessLog, tmp_path: Path) -> None:
    log.append([access("m1")] * 2)
    log.close()
    backup = shutil.copy(log.path, tmp_path / "backup")
    log.append([access("m1")] * 8)
    end, _ = log.after(Position(), 100)
    log.close()
    os.replace(backup, log.path)
    counted = Position.of(end.text, NOW + timedelta(hours=1))
    assert (log.after(counted, 10), log.waiting(counted)) == ((counted, []), {})
    log.append([access("m2", 1)] * 3)
    now, lines = log.after(counted, 10)
    assert ([line.memory_id for line in lines], now.number) == (["m2"] * 3, 5)
    assert log.after(now, 10) == (now, [])
    log.append([access("m3", 1)] * 9)
    assert log.waiting(counted) == {"m2": 3, "m3": 9}, "though it is longer by now than what was counted"
    assert log.waiting(now) == {"m3": 9}
    assert log.retrieved(counted, ["m1", "m2"]) == [NOW + timedelta(days=1)] * 3
    assert log.retrieved_until(counted, ["m1", "m2"]) == [NOW] * 2
    assert log.waiting(Position.of(end.text)) == {}, "when it was counted is not known"


def test_a_log_that_comes_back_is_counted_on_where_its_count_ended(tmp_path: Path) -> None:
    first, second, third = (AccessLog(tmp_path / f"{name}.sqlite3") for name in ("first", "second", "third"))
    position = Position()

    def count(log: AccessLog, hour: int) -> list[str]:
        nonlocal position
        position, lines = log.after(position, 100)
        position = Position.of(position.text, NOW + timedelta(hours=hour))
        return [line.memory_id for line in lines]

    for hour, log in enumerate((first, second, third), 1):
        log.append([access(f"m{hour}")] * 2)
        assert count(log, hour) == [f"m{hour}"] * 2
    first.close()
    backup = shutil.copy(first.path, tmp_path / "backup")
    assert (count(first, 4), first.retrieved_until(position, ["m1"])) == ([], [NOW] * 2)
    first.append([access("m4", 1)])
    assert (count(first, 5), count(second, 5), count(third, 5)) == (["m4"], [], [])
    first.close()
    os.replace(backup, first.path)
    assert count(first, 6) == [], "an older log that comes back from its backup"
    first.append([access("m5", 2)] * 2)
    assert count(first, 7) == ["m5"] * 2
    for number in range(accesses.MOST_LOGS + 1):
        other = AccessLog(tmp_path / f"{number}.sqlite3")
        other.append([access("m6")])
        count(other, 8)
    assert len(position.others) == accesses.MOST_LOGS and count(first, 9) == ["m1", "m1", "m5", "m5"]


@pytest.mark.parametrize("text", [None, "", "nothing", ":", "a:b"])
def test_a_position_that_says_nothing_is_the_beginning(text: str | None) -> None:
    assert Position.of(text) == Position()


def test_a_file_that_is_no_log_is_said(tmp_path: Path) -> None:
    path = tmp_path / "ana.sqlite3"
    path.write_text("no database, but long enough to be looked at as one" * 50, encoding="utf-8")
    with pytest.raises(AccessLogError, match="ana.sqlite3 cannot be used.*Move the file"):
        AccessLog(path).append([access("m1")])


def _append(path: str, name: str, times: int) -> None:
    log = AccessLog(Path(path))
    for number in range(times):
        log.append([access(f"{name}{number}"), access(f"{name}{number}")])


def test_several_writers_at_once_lose_nothing(log: AccessLog) -> None:
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_append, args=(str(log.path), name, 20)) for name in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert log.waiting(Position()) == {f"{name}{number}": 2 for name in "abc" for number in range(20)}


def test_a_writer_that_is_killed_leaves_whole_appends(log: AccessLog) -> None:
    log.append([access("m0")])
    writer = multiprocessing.get_context("spawn").Process(target=_append, args=(str(log.path), "k", 100_000))
    writer.start()
    while "k3" not in log.waiting(Position()):
        assert writer.is_alive()
    assert writer.pid is not None
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    waiting = log.waiting(Position())
    assert waiting.pop("m0") == 1 and set(waiting.values()) == {2}, "of one append all or nothing"
    log.append([access("m9")])
    assert log.waiting(Position())["m9"] == 1
