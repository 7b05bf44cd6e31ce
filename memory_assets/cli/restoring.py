"""The commands of the way back: what curation cut, by its audits, and bringing that back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from memory_assets.cli.context import OptionalUser, User, chosen_users, connect, connect_for, read_instant, writing_for
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.errors import UnknownReferenceError, WrongUseError
from memory_assets.settings import Settings

Since = Annotated[
    str | None, typer.Option("--since", metavar="INSTANT", help="Since that instant (ISO 8601; UTC unless it says).")
]
COLUMNS = ("audit", "cut", "action", "kind", "ref", "what", "text")
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
        table(COLUMNS, ([_short(cell) for cell in row] for row in texts))


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
