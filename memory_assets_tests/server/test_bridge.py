"""The tools over standard streams: what is said goes through, and the process ends with its input."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st
from mcp import Client as ToolClient
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.inbound import encode_header_value
from mcp.types import PROTOCOL_VERSION_META_KEY

from memory_assets.client import bridge
from memory_assets_tests.server.conftest import Client
from memory_assets_tests.server.test_mcp import MODES, VERSIONS

pytestmark = pytest.mark.own_engine
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
GREETING = {"id": 1, "method": "initialize", "params": HELLO}


@pytest.fixture
def home(client: Client, tmp_path: Path) -> Path:
    """The folder of an installation whose server is the test's."""
    return serving(tmp_path / "home", int(client.url.rpartition(":")[2]))


def serving(home: Path, port: int) -> Path:
    (home / "server").mkdir(parents=True, exist_ok=True)
    (home / "server" / "server.json").write_text(json.dumps({"pid": os.getpid(), "port": port}), encoding="utf-8")
    return home


def process(home: Path, token: str, *words: str) -> dict[str, Any]:
    environment = {**os.environ, "MEMORY_ASSETS_HOME": str(home), "MEMORY_ASSETS_TOKEN": token}
    return {"args": ["-P", "-m", "memory_assets.client.bridge", *words], "env": environment}


@pytest.mark.parametrize("mode", MODES)
def test_a_client_on_standard_streams_reaches_the_tools(client: Client, home: Path, mode: str) -> None:
    async def run() -> tuple[str, set[str], str, str]:
        server = StdioServerParameters(command=sys.executable, **process(home, client.token))
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


def _piped(home: Path, token: str, text: str) -> subprocess.CompletedProcess[str]:
    given = process(home, token)
    command = [sys.executable, *given["args"]]
    return subprocess.run(command, input=text, env=given["env"], capture_output=True, text=True, timeout=60)


