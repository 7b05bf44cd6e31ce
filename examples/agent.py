"""An agent whose model calls the memory's tools by itself: ``python examples/agent.py TASK``.

Needs OPENAI_API_KEY (and OPENAI_BASE_URL, OPENAI_MODEL for another service), MEMORY_ASSETS_TOKEN
(``memory-assets tokens add``), a running server, and the packages ``mcp`` and ``openai``.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import httpx2
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from openai import AsyncOpenAI

from memory_assets.client.transport import DEFAULT_URL, local_url

MOST_STEPS = 10


async def work(task: str) -> str:
    """What the agent says when it needs no tool any more."""
    headers = {"Authorization": f"Bearer {os.environ['MEMORY_ASSETS_TOKEN']}"}
    async with (
        AsyncOpenAI() as model,
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        streamable_http_client(f"{local_url() or DEFAULT_URL}/mcp", http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as memory,
    ):
        about = await memory.initialize()
        tools: Any = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
            }
            for tool in (await memory.list_tools()).tools
        ]
        messages: Any = [{"role": "system", "content": about.instructions}, {"role": "user", "content": task}]
        for _ in range(MOST_STEPS):
            name = os.environ.get("OPENAI_MODEL", "gpt-4.1-mini")
            reply = await model.chat.completions.create(model=name, messages=messages, tools=tools)
            said = reply.choices[0].message
            messages.append(said.model_dump(exclude_none=True))
            if not said.tool_calls:
                return said.content or ""
            for call in said.tool_calls:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": await use(memory, call.function)})
    return "It took too many steps."


async def use(memory: ClientSession, called: Any) -> str:
    """What a tool answers, or what is wrong with the call: the model reads both."""
    try:
        given = json.loads(called.arguments)
    except ValueError as error:
        return f"The arguments are no JSON: {error}"
    result = await memory.call_tool(called.name, given)
    return "\n".join(getattr(part, "text", "") for part in result.content)


if __name__ == "__main__":
    print(asyncio.run(work(" ".join(sys.argv[1:]))))
