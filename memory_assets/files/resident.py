"""A process of ours that stays: found through its state file, started on demand, ended.

One for each folder. Who needs it first starts it under a lock and waits for its word on a pipe; the kernel closes that
pipe when the process dies, so that nobody waits in vain. The process itself holds a lock for as long as it lives,
writes its state when it can be used, and says so (:func:`report_ready`).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from time import monotonic
from typing import NoReturn

import psutil
from filelock import FileLock, Timeout

from memory_assets.errors import MemoryAssetsError
from memory_assets.settings import PACKAGE, env_file

LOOPBACK = "127.0.0.1"
STATE_FILE = "server.json"
START_SECONDS = 180
ANSWER_SECONDS = 15.0
STOP_SECONDS, STOP_POLL_SECONDS = 60, 0.1
LOG_FILE = "host.log"
LOG_BYTES = 1_000_000
START_LOCK = "start.lock"
HOST_LOCK = "host.lock"
"""The folder's process holds this lock while it lives."""

# These processes outlive the one that starts them; a reference keeps Python from warning about that.
_launched: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True)
class ResidentState:
    """Where the process listens and who it is. Owner-only on disk: it holds the password."""

    pid: int
    process_created: float
    port: int
    version: str
    started_at: str
    password: str = field(default="", repr=False)


def read_state(home: Path) -> ResidentState | None:
    """The state as last written, or None when there is none that can be read."""
    try:
        stored = json.loads((home / STATE_FILE).read_text(encoding="utf-8"))
        return ResidentState(**{item.name: stored[item.name] for item in fields(ResidentState)})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_state(home: Path, state: ResidentState) -> None:
    """Replace the state file in one step: readers see the old one or the new one, whole."""
    temporary = home / f"{STATE_FILE}.{os.getpid()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(state), file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, home / STATE_FILE)


def remove_state(home: Path) -> None:
    """Remove the state file, so that nobody looks for the process there."""
    (home / STATE_FILE).unlink(missing_ok=True)


def report_ready(descriptor: int) -> None:
    """Report to the process that has started this one that it can be used; others find the state file."""
    with contextlib.suppress(BrokenPipeError):
        os.write(descriptor, b"ready\n")
    os.close(descriptor)


