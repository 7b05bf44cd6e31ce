"""The command that says what an agent is to know before it starts, and what it will need next."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_assets.cli.context import AllProjects, Project, User, connect_for, read_instant, within
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.context.policy import DEFAULT, SHARES, SURFACES, Asked
from memory_assets.errors import WrongUseError

Several = list[str] | None


def context(
    user: User,
    task: Annotated[str, typer.Argument(help="What is to be done; nothing: what to know at a beginning.")] = "",
    query: Annotated[str, typer.Option("--query", help="A question, or some words.")] = "",
    file: Annotated[Several, typer.Option("--file", help="A path at work; can be repeated.")] = None,
    error: Annotated[Several, typer.Option("--error", help="A message of an error; can be repeated.")] = None,
    person: Annotated[Several, typer.Option("--person", help="Who takes part; can be repeated.")] = None,
    branch: Annotated[str, typer.Option("--branch", help="The branch at work.")] = "",
    activity: Annotated[str, typer.Option("--activity", help=f"Whose shares: {', '.join(SHARES)}.")] = DEFAULT,
    session: Annotated[str, typer.Option("--session", help="Nothing comes twice in it; counts as given.")] = "",
    tokens: Annotated[int, typer.Option("--tokens", help="At most so many.")] = 8_000,
    surface: Annotated[str, typer.Option("--surface", help=f"Whose ceiling: {', '.join(SURFACES)}.")] = "mcp",
    deadline: Annotated[int | None, typer.Option("--deadline", min=1, help="Milliseconds.")] = None,
    project: Project = None,
    all_projects: AllProjects = False,
    predict: Annotated[bool, typer.Option("--predict", help="What will be needed next, and how likely.")] = False,
    at: Annotated[str | None, typer.Option("--at", help="With --predict: what is used at this time of day.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Each entry with its reason, and what was left out.")] = False,
    as_json: Json = False,
) -> None:
    """Say what an agent is to know before it starts, in four tiers within a budget; or what it will need next."""
    from memory_assets.commands.context import context_for, predict_for

    if at is not None and not predict:
        raise WrongUseError("--at goes with --predict.")
    if activity not in SHARES:
        raise WrongUseError(f"--activity takes {', '.join(SHARES)}, not {activity!r}.")
    settings, graph = connect_for(user)
    asked = Asked(
        task=task,
        query=query,
        files=file or [],
        errors=error or [],
        people=person or [],
        branch=branch,
        activity=activity,
        session=session,
        budget=tokens,
        surface=surface,
        deadline_ms=deadline,
        within=within(project, all_projects=all_projects),
    )
    if predict:
        found = predict_for(graph, settings, user, asked, read_instant("--at", at) if at is not None else None)
        if not emitted(found, as_json):
            table(("ref", "tier", "probability", "cue", "tokens"), found["predicted_memories"])
            share = found["confidence"]
            print(f"\nexpected share that will be used: {'-' if share is None else share}")
        return
    found = context_for(graph, settings, user, asked)
    if emitted(found, as_json):
        return
    print(found["context"], end="")
    if why:
        print()
        table(("ref", "tier", "tokens", "why"), found["entries"])
        print()
        table(("left out", "reason"), ((row["ref"], row["reason"]) for row in found["left_out"]))
    if found["abstained"]:
        say("Nothing relevant was found.")
    if found["partial"]:
        say("The deadline has passed before all of it was looked through.")
    say(f"{found['token_count']:,} of {found['budget']:,} tokens.")
