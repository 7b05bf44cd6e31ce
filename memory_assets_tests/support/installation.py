"""A whole installation in a folder of its own, driven through its command line as people and scripts do."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from memory_assets_tests.support.commands import run_command

NOW = "2026-11-20T12:00:00Z"
ZONE = f"Etc/GMT{datetime.now(UTC).hour - 12:+d}"
"""Where it is about noon as the tests begin (west is +): no schedule of a house at work comes due beside them.

Dagster's own clock cannot be stopped, and whatever a schedule started at night would happen behind a test's back.
"""


@dataclass(frozen=True)
class Installation:
    """``home`` with everything in it; commands run as processes of their own."""

    home: Path
    variables: tuple[tuple[str, str], ...] = ()

    def with_variables(self, **variables: str) -> Installation:
        """The same with more variables."""
        return replace(self, variables=(*self.variables, *variables.items()))

    def environment(self) -> dict[str, str]:
        """The environment of its commands: nothing of the caller's configuration but an external Neo4j."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_ASSETS_", "OPENAI_"))}
        ours = {
            "MEMORY_ASSETS_HOME": str(self.home),
            "MEMORY_ASSETS_NOW": NOW,
            "MEMORY_ASSETS_ENV_FILE": os.devnull,
            "MEMORY_ASSETS_TIMEZONE": ZONE,
        }
        return kept | ours | dict(self.variables)

    def start(self, *arguments: str | Path, **options: Any) -> subprocess.Popen[str]:
        """Start a command and leave it running."""
        return subprocess.Popen(
            [sys.executable, "-m", "memory_assets.cli", *map(str, arguments)],
            env=self.environment(),
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=options.pop("stderr", subprocess.PIPE),
            text=True,
            **options,
        )

    def run(self, *arguments: str | Path, code: int = 0, timeout: float = 1800) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, which must be ``code``; in a process of its own, but a prepared one."""
        done = run_command([str(argument) for argument in arguments], self.environment(), timeout)
        assert done.returncode == code, f"{arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done

    def json(self, *arguments: str | Path) -> Any:
        """Run a command with ``--json`` and read its one document."""
        return json.loads(self.run(*arguments, "--json").stdout)

    def export(self, user: str) -> list[str]:
        """The lines of a user's canonical export."""
        return self.run("export", "--user", user, "--canonical").stdout.splitlines()

    def memory_file(self, user: str) -> Path:
        """Where the user's MEMORY.md is published."""
        return self.home / "files" / user / "MEMORY.md"


@contextmanager
def installation(home: Path, *, bare: bool = False, **variables: str) -> Iterator[Installation]:
    """An installation whose server and graph are stopped at the end; with ``bare`` there is not even an empty graph."""
    house = Installation(home, tuple(variables.items()))
    if not bare and not (house.environment().get("NEO4J_URI") or home.exists()):
        home.mkdir(mode=0o700, parents=True)
        shutil.copytree(_empty_graph(), home / "graph")
    try:
        yield house
    finally:
        if (home / "server").exists():  # a UI that was killed leaves it
            house.run("server", "stop")
        house.run("graph", "stop")


@cache
def _empty_graph() -> Path:
    """A graph with its schema, as a first command leaves it: making it takes longer than most commands do."""
    home = Path(tempfile.mkdtemp(prefix="memory-assets-graph-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    with installation(home / "home", bare=True) as house:
        house.run("graph", "query", "RETURN 1 AS one")
    return home / "home" / "graph"


def write_conversation(path: Path, identifier: str, day: str, lines: Sequence[tuple[str, str, str]]) -> Path:
    """A conversation file: ``lines`` are (role, name, content), a minute apart on ``day`` (YYYY-MM-DD)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for index, (role, name, content) in enumerate(lines):
            message = {
                "role": role,
                "name": name,
                "content": content,
                "timestamp": f"{day}T09:{index % 60:02d}:00Z",
                "conversation_id": identifier,
            }
            file.write(json.dumps(message, ensure_ascii=False) + "\n")
    return path
