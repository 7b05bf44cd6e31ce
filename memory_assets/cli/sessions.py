"""Commands about the working memory of conversations: adding turns, seeing it, having back what left, ending."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_assets.cli.context import MOST, User, connect_for, project_here
from memory_assets.cli.output import Json, emit, emitted, say, table
from memory_assets.errors import WrongUseError
from memory_assets.model import check_user
from memory_assets.settings import Settings, load_settings

if TYPE_CHECKING:
    from memory_assets.sessions.working_memory import Sessions

session = typer.Typer(help="The working memory of a conversation that goes on.", no_args_is_help=True)
SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="The session's id, as its agent has it.")]
Agent = Annotated[str, typer.Option("--agent", help="Which agent is at work in it.")]
BACK_TOKENS = 4000


@session.command()
def add(
    identifier: SessionId,
    user: User,
    file: Annotated[
        Path | None,
        typer.Argument(
            exists=True,
            dir_okay=False,
            help="JSON lines of role, content, perhaps name, at, id, place; standard input if left out.",
        ),
    ] = None,
    agent: Agent = "",
    as_json: Json = False,
) -> None:
    """Add turns, all of them or none. They are on the disk when this returns; one whose id is known is left out."""
    _, sessions = _of(user)
    text = sys.stdin.buffer.read() if file is None else file.read_bytes()
    added = sessions.add(user, identifier, _turns(text), agent, project=project_here(None))
    del added["fresh"]
    if emitted(added, as_json):
        return
    print(f"{added['added']} added, {added['evicted']} left by it; {added['tokens']} tokens.")
    if added["masked"]:
        print(f"Secrets masked before anything was stored: in {added['masked']} turns.")


@session.command()
def show(
    identifier: SessionId,
    user: User,
    agent: Agent = "",
    compacted: Annotated[
        bool, typer.Option("--compacted", help="The agent has lost its context: nothing is in it any more.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the working memory, within its budget: what left in short, what was recalled, the turns that are there."""
    _, sessions = _of(user)
    if agent or compacted:
        sessions.resume(user, identifier, agent, compacted=compacted)
    may_read = partial(_readable, user)
    if as_json:
        emit(sessions.look(user, identifier, may_read))
    else:
        print(sessions.text(user, identifier, may_read), end="")


@session.command()
def back(
    identifier: SessionId,
    user: User,
    refs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REF]...", help="Turns by their numbers: 17, 3-9; all that left if left out."),
    ] = None,
    about: Annotated[str | None, typer.Option("--about", help="Only what likely answers this question.")] = None,
    tokens: Annotated[int, typer.Option("--tokens", help="With --about: at most so many.")] = BACK_TOKENS,
    as_json: Json = False,
) -> None:
    """Have back what left the working memory: every byte of it as JSON lines, or what answers a question."""
    from memory_assets.commands.sessions import find_left

    _, sessions = _of(user)
    if about is None:
        found = sessions.back(user, identifier, refs or ())
        # Escaped, so that also what is no text of any encoding is given back as it was.
        print(json.dumps(found, indent=2) if as_json else "\n".join(map(json.dumps, found)))
        return
    if refs:
        raise WrongUseError("Give turns or a question, one of them.")
    recalled = find_left(sessions, user, identifier, about, tokens)
    rows = sorted({row.turn for _, rows in recalled.passages for row in rows})
    document = {"text": recalled.text, "tokens": recalled.tokens, "refs": [str(number) for number in rows]}
    if not emitted(document, as_json):
        print(recalled.text, end="")


@session.command()
def recall(
    identifier: SessionId,
    question: Annotated[str, typer.Argument(help="What is asked.")],
    user: User,
    as_json: Json = False,
) -> None:
    """Recall what answers a question, into the working memory: what many questions find stays there the longest."""
    from memory_assets.commands.sessions import recall_into

    settings, graph = connect_for(user)
    found = recall_into(graph, settings, user, identifier, question)
    if not emitted(found, as_json):
        print(found["text"], end="")


@session.command()
def end(identifier: SessionId, user: User, as_json: Json = False) -> None:
    """End a session: it becomes a source, as a file in the owner's inbox that is read now; one for each project in
    which turns were added. Ending it again changes nothing; turns that come later open it again, and its sources grow
    with the next end.
    """
    from memory_assets.cli.running import ingest_now
    from memory_assets.commands.citing import count_ignored
    from memory_assets.keys.policy import COMMAND_LINE

    settings, sessions = _of(user)
    files = sessions.end(user, identifier, settings.inbox / user)
    count_ignored(settings, user, identifier, sessions.memory(user, identifier).agent or COMMAND_LINE)
    if not files:
        emitted({"files": []}, True) if as_json else say("Nobody said anything in it: there is no source.")
        return
    paths = [*map(str, files)]
    report = ingest_now(settings, user, {"paths": paths, "kind": None, "force": False})
    if not emitted({"files": paths, **report}, as_json):
        print(f"{report['sources']} sources: {report['new']} new, {report['unchanged']} known. {' '.join(paths)}")


@session.command("list")
def list_all(
    user: User,
    limit: Annotated[int, typer.Option("--limit", min=1, max=MOST, help="How many, the latest first.")] = 50,
    as_json: Json = False,
) -> None:
    """List a user's sessions, those that something happened in last first."""
    _, sessions = _of(user)
    found = sessions.latest(user, limit)
    if not emitted(found, as_json):
        table(("session", "agent", "turns", "left", "last_at", "ended_at"), found)


def _of(user: str) -> tuple[Settings, Sessions]:
    """The sessions of a user who must exist; who has one need not be looked for in the graph, which takes a while."""
    from memory_assets.sessions.working_memory import Sessions

    settings = load_settings()
    if not (settings.home / "sessions" / check_user(user)).is_dir():
        settings, _ = connect_for(user)
    return settings, Sessions.of(settings)


def _readable(user: str, sources: Collection[str]) -> set[str]:
    """Those of some recalled sources that the user may read now: the graph is asked where there are any."""
    from memory_assets.commands.sessions import readable

    _, graph = connect_for(user)
    return readable(graph, user, sources)


def _turns(data: bytes) -> list[Any]:
    """Turns as JSON lines, or as one list."""
    try:
        text = data.decode("utf-8", "surrogatepass")
        if text.lstrip().startswith("["):
            return list(json.loads(text))
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise WrongUseError(f"The turns are no JSON: {error}.") from None
