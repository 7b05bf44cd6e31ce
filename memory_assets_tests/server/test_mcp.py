"""The tools, asked by the SDK's own client over a real port."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import requests
from mcp import Client as ToolClient
from mcp import MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from memory_assets.graph.graph import Graph
from memory_assets.keys.policy import Scope
from memory_assets.llm.tokens import count_tokens
from memory_assets.runtime.accesses import AccessLog, Position
from memory_assets.server.mcp import FILE, NO_ROOM, NOTHING
from memory_assets.server.profiles import Profile
from memory_assets.settings import Settings
from memory_assets.text.injected import CLOSING, OPENING, without_injected
from memory_assets_tests.server.conftest import Client, client_of

pytestmark = pytest.mark.own_engine
TOOLS = {"context", "recall", "open", "remember", "correct", "used", "contradictions", "status"}


NEWEST = LATEST_MODERN_VERSION
VERSIONS = {"auto": NEWEST, "legacy": LATEST_HANDSHAKE_VERSION, NEWEST: NEWEST}
"""What the SDK speaks in its modes: it asks the server, begins with the older handshake, or is bound to one version."""
MODES = tuple(VERSIONS)
CERTIFICATES = ssl.create_default_context()
"""Read once: a client of its own would read them at each session, and a session here is one call."""


@dataclass(frozen=True)
class Speaking(Client):
    """A client whose SDK is in one of its modes."""

    mode: str = "auto"


@pytest.fixture(params=MODES)
def client(graph: Graph, url: str, user: str, request: pytest.FixtureRequest) -> Client:
    return Speaking(url, client_of(graph, url, user, *Scope).token, request.param)


def with_session(
    client: Client, work: Callable[[ToolClient], Awaitable[Any]], profile: Profile = Profile.MEMORY
) -> Any:
    """What some work in a session comes to."""
    mode = client.mode if isinstance(client, Speaking) else "auto"

    async def run() -> Any:
        async with httpx2.AsyncClient(headers=client.headers, timeout=60, verify=CERTIFICATES) as http:
            streams = streamable_http_client(f"{client.url}{profile.path}", http_client=http)
            async with ToolClient(streams, mode=mode) as session:
                assert session.protocol_version == VERSIONS[mode]
                return await work(session)

    return asyncio.run(run())


def call(client: Client, tool: str, profile: Profile = Profile.MEMORY, **arguments: Any) -> tuple[bool, str]:
    """Whether a tool failed, and its text."""
    result = with_session(client, lambda session: session.call_tool(tool, arguments), profile)
    assert result.structured_content is None
    return result.is_error, "".join(part.text for part in result.content)


def within(given: str) -> str:
    """The text between the marks."""
    assert without_injected(given) == ""
    return given.removeprefix(f"{OPENING}\n").removesuffix(f"\n{CLOSING}")


def test_the_tools_are_described_in_few_tokens(client: Client) -> None:
    listed = with_session(client, lambda session: session.list_tools())
    assert {tool.name for tool in listed.tools} == TOOLS
    assert all(tool.description for tool in listed.tools)
    everything = with_session(client, lambda session: session.list_tools(), Profile.ALL)
    assert len(everything.tools) == len(TOOLS) + 3
    assert count_tokens(everything.model_dump_json(exclude_none=True)) <= 1_500
    assert count_tokens(listed.model_dump_json(exclude_none=True)) <= 1_150
    (correct,) = [tool for tool in listed.tools if tool.name == "correct"]
    assert count_tokens(correct.model_dump_json(exclude_none=True)) <= 150
    for tool in listed.tools:
        assert tool.input_schema["additionalProperties"] is False and "properties" in tool.input_schema
        assert not {"anyOf", "$ref", "title"} & set().union(*tool.input_schema["properties"].values()), tool


def test_each_profile_has_its_own_tools(client: Client) -> None:
    def names(profile: Profile) -> set[str]:
        return {tool.name for tool in with_session(client, lambda session: session.list_tools(), profile).tools}

    assert names(Profile.CHATGPT) == {"search", "fetch"}
    assert names(Profile.ALL) == TOOLS | {"predict", "session", "consolidate"}
    unknown = requests.post(f"{client.url}/mcp/none", json={}, headers=client.headers, timeout=60)
    assert unknown.status_code == 404


def test_every_operation_is_a_tool_of_all(client: Client) -> None:
    def ask(tool: str, **given: Any) -> Any:
        failed, text = call(client, tool, Profile.ALL, **given)
        assert not failed, text
        return json.loads(within(text) if text.startswith(OPENING) else text)

    ref = ask("remember", text="Sails in src/sails.py are numbered from the mast.", kind="decision")["ref"]
    assert [row["ref"] for row in ask("predict", file_opened="src/sails.py")["predicted_memories"]] == [ref]
    assert ask("session", session="s-1", turns=[{"role": "user", "content": "The ferry leaves at nine."}])["added"] == 1
    assert [turn["content"] for turn in ask("session", session="s-1")["working"]] == ["The ferry leaves at nine."]
    assert [turn["content"] for turn in ask("session", session="s-1", refs=["0"])["turns"]] == [
        "The ferry leaves at nine."
    ]
    assert ask("session", session="s-1", about="When does the ferry leave?") == {"turns": [], "more": None}
    assert ask("session", session="s-1", end=True) == {"session": "s-1", "is_source": True}
    assert call(client, "session", Profile.ALL, session="", turns=[{"role": "user", "content": "x"}])[0], "no id"
    failed, text = call(client, "consolidate", Profile.ALL, operation="0")
    assert failed and "has no operation" in text


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("recall", {}, "question: Field required"),
        ("recall", {"question": {"secret": "abc"}}, "question: Input should be a valid string"),
        ("recall", {"question": "bees", "budget": "abc"}, "budget: Input should be a valid integer"),
        ("context", {"budget": 0, "task": "abc"}, "budget: Input should be"),
        ("recall", {"question": "bees", "budget": 49}, "budget: Input should be greater than or equal to 50"),
        (
            "recall",
            {"question": "bees", "user": "abc"},
            "user: Extra inputs are not permitted. The arguments are question",
        ),
        ("recall", {"question": "bees", "since": "abc"}, "since: no day"),
        (
            "remember",
            {"text": "abc", "owner": "x", "agent": "y"},
            "agent: Extra inputs are not permitted; owner: Extra",
        ),
        ("contradictions", {"resolution": "abc"}, "resolution: Input should be"),
        ("contradictions", {"id": "abc"}, "resolution: "),
        ("correct", {"ref": "482915037"}, "reason: say why"),
        ("status", {"all": True}, "all: Extra inputs are not permitted"),
        ("nothing", {"all": True}, "Unknown tool"),
    ],
)
def test_a_mistake_is_said_in_words(client: Client, tool: str, given: dict[str, Any], said: str) -> None:
    failed, text = call(client, tool, **given)
    assert failed and said in text and "abc" not in text and "pydantic" not in text, text


def test_chatgpt_searches_and_fetches_in_its_own_shapes(graph: Graph, client: Client, user: str) -> None:
    def ask(who: Client, tool: str, **given: Any) -> Any:
        result = with_session(who, lambda session: session.call_tool(tool, given), Profile.CHATGPT)
        (part,) = result.content
        assert count_tokens(part.text) <= 4_000
        if result.is_error:
            return part.text
        assert part.type == "text" and json.loads(part.text) == result.structured_content
        return result.structured_content

    text = " ".join(f"Hive {n} has {n} frames, and Nora paints it in colour {n}." for n in range(300))
    client.post("/memories", {"text": text})
    (found,) = ask(client, "search", query="How many frames has hive 7?")["results"]
    assert found.keys() == {"id", "title", "url"} and found["url"] == f"{client.url}/#memory/{found['id']}"
    said, name, parts = "", found["id"], 0
    while name:
        document = ask(client, "fetch", id=name)
        assert document.keys() == {"id", "title", "text", "url", "metadata"}
        assert (document["id"], document["url"]) == (name, found["url"]) and document["title"]
        said, name, parts = said + within(document["text"]), document["metadata"].get("more"), parts + 1
    assert parts > 1 and "Hive 299 has 299 frames" in said
    assert ask(client, "search", query="Who won the chess tournament?") == {"results": []}
    other = client_of(graph, client.url, f"{user}-b", *Scope)
    theirs, none = ask(other, "fetch", id=found["id"]), ask(other, "fetch", id="000000000")
    assert isinstance(theirs, str) and theirs.replace(found["id"], "000000000") == none
    assert ask(other, "search", query="How many frames has hive 7?") == {"results": []}


def test_what_is_remembered_by_a_tool_is_recalled_and_opened_by_others(
    client: Client, settings: Settings, user: str
) -> None:
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
    given = {"cited": [said["ref"]], "session": "s-1"}
    assert call(client, "used", **given) == (False, '{"cited":1,"ignored":0,"wrong":0,"unknown":[]}')
    call(client, "recall", question="Who repairs clocks?", session="s-1")
    call(client, "open", ref=said["ref"], session="s-1")
    lines = AccessLog(settings.accesses_file(user)).after(Position(), 100)[1]
    kinds = [one.kind.value for one in lines if one.session == "s-1"]
    assert kinds[0] == "cited" and set(kinds[1:]) == {"retrieved"} and len(kinds) > 2
    failed, text = call(client, "open", ref=said["ref"], budget=100)
    assert not failed and count_tokens(text) <= 100 and json.loads(within(text))["more"]
    failed, text = call(client, "open", ref=said["ref"], more=json.loads(within(text))["more"])
    assert not failed and json.loads(within(text))["ref"] == said["ref"]
    assert call(client, "status")[0] is False
    assert call(client, "contradictions") == (False, "Nothing relevant was found.")


def test_what_the_interface_has_can_be_asked_of_a_tool(graph: Graph, client: Client, user: str) -> None:
    other = client_of(graph, client.url, user, *Scope, agent="cursor")
    other.post("/memories", {"text": "Nora plays the cello in Skagness.", "valid_to": "2026-10-31"})
    question = {"question": "Who plays the cello?"}

    def recalled(**given: Any) -> str:
        failed, text = call(client, "recall", **question, **given)
        assert not failed, text
        return text

    nothing = dict.fromkeys(("since", "until", "as_of", "level", "about", "session", "budget"))
    assert "Skagness" in recalled(**nothing) and recalled(about=["Nora"]) == recalled(thorough=True) == recalled()
    assert "Skagness" not in recalled(about=["Olaf"]) and "Skagness" not in recalled(as_of="2020-01-01")
    assert "held until" in recalled(as_of="2026-11-01T00:00:00Z") and "held until" not in recalled(as_of="2026-10-31")
    assert "Skagness" in recalled(since="2026-11-01T10:00:00Z")
    assert "Skagness" in call(client, "context", query="Who plays the cello?")[1]
    assert "Skagness" not in call(client, "context", query="Who plays the cello?", level="storylines")[1]
    failed, text = call(client, "remember", text="The cello is old.", visibility="user", about=None)
    assert not failed and json.loads(text)["project"] is None
    failed, text = call(client, "used", cited=[json.loads(text)["ref"]], action="a letter")
    assert not failed and json.loads(text)["cited"] == 1


def test_a_contradiction_is_settled_by_a_tool_and_opened_again(client: Client) -> None:
    ref = json.loads(call(client, "remember", text="Nora lives in Boston.")[1])["ref"]
    call(client, "used", wrong=[ref])

    def listed(**given: Any) -> list[dict[str, Any]]:
        failed, text = call(client, "contradictions", **given)
        assert not failed
        return [] if text == NOTHING else json.loads(within(text))["contradictions"]

    (found,) = listed(about="Boston")
    assert listed(about="Bergen") == [] == listed(status="resolved")
    failed, text = call(client, "contradictions", id=found["id"], resolution="both_valid", note="She has two homes.")
    assert not failed and json.loads(text)["superseded"] == []
    assert listed() == [] and [one["resolution"] for one in listed(status="resolved")] == ["both_valid"]
    assert call(client, "correct", ref=found["id"], undo=True)[0] is False
    assert [one["id"] for one in listed()] == [found["id"]]


def test_a_recall_says_that_there_is_more_within_its_budget(client: Client) -> None:
    for number in range(12):
        client.post("/memories", {"text": f"Hive {number} stands in row {number} of Nora's garden in Skagness."})
    asked, said, pages = {"question": "Where do Nora's hives stand?", "thorough": True}, "", 0
    for page in range(1, 13):
        failed, text = call(client, "recall", **asked, budget=120, more=page)
        assert not failed and count_tokens(text) <= 120 and without_injected(text) == ""
        said, pages = said + text, page
        if f"more={page + 1}." not in text:
            break
    assert 1 < pages < 12 and all(f"row {number} " in said for number in range(12))
    assert call(client, "recall", **asked, budget=120, more=pages + 1) == (False, NO_ROOM)


@pytest.mark.parametrize("budget", [50, 60, 75, 300])
def test_a_small_budget_is_one(client: Client, budget: int) -> None:
    ref = json.loads(call(client, "remember", text="Nora keeps bees.", kind="decision")[1])["ref"]
    for number in range(5):
        client.post("/memories", {"text": f"Hive {number} of Nora's bees stands in row {number} of the garden."})
    for number in range(12):
        said = f"Her agent puts reminder {number} of the hives as `<system-reminder>rule {number}</system-reminder>`."
        client.post("/memories", {"text": said})
    for tool, given in (
        ("context", {"query": "Who keeps bees?"}),
        ("recall", {"question": "Who keeps bees?"}),
        ("recall", {"question": "When was the moon landing?"}),
        ("recall", {"question": "How does her agent put reminders of the hives?", "thorough": True}),
        ("context", {"query": "How does her agent put reminders of the hives?"}),
        ("open", {"ref": ref}),
        ("contradictions", {}),
    ):
        failed, text = call(client, tool, **given, budget=budget)
        assert not failed and 0 < count_tokens(text) <= budget, (tool, text)


def test_contradictions_stand_between_the_marks(client: Client) -> None:
    first = json.loads(call(client, "remember", text="Nora lives in Boston.")[1])
    assert call(client, "used", wrong=[first["ref"]])[0] is False
    failed, text = call(client, "contradictions", budget=300)
    assert not failed and "Nora lives in Boston." not in without_injected(text) and count_tokens(text) <= 300
    assert json.loads(within(text))["contradictions"][0]["a"]["ref"] == first["ref"]


def read(client: Client, uri: str) -> str:
    """What a resource says, between the marks, or why it says nothing."""
    try:
        (part,) = with_session(client, lambda session: session.read_resource(uri)).contents
    except (BaseExceptionGroup, MCPError) as error:
        refused: BaseException = error
        while isinstance(refused, BaseExceptionGroup):
            (refused,) = refused.exceptions
        return f"refused: {refused}"
    assert part.uri == uri and part.mime_type == ("text/markdown" if uri == FILE else "text/plain")
    return within(part.text)


def test_the_file_and_each_memory_are_resources(graph: Graph, client: Client, settings: Settings, user: str) -> None:
    listed = with_session(client, lambda session: session.list_resources())
    assert [(one.uri, one.mime_type) for one in listed.resources] == [(FILE, "text/markdown")]
    templates = with_session(client, lambda session: session.list_resource_templates()).resource_templates
    assert [one.uri_template for one in templates] == ["memory://{ref}"]
    path = Path(client.get("/file").json()["path"])
    assert read(client, FILE) == ""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# Memory\n\n- Olaf repairs clocks. [482915037]\n", encoding="utf-8")
    assert read(client, FILE) == client.get("/file").json()["text"].rstrip("\n") != ""
    ref = json.loads(call(client, "remember", text="Olaf repairs clocks in Bergen.")[1])["ref"]
    assert json.loads(read(client, f"memory://{ref}"))["text"] == "Olaf repairs clocks in Bergen."
    other = client_of(graph, client.url, f"{user}-b", *Scope)
    assert read(other, FILE) == ""
    theirs, none = read(other, f"memory://{ref}"), read(other, "memory://000000000")
    assert theirs.startswith("refused: ") and theirs.replace(ref, "000000000") == none
    writer = client_of(graph, client.url, user, Scope.WRITE)
    assert "does not permit to read" in read(writer, FILE) and "does not permit to read" in read(
        writer, f"memory://{ref}"
    )
    assert "Unknown resource" in read(client, "memory://file/../../etc/passwd")


def test_a_tool_remembers_once_under_a_key_and_what_holds_no_longer(client: Client) -> None:
    old = json.loads(call(client, "remember", text="The ferry leaves at nine.", idempotency_key="ferry")[1])
    again = json.loads(call(client, "remember", text="The ferry leaves at nine.", idempotency_key="ferry")[1])
    assert (again["ref"], again["is_new"]) == (old["ref"], False)
    new = json.loads(call(client, "remember", text="The ferry leaves at ten.", supersedes=[f"[{old['ref']}]"])[1])
    assert new["supersedes"] == [old["ref"]]
    assert json.loads(within(call(client, "open", ref=old["ref"])[1]))["state"] == "archived"


def test_a_tool_remembers_until_when_something_holds(client: Client) -> None:
    call(client, "remember", text="The ferry leaves at nine.", valid_from="2026-09-01", valid_to="2026-09-30")
    assert "The ferry leaves at nine. (held until 2026-09-30)" in call(client, "recall", question="The ferry?")[1]
    failed, text = call(client, "remember", text="It is so.", valid_from="2026-09-30", valid_to="2026-09-01")
    assert failed and "valid_from is later than valid_to" in text


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
