"""The examples of the README and the docs run as they stand, in their order, in one home: three commands build it from
nothing, a second run has nothing to do, and then come all the others.

The home is also looked through for anything that others on the machine could read.
"""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets_tests.installation.test_whole_house import SECTIONS
from memory_assets_tests.support.installation import NOW, ZONE, Installation
from memory_assets_tests.support.processes import free_port

pytestmark = [pytest.mark.own_engine, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "service.md"))
"""docs/service.md is for root on a machine of its own: it installs packages and units."""
NOT_HERE = re.compile(r"make (?!run\b)")
"""`make ui` lasts until it is ended, `make test` would run this; `make run` is how the home is built."""
COMMAND = Path(sys.executable).with_name("memory-assets")
FIRST_STEPS = re.compile(r"^Three commands to an agent that remembers:\n\n```text\n(.*?)^```", re.M | re.S)
HOOK_MS = "60000"
"""Others are at work on the machine: what an agent is given is looked at here, not in how many milliseconds."""
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)


def examples(page: Path) -> list[str]:
    """The shell blocks of a page, each without the commands that are not for a test."""
    found = _BLOCK.findall(page.read_text(encoding="utf-8"))
    kept = ("".join(line for line in block.splitlines(keepends=True) if not NOT_HERE.match(line)) for block in found)
    return [block for block in kept if block.strip()]


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of somebody on whose machine nothing of this has been yet."""
    folder = tmp_path_factory.mktemp("stranger")
    (folder / "memory-demo").mkdir(mode=0o755)  # nothing is published into a folder into which everybody may write
    environment = environment_in(folder) | {"MEMORY_ASSETS_SERVER_PORT": str(free_port())}
    environment |= {"MEMORY_ASSETS_HOOK_DEADLINE_MS": HOOK_MS}
    try:
        yield environment
    finally:
        shell(".venv/bin/memory-assets server stop\n.venv/bin/memory-assets graph stop", environment)


def environment_in(folder: Path) -> dict[str, str]:
    """The environment of somebody whose home is a folder."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MEMORY_ASSETS_", "OPENAI_", "NEO4J_"))
    }
    ours = {"HOME": str(folder), "MEMORY_ASSETS_HOME": str(folder / "state"), "MEMORY_ASSETS_ENV_FILE": os.devnull}
    return kept | ours | {"MEMORY_ASSETS_NOW": NOW, "MEMORY_ASSETS_TIMEZONE": ZONE}


