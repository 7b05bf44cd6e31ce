"""Commands about people: who is who, who the owner is, who is in which team."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any

import typer

from memory_assets.cli.context import User, chosen_users, connect, writing_for
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.model import check_team, check_user

names = typer.Typer(help="Which names mean one person.", invoke_without_command=True)
team = typer.Typer(help="Who shares whose sources.", no_args_is_help=True)


@names.callback()
def show_names(
    context: typer.Context,
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose names; everybody's if left out.")] = None,
    as_json: Json = False,
) -> None:
    """Each person with all names that sources use for them, and why each was joined."""
    if context.invoked_subcommand is not None:
        return
    from memory_assets.entities.people import Names

    settings, graph = connect()
    people = {name: Names(graph, settings.clock, name).people() for name in chosen_users(graph, user)}
    if emitted([person.as_json() for found in people.values() for person in found], as_json):
        return
    for name, found in people.items():
        if user is None:
            print(f"{name}\n")
        columns = ("name", "sources", "decided_by", "reason")
        rows = [
            [*(("", "") if at else (person.ref, person.name)), *(variant[name] for name in columns)]
            for person in found
            for at, variant in enumerate(person.variants)
        ]
        table(("ref", "person", "called", "sources", "decided by", "why"), rows)
        print()


@names.command()
def merge(
    keep: Annotated[str, typer.Argument(help="The name that stays: its text, its reference or its id.")],
    others: Annotated[list[str], typer.Argument(help="The names that mean the same person.")],
    user: User,
) -> None:
    """Make several names one person. `names split` undoes it."""
    _decide(user, lambda names: names.merge(keep, others), f"{', '.join(others)}: one person with {keep} now.")


@names.command()
def split(
    name: Annotated[str, typer.Argument(help="The name to take out of its person: its text, its reference or its id.")],
    user: User,
) -> None:
    """Take a name out of the person that it was joined to, and keep it apart. `names merge` undoes it."""
    _decide(user, lambda names: names.split(name), f"{name}: a person by itself now.")


def init_profile(
    user: User,
    name: Annotated[str, typer.Option("--name", help="The owner's full name.")],
    also: Annotated[
        list[str] | None,
        typer.Option("--also", help="Another name, handle or e-mail address of the owner; may be given several times."),
    ] = None,
) -> None:
    """Say who the owner is: whose words count as the owner's own, and which names mean the owner."""
    from memory_assets.entities.people import Names

    with writing_for(user, is_new=True) as (settings, graph):
        changed = Names(graph, settings.clock, user).set_profile(name, also or [])
    print(f"{user} is {name}." if changed else f"{user} is {name} already.")
    if changed:
        say(f"`memory-assets materialize --user {user}` takes it up.")


def _decide(user: str, decide: Callable[[Any], Counter[str]], done: str) -> None:
    from memory_assets.entities.people import Names

    with writing_for(user) as (settings, graph):
        counts = decide(Names(graph, settings.clock, user))
    if not counts:
        print("It is so already.")
        return
    print(done)
    say(f"{counts['mentions_moved']} mentions moved; `memory-assets materialize --user {user}` takes it up.")


@team.command("add")
def add_to_team(
    team: Annotated[str, typer.Argument(help="The team.")],
    users: Annotated[list[str], typer.Argument(help="Its new members.")],
) -> None:
    """Make users members of a team: its sources are then extracted for each of them."""
    from memory_assets.graph.owners import add_members
    from memory_assets.runtime.owners import known_names

    check_team(team)
    for user in users:
        check_user(user)
    settings, graph = connect()
    new = sorted(set(users) - known_names(graph, settings))
    add_members(graph, settings.clock, team, users)
    print(f"{', '.join(users)}: now in team {team}.")
    if new:
        say(f"New here: {', '.join(new)}. Nothing was known of them before.")
