"""What happens without a further hand: files become lines, a broken draft is held back and told, TERM ends all of it.

The real daemon, sensors and webserver; what is waited for is read from files, from GraphQL, and at a webhook.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory_assets.automation.alerts.alert import ALERT
from memory_assets.graph.graph import open_graph
from memory_assets.settings import Settings
from memory_assets_tests.automation.alerts.receiver import Received, Receiver, Reply
from memory_assets_tests.conftest import NEO4J
from memory_assets_tests.support.browser import CHROMIUM, open_browser
from memory_assets_tests.support.dagster_ui import ENDED, Page, Terminal, commands_of, running_ui, wait_for
from memory_assets_tests.support.installation import Installation, installation, write_conversation
from memory_assets_tests.support.seeds import tamper_draft

# The daemon works for everybody in its graph, and other tests leave their people in a shared one.
pytestmark = [pytest.mark.own_engine, pytest.mark.slow]

MARK = "a1b2c3"
NORA, OLAF, PAUL = (f"{name}-{MARK}" for name in ("nora", "olaf", "paul"))
TEAM, OWN_TEAM = f"garden-{MARK}", f"team-garden-{MARK}"
SAID = "From now on, always send the Lighthouse minutes as plain text"
SHARED = "Greenhouse pays 410 euros to Tomasz Wilk for the mast"
PARTS = [f"Part {number} of the log tells of the {word}." for number, word in enumerate(("lens", "mirror", "motor"))]
OLD = 1_000_000_000


class Webhook(Receiver):
    """A receiver that, once it ``hangs``, answers nobody any more."""

    hangs = False

    def answer(self, request: Received) -> Reply:
        reply = super().answer(request)
        return Reply(hangs=True) if self.hangs else reply


@dataclass
class House:
    """The running house, and who is told."""

    page: Page
    webhook: Webhook
    terminal: Terminal

    @property
    def home(self) -> Installation:
        return self.page.house

    def inbox(self, owner: str) -> Path:
        """An owner's inbox."""
        folder = self.home.home / "inbox" / owner
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def sources(self, owner: str) -> list[str]:
        """The raw texts of an owner's sources."""
        query = "MATCH (s:Source {user_id: $user})-[:HAS_RAW_CONTENT]->(t) RETURN t.text AS text ORDER BY text"
        return [row["text"] for row in self.home.json("graph", "query", query, "--param", f"user={owner}")]

    def file_with(self, user: str, words: str) -> str:
        """A user's MEMORY.md once it holds these words."""
        file = self.home.memory_file(user)

        def look() -> str | None:
            text = file.read_text(encoding="utf-8") if file.is_file() else ""
            return text if words in text else None

        return wait_for(look, f"{words!r} in the file of {user}")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A running house whose alerts go to a webhook."""
    folder = tmp_path_factory.mktemp("itself")
    terminal = Terminal(folder / "said")
    with Webhook() as webhook, installation(folder / "home", MEMORY_ASSETS_ALERT_WEBHOOK_URL=webhook.url) as home:
        home.run("team", "add", TEAM, OLAF, PAUL)
        home.run("graph", "stop")  # so that it is the UI that starts it, and ends it
        with running_ui(home, terminal) as page:
            yield House(page, webhook, terminal)


@pytest.fixture(scope="module")
def arrived(house: House) -> House:
    """Files that have arrived in every way, after the house has taken them up by itself.

    A log grows part by part, with pauses shorter than what files need to settle, until the sensor was seen to leave it
    alone; then the rest of it comes, and everybody else's files at once.
    """
    log = house.inbox(NORA) / "log.md"

    def left_alone() -> bool | None:
        reasons = [tick["skipReason"] or "" for tick in house.page.ticks("inbox")]
        return True if any("changed a moment ago" in reason for reason in reasons) else None

    with growing(log):
        wait_for(left_alone, "a tick that leaves a growing file alone")
    log.write_text("\n\n".join(PARTS[:2]) + "\n\n", encoding="utf-8")
    write_conversation(house.inbox(NORA) / "chat.jsonl", f"light-{MARK}", "2026-11-12", [("user", "Nora", f"{SAID}.")])
    shared = house.inbox(OWN_TEAM) / "chat.jsonl"
    write_conversation(shared, f"green-{MARK}", "2026-11-12", [("user", "Ann", f"We decided that {SHARED}.")])
    move_in(house.inbox(PAUL), house.home.home / "outside")
    with log.open("a", encoding="utf-8") as file:
        file.write(PARTS[2])
    for user, words in ((NORA, SAID), (OLAF, SHARED), (PAUL, SHARED)):
        house.file_with(user, words)
    # A file that settled a moment after the others is the next run's.
    wait_for(lambda: nothing_new(house, files=5), "an inbox with nothing new")
    return house


@contextmanager
def growing(log: Path) -> Iterator[None]:
    """Somebody writes into a file all the time, however long it takes to look at what comes of it."""
    ended = threading.Event()

    def write() -> None:
        while True:
            with log.open("a", encoding="utf-8") as file:
                file.write(f"{PARTS[0]}\n\n")
            if ended.wait(0.2):
                return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()


def nothing_new(house: House, files: int) -> bool | None:
    """Whether the sensor has said that all these files are read, and that no run of its own is at work."""
    said = f"Nothing new in [0-9]+ inboxes with {files} files[.]"
    return True if any(re.fullmatch(said, tick["skipReason"] or "") for tick in house.page.ticks("inbox")) else None


def move_in(inbox: Path, outside: Path) -> None:
    """Two files with one old modification time, moved into an inbox."""
    outside.mkdir()
    for number in (1, 2):
        file = outside / f"moved-{number}.md"
        file.write_text(f"Moved note {number} tells of the cable.", encoding="utf-8")
        os.utime(file, (OLD, OLD))
        file.rename(inbox / file.name)


def test_a_file_in_the_inbox_of_somebody_new_becomes_a_line(arrived: House) -> None:
    assert SAID in arrived.home.memory_file(NORA).read_text(encoding="utf-8")
    runs = arrived.page.runs(tags=[{"key": "memory_assets/automation", "value": "inbox"}])
    assert {(run["jobName"], run["status"]) for run in runs} == {("update_memory", "SUCCESS")}
    assert all({"key": "dagster/partition", "value": "EVERYBODY"} in run["tags"] for run in runs)


def test_a_file_in_a_teams_inbox_becomes_a_line_of_each_member(arrived: House) -> None:
    for member in (OLAF, PAUL):
        assert SHARED in arrived.home.memory_file(member).read_text(encoding="utf-8")
    assert SHARED not in arrived.home.memory_file(NORA).read_text(encoding="utf-8")


def test_a_file_that_grew_is_one_source_and_whole(arrived: House) -> None:
    logs = [text for text in arrived.sources(NORA) if PARTS[0] in text]
    assert len(logs) == 1
    assert all(logs[0].count(part) == 1 for part in PARTS)


def test_files_moved_in_with_one_old_time_are_a_source_each(arrived: House) -> None:
    assert arrived.sources(PAUL) == [f"Moved note {number} tells of the cable." for number in (1, 2)]


@dataclass(frozen=True)
class Held:
    """A draft that was broken, and what came of it."""

    run: str
    status: str
    before: tuple[bytes, int]
    told: Received


@pytest.fixture(scope="module")
def held(arrived: House) -> Held:
    """Nora's draft with far too many words, and the run that a person starts for it."""
    file = arrived.home.memory_file(NORA)
    wait_for(lambda: True if not arrived.page.runs(statuses=["QUEUED", "STARTING", "STARTED"]) else None, "quiet")
    before = (file.read_bytes(), file.stat().st_mtime_ns)
    opened = open_graph(Settings(_env_file=None, home=arrived.home.home, **NEO4J))
    try:
        tamper_draft(opened, NORA, f"- {SAID}, and so on.\n" * 300)
    finally:
        opened.close()
    run = arrived.page.materialize(NORA, "memory_draft", "memory_file")
    status = arrived.page.outcome(run)
    told = wait_for(lambda: next(iter(of_run(arrived, run)), None), "the alert")
    return Held(run, status, before, told)


