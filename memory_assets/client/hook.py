"""An agent's event on its way to the server: ``python -P -m memory_assets.client.hook AGENT EVENT``.

Enters:  the agent's JSON on the standard input. Leaves: what the server has to say to the agent, on the standard
output. It never holds the agent up: whatever fails, it prints nothing, ends with 0 and leaves a line in
``HOME/hooks/failures.jsonl``. Where no server runs at a session's start, it starts one for the events that follow.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from memory_assets.client.transport import (
    ClientError,
    RequestRefusedError,
    ServerUnreachableError,
    Transport,
    local_url,
    reason_of,
)

SECONDS = 2.0
FAILURES_FILE = Path("hooks", "failures.jsonl")
FAILURES_BYTES = 128 * 1024
"""At this size the file becomes ``failures.jsonl.1``: twice as much is the most that is on the disk."""
KEYS_FOLDER = "connections"


class _TooSlow(Exception):
    """The time is up, whatever it was spent on."""


def main(words: Sequence[str] | None = None, stream: BinaryIO | None = None) -> int:
    """Hand one event on, within its time; always 0."""
    given: argparse.Namespace | None = None
    try:
        try:
            given = _arguments(words)
            _end_after(given.seconds)
            answer = _hand_on(given, stream or sys.stdin.buffer)
        finally:
            _end_after(0)
        if answer:
            sys.stdout.write(answer + "\n")
            sys.stdout.flush()
    except (Exception, KeyboardInterrupt, SystemExit) as error:
        if given is not None:
            _record(given, error)
    return 0


def failures(home: Path) -> list[dict[str, Any]]:
    """The events that reached no server, the oldest first: at, agent, connection, event, reason, status."""
    found = []
    for name in (f"{FAILURES_FILE}.1", str(FAILURES_FILE)):
        try:
            lines = (home / name).read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            continue
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:  # cut off by a kill
                continue
    return found


def missed(home: Path, since: str) -> list[dict[str, Any]]:
    """Those since an instant (ISO 8601)."""
    return [row for row in failures(home) if str(row.get("at", "")) >= since]


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Hand an agent's event on to the server.")
    parser.add_argument("agent")
    parser.add_argument("event")
    parser.add_argument("--home", type=Path, default=Path(os.environ.get("MEMORY_ASSETS_HOME", ".memory-assets")))
    own = os.environ.get("MEMORY_ASSETS_ENV_FILE")
    parser.add_argument("--env-file", default=own, help="the settings of the server that it starts")
    parser.add_argument("--connection", help="whose key; the agent's when left out")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="the longest that the agent waits")
    return parser.parse_args(words)


def _hand_on(given: argparse.Namespace, stream: BinaryIO) -> str:
    said = stream.read()
    try:
        url = local_url(given.home)
        if url is None:
            raise ServerUnreachableError("no server runs")
        path = f"/hooks/{quote(given.agent, safe='')}/{quote(given.event, safe='')}"
        status, content = Transport(url, _key(given), timeout=given.seconds).send("POST", path, said)
    except ServerUnreachableError:
        _start_server(given)
        raise
    try:
        answer = json.loads(content or b"{}")
    except ValueError:
        answer = None
    if not 200 <= status < 300:
        raise RequestRefusedError(reason_of(answer) or "refused", status)
    if not isinstance(answer, dict):  # somebody else's server: the agent reads none of it
        raise ClientError("the answer is no object", status)
    return json.dumps(answer, ensure_ascii=False) if answer else ""


def _key(given: argparse.Namespace) -> str:
    connection = given.connection or given.agent
    file = key_file(given.home, connection)
    # That of the environment may be another agent's, where there is one of its own.
    if token := stored_key(file) if file.exists() else os.environ.get("MEMORY_ASSETS_TOKEN"):
        return token
    raise ClientError(f"no key of {connection}: `memory-assets connect` makes one")


def key_file(home: Path, connection: str) -> Path:
    """Where the key of a connection is, for its owner alone: a hook's environment has none."""
    return home / KEYS_FOLDER / f"{connection}.key"


def stored_key(path: Path) -> str | None:
    """The key in a file; None where there is none."""
    try:
        return path.read_text(encoding="ascii").strip() or None
    except (OSError, ValueError):
        return None


def _start_server(given: argparse.Namespace) -> None:
    """Start one with the installation's settings: not those in the folder where the agent works."""
    if given.event != "SessionStart" or not given.home.is_dir():
        return
    import subprocess

    own = {"MEMORY_ASSETS_HOME": str(given.home.absolute())}
    own |= {"MEMORY_ASSETS_ENV_FILE": os.path.abspath(given.env_file)} if given.env_file else {}
    subprocess.Popen(
        [sys.executable, "-P", "-m", "memory_assets.cli", "server", "start"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=given.home,
        env=os.environ | own,
    )


def _end_after(seconds: float) -> None:
    """One clock for all of it: reading, connecting and an answer that drips; 0 stops it."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _time_is_up)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _time_is_up(*_: object) -> None:
    raise _TooSlow


def _record(given: argparse.Namespace, error: BaseException) -> None:
    """A line about a failure, without a word of what the agent or its user said."""
    reason = str(error) if isinstance(error, ClientError) else type(error).__name__.strip("_")
    status = error.status if isinstance(error, ClientError) else 0
    # Outside of the house's one clock, which this module must not import: a stamp for people, nothing follows from it.
    at = os.environ.get("MEMORY_ASSETS_NOW") or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    connection = given.connection or given.agent
    line = {"at": at, "agent": given.agent, "connection": connection, "event": given.event}
    line |= {"reason": reason[:300], "status": status}
    path = given.home / FAILURES_FILE
    try:
        if not given.home.is_dir():
            return
        path.parent.mkdir(exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            is_full = file.tell() > FAILURES_BYTES
        if is_full:
            os.replace(path, f"{path}.1")
    except OSError:  # a full disk is no reason to hold an agent up
        pass


if __name__ == "__main__":
    sys.exit(main())
