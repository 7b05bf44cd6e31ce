"""The command line under wrong use and odd input: one sentence that says what to type, exit code 2, and no traceback;
and that a light command loads nothing heavy.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from typer.testing import Result

from memory_assets.cli import running
from memory_assets.clock import Clock
from memory_assets.errors import UnknownReferenceError, WrongUseError
from memory_assets.graph.graph import Graph
from memory_assets.settings import Settings
from memory_assets.sources.formats import ALL_FORMATS, memory_lines
from memory_assets.sources.ingest import ingest_paths
from memory_assets_tests.support.command_line import run_command

HUGE = str(10**20)
CLI = [sys.executable, "-m", "memory_assets.cli"]

WRONG = {
    "recall |": "nothing to search for",
    "recall x --tokens -1": "A budget of -1 tokens",
    f"recall x --tokens {HUGE}": "give 25 to 200,000",
    "recall x --more 0": "no page 0",
    "recall x --since 2026-10-10 --until 2026-10-01": "2026-10-10 is later than 2026-10-01: exchange these days.",
    "recall x --level themes --since 2026-10-10 --until 2026-10-01": "exchange these days",
    "recall x --since yesterday": "'yesterday' is no day: write it as 2026-10-31",
    "recall x --project ///": "is no project",
    "recall x --project !!!": "needs a letter or a digit",
    "remember |": "give a text",
    "remember tea --from 2026-12-02 --to 2026-12-01": "exchange these days",
    "remember tea --agent A_B": "cannot be an agent's name",
    "correct 123456789 --text tea": "a reason is needed",
    "show --as-of 2030-01-01": "still to come",
    f"show --limit {HUGE}": "--limit",
    "diff --since yesterday": "write it as 2026-10-31",
    "diff --since 2030-01-01": "--since 2030-01-01 is still to come",
    "audits --since 2030-01-01": "still to come",
    "audits --since yesterday": "write it as 2026-10-31",
    "restore --since 2030-01-01": "still to come",
    "materialize --since 2026-10-10 --until 2026-10-01": "exchange these days",
    "files add --path x.md --preset nope": "There are: memory-assets, claude-code",
    "files add --path |": "names no file",
    f"files add --path x.md --tokens {HUGE}": "--tokens",
    "migrate nope.md --dry-run": "There is no file",
    "migrate . --dry-run": "names no file",
    "migrate tea.md --preset nope --dry-run": "There are: memory-assets, claude-code",
    "contradictions resolve x merged --text |": "No contradiction",
    "tokens add --agent A_B": "cannot be an agent's name",
    "curation cycles --limit 0": "--limit",
    "session add s nope.jsonl": "nope.jsonl",
    "session add s tea.md": "no JSON",
    "session add ../s turns.jsonl": "cannot be the name of a session",
    "session list --limit -5": "--limit",
    "init-profile --name |": "cannot be a name",
    "ingest tea.md --kind file-edit": "'conversation', 'email'",
    "context x --activity nope": "--activity takes ",
    "session back s --about |": "nothing to search for",
    "hook Nope tea.json --try": "There are: SessionStart",
    "hook SessionStart tea.md --try": "is no JSON",
    "heartbeat due --at yesterday": "write it as 2026-10-31",
    "heartbeat add x:y": "does not exist",
}
"""What is typed, with a user; | is the empty argument. And what is said to it."""


@pytest.fixture
def home(graph: Graph, graph_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("MEMORY_ASSETS_HOME", str(graph_settings.home))
    for name in ("neo4j_uri", "neo4j_username", "neo4j_database"):
        if "NEO4J_URI" in os.environ:
            monkeypatch.setenv(name.upper(), str(getattr(graph_settings, name)))
    monkeypatch.chdir(tmp_path)
    return graph_settings


def run(line: str) -> Result:
    return run_command(*("" if word == "|" else word for word in line.split()))


@pytest.mark.graph
def test_wrong_use_is_told_what_to_type_and_changes_nothing(
    home: Settings, graph: Graph, user: str, tmp_path: Path
) -> None:
    (tmp_path / "tea.md").write_text("I prefer green tea to coffee.", encoding="utf-8")
    (tmp_path / "tea.json").write_text("{}", encoding="utf-8")
    (tmp_path / "turns.jsonl").write_text('{"role": "user", "content": "tea"}\n', encoding="utf-8")
    ingest_paths(graph, user, [tmp_path / "tea.md"], None, Clock(None))
    stored = graph.read("graph/count_nodes")
    for line, said in WRONG.items():
        result = run(f"{line} --user {user}")
        message = f"{result.exception}{result.output}"
        assert said in message, (line, message)
        expected = UnknownReferenceError if line.startswith("contradictions resolve") else WrongUseError
        if not isinstance(result.exception, expected):
            assert isinstance(result.exception, SystemExit) and result.exit_code == 2, (line, result.exception)
    assert graph.read("graph/count_nodes") == stored
    assert {path.name for path in tmp_path.iterdir()} - {"home"} == {"tea.json", "tea.md", "turns.jsonl"}


def test_a_kind_is_offered_that_a_file_can_be() -> None:
    assert set(get_args(running.Kind)) == {one.kind.value for one in ALL_FORMATS} - {*map(str, memory_lines.KINDS)}


def test_a_file_of_yaml_is_read_as_yaml(tmp_path: Path) -> None:
    (tmp_path / "tasks.yaml").write_text("foo: bar\n", encoding="utf-8")
    result = run(f"heartbeat add {tmp_path / 'tasks.yaml'} --user maya")
    assert "begin each with '- id:" in result.output and result.exit_code == 1


def test_who_is_new_is_said_before_an_agent_is_connected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (Settings(_env_file=None).inbox / "maya").mkdir(parents=True)
    assert (
        "The memory of mya, who is new and begins by it; known: maya." in run("connect codex -u mya --dry-run").stderr
    )
    assert "The memory of maya.\n" in run("connect codex --dry-run").stderr


HEAVY = ("dagster", "spacy", "openai", "tiktoken", "matplotlib", "fastapi", "mcp", "uvicorn", "jpype", "sqlalchemy")
SCRIPT = """
import json, sys
from typer.testing import CliRunner
from memory_assets.cli.app import app
loaded = {}
for line in sys.argv[2:]:
    CliRunner().invoke(app, line.split())
    loaded[line] = sorted(set(json.loads(sys.argv[1])) & set(sys.modules))
