"""The UI for a person: webserver, daemon, the one code server of both, the server for agents, and one way to end all.

Left to themselves, webserver and daemon would each load the code in a server of their own, and the daemon
in a new one every minute.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType

import psutil
from filelock import FileLock, Timeout

from memory_assets.errors import MemoryAssetsError
from memory_assets.files.resident import Resident
from memory_assets.graph import embedded
from memory_assets.graph.graph import open_graph
from memory_assets.runtime.instance import instance_environment, open_instance
from memory_assets.settings import Settings, ensure_home

HOST = "127.0.0.1"
CODE = "memory_assets.definitions"
LOCATION = "memory_assets"
MARK = "MEMORY_ASSETS_UI_PROCESSES"
"""What every process of one UI has in its environment; not a setting."""
LOOKS = 3
"""How often the end looks for processes: what a process that is ending still starts is ended by the next look."""


class _Ended(Exception):
    """A person or a supervisor asked for the end."""


def serve(settings: Settings, port: int, say: Callable[[str], None], agents: Resident) -> int:
    """Run until TERM, Ctrl-C or the end of either process; return the exit code. Leaves no process behind.

    The server for ``agents`` runs beside it. It and the embedded graph are ended too, if they were started here.
    """
    _refuse_taken_port(port)
    ensure_home(settings)
    only = FileLock(settings.home / "ui.lock")
    try:
        held = only.acquire(blocking=False)
    except Timeout:
        raise MemoryAssetsError(
            f"A UI of {settings.home} runs already, and a second daemon would start everything twice: end that one "
            "first."
        ) from None
    with held:
        return _serve(settings, port, say, agents)


def _serve(settings: Settings, port: int, say: Callable[[str], None], agents: Resident) -> int:
    with open_instance(settings):
        environment = {**os.environ, **instance_environment(settings), **_links(settings, port)}
    graph_is_ours = settings.neo4j_uri is None and not embedded.status(settings)["running"]
    server_is_ours = agents.find() is None
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)
    processes: list[subprocess.Popen[bytes]] = []
    code = 0
    # A socket's path may have 107 characters, which HOME may exceed; the folder is the owner's alone.
    scratch = tempfile.TemporaryDirectory(prefix="memory-assets-")
    environment[MARK] = scratch.name
    try:
        open_graph(settings)
        code_socket = Path(scratch.name) / "code"
        processes.append(_start(_code_server(code_socket), environment))
        _wait_for_socket(code_socket, processes[0])
        location = ["-w", str(_workspace(Path(scratch.name), code_socket))]
        for command in (
            ["dagster._daemon", "run", *location, "--log-level", "warning"],
            ["dagster_webserver", *location, "--host", HOST, "--port", str(port), "--log-level", "warning"],
        ):
            processes.append(_start(command, environment))
        say(f"http://{HOST}:{port}  (Ctrl-C ends it; inbox: {settings.inbox})")
        _start_server(agents, say)
        code = _wait_for_any(processes)
    except _Ended:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _end_all(processes, scratch.name)
        if server_is_ours:
            agents.stop()
        if graph_is_ours:
            embedded.stop(settings)
        scratch.cleanup()
    return code


def _start_server(agents: Resident, say: Callable[[str], None]) -> None:
    """Agents reach their memory while the UI runs, which goes on where the server cannot start."""
    agents.home.mkdir(exist_ok=True, mode=0o700)
    try:
        say(f"Agents reach http://{HOST}:{agents.start().port}, tools at /mcp.")
    except MemoryAssetsError as error:
        say(str(error))


def _links(settings: Settings, port: int) -> dict[str, str]:
    """Where the links of alerts lead: to this UI, unless people reach it under another address."""
    return {} if "ui_url" in settings.model_fields_set else {"MEMORY_ASSETS_UI_URL": f"http://{HOST}:{port}"}


def _start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", *command], env=environment, start_new_session=True)


def _code_server(at: Path) -> list[str]:
    # Runs are started by this Python, whatever `dagster` the path leads to.
    options = ["--location-name", LOCATION, "--use-python-environment-entry-point", "--log-level", "warning"]
    return ["dagster", "code-server", "start", "--socket", str(at), "--module-name", CODE, *options]


def _workspace(folder: Path, code_socket: Path) -> Path:
    """A workspace file that leads to the code server; JSON is YAML."""
    server = {"grpc_server": {"socket": str(code_socket), "location_name": LOCATION}}
    file = folder / "workspace.yaml"
    file.write_text(json.dumps({"load_from": [server]}), encoding="utf-8")
    return file


def _wait_for_socket(path: Path, server: subprocess.Popen[bytes]) -> None:
    while server.poll() is None:
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(path))
                return
            except OSError:
                time.sleep(0.1)
    raise MemoryAssetsError("The code server has ended before it could serve: its words above say why.")


def _wait_for_any(processes: list[subprocess.Popen[bytes]]) -> int:
    """Wait until one of them ends by itself, which is a failure of all."""
    while True:
        pid, status = os.wait()
        if pid in {process.pid for process in processes}:
            return os.waitstatus_to_exitcode(status) or 1


def _end_all(processes: list[subprocess.Popen[bytes]], mark: str) -> None:
    """TERM to every process and whatever it started (code servers, runs), KILL to who stays.

    A run that is being launched meanwhile is nobody's child: it is found by the ``mark`` in its environment.
    """
    for _ in range(LOOKS):
        family = _family(processes, mark)
        for member in family:
            with suppress(psutil.NoSuchProcess):
                member.terminate()
        _, alive = psutil.wait_procs(family, timeout=15)
        for member in alive:
            with suppress(psutil.NoSuchProcess):
                member.kill()
        psutil.wait_procs(alive, timeout=5)


def _family(processes: list[subprocess.Popen[bytes]], mark: str) -> list[psutil.Process]:
    """The living among the processes, their descendants, and all others with the mark."""
    family: dict[int, psutil.Process] = {}
    for process in processes:
        try:
            parent = psutil.Process(process.pid)
            family |= {member.pid: member for member in [parent, *parent.children(recursive=True)]}
        except psutil.NoSuchProcess:
            continue
    for process in psutil.process_iter():
        try:
            if process.pid not in family and process.environ().get(MARK) == mark:
                family[process.pid] = process
        except psutil.Error:  # another user's, or gone
            continue
    return [member for member in family.values() if _lives(member)]


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


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
