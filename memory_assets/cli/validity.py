"""Commands about what holds: contradictions, what has changed since a day, every decision and its way back."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any

import typer

from memory_assets.cli.context import ListedUser, User, check_past, connect_for, day_option, listed_for, writing_for
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.model import Resolution

MOST_SHOWN = 40
contradictions = typer.Typer(
    help="Statements that cannot both be true, and deciding which one holds.", invoke_without_command=True
)


@contradictions.callback()
def list_all(context: typer.Context, user: ListedUser = None, as_json: Json = False) -> None:
    """List the open contradictions; `decisions` lists what was decided about others."""
    if context.invoked_subcommand is not None:
        return
    from memory_assets.validity.decisions import SHORT, open_contradictions

    graph, name = listed_for(user)
    found = open_contradictions(graph, name)
    if emitted(found, as_json):
        return
    if not found:
        print(f"No statements of {name} contradict each other.")
    for one in found:
        short = one["id"].partition(":")[2][:SHORT]
        print(f"{short}  {one['kind'] or 'two values'}, found {one['found_at'][:10]}")
        for side in ("one", "other"):
            speaker, day = one[f"{side}_speaker"] or name, (one[f"{side}_at"] or "day unknown")[:10]
            ref = f" [{one[f'{side}_ref']}]" if one[f"{side}_ref"] else ""
            print(f"  {'a' if side == 'one' else 'b'}  {day}  {speaker}: {one[side]}{ref}")
        choices = "|".join(resolution.value for resolution in Resolution)
        print(f"  `memory-assets contradictions resolve {short} {choices} --user {name}`")


@contradictions.command()
def resolve(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="The contradiction's id.")],
    resolution: Annotated[Resolution, typer.Argument(help="Which statement holds: a is the earlier, b the later.")],
    user: User,
    note: Annotated[str, typer.Option("--note", help="Why.")] = "",
    text: Annotated[str, typer.Option("--text", help="Of merged ones: what holds of both; without it the note.")] = "",
) -> None:
    """Decide a contradiction: the statement that loses is superseded. `undo ID` takes it back."""
    from memory_assets.commands.decisions import resolve as decide

    with writing_for(user) as (settings, graph):
        found = decide(graph, settings, user, identifier, resolution, note, text=text)
    print(f"{resolution.value}: {found['one']} / {found['other']}")
    say(f"`memory-assets materialize --user {user}` takes it up.")


def decisions(user: User, as_json: Json = False) -> None:
    """List what was decided about a user's memories, the latest first: edits, names, sources, contradictions."""
    from memory_assets.commands.decisions import list_decisions

    _, graph = connect_for(user)
    found = list_decisions(graph, user)
    if emitted([vars(one) for one in found], as_json):
        return
    if not found:
        print(f"Nothing was decided about the memories of {user}.")
        return
    rows = ((one.short, one.at[:10], one.kind, one.what, one.about, one.why) for one in found)
    table(("id", "day", "about", "decided", "what", "why"), rows)


def undo(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="The decision's id, as `decisions` lists it.")],
    user: User,
) -> None:
    """Take a decision back, whatever it was about. The files follow with the next run."""
    from memory_assets.commands.decisions import undo as take_back

    with writing_for(user) as (settings, graph):
        found = take_back(graph, settings, user, identifier)
    print(f"Taken back: {found.kind}, {found.what}: {found.about}")
    say(f"`memory-assets materialize --user {user}` takes it up.")


def diff(
    user: User,
    since: Annotated[date | None, day_option("--since", "From that day on (UTC); yesterday if left out.")] = None,
    as_json: Json = False,
) -> None:
    """What is new, changed, closed, contradicted and forgotten since a day, as it was taken in."""
    from memory_assets.validity.reading import counts_of, read_diff

    settings, graph = connect_for(user)
    since = since or settings.clock.now().date() - timedelta(days=1)
    check_past("--since", since, settings.clock)
    begin = datetime.combine(since, time(), UTC)
    found = read_diff(graph, user, begin)
    if emitted({"since": begin, **found}, as_json):
        return
    print(f"{user}, since {since}: {counts_of(found)}\n")
    for kind, rows in found.items():
        for row in rows[:MOST_SHOWN]:
            print(_line(kind, row))
        if len(rows) > MOST_SHOWN:
            print(f"  and {len(rows) - MOST_SHOWN} more {kind} (--json lists them)")


def _line(kind: str, row: dict[str, Any]) -> str:
    day, ref = (row["at"] or "")[:10], f" [{row['ref']}]" if row["ref"] else ""
    later = f"\n  -> {row['by_text']}" + (f" [{row['by_ref']}]" if row["by_ref"] else "") if row["by_text"] else ""
    return f"{kind}: {day} {' '.join(row['text'].split())}{ref}{later}"
