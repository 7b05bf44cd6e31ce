"""Commands about the keys by which agents reach a memory."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from memory_assets.cli.context import User, connect_for
from memory_assets.cli.output import Json, emitted, listed, say, table
from memory_assets.keys.policy import Scope

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
