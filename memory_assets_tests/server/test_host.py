"""The server's process: found, started on demand, killed, ended; one per home."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests

from memory_assets.client import AsyncMemory, ClientError, Memory
from memory_assets.client.local import key_of, server_of
from memory_assets.client.transport import local_url
from memory_assets.files.resident import STATE_FILE
from memory_assets.graph import embedded
from memory_assets.graph.graph import open_graph
from memory_assets.keys.issuing import add_key, list_keys, revoke_keys
from memory_assets.keys.policy import Scope
from memory_assets.llm import local_embedder
from memory_assets.server.host import serve, warm_up
from memory_assets.server.process import MODULE, ServerError, resident, start
from memory_assets.settings import Settings
from memory_assets_tests.support.dagster_ui import wait_for
from memory_assets_tests.support.installation import write_conversation
from memory_assets_tests.support.processes import free_port, listened_on

pytestmark = [pytest.mark.own_engine, pytest.mark.slow]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    monkeypatch.setenv("MEMORY_ASSETS_HOME", str(tmp_path / "home"))
    settings = Settings(_env_file=None, home=tmp_path / "home", server_port=free_port())
    yield settings
    resident(settings).stop()
    embedded.stop(settings)


def ask(settings: Settings, path: str, token: str = "") -> requests.Response:
    headers = {"Authorization": f"Bearer {token}"}
    return requests.get(f"http://127.0.0.1:{settings.server_port}{path}", headers=headers, timeout=60)


def test_a_server_lives_survives_and_ends(home: Settings, user: str) -> None:
    first = start(home)
    assert first.port == home.server_port and start(home) == first
    assert stat.S_IMODE((home.server_home / STATE_FILE).stat().st_mode) == 0o600
    process = resident(home).process_of(first)
    assert process is not None and listened_on([process]) == {"127.0.0.1"}
    graph = open_graph(home)
    _, token = add_key(graph, user, "codex", [Scope.READ], home.clock.now())
    assert ask(home, "/status", token).json()["user"] == user

    # No second one of the same home, and none on a port that is taken.
    with pytest.raises(ServerError, match="runs already"):
        serve(home, free_port(), lambda _: None)
    other = home.model_copy(update={"home": home.home / "other"})
    with pytest.raises(ServerError, match=f"Port {home.server_port}"):
        serve(other, home.server_port, lambda _: None)
    with pytest.raises(ServerError, match=f"Port {home.server_port}") as taken:
        start(other)
    assert "Traceback" not in str(taken.value), "a sentence is for people"

    # The graph's host is killed: the server goes on with the next one. (A Neo4j is somebody's own.)
    if home.neo4j_uri is None:
        hosted = embedded.find(home)
        assert hosted is not None
        psutil.Process(hosted.pid).kill()
        assert ask(home, "/status", token).status_code == 200

    # Killed itself: the next start has the same port, and the same keys open it.
    process.kill()
    process.wait(60)
    assert resident(home).find() is None
    second = start(home)
    assert second.pid != first.pid and second.port == first.port
    assert ask(home, "/status", token).json()["user"] == user

    # TERM ends it in order.
    living = psutil.Process(second.pid)
    living.send_signal(signal.SIGTERM)
    living.wait(60)
    assert not (home.server_home / STATE_FILE).exists()
    assert resident(home).stop() is False


def test_a_server_in_the_foreground_is_found_and_ended_as_any_other(home: Settings) -> None:
    command = [sys.executable, "-m", "memory_assets.cli", "serve", "--port", str(home.server_port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as serving:
        try:
            process = psutil.Process(serving.pid)
            wait_for(lambda: MODULE in process.cmdline() or None, "the server's command line")
            state = start(home)  # it waits for the one that is about to answer
            assert state.pid == serving.pid and resident(home).find() == state
            url = f"http://127.0.0.1:{home.server_port}"
            assert serving.stderr is not None and any(f"Agents reach {url}" in line for line in serving.stderr)
            assert local_url(home.home) == url and server_of(home.home) == url
            refused = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
            assert refused.returncode == 1 and refused.stderr.startswith("memory-assets: A server of")
            assert resident(home).stop() is True
            assert serving.wait(60) == 0 and local_url(home.home) is None
        finally:
            serving.kill()


def test_no_correction_that_was_answered_is_lost_in_a_kill(home: Settings, user: str) -> None:
    chance = random.Random(5)
    process = resident(home).process_of(start(home))
    _, token = add_key(open_graph(home), user, "codex", list(Scope), home.clock.now())
    url = f"http://127.0.0.1:{home.server_port}"
    given = {"headers": {"Authorization": f"Bearer {token}"}, "timeout": 60}
    ref = requests.post(f"{url}/memories", json={"text": "The boat is number 0."}, **given).json()["ref"]
    answered = 0
    for number in range(1, 4):
        body = {"text": f"The boat is number {number}.", "reason": "It was painted."}
        answers: list[int] = []

        def ask_it(body: dict[str, str] = body, answers: list[int] = answers) -> None:
            with suppress(requests.RequestException):
                answers.append(requests.patch(f"{url}/memories/{ref}", json=body, **given).status_code)

        asking = threading.Thread(target=ask_it)
        asking.start()
        time.sleep(chance.uniform(0, 1.5))  # the kill comes at any moment of it
        assert process is not None
        process.kill()
        process.wait(60)
        asking.join()
        process = resident(home).process_of(start(home))
        answered = number if 200 in answers else answered
        said = requests.get(f"{url}/memories/{ref}", **given).json()["text"]
        assert said in {f"The boat is number {answered}.", body["text"]}
        assert requests.patch(f"{url}/memories/{ref}", json=body, **given).status_code == 200
        assert requests.get(f"{url}/memories/{ref}", **given).json()["text"] == body["text"]
        answered = number
    for number in range(2, -1, -1):
        assert requests.post(f"{url}/memories/{ref}/undo", **given).status_code == 200
        assert requests.get(f"{url}/memories/{ref}", **given).json()["text"] == f"The boat is number {number}."
    assert requests.post(f"{url}/memories/{ref}/undo", **given).status_code == 404


def test_no_memory_that_was_answered_is_lost_in_a_kill(home: Settings, user: str) -> None:
    chance = random.Random(7)
    process = resident(home).process_of(start(home))
    _, token = add_key(open_graph(home), user, "codex", list(Scope), home.clock.now())
    url = f"http://127.0.0.1:{home.server_port}"
    given = {"headers": {"Authorization": f"Bearer {token}"}, "timeout": 60}
    answered: dict[str, str] = {}

    def note(text: str) -> dict[str, Any]:
        told = requests.post(f"{url}/memories", json={"text": text}, **given)
        assert told.status_code == 201, told.text
        said = told.json()
        assert said["durable"]
        if said["recallable"]:  # else the owner's lock was held for long: the next run takes it in
            answered[text] = said["ref"]
        return said

    def note_until_the_end(texts: list[str], noted: threading.Semaphore) -> None:
        with suppress(requests.RequestException):
            for text in texts:
                if note(text)["recallable"]:
                    noted.release()

    names = iter(made_names())
    for _ in range(3):
        writers = [[f"{next(names)} mends the {next(names)} on Fridays." for _ in range(200)] for _ in range(3)]
        noted = threading.Semaphore(0)
        working = [threading.Thread(target=note_until_the_end, args=(texts, noted)) for texts in writers]
        for one in working:
            one.start()
        for _ in range(3):
            assert noted.acquire(timeout=300)
        time.sleep(chance.uniform(0, 1))  # the kill comes at any moment of the next ones
        assert process is not None
        process.kill()
        process.wait(60)
        for one in working:
            one.join()
        process = resident(home).process_of(start(home))
        for text, ref in answered.items():
            assert requests.get(f"{url}/memories/{ref}", **given).json()["text"] == text
            said = requests.post(f"{url}/recall", json={"question": text}, **given).json()
            assert text in said["text"], "what was answered is recalled"
        for texts in writers:  # what was in the air is there or not, and there once when it is said again
            waiting = next(text for text in texts if text not in answered)
            first = note(waiting)
            assert note(waiting) == first | {"is_new": False}
    assert len(set(answered.values())) == len(answered)


RECALLS = """
import json, sys
from memory_assets.commands.sources import recall_for
from memory_assets.graph.graph import open_graph
from memory_assets.settings import Settings
settings = Settings(_env_file=None)
graph = open_graph(settings)
for question in sys.stdin:
    found, _ = recall_for(graph, settings, sys.argv[1], question.strip(), 2000)
    print(json.dumps(found.recalled.text), flush=True)
