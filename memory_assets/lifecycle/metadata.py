"""What people look at on the assets of a memory's life."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.lifecycle.ageing import Aged
from memory_assets.lifecycle.folding import Folded
from memory_assets.lifecycle.reading import read_courses, read_shelves, read_texts
from memory_assets.model import AccessKind, State
from memory_assets.presentation import plots
from memory_assets.presentation.reports import ROWS_SHOWN, Markdown, markdown_table
from memory_assets.settings import Settings


def describe_accesses(graph: Graph, user: str, folded: Folded, by_agent: list[dict[str, Any]]) -> dict[str, Any]:
    """What was counted, what came of it, and how often each agent used memories in the last 30 days, by kind,
    with the tokens that it was given.
    """
    shown: dict[str, Any] = {
        "accesses": folded.accesses.total(),
        "memories": len(folded.memories),
        "became_active": folded.states[State.ACTIVE.value],
        "became_core": folded.states[State.CORE.value],
        "gone": len(folded.unknown - folded.memories),
    }
    if by_agent:
        rows = [row | {"agent": row["agent"] or "unknown"} for row in by_agent]
        shown["by_agent_in_30_days"] = markdown_table(["agent", *(kind.value for kind in AccessKind), "tokens"], rows)
    if not folded.accesses:
        return shown | {"note": "no access was waiting"}
    rows = [{"kind": kind, "accesses": count} for kind, count in sorted(folded.accesses.items())]
    shown["by_kind"] = markdown_table(["kind", "accesses"], rows)
    if folded.promoted:
        shown["promoted"] = _what_became_of(graph, user, folded.promoted, "now")
    return shown


def describe_states(graph: Graph, settings: Settings, user: str, aged: Aged, now: datetime) -> dict[str, Any]:
    """What became of memories by time, how many are in which state now, and how present some of them are."""
    shown: dict[str, Any] = {"looked_at_anew": aged.looked_at, "archived": aged.archived, "back": aged.back}
    if aged.next_day is not None:
        shown["next_day"] = aged.next_day.isoformat()
    if aged.gone:
        shown["archived_now"] = _what_became_of(graph, user, aged.gone, "why")
    if shelves := read_shelves(graph, user, aged.sources):
        rows = [row | {"from": _day(row["first_at"]), "to": _day(row["last_at"])} for row in shelves]
        shown["context_shelves"] = markdown_table(["tier", "shelf", "memories", "tokens", "from", "to"], rows)
    counted_at, kinds = aged.counted_at, aged.states
    if not kinds or counted_at is None:
        return shown
    shown["counted_at"] = to_iso(counted_at)
    table = [{"kind": kind} | counts for kind, counts in kinds.items()]
    shown["states"] = markdown_table(["kind", *(state.value for state in State)], table)
    by_state = {state.value: [counts[state.value] for counts in kinds.values()] for state in State}
    totals = ", ".join(f"{sum(counts)} {state}" for state, counts in by_state.items())
    shown["states_plot"] = plots.stacked_bars(
        list(kinds), by_state, unit="memories", says=f"States of memories: {totals}"
    )
    for name, courses, says in zip(
        ("most_accessed", "fading_next"),
        read_courses(graph, settings, user, now),
        ("The memories that were accessed most", "The memories that fade first"),
        strict=True,
    ):
        if courses.rows:
            columns = ["number", "text", "state", "salience", "accesses", "fades", "ref"]
            shown[name] = markdown_table(columns, courses.rows)
            days = [day.isoformat() for day in courses.days]
            first, last = courses.rows[0]["salience"], courses.rows[-1]["salience"]
            says = f"{says}: salience {first} of the first, {last} of the last of {len(courses.rows)}"
            shown[f"{name}_plot"] = plots.curves(days, courses.lines, unit="salience", says=says, today=now.date())
    return shown


def _day(at: str | None) -> str:
    """The day of an instant, as a table shows it."""
    return (at or "")[:10] or "unknown"


def _what_became_of(graph: Graph, user: str, memories: Mapping[str, str], heading: str) -> Markdown:
    """What some memories say, with what became of each."""
    shown = list(memories)[:ROWS_SHOWN]
    texts = read_texts(graph, user, shown)
    rows = [texts[memory] | {heading: memories[memory]} for memory in shown if memory in texts]
    return markdown_table(["text", heading, "ref"], rows)