@dataclass(frozen=True)
class Resident:
    """The process of one folder: ``python -m module FOLDER arguments… --ready=DESCRIPTOR``; ``--starting=DESCRIPTOR``
    where it is in the foreground.

    ``name`` is how errors call it, ``advice`` what to do where it does not start; these errors are of the type
    ``error``.
    """

    home: Path
    module: str
    name: str
    advice: str
    error: type[MemoryAssetsError]
    arguments: Sequence[str] = ()
    keeps_secrets: bool = False
    """Whether it needs the passwords and keys of the environment that starts it."""

    @property
    def log(self) -> Path:
        """The file of the process's output."""
        return self.home / LOG_FILE

    def process_of(self, state: ResidentState) -> psutil.Process | None:
        """The living process that wrote ``state``; None when it is gone or its number went to another one."""
        try:
            process = psutil.Process(state.pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
            # The clock may have been set since: a few seconds are no other process, another command line is.
            same_age = abs(process.create_time() - state.process_created) < 5
            return process if same_age and self.module in process.cmdline() else None
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return None

    def find(self) -> ResidentState | None:
        """The state of the running process, or None. Costs a file read and a loopback connection."""
        state = read_state(self.home)
        return state if state and self.process_of(state) and _answers(state) else None

    def start(self) -> ResidentState:
        """The running process, started if there is none; its folder exists."""
        if state := self.find():
            return state
        with self.starting():
            if state := self.find():
                return state
            self.end()
            return self._launch()

    def become(self) -> NoReturn:
        """Become the process, in the foreground; its folder exists. It is handed the start lock, which it holds until
        it can be used: who looks for it meanwhile waits, and takes it for no process that has to be ended.
        """
        lock = os.open(self.home / START_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.set_inheritable(lock, True)
        words = ["-P", "-m", self.module, str(self.home), *self.arguments, f"--starting={lock}"]
        os.execve(sys.executable, [sys.executable, *words], _environment(self.keeps_secrets))

    def stop(self) -> bool:
        """End the process and wait until it is gone; False when none was running."""
        if not self.home.is_dir():
            return False
        with self.starting():
            return self.end()

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Hold the lock: nobody else starts or stops the process meanwhile."""
        try:
            lock = FileLock(self.home / START_LOCK).acquire(timeout=START_SECONDS)
        except Timeout:
            raise self.error(
                f"Another process has been starting or stopping {self.name} for {START_SECONDS} s "
                f"(lock {self.home / START_LOCK}). See {self.log}."
            ) from None
        with lock:
            yield

    def end(self) -> bool:
        """End whatever process this folder still has, and remove its state file; whether there was one. Within
        :meth:`starting`. Who holds the folder and is none of them keeps its state, and is an error.
        """
        running = self._living()
        for process in running:
            try:
                process.terminate()
                if _ends(process):
                    continue
                process.kill()
                if not _ends(process):
                    raise self.error(f"{self.name[0].upper()}{self.name[1:]} (process {process.pid}) does not end.")
            except psutil.NoSuchProcess:  # it has ended by itself, at whichever of these steps
                continue
        try:
            with FileLock(self.home / HOST_LOCK).acquire(timeout=0):
                remove_state(self.home)
        except Timeout:
            raise self.error(
                f"A process that is not known here runs {self.name} (lock {self.home / HOST_LOCK}): "
                "end it where it was started."
            ) from None
        return bool(running)

    def _living(self) -> list[psutil.Process]:
        """Every living process of this folder, whatever the state file says: after a crash it may say nothing."""
        found = []
        for process in psutil.process_iter():
            try:
                words = process.cmdline()
                if self.module in words and str(self.home) in words and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return found

    def _launch(self) -> ResidentState:
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        readable, writable = os.pipe()
        try:
            with open(os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as output:
                process = subprocess.Popen(
                    [sys.executable, "-m", self.module, str(self.home), *self.arguments, f"--ready={writable}"],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=(writable,),
                    start_new_session=True,
                    cwd=self.home,
                    env=_environment(self.keeps_secrets),
                )
            os.close(writable)
            writable = -1
            ready = select.select([readable], [], [], START_SECONDS)[0] and os.read(readable, 64)
        finally:
            os.close(readable)
            if writable >= 0:
                os.close(writable)
        state = read_state(self.home)
        if ready and state is not None:
            _launched.append(process)
            return state
        if process.poll() is None:
            process.kill()
        code = process.wait()
        raise self.error(
            f"{self.name[0].upper()}{self.name[1:]} did not start (exit code {code}). The last lines of {self.log}:\n"
            f"{_tail(self.log)}\n{self.advice}"
        )


def _ends(process: psutil.Process) -> bool:
    """Whether a process ends within :data:`STOP_SECONDS`: one that has ended is a zombie until its parent asks."""
    deadline = monotonic() + STOP_SECONDS
    while monotonic() < deadline:
        has_ended = process.status() == psutil.STATUS_ZOMBIE
        try:
            process.wait(STOP_POLL_SECONDS)  # of a child of ours it asks
            return True
        except psutil.TimeoutExpired:
            if has_ended:
                return True
    return False


def without_secrets() -> dict[str, str]:
    """The environment of a process that needs to import this package and to find its files; no secret of ours."""
    return _environment(False)


def _environment(with_secrets: bool) -> dict[str, str]:
    environment = {
        key: value
        for key, value in os.environ.items()
        if with_secrets or not any(word in key.upper() for word in ("PASSWORD", "API_KEY", "SECRET", "TOKEN"))
    }
    paths = [str(PACKAGE.parent), *filter(None, [environment.get("PYTHONPATH")])]
    return environment | {"PYTHONPATH": os.pathsep.join(paths), "MEMORY_ASSETS_ENV_FILE": env_file()}


def _answers(state: ResidentState) -> bool:
    """Whether anything listens where the state says.

    The kernel refuses at once where nobody does. A process that is only busy has time: one taken for dead is ended.
    """
    try:
        with socket.create_connection((LOOPBACK, state.port), timeout=ANSWER_SECONDS):
            return True
    except OSError:
        return False


def _tail(log: Path) -> str:
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
    except OSError:
        return "(no log)"
