"""One service that does everything a service can do wrong, in one house: who is extracted, who is set aside, what is
paid.

Every trouble meets the first request for a source at one of the two steps; four sources are refused or answered in a
wrong form for good. The first run is ended with KILL while the service holds its answers back, so that what was paid
for until then is known exactly.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from memory_assets_tests.support.dagster_ui import wait_for
from memory_assets_tests.support.installation import Installation, installation, write_conversation
from memory_assets_tests.support.protocol_server import (
    Behaviour,
    ProtocolServer,
    Reply,
    Request,
    completion,
    good,
    hangs_up,
    raw,
    refusal,
    says,
    status,
    truncated,
    without_choices,
    without_content,
)

pytestmark = pytest.mark.slow  # nothing in it depends on the engine

SOURCES = 24
TIMEOUT_SECONDS = 20
"""One answer never comes; every other must come before, however busy the machine is."""
NEVER = threading.Event()
USER = "nora"
FOUND = """
MATCH (s:Source {user_id: $user})
OPTIONAL MATCH (x:Extraction {user_id: $user, source_id: s.id})
RETURN s.title AS title, s.processing_status AS status, s.processing_error AS error, x.status AS extraction, x.error AS why
"""  # noqa: E501


def comes_back_at(request: Request) -> Reply:
    """429 with the time to come back as a date."""
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    return Reply(429, {"error": {"message": "slow down", "type": "scripted"}}, {"Retry-After": at})


def silent(request: Request) -> Reply:
    """No answer while anybody waits for it."""
    return Reply(body=completion(request, "{}"), hold=NEVER)


PASSING: tuple[tuple[Behaviour, ...], ...] = (
    (status(429, "slow down", retry_after=0.2),),
    (comes_back_at,),
    (status(500, "oops"), status(503, retry_after=0.1)),
    (silent,),
    (truncated,),
    (says('{"summary": "half'),),
    (without_choices,),
    (without_content,),
    (hangs_up,),
    (raw("<html>busy</html>", content_type="text/html"),),
    (says('{"colour": "red"}'),),
)
UNBILLED = (comes_back_at, silent, hangs_up)
FOR_GOOD = {("describe", 3): refusal("I won't"), ("describe", 14): says('{"colour": 1}')}
FOR_GOOD |= {("extract", 7): refusal("I won't"), ("extract", 20): says('{"entities": 5}')}


class Service:
    """The server: which trouble whom meets, what it has answered well, and what it has charged for."""

    def __init__(self, holds_after: int) -> None:
        self.well: Counter[tuple[str, str]] = Counter()
        self.billed = 0
        self.asked: Counter[tuple[str, int]] = Counter()
        self._left, self._gate, self._lock = holds_after, threading.Event(), threading.Lock()
        self.server = ProtocolServer(always=self.answer)

    def open(self) -> None:
        """Answer from now on; what was held is for nobody any more."""
        with self._lock:
            self._left = 1 << 30
        self._gate.set()

    def answer(self, request: Request) -> Reply:
        step = step_of(request)
        number = request_number(request)
        with self._lock:
            if self._left <= 0:
                return Reply(body=completion(request, "{}"), hold=self._gate)
            nth = self.asked[step, number]
            self.asked[step, number] += 1
            behaviour = self._behaviour(step, number, nth)
            reply = behaviour(request)
            if reply.status == 200 and isinstance(reply.body, dict) and behaviour not in UNBILLED:
                self.billed += 1
                self._left -= 1
            if behaviour is good:
                # A round of tools asks the same again, and all that was answered with it.
                said = request.body["messages"][1:]
                self.well[step, json.dumps(said if step == "note" else said[0])] += 1
            return reply

    @staticmethod
    def _behaviour(step: str, number: int, nth: int) -> Behaviour:
        if (step, number) in FOR_GOOD:
            return FOR_GOOD[step, number]
        troubles = (
            () if step in ("name", "note") else PASSING[(number + (5 if step == "extract" else 0)) % len(PASSING)]
        )
        return troubles[nth] if nth < len(troubles) else good


def step_of(request: Request) -> str:
    """Which step asks, by what it asks for."""
    if "tools" in request.body:
        return "note"
    fields = request.body["response_format"]["json_schema"]["schema"]["properties"]
    return "extract" if "entities" in fields else "describe" if "keywords" in fields else "name"


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service(holds_after=6)
    with made.server:
        yield made


def answers_kept(house: Installation) -> int:
    """How many billed calls the ledger has, read beside the run that writes it."""
    path = house.home / "models.sqlite"
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path, timeout=30)) as file:
        query = "SELECT COUNT(*) FROM calls WHERE cached = 0 AND task != 'embed'"
        return file.execute(query).fetchone()[0] if file.execute("SELECT 1 FROM sqlite_master").fetchone() else 0


def test_every_source_is_extracted_or_set_aside_and_no_answer_is_paid_twice(tmp_path: Path, service: Service) -> None:
    with installation(
        tmp_path / "home",
        MEMORY_ASSETS_LLM="openai",
        MEMORY_ASSETS_LLM_TIMEOUT_SECONDS=str(TIMEOUT_SECONDS),
        OPENAI_BASE_URL=service.server.base_url,
        OPENAI_API_KEY="sk-none-of-anybodys",
    ) as house:
        for number in range(SOURCES):
            lines = [
                ("user", "Nora", f"Boat number {number} needs a new mast from Tomasz Wilk before the winter."),
                ("assistant", "Assistant", f"Noted: Tomasz Wilk makes the mast of boat {number}."),
                ("user", "Nora", f"I have to pay Tomasz Wilk {number * 7 + 10} euros for it by Friday."),
            ]
            day = f"2026-09-{number + 1:02d}"
            write_conversation(house.home / "inbox" / USER / f"{number:02d}.jsonl", f"boat-{number}", day, lines)

        killed = house.start("materialize", "--user", USER)
        try:
            wait_for(lambda: answers_kept(house) >= 6 or None, "the answers that the service gives")
        finally:
            killed.kill()
            killed.communicate()
        assert (service.billed, answers_kept(house)) == (6, 6), "what was charged before the kill is kept"
        service.open()

        done = house.run("materialize", "--user", USER, code=1)
        assert "Traceback" not in done.stderr
        first = {row["title"]: row for row in found(house)}
        again = len(service.server.chats)
        house.run("materialize", "--user", USER)
        assert len(service.server.chats) == again, "what was refused for good is left alone until somebody asks"
        house.run("retry", "--user", USER, code=1)
        rows = found(house)

    extracted = [row for row in rows if row["status"] == row["extraction"] == "extracted"]
    aside = [row for row in rows if row not in extracted]
    assert len(rows) == SOURCES and len(extracted) == SOURCES - len(FOR_GOOD) >= 0.8 * SOURCES
    assert all(row["error"] or row["why"] for row in aside), aside
    reasons = " ".join(str(row["error"]) + str(row["why"]) for row in aside)
    assert reasons.count("declined (I won't)") == 2 and "colour" in reasons and "entities" in reasons
    assert {row["title"]: row for row in rows} == first, "a rerun changes nothing"

    steps = Counter(step for step, _ in service.well)
    assert (steps["describe"], steps["extract"]) == (SOURCES - 2, SOURCES - len(FOR_GOOD)), "all but those set aside"
    assert set(service.well.values()) == {1}, "what was answered well is never asked again"
    assert {request_number(request) for request in service.server.chats[again:]} == {number for _, number in FOR_GOOD}
    with closing(sqlite3.connect(tmp_path / "home" / "models.sqlite")) as file:
        paid = file.execute("SELECT COUNT(*), SUM(usd) FROM calls WHERE cached = 0 AND task != 'embed'").fetchone()
    assert paid[0] == service.billed and paid[1] > 0, "all that was charged is in the ledger, and once"
    # Time is bounded by construction: no source is asked without end.
    assert max(service.asked.values()) <= 2 * 3 and len(service.server.chats) < 10 * SOURCES


def found(house: Installation) -> list[dict[str, str | None]]:
    """Each source, and what became of its extraction, by title and boat."""
    rows = house.json("graph", "query", FOUND, "--param", f"user={USER}")
    return sorted(rows, key=lambda row: str(row["title"]))


def request_number(request: Request) -> int:
    """Which boat a request is about; -1 for what names none."""
    return int(request.user_text.partition("Boat number ")[2].partition(" ")[0] or -1)
