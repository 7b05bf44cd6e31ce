"""The tools for agents that speak the protocol over their standard streams alone: a pipe between these and the server,
which ends with its input. Each message goes on in the version that the agent speaks, which HTTP has in a header, too.
"""

from __future__ import annotations

from typing import Any

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp.types import PROTOCOL_VERSION_META_KEY, JSONRPCRequest, JSONRPCResponse

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


def headers_of(message: Any, agreed: str | None) -> dict[str, str]:
    """What a request of this message says in its headers: the version of the message itself, with what it asks for, or
    the one that was ``agreed`` upon by the older handshake.
    """
    params = getattr(message, "params", None) or {}
    version = (params.get("_meta") or {}).get(PROTOCOL_VERSION_META_KEY)
    if not isinstance(version, str):
        return {MCP_PROTOCOL_VERSION_HEADER: agreed} if agreed else {}
    name = params.get(NAME_BEARING_METHODS.get(message.method, ""))
    named = {MCP_NAME_HEADER: encode_header_value(name)} if isinstance(name, str) else {}
    return {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: message.method} | named


class _Handing:
    """Messages on their way, which requests have no answer yet, and which version a handshake has agreed upon."""

    def __init__(self) -> None:
        self._open: set[Any] = set()
        self._greeting: Any = None
        self._agreed: str | None = None
        self._has_ended = False
        self.all_answered = anyio.Event()

    async def requests(self, arriving: Any, leaving: Any) -> None:
        async for message in arriving:
            if isinstance(message, Exception):  # a line that is no message
                continue
            said = message.message
            if isinstance(said, JSONRPCRequest):
                self._open.add(said.id)
                self._greeting = said.id if said.method == "initialize" else self._greeting
            headers = headers_of(said, self._agreed)
            await leaving.send(SessionMessage(said, ClientMessageMetadata(headers=headers) if headers else None))
        self._has_ended = True
        self._look()

    async def answers(self, arriving: Any, leaving: Any) -> None:
        async for message in arriving:
            if isinstance(message, Exception):
                continue
            said = message.message
            if isinstance(said, JSONRPCResponse) and said.id == self._greeting:
                self._agreed = said.result.get("protocolVersion")
            await leaving.send(message)
            if not isinstance(said, JSONRPCRequest):
                self._open.discard(getattr(said, "id", None))
            self._look()
        self.all_answered.set()  # nobody answers any more

    def _look(self) -> None:
        if self._has_ended and not self._open:
            self.all_answered.set()
