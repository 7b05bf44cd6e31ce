"""Commands about a user's files: which there are, how large each may be, one more, one less; what people have edited in
them, taking it back, confirming it.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_assets.cli.context import MOST, ListedUser, User, connect_for, listed_for, project_given, writing_for
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.errors import MemoryAssetsError
from memory_assets.memory_file.ceilings import PRESETS, checked_preset

Where = Annotated[str, typer.Option("--path", help="Where the file is; a relative path is from here.")]
Limit = Annotated[int | None, typer.Option(min=1, max=MOST, help="At most so many.")]


Preset = Annotated[
    str | None,
    typer.Option(
        "--preset", parser=checked_preset, metavar="NAME", help=f"The limits of an agent's file: {', '.join(PRESETS)}."
    ),
]
files = typer.Typer(help="The files of a user, each with a ceiling of its own.", no_args_is_help=True)


@files.command("list")
def list_all(user: User, as_json: Json = False) -> None:
    """Every file of a user with its ceiling, and what is published there."""
    from memory_assets.memory_file.reports import list_files

    settings, graph = connect_for(user)
    found = list_files(graph, settings, user)
    if emitted(found, as_json):
        return
    header = ("path", "kind", "project", "preset", "ceiling", "use", "state")
    table(header, ((f["path"], f["kind"], f["project"], f["preset"], _limits(f), _use(f), f["state"]) for f in found))


@files.command()
def add(
    user: User,
    path: Where,
    preset: Preset = None,
    tokens: Limit = None,
    lines: Limit = None,
    size: Annotated[int | None, typer.Option("--bytes", min=1, max=MOST, help="At most so many.")] = None,
    characters: Limit = None,
    project: Annotated[
        str | None,
        typer.Option("--project", help="A name or a folder: the file holds what is of that project and of none."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a path one of the user's files, with a preset's limits or with others, of all projects or of one. The next
    run publishes it.

    A file that is there already is copied beside it first.
    """
    from memory_assets.memory_file.ceilings import Ceiling
    from memory_assets.memory_file.reports import list_files
    from memory_assets.memory_file.user_files import add_file, back_up_foreign

    named = None if project is None else project_given(project)
    given = any(limit is not None for limit in (tokens, lines, size, characters))
    ceiling = Ceiling(tokens, lines, size, characters) if given else None
    with writing_for(user) as (settings, graph):
        known = {file["path"]: file for file in list_files(graph, settings, user)}
        now = settings.clock.now()
        file = add_file(graph, settings, user, path, now, preset=preset, ceiling=ceiling, project=named)
        copy = back_up_foreign(graph, file)
        found = list_files(graph, settings, user)
    shown = next(row for row in found if row["path"] == str(file.path))
    if emitted(shown | {"kept_as": copy}, as_json):
        return
    before = known.get(str(file.path))
    if before and (before["limits"], before["project"]) == (shown["limits"], shown["project"]):
        print(f"{file.path} is one of {user}'s files already: {_limits(shown)}.")
    else:
        print(f"{file.path}: {_limits(shown)}. `memory-assets materialize --user {user}` publishes it.")
    if copy:
        say(
            f"Somebody's words are there: they are kept as {copy}, and the first publication takes their place. "
            f"`memory-assets migrate {file.path} --user {user}` takes what they say into the memory first."
        )


@files.command()
def remove(user: User, path: Where) -> None:
    """Take a path out of the user's files. The file there stays as it is, and is published no more."""
    from memory_assets.errors import MemoryAssetsError
    from memory_assets.memory_file.user_files import default_file, remove_file, resolve_path

    with writing_for(user) as (settings, graph):
        removed = remove_file(graph, settings, user, path, settings.clock.now())
    resolved = resolve_path(path)
    if removed:
        print(f"{resolved} is none of {user}'s files any more. It stays as it is, and is published no more.")
        return
    if resolved == resolve_path(default_file(settings, user).path):
        raise MemoryAssetsError(f"{resolved} is the file that {user} has anyway: it cannot be removed.")
    raise MemoryAssetsError(f"{resolved} is none of {user}'s files: `memory-assets files list --user {user}`.")


def _limits(file: dict[str, Any]) -> str:
    return ", ".join(f"{one['limit']} {one['unit']}" for one in file["limits"])


def _use(file: dict[str, Any]) -> str:
    return ", ".join(f"{one['used']}" for one in file["limits"] if one["used"] is not None) or "-"


edits = typer.Typer(help="What was edited in a user's files, and what became of it.", invoke_without_command=True)


@edits.callback()
def list_edited(context: typer.Context, user: ListedUser = None, as_json: Json = False) -> None:
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
