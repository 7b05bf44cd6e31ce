"""The tools over standard streams: what is said goes through, and the process ends with its input."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from mcp import Client as ToolClient
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from memory_assets_tests.server.conftest import Client
from memory_assets_tests.server.test_mcp import MODES, VERSIONS

pytestmark = pytest.mark.own_engine
PROGRAM = "import asyncio, sys; from memory_assets.server.bridge import pipe; asyncio.run(pipe(*sys.argv[1:]))"


@pytest.mark.parametrize("mode", MODES)
def test_a_client_on_standard_streams_reaches_the_tools(client: Client, mode: str) -> None:
    async def run() -> tuple[str, set[str], str, str]:
        given = ["-c", PROGRAM, f"{client.url}/mcp", client.token]
        server = StdioServerParameters(command=sys.executable, args=given, env=dict(os.environ))
        async with ToolClient(server, mode=mode) as session:
            listed = await session.list_tools()
            said = await session.call_tool("remember", {"text": "Ingrid sails to Skagness."})
            ref = json.loads(said.content[0].text)["ref"]
            (opened,) = (await session.read_resource(f"memory://{ref}")).contents
            return session.protocol_version, {tool.name for tool in listed.tools}, said.content[0].text, opened.text

    version, names, said, opened = asyncio.run(run())
    assert version == VERSIONS[mode]
    assert "recall" in names and '"is_new":true' in said and "Skagness" in opened
    assert "Skagness" in client.post("/recall", {"question": "Who sails?"}).json()["text"]


def test_it_ends_with_its_input_and_says_nothing_but_messages(client: Client) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, f"{client.url}/mcp", client.token],
        input="no message\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and done.stdout == ""


def _said(client: Client, token: str, *messages: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    lines = "".join(f"{json.dumps({'jsonrpc': '2.0', **message})}\n" for message in messages)
    given = [sys.executable, "-c", PROGRAM, f"{client.url}/mcp", token]
    return subprocess.run(given, input=lines, capture_output=True, text=True, timeout=60)


def test_what_was_asked_before_the_input_ended_is_answered(client: Client) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    done = _said(
        client,
        client.token,
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": "three", "method": "tools/call", "params": {"name": "status", "arguments": {}}},
    )
    assert done.returncode == 0
    assert {json.loads(line)["id"] for line in done.stdout.splitlines()} == {1, 2, "three"}


def test_a_key_that_opens_nothing_is_refused_in_words(client: Client) -> None:
    done = _said(client, "mem_unknown", {"id": 1, "method": "initialize", "params": {}})
    assert done.returncode != 0 and "KeyRefusedError" in done.stderr and "tokens add" in done.stderr


def test_it_says_in_which_project_the_agent_works(client: Client) -> None:
    async def run() -> str:
        given = ["-c", PROGRAM, f"{client.url}/mcp", client.token, "größe"]
        server = StdioServerParameters(command=sys.executable, args=given, env=dict(os.environ))
        async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            return (await session.call_tool("status", {})).content[0].text

    assert '"project":"grösse"' in asyncio.run(run())