def of_run(house: House, run: str) -> list[Received]:
    """What was sent of a run."""
    return [told for told in house.webhook.received if told.body["run_id"] == run]


def test_a_draft_over_its_budget_shows_a_failed_check_and_leaves_the_file(arrived: House, held: Held) -> None:
    assert held.status == "FAILURE"
    check = arrived.page.checks("memory_draft")["draft_is_within_budget"]
    execution = check["executionForLatestMaterialization"]
    assert (execution["runId"], execution["status"]) == (held.run, "FAILED")
    evaluation = execution["evaluation"]
    assert (evaluation["success"], evaluation["severity"]) == (False, "ERROR")
    shown = {e["label"]: e.get("text") or e.get("mdStr") or e.get("intValue") for e in evaluation["metadataEntries"]}
    assert (shown["found"], shown["failed_for"]) == (1, NORA)
    assert "over the budget of 2000" in shown["what_failed"]
    assert "make the draft again with force" in shown["what_to_do"]
    assert NORA in evaluation["description"]
    file = arrived.home.memory_file(NORA)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == held.before


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
def test_a_browser_shows_the_failed_check(arrived: House, held: Held, tmp_path: Path) -> None:
    with open_browser(tmp_path) as browser:
        browser.open(f"{arrived.page.address}/assets/memory_draft?view=checks&checkDetail=draft_is_within_budget")
        shown = browser.shows("This is a blocking asset check", "Failed", NORA, "make the draft again with force")
    assert "over the budget" in shown


