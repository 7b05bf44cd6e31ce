"""Commands about single sources: how far each has come, opening one, trying again what failed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_assets.cli.context import (
    MOST,
    OptionalUser,
    SourceId,
    User,
    chosen_users,
    connect,
    connect_for,
    writing_for,
)
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.errors import MemoryAssetsError, UnknownOwnerError
from memory_assets.model import team_owner
from memory_assets.privacy.projects import checked_project
from memory_assets.text.lines import shortened

if TYPE_CHECKING:
    from memory_assets.commands.sources import Retried
    from memory_assets.sources.source_list import Line

LINES_SHOWN = 50
FAILURES_SHOWN = 200
CELL, REASON = 60, 160
KEYS = ("id", "ref", "kind", "title", "path", "phase", "started_at", "reason", "project")
sources = typer.Typer(help="How far each source has come, and what is in its way.", invoke_without_command=True)


@sources.callback()
def list_all(
    context: typer.Context,
    user: OptionalUser = None,
    team: Annotated[str | None, typer.Option("--team", "-t", help="The sources of one team alone.")] = None,
    project: Annotated[str | None, typer.Option("--project", help="The sources of one project alone.")] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, max=MOST, help="How many sources to show.")
    ] = None,
    removed: Annotated[bool, typer.Option("--removed", help="Those that were removed, instead.")] = False,
    as_json: Json = False,
) -> None:
    """List sources with their phase (raw, processed, extracted), and why one was set aside or failed.

    With --user: the user's own and those of the user's teams, as far as they have come for the user.
    """
    if context.invoked_subcommand is not None:
        return
    from memory_assets.commands.sources import list_removed
    from memory_assets.sources.source_list import count_phases, files_set_aside, latest_first, lines, list_heads

    _, graph = connect()
    owners = _owners(graph, user, team)
    if removed:
        _show_removed(list_removed(graph, owners, user)[:limit], as_json)
        return
    aside, heads = files_set_aside(graph, owners), list_heads(graph, owners, user)
    if (wanted := checked_project(project)) is not None:
        aside, heads = [], [head for head in heads if head.project == wanted]
    if as_json:
        _emit_stream(islice(chain(aside, lines(graph, latest_first(heads, limit))), limit))
        return
    most_failed, most_shown = limit or FAILURES_SHOWN, limit or LINES_SHOWN
    failed = [head for head in heads if head.failed]
    if aside or failed:
        print(f"{len(aside) + len(failed)} set aside or failed:")
        listed = chain(aside, lines(graph, latest_first(failed, most_failed)))
        rows = (line | {"title or file": line["title"] or line["path"]} for line in islice(listed, most_failed))
        _table(("ref", "owner", "kind", "title or file", "phase", "reason"), rows)
        if len(aside) + len(failed) > most_failed:
            print(f"and {len(aside) + len(failed) - most_failed} more (--json lists all)")
        print("`memory-assets retry` tries all of these again.\n")
    well = [head for head in heads if not head.failed]
    if well:
        shown = list(lines(graph, latest_first(well, most_shown)))
        rows = (line | {"when": (line["started_at"] or "-")[:16]} for line in shown)
        _table(("ref", "owner", "kind", "when", "phase", "title"), rows)
        if len(well) > len(shown):
            print(f"and {len(well) - len(shown)} more (--json lists all)")
        print()
    counts = ", ".join(f"{number} {phase}" for phase, number in count_phases(heads).items())
    print(f"{len(heads)} sources: {counts}; {len(aside)} files set aside.")


def projects(user: User, as_json: Json = False) -> None:
    """List the projects of a user's sources: how many sources each has, and of which days."""
    from memory_assets.sources.source_list import list_projects

    _, graph = connect_for(user)
    found = list_projects(graph, user)
    if not emitted(found, as_json):
        rows = ((row["project"] or "(of none)", row["sources"], row["first"], row["last"]) for row in found)
        table(("project", "sources", "first", "last"), rows)


@sources.command("open")
def open_one(source_id: SourceId, user: User, as_json: Json = False) -> None:
    """Show a source, and extract it for the user, who needs it by opening it."""
    from memory_assets.commands.sources import find_source, open_source
    from memory_assets.runtime.instance import open_instance

    settings, graph = connect_for(user)
    find_source(graph, user, source_id)
    with open_instance(settings) as instance:
        source, run = open_source(instance, graph, settings.clock, user, source_id)
    if not emitted(source, as_json):
        _print_source(source)
    failures = [] if run is None else [*run.failures_of(user), *run.unfinished_of(user)]
    if failures:
        raise MemoryAssetsError(
            f"It could not be extracted for {user}: {'; '.join(failures)}. It stays wanted; `memory-assets sources "
            f"--user {user}` says what became of it."
        )


