"""Killed at any time, restarted, written by two at once: nothing that was acknowledged is lost, nothing is twice."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import pytest

from memory_assets.llm.tokens import count_tokens
from memory_assets.sessions.working_memory import Sessions
from memory_assets_tests.sessions.turns import CLOCK, RULES, turn

WRITER = """
import os, sys
from pathlib import Path
from memory_assets.sessions.working_memory import Sessions
from memory_assets_tests.sessions.turns import CLOCK, RULES, turn
sessions, who, count = Sessions(Path(sys.argv[1]), CLOCK, RULES), sys.argv[2], int(sys.argv[3])
for number in range(count):
    words = f"{who} {number} about boats and tea. " * 9
    sessions.add("maya", "s", [turn("user", words, number, id=f"{who}-{number}"), turn("assistant", words, number)])
    os.write(1, f"{number}\\n".encode())
"""


def writer(home: Path, who: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(home), who, str(count)], stdout=subprocess.PIPE, text=True
    )


def test_killed_while_it_adds_and_evicts_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path, CLOCK, RULES)
    done = 0
    for round_ in range(4):
        process = writer(tmp_path, f"r{round_}", 10_000)
        assert process.stdout is not None
        for _ in range(7 + 3 * round_):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate()
        done = 7 + 3 * round_ + rest.count("\n")
        found = sessions.back("maya", "s", [f"0-{sessions.look('maya', 's')['turns'] - 1}"])
        mine = [row for row in found if row["content"].startswith(f"r{round_} ")]
        assert len(mine) // 2 in (done, done + 1) and len(mine) % 2 == 0
        assert [row["id"] for row in mine[::2]] == [f"r{round_}-{number}" for number in range(len(mine) // 2)]
    seen = sessions.look("maya", "s")
    assert seen["left"] and count_tokens(sessions.text("maya", "s")) <= RULES.budget
    # Who was not answered adds it again: it is there once.
    again = sessions.add("maya", "s", [turn("user", "x", id=f"r3-{number}") for number in range(done)])
    assert again["added"] == 0


def test_two_writers_lose_nothing_and_each_keeps_its_order(tmp_path: Path) -> None:
    both = [writer(tmp_path, who, 40) for who in ("ana", "bo")]
    assert [process.wait(120) for process in both] == [0, 0]
    for process in both:
        process.communicate()
    sessions = Sessions(tmp_path, CLOCK, RULES)
    found = sessions.back("maya", "s", ["0-159"])
    for who in ("ana", "bo"):
        assert [row["id"] for row in found if row["id"] and row["id"].startswith(who)] == [
            f"{who}-{n}" for n in range(40)
        ]
    assert len(found) == 160 == sessions.look("maya", "s")["turns"]
    assert count_tokens(sessions.text("maya", "s")) <= RULES.budget


@pytest.mark.slow
@pytest.mark.soak
def test_ten_thousand_open_sessions_hold_no_file_open_and_slow_down_none(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # the disk is measured elsewhere: bench/sessions.py
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else None
    sessions = Sessions(tmp_path, CLOCK)
    busy: list[float] = []
    for number in range(10_000):
        began = time.process_time()
        sessions.add("maya", f"s-{number}", [turn("user", f"hello {number}")])
        busy.append(time.process_time() - began)
    assert median(busy[-1_000:]) < 3 * median(busy[:1_000])
    assert len(sessions.latest("maya")) == 50
    for number in range(0, 10_000, 37):
        (said,) = sessions.look("maya", f"s-{number}")["working"]
        assert said["content"] == f"hello {number}"
    if before is not None:
        assert len(os.listdir("/proc/self/fd")) <= before + 2 < resource.getrlimit(resource.RLIMIT_NOFILE)[0]
