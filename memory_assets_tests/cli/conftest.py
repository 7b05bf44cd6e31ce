"""A command that runs in this process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_assets.graph.graph import Graph
from memory_assets.settings import Settings
from memory_assets_tests.support.command_line import run_command


@pytest.fixture
def command(graph: Graph, graph_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Run a command in this process, on the session's graph; what it prints on stdout."""
    monkeypatch.setenv("MEMORY_ASSETS_HOME", str(graph_settings.home))
    (graph_settings.home / "inbox").mkdir(parents=True, exist_ok=True)

    def run(*arguments: str, fails: type[Exception] | None = None) -> str:
        result = run_command(*arguments)
        if fails is None:
            assert result.exit_code == 0, (result.output, result.exception)
        else:
            assert isinstance(result.exception, fails), (result.output, result.exception)
            errors.append(str(result.exception))
        return result.stdout

    errors: list[str] = []
    run.errors = errors  # type: ignore[attr-defined]
    return run