print(json.dumps(loaded))
"""


def loaded(heavy: tuple[str, ...], *lines: str) -> dict[str, list[str]]:
    """Which of the heavy modules are loaded after each of these commands, in a process of their own."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(heavy), *lines], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_help_and_a_wrong_argument_wait_for_no_engine() -> None:
    lines = ("--help", "recall --help", "server status", "diff --since yesterday", "connect nope")
    assert loaded((*HEAVY, "neo4j", "numpy", "pandas"), *lines) == dict.fromkeys(lines, [])


@pytest.mark.graph
def test_a_light_command_loads_nothing_heavy(home: Settings, user: str) -> None:
    (home.inbox / user).mkdir(parents=True, exist_ok=True)
    commands = (
        *("graph status", "tokens list", "show", "explain 123456789", "sources", "decisions", "edits", "audits"),
        *("heartbeat list", "records", "names", "files list", "diff", "metrics", "recall tea", "context tea", "open 1"),
    )
    lines = [line if line == "graph status" else f"{line} --user {user}" for line in commands]
    assert loaded(HEAVY, *lines) == dict.fromkeys(lines, [])


def test_nobody_who_reads_on_is_no_error() -> None:
    """With ``| head -1``; and where both streams are closed."""
    writer = subprocess.Popen([*CLI, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    writer.stdout.close()
    _, said = writer.communicate()
    assert said == ""
    closed = subprocess.run(["sh", "-c", '"$@" >&- 2>&-', "sh", *CLI, "recall", "--user", "A"])
    assert closed.returncode == 2
