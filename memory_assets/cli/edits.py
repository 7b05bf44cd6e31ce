"""Commands about what people have edited in their files: what was taken in, taking it back, confirming it."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_assets.cli.context import ListedUser, User, listed_for, writing_for
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.errors import MemoryAssetsError

edits = typer.Typer(help="What was edited in a user's files, and what became of it.", invoke_without_command=True)


@edits.callback()
def list_all(context: typer.Context, user: ListedUser = None, as_json: Json = False) -> None:
    """List what edits have added, changed and removed, the oldest first: of memories, then of periodic tasks."""
    if context.invoked_subcommand is not None:
        return
    from memory_assets.edits.reports import edit_list

    graph, name = listed_for(user)
    found = edit_list(graph, name)
    if emitted(found, as_json):
        return
    if not found:
        print(f"Nothing was edited in the files of {name}.")
        return
    columns = ("id", "at", "what", "published", "edited")
    table(columns, ((e["id"], e["at"][:16], e["action"], e["published"], e["edited"]) for e in found))
    if asked := [e for e in found if e["action"] == "vanished" or e["conflict"]]:
        print(f"\n{len(asked)} need your word: `memory-assets edits confirm [ID] --user {name}`, or `edits undo ID`.")


@edits.command()
def undo(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help="The edit's id, or the reference of its memory or task.")
    ],
    user: User,
) -> None:
    """Take one edit back: what it retired lives again, what it added is retired. The file follows with the next run."""
    from memory_assets.automation.editing import KINDS
    from memory_assets.edits.reports import shown
    from memory_assets.edits.store import list_edits, undo_edit

    with writing_for(user) as (settings, graph):
        before = {row["id"]: shown(row) for row in list_edits(graph, user)}
        rows = undo_edit(graph, user, identifier, settings.clock.now(), KINDS)
    if not rows:
        raise MemoryAssetsError(f"{identifier} was taken back already.")
    for row in rows:
        print(f"{row['action']}: {before.get(row['id']) or row['edited_text']}")
    say(f"`memory-assets materialize --user {user}` takes it up.")


@edits.command()
def confirm(
    user: User,
    identifiers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Ids or references of single edits; all that wait if left out."),
    ] = None,
) -> None:
    """Retire what had vanished from the files at once (tasks rest), and take conflicts as seen."""
    from memory_assets.automation.editing import KINDS
    from memory_assets.edits.store import confirm_edits

    with writing_for(user) as (settings, graph):
        only = {name.strip("[]") for name in identifiers or ()}
        rows = confirm_edits(graph, user, settings.clock.now(), KINDS, only)
    print(f"{len(rows)} confirmed." if rows else "Nothing waits to be confirmed.")
    if rows:
        say(f"`memory-assets materialize --user {user}` takes it up.")
