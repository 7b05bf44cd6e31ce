"""The thin end of the hooks: what goes through, and that nothing ever holds the agent up."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from memory_assets.client.hook import FAILURES_BYTES, failures
from memory_assets.files.resident import STATE_FILE
from memory_assets.graph import embedded
from memory_assets.server.process import resident, start
from memory_assets.settings import PACKAGE, Settings
from memory_assets_tests.client.conftest import Answering, bare_seconds, processor_seconds
from memory_assets_tests.support.processes import free_port

PAYLOAD = {"session_id": "s-1", "hook_event_name": "UserPromptSubmit", "prompt": "the harbor's größe", "cwd": "/tmp"}
COMMAND = (sys.executable, "-P", "-m", "memory_assets.client.hook", "claude-code")


def hook(home: Path, event: str = "UserPromptSubmit", *more: str, said: bytes | None = None) -> tuple[str, str]:
    """What an event prints, on both streams; it ends well whatever happens."""
    body = json.dumps(PAYLOAD).encode() if said is None else said
    done = subprocess.run(
        [*COMMAND, event, "--home", str(home), *more], input=body, capture_output=True, timeout=60, cwd=home.parent
    )
    assert done.returncode == 0
    return done.stdout.decode(), done.stderr.decode()


def test_an_event_goes_through_as_it_is_and_the_answer_comes_back(home: Path, answering: Answering) -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "- [482915037] Größe"}}
    answering.says(answer)
    printed, complaints = hook(home)
    assert json.loads(printed) == answer and not complaints
    (arrived,) = answering.arrived
    assert (arrived.method, arrived.path) == ("POST", "/hooks/claude-code/UserPromptSubmit")
    assert arrived.body == json.dumps(PAYLOAD).encode()
    assert arrived.headers["Authorization"] == "Bearer mem_secret"
    assert failures(home) == []


def test_an_answer_without_words_prints_nothing(home: Path, answering: Answering) -> None:
    for content in (b"", b"{}"):
        answering.content = content
        assert hook(home, "Stop") == ("", "")
    assert failures(home) == []


@pytest.mark.parametrize(
    ("status", "content", "reason"),
    [
        (500, b"broken", "refused"),
        (503, b'{"error": "The server is full."}', "The server is full."),
        (401, b'{"error": "This key is unknown."}', "This key is unknown."),
        (413, b"", "refused"),
        (422, b'{"error": "prompt: too long"}', "prompt: too long"),
        (302, b"", "refused"),
        (200, b"<html>somebody else's</html>", "the answer is no object"),
        (200, b'["no object"]', "the answer is no object"),
    ],
)
def test_it_fails_open(home: Path, answering: Answering, status: int, content: bytes, reason: str) -> None:
    answering.status, answering.content = status, content
    assert hook(home) == ("", "")
    (failed,) = failures(home)
    assert (failed["agent"], failed["event"], failed["reason"]) == ("claude-code", "UserPromptSubmit", reason)
    assert (failed["connection"], failed["status"]) == ("claude-code", status)
    written = (home / "hooks" / "failures.jsonl").read_text()
    assert "harbor" not in written and "mem_secret" not in written
    assert stat.S_IMODE((home / "hooks" / "failures.jsonl").stat().st_mode) == 0o600


def test_a_server_that_is_down_is_a_failure(home: Path) -> None:
    (home / "server" / "server.json").write_text(json.dumps({"pid": os.getpid(), "port": free_port()}))
    assert hook(home) == ("", "")
    (home / "server" / "server.json").unlink()
    assert hook(home) == ("", "")
    (home / "connections" / "claude-code.key").unlink()
    (home / "server" / "server.json").write_text(json.dumps({"pid": os.getpid(), "port": free_port()}))
    assert hook(home) == ("", "")
    said = [failed["reason"] for failed in failures(home)]
    assert "No server answers" in said[0] and said[1] == "no server runs" and "no key of claude-code" in said[2]


def test_a_key_of_its_own_that_is_empty_is_not_replaced_by_the_environments(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_ASSETS_TOKEN", "mem_another")
    (home / "connections" / "claude-code.key").write_text("\n")
    assert hook(home) == ("", "")
    assert "no key of claude-code" in failures(home)[0]["reason"]


@pytest.mark.parametrize("drips", [False, True])
def test_a_slow_server_has_its_time_and_no_more(home: Path, answering: Answering, drips: bool) -> None:
    answering.drips = drips  # each byte in time, the whole never
    answering.content = json.dumps({"additionalContext": "x" * 1_000}).encode()
    answering.silent = None if drips else threading.Event()
    began = time.monotonic()
    assert hook(home, "UserPromptSubmit", "--seconds", "0.5") == ("", "")
    assert time.monotonic() - began < 5
    assert len(failures(home)) == 1


def test_an_input_that_does_not_end_holds_nothing_up(home: Path) -> None:
    reading, writing = os.pipe()
    done = subprocess.run([*COMMAND, "Stop", "--home", str(home), "--seconds", "0.3"], stdin=reading, timeout=60)
    os.close(reading)
    os.close(writing)
    assert done.returncode == 0 and failures(home)[0]["reason"] == "TooSlow"


def test_a_wrong_call_and_a_home_that_is_none_end_well(home: Path, tmp_path: Path) -> None:
    for words in (["Stop"], ["Stop", "--seconds", "soon"], ["Stop", "--home", str(tmp_path / "none")]):
        assert subprocess.run([*COMMAND, *words], input=b"{}", capture_output=True, timeout=60).returncode == 0
    assert not (tmp_path / "none").exists()
    (home / "hooks").write_text("no folder")
    (home / "server" / "server.json").unlink()
    assert hook(home) == ("", "")


def test_the_failures_are_bounded(home: Path, answering: Answering) -> None:
    answering.status = 500
    (home / "hooks").mkdir()
    line = json.dumps({"at": "2026-11-01", "agent": "a", "event": "Stop", "reason": "x", "status": 0}) + "\n"
    (home / "hooks" / "failures.jsonl").write_text(line * (FAILURES_BYTES // len(line) + 1))
    (home / "hooks" / "failures.jsonl.1").write_text("cut o")
    hook(home)
    hook(home)
    sizes = [path.stat().st_size for path in (home / "hooks").iterdir()]
    assert len(sizes) == 2 and sum(sizes) <= 2 * FAILURES_BYTES + 1_000
    assert failures(home)[-1]["status"] == 500 and len(failures(home)) > 1_000


def test_the_code_of_the_folder_that_an_agent_works_in_is_not_run(home: Path, answering: Answering) -> None:
    (home.parent / "json.py").write_text("raise SystemExit(7)")
    (home.parent / "memory_assets").mkdir()
    (home.parent / "memory_assets" / "__init__.py").write_text("raise SystemExit(7)")
    answering.says({"x": 1})
    assert hook(home)[0] == '{"x": 1}\n'


def test_it_starts_nearly_as_soon_as_any_client(home: Path) -> None:
    assert processor_seconds(lambda: hook(home, "Stop")) < 2 * bare_seconds()


@pytest.mark.own_engine
@pytest.mark.slow
@pytest.mark.parametrize("is_given", [True, False])
def test_a_session_that_starts_without_a_server_starts_one_with_the_installations_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_given: bool
) -> None:
    # As it is installed from a wheel: no checkout around it, and by itself the settings are those of a folder.
    installed = tmp_path / "site" / "memory_assets"
    shutil.copytree(PACKAGE, installed)
    shutil.copytree(PACKAGE.parent / "cypher", installed / "_cypher")
    monkeypatch.setenv("PYTHONPATH", str(installed.parent))
    monkeypatch.setenv("MEMORY_ASSETS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMORY_ASSETS_TOKEN", "mem_x")
    monkeypatch.delenv("MEMORY_ASSETS_ENV_FILE")
    settings = Settings(_env_file=None, server_port=free_port())
    settings.server_home.mkdir(parents=True)
    own = settings.home / ".env"
    own.write_text(f"MEMORY_ASSETS_SERVER_PORT={settings.server_port}\n")
    (tmp_path / ".env").write_text("MEMORY_ASSETS_LLM=nobody\n")  # where the agent works
    given = ["--env-file", str(own)] if is_given else []
    try:
        assert hook(settings.home, "Stop", *given) == ("", "")
        assert resident(settings).find() is None
        assert hook(settings.home, "SessionStart", *given) == ("", "")
        deadline = time.monotonic() + 300
        while not (settings.server_home / STATE_FILE).exists():
            assert time.monotonic() < deadline
            threading.Event().wait(0.2)
        state = start(settings)
        assert state.pid != os.getpid() and state.port == settings.server_port
        assert psutil.Process(state.pid).environ()["MEMORY_ASSETS_ENV_FILE"] == str(own)
        assert [one["event"] for one in failures(settings.home)] == ["Stop", "SessionStart"]
    finally:
        resident(settings).stop()
        embedded.stop(settings)
