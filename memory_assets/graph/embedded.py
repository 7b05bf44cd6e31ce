"""The embedded engine's life cycle: find the host, start it on demand, stop it, say how it is.

One host per installation, found through a state file. Whoever needs it first starts it under a lock and
waits for its word on a pipe; the kernel closes that pipe when the host dies, so nobody waits in vain.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import psutil
from filelock import FileLock, Timeout

from memory_assets.errors import GraphUnavailableError
from memory_assets.graph.state import (
    HOST_MODULE,
    HostState,
    answers,
    host_process,
    hosts_of,
    read_state,
    remove_state,
)
from memory_assets.settings import PACKAGE, Settings

DATABASE = "memory"
USERNAME = "root"
START_SECONDS = 180
STOP_SECONDS = 60
LOG_FILE = "host.log"
LOG_BYTES = 1_000_000
START_LOCK = "start.lock"

# Hosts outlive whoever starts them; a reference keeps Python from warning about that.
_launched: list[subprocess.Popen[bytes]] = []


def find(settings: Settings) -> HostState | None:
    """The running host of this installation, or None. Costs a file read and a loopback connection."""
    state = read_state(settings.graph_home)
    return state if state and host_process(state) and answers(state) else None


def start(settings: Settings) -> HostState:
    """The running host, started if there is none."""
    if state := find(settings):
        return state
    home = settings.graph_home
    for folder in (settings.home, home):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    with _start_lock(settings):
        if state := find(settings):
            return state
        _clear_remains(home)
        return _launch(settings)


def stop(settings: Settings) -> bool:
    """End the host and wait until it is gone; False when none was running."""
    if not settings.graph_home.is_dir():
        return False
    with _start_lock(settings):
        return _clear_remains(settings.graph_home)


def status(settings: Settings) -> dict[str, Any]:
    """What a person wants to know about the host; never its password."""
    state = find(settings)
    report: dict[str, Any] = {
        "engine": "embedded",
        "running": state is not None,
        "home": str(settings.graph_home),
        "log": str(settings.graph_home / LOG_FILE),
    }
    if state is not None:
        process = host_process(state)
        report |= {
            "uri": state.uri,
            "pid": state.pid,
            "version": state.version,
            "started_at": state.started_at,
            "memory_mb": _memory_mb(process),
        }
    return report


def _memory_mb(process: psutil.Process | None) -> int | None:
    """None of a host that has ended meanwhile."""
    try:
        return round(process.memory_info().rss / 1e6) if process else None
    except psutil.NoSuchProcess:
        return None


def _start_lock(settings: Settings) -> AbstractContextManager[Any]:
    try:
        return FileLock(settings.graph_home / START_LOCK).acquire(timeout=START_SECONDS)
    except Timeout:
        raise GraphUnavailableError(
            f"Another process has been starting or stopping the embedded graph for {START_SECONDS} s "
            f"(lock {settings.graph_home / START_LOCK}). See {settings.graph_home / LOG_FILE}."
        ) from None


def _clear_remains(home: Path) -> bool:
    """End whatever host this folder still has, and remove its state file."""
    running = hosts_of(home)
    for process in running:
        try:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except psutil.TimeoutExpired:
                process.kill()
                process.wait(STOP_SECONDS)
        except psutil.NoSuchProcess:  # it has ended by itself, at whichever of these steps
            continue
    remove_state(home)
    return bool(running)


def _launch(settings: Settings) -> HostState:
    home = settings.graph_home
    log = home / LOG_FILE
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))
    readable, writable = os.pipe()
    try:
        with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", HOST_MODULE, str(home), f"--heap={settings.graph_heap}",
                 f"--ready={writable}"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(writable,),
                start_new_session=True,
                cwd=home,
                env=_environment(),
            )  # fmt: skip
        os.close(writable)
        writable = -1
        ready = select.select([readable], [], [], START_SECONDS)[0] and os.read(readable, 64)
    finally:
        os.close(readable)
        if writable >= 0:
            os.close(writable)
    state = read_state(home)
    if ready and state is not None:
        _launched.append(process)
        return state
    if process.poll() is None:
        process.kill()
    code = process.wait()
    raise GraphUnavailableError(
        f"The embedded graph did not start (exit code {code}). The last lines of {log}:\n{_tail(log)}\n"
        "Mend what they name and try again, or set NEO4J_URI to use a Neo4j instead."
    )


def _environment() -> dict[str, str]:
    """The host needs to import this package and to find its files; no secret of ours."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not any(word in key.upper() for word in ("PASSWORD", "API_KEY", "SECRET", "TOKEN"))
    }
    paths = [str(PACKAGE.parent), *filter(None, [kept.get("PYTHONPATH")])]
    return kept | {"PYTHONPATH": os.pathsep.join(paths)}


def _tail(log: Path, lines: int = 15) -> str:
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except OSError:
        return "(no log)"
