"""Commands that run assets: ingest, materialize, sample."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memory_assets.cli.context import connect, run_for
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.errors import MemoryAssetsError, WrongUseError
from memory_assets.model import Sensitivity, check_user, team_owner
from memory_assets.privacy.projects import checked_project
from memory_assets.settings import PACKAGE, Settings, load_settings

if TYPE_CHECKING:
    from memory_assets.graph.graph import Graph

OWNERS_SHOWN = 20
Kind = Literal["conversation", "email", "slack", "transcript", "note", "record"]
"""What a file can be; what people write into published files is of kinds that no file is."""


def ingest(
    paths: Annotated[
        list[Path], typer.Argument(help="Files or folders, read in place; folders are walked.", exists=True)
    ],
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose sources these are.")] = None,
    team: Annotated[str | None, typer.Option("--team", "-t", help="The team that shares these sources.")] = None,
    kind: Annotated[
        Kind | None, typer.Option("--kind", help="What the files are; detected from their content if left out.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Read files again that were read or set aside before.")
    ] = False,
    sensitivity: Annotated[
        Sensitivity | None,
        typer.Option("--sensitivity", help="Who may read them; of a team's high ones those who took part."),
    ] = None,
    project: Annotated[
        str | None,
        typer.Option("--project", help="The project that they are of; what they say of themselves if left out."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Take files into the graph: a Dagster run of the raw sources, as the inbox's own is."""
    owner = _owner(user, team)
    settings = load_settings()
    config: dict[str, object] = {"paths": [str(path.absolute()) for path in paths], "kind": kind, "force": force}
    if sensitivity:
        config["sensitivity"] = sensitivity.value
    if project:
        config["project"] = checked_project(project)
    report = ingest_now(settings, owner, config)
    if user is not None:
        _count_cited(user, paths)
    if emitted(report, as_json):
        return
    print(f"{report['sources']} sources: {report['new']} new, {report['unchanged']} unchanged.")
    if not report["sources"] and not report["set_aside"]:
        say(f"There is no file to read in {', '.join(map(str, paths))}.")
    if report["masked"]:
        print(f"Secrets masked before anything was stored: {report['masked']}.")
    if report["set_aside"]:
        table(("set aside", "reason"), ((item["path"], item["reason"]) for item in report["set_aside"]))


