"""A real server on the graph that the tests share, and one that answers as a test wants."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memory_assets_tests.server.conftest import settings, url

__all__ = ["settings", "url"]


@dataclass
class Arrived:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answering:
    """A server on a port of this machine: what arrived, and what it answers. ``silent`` answers when it is set."""

    status: int = 200
    content: bytes = b"{}"
    silent: threading.Event | None = None
    drips: bool = False
    arrived: list[Arrived] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def says(self, answer: Any, status: int = 200) -> None:
        self.status, self.content = status, json.dumps(answer).encode()


@pytest.fixture
def answering() -> Iterator[Answering]:
    state, ended = Answering(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            with suppress(BrokenPipeError):  # a client that gave up
                self.answer_it()

        def answer_it(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            state.arrived.append(Arrived(self.command, self.path, dict(self.headers), body))
            if state.silent is not None:
                state.silent.wait(60)
            self.send_response(state.status)
            self.send_header("Content-Length", str(len(state.content)))
            self.end_headers()
            if not state.drips:
                self.wfile.write(state.content)
                return
            for byte in state.content:
                if ended.wait(0.2):
                    return
                self.wfile.write(bytes([byte]))

        do_GET = do_POST = do_PATCH = do_DELETE = answer

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield state
    ended.set()
    if state.silent is not None:
        state.silent.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def home(tmp_path: Path, answering: Answering) -> Path:
    """An installation whose server is the one that answers as a test wants, with a key of claude-code's."""
    for folder in ("server", "connections"):
        (tmp_path / "home" / folder).mkdir(parents=True)
    (tmp_path / "home" / "server" / "server.json").write_text(json.dumps({"pid": os.getpid(), "port": answering.port}))
    (tmp_path / "home" / "connections" / "claude-code.key").write_text("mem_secret\n")
    return tmp_path / "home"


def processor_seconds(run: Callable[[], object]) -> float:
    """The least processor time that the processes of several runs took: waiting for other tests does not count."""
    took = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


def bare_seconds() -> float:
    """The same of a process that loads what any client of HTTP loads, and does nothing."""
    command = [sys.executable, "-c", "import http.client, json"]
    return processor_seconds(lambda: subprocess.run(command, check=True, timeout=60))
