"""The tools for agents that speak the protocol over their standard streams alone: a pipe between these and the server,
which ends with its input.
"""

from __future__ import annotations

from typing import Any

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.types import JSONRPCRequest

from memory_assets.client.transport import project_header
from memory_assets.keys.policy import KeyRefusedError

SECONDS = 300
"""The longest that an answer may take."""


async def pipe(url: str, token: str, project: str | None = None) -> None:
    """Hand every message on, both ways, until the standard input ends and what it asked for is answered; the agent is
    at work in ``project``. Raises :class:`KeyRefusedError`.
    """
    headers = {"Authorization": f"Bearer {token}"} | (project_header(project) if project else {})
    async with httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http:
        known = await http.get(httpx2.URL(url).join("/status"))
        if known.status_code == 401:
            raise KeyRefusedError(known.json()["error"])
        async with stdio_server() as (said, answered):
            async with streamable_http_client(url, http_client=http) as (arriving, leaving, *_):
                async with anyio.create_task_group() as both:
                    handing = _Handing()
                    both.start_soon(handing.answers, arriving, answered)
                    await handing.requests(said, leaving)
                    with anyio.move_on_after(SECONDS):
                        await handing.all_answered.wait()
                    both.cancel_scope.cancel()
            await answered.aclose()  # for which the writer of the standard output waits


class _Handing:
    """Messages on their way, and which requests have no answer yet."""

    def __init__(self) -> None:
        self._open: set[Any] = set()
        self._has_ended = False
        self.all_answered = anyio.Event()

    async def requests(self, arriving: Any, leaving: Any) -> None:
        async for message in arriving:
            if isinstance(message, Exception):  # a line that is no message
                continue
            if isinstance(message.message, JSONRPCRequest):
                self._open.add(message.message.id)
            await leaving.send(message)
        self._has_ended = True
        self._look()

    async def answers(self, arriving: Any, leaving: Any) -> None:
        async for message in arriving:
            if isinstance(message, Exception):
                continue
            await leaving.send(message)
            if not isinstance(message.message, JSONRPCRequest):
                self._open.discard(getattr(message.message, "id", None))
            self._look()
        self.all_answered.set()  # nobody answers any more

    def _look(self) -> None:
        if self._has_ended and not self._open:
            self.all_answered.set()
