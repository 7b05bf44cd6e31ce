"""The server's process: one per home, on this machine alone. ``python -m memory_assets.server.host FOLDER``, started
by :func:`~memory_assets.server.process.start`; ``memory-assets serve`` becomes it, in the foreground.

It holds the host lock of its folder, binds a port of the loopback, writes its state when it answers, and ends with
TERM. The port is the same at each start: agents have it in their configuration.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import psutil
import uvicorn
from anyio.to_thread import current_default_thread_limiter
from filelock import FileLock, Timeout
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from memory_assets import __version__
from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.files.resident import HOST_LOCK, LOOPBACK, ResidentState, remove_state, report_ready, write_state
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.llm.local_embedder import LocalEmbedder
from memory_assets.llm.tokens import count_tokens
from memory_assets.server.connections import server_config
from memory_assets.server.gate import AT_ONCE, Gate
from memory_assets.server.http import http_app
from memory_assets.server.mcp import mcp_server
from memory_assets.server.operations import Operations
from memory_assets.server.process import ServerError
from memory_assets.server.profiles import Profile
from memory_assets.settings import Settings, ensure_home, load_settings
from memory_assets.text.words import rarity


def application(graph: Graph, settings: Settings) -> ASGIApp:
    """All that the server answers, behind its gate."""
    operations = Operations(graph, settings)
    app = http_app(operations)
    tools = [
        mcp_server(operations, profile).streamable_http_app(
            streamable_http_path=profile.path, json_response=True, stateless_http=True, host=LOOPBACK
        )
        for profile in Profile
    ]
    # Stateless, they have nothing to say unasked: a GET would hold an event stream open for nothing.
    every = (route for one in tools for route in one.routes if isinstance(route, Route))
    app.router.routes += [Route(route.path, route.endpoint, methods=["POST"]) for route in every]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        # By itself 40: requests that wait for a lock would keep all others from their threads, and from the gate's.
        current_default_thread_limiter().total_tokens = AT_ONCE
        async with AsyncExitStack() as running:
            for one in tools:
                await running.enter_async_context(one.router.lifespan_context(one))
            yield

    app.router.lifespan_context = lifespan
    return Gate(app, graph, settings.clock.now, settings.server_requests_per_minute)


def serve(settings: Settings, port: int, on_ready: Callable[[ResidentState], None]) -> None:
    """Answer until TERM. Raises :class:`ServerError` where this home has a server, or the port is taken."""
    ensure_home(settings)
    home = settings.server_home
    home.mkdir(exist_ok=True, mode=0o700)
    try:
        lock = FileLock(home / HOST_LOCK).acquire(timeout=0)
    except Timeout:
        raise ServerError(
            f"A server of {settings.home} runs already: `memory-assets server status` shows where."
        ) from None
    with lock, _bound(port) as listening:
        graph = open_graph(settings)
        warm_up()
        app = application(graph, settings)
        state = ResidentState(
            os.getpid(),
            psutil.Process().create_time(),
            listening.getsockname()[1],
            f"memory-assets {__version__}",
            str(to_iso(settings.clock.now())),
        )

        def ready() -> None:
            write_state(home, state)
            on_ready(state)

        for ending in (signal.SIGTERM, signal.SIGINT):
            # uvicorn ends in order by them, and then raises them once more: this process still has to tidy up.
            signal.signal(ending, lambda *_: None)
        try:
            _Server(server_config(app), ready).run(sockets=[listening])
        finally:
            remove_state(home)
            graph.close()


def warm_up() -> None:
    """Load what the first question would wait for: an agent's first prompt has its deadline, too."""
    LocalEmbedder().embed(["A first question."], asset="recall", user_id="")
    rarity("question")
    count_tokens("A first question.")


class _Server(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def _bound(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
    except OSError as error:
        listening.close()
        raise ServerError(
            f"Port {port} of this machine is taken ({error.strerror}): set MEMORY_ASSETS_SERVER_PORT to another one."
        ) from None
    return listening


def main() -> None:
    """Serve the home of the settings until TERM."""
    parser = argparse.ArgumentParser(description="Serve a memory to agents (started on demand).")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, required=True)
    whose = parser.add_mutually_exclusive_group(required=True)
    whose.add_argument("--ready", type=int, help="file descriptor to report readiness on")
    whose.add_argument("--starting", type=int, help="in the foreground: descriptor of the start lock, held until then")
    arguments = parser.parse_args()

    def on_ready(state: ResidentState) -> None:
        if arguments.ready is not None:
            report_ready(arguments.ready)
            return
        os.close(arguments.starting)
        print(f"Agents reach http://{LOOPBACK}:{state.port}, tools at /mcp.", file=sys.stderr, flush=True)

    try:
        settings = load_settings().model_copy(update={"home": arguments.folder.parent})
        serve(settings, arguments.port, on_ready)
    except MemoryAssetsError as error:
        sys.exit(f"memory-assets: {error}")  # the caller shows the log's last lines to a person
    except KeyboardInterrupt:  # before it answers; later it ends in order
        sys.exit(130)


if __name__ == "__main__":
    main()
