"""Commands about teams."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_assets.cli.context import connect
from memory_assets.cli.output import say
from memory_assets.graph.owners import add_members
from memory_assets.runtime.owners import known_names


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    team = typer.Typer(help="Who shares whose sources.", no_args_is_help=True)
    team.command("add")(add)
    app.add_typer(team, name="team")


def add(
    team: Annotated[str, typer.Argument(help="The team.")],
    users: Annotated[list[str], typer.Argument(help="Its new members.")],
) -> None:
    """Make users members of a team: its sources are then extracted for each of them."""
    from memory_assets.model import check_team, check_user

    check_team(team)
    for user in users:
        check_user(user)
    settings, graph = connect()
    new = sorted(set(users) - known_names(graph, settings))
    add_members(graph, settings.clock, team, users)
    print(f"{', '.join(users)}: now in team {team}.")
    if new:
        say(f"New here: {', '.join(new)}. Nothing was known of them before.")
