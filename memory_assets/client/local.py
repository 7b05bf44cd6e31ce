"""An installation on this machine as a program finds it: its server, started where none runs, and a key of the
program's own. The installation's commands do both, in the Python that runs the program.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from memory_assets.client.hook import key_file
from memory_assets.client.transport import ClientError, ServerUnreachableError, Transport, local_url

AGENT = "python"


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


def key_of(home: str | os.PathLike[str], user: str) -> str:
    """The key of programs for a user's memory, made once; it lies beside those of connected agents, for its owner
    alone.

    Raises :class:`ClientError` where the installation does not know the user.
    """
    path = program_key(Path(home), user)
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        pass
    token = str(json.loads(_run(home, "tokens", "add", "--user", user, "--agent", AGENT, "--json"))["token"])
    path.parent.mkdir(exist_ok=True, mode=0o700)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
        file.write(token + "\n")
    return token


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