def shell(script: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A block as it would be pasted, where any command that fails ends it, in a shell that hides nothing from
    anybody.
    """
    script = script.replace("make run", ".venv/bin/memory-assets sample").replace(
        ".venv/bin/memory-assets", str(COMMAND)
    )
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
        umask=0,
    )


def first_steps() -> list[str]:
    """The three commands that lead from a bare machine to an agent that remembers."""
    found = FIRST_STEPS.search((ROOT / "docs" / "agents.md").read_text(encoding="utf-8"))
    assert found is not None
    return [line.partition("#")[0].strip() for line in found[1].splitlines()]


def test_the_first_command_builds_the_sample_and_has_nothing_to_do_a_second_time(stranger: dict[str, str]) -> None:
    first = shell(first_steps()[0], stranger)
    assert first.returncode == 0, (first.stdout, first.stderr)
    house = Installation(Path(stranger["MEMORY_ASSETS_HOME"]))
    for user in ("maya", "ben"):
        (shown,) = house.json("show", "--user", user)
        assert {section["name"] for section in shown["sections"] if section["tokens"]} == SECTIONS
        assert 1500 <= shown["tokens"] <= 2000
        assert str(house.memory_file(user)) in first.stdout
    macros = house.json("graph", "query", "MATCH (m:Macro) RETURN m.user_id AS user, count(m) AS n ORDER BY user")
    assert [row["user"] for row in macros] == ["ben", "maya"]
    calls = house.json("ledger")["calls"]
    runs = house.home / "dagster" / "history" / "runs"
    before = sorted(path.name for path in runs.glob("*.db"))
    second = house.run("sample")
    assert "Nothing to do" in second.stdout
    assert before and sorted(path.name for path in runs.glob("*.db")) == before, "no run starts for nothing"
    assert house.json("ledger")["calls"] == calls
    ref = house.json("recall", "Tidewatch in Skagness", "--level", "themes", "--user", "maya")["themes"][0]["ref"]
    walk = [house.json("open", ref, "--user", "maya")]
    for below in ("storylines", "sources", "sentences"):
        walk.append(house.json("open", walk[-1][below][-1]["ref"], "--user", "maya"))
    assert [one["kind"] for one in walk] == ["theme", "storyline", "source", "statement"]
    assert ref in house.run("open", walk[1]["ref"], "--user", "maya").stdout


class ClaudeCode:
    """Claude Code at work in a folder, as far as its hooks see it: each event runs the command in its settings."""

    def __init__(self, environment: dict[str, str]) -> None:
        home = Path(environment["HOME"])
        self.folder, self.transcript = home / "work", home / "transcript.jsonl"
        self.folder.mkdir()
        # Its environment has nothing of ours: all that it needs stands in its settings.
        self.environment = {name: text for name, text in environment.items() if not name.startswith("MEMORY_ASSETS_")}
        self.hooks = json.loads((home / ".claude" / "settings.json").read_text(encoding="utf-8"))["hooks"]

    def happens(self, event: str, session: str, **more: str) -> str:
        """What it is given at an event."""
        (group,) = self.hooks[event]
        (hook,) = group["hooks"]
        said = {"session_id": session, "cwd": str(self.folder), "hook_event_name": event, "transcript_path": ""} | more
        done = subprocess.run(
            f"{hook['command']} --seconds 60",
            shell=True,
            input=json.dumps(said),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=90,
        )
        assert (done.returncode, done.stderr) == (0, ""), event
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""

    def says(self, number: int, role: str, words: str) -> None:
        """A line of the transcript."""
        stamp = f"2026-11-20T11:00:{number:02}.000Z"
        line = {"type": role, "uuid": f"u{number}", "timestamp": stamp, "message": {"role": role, "content": words}}
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line | {"sessionId": "first", "cwd": str(self.folder)}) + "\n")


def test_the_other_two_lead_to_an_agent_that_remembers(stranger: dict[str, str]) -> None:
    _, connect, start = first_steps()
    assert start == "claude"
    done = shell(connect, stranger)
    assert done.returncode == 0, (done.stdout, done.stderr)
    agent = ClaudeCode(stranger)
    assert agent.happens("SessionStart", "first", source="startup")
    assert "Halden Strings" in agent.happens("UserPromptSubmit", "first", prompt="Where do I rent a cello?")
    # What is said is remembered: another session is told of it.
    asked = "Where does the spare key of the boat shed hang?"
    assert "Brinkmann" not in agent.happens("UserPromptSubmit", "first", prompt=asked)
    agent.says(1, "user", "The spare key of the boat shed hangs at the Brinkmann kiosk.")
    agent.says(2, "assistant", "I note that.")
    assert agent.happens("SessionEnd", "first", transcript_path=str(agent.transcript), reason="other") == ""
    done = shell(".venv/bin/memory-assets materialize --user maya", stranger)  # else `make ui` does it by itself
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert "Brinkmann" in agent.happens("UserPromptSubmit", "second", prompt=asked)
    assert json.loads(shell(".venv/bin/memory-assets server status --json", stranger).stdout).get("missed") is None


def test_every_example_runs_as_it_stands_and_leaves_nothing_for_others_to_read(stranger: dict[str, str]) -> None:
    blocks = [(page, block) for page in PAGES for block in examples(page)]
    assert len(blocks) >= 5 and "memory-assets explain" in "".join(block for _, block in blocks)
    for page, block in blocks:
        done = shell(block, stranger)
        assert done.returncode == 0, (
            f"{page.name}:\n{block}\nended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        )
    home = Path(stranger["MEMORY_ASSETS_HOME"])
    memories = [path for path in (Path(stranger["HOME"]) / "memory-demo").iterdir() if path.name != "tasks.yaml"]
    given_back = next(path for path in memories if path.name == "MEMORY.md")
    assert given_back.read_text(encoding="utf-8") == "# Memory\n\n- I take my tea without milk.\n"
    looked_through = [home, *home.rglob("*"), *(path for path in memories if path != given_back)]
    open_to_others = [
        path for path in looked_through if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    assert len(looked_through) > 50 and not [path for path in open_to_others if not stat.S_ISSOCK(path.stat().st_mode)]


def test_an_example_that_fails_is_noticed(stranger: dict[str, str]) -> None:
    assert shell(".venv/bin/memory-assets ingest sample_inbox/nobody --user maya\n", stranger).returncode != 0
    assert shell("false\ntrue\n", stranger).returncode != 0
