"""The command that searches what was said."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_assets.cli.context import User, connect_for
from memory_assets.cli.output import Json, emit, say


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command()(recall)


def recall(
    question: Annotated[str, typer.Argument(help="A question or some words; or the reference of a line of a MEMORY.md.")],
    user: User,
    tokens: Annotated[int, typer.Option("--tokens", help="At most so many tokens of what was said.")] = 2000,
    as_json: Json = False,
) -> None:
    """Find what was said: the passages that likely answer a question, whole, with their days and sources.

    A reference shows what stands behind a line of a MEMORY.md, and what was said around it. What of a team's sources
    it finds is extracted for the user by the next run.
    """
    from memory_assets.commands.recalling import recall_for

    settings, graph = connect_for(user)
    told = recall_for(graph, settings, user, question, tokens)
    found = told.recall.recalled
    if as_json:
        emit({
            "question": question,
            "budget": tokens,
            "tokens": found.tokens,
            "sources": [
                {
                    "id": head.id,
                    "ref": head.ref,
                    "owner": head.owner,
                    "kind": head.kind,
                    "title": head.title,
                    "occurred_at": head.started_at,
                    "passages": [
                        {"turn": row.turn, "speaker": row.speaker, "said_at": row.said_at, "text": row.text, "score": round(row.score, 4)}
                        for row in rows
                    ],
                }
                for head, rows in found.passages
            ],
            "wanted": list(told.wanted),
        })
        return
    if not found.passages:
        say("Nothing that was said has these words in it.")
        return
    print(found.text)
    if told.wanted:
        say(f"{len(told.wanted)} of the team's sources will be extracted for {user}: `memory-assets materialize --user {user}`.")
