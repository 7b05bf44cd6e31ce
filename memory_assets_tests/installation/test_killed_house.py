"""A thousand files arrive while the whole house is killed, twice: each is one source in the end, and a file is made.

Runs, daemon, code server, webserver and graph are ended with KILL at once, as by a power cut. The notes are tiny, so
that reading them is most of the work. The runs are killed once they have signed; one that was killed before that is
closed too, but only after ten minutes of silence (``test_abandoned.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from memory_assets_tests.support.dagster_ui import PATIENCE, Page, Terminal, running_ui, wait_for
from memory_assets_tests.support.installation import Installation, installation

# A test may not kill a server that it did not start.
pytestmark = [pytest.mark.own_engine, pytest.mark.slow, pytest.mark.soak]

USER = "nora"
FILES = 1000
AUTOMATED = [{"key": "memory_assets/automation", "value": "inbox"}]
STEPS = """query($id: ID!) { runOrError(runId: $id) { ... on Run { stepStats { stepKey status } } } }"""


def test_a_thousand_files_survive_two_kills(tmp_path: Path) -> None:
    with installation(tmp_path / "home") as house:
        terminal = Terminal(tmp_path / "said")
        with running_ui(house, terminal) as page:
            arrive(house, range(500))
            first = run_at_work(page, "raw_sources")
            arrive(house, range(500, 700))
            page.kill()  # while it reads, and more arrive
        arrive(house, range(700, 900))
        with running_ui(house, terminal) as page:
            second = run_at_work(page, "extracted_entities")
            arrive(house, range(900, FILES))
            page.kill()  # while it makes something of what it has read
        with running_ui(house, terminal) as page:
            wait_for(lambda: house.memory_file(USER).is_file() or None, "the published file", 2 * PATIENCE)
            nothing_new(page)
            ended = {run["runId"]: run["status"] for run in page.runs(tags=AUTOMATED)}
            assert (ended.pop(first), ended.pop(second)) == ("FAILURE", "FAILURE")
            assert ended and set(ended.values()) == {"SUCCESS"}
            found = stored(house)
        assert len(found) == FILES
        assert sorted(row["text"] for row in found) == sorted(map(words, range(FILES)))
        assert {row["status"] for row in found} == {"extracted"}


def words(number: int) -> str:
    """What a note says."""
    return f"Note {number}."


def arrive(house: Installation, numbers: Iterable[int]) -> None:
    """Notes into the inbox: every other one moved in whole, the others written where they stay."""
    inbox, outside = house.home / "inbox" / USER, house.home / "outside"
    for folder in (inbox, outside):
        folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        name = f"note-{number}.md"
        file = (outside if number % 2 else inbox) / name
        file.write_text(words(number), encoding="utf-8")
        file.rename(inbox / name)


def run_at_work(page: Page, step: str) -> str:
    """The sensor's run, once it has come to this step."""

    def look() -> str | None:
        for run in page.runs(tags=AUTOMATED, statuses=["STARTED"]):
            stats = page.ask(STEPS, id=run["runId"])["runOrError"]["stepStats"]
            if step in [found["stepKey"] for found in stats]:
                return run["runId"]
        return None

    return wait_for(look, f"a run at {step}")


def nothing_new(page: Page) -> None:
    """Wait until the sensor says that it has nothing left to do, with no run at work."""

    def look() -> bool | None:
        (last, *_) = page.ticks("inbox")
        return True if last["skipReason"] == f"Nothing new in 1 inbox with {FILES} files." else None

    wait_for(look, "an inbox with nothing new", 2 * PATIENCE)


def stored(house: Installation) -> list[dict[str, Any]]:
    """All sources of the user."""
    query = (
        "MATCH (s:Source {user_id: $user})-[:HAS_RAW_CONTENT]->(t) RETURN t.text AS text, s.processing_status AS status"
    )
    return house.json("graph", "query", query, "--param", f"user={USER}")
