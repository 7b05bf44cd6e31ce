"""The commands of curation: its cycles by hand, how often they come, letting it go on where it was stopped, and the way
back; memories that may say the same; what is consolidated.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Annotated, Any, Literal

import typer

from memory_assets.cli.context import (
    MOST,
    ListedUser,
    OptionalUser,
    User,
    chosen_users,
    connect,
    connect_for,
    listed_for,
    read_instant,
    run_for,
    writing_for,
)
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError, UnknownReferenceError, WrongUseError
from memory_assets.settings import Settings

curation = typer.Typer(
    help="How often curation looks, what its cycles did, and to let it go on where it was stopped.",
    no_args_is_help=True,
)

COLUMNS = ("step", "kind", "agent", "why", "change", "text", "ref")
Chosen = Literal["auto", "idle", "background", "minimal"]


def curate(
    user: User,
    cadences: Annotated[
        list[str] | None, typer.Option("--cadence", help="Only the cycles of 5m, 15m, 1h or 6h. Repeatable.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing: show what the next cycle does.")] = False,
    as_json: Json = False,
) -> None:
    """Curate what agents have recorded: expiry, tiers, budgets, decay, duplicates. `restore` is the way back."""
    from memory_assets.curation.cadences import Cadence
    from memory_assets.curation.cycle import plan_cycles
    from memory_assets.curation.reading import list_cycles
    from memory_assets.curation.stops import check_not_stopped
    from memory_assets.llm.opening import open_models

    chosen = _cadences(cadences)
    if dry_run:
        settings, graph = connect_for(user)
        check_not_stopped(graph, user)
        now = settings.clock.now()
        vectors, language = settings.duplicates_cache(user), open_models(settings).language_for("curated_memories")
        planned = plan_cycles(graph, user, map(Cadence, chosen), now, language=language, vectors=vectors)
        rows = [one.as_row() for cycle in planned for one in cycle.done]
        merges = [row for cycle in planned for row in cycle.merged]
        shorter = [vars(one) for cycle in planned for one in cycle.condensed]
        counts = sum((cycle.counts for cycle in planned), Counter[str]())
        removed = ("tombstones_removed", "audits_removed", "cycles_removed")
        more = {name: counts[name] for name in removed if counts[name]}
        left = sum(cycle.left for cycle in planned)
        report = {"dry_run": True, "done": rows, "merges": merges, "condensed": shorter, "counts": more, "left": left}
        if emitted(report, as_json):
            return
        if not rows and not merges and not shorter and not more:
            say(f"Nothing is due for {user}.")
            return
        say(f"{len(rows)} things would be done for {user}, and {len(merges)} memories merged.")
        for name, count in more.items():
            say(f"{name.replace('_', ' ')}: {count}")
        if left:
            say(f"At least {left} more are due, and left for the cycles after these.")
        table(COLUMNS, rows)
        if merges:
            print()
            table(("kind", "kept", "gone", "reason"), merges)
        if shorter:
            print()
            table(("ref", "before", "after", "by", "why"), shorter)
        return
    settings, graph = connect_for(user)
    began = str(to_iso(settings.clock.now()))
    run = run_for(settings, user, "curate_memories", scope={"cadences": chosen})
    if failures := run.failures_of(user):
        raise MemoryAssetsError(f"Nothing could be curated for {user}: {'; '.join(failures)}")
    cycles = [row for row in list_cycles(graph, user, len(chosen)) if row["at"] >= began]
    if emitted({"dry_run": False, "cycles": cycles}, as_json):
        return
    if not cycles:
        say(f"Nothing was due for {user}.")
        return
    _show(cycles)


def _cadences(given: list[str] | None) -> list[str]:
    from memory_assets.curation.cadences import Cadence

    known = [cadence.value for cadence in Cadence]
    if wrong := [name for name in given or [] if name not in known]:
        raise WrongUseError(f"--cadence takes {', '.join(known)}, not {wrong[0]!r}.")
    return [name for name in known if not given or name in given]


@curation.command("cycles")
def cycles(
    user: User,
    limit: Annotated[int, typer.Option("--limit", min=1, max=MOST, help="So many at most.")] = 20,
    as_json: Json = False,
) -> None:
    """What the last cycles did, in figures."""
    from memory_assets.curation.reading import list_cycles

    _, graph = connect_for(user)
    found = list_cycles(graph, user, limit)
    if not emitted({"cycles": found}, as_json):
        _show(found)


def _show(cycles: list[dict[str, Any]]) -> None:
    if not cycles:
        say("No cycle has come yet.")
        return
    names = ("cadence", "at", "scanned", "prune", "merge", "archive", "demote", "promote", "overtaken", "left", "cycle")
    counts = [{name: row.get(f"{name}_count", 0) for name in names[3:8]} for row in cycles]
    shown = ({"at": row["at"][:16], "cycle": row["id"]} for row in cycles)
    table(names, (row | of | columns for row, of, columns in zip(cycles, counts, shown, strict=True)))


@curation.command("mode")
def mode(
    chosen: Annotated[Chosen | None, typer.Argument(help="What to set; left out: show it.")] = None,
    as_json: Json = False,
) -> None:
    """How often curation looks: by agents' activity, or as set by hand."""
    from memory_assets.automation.curating import current_mode
    from memory_assets.curation.stops import choose

    settings, graph = connect()
    now = settings.clock.now()
    if chosen is not None:
        choose(graph, chosen.upper(), now)
    current, why = current_mode(graph, settings, chosen_users(graph, None), now)
    minutes = current.interval.total_seconds() / 60
    if not emitted({"mode": current.name, "why": why, "minutes": minutes}, as_json):
        say(f"{current.name}: every {minutes:g} minutes ({why}).")


