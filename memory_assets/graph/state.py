"""The state file of the embedded host: how its clients find it, and how they know that it still lives."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import psutil

HOST_MODULE = "memory_assets.graph.host"
LOOPBACK = "127.0.0.1"
STATE_FILE = "server.json"


@dataclass(frozen=True)
class HostState:
    """Where the host listens and who it is. Owner-only on disk: it holds the password."""

    pid: int
    process_created: float
    port: int
    version: str
    started_at: str
    password: str = field(repr=False)

    @property
    def uri(self) -> str:
        """The address for the driver."""
        return f"bolt://{LOOPBACK}:{self.port}"


def read_state(graph_home: Path) -> HostState | None:
    """The state as last written, or None when there is none that can be read."""
    try:
        stored = json.loads((graph_home / STATE_FILE).read_text(encoding="utf-8"))
        return HostState(**{item.name: stored[item.name] for item in fields(HostState)})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_state(graph_home: Path, state: HostState) -> None:
    """Replace the state file in one step: readers see the old one or the new one, whole."""
    temporary = graph_home / f"{STATE_FILE}.{os.getpid()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(state), file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, graph_home / STATE_FILE)


def remove_state(graph_home: Path) -> None:
    """Nobody shall look for the host there any more."""
    (graph_home / STATE_FILE).unlink(missing_ok=True)


def host_process(state: HostState) -> psutil.Process | None:
    """The living process that wrote ``state``; None when it is gone or its number went to another one."""
    try:
        process = psutil.Process(state.pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        # The clock may have been set since: a few seconds are no other process, another command line is.
        same_age = abs(process.create_time() - state.process_created) < 5
        return process if same_age and HOST_MODULE in process.cmdline() else None
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return None


def hosts_of(graph_home: Path) -> list[psutil.Process]:
    """Every living host of this folder, whatever the state file says: after a crash it may say nothing."""
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            if HOST_MODULE in words and str(graph_home) in words and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def answers(state: HostState, timeout: float = 15.0) -> bool:
    """Whether anything listens where the state says.

    The kernel refuses at once where nobody does. A host that is only busy has time: whoever takes it for dead ends it.
    """
    try:
        with socket.create_connection((LOOPBACK, state.port), timeout=timeout):
            return True
    except OSError:
        return False
