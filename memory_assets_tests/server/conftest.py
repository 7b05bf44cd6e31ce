"""A server that answers on a port of this machine, on the graph that the tests share."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import requests
import uvicorn
from starlette.types import ASGIApp

from memory_assets.graph.graph import Graph
from memory_assets.keys.issuing import add_key
from memory_assets.keys.policy import Scope
from memory_assets.server.connections import server_config
from memory_assets.server.host import application
from memory_assets.settings import Settings
from memory_assets_tests.support.processes import free_port

NOW = datetime(2026, 11, 1, 9, tzinfo=UTC)
SECONDS = 60


@dataclass(frozen=True)
class Client:
    """Requests to the server with a key."""

    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(self, path: str, **params: Any) -> requests.Response:
        return requests.get(self.url + path, params=params, headers=self.headers, timeout=SECONDS)

    def post(self, path: str, body: Any = None) -> requests.Response:
        return requests.post(self.url + path, json=body or {}, headers=self.headers, timeout=SECONDS)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, graph_settings: Settings) -> Settings:
    home: Path = tmp_path_factory.mktemp("server")
    return Settings(_env_file=None, home=home / "home", now=NOW, hook_deadline_ms=60_000)


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """An application that answers on a port of this machine: its address."""
    port = free_port()
    server = uvicorn.Server(server_config(app, port=port))
    ready = threading.Event()
    begin = server.startup

    async def startup(sockets: Any = None) -> None:
        await begin(sockets)
        ready.set()

    server.startup = startup  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run)
    thread.start()
    assert ready.wait(SECONDS)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(SECONDS)


@pytest.fixture(scope="module")
def url(graph: Graph, settings: Settings) -> Iterator[str]:
    with served(application(graph, settings)) as address:
        yield address


@pytest.fixture
def client(graph: Graph, url: str, user: str) -> Client:
    return client_of(graph, url, user, *Scope)


def client_of(graph: Graph, url: str, user: str, *scopes: Scope, agent: str = "codex") -> Client:
    """A client with a new key of an agent for a user."""
    return Client(url, add_key(graph, user, agent, scopes, NOW)[1])
