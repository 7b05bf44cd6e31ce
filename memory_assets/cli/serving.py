"""Commands about the server by which agents reach a memory, and about their keys."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

import typer

from memory_assets.cli.context import User, connect_for, project_given
from memory_assets.cli.output import Json, emitted, listed, say, table
from memory_assets.errors import WrongUseError
from memory_assets.keys.policy import PAGE, Scope
from memory_assets.server.profiles import Profile
from memory_assets.settings import load_settings

server = typer.Typer(help="The server for agents: start, stop, status.", no_args_is_help=True)


def serve(
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Left out: MEMORY_ASSETS_SERVER_PORT, 4747.")
    ] = None,
) -> None:
    """Serve the memories of this installation to agents on 127.0.0.1, over HTTP and MCP, until TERM or Ctrl-C."""
    from memory_assets.server.process import become

    settings = load_settings()
    become(settings if port is None else settings.model_copy(update={"server_port": port}))


@server.command()
def start() -> None:
    """Start the server in the background, if it does not run yet."""
    from memory_assets.server.process import start as start_it

    print(f"The server runs at http://127.0.0.1:{start_it(load_settings()).port}.")


@server.command()
def stop() -> None:
    """Stop the server."""
    from memory_assets.server.process import resident

    print("The server is stopped." if resident(load_settings()).stop() else "The server did not run.")


@server.command()
def status(as_json: Json = False) -> None:
    """Whether the server runs, where, and how many events of agents it has missed."""
    from memory_assets.client.hook import failures
    from memory_assets.server.process import resident

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


def page(
    user: User,
    days: Annotated[int, typer.Option("--days", min=1, max=30, help="Its key expires after so many days.")] = 1,
) -> None:
    """Show a user's memory in the browser: the file, search, a memory's history and sources, contradictions to settle.

    Prints an address with a new key in it, and starts the server when it does not run.
    """
    from memory_assets.keys.issuing import add_key
    from memory_assets.server.process import start as start_it

    settings, graph = connect_for(user)
    now = settings.clock.now()
    _, token = add_key(graph, user, PAGE, [Scope.READ, Scope.CURATE], now, now + timedelta(days=days))
    print(f"http://127.0.0.1:{start_it(settings).port}/#key={token}")


def mcp(
    token: Annotated[str, typer.Option("--token", envvar="MEMORY_ASSETS_TOKEN", help="The key; `tokens add`.")],
    project: Annotated[
        str | None, typer.Option("--project", help="A name or a folder: where the agent works. Left out: this folder.")
    ] = None,
    profile: Annotated[Profile, typer.Option("--profile", help="Which tools.")] = Profile.MEMORY,
) -> None:
    """The tools over standard input and output, for agents that know no HTTP; starts the server when it does not run.

    It ends with its input. The key is best given as MEMORY_ASSETS_TOKEN: others see the words of a command.
    """
    from memory_assets.client.bridge import pipe
    from memory_assets.client.transport import ClientError

    if not token.strip() or not token.isprintable():
        raise WrongUseError("--token is no key: `memory-assets tokens add` makes one.")
    # A variable that the agent did not put a folder in is none.
    name = project_given(project) if project and not project.startswith("${") else None
    try:
        pipe(load_settings().home, token, name, profile.path)
    except ClientError as error:
        raise WrongUseError(str(error)) from None


DAYS = 365
tokens = typer.Typer(help="The keys by which agents reach a memory.", no_args_is_help=True)


@tokens.command()
def add(
    user: User,
    agent: Annotated[str, typer.Option("--agent", help="Who it is for, for example claude-code.")],
    scope: Annotated[
        list[Scope] | None, typer.Option("--scope", help="What it permits; can be given again. Left out: read, write.")
    ] = None,
    days: Annotated[int, typer.Option("--days", min=1, max=3650, help="It expires after so many days.")] = DAYS,
    project: Annotated[str | None, typer.Option("--project", help="Only this project's memories.")] = None,
    as_json: Json = False,
) -> None:
    """Make a key. Its token is shown now and never again: nothing stores it."""
    from memory_assets.keys.issuing import add_key

    settings, graph = connect_for(user)
    now = settings.clock.now()
    expires_at = now + timedelta(days=days)
    identifier, token = add_key(graph, user, agent, scope or [Scope.READ, Scope.WRITE], now, expires_at, project)
    if not emitted({"id": identifier, "token": token, "expires_at": expires_at}, as_json):
        print(token)
        say(f"For {agent}, until {expires_at.date()}. `memory-assets tokens revoke {identifier}` ends it.")


@tokens.command("list")
def list_all(user: User, as_json: Json = False) -> None:
    """List the keys of a user, the latest first."""
    from memory_assets.keys.issuing import list_keys

    _, graph = connect_for(user)
    found = list_keys(graph, user)
    if listed(found, as_json, f"No agent has a key for the memory of {user}: `memory-assets tokens add`."):
        days = {"made": "created_at", "expires": "expires_at", "revoked": "revoked_at"}
        shown = [row | {day: (row[name] or "")[:10] or None for day, name in days.items()} for row in found]
        rows = (row | {"scopes": " ".join(row["scopes"])} for row in shown)
        table(("id", "agent", "scopes", "project", *days), rows)


@tokens.command()
def revoke(
    named: Annotated[str, typer.Argument(metavar="ID|AGENT", help="A key's id, or an agent: all of its keys.")],
    user: User,
) -> None:
    """Revoke a key, or all of an agent's: from now on they open nothing."""
    from memory_assets.keys.issuing import revoke_keys

    settings, graph = connect_for(user)
    revoked = revoke_keys(graph, user, named, settings.clock.now())
    print(f"Revoked: {', '.join(revoked)}")


def agents(user: User, as_json: Json = False) -> None:
    """What each agent has used of a user's memory in the last 30 days, and the tokens that it was given."""
    from memory_assets.runtime.accesses import used_by_agents

    settings, _ = connect_for(user)
    found = used_by_agents(settings, user, settings.clock.now())
    if listed(found, as_json, f"No agent has used the memory of {user} in the last 30 days."):
        table(list(found[0]), found)