@sources.command()
def remove(
    source_id: SourceId, user: User, reason: Annotated[str, typer.Option("--reason", help="Why, for the audit.")] = ""
) -> None:
    """Take a source out of the memory that is made of it. `sources restore` takes that back; nothing is deleted."""
    from memory_assets.commands.sources import remove_source

    with writing_for(user) as (settings, graph):
        changed = remove_source(graph, settings.clock, user, source_id, reason)
    _print_change(user, f"Removed: {source_id}." if changed else "", f"{source_id} is removed already.")


@sources.command()
def restore(source_id: SourceId, user: User) -> None:
    """Take back that a source was removed."""
    from memory_assets.commands.sources import restore_source

    with writing_for(user) as (settings, graph):
        changed = restore_source(graph, settings.clock, user, source_id)
    _print_change(user, f"Restored: {source_id}." if changed else "", f"{source_id} is not removed.")


def retry(user: OptionalUser = None, as_json: Json = False) -> None:
    """Try again now whatever was set aside or has failed: files, processing, extraction."""
    from memory_assets.commands.sources import as_document, retry_failures
    from memory_assets.runtime.instance import open_instance

    settings, graph = connect()
    owners = _owners(graph, user)
    with open_instance(settings) as instance:
        report = retry_failures(instance, graph, settings, owners, user)
    for problem in report.problems:
        say(problem)
    if not emitted(as_document(report), as_json):
        _print_retried(report)
    if report.failed or report.problems:
        raise MemoryAssetsError(
            f"{len(report.failed)} could not be done again either; the reasons are above. What may pass is tried "
            "again by itself; the rest waits until the source, the prompt, the model or the code is another one."
        )


def _print_retried(report: Retried) -> None:
    if not (report.passed or report.failed or report.gone):
        print("Nothing is set aside, and nothing has failed.")
        return
    said = (
        ("failed again", report.failed, None),
        ("passed", report.passed, "-"),
        ("gone", report.gone, "it is no longer there"),
    )
    rows = [
        line | {"outcome": outcome, "title or file": line["title"] or line["path"], "reason": why or line["reason"]}
        for outcome, lines, why in said
        for line in lines
    ]
    _table(("outcome", "owner", "title or file", "reason"), rows[:FAILURES_SHOWN])
    print(f"\n{len(report.passed)} passed, {len(report.failed)} failed again, {len(report.gone)} files are gone.")


def _print_change(user: str, done: str, nothing: str) -> None:
    print(done or nothing)
    if done:
        say(f"`memory-assets materialize --user {user}` takes it up; so does the next run by itself.")


def _show_removed(found: list[Line], as_json: bool) -> None:
    if as_json:
        _emit_stream(found)
        return
    _table(("ref", "owner", "kind", "title", "why"), (line | {"why": line["reason"]} for line in found))
    print(f"{len(found)} sources were removed; `memory-assets sources restore REF --user NAME` takes that back.")


def _owners(graph: Any, user: str | None, team: str | None = None) -> list[str]:
    """Whose sources a command is about: a user's own and teams', or everybody's own, teams first; or one team's."""
    from memory_assets.graph.owners import teams_of
    from memory_assets.runtime.owners import stored_owners

    if team is not None:
        owner = team_owner(team)
        known = teams_of(graph, chosen_users(graph, user)[0]) if user is not None else stored_owners(graph)
        if owner not in known:
            raise UnknownOwnerError(
                f"No team {team!r} has sources{f' that {user} may read' if user else ''}. `memory-assets sources` "
                "lists them with their owners."
            )
        return [owner]
    if user is None:
        return sorted(stored_owners(graph), key=lambda name: (not name.startswith("team-"), name))
    (name,) = chosen_users(graph, user)
    return [*teams_of(graph, name), name]


def _table(columns: Sequence[str], lines: Iterable[Line]) -> None:
    """Lines under their own names, each cell on one line and no longer than a person reads."""
    widths = dict.fromkeys(columns, CELL) | {"reason": REASON}
    table(columns, ([shortened(line[name] or "-", widths[name]) for name in columns] for line in lines))


def _print_source(source: dict[str, Any]) -> None:
    print(f"{source['title']}\n{source['kind']}, {source['started_at'] or 'time unknown'}, {source['phase']}")
    if source["participants"]:
        print(f"with {', '.join(source['participants'])}")
    if source["reason"]:
        print(f"set aside: {source['reason']}")
    if source["summary"]:
        print(f"\n{source['summary']}")
    print()
    for turn in source["turns"]:
        print(f"{turn.get('speaker') or '-'}: {turn['text']}")


def _emit_stream(found: Iterable[Line]) -> None:
    """One JSON list, an element a line, written as it is read."""
    before = "["
    for line in found:
        print(before + "\n  " + json.dumps({key: line[key] for key in KEYS}, ensure_ascii=False), end="")
        before = ","
    print("[]" if before == "[" else "\n]")
