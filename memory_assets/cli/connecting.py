"""Commands that connect an agent, and that hand its events on."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.context import connect as opened
from memory_assets.cli.context import connect_for, graph_if_there
from memory_assets.cli.output import Json, emitted, say
from memory_assets.errors import GraphUnavailableError, WrongUseError
from memory_assets.model import Agent, check_user, is_team
from memory_assets.settings import Settings, ensure_home, env_file, load_settings

if TYPE_CHECKING:
    from memory_assets.graph.graph import Graph

Project = Annotated[
    Path | None,
    typer.Option("--project", file_okay=False, exists=True, resolve_path=True, help="For this folder alone."),
]


def connect(
    agent: Annotated[Agent, typer.Argument(metavar="|".join(Agent), help="Which agent.")],
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose memory; left out, the only one's.")] = None,
    project: Project = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be changed, and change nothing.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Give the files back, and revoke the key.")] = False,
    as_json: Json = False,
) -> None:
    """Connect an agent to its user's memory: starts the server, makes a key, and writes both where the agent looks."""
    from memory_assets.commands import connecting
    from memory_assets.graph.graph import open_graph
    from memory_assets.server.process import resident, start

    settings = load_settings()
    former = connecting.connection_of(settings, agent, project)
    whose = check_user(user) if user is not None else former.user if former else None
    if dry_run:
        state = resident(settings).find()
        url = f"http://127.0.0.1:{state.port if state else settings.server_port}"
        planned = [] if undo else connecting.preview(settings, agent, project, url)
        files = [one.path for one in former.files] if former and undo else []
        lines = [{"path": str(path), "entries": entries} for path, entries in planned]
        if planned:
            say(_of_whom(_known(_graph_or_none(settings), settings), whose))
        if emitted(files if undo else lines, as_json):
            return
        for path, entries in planned:
            print(path)
            for entry in entries:
                print(f"  {entry}")
        for file in files:
            print(f"{file}: would be given back")
        if not planned and not files:
            say("Nothing would be changed.")
        return
    if undo:
        changes = connecting.disconnect(open_graph(settings), settings, agent, project) if former else []
        said = "Its key is revoked." if former else f"{agent.value} is not connected: nothing was changed."
    else:
        graph = open_graph(settings)
        known = _known(graph, settings)
        whose = whose or _only_one(known)
        if whose not in known:
            say(_of_whom(known, whose))
            ensure_home(settings)
            (settings.inbox / whose).mkdir(exist_ok=True, mode=0o700)
        url = f"http://127.0.0.1:{start(settings).port}"
        changes = connecting.connect(graph, settings, whose, agent, project, url)
        said = (
            f"{agent.value} reaches the memory of {whose} at {url} from its next start on. "
            f"`memory-assets connect {agent.value} --undo` takes it back."
            + (" Codex asks then whether its new hooks may run." if agent is Agent.CODEX else "")
            if changes
            else f"{agent.value} is connected already: nothing was changed."
        )
    if emitted([{"path": str(one.path), "what": one.what, "copy": one.copy} for one in changes], as_json):
        return
    for one in changes:
        print(f"{one.path}: {one.what}" + (f", as it was in {one.copy}" if one.copy else ""))
    say(said)


def _graph_or_none(settings: Settings) -> Graph | None:
    """The graph where it is there and answers: what would be written does not depend on it."""
    try:
        return graph_if_there(settings)
    except GraphUnavailableError:
        return None


def _known(graph: Graph | None, settings: Settings) -> list[str]:
    """The people who are there, as far as a graph that may not be there yet says it."""
    from memory_assets.runtime.owners import inbox_owners, known_names

    known = known_names(graph, settings) if graph is not None else inbox_owners(settings)
    return sorted(name for name in known if not is_team(name))


def _only_one(known: Sequence[str]) -> str:
    if len(known) != 1:
        raise WrongUseError("Say whose: --user NAME." + (f" Known: {', '.join(known)}." if known else ""))
    return known[0]


def _of_whom(known: Sequence[str], user: str | None) -> str:
    """Whose memory an agent is given, and whether that begins by it."""
    user = user or _only_one(known)
    others = f"; known: {', '.join(known)}" if known else ""
    return f"The memory of {user}." if user in known else f"The memory of {user}, who is new and begins by it{others}."


def hook(
    event: Annotated[str, typer.Argument(help="The agent's name of it, for example SessionStart.")],
    file: Annotated[
        Path | None, typer.Argument(exists=True, dir_okay=False, help="The event's JSON; else the standard input.")
    ] = None,
    agent: Annotated[Agent, typer.Option("--agent", help="Whose event.")] = Agent.CLAUDE_CODE,
    is_trial: Annotated[bool, typer.Option("--try", help="Show what it would give, and why; write nothing.")] = False,
    user: Annotated[str | None, typer.Option("--user", "-u", help="With --try: whose memory.")] = None,
) -> None:
    """Hand an agent's event on: its JSON in, what the server says to it on the standard output.

    Whatever fails, it prints nothing and ends well. An agent calls `python -P -m memory_assets.client.hook` itself,
    which starts ten times as fast.
    """
    if is_trial:
        _try(event, file, agent, user)
        return
    from memory_assets.client.hook import main

    with open(file or 0, "rb", closefd=file is not None) as stream:
        main([agent.value, event, "--home", str(load_settings().home), "--env-file", env_file()], stream)


def _try(name: str, file: Path | None, agent: Agent, user: str | None) -> None:
    from memory_assets.commands.connecting import HOOKS
    from memory_assets.commands.hooks import Files, act
    from memory_assets.hooks.policy import read_event

    known = HOOKS.get(agent, {})
    if name not in known:
        raise WrongUseError(f"{agent.value} has no event {name!r}. There are: {', '.join(known) or 'none'}.")
    try:
        payload = json.loads(file.read_bytes() if file else sys.stdin.buffer.read())
    except ValueError as error:
        raise WrongUseError(f"{file or 'The standard input'} is no JSON: {error}") from None
    if not isinstance(payload, dict):
        raise WrongUseError(f"{file or 'The standard input'} is no JSON object.")
    event = read_event(agent.value, name, payload)
    settings, graph = connect_for(user) if user is not None else opened()
    whose = user or _only_one(_known(graph, settings))
    given = act(graph, settings, whose, event, Files(), agent.value, is_trial=True)
    print(given.text or "Nothing would be given.")
    say(f"{event.action.value}: {len(given.entries)} given, {len(given.left_out)} left out.")
    for entry in given.entries:
        say(f"  [{entry['ref']}] {entry['why']}")
    for entry in given.left_out:
        say(f"  [{entry['ref']}] left out: {entry['reason']}")
