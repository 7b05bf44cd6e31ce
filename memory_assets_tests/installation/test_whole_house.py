"""From real files to a published MEMORY.md, through the command line, on whichever engine is configured."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memory_assets.llm.tokens import count_tokens
from memory_assets_tests.conftest import owner_for
from memory_assets_tests.support.installation import Installation, installation, write_conversation

# own_engine: two installations cannot share the one Neo4j, nor may a test kill a server that it did not start.
pytestmark = [pytest.mark.graph, pytest.mark.slow]

SECTIONS = {"preferences", "tasks", "insights", "recent"}

Outcome = tuple[list[str], bytes]


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory, inbox: Path) -> Outcome:
    """What comes out when the inbox is ingested at once and nothing happens."""
    with installation(tmp_path_factory.mktemp("calm") / "home") as house:
        house.run("ingest", inbox, "--user", "nora")
        house.run("materialize", "--user", "nora")
        return outcome(house)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One installation for all tests of a user each."""
    with installation(tmp_path_factory.mktemp("house") / "a home") as made:  # people have spaces in their paths
        yield made


@pytest.fixture(scope="module")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dozen small sources on six days, in two kinds."""
    folder = tmp_path_factory.mktemp("inbox") / "files"
    for number in range(1, 7):
        day = f"2026-10-{number * 3:02d}"
        write_conversation(
            folder / f"chat-{number}.jsonl",
            f"lighthouse-{number}",
            day,
            [
                (
                    "user",
                    "Nora",
                    f"The Lighthouse project moved its review number {number} to the harbour office in Skagness.",
                ),
                ("assistant", "Assistant", "Noted: the Lighthouse review is in Skagness."),
                (
                    "user",
                    "Nora",
                    "From now on, always send the Lighthouse minutes as plain text."
                    if number == 2
                    else f"I need to order {number} spare lamps for Lighthouse by Friday.",
                ),
                (
                    "user",
                    "Nora",
                    (
                        f"We decided that Lighthouse pays {number * 110} euros to Tomasz Wilk for the "
                        f"{['lens', 'mirror', 'mast', 'cable', 'motor', 'switch'][number - 1]}."
                    ),
                ),
            ],
        )
        (folder / f"{day} note {number}.md").write_text(
            f"# Lighthouse log {number}\n\nTomasz Wilk repaired the "
            f"{['lens', 'mirror', 'mast', 'cable', 'motor', 'switch'][number - 1]} of the Lighthouse.\n",
            encoding="utf-8",
        )
    return folder


@pytest.fixture(scope="module")
def built(house: Installation, inbox: Path) -> tuple[str, dict[str, Any]]:
    """A user whose inbox was ingested and whose file is published; and what the ingestion has reported."""
    user = owner_for(f"{__name__} built")
    report = house.json("ingest", inbox, "--user", user)
    house.run("materialize", "--user", user)
    return user, report


def test_real_files_become_a_bounded_file_that_explains_itself(
    house: Installation, inbox: Path, built: tuple[str, dict[str, Any]]
) -> None:
    user, report = built
    assert (report["sources"], report["new"], report["unchanged"], report["set_aside"]) == (12, 12, 0, [])

    (shown,) = house.json("show", "--user", user)
    path = Path(shown["path"])
    text = path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert shown["tokens"] == count_tokens(text) <= shown["budget"] == 2000
    assert shown["considered"] == len(shown["entries"]) + len(shown["left_out"])
    assert sum(section["budget"] for section in shown["sections"]) <= 2000
    assert all(section["tokens"] <= section["budget"] for section in shown["sections"])
    assert {entry["section"] for entry in shown["entries"]} <= SECTIONS
    instruction = next(entry for entry in shown["entries"] if "plain text" in entry["text"])
    assert instruction["section"] == "preferences"
    for entry in shown["entries"]:
        assert f"[{entry['ref']}]" in text
        explained = house.json("explain", entry["ref"], "--user", user) if entry is instruction else None
        if explained:
            assert explained["sources"][0]["kind"] == "conversation"
            assert "plain text" in explained["sources"][0]["excerpt"]
    house.run("explain", instruction["ref"], "--user", f"{user}-x", code=2)

    # What is explained is accessed: a run counts that, once.
    assert house.json("materialize", "--user", user)[-1]["status"] == "done"
    calls = house.json("ledger")["calls"]
    before = path.stat().st_mtime_ns
    again = house.json("ingest", inbox, "--user", user)
    assert (again["new"], again["unchanged"]) == (0, 12)
    assert house.json("materialize", "--user", user)[-1]["status"] == "current"
    assert house.json("ledger")["calls"] == calls
    assert path.stat().st_mtime_ns == before


def outcome(house: Installation) -> Outcome:
    """What an installation holds of Nora in the end: her canonical export and the bytes of her file."""
    return house.export("nora"), house.memory_file("nora").read_bytes()


@pytest.mark.own_engine
def test_order_pieces_and_repetition_do_not_matter(tmp_path: Path, inbox: Path, calm: Outcome) -> None:
    files = sorted(inbox.iterdir())
    with installation(tmp_path / "pieces") as pieces:
        for piece in (files[7:], files[:7], files[2:6]):
            pieces.run("ingest", *reversed(piece), "--user", "nora")
            pieces.run("materialize", "--user", "nora")
        assert outcome(pieces) == calm


def test_two_processes_ingest_one_inbox_at_once(house: Installation, inbox: Path, user: str) -> None:
    both = [house.start("ingest", inbox, "--user", user, "--json") for _ in range(2)]
    results = [process.communicate(timeout=1800) for process in both]
    assert [process.returncode for process in both] == [0, 0], results
    rows = house.json(
        "graph", "query", "MATCH (s:Source {user_id: $user}) RETURN count(s) AS n", "--param", f"user={user}"
    )
    assert rows == [{"n": 12}]


@pytest.mark.own_engine
@pytest.mark.parametrize("seed", [1, 2])
def test_a_killed_run_leaves_a_state_from_which_the_next_goes_on(
    tmp_path: Path, inbox: Path, calm: Outcome, seed: int
) -> None:
    chance = random.Random(seed)
    with installation(tmp_path / "killed") as killed:
        for command, longest in ((["ingest", inbox], 6.0), (["materialize"], 12.0)):
            process = killed.start(*command, "--user", "nora", start_new_session=True)
            try:
                process.wait(timeout=chance.uniform(1.0, longest))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                if chance.random() < 0.7:
                    kill_the_graph(killed)
            process.communicate()
            killed.run(*command, "--user", "nora")
        assert outcome(killed) == calm


def kill_the_graph(house: Installation) -> None:
    pid = house.json("graph", "status").get("pid")
    if pid:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_another_users_memory_stays_unknown(
    house: Installation, built: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    user, _ = built
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret\n\nThe password hint of the other one is Quixotic Zebra.\n", encoding="utf-8")
    other = f"{user}-other"
    house.run("ingest", secret, "--user", other)
    house.run("materialize", "--user", other)
    house.run("materialize", "--user", user, "--force")  # with the other one there
    (theirs,) = house.json("show", "--user", other)
    assert "Quixotic" in house.memory_file(other).read_text(encoding="utf-8")
    assert "Quixotic" not in house.memory_file(user).read_text(encoding="utf-8")
    assert "Quixotic" not in "".join(house.export(user))
    house.run("explain", theirs["entries"][0]["ref"], "--user", user, code=1)


def test_wrong_use_is_told_in_one_sentence(house: Installation, tmp_path: Path) -> None:
    note = tmp_path / "a.md"
    note.write_text("A note about the sea.", encoding="utf-8")
    for arguments in (
        ["ingest", note, "--user", "Nora Berg"],
        ["ingest", note, "--user", "team-x"],
        ["ingest", note],
        ["ingest", tmp_path / "missing", "--user", "nora"],
        ["materialize", "--since", "yesterday"],
        ["no-such-command"],
    ):
        done = house.run(*arguments, code=2)
        assert done.stderr.strip() and "Traceback" not in done.stderr


def test_each_turn_is_in_the_export(house: Installation, inbox: Path, built: tuple[str, dict[str, Any]]) -> None:
    user, _ = built
    exported = [json.loads(line) for line in house.run("export", "--user", user).stdout.splitlines()]
    raw = " ".join(line["properties"].get("raw_content", "") for line in exported if line["type"] == "node")
    for path in inbox.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert json.loads(line)["content"] in raw
