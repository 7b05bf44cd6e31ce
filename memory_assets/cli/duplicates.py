"""Commands about memories that may say the same: the pairs that wait, and deciding them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_assets.cli.context import ListedUser, User, listed_for, writing_for
from memory_assets.cli.output import Json, emitted, say

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
