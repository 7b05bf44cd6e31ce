"""Commands about a user's files: which there are, how large each may be, one more, one less."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_assets.cli.context import MOST, User, connect_for, project_given, writing_for
from memory_assets.cli.output import Json, emitted, say, table
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
