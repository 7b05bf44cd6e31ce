"""The command that erases: a source, a person who is spoken of, an owner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_assets.cli.context import connect
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.errors import MemoryAssetsError, WrongUseError
from memory_assets.model import check_owner

if TYPE_CHECKING:
    import dagster as dg


def erase(
    source: Annotated[
        list[str] | None, typer.Option("--source", help="A source, by its id or reference; may be given several times.")
    ] = None,
    person: Annotated[str | None, typer.Option("--person", help="Somebody who is spoken of, or speaks.")] = None,
    owner: Annotated[
        str | None, typer.Option("--owner", help="Whose source or person; alone: the owner, with all there is.")
    ] = None,
    user: Annotated[str, typer.Option("--user", "-u", help="Who erases, for the record.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would go.")] = False,
    inbox: Annotated[bool, typer.Option("--inbox", help="Erase the inbox's files, too.")] = False,
    as_json: Json = False,
) -> None:
    """Erase for good: a source, a person or an owner, from everything that is stored; then search for it.

    What rests on others, too, is made again without it. Nothing brings it back. A killed erasure is run again.
    """
    from memory_assets.erasure.erasing import Erasure
    from memory_assets.erasure.planning import Asked
    from memory_assets.runtime.instance import open_instance

    if source and person is not None:
        raise WrongUseError("Erase a source or a person, one at a time.")
    if owner is None:
        if not source or not user:
            raise WrongUseError("Say whose: --owner NAME.")
        owner = user
    check_owner(owner)
    settings, graph = connect()
    if source:
        asked = Asked("source", owner, tuple(one.strip("[]") for one in source))
    else:
        asked = Asked("person", owner, (person,)) if person is not None else Asked("owner", owner)
    erasure = Erasure(graph, settings, asked, _run, open_instance, by=user or owner, inbox=inbox, say=say)
    report = erasure.dry_run() if dry_run else erasure.erase()
    if not emitted(report, as_json):
        _show(report, asked.what, dry_run)
    if not dry_run and report["found"]:
        raise MemoryAssetsError(
            f"Words or phrases of it are still in {len(report['found'])} files: {', '.join(sorted(report['found']))}. "
            "Run `memory-assets sources` to see what is there, and erase what holds them."
        )


def _run(instance: dg.DagsterInstance, owners: Sequence[str]) -> list[str]:
    """The ordinary steps for some owners, in this process."""
    from memory_assets.commands.runs import job_for, run_job
    from memory_assets.runtime.instance import add_owners

    add_owners(instance, owners)
    report = run_job(instance, job_for(owners), list(owners))
    return [] if report.success else list(dict.fromkeys(line for name in owners for line in report.failures_of(name)))


def _show(report: dict[str, Any], what: Sequence[str], dry_run: bool) -> None:
    whom = f"{report['erases']} {', '.join(what)} of {report['owner']}" if what else f"owner {report['owner']}"
    print(f"{'Would erase' if dry_run else 'Erased'}: the {whom}\n")
    rows = [("graph", label, count) for label, count in report["nodes"].items()]
    rows += [("beside it", name, count) for name, count in report["places"].items() if count]
    table(("where", "what", "how many"), rows)
    print(f"\nNothing of it in: {', '.join(name for name, count in report['places'].items() if not count) or '-'}.")
    for files in report["inbox"]:
        if files["files"]:
            stays = "stay where they are, and are not read again" if files["stays"] else "go"
            print(f"{files['files']} files that it came from {stays}.")
    for path in report["edited_files"]:
        print(f"{path} was edited since it was published, and stays as it is: what is yours in it is for you to keep.")
    if report["names_that_others_bear"]:
        print(f"{report['names_that_others_bear']} names stay: somebody else bears them, too.")
    if report.get("kept_by_engine"):
        print(report["kept_by_engine"])
    if not dry_run:
        found = sum(report["found"].values())
        what = f"{report['words']} words and {report['phrases']} phrases"
        print(f"Searched for {what} that only the erased had: {found} found.")