def test_one_alert_says_what_to_act_on_and_nothing_of_the_memory(arrived: House, held: Held) -> None:
    told = ALERT.validate_python(held.told.body)
    assert (told.kind, told.severity, told.owners, told.run_id) == ("run", "error", (NORA,), held.run)
    (what, *_) = told.what
    assert "draft_is_within_budget" in what and "over the budget of 2000" in what
    assert any("make the draft again with force" in line for line in told.what_to_do)
    addresses = [link.url for link in told.where]
    assert f"{arrived.page.address}/runs/{held.run}" in addresses
    assert any("checkDetail=draft_is_within_budget" in address for address in addresses)
    sent = json.dumps(held.told.body).lower()
    assert not [word for word in ("lighthouse", "minutes", "plain text", "always send") if word in sent]


def test_later_ticks_send_no_second_alert(arrived: House, held: Held) -> None:
    for sensor in ("alerts", "inbox"):
        assert arrived.page.tick_after(sensor, time.time())["status"] in ("SUCCESS", "SKIPPED")
    assert len(of_run(arrived, held.run)) == 1
    assert arrived.terminal.text.count(f"/runs/{held.run} (the run)") == 1


def test_what_the_alert_advises_mends_it(arrived: House, held: Held) -> None:
    again = arrived.page.materialize(NORA, "memory_draft", "memory_file", scope={"force": True})
    assert arrived.page.outcome(again) == "SUCCESS"
    check = arrived.page.checks("memory_draft")["draft_is_within_budget"]["executionForLatestMaterialization"]
    assert (check["runId"], check["status"]) == (again, "SUCCEEDED")
    assert arrived.home.memory_file(NORA).read_bytes() == held.before[0]


def test_the_terminal_has_the_runs_words_and_no_ticks(arrived: House) -> None:
    said = arrived.terminal.text
    assert "sources extracted" in said
    assert not [line for line in said.splitlines() if "SensorDaemon" in line or "Checking for new runs" in line]


def test_one_term_ends_a_run_at_work_and_a_tick_under_way(house: House) -> None:
    """The last test of the module. A tick that sends an alert to somebody who does not answer takes its time."""
    page, told = house.page, len(house.webhook.received)
    for number in range(1500):
        (house.inbox(PAUL) / f"many-{number}.md").write_text(f"Entry {number}.", encoding="utf-8")
    house.webhook.hangs = True
    broken = "../nobody"
    for owner in (broken, PAUL):
        page.add_partition(owner)
    failing, working = page.launch("ingest_sources", broken), page.launch("build_memory", PAUL)
    assert page.outcome(failing) == "FAILURE"
    wait_for(lambda: True if len(house.webhook.received) > told else None, "an alert that is being sent")

    def both() -> bool | None:
        """What is not taken is sent again by later ticks; and a run that was faster is started again."""
        nonlocal working
        if page.status(working) in ENDED:
            working = page.launch("build_memory", PAUL, scope={"force": True})
        (tick, *_) = page.ticks("alerts")
        forked = any("--multiprocessing-fork" in command for command in commands_of(house.home))  # the run's
        return True if forked and (page.status(working), tick["status"]) == ("STARTED", "STARTED") else None

    wait_for(both, "a run at work and a tick under way at once")
    assert page.end() == 0
    assert commands_of(house.home) == []