"""
"""A process that recalls for each line, and answers with one."""


REMEMBERED = 100
"""Each takes half a second where others are at work: of a thousand, in eight minutes, none was missed."""


def test_what_is_remembered_here_is_recalled_in_another_process_at_once(home: Settings, user: str) -> None:
    start(home)
    graph, url = open_graph(home), f"http://127.0.0.1:{home.server_port}"
    memory = Memory(url, add_key(graph, user, "codex", [Scope.WRITE], home.clock.now())[1], timeout=60)
    names, missed = iter(made_names()), []
    command = [sys.executable, "-c", RECALLS, user]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin is not None and other.stdout is not None
        for _ in range(REMEMBERED):
            who, what = next(names), next(names)
            text = f"{who} repairs the {what} in the harbor."
            assert memory.remember(text)["recallable"]
            other.stdin.write(f"What does {who} repair?\n")
            other.stdin.flush()
            missed += [] if text in json.loads(other.stdout.readline()) else [text]
        other.stdin.close()
    assert missed == []


def made_names() -> list[str]:
    """Names that nothing else has, each once."""
    syllables = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
    every = [f"{one}{two}{three}".capitalize() for one in syllables for two in syllables for three in syllables[::7]]
    return random.Random(11).sample(every, len(every))


def test_what_is_remembered_and_corrected_here_is_recalled_in_another_process(home: Settings, user: str) -> None:
    start(home)
    _, token = add_key(open_graph(home), user, "codex", list(Scope), home.clock.now())
    url = f"http://127.0.0.1:{home.server_port}"
    given = {"headers": {"Authorization": f"Bearer {token}"}, "timeout": 60}
    question = [sys.executable, "-m", "memory_assets.cli", "recall", "Where does Nora keep bees?", "--user", user]
    for number in range(3):
        body = {"text": f"Nora keeps bees in harbor {number}."}
        ref = requests.post(f"{url}/memories", json=body, **given).json()["ref"]
        found = subprocess.run(question, capture_output=True, text=True, check=True, timeout=300).stdout
        assert body["text"] in found
        requests.patch(f"{url}/memories/{ref}", json={"text": f"Nora keeps goats {number}.", "reason": "so"}, **given)
        found = subprocess.run(question, capture_output=True, text=True, check=True, timeout=300).stdout
        assert body["text"] not in found and f"goats {number}" in found


def test_a_server_has_loaded_what_a_first_prompt_would_wait_for() -> None:
    local_embedder._model.cache_clear()
    warm_up()
    assert local_embedder._model.cache_info().currsize == 1


def test_a_program_has_the_memory_of_a_folder(home: Settings, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_ASSETS_SERVER_PORT", str(home.server_port))
    monkeypatch.delenv("MEMORY_ASSETS_TOKEN", raising=False)
    write_conversation(home.inbox / user / "boat.jsonl", "boat", "2026-01-05", [("user", "Nora", "The sails are red.")])
    memory = Memory.local(home.home, user, timeout=60)
    assert memory.remember("Nora keeps bees in Skagness.")["recallable"]
    (key,) = (home.home / "connections").iterdir()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600

    state = resident(home).find()
    assert state is not None
    psutil.Process(state.pid).kill()
    psutil.wait_procs([psutil.Process(state.pid)] if psutil.pid_exists(state.pid) else [], timeout=60)
    again = asyncio.run(AsyncMemory.local(str(home.home), user, timeout=60))
    assert "Skagness" in asyncio.run(again.recall("Where are the bees?"))["text"]
    assert [row["agent"] for row in list_keys(open_graph(home), user)] == ["python"]
    assert Memory.local(home.home, token=key.read_text().strip()).status()["user"] == user

    made = key.read_text()
    for broken in ("", "mem_half", "mém"):
        key.write_text(broken, encoding="utf-8")
        assert Memory.local(home.home, user, timeout=60).status()["user"] == user
        assert key.read_text() not in (made, broken) and stat.S_IMODE(key.stat().st_mode) == 0o600
    memory = Memory.local(home.home, user, timeout=60)
    for row in list_keys(open_graph(home), user):
        revoke_keys(open_graph(home), user, row["id"], home.clock.now())
    monkeypatch.setenv("HOME", str(home.home.parent))
    assert memory.consolidate()["operation"], "the key that was revoked is made anew, and may curate"
    assert Memory.local(f"~/{home.home.name}", user, timeout=60).contradictions() == []
    key.unlink()
    before = len(list_keys(open_graph(home), user))
    with ThreadPoolExecutor(3) as programs:
        found = set(programs.map(lambda _: key_of(home.home, user), range(3)))
    assert found == {key.read_text().strip()} and len(list_keys(open_graph(home), user)) == before + 1
    with pytest.raises(ClientError, match="Whose memory"):
        Memory.local(home.home)
    with pytest.raises(ClientError, match="nobody-here"):
        Memory.local(home.home, "nobody-here")
