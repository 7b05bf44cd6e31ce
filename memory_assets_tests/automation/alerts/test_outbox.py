"""The outbox: each fact taken once, each alert sent by one at a time, what is confirmed never again."""

from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory_assets.automation.alerts.outbox import CONFIRMED, UNDELIVERABLE, AlertOutboxError, Look, Outbox
from memory_assets_tests.automation.alerts.receiver import NOW, alert

MINUTE = timedelta(minutes=1)
CHANNELS = ["log", "slack"]


@pytest.fixture
def outbox(tmp_path: Path) -> Iterator[Outbox]:
    opened = Outbox(tmp_path / "home" / "alerts.sqlite", CHANNELS)
    yield opened
    opened.close()


def take(outbox: Outbox, number: int, channels: list[str] = CHANNELS) -> bool:
    outbox.channels = channels
    return bool(outbox.take(f"run/{number}", NOW, [alert(number)], NOW))


def claim(outbox: Outbox, number: int, channel: str, now=NOW):
    return outbox.claim(f"run-{number}", channel, now, now + MINUTE)


def test_a_fact_is_taken_once_with_its_alert(outbox: Outbox) -> None:
    assert (take(outbox, 1), take(outbox, 1), outbox.is_known("run/1"), outbox.is_known("run/2")) == (
        True,
        False,
        True,
        False,
    )
    assert outbox.take("run/2", NOW, (), NOW) == 0
    assert outbox.due("log", NOW) == outbox.due("slack", NOW) == ["run-1"] and outbox.due("webhook", NOW) == []


def test_an_alert_outlives_the_memory_of_its_fact(outbox: Outbox) -> None:
    take(outbox, 1)
    outbox.end("run-1", "log", CONFIRMED)
    outbox.forget(NOW + MINUTE, NOW - MINUTE)
    assert not take(outbox, 1) and outbox.is_known("run/1") and outbox.due("log", NOW) == []


def test_one_at_a_time_has_an_alert_until_its_claim_runs_out(outbox: Outbox) -> None:
    take(outbox, 1)
    other = Outbox(outbox.path)
    claimed = claim(outbox, 1, "slack")
    assert claimed is not None and claimed == (alert(1), 0)
    assert claim(other, 1, "slack") is None and other.due("slack", NOW) == [] and other.due("log", NOW) == ["run-1"]
    assert claim(other, 1, "slack", NOW + MINUTE) is not None
    other.close()


def test_what_is_confirmed_is_never_due_again(outbox: Outbox) -> None:
    take(outbox, 1)
    outbox.end("run-1", "log", CONFIRMED)
    outbox.postpone("run-1", "log", NOW)
    outbox.end("run-1", "log", UNDELIVERABLE)
    assert outbox.due("log", NOW + 99 * MINUTE) == [] and claim(outbox, 1, "log", NOW + MINUTE) is None
    assert outbox.counts() == {"confirmed": 1, "waiting": 1}


def test_pauses(outbox: Outbox) -> None:
    take(outbox, 1)
    take(outbox, 2)
    outbox.postpone("run-1", "slack", NOW + MINUTE)
    assert outbox.due("slack", NOW) == ["run-2"] and outbox.due("slack", NOW + MINUTE) == ["run-1", "run-2"]
    assert claim(outbox, 1, "slack", NOW + MINUTE) == (alert(1), 1)
    outbox.hold("slack", NOW + 5 * MINUTE)
    take(outbox, 3, ["slack"])
    assert outbox.due("slack", NOW + 5 * MINUTE) == ["run-1", "run-2", "run-3"]
    assert outbox.due("slack", NOW + 4 * MINUTE) == [] and outbox.due("log", NOW) == ["run-1", "run-2"]


def test_what_waits_too_long_is_given_up_for_channels_of_the_past_as_well(outbox: Outbox) -> None:
    take(outbox, 1, ["gone"])
    assert outbox.expire(NOW) == []
    assert outbox.expire(NOW + MINUTE) == [("run-1", "gone")]
    assert outbox.expire(NOW + MINUTE) == [] and outbox.counts() == {"undeliverable": 1}


def test_old_alerts_are_removed_when_nobody_waits_for_them(outbox: Outbox) -> None:
    take(outbox, 1)
    outbox.end("run-1", "log", CONFIRMED)
    outbox.forget(NOW, NOW + MINUTE)
    assert outbox.counts() == {"waiting": 1} and claim(outbox, 1, "slack") is not None
    outbox.end("run-1", "slack", UNDELIVERABLE)
    outbox.forget(NOW, NOW + MINUTE)
    assert outbox.counts() == {} and outbox.is_known("run/1")


def test_ticks_and_their_alerts_are_remembered_together(outbox: Outbox) -> None:
    assert outbox.look_at("f00") is None
    look = Look(NOW.timestamp(), True, NOW.timestamp())
    assert outbox.looked("f00", look, [alert(1)], NOW) == 1
    assert outbox.looked("f00", look, [alert(1)], NOW) == 0
    assert outbox.look_at("f00") == look and outbox.due("log", NOW) == ["run-1"]


def test_only_the_owner_may_read_it(outbox: Outbox) -> None:
    take(outbox, 1)
    files = list(outbox.path.parent.iterdir())
    assert outbox.path in files and {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_missing_file_is_empty_and_is_not_made(outbox: Outbox) -> None:
    assert outbox.counts() == {} and not outbox.path.exists()


def test_a_damaged_file_is_explained(outbox: Outbox) -> None:
    outbox.path.parent.mkdir()
    outbox.path.write_text("this is no database, and long enough to tell" * 50)
    with pytest.raises(AlertOutboxError, match="move it away"):
        outbox.counts()


SENDER = """
import sys
from datetime import timedelta
from pathlib import Path
from memory_assets.automation.alerts.outbox import CONFIRMED, Outbox
from memory_assets_tests.automation.alerts.receiver import NOW
outbox = Outbox(Path(sys.argv[1]))
for alert in outbox.due("log", NOW):
    if outbox.claim(alert, "log", NOW, NOW + timedelta(minutes=1)):
        print(alert)
        outbox.end(alert, "log", CONFIRMED)
"""


def test_several_processes_send_each_alert_once(outbox: Outbox) -> None:
    for number in range(60):
        take(outbox, number)
    start = [sys.executable, "-c", SENDER, str(outbox.path)]
    senders = [subprocess.Popen(start, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    sent = [line for sender in senders for line in sender.communicate(timeout=300)[0].split()]
    assert sorted(sent) == sorted(f"run-{number}" for number in range(60))
    assert [sender.returncode for sender in senders] == [0, 0, 0]
