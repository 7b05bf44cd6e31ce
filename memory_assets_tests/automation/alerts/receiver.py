"""What the tests of alerts share: a local server that receives them, time that passes on command, and an alert."""

from __future__ import annotations

import json
import threading
from collections import deque
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memory_assets.automation.alerts.alert import Alert, Link
from memory_assets.clock import Clock

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Received:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """One answer; ``hangs`` gives none until the server is closed."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False


class Receiver:
    """A server on 127.0.0.1 that answers as scripted, then with 200; it keeps every request.

    Its port is its own from the first; it listens there, and refuses nobody any more, once it is entered.
    """

    def __init__(self, *replies: Reply) -> None:
        self.received: list[Received] = []
        self.confirmed: list[str] = []
        self.closing = threading.Event()
        self._replies = deque(replies)
        self._arrived = threading.Condition()
        self._http = _Http(("127.0.0.1", 0), _Handler, bind_and_activate=False)
        self._http.server_bind()
        self._http.receiver = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Receiver:
        self._http.server_activate()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._http.server_port

    @property
    def url(self) -> str:
        """Its address, with a secret in the path as Slack's have."""
        return f"http://127.0.0.1:{self.port}/services/top-secret-path"

    @property
    def hangs_next(self) -> bool:
        """Whether the next request gets no answer."""
        return bool(self._replies) and self._replies[0].hangs

    def wait_for(self, count: int, seconds: float = 300.0) -> bool:
        """Wait until so many requests have arrived: a client may be gone before its request is read."""
        with self._arrived:
            return self._arrived.wait_for(lambda: len(self.received) >= count, seconds)

    def answer(self, request: Received) -> Reply:
        """The next reply; a 2xx counts the request as confirmed."""
        with self._arrived:
            self.received.append(request)
            self._arrived.notify_all()
            reply = self._replies.popleft() if self._replies else Reply()
            if reply.status < 300 and not reply.hangs:
                self.confirmed.append(request.headers["idempotency-key"])
        return reply


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    receiver: Receiver

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http

    def log_message(self, *args: Any) -> None:
        """Silent."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.receiver.answer(Received(self.path, headers, body))
        if reply.hangs:
            self.server.receiver.closing.wait()
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()


@dataclass(frozen=True)
class Time(Clock):
    """Time that passes when somebody sleeps, and at once."""

    passed: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return NOW + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        """Seconds since the beginning."""
        return sum(self.passed)

    def sleep(self, seconds: float) -> None:
        """Let so many seconds pass."""
        self.passed.append(seconds)


def alert(number: int = 1, **changes: Any) -> Alert:
    """An alert like any other."""
    plain = Alert(
        id=f"run-{number}",
        kind="run",
        severity="error",
        title="build_memory failed",
        what=("The step storylines failed.",),
        owners=("maya",),
        where=(Link("the run", "http://ui/runs/1"),),
        what_to_do=("Open the run.",),
        job="build_memory",
        run_id=str(number),
        automation="nightly_storylines",
        at="2026-11-20T12:00:00.000Z",
    )
    return replace(plain, **changes)
