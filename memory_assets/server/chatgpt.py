"""The two tools that ChatGPT's connectors and deep research require, in the shapes that they read.

``search`` gives results with an id, a title and an address to cite, ``fetch`` the text behind an id. Each answers once
as text and once as structured content (https://platform.openai.com/docs/mcp).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.types import CallToolResult, TextContent
from typing_extensions import TypedDict  # Python's own has no schema before 3.12

from memory_assets.keys.policy import Caller
from memory_assets.llm.tokens import count_tokens
from memory_assets.recall.opening import BELOW_AND_AROUND
from memory_assets.server.operations import Operations
from memory_assets.server.parts import as_text
from memory_assets.server.requests import OPENED_TOKENS, RecallRequest
from memory_assets.text.injected import mark_injected

LONGEST_TITLE = 200


class Result(TypedDict):
    """One source that answers, and the page at which a person sees it."""

    id: str
    title: str
    url: str


class Results(TypedDict):
    """What a search has found, the best first."""

    results: list[Result]


class Document(TypedDict):
    """A memory's words within a budget; ``metadata`` has its kind, its day, and ``more``: the id that goes on."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


def search(operations: Operations, caller: Caller, query: str, server: str) -> CallToolResult:
    """The sources that answer a query; none where nothing relevant was found."""
    found = operations.recall(caller, RecallRequest(question=query))
    sources = {} if found["abstained"] else {one["ref"]: one for one in found["sources"]}
    results = [Result(id=ref, title=_titled(one), url=_page(server, ref)) for ref, one in sources.items()]
    while count_tokens(as_text(answer := Results(results=results))) > OPENED_TOKENS:
        results.pop()
    return _given(answer)


def fetch(operations: Operations, caller: Caller, identifier: str, server: str) -> CallToolResult:
    """A memory by its reference, or what goes on behind ``REF/POSITION``."""
    ref, _, more = identifier.strip("[] ").partition("/")
    found = operations.open(caller, ref, OPENED_TOKENS // 2, more=more, whole=True)
    metadata = {name: str(found[name]) for name in ("kind", "occurred_at", "at", "recorded_at") if found.get(name)}
    metadata |= {"more": f"{ref}/{found['more']}"} if found["more"] else {}
    said = {"title": _titled(found), "text": mark_injected("\n".join(_words(found)))}
    return _given({"id": identifier, **said, "url": _page(server, ref), "metadata": metadata})


def _words(found: Mapping[str, Any]) -> list[str]:
    """What a memory says, and the lines of what is below and around it."""
    said = [found.get("text"), (found.get("context") or {}).get("text")]
    rows = [row for name in BELOW_AND_AROUND for row in found.get(name, ())]
    return [one for one in (*said, *(row.get("line") or row.get("title") for row in rows)) if one]


def _titled(found: Mapping[str, Any]) -> str:
    day = str(found.get("occurred_at") or found.get("at") or found.get("recorded_at") or "")[:10]
    title = str(found.get("title") or found.get("kind") or "memory")
    return " ".join(f"{day} {title}".split())[:LONGEST_TITLE]


def _page(server: str, ref: str) -> str:
    return f"{server}#memory/{ref}"


def _given(answer: Mapping[str, Any]) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=as_text(answer))], structured_content=dict(answer))
