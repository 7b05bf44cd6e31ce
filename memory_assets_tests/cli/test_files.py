"""The commands about files: what they print, and the sentence for each thing that cannot be."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_assets.clock import Clock
from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.graph import Graph
from memory_assets.settings import Settings
from memory_assets.sources.ingest import ingest_paths
from memory_assets_tests.support.command_line import run_command

pytestmark = pytest.mark.graph


@pytest.fixture
def command(
    graph: Graph, graph_settings: Settings, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable:
    """Run a command in this process for the user, who has a source; what it prints, or its error's sentence."""
    monkeypatch.setenv("MEMORY_ASSETS_HOME", str(graph_settings.home))
    for name in ("neo4j_uri", "neo4j_username", "neo4j_database"):
        if "NEO4J_URI" in os.environ:
            monkeypatch.setenv(name.upper(), str(getattr(graph_settings, name)))
    (tmp_path / "tea.md").write_text("I prefer green tea to coffee.", encoding="utf-8")
    ingest_paths(graph, user, [tmp_path / "tea.md"], None, Clock(None))

    def run(*arguments: str, fails: bool = False) -> str:
        result = run_command(*arguments, "--user", user)
        if fails:
            assert isinstance(result.exception, MemoryAssetsError), result.output
            return str(result.exception)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.output

    return run


def test_from_add_to_remove(
    command: Callable[..., str], user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path.resolve() / "project"
    project.mkdir()
    (project / "CLAUDE.md").write_text("our house rules", encoding="utf-8")
    monkeypatch.chdir(project)
    said = command("files", "add", "--preset", "claude-code", "--path", "CLAUDE.md")
    assert f"{project / 'CLAUDE.md'}: 200 lines, 25000 bytes." in said
    assert "kept as CLAUDE.md.edited-" in said and f"memory-assets migrate {project / 'CLAUDE.md'}" in said
    assert "is one of" in command("files", "add", "--preset", "claude-code", "--path", str(project / "CLAUDE.md"))
    command("files", "add", "--path", "own.md", "--characters", "900", "--lines", "30")
    listed = json.loads(command("files", "list", "--json"))
    assert [(f["path"].rpartition("/")[2], f["preset"], f["is_default"], f["state"]) for f in listed] == [
        ("MEMORY.md", "memory-assets", True, "not published yet"),
        ("CLAUDE.md", "claude-code", False, "not published yet"),
        ("own.md", None, False, "not published yet"),
    ]
    assert listed[2]["limits"] == [
        {"unit": "lines", "used": None, "limit": 30}, {"unit": "characters", "used": None, "limit": 900},
    ]  # fmt: skip
    assert "200 lines, 25000 bytes" in command("files", "list")
    assert [f["project"] for f in listed] == [None, None, None]
    (project / "docs").mkdir()
    (project / ".git").mkdir()
    for name in ("docs", "Project", str(project)):
        command("files", "add", "--path", "own.md", "--characters", "900", "--lines", "30", "--project", name)
        assert json.loads(command("files", "list", "--json"))[2]["project"] == name.rpartition("/")[2].lower()
    assert "is no project's name" in command("files", "add", "--path", "own.md", "--project", "!", fails=True)
    assert "published no more" in command("files", "remove", "--path", "own.md")
    assert len(json.loads(command("files", "list", "--json"))) == 2


def test_what_cannot_be_is_told(
    command: Callable[..., str], graph_settings: Settings, user: str, tmp_path: Path
) -> None:
    own = str(tmp_path / "own.md")
    assert "There are: memory-assets, claude-code" in command(
        "files", "add", "--preset", "cursor", "--path", own, fails=True
    )
    both = command("files", "add", "--preset", "codex", "--tokens", "9", "--path", own, fails=True)
    assert "not both" in both
    assert "none of" in command("files", "remove", "--path", own, fails=True)
    default = str(graph_settings.memory_file(user))
    assert "cannot be removed" in command("files", "remove", "--path", default, fails=True)
    assert "has anyway" in command("files", "add", "--preset", "codex", "--path", default, fails=True)
    assert "There is no folder" in command("files", "add", "--path", str(tmp_path / "gone" / "own.md"), fails=True)
