"""The process that hosts the embedded engine: ``python -m memory_assets.graph.host GRAPH_HOME``, started by
``embedded``.

It holds the host lock of its folder, starts ArcadeDB with Bolt on loopback ports that the system picks, writes the
state file, reports ready, and waits for TERM. Without a descriptor to report on it writes the database anew instead
(``fresh_copy``). The engine's threads would keep a finished process alive: it ends with ``os._exit``.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
import shutil
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import psutil
from filelock import FileLock, Timeout

from memory_assets.clock import Clock, to_iso
from memory_assets.files.resident import HOST_LOCK, LOOPBACK, ResidentState, remove_state, report_ready, write_state
from memory_assets.graph import fresh_copy
from memory_assets.graph.fresh_copy import DATABASE

BOLT = "com.arcadedb.bolt.BoltProtocolPlugin"
HOST_LOCK_SECONDS = 60
HOME_WATCH_SECONDS = 30
MESSAGE_BYTES = 256 * 1024 * 1024
CACHED_STATEMENTS = 2_000
"""More than the catalogue has. The engine by itself keeps 300, with their plans, and would parse all others each time,
which is three quarters of its work for a small answer.
"""
LOGGING = """\
handlers = java.util.logging.FileHandler
.level = WARNING
com.arcadedb.level = INFO
java.util.logging.FileHandler.level = INFO
java.util.logging.FileHandler.pattern = log/engine.log
java.util.logging.FileHandler.formatter = com.arcadedb.log.LogFormatter
java.util.logging.FileHandler.limit = 5000000
java.util.logging.FileHandler.count = 2
java.util.logging.FileHandler.append = true
"""


def main() -> None:
    """Host the engine until TERM, or until the folder is gone; or write its database anew."""
    parser = argparse.ArgumentParser(description="Host the embedded graph engine (started on demand).")
    parser.add_argument("graph_home", type=Path)
    parser.add_argument("--heap", default="1g")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--ready", type=int, help="host the engine, and report readiness on this file descriptor")
    what.add_argument("--anew", action="store_true", help="write the database anew, and host nothing")
    arguments = parser.parse_args()
    code = 1
    try:
        os.umask(0o077)
        code = _work(arguments.graph_home, arguments.heap, arguments.ready)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _work(graph_home: Path, heap: str, ready: int | None) -> int:
    # Blocked before the engine starts, so that each of its threads leaves them to sigwait below.
    stops = {signal.SIGTERM, signal.SIGINT} if ready is not None else set()
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    os.chdir(graph_home)  # the engine writes its logs below the working directory
    lock = FileLock(graph_home / HOST_LOCK)
    try:
        lock.acquire(timeout=HOST_LOCK_SECONDS)
    except Timeout:
        print(f"Another host has held {graph_home / HOST_LOCK} for {HOST_LOCK_SECONDS} s.", file=sys.stderr)
        return 1
    if ready is None:
        os.environ["ARCADEDB_JVM_ARGS"] = f"-Xmx{heap}"
        fresh_copy.replace(graph_home)
        return 0
    fresh_copy.recover(graph_home)
    server, state = _start_engine(graph_home, heap)
    write_state(graph_home, state)
    report_ready(ready)
    threading.Thread(target=_watch_home, args=(graph_home,), daemon=True).start()
    signal.sigwait(stops)
    remove_state(graph_home)
    server.stop()
    return 0


def _watch_home(graph_home: Path) -> None:
    """End the host when the installation was removed: nobody could find it again."""
    while graph_home.is_dir():
        threading.Event().wait(HOME_WATCH_SECONDS)
    os._exit(0)


def _start_engine(graph_home: Path, heap: str) -> tuple[Any, ResidentState]:
    (graph_home / "log").mkdir(exist_ok=True)
    logging = graph_home / "logging.properties"
    logging.write_text(LOGGING, encoding="utf-8")
    # A new password for each life of the host. The engine keeps its own record of users, which may stem
    # from another life (a restored backup, a lost state file): without it, it takes ours.
    shutil.rmtree(graph_home / "config", ignore_errors=True)
    password = secrets.token_urlsafe(32)

    os.environ["ARCADEDB_JVM_ERROR_FILE"] = str(graph_home / "log" / "hs_err_pid%p.log")
    import arcadedb_embedded
    from arcadedb_embedded.server import ArcadeDBServer

    server = ArcadeDBServer(
        str(graph_home),
        password,
        {
            "host": LOOPBACK,
            "http_port": "0",  # cannot be left out; 0 is whatever the system gives
            "bolt_port": "0",
            # "production" hides the reason of every refusal; its safeguards are below.
            "mode": "development",
            "txWalFlush": 1,
            "server_plugins": f"Bolt:{BOLT}",
            "bolt_maxMessageSize": MESSAGE_BYTES,
            "bolt_packstream_maxValueLength": MESSAGE_BYTES,
            "opencypher_loadCsv_allowFileUrls": False,
            "opencypher_loadCsv_allowRemoteUrls": False,
        },
        {
            "heap_size": heap,
            # -Xrs: signals are ours, not the engine's. Out of memory, some of its threads would die and leave
            # callers waiting for ever: it ends instead, and what was not committed is done again.
            "jvm_args": shlex.join(
                [
                    *("-Xrs", "-XX:+ExitOnOutOfMemoryError", f"-Djava.util.logging.config.file={logging}"),
                    # A database takes these from the process, not from the server's settings.
                    *(f"-Darcadedb.opencypher.{cached}Cache={CACHED_STATEMENTS}" for cached in ("statement", "plan")),
                ]
            ),
        },
    )
    server.start()
    server.create_database(DATABASE)
    state = ResidentState(
        pid=os.getpid(),
        process_created=psutil.Process().create_time(),
        port=_bolt_port(server),
        version=f"ArcadeDB {arcadedb_embedded.__version__}",
        started_at=str(to_iso(Clock().now())),
        password=password,
    )
    return server, state


def _bolt_port(server: Any) -> int:
    for plugin in server._java_server.getPlugins():
        if str(plugin.getClass().getName()) == BOLT:
            return int(plugin.getPort())
    raise RuntimeError("The engine started without its Bolt listener.")


if __name__ == "__main__":
    main()
