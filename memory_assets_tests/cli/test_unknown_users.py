"""Every command that names a user: a name that nobody has is an error with the name that may be meant, and makes
nobody.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_assets.clock import Clock
from memory_assets.errors import UnknownOwnerError
from memory_assets.graph.graph import Graph
from memory_assets.runtime.owners import stored_owners, unknown
from memory_assets.settings import Settings
from memory_assets.sources.ingest import ingest_paths
from memory_assets_tests.support.command_line import run_command

COMMANDS = (
    "materialize",
    "show",
    "metrics",
    "export",
    "sources",
    "retry",
    "edits",
    "ledger",
    "files list",
    "names",
    "heartbeat list",
    "heartbeat due",
    "heartbeat done task",
    "heartbeat failed task --reason x",
    "recall what?",
    "explain 482915037",
    "open abc",
    "consolidate",
    "sources open abc",
    "sources remove abc",
    "sources restore abc",
    "edits undo abc",
    "edits confirm",
    "files add --path own.md --tokens 900",
    "files remove --path own.md",
    "names merge a b",
    "names split a",
    "session add s",
    "session show s",
    "session back s",
    "session recall s what?",
    "session end s",
    "session list",
)


@pytest.mark.graph
@pytest.mark.parametrize("command", COMMANDS)
def test_a_mistyped_user_is_wrong_use_and_becomes_nobody(
    command: str, graph: Graph, graph_settings: Settings, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_ASSETS_HOME", str(graph_settings.home))
    for name in ("neo4j_uri", "neo4j_username", "neo4j_database"):
        if "NEO4J_URI" in os.environ:
            monkeypatch.setenv(name.upper(), str(getattr(graph_settings, name)))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tea.md").write_text("I prefer green tea to coffee.", encoding="utf-8")
    ingest_paths(graph, user, [tmp_path / "tea.md"], None, Clock(None))
    mistyped = f"{user}x"
    result = run_command(*command.split(), "--user", mistyped)
    assert isinstance(result.exception, UnknownOwnerError), result.output
    assert str(result.exception).startswith(f"Nothing is known of '{mistyped}'; did you mean {user}")
    assert mistyped not in stored_owners(graph) and not (graph_settings.inbox / mistyped).exists()
    assert not graph_settings.memory_file(mistyped).exists()


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("mya", ["ben", "maya", "team-mya"], "Nothing is known of 'mya'; did you mean maya? Somebody new begins with"),
        (
            "team-harbour",
            ["harbour", "team-harbor"],
            "did you mean team-harbor? Somebody new begins with `memory-assets ingest PATH --team harbour`",
        ),
        (
            "zoe",
            ["ben", "maya"],
            "Nothing is known of 'zoe'. Somebody new begins with `memory-assets ingest PATH --user zoe`",
        ),
        ("zoe", ["ben", "maya"], "Known: ben, maya."),
    ],
)
def test_what_is_said_of_a_name_that_nobody_has(name: str, known: list[str], said: str) -> None:
    assert said in unknown(name, known)
