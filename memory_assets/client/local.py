"""An installation on this machine as a program finds it: its server, started where none runs, and a key of the
program's own. The installation's commands do both, in the Python that runs the program.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_assets.client.hook import key_file, stored_key
from memory_assets.client.transport import ClientError, ServerUnreachableError, Transport, local_url

AGENT = "python"
_SCOPES = ("read", "write", "curate")  # what the methods of a memory ask for
_ADD = ("tokens", "add", "--agent", AGENT, "--json", *(word for scope in _SCOPES for word in ("--scope", scope)))


def program_key(home: Path, user: str) -> Path:
    """Where the key of programs for a user's memory is."""
    return key_file(home, f"{AGENT}-{user}")


def server_of(home: str | os.PathLike[str]) -> str:
    """The address of an installation's server. Raises :class:`ServerUnreachableError` where none can be started."""
    url = local_url(home)
    try:
        if url is not None and Transport(url, "none").send("GET", "/health/live")[0] == 200:
            return url
    except ServerUnreachableError:  # it was killed, and has left its address
        pass
    _run(home, "server", "start")
    url = local_url(home)
    if url is None:
        raise ServerUnreachableError(f"The server of {home} did not start.")
    return url


def key_of(home: str | os.PathLike[str], user: str, refused: str | None = None) -> str:
    """The key of programs for a user's memory, made once, and anew where it is the one that was ``refused``; it lies
    beside those of connected agents, for its owner alone. Of several programs that start at once one makes it.

    Raises :class:`ClientError` where the installation does not know the user.
    """
    path = program_key(Path(home), user)
    if known := _read_key(path, refused):
        return known
    with _alone(home):
        if known := _read_key(path, refused):
            return known
        token = str(json.loads(_run(home, *_ADD, "--user", user))["token"])
        path.parent.mkdir(exist_ok=True, mode=0o700)
        written = path.with_suffix(".new")
        with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
            file.write(token + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(written, path)
    return token


def _read_key(path: Path, refused: str | None) -> str | None:
    """The key in a file; None where there is none that a request can carry, or it is the one that was refused."""
    token = stored_key(path)
    return token if token and token.isprintable() and token != refused else None


@contextmanager
def _alone(home: str | os.PathLike[str]) -> Iterator[None]:
    """Hold what one program at a time holds; it is free again when that program ends, however it does."""
    path = Path(home, "locks", "program-keys.lock")
    try:
        path.parent.mkdir(exist_ok=True, mode=0o700)
        file = open(path, "ab")
    except OSError as error:
        raise ClientError(f"{home} is no installation's folder ({error}).") from None
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _run(home: str | os.PathLike[str], *words: str) -> str:
    """What a command of the installation prints; :class:`ClientError` with its last line where it fails."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "memory_assets.cli", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=os.environ | {"MEMORY_ASSETS_HOME": str(Path(home).absolute())},
    )
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "it says nothing").splitlines()[-1]
        raise ClientError(f"`memory-assets {' '.join(words[:2])}` failed in {home}: {said}")
    return done.stdout
