"""Commands that connect an agent, and that hand its events on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memory_assets.cli.output import Json, emitted, say
from memory_assets.commands.connecting import Agent
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.model import check_user, is_team
from memory_assets.runtime.owners import known_names
from memory_assets.settings import Settings, ensure_home, load_settings

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
    from memory_assets.server.host import resident, start

    settings = load_settings()
    former = connecting.connection_of(settings, agent, project)
    if dry_run:
        state = resident(settings).find()
        url = f"http://127.0.0.1:{state.port if state else settings.server_port}"
        planned = [] if undo else connecting.preview(settings, agent, project, url)
        files = [one.path for one in former.files] if former and undo else []
        lines = [{"path": str(path), "entries": entries} for path, entries in planned]
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
        whose = _whose(graph, settings, user or (former.user if former else None))
        url = f"http://127.0.0.1:{start(settings).port}"
        changes = connecting.connect(graph, settings, whose, agent, project, url)
        said = (
            f"{agent.value} reaches the memory of {whose} at {url} from its next start on. "
            f"`memory-assets connect {agent.value} --undo` takes it back."
            if changes
            else f"{agent.value} is connected already: nothing was changed."
        )
    if emitted([{"path": str(one.path), "what": one.what, "copy": one.copy} for one in changes], as_json):
        return
    for one in changes:
        print(f"{one.path}: {one.what}" + (f", as it was in {one.copy}" if one.copy else ""))
    say(said)


def _whose(graph: Graph, settings: Settings, user: str | None) -> str:
    """The named user, who may be new: their memory begins here; else the only one there is."""
    if user is None:
        known = [name for name in known_names(graph, settings) if not is_team(name)]
        if len(known) != 1:
            raise typer.BadParameter("Say whose: --user NAME.")
        return known[0]
    ensure_home(settings)
    (settings.inbox / check_user(user)).mkdir(exist_ok=True, mode=0o700)
    return user


def hook(
    event: Annotated[str, typer.Argument(help="The agent's name of it, for example SessionStart.")],
    agent: Annotated[Agent, typer.Option("--agent", help="Whose event.")] = Agent.CLAUDE_CODE,
) -> None:
    """Hand an agent's event on: its JSON from the standard input, what the server says to it on the standard output.

    Whatever fails, it prints nothing and ends well. An agent calls `python -P -m memory_assets.client.hook` itself,
    which starts ten times as fast.
    """
    from memory_assets.client.hook import main

    main([agent.value, event, "--home", str(load_settings().home)])
