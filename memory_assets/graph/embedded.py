"""The embedded engine's life cycle: find the host, start it on demand, stop it, say how it is. One host per
installation.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import psutil

from memory_assets.errors import GraphUnavailableError
from memory_assets.files.resident import LOG_FILE, LOOPBACK, Resident, ResidentState, without_secrets
from memory_assets.settings import Settings

HOST_MODULE = "memory_assets.graph.host"
USERNAME = "root"


def host(settings: Settings) -> Resident:
    """The host of this installation."""
    return Resident(
        settings.graph_home,
        HOST_MODULE,
        "the embedded graph",
        "Mend what they name and try again, or set NEO4J_URI to use a Neo4j instead.",
        GraphUnavailableError,
        (f"--heap={settings.graph_heap}",),
    )


def uri(state: ResidentState) -> str:
    """The address for the driver."""
    return f"bolt://{LOOPBACK}:{state.port}"


def find(settings: Settings) -> ResidentState | None:
    """The running host of this installation, or None. Costs a file read and a loopback connection."""
    return host(settings).find()


def start(settings: Settings) -> ResidentState:
    """The running host, started if there is none."""
    for folder in (settings.home, settings.graph_home):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    return host(settings).start()


def stop(settings: Settings) -> bool:
    """End the host and wait until it is gone; False when none was running."""
    return host(settings).stop()


def write_anew(settings: Settings) -> None:
    """Stop the host and put a fresh copy of its database in the place of the old one, with no byte of what was deleted.

    The engine's logs go, too: they may say what a statement was refused for. The next use starts the host again. Raises
    :class:`GraphUnavailableError` where the copy cannot be made; the database is then as it was.
    """
    home = settings.graph_home
    if not home.is_dir():
        return
    engine = host(settings)
    with engine.starting():
        engine.end()
        done = subprocess.run(
            [sys.executable, "-m", HOST_MODULE, str(home), "--anew", f"--heap={settings.graph_heap}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=without_secrets(),
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
    engine = host(settings)
    state = engine.find()
    report: dict[str, Any] = {
        "engine": "embedded",
        "running": state is not None,
        "home": str(settings.graph_home),
        "log": str(engine.log),
    }
    if state is not None:
        report |= {"uri": uri(state), "pid": state.pid, "version": state.version, "started_at": state.started_at}
        report |= {"memory_mb": _memory_mb(engine.process_of(state))}
    return report


def _memory_mb(process: psutil.Process | None) -> int | None:
    """None of a host that has ended meanwhile."""
    try:
        return round(process.memory_info().rss / 1e6) if process else None
    except psutil.NoSuchProcess:
        return None
