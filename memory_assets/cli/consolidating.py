"""The command that shows what is to be consolidated, and does it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_assets.cli.context import User, connect_for, run_for
from memory_assets.cli.output import Json, emitted, say, table
from memory_assets.errors import MemoryAssetsError


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
