"""Commands about names: who is who, and who the owner is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any

import typer

from memory_assets.cli.context import User, chosen_users, connect
from memory_assets.cli.output import Json, emit, say, table
from memory_assets.model import check_user

ALSO = "Another name, handle or e-mail address of the owner; may be given several times."


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    names = typer.Typer(help="Which names mean one person.", invoke_without_command=True)
    names.callback()(show_names)
    names.command()(merge)
    names.command()(split)
    app.add_typer(names, name="names")
    app.command(name="init-profile")(init_profile)


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
    if as_json:
        emit([person.as_json() for found in people.values() for person in found])
        return
    for name, found in people.items():
        if user is None:
            print(f"{name}\n")
        rows = [
            (person.ref if first else "", person.name if first else "", v["name"], v["sources"], v["decided_by"], v["reason"])
            for person in found
            for first, v in ((at == 0, variant) for at, variant in enumerate(person.variants))
        ]
        table(("ref", "person", "called", "sources", "decided by", "why"), rows)
        print()


def merge(
    keep: Annotated[str, typer.Argument(help="The name that stays: its text, its reference or its id.")],
    others: Annotated[list[str], typer.Argument(help="The names that mean the same person.")],
    user: User,
) -> None:
    """Make several names one person. `names split` undoes it."""
    _decide(user, lambda names: names.merge(keep, others), f"{', '.join(others)}: one person with {keep} now.")


def split(
    name: Annotated[str, typer.Argument(help="The name to take out of its person: its text, its reference or its id.")],
    user: User,
) -> None:
    """Take a name out of the person that it was joined to, and keep it apart. `names merge` undoes it."""
    _decide(user, lambda names: names.split(name), f"{name}: a person by itself now.")


def init_profile(
    user: User,
    name: Annotated[str, typer.Option("--name", help="The owner's full name.")],
    also: Annotated[list[str] | None, typer.Option("--also", help=ALSO)] = None,
) -> None:
    """Say who the owner is: whose words count as the owner's own, and which names mean the owner."""
    from memory_assets.entities.people import Names
    from memory_assets.runtime.resources import InstallationResource

    settings, graph = connect()
    with InstallationResource().owner_lock(check_user(user)):
        changed = Names(graph, settings.clock, user).set_profile(name, also or [])
    print(f"{user} is {name}." if changed else f"{user} is {name} already.")
    if changed:
        say(f"`memory-assets materialize --user {user}` takes it up.")


def _decide(user: str, decide: Callable[[Any], Counter[str]], done: str) -> None:
    from memory_assets.entities.people import Names
    from memory_assets.runtime.resources import InstallationResource

    settings, graph = connect()
    chosen_users(graph, user)
    with InstallationResource().owner_lock(user):
        counts = decide(Names(graph, settings.clock, user))
    if not counts:
        print("It is so already.")
        return
    print(done)
    say(f"{counts['mentions_moved']} mentions moved; `memory-assets materialize --user {user}` takes it up.")
