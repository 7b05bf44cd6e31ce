"""Connections that say nothing, and requests beyond so many at a time."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from itertools import islice

import pytest
import requests

from memory_assets.graph.graph import Graph
from memory_assets.keys.policy import Scope
from memory_assets.server.connections import MOST_IDLE
from memory_assets.server.gate import OF_ONE_USER, Gate
from memory_assets.server.http import http_app
from memory_assets.server.operations import Operations
from memory_assets.server.profiles import Profile
from memory_assets.sessions.working_memory import Sessions
from memory_assets.settings import Settings
from memory_assets_tests.server.conftest import SECONDS, Client, client_of, served
from memory_assets_tests.support.dagster_ui import wait_for

pytestmark = pytest.mark.graph
IDLE = 250
HEAD = b"POST /recall HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@contextmanager
def connected(url: str, sending: bytes = b"") -> Iterator[socket.socket]:
    """A connection that sends something, and then nothing more."""
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=SECONDS) as connection:
        connection.sendall(sending)
        yield connection


def has_ended(connection: socket.socket) -> bool:
    """Whether the server ends a connection, for which this waits."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("sending", [b"", HEAD])
def test_connections_that_send_nothing_more_hold_up_nobody_and_end(client: Client, sending: bytes) -> None:
    client.post("/memories", {"text": "Nora keeps bees in Skagness."})
    with ExitStack() as open_ones:
        idle = [open_ones.enter_context(connected(client.url, sending)) for _ in range(IDLE)]
        assert IDLE > MOST_IDLE
        for _ in range(3):
            assert requests.get(f"{client.url}/health/live", timeout=SECONDS).status_code == 200
            assert "Skagness" in client.post("/recall", {"question": "Where are Nora's bees?"}).json()["text"]
        assert all(map(has_ended, idle))
    assert client.get("/status").status_code == 200


def test_a_connection_serves_several_requests_and_ends_when_nothing_more_comes(client: Client) -> None:
    head = f"GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {client.token}\r\n"
    with connected(client.url) as connection:
        for _ in range(3):
            connection.sendall(head[:20].encode())
            connection.sendall(f"{head[20:]}\r\n".encode())
            assert b"200 OK" in connection.recv(65_536)
        while connection.recv(65_536):
            pass


def test_a_request_whose_body_does_not_come_ends_and_leaves_its_place(
    graph: Graph, settings: Settings, user: str
) -> None:
    app = Gate(http_app(Operations(graph, settings)), graph, settings.clock.now, 6_000, at_once=1)
    with served(app) as address:
        client = client_of(graph, address, user, *Scope)
        head = HEAD + f"Authorization: Bearer {client.token}\r\nContent-Length: 10\r\n\r\n{{".encode()
        with connected(address, head) as unfinished:
            assert has_ended(unfinished)
        assert wait_for(lambda: client.get("/status").status_code == 200 or None, "the place of the request")


def test_requests_beyond_so_many_are_asked_to_come_back(graph: Graph, settings: Settings, user: str) -> None:
    app = Gate(http_app(Operations(graph, settings)), graph, settings.clock.now, 6_000, at_once=1)
    with served(app) as address:
        client = client_of(graph, address, user, *Scope)
        body = b'{"question": "bees"}'
        begun = f"Authorization: Bearer {client.token}\r\nContent-Type: application/json\r\nConnection: close\r\n"
        head = HEAD + f"{begun}Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n".encode()
        with connected(address, head) as first:
            assert b"100 Continue" in first.recv(65_536), "its body is awaited now"
            refused = client.get("/status")
            assert refused.status_code == 503 and refused.headers["Retry-After"] == "1"
            assert "1 requests are being answered" in refused.json()["error"]
            assert requests.get(f"{address}/health/live", timeout=SECONDS).status_code == 200
            first.sendall(body)
            assert b"200 OK" in first.recv(65_536)
            while first.recv(65_536):
                pass
        assert client.get("/status").status_code == 200


def test_what_waits_for_one_users_lock_holds_up_nobody_else(
    graph: Graph, settings: Settings, client: Client, user: str
) -> None:
    other = client_of(graph, client.url, f"{user}-other", *Scope)
    body, more = {"turns": [{"role": "user", "content": "The boat is red."}]}, 10
    with ThreadPoolExecutor(OF_ONE_USER + more) as programs:
        with Sessions.of(settings).injecting(f"{user}-other", "s-1"):
            asked = [programs.submit(other.post, "/sessions/s-1/turns", body) for _ in range(OF_ONE_USER + more)]
            refused = [one.result() for one in islice(as_completed(asked), more)]
            assert {one.status_code for one in refused} == {503}
            assert {one.headers["Retry-After"] for one in refused} == {"1"}
            assert f"{OF_ONE_USER} requests for {user}-other are being answered" in refused[0].json()["error"]
            assert client.get("/status").status_code == 200
            assert client.post("/sessions/s-1/turns", body).status_code == 200
            assert sum(one.done() for one in asked) == more, "the others wait as they did"
    assert [one.result().status_code for one in asked].count(200) == OF_ONE_USER


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_the_tools_hold_no_stream_open(client: Client, profile: Profile, method: str) -> None:
    headers = client.headers | {"Accept": "text/event-stream"}
    refused = requests.request(method, client.url + profile.path, headers=headers, timeout=SECONDS)
    assert refused.status_code == 405 and list(refused.json()) == ["error"]