def _said(home: Path, token: str, *messages: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    return _piped(home, token, "".join(f"{json.dumps({'jsonrpc': '2.0', **message})}\n" for message in messages))


def test_it_ends_with_its_input_and_says_nothing_but_messages(client: Client, home: Path) -> None:
    done = _piped(home, client.token, 'no message\n[]\n{"method": 1}\n\n')
    assert done.returncode == 0 and done.stdout == ""


def test_what_was_asked_before_the_input_ended_is_answered(client: Client, home: Path) -> None:
    done = _said(
        home,
        client.token,
        GREETING,
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": "three", "method": "tools/call", "params": {"name": "status", "arguments": {}}},
        {"id": 4, "method": "nothing/known"},
        {"id": 5, "method": "tools/call", "params": ["no", "object"]},
    )
    assert done.returncode == 0
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers.keys() == {1, 2, "three", 4, 5}
    assert {known for known, answer in answers.items() if "error" in answer} == {4, 5}


ODD = {
    "nothing": b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
    "no JSON": b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<p/>",
    "no answer": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "an error in HTML": b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\n<p/>",
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_no_answer_is_an_error(name: str, tmp_path: Path) -> None:
    with _answering_once(tmp_path, ODD[name]):
        done = _said(tmp_path, "mem_x", GREETING)
    answer = json.loads(done.stdout)
    assert answer["id"] == 1 and "no answer" in answer["error"]["message"] and done.returncode == 0


def test_an_answer_in_events_is_handed_on_with_the_id_that_was_asked_with(tmp_path: Path) -> None:
    said = b'event: message\ndata: {"jsonrpc": "2.0", "id": 9, "result": {"protocolVersion": "2025-06-18"}}\n\n'
    with _answering_once(tmp_path, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(said), said)):
        done = _said(tmp_path, "mem_x", GREETING, {"method": "notifications/initialized"})
    (answer,) = map(json.loads, done.stdout.splitlines())
    assert (answer["id"], answer["result"]) == (1, {"protocolVersion": "2025-06-18"})


def test_a_stream_without_an_end_is_none_of_the_servers(client: Client, home: Path) -> None:
    meta = {PROTOCOL_VERSION_META_KEY: VERSIONS["auto"]}
    listen = {"id": 1, "method": "subscriptions/listen", "params": {"_meta": meta, "notifications": {}}}
    done = _said(home, client.token, listen, {"id": 2, "method": "tools/list", "params": {"_meta": meta}})
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers.keys() == {1, 2} and "error" in answers[1]


def test_the_command_gives_the_tools_of_a_profile(client: Client, home: Path) -> None:
    given = process(home, client.token)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "memory_assets.cli", "mcp", "--profile", "all", "--project", "harbour"],
        input="".join(
            json.dumps({"jsonrpc": "2.0", "id": number, "method": method}) + "\n"
            for number, method in enumerate(("ping", "tools/list"))
        ),
        env=given["env"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "consolidate" in done.stdout and done.returncode == 0


def test_a_key_that_opens_nothing_is_refused_in_words(home: Path) -> None:
    done = _said(home, "mem_unknown", GREETING)
    assert done.returncode == 1 and "tokens add" in done.stderr
    assert "tokens add" in json.loads(done.stdout)["error"]["message"]


def test_it_says_in_which_project_the_agent_works(client: Client, home: Path) -> None:
    async def run() -> str:
        server = StdioServerParameters(command=sys.executable, **process(home, client.token, "--project", "größe"))
        async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            return (await session.call_tool("status", {})).content[0].text

    assert '"project":"grösse"' in asyncio.run(run())


def test_without_a_project_it_is_the_folder_that_the_agent_works_in(client: Client, home: Path, tmp_path: Path) -> None:
    (tmp_path / "harbour").mkdir()
    given = process(home, client.token, "--project", "${workspaceFolder}")
    status = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "status", "arguments": {}}}
    done = subprocess.run(
        [sys.executable, *given["args"]],
        input=json.dumps(status) + "\n",
        env=given["env"] | {"CLAUDE_PROJECT_DIR": ""},
        cwd=tmp_path / "harbour",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert '\\"project\\":\\"harbour\\"' in done.stdout


@contextmanager
def _listening(home: Path, *answers: bytes, then: Callable[[], object] = lambda: None) -> Iterator[None]:
    """A server that gives these answers in its life, and ends as it gives the last."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving(home, listening.getsockname()[1])

        def answer() -> None:
            for number, said in enumerate(answers, 1):
                with listening.accept()[0] as connection:
                    connection.settimeout(10)
                    while not connection.recv(65_536).endswith((b"\r\n\r\n", b"}")):
                        pass
                    if number == len(answers):
                        listening.close()
                        then()
                    connection.sendall(said)

        thread = threading.Thread(target=answer)
        thread.start()
        yield
        thread.join()


LIVES = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def _answering_once(home: Path, said: bytes) -> AbstractContextManager[None]:
    """A server that lives and says one thing to the first message."""
    return _listening(home, LIVES, said, *([ACCEPTED] if b"data:" in said else []))


ACCEPTED = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"


def _stopped_at_first(home: Path, port: int) -> AbstractContextManager[None]:
    """A server that is asked once whether it lives, and has another port from then on."""
    return _listening(home, LIVES, then=lambda: serving(home, port))


def test_a_server_that_has_been_started_anew_is_found(client: Client, home: Path) -> None:
    with _stopped_at_first(home, int(client.url.rpartition(":")[2])):
        done = _said(home, client.token, GREETING)
    assert done.returncode == 0 and json.loads(done.stdout)["result"]["serverInfo"]["name"] == "memory-assets"


@given_any(st.text())
def test_a_name_is_in_a_header_as_the_protocol_writes_it(name: str) -> None:
    meta = {PROTOCOL_VERSION_META_KEY: VERSIONS["auto"]}
    message = {"method": "resources/read", "params": {"uri": name, "_meta": meta}}
    assert bridge.headers_of(message, None) == {
        "MCP-Protocol-Version": VERSIONS["auto"],
        "Mcp-Method": "resources/read",
        "Mcp-Name": encode_header_value(name),
    }
