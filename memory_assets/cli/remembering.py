"""The commands that remember something, and correct it."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import typer

from memory_assets.cli.context import User, connect_for, day_option, project_here
from memory_assets.cli.output import Json, emitted, say
from memory_assets.keys.policy import check_agent
from memory_assets.model import MemoryType
from memory_assets.text.held import Held


def remember(
    text: Annotated[str, typer.Argument(help="In whole sentences that are understood years later.")],
    user: User,
    kind: Annotated[MemoryType, typer.Option("--kind", help="What it is.")] = MemoryType.FACT,
    about: Annotated[
        list[str] | None, typer.Option("--about", help="A name that it is about; can be repeated.")
    ] = None,
    agent: Annotated[str, typer.Option("--agent", help="Whose record it becomes.")] = "command-line",
    project: Annotated[
        str | None, typer.Option("--project", help="A name or a folder: what it is of. Left out: this folder's.")
    ] = None,
    all_projects: Annotated[bool, typer.Option("--all-projects", help="It is of none, and there for all.")] = False,
    valid_from: Annotated[date | None, day_option("--from", "The first day it holds.")] = None,
    valid_to: Annotated[date | None, day_option("--to", "The last day it holds.")] = None,
    supersedes: Annotated[
        list[str] | None, typer.Option("--supersedes", help="Reference of what holds no longer by it; can be repeated.")
    ] = None,
    key: Annotated[str | None, typer.Option("--key", help="Remembered once under one key.")] = None,
    as_json: Json = False,
) -> None:
    """Remember something: a record of an agent's, on the disk and found by `recall` when this returns."""
    from memory_assets.commands.correcting import check_superseded, supersede
    from memory_assets.commands.remembering import remember as write_down

    check_agent(agent)
    settings, graph = connect_for(user)
    where = project_here(project, all_projects=all_projects)
    how: dict[str, Any] = {"kind": kind, "key": key, "project": where}
    check_superseded(graph, settings, user, supersedes or (), text, agent, **how)
    held = Held(valid_from, valid_to)
    found = write_down(graph, settings, user, text, about=about or [], agent=agent, held=held, **how)
    superseded = supersede(graph, settings, user, supersedes or (), text, found, agent)
    if emitted(found.as_json(superseded), as_json):
        return
    print(f"[{found.ref}]")
    if superseded:
        say(f"It takes the place of {', '.join(f'[{ref}]' for ref in superseded)}.")
    if not found.is_new:
        say("This was remembered before.")
    against = [one for one in found.contradicts if one["ref"] not in superseded]
    for one in against:
        say(f"It contradicts [{one['ref']}]: {one['text']}")
    if any(one["id"] for one in against):
        say(f"`memory-assets contradictions --user {user}` shows how to settle that.")
    if found.masked:
        say(f"Masked in it: {', '.join(found.masked)}.")
    if not found.recallable:
        say("It is on the disk; the next run takes it in, since one is at work on this memory now.")


def correct(
    ref: Annotated[
        str, typer.Argument(metavar="REF", help="The memory's reference; with --undo also a decision's id.")
    ],
    user: User,
    text: Annotated[str | None, typer.Option("--text", help="What holds instead; it is retired if left out.")] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why; needed unless it is taken back.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take the correction back.")] = False,
    agent: Annotated[str, typer.Option("--agent", help="Who corrects it.")] = "command-line",
    as_json: Json = False,
) -> None:
    """Give a memory other words, or retire it. Nothing is deleted, and it is never the owner's own word."""
    from memory_assets.commands import correcting

    if not undo:
        check_agent(agent)
    settings, graph = connect_for(user)
    if undo:
        done = correcting.take_back(graph, settings, user, ref, agent)
    else:
        done = correcting.correct(graph, settings, user, ref, text=text, reason=reason, agent=agent)
    if emitted(vars(done), as_json):
        return
    print(f"[{done.ref}]" if done.ref else "retired")
    if not undo:
        say(f"`memory-assets correct {ref} --undo --user {user}` takes it back.")
    say(f"`memory-assets materialize --user {user}` takes it up.")
