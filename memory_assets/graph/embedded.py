"""The embedded engine's life cycle: find the host, start it on demand, stop it, say how it is.

One host per installation, found through a state file. Whoever needs it first starts it under a lock and
waits for its word on a pipe; the kernel closes that pipe when the host dies, so nobody waits in vain.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import psutil
from filelock import FileLock, Timeout

from memory_assets.errors import GraphUnavailableError
from memory_assets.settings import PACKAGE, Settings

HOST_MODULE = "memory_assets.graph.host"
FRESH_COPY_MODULE = "memory_assets.graph.fresh_copy"
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


def answers(state: HostState) -> bool:
    """Whether anything listens where the state says.

    The kernel refuses at once where nobody does. A host that is only busy has time: whoever takes it for dead ends it.
    """
    try:
        with socket.create_connection((LOOPBACK, state.port), timeout=ANSWER_SECONDS):
            return True
    except OSError:
        return False


DATABASE = "memory"
USERNAME = "root"
START_SECONDS = 180
ANSWER_SECONDS = 15.0
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


def write_anew(settings: Settings) -> None:
    """Stop the host and put a fresh copy of its database in the place of the old one, with no byte of what was deleted.

    The engine's logs go, too: they may say what a statement was refused for. The next use starts the host again. Raises
    :class:`GraphUnavailableError` where the copy cannot be made; the database is then as it was.
    """
    home = settings.graph_home
    if not home.is_dir():
        return
    with _start_lock(settings):
        _clear_remains(home)
        done = subprocess.run(
            [sys.executable, "-m", FRESH_COPY_MODULE, str(home), f"--heap={settings.graph_heap}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=_environment(),
            check=False,
        )
        if done.returncode != 0:
            raise GraphUnavailableError(
                f"The graph could not be written anew (exit code {done.returncode}): "
                f"{(done.stderr.strip().splitlines() or ['it says nothing'])[-1]}. It is as it was; try again."
            )
        for log in (*home.glob("log/*"), *home.glob(f"{LOG_FILE}*")):
            log.unlink(missing_ok=True)


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


def _tail(log: Path) -> str:
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
    except OSError:
        return "(no log)"
