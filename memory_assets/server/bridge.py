"""The tools for agents that speak the protocol over their standard streams alone: a pipe between these and the server,
which ends with its input.
"""

from __future__ import annotations

from typing import Any

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server

from memory_assets.server.gate import PROJECT_HEADER

SECONDS = 300
"""The longest that an answer may take."""


async def pipe(url: str, token: str, project: str | None = None) -> None:
    """Hand every message on, both ways, until the standard input ends; the agent is at work in ``project``."""
    headers = {b"Authorization": f"Bearer {token}".encode()}
    if project:
        headers[PROJECT_HEADER.encode()] = project.encode()
    async with httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http, stdio_server() as (said, answered):
        async with streamable_http_client(url, http_client=http) as (arriving, leaving, *_):
            async with anyio.create_task_group() as both:
                both.start_soon(_hand_on, arriving, answered)
                await _hand_on(said, leaving)
                both.cancel_scope.cancel()
        await answered.aclose()  # for which the writer of the standard output waits


async def _hand_on(arriving: Any, leaving: Any) -> None:
    async for message in arriving:
        if isinstance(message, Exception):  # a line that is no message
            continue
        await leaving.send(message)
