"""The tools, asked by the SDK's own client over a real port."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client

from memory_assets.graph.graph import Graph
from memory_assets.keys.policy import Scope
from memory_assets.llm.tokens import count_tokens
from memory_assets.text.injected import CLOSING, OPENING, without_injected
from memory_assets_tests.server.conftest import Client, client_of

pytestmark = pytest.mark.graph
TOOLS = {"context", "recall", "open", "remember", "correct", "used", "contradictions", "status"}


def with_session(client: Client, work: Callable[[ClientSession], Awaitable[Any]]) -> Any:
    """What some work in a session comes to."""

    async def run() -> Any:
        async with httpx2.AsyncClient(headers=client.headers, timeout=60) as http:
            async with streamable_http_client(f"{client.url}/mcp", http_client=http) as streams:
                async with ClientSession(streams[0], streams[1]) as session:
                    await session.initialize()
                    return await work(session)

    return asyncio.run(run())


def call(client: Client, tool: str, **arguments: Any) -> tuple[bool, str]:
    """Whether a tool failed, and its text."""
    result = with_session(client, lambda session: session.call_tool(tool, arguments))
    assert result.structured_content is None
    return result.is_error, "".join(part.text for part in result.content)


def within(given: str) -> str:
    """What stands between the marks."""
    assert without_injected(given) == ""
    return given.removeprefix(f"{OPENING}\n").removesuffix(f"\n{CLOSING}")


def test_the_tools_are_described_in_few_tokens(client: Client) -> None:
    listed = with_session(client, lambda session: session.list_tools())
    assert {tool.name for tool in listed.tools} == TOOLS
    assert all(tool.description for tool in listed.tools)
    assert count_tokens(listed.model_dump_json(exclude_none=True)) <= 1_500
    (correct,) = [tool for tool in listed.tools if tool.name == "correct"]
    assert count_tokens(correct.model_dump_json(exclude_none=True)) <= 150


def test_what_is_remembered_by_a_tool_is_recalled_and_opened_by_others(client: Client) -> None:
    failed, text = call(client, "remember", text="Olaf repairs clocks in Bergen.", about=["Olaf"])
    assert not failed
    said = json.loads(text)
    assert said["is_new"] and said["recallable"]
    failed, text = call(client, "recall", question="Who repairs clocks?", budget=200)
    assert not failed and "Olaf repairs clocks in Bergen." in text and count_tokens(text) <= 200
    failed, text = call(client, "open", ref=f"[{said['ref']}]")
    assert not failed and json.loads(within(text))["agent"] == "codex"
    failed, text = call(client, "correct", ref=said["ref"], text="Olaf repairs clocks in Oslo.", reason="He moved.")
    assert not failed and json.loads(text)["ref"] == said["ref"]
    assert "Oslo" in call(client, "open", ref=said["ref"])[1]
    assert not call(client, "correct", ref=said["ref"], reason="He is back.", undo=True)[0]
    assert "Bergen" in call(client, "open", ref=said["ref"])[1]
    assert call(client, "used", cited=[said["ref"]]) == (False, '{"cited": 1, "ignored": 0, "wrong": 0, "unknown": []}')
    assert call(client, "status")[0] is False
    assert call(client, "contradictions") == (False, "Nothing relevant was found.")


def test_a_context_is_a_text_within_its_budget_and_new_once_a_session(client: Client) -> None:
    text = "Sails in src/sails.py are numbered from the mast."
    call(client, "remember", text=text, kind="decision")
    asked = {"files": ["src/sails.py"], "session": "c-1", "budget": 300}
    failed, given = call(client, "context", **asked)
    assert not failed and within(given).startswith("## Critical\n") and text in given and count_tokens(given) <= 300
    assert call(client, "context", **asked) == (False, "Nothing new: this conversation has had it.")
    assert call(client, "context", files=["src/other.py"]) == (False, "Nothing relevant was found.")
    assert call(client, "context", budget=1)[0]


def test_what_fails_is_said_to_the_agent_and_the_next_call_works(client: Client) -> None:
    failed, text = call(client, "open", ref="000000000")
    assert failed and "000000000" in text
    assert call(client, "recall", question="  ")[0]
    assert call(client, "recall", question="clocks", budget=1)[0]
    assert call(client, "recall", question="clocks") == (False, "Nothing relevant was found.")


def test_a_tool_needs_the_scope_of_its_key(graph: Graph, url: str, user: str) -> None:
    reader = client_of(graph, url, user, Scope.READ)
    failed, text = call(reader, "remember", text="Olaf sails.")
    assert failed and "write" in text


def test_a_key_that_is_none_reaches_no_tool(url: str) -> None:
    with pytest.raises(BaseException, match="401|[Uu]nauthorized|TaskGroup"):
        call(Client(url, "mem_wrong"), "status")
