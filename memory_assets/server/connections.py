"""The server's connections: one that sends nothing is in nobody's way. Requests are counted by the gate."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.auto import AutoHTTPProtocol

SILENT_SECONDS = 5
"""So long a connection may say nothing, before its first request, in the midst of its head, or behind it."""
MOST_IDLE = 200
"""Beyond so many connections without a request the one that has been so for longest ends."""


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """One of uvicorn's, whose wait for a request has an end from the beginning, not behind a request alone."""

    _rest: asyncio.TimerHandle | None = None
    """When the rest of a body has taken too long."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._wait()
        idle = [one for one in self.connections if one.is_idle and not one.transport.is_closing()]
        if len(idle) > MOST_IDLE:
            min(idle, key=lambda one: one.idle_since).transport.close()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._rest is not None:
            self._rest.cancel()
        self._rest = None if self.is_idle else self.loop.call_later(SILENT_SECONDS, self._end_unfinished)
        if self.is_idle and self.timeout_keep_alive_task is None and not self.transport.is_closing():
            self._wait()

    def _end_unfinished(self) -> None:
        """End a request of whose body nothing more has come: it holds the place of another one."""
        if not self.is_idle and self.cycle.more_body:
            self.transport.close()

    def on_response_complete(self) -> None:
        self.idle_since = self.loop.time()
        super().on_response_complete()

    @property
    def is_idle(self) -> bool:
        """Whether no request of it is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self.idle_since = self.loop.time()
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)


def server_config(app: ASGIApp, **given: Any) -> uvicorn.Config:
    """How the server answers connections."""
    how: dict[str, Any] = {
        "http": Connection,
        "ws": "none",
        "timeout_keep_alive": SILENT_SECONDS,
        "server_header": False,
    }
    return uvicorn.Config(app, log_level="warning", **how, **given)
