"""The UI for a person: webserver and daemon on the loopback interface, and one way to end all of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from types import FrameType

import psutil

from memory_assets.errors import MemoryAssetsError
from memory_assets.graph import embedded
from memory_assets.graph.graph import open_graph
from memory_assets.operations.instance import prepare_instance
from memory_assets.settings import PACKAGE, Settings

HOST = "127.0.0.1"


class _Ended(Exception):
    """A person or a supervisor asked for the end."""


def serve(settings: Settings, port: int, say: Callable[[str], None]) -> int:
    """Run until TERM, Ctrl-C or the end of either process; return the exit code. Leaves no process behind.

    The embedded graph is ended too, if it was started here.
    """
    _refuse_taken_port(port)
    environment = {**os.environ, "DAGSTER_HOME": str(prepare_instance(settings)), "MEMORY_ASSETS_HOME": str(settings.home)}
    graph_is_ours = settings.neo4j_uri is None and not embedded.status(settings)["running"]
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)
    processes: list[subprocess.Popen[bytes]] = []
    code = 0
    try:
        open_graph(settings)
        location = _location()
        for command in (
            ["dagster.daemon", "run", *location],
            ["dagster_webserver", *location, "--host", HOST, "--port", str(port)],
        ):
            processes.append(_start(command, environment))
        say(f"http://{HOST}:{port}  (Ctrl-C ends it; inbox: {settings.inbox})")
        code = _wait_for_any(processes)
    except _Ended:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _end_all(processes)
        if graph_is_ours:
            embedded.stop(settings)
    return code


def _start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    module, *arguments = command
    runner = "from dagster._daemon.cli import main; main()" if module == "dagster.daemon" else None
    start = ["-c", runner] if runner else ["-m", module]
    return subprocess.Popen([sys.executable, *start, *arguments], env=environment, start_new_session=True)


def _location() -> list[str]:
    workspace = PACKAGE.parent / "workspace.yaml"
    return ["-w", str(workspace)] if workspace.is_file() else ["-m", "memory_assets.definitions"]


def _wait_for_any(processes: list[subprocess.Popen[bytes]]) -> int:
    """Wait until one of them ends by itself, which is a failure of all."""
    while True:
        pid, status = os.wait()
        if pid in {process.pid for process in processes}:
            return os.waitstatus_to_exitcode(status) or 1


def _end_all(processes: list[subprocess.Popen[bytes]]) -> None:
    """TERM to every process and whatever it started (code servers, runs), KILL to who stays."""
    family: dict[int, psutil.Process] = {}
    for process in processes:
        try:
            parent = psutil.Process(process.pid)
            family |= {member.pid: member for member in [parent, *parent.children(recursive=True)]}
        except psutil.NoSuchProcess:
            continue
    for member in family.values():
        _signal(member.terminate)
    _, alive = psutil.wait_procs(list(family.values()), timeout=15)
    for member in alive:
        _signal(member.kill)
    psutil.wait_procs(alive, timeout=5)


def _signal(send: Callable[[], None]) -> None:
    try:
        send()
    except psutil.NoSuchProcess:
        return


def _refuse_taken_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise MemoryAssetsError(
                f"Port {port} on {HOST} is taken. Choose another one: make ui PORT={port + 1}"
            ) from None


def _end(signum: int, frame: FrameType | None) -> None:
    raise _Ended

