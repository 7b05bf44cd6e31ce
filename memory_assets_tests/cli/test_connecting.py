"""The commands that connect an agent: what they print, which never is the key."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from memory_assets.client.hook import failures
from memory_assets.graph import embedded
from memory_assets.server.process import resident
from memory_assets.settings import Settings
from memory_assets_tests.support.command_line import run_command
from memory_assets_tests.support.processes import free_port


def run(*arguments: str) -> tuple[str, str]:
    """What a command prints, on both streams."""
    done = run_command(*arguments)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout, done.stderr


def test_a_dry_run_and_an_undo_of_nothing_change_nothing(person: Path, tmp_path: Path) -> None:
    printed, _ = run("connect", "claude-code", "--user", "maya", "--dry-run")
    assert str(person / ".claude.json") in printed and '_TOKEN": "mem_…"' in printed and "SessionStart" in printed
    assert json.loads(run("connect", "codex", "--user", "maya", "--dry-run", "--json")[0])[0]["path"].endswith(
        "config.toml"
    )
    assert "not connected" in run("connect", "codex", "--undo")[1]
    assert "Nothing would be changed" in run("connect", "codex", "--undo", "--dry-run")[1]
    assert list(person.iterdir()) == [] and not (tmp_path / "home").exists()


def test_the_servers_status_counts_what_agents_could_not_reach(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    assert "missed" not in json.loads(run("server", "status", "--json")[0])
    for event in ("Stop", "SessionEnd"):
        assert run("hook", event) == ("", "")
    status = json.loads(run("server", "status", "--json")[0])
    assert status["missed"] == 2 and status["last"].endswith("SessionEnd: no server runs")


def started_in(agent: str, person: Path, folder: Path) -> StdioServerParameters:
    """The tools' process as an agent at work in a folder starts it, by its entry for all folders."""
    if agent == "codex":
        entry = tomllib.loads((person / ".codex" / "config.toml").read_text())["mcp_servers"]["memory-assets"]
    else:
        file = person / (".cursor/mcp.json" if agent == "cursor" else ".claude.json")
        entry = json.loads(file.read_text())["mcpServers"]["memory-assets"]
    words = [word.replace("${workspaceFolder}", str(folder)) for word in entry["args"]]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_ASSETS_")}
    environment |= entry["env"] | ({"CLAUDE_PROJECT_DIR": str(folder)} if agent == "claude-code" else {})
    place = folder if agent == "codex" else person
    return StdioServerParameters(command=entry["command"], args=words, env=environment, cwd=place)


def asked(process: StdioServerParameters, *calls: tuple[str, dict[str, object]]) -> list[str]:
    """What the tools of a process say to some calls."""

    async def run() -> list[str]:
        async with stdio_client(process) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            results = [await session.call_tool(tool, arguments) for tool, arguments in calls]
            assert not any(result.is_error for result in results), results
            return ["".join(part.text for part in result.content) for result in results]

    return asyncio.run(run())


@pytest.mark.own_engine
@pytest.mark.slow
def test_one_entry_for_all_folders_works_in_the_project_of_each(
    person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_ASSETS_SERVER_PORT", str(free_port()))
    settings = Settings(_env_file=None)
    harbor, garden = tmp_path / "harbor", tmp_path / "garden"
    (harbor / ".git").mkdir(parents=True)
    garden.mkdir()
    try:
        for agent in ("claude-code", "cursor", "codex"):
            run("connect", agent, "--user", "maya")
            words = f"In src/gate.py the latch that {agent} knows of is closed first."
            question = {"question": f"Which latch does {agent} know of?", "thorough": True}
            files = {"files": ["src/gate.py"]}
            said, status = asked(
                started_in(agent, person, harbor), ("remember", {"text": words, "kind": "decision"}), ("status", {})
            )
            assert '"recallable":true' in said and json.loads(status)["project"] == "harbor"
            recalled, context, crossed, status = asked(
                started_in(agent, person, garden),
                ("recall", question),
                ("context", files),
                ("recall", question | {"all_projects": True}),
                ("status", {}),
            )
            assert words not in recalled and words not in context and words in crossed
            assert json.loads(status)["project"] == "garden"
            own, context = asked(started_in(agent, person, harbor), ("recall", question), ("context", files))
            assert words in own and words in context
        # A variable that the agent did not put a folder in is no project, nor is the home folder.
        unsaid = started_in("cursor", person, Path("${workspaceFolder}"))
        assert json.loads(asked(unsaid, ("status", {}))[0])["project"] is None
    finally:
        resident(settings).stop()
        embedded.stop(settings)


@pytest.mark.own_engine
@pytest.mark.slow
def test_one_command_connects_and_one_takes_it_back(
    person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_ASSETS_SERVER_PORT", str(free_port()))
    settings = Settings(_env_file=None)
    (person / ".claude.json").write_text('{"numStartups": 7}')
    try:
        printed, said = run("connect", "claude-code", "--user", "maya")
        assert f"{person / '.claude.json'}: changed, as it was in .claude.json.edited-" in printed
        entry = json.loads((person / ".claude.json").read_text())["mcpServers"]["memory-assets"]
        token = entry["env"]["MEMORY_ASSETS_TOKEN"]
        assert token.startswith("mem_") and token not in printed + said
        state = resident(settings).find()
        assert state is not None
        # The key that the agent has opens its user's memory.
        from memory_assets.client import Memory

        assert Memory(token=token).status()["user"] == "maya"
        assert token not in resident(settings).log.read_text()
        assert "claude-code" in run("tokens", "list", "--user", "maya")[0]
        assert "nothing was changed" in run("connect", "claude-code")[1]  # there is one user by now
        hook = json.loads((person / ".claude" / "settings.json").read_text())["hooks"]["UserPromptSubmit"][0]["hooks"][
            0
        ]
        payload = json.dumps({"session_id": "s", "prompt": "bees", "hook_event_name": "UserPromptSubmit"})
        done = subprocess.run(
            hook["command"], shell=True, input=payload, capture_output=True, text=True, env=os.environ
        )
        assert (done.returncode, done.stderr) == (0, "") and len(failures(settings.home)) <= 1
        assert (
            f"{person / '.claude.json'}: would be given back" in run("connect", "claude-code", "--undo", "--dry-run")[0]
        )
        assert "revoked" in run("connect", "claude-code", "--undo")[1]
        assert (person / ".claude.json").read_text() == '{"numStartups": 7}' and not (person / ".claude").exists()
    finally:
        resident(settings).stop()
        embedded.stop(settings)
