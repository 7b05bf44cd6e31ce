"""Commands about the server by which agents reach a memory."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_assets.cli.output import Json, emitted, say
from memory_assets.settings import load_settings

server = typer.Typer(help="The server for agents: start, stop, status.", no_args_is_help=True)


def serve(
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Left out: MEMORY_ASSETS_SERVER_PORT, 4747.")
    ] = None,
) -> None:
    """Serve the memories of this installation to agents on 127.0.0.1, over HTTP and MCP, until TERM or Ctrl-C."""
    from memory_assets.server.host import serve as answer

    settings = load_settings()
    chosen = settings.server_port if port is None else port
    answer(settings, chosen, lambda state: say(f"Agents reach http://127.0.0.1:{state.port}, tools at /mcp."))


@server.command()
def start() -> None:
    """Start the server in the background, if it does not run yet."""
    from memory_assets.server.host import start as start_it

    print(f"The server runs at http://127.0.0.1:{start_it(load_settings()).port}.")


@server.command()
def stop() -> None:
    """Stop the server."""
    from memory_assets.server.host import resident

    print("The server is stopped." if resident(load_settings()).stop() else "The server did not run.")


@server.command()
def status(as_json: Json = False) -> None:
    """Whether the server runs, where, and how many events of agents it has missed."""
    from memory_assets.client.hook import failures
    from memory_assets.server.host import resident

    settings = load_settings()
    found = resident(settings)
    state = found.find()
    report: dict[str, Any] = {"running": state is not None, "log": str(found.log)}
    if missed := failures(settings.home):
        report |= {"missed": len(missed), "last": f"{missed[-1]['at']} {missed[-1]['event']}: {missed[-1]['reason']}"}
    if state is not None:
        report |= {"url": f"http://127.0.0.1:{state.port}", "pid": state.pid, "started_at": state.started_at}
    if not emitted(report, as_json):
        for name, value in report.items():
            print(f"{name:<10} {value}")


def mcp(
    token: Annotated[str, typer.Option("--token", envvar="MEMORY_ASSETS_TOKEN", help="The key; `tokens add`.")],
) -> None:
    """The tools over standard input and output, for agents that know no HTTP; starts the server when it does not run.

    It ends with its input. The key is best given as MEMORY_ASSETS_TOKEN: others see the words of a command.
    """
    import asyncio

    from memory_assets.server.bridge import pipe
    from memory_assets.server.host import start as start_it

    asyncio.run(pipe(f"http://127.0.0.1:{start_it(load_settings()).port}/mcp", token))
