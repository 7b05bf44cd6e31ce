"""Some nights of a memory, with accesses between them: killed, run twice and with the clock set back, the same."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory_assets_tests.installation.test_whole_house import Outcome, kill_the_graph, outcome
from memory_assets_tests.support.installation import Installation, installation, write_conversation

# own_engine: a test may not kill a server that it did not start.
pytestmark = [pytest.mark.graph, pytest.mark.slow, pytest.mark.soak, pytest.mark.own_engine]

USER = ["--user", "nora"]
PARTS = ["lens", "mirror", "mast", "cable", "motor", "switch"]
SET_BACK = "2027-02-03T02:00:00Z"
NIGHTS: Sequence[tuple[str, Sequence[tuple[str, str]]]] = [
    (
        "2026-11-21T02:00:00Z",
        [("2026-11-20T13:00:00Z", "Who repaired the mast?"), ("2026-11-20T18:00:00Z", "The lens?")],
    ),
    ("2026-12-20T02:00:00Z", [("2026-12-01T09:00:00Z", "What does the mast cost?")]),
    # The clock of one of these is two weeks behind what was counted already.
    (
        "2027-02-10T02:00:00Z",
        [("2026-12-06T09:00:00Z", "The mast?"), ("2027-01-30T09:00:00Z", "The lens of Lighthouse?")],
    ),
    (SET_BACK, [("2027-02-02T09:00:00Z", "Who gets paid for the motor?")]),
    ("2027-05-20T02:00:00Z", [("2027-03-01T09:00:00Z", "What did Tomasz Wilk repair?")]),
]
"""When each night is, and what somebody has asked before it, and when."""


@pytest.fixture(scope="module")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six conversations of three weeks."""
    folder = tmp_path_factory.mktemp("nights") / "files"
    for number, part in enumerate(PARTS, 1):
        lines = [
            ("user", "Nora", f"Tomasz Wilk repaired the {part} of the Lighthouse in Skagness."),
            ("user", "Nora", f"Lighthouse pays {number * 110} euros to Tomasz Wilk for the {part}."),
        ]
        write_conversation(folder / f"{part}.jsonl", f"lighthouse-{part}", f"2026-10-{number * 3:02d}", lines)
    return folder


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory, inbox: Path) -> Outcome:
    """What comes out where nothing happens."""
    with installation(tmp_path_factory.mktemp("calm") / "home") as house:
        return lived(house, inbox, None)


def lived(house: Installation, inbox: Path, chance: random.Random | None, without: str = "") -> Outcome:
    """What an installation holds after all nights, or all but one; with ``chance`` each night's commands are killed
    first.
    """
    house.run("ingest", inbox, *USER)
    for night, asked in NIGHTS:
        for at, question in asked:
            house.with_variables(MEMORY_ASSETS_NOW=at).run("recall", question, *USER, "--all-projects")
        if night == without:
            continue
        at_night = house.with_variables(MEMORY_ASSETS_NOW=night)
        for command in (["materialize", *USER], ["consolidate", *USER, "--carry-out"]):
            if chance is not None and chance.random() < 0.6:
                disturb(at_night, command, chance)
            at_night.run(*command)
    return outcome(house)


def disturb(house: Installation, command: Sequence[str], chance: random.Random) -> None:
    """Run a command twice at once, and kill both, and perhaps the graph with them, unless they end before."""
    both = [house.start(*command, start_new_session=True) for _ in range(2)]
    left = chance.uniform(1.0, 7.0)
    for process in both:
        try:
            process.wait(timeout=left)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    if chance.random() < 0.4:
        kill_the_graph(house)


def test_what_was_asked_for_is_counted(calm: Outcome) -> None:
    assert sum('"access_count": ' in line and '"access_count": 0' not in line for line in calm[0]) >= 4


def test_nights_that_are_killed_and_run_twice_give_the_same(tmp_path: Path, inbox: Path, calm: Outcome) -> None:
    with installation(tmp_path / "disturbed") as disturbed:
        assert lived(disturbed, inbox, random.Random(3)) == calm


def test_a_night_with_the_clock_set_back_leaves_nothing(tmp_path: Path, inbox: Path, calm: Outcome) -> None:
    with installation(tmp_path / "ahead") as ahead:
        assert lived(ahead, inbox, None, without=SET_BACK) == calm