def materialize(
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose memory; everybody's if left out.")] = None,
    since: Annotated[str | None, typer.Option(help="Only sources that happened at or after this instant.")] = None,
    until: Annotated[str | None, typer.Option(help="Only sources that happened before this instant.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Redo what is already done.")] = False,
    with_team: Annotated[
        bool, typer.Option("--with-team", help="Extract all sources of the teams, not only those that were opened.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Build the memory of one user or of all, from the inbox to the published MEMORY.md. Does only what is due."""
    from memory_assets.runtime.scope import check_scope

    settings = load_settings()
    given = {"since": since, "until": until, "force": force}
    window = {name: value for name, value in given.items() if value}
    check_scope(window)
    reports = _materialize(settings, user, window, with_team)
    if not emitted(reports, as_json):
        _print_files(settings, [report["user"] for report in reports])
    if failed := [report for report in reports if report["status"] == "failed"]:
        names = ", ".join(report["user"] for report in failed)
        raise MemoryAssetsError(
            f"{len(failed)} of {len(reports)} could not be built ({names}); what was not published is as it was. "
            "`memory-assets ui` shows the runs; materialize again to go on from there."
        )
    if names := ", ".join(report["user"] for report in reports if report["status"] == "unfinished"):
        raise MemoryAssetsError(
            f"Not all of it could be done for {names}: the reasons are above. What could is in the files; "
            "materialize again to do the rest; `memory-assets sources` lists what is set aside, `memory-assets retry` "
            "tries it again."
        )


def sample(
    folder: Annotated[
        Path | None, typer.Argument(help="An inbox: one folder per user, and team-<team> per team.")
    ] = None,
) -> None:
    """Build the memories of the sample inbox: two people and their team over eight weeks."""
    from memory_assets.graph.owners import add_members
    from memory_assets.sources.seen_files import has_new_files

    began = time.monotonic()
    folder = folder or PACKAGE.parent / "sample_inbox"
    if not folder.is_dir():
        raise WrongUseError(f"No sample inbox at {folder}: it comes with the project's checkout.")
    owners = sorted(path.name for path in folder.iterdir() if path.is_dir())
    people = [name for name in owners if not name.startswith("team-")]
    if not people:
        raise WrongUseError(f"{folder} holds no inbox: give a folder with one folder per user.")
    settings, graph = connect()
    for name in owners:
        if name.startswith("team-"):
            add_members(graph, settings.clock, name.removeprefix("team-"), people)
    fresh = 0
    for name in owners:
        if has_new_files(graph, name, [folder / name], keep_originals=settings.keep_originals):
            fresh += ingest_now(settings, name, {"paths": [str(folder / name)], "kind": None, "force": False})["new"]
    reports = _materialize(settings, None, {}, with_team=True)
    if not fresh and all(report["status"] == "current" for report in reports):
        print("Nothing to do: every source is in, and every MEMORY.md is current.\n")
    _print_files(settings, people)
    print(f"\nDone in {time.monotonic() - began:.0f} s. See it all in the UI: make ui")
    if any(report["status"] in ("failed", "unfinished") for report in reports):
        raise typer.Exit(1)


def _owner(user: str | None, team: str | None) -> str:
    if (user is None) == (team is None):
        raise WrongUseError("Say whose sources these are: either --user NAME or --team NAME.")
    return check_user(user) if user is not None else team_owner(team or "")


def _count_cited(user: str, paths: Iterable[Path]) -> None:
    """Count what transcripts cite of what their sessions were shown."""
    from memory_assets.commands.citing import count_cited_in

    settings, graph = connect()
    for path in paths:
        for file in sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]:
            count_cited_in(graph, settings, user, str(file.absolute()))


def ingest_now(settings: Settings, owner: str, config: dict) -> dict:
    """A run of the raw sources for one owner; what became of the files. Raises where they could not be read."""
    run = run_for(settings, owner, "ingest_sources", config=config)
    if not run.success:
        raise MemoryAssetsError(f"The sources of {owner} could not be read: " + "; ".join(run.failures_of(owner)))
    figures = run.metadata[owner]["raw_sources"]
    return {name: figures[name] for name in ("sources", "new", "unchanged", "masked")} | {
        "set_aside": figures.get("not_read", [])
    }


def _materialize(settings: Settings, user: str | None, window: dict, with_team: bool) -> list[dict]:
    """One run for everybody for whom something is due; a report for each owner that was asked about."""
    from memory_assets.automation.pipeline import what_is_due
    from memory_assets.commands.runs import job_for, run_job
    from memory_assets.entities.team_sources import list_unrequested
    from memory_assets.graph.graph import open_graph
    from memory_assets.runtime.chain import members_of
    from memory_assets.runtime.instance import open_instance
    from memory_assets.runtime.owners import prepare_owners
    from memory_assets.sources.seen_files import find_new_files

    graph = open_graph(settings)
    with open_instance(settings) as instance:
        owners = prepare_owners(instance, graph, settings, user)
        if window:
            due = dict.fromkeys(owners, "asked for")
        else:
            due = what_is_due(graph, settings, owners)
            due |= dict.fromkeys(find_new_files(graph, settings, owners), "there are new files in the inbox.")
            for owner in owners if with_team else ():
                if not owner.startswith("team-") and list_unrequested(graph, owner):
                    due.setdefault(owner, "there are sources of its teams to extract.")
        _tell(owners, due)
        _tell_set_aside(graph, [owner for owner in owners if owner not in due][:OWNERS_SHOWN])
        members = members_of(graph, owners, due)
        working = [owner for owner in owners if owner in due or owner in members]
        if not working:
            return [_report(owner, "current") for owner in owners]
        scope = {**window, **({"with_team": True} if with_team else {})}
        run = run_job(instance, job_for(working), working, scope=scope)
    reports = []
    for owner in owners:
        failures, unfinished = run.failures_of(owner), run.unfinished_of(owner)
        for failure in failures:
            say(f"{owner}: {failure}")
        if owner not in run.metadata and not failures:
            reports.append(_report(owner, "current"))
            continue
        status = "failed" if failures else "unfinished" if unfinished else "done"
        reports.append(_report(owner, status, run.run_id, [*failures, *unfinished]))
    return reports


def _report(owner: str, status: str, run_id: str | None = None, failures: list[str] | None = None) -> dict:
    return {"user": owner, "status": status, "run_id": run_id, "failures": failures or []}


def _tell(owners: list[str], due: dict[str, str]) -> None:
    """What the run will do, a line per owner as long as a person would read them."""
    for owner in [owner for owner in owners if owner in due][:OWNERS_SHOWN]:
        say(f"{owner}: {due[owner]}")
    if len(owners) > OWNERS_SHOWN:
        say(f"{len(due)} of {len(owners)} owners have something to do.")
        return
    for owner in owners:
        if owner not in due:
            say(f"{owner}: nothing to do.")


def _tell_set_aside(graph: Graph, owners: list[str]) -> None:
    """Of those for whom nothing is due: that something of theirs is set aside nevertheless."""
    from memory_assets.sources.source_list import count_failures

    for owner, found in count_failures(graph, owners).items():
        of_whom = f" --user {owner}" if not owner.startswith("team-") else ""
        say(
            f"{owner}: {found} set aside or failed; `memory-assets sources{of_whom}` says why, `memory-assets "
            "retry` tries again."
        )


def _print_files(settings: Settings, users: list[str]) -> None:
    from memory_assets.graph.graph import open_graph
    from memory_assets.memory_file.reports import show_briefly

    graph, people = open_graph(settings), [user for user in users if not user.startswith("team-")]
    rows = [
        (f["user"], f["tokens"], f["budget"] if f["unit"] == "tokens" else f"{f['budget']} {f['unit']}")
        + (len(f["entries"]), f["considered"], f["left_out_count"], f["path"])
        for user in people
        for f in show_briefly(graph, settings, user, 0)
    ]
    if rows:
        table(("user", "tokens", "budget", "chosen", "from", "left out", "MEMORY.md"), rows)
