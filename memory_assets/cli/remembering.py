"""The command that remembers something."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_assets.cli.context import User, connect_for
from memory_assets.cli.output import Json, emitted, say
from memory_assets.commands.remembering import Kind


def remember(
    text: Annotated[str, typer.Argument(help="In whole sentences that are understood years later.")],
    user: User,
    kind: Annotated[Kind, typer.Option("--kind", help="What it is.")] = Kind.FACT,
    about: Annotated[
        list[str] | None, typer.Option("--about", help="A name that it is about; can be repeated.")
    ] = None,
    agent: Annotated[str, typer.Option("--agent", help="Whose record it becomes.")] = "command-line",
    as_json: Json = False,
) -> None:
    """Remember something: a record of an agent's, on the disk and found by `recall` when this returns."""
    from memory_assets.commands.remembering import remember as write_down

    settings, graph = connect_for(user)
    found = write_down(graph, settings, user, text, kind=kind, about=about or [], agent=agent)
    if emitted(found.as_json(), as_json):
        return
    print(f"[{found.ref}]")
    if not found.is_new:
        say("This was remembered before.")
    if found.masked:
        say(f"Masked in it: {', '.join(found.masked)}.")
    if not found.recallable:
        say("It is on the disk; the next run takes it in, since one is at work on this memory now.")