@curation.command("resume")
def resume(user: OptionalUser = None) -> None:
    """Let curation go on where a check has stopped it, after you have looked."""
    from memory_assets.curation.stops import resume as let_go_on

    _, graph = connect()
    for name in chosen_users(graph, user):
        with writing_for(name) as (settings, opened):
            if let_go_on(opened, name, settings.clock.now()):
                say(f"Curation goes on for {name}.")
            elif user is not None:
                say(f"Curation was not stopped for {name}.")


def show_value(value: dict[str, Any] | None) -> None:
    """What a memory is worth to curation on stdout, term by term, and what becomes of it when."""
    if value is None:
        return
    print()
    table(("term", "points", "from"), value["terms"])
    for row in value.get("next", ()):
        print(f"\n{row['at'][:16]}, unless somebody uses it: {row['what']} ({row['why']})")


def consolidate(
    user: User,
    carries_out: Annotated[
        bool, typer.Option("--carry-out", help="Do it now; else it is only planned and shown.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show which sources would become knowledge, what would be noted of them and what archived; or do it.

    `undo` takes each consolidation back, and what was archived is back once it is asked for.
    """
    from memory_assets.consolidation.carrying_out import stored
    from memory_assets.consolidation.metadata import as_candidates, as_insights, as_sources
    from memory_assets.consolidation.planning import PLANNED

    settings, graph = connect_for(user)
    scope = {"consolidation": "all" if carries_out else "plan"}
    run = run_for(settings, user, "consolidate_memories", scope=scope)
    if failures := run.failures_of(user):
        raise MemoryAssetsError(f"Nothing could be consolidated for {user}: {'; '.join(failures)}")
    plans = stored(graph, user, PLANNED)
    figures = run.metadata.get(user, {}).get("consolidated_memories", {})
    numbers = {name: value for name, value in figures.items() if isinstance(value, int)}
    shown: dict[str, Any] = {"plan": as_candidates(plans), "insights": as_insights(plans), "sources": as_sources(plans)}
    if emitted({**shown, "figures": numbers}, as_json):
        return
    if carries_out:
        say(
            f"{numbers['consolidations']} consolidations carried out: {numbers['sources_archived']} sources and "
            f"{numbers['statements_archived']} statements archived, {numbers['insights']} insights noted."
        )
    if not plans:
        say("Nothing is to be consolidated.")
        return
    columns = ("ref", "why", "about", "first_at", "last_at", "insights", "statements", "folded", "turns")
    table(columns, shown["plan"])
    print()
    table(("ref", "of", "insight", "rests on"), (list(row.values())[:4] for row in shown["insights"]))
    print()
    table(("ref", "source"), (list(row.values()) for row in shown["sources"]))


duplicates = typer.Typer(
    help="Memories that may say the same, and deciding whether they are one.", invoke_without_command=True
)
PairId = Annotated[str, typer.Argument(metavar="ID", help="The pair's id.")]


@duplicates.callback()
def list_all(
    context: typer.Context,
    user: ListedUser = None,
    apart: Annotated[bool, typer.Option("--kept", help="Those that somebody keeps apart.")] = False,
    as_json: Json = False,
) -> None:
    """List the pairs that wait for a decision, the likest first."""
    if context.invoked_subcommand is not None:
        return
    from memory_assets.curation.duplicates import KEPT, MOST_LISTED, UNDECIDED, list_pairs, short_id

    graph, name = listed_for(user)
    found = list_pairs(graph, name, MOST_LISTED + 1, status=KEPT if apart else UNDECIDED)
    if len(found) > MOST_LISTED:
        say(f"There are more than {MOST_LISTED:,}: these are the likest. Decide, and the others are listed.")
        found = found[:MOST_LISTED]
    if emitted(found, as_json):
        return
    if not found:
        state = "are kept apart" if apart else "wait for a decision whether they are one"
        print(f"No memories of {name} {state}.")
    for pair in found:
        likeness = f", {pair['cosine']:.2f} alike" if pair["cosine"] is not None else ""
        print(f"{short_id(pair['id'])}  {pair['kind']}{likeness}: {pair['reason']}")
        for side in ("a", "b"):
            speaker, day = pair[f"{side}_speaker"] or name, (pair[f"{side}_at"] or "day unknown")[:10]
            print(f"  {side}  {day}  {speaker}: {' '.join(pair[f'{side}_text'].split())} [{pair[f'{side}_ref']}]")


@duplicates.command()
def merge(identifier: PairId, user: User) -> None:
    """They are one: the one that is worth more stays, with all that is linked to either."""
    found = _settle(identifier, user, is_same=True)
    say(f"Merged: [{found['a_ref']}] and [{found['b_ref']}]. `memory-assets restore {found['audit']}` takes it back.")


@duplicates.command()
def keep(identifier: PairId, user: User) -> None:
    """They are two: nobody is asked about them again, as long as both say what they say now."""
    found = _settle(identifier, user, is_same=False)
    say(f"Kept apart: [{found['a_ref']}] and [{found['b_ref']}]. `duplicates undo {identifier}` takes it back.")


@duplicates.command()
def undo(identifier: PairId, user: User) -> None:
    """They are not kept apart any more: the pair waits again (`duplicates --kept` lists those that are)."""
    from memory_assets.curation.duplicates import undo_kept

    with writing_for(user) as (settings, graph):
        found = undo_kept(graph, user, identifier, settings.clock.now())
    say(f"Waits for a decision again: [{found['a_ref']}] and [{found['b_ref']}].")


def _settle(identifier: str, user: str, *, is_same: bool) -> dict[str, Any]:
    from memory_assets.curation.duplicates import settle

    with writing_for(user) as (settings, graph):
        return settle(graph, user, identifier, settings.clock.now(), is_same=is_same)


Since = Annotated[
    str | None, typer.Option("--since", metavar="INSTANT", help="Since that instant (ISO 8601; UTC unless it says).")
]
CUT_COLUMNS = ("audit", "cut", "action", "kind", "ref", "what", "text")
WIDEST = 60


def restore(
    audits: Annotated[
        list[str] | None, typer.Argument(metavar="[AUDIT]...", help="Audits, as `audits` lists them.")
    ] = None,
    cycle: Annotated[str | None, typer.Option("--cycle", metavar="ID", help="All that a cycle has cut.")] = None,
    since: Since = None,
    words: Annotated[
        list[str] | None, typer.Option("--words", metavar="REF", help="What a record said before it was condensed.")
    ] = None,
    user: OptionalUser = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing: show what would come back.")] = False,
    as_json: Json = False,
) -> None:
    """Bring back what curation pruned, merged, archived or removed, as it was. Restoring it twice restores it once."""
    from memory_assets.curation.restoring import Restored
    from memory_assets.curation.restoring import restore as bring_back

    if sum(map(bool, (audits, cycle, since, words))) != 1:
        raise WrongUseError("Say what: audits, or --cycle ID, or --since INSTANT, or --words REF.")
    if words:
        _restore_words(words, user, dry_run=dry_run, as_json=as_json)
        return
    settings, graph = connect()
    begin = _instant(since, settings)
    now = settings.clock.now()
    users = chosen_users(graph, user)
    done, unknown = Restored(), list[UnknownReferenceError]()
    for name in users:
        try:
            with writing_for(name):
                one = bring_back(graph, name, now, audits=audits or (), cycle=cycle, since=begin, dry_run=dry_run)
        except UnknownReferenceError as error:
            unknown.append(error)
            continue
        done.back += one.back
        done.left += one.left
    if users and len(unknown) == len(users):
        raise unknown[0]
    if emitted({"dry_run": dry_run, **done.as_json()}, as_json):
        return
    rows = [*done.back, *done.left]
    say(f"{len(done.back)} {'would come' if dry_run else 'came'} back, {len(done.left)} left alone.")
    if rows:
        texts = ([one.audit, one.cut_at[:16], one.action, one.kind, one.ref, one.what, one.text] for one in rows)
        table(CUT_COLUMNS, ([_short(cell) for cell in row] for row in texts))


def _restore_words(refs: list[str], user: str | None, *, dry_run: bool, as_json: bool) -> None:
    from memory_assets.curation.condensing import put_back

    if user is None:
        raise WrongUseError("Say whose: --user NAME.")
    with writing_for(user) as (settings, graph):
        back = put_back(graph, user, refs, settings.clock.now(), dry_run=dry_run)
    if emitted({"dry_run": dry_run, "words": back}, as_json):
        return
    say(f"{len(back)} {'would get' if dry_run else 'got'} back what they said.")
    table(("ref", "before", "after", "text"), ({name: _short(str(row[name])) for name in row} for row in back))


def audits(user: User, since: Since = None, as_json: Json = False) -> None:
    """List what curation cut of a user's, the latest first, with why, and the ids by which `restore` brings it back."""
    from memory_assets.curation.restoring import list_cuts

    settings, graph = connect_for(user)
    found = list_cuts(graph, user, _instant(since, settings))
    if emitted({"audits": found}, as_json):
        return
    if not found:
        say(f"No audit says that anything of {user} was cut.")
        return
    table(
        ("audit", "cut", "action", "kind", "ref", "restored", "cycle", "why"),
        (
            [row["id"], f"{row['at']:%Y-%m-%dT%H:%M}", row["action"], row["label"], row["ref"]]
            + [f"{row['restored_at']:%Y-%m-%d}" if row["restored_at"] else None, row["cycle_id"], row["reason"]]
            for row in found
        ),
    )


def _instant(text: str | None, settings: Settings) -> datetime | None:
    return read_instant("--since", text, settings.clock) if text else None


def _short(text: str) -> str:
    return text if len(text) <= WIDEST or text.startswith(("audit:", "cycle:")) else f"{text[: WIDEST - 1]}…"
