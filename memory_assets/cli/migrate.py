"""The command by which an existing MEMORY.md or HEARTBEAT.md moves in, and out again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from memory_assets.cli.context import User, graph_if_there, run_for
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.errors import MemoryAssetsError, WrongUseError
from memory_assets.memory_file.ceilings import PRESETS, checked_preset
from memory_assets.settings import Settings, load_settings

LINES_SHOWN = 200


def migrate(
    file: Annotated[Path, typer.Argument(help="A MEMORY.md or HEARTBEAT.md of any size and habit.")],
    user: User,
    is_dry: Annotated[
        bool, typer.Option("--dry-run", help="Show what would become of each line; touch nothing.")
    ] = False,
    is_undo: Annotated[
        bool, typer.Option("--undo", help="Give the old file back, and take back what it had made.")
    ] = False,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            parser=checked_preset,
            metavar="NAME",
            help=f"The limits of an agent's file: {', '.join(PRESETS)}; guessed from the path.",
        ),
    ] = None,
    kind: Annotated[
        Literal["memory", "heartbeat"] | None, typer.Option("--as", help="What the file is; by its name if left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Take an existing file into the memory, and put the bounded one in its place; the old one stays beside it."""
    from memory_assets.graph.graph import open_graph
    from memory_assets.migration import moving

    if is_dry and is_undo:
        raise WrongUseError("--dry-run and --undo exclude each other.")
    settings = load_settings()
    if is_dry:  # which opens no graph that is not there
        report = moving.dry_run(graph_if_there(settings), settings, user, file, kind=kind)
    elif is_undo:
        report = moving.undo(open_graph(settings), settings, user, file, lambda name: _build(settings, name))
    else:

        def build(name: str) -> list[str]:
            say(
                f"What {file} says is taken in, and the old file is kept. Now {name}'s memory is built from it: a "
                "megabyte takes some minutes. Stopped, the same command goes on."
            )
            return _build(settings, name)

        report = moving.migrate(open_graph(settings), settings, user, file, build, kind=kind, preset=preset)
    if not emitted(report, as_json):
        _show(report)
    if failures := report.get("failures"):
        raise MemoryAssetsError(
            f"Not all of the run could be done for {user}: {'; '.join(failures)}. Materialize again."
        )


def _build(settings: Settings, user: str) -> list[str]:
    """Everything that is due for one user, as ``materialize --user`` does it; what failed or was left."""
    run = run_for(settings, user, "build_memory")
    return [*run.failures_of(user), *run.unfinished_of(user)]


def _show(report: dict[str, Any]) -> None:
    if report["status"] == "undone":
        print(
            f"{report['file']} is as it was before it moved in; {report['sources']} sources and {report['tasks']} "
            "tasks that came of it are taken back."
        )
        if report["edited_copy"]:
            say(f"It had been edited in the meantime: those words are kept as {report['edited_copy']}.")
        if report["is_listed"]:
            say(
                f"It was one of {report['user']}'s files before, and is again: the next run publishes there, and "
                "keeps what is there."
            )
        return
    if report["status"] == "nothing to do":
        print(f"Nothing to do: {report['file']} is one of {report['user']}'s files already.")
        if note := report.get("note"):
            print(note)
        return
    shown = report["lines"][:LINES_SHOWN]
    why = {row["line"]: f": {row['reason']}" for row in shown if row["became"] == "skipped"}
    rows = (row | {"became": row["became"] + why.get(row["line"], ""), "text": row["text"][:100]} for row in shown)
    table(("line", "became", "ref", "text"), rows)
    if len(report["lines"]) > len(shown):
        print(f"… and {len(report['lines']) - len(shown)} more lines (--json lists them).")
    print("\n" + ", ".join(f"{count} {name}" for name, count in report["counts"].items()) + ".")
    if report["masked"]:
        found = ", ".join(f"{count} {kind}" for kind, count in report["masked"].items())
        say(f"Secrets in it are masked before anything is stored ({found}).")
    if report["status"] == "dry run":
        print("Nothing was touched: without --dry-run it is done.")
    else:
        print(f"The bounded file is {report['file']}, the old one is beside it as {Path(report['backup']).name}.")
