"""What people look at on storylines and macros: counts, the largest of them, and when each was going on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.presentation import plots
from memory_assets.presentation.reports import IN_PLACE, Markdown, markdown_table

Rows = Sequence[Mapping[str, Any]]

_ALWAYS = ("named", "named_before", "embedded", "refused", "failed", "left_by_budget", "retired")
_SOMETIMES = ("left_for_the_next_run", "anchors", "stories", "told_twice_or_over", "themes")
_STORYLINES = {
    "number": "#",
    "title": "storyline",
    "anchor": "about",
    "source_count": "sources",
    "distinct_source_days": "days",
    "first_source_at": "from",
    "last_source_at": "to",
}
_MACROS = {
    "number": "#",
    "title": "macro",
    "anchor": "about",
    "storyline_count": "storylines",
    "total_source_count": "sources",
    "first_event_at": "from",
    "last_event_at": "to",
}


def read_storylines(graph: Graph, user: str) -> tuple[int, Rows]:
    """How many storylines a user has, and those with the most sources."""
    total = graph.read("hierarchy/count_storylines", user_id=user)[0]["storylines"]
    return total, graph.read("hierarchy/list_longest_storylines", user_id=user)


def read_macros(graph: Graph, user: str) -> tuple[int, Rows]:
    """How many macros a user has, and those with the most sources."""
    total = graph.read("hierarchy/count_storylines", user_id=user)[0]["macros"]
    return total, graph.read("hierarchy/list_largest_macros", user_id=user)


def read_made(graph: Graph, user: str, written: Sequence[str], at: datetime) -> Rows:
    """The storylines, or macros, that a run at an instant has ``written``, new ones or made anew."""
    return graph.read("hierarchy/list_made", user_id=user, ids=list(written), at=to_iso(at))


def describe_storylines(counts: Counter[str], total: int, longest: Rows, made: Rows = ()) -> dict[str, Any]:
    """What forming the storylines did (``counts`` of ``derive_storylines``), which were ``made`` and why, and the
    longest that there are.
    """
    shown = _counts(counts, "storylines") | {"storylines_in_all": total} | _made(made, "storyline")
    return shown | _largest(longest, _STORYLINES, ("first_source_at", "last_source_at"), "storylines")


def describe_macros(counts: Counter[str], total: int, largest: Rows, made: Rows = ()) -> dict[str, Any]:
    """What forming the macros did (``counts`` of ``derive_macros``), which were ``made`` and why, and the largest that
    there are.
    """
    shown = _counts(counts, "macros") | {"macros_in_all": total} | _made(made, "macro")
    return shown | _largest(largest, _MACROS, ("first_event_at", "last_event_at"), "macros")


def _made(rows: Rows, what: str) -> dict[str, Any]:
    """What was promoted, or made anew, and what it is made up of."""
    shown = [
        {what: row["title"], "about": row["anchor"], "is": "new" if row["is_new"] else "made anew", "why": _why(row)}
        for row in rows
    ]
    return {"made_now": markdown_table([what, "about", "is", "why"], shown)} if shown else {}


def _why(row: Mapping[str, Any]) -> str:
    sources = f"{row['sources']} sources"
    if row["days"] is not None:
        return f"{sources} on {row['days']} days"
    days = (row["last_at"] - row["first_at"]).days if row["first_at"] and row["last_at"] else 0
    return f"{row['storylines']} storylines over {days} days, {sources}"


def _counts(counts: Counter[str], what: str) -> dict[str, Any]:
    shown: dict[str, Any] = {key: counts[key] for key in _ALWAYS}
    shown |= {key: counts[key] for key in _SOMETIMES if key in counts}
    if counts["users_unchanged"]:
        shown["note"] = f"nothing that the {what} are made of has changed since the last run"
    if counts["left_by_budget"]:
        shown["stopped"] = f"by the budget: {counts['left_by_budget']} wait for their names until the next run"
    return shown


def _largest(rows: Rows, columns: Mapping[str, str], ends: tuple[str, str], what: str) -> dict[str, Any]:
    """A numbered table, and a picture whose bars bear its numbers."""
    if not rows:
        return {}
    numbered = [{**row, "number": number} for number, row in enumerate(rows, start=1)]
    shown: dict[str, Any] = {"largest": markdown_table(columns, numbered, fit=IN_PLACE)}
    start, end = ends
    dated = [row for row in numbered if row[start] and row[end]]
    if dated:
        spans = [(f"{row['number']} {row['title']}", row[start], row[end]) for row in dated]
        longest = max(dated, key=lambda row: row[end] - row[start])
        days = (longest[end] - longest[start]).days + 1
        says = (
            f"When the {len(dated)} {what} with the most sources were going on, from "
            f"{min(row[start] for row in dated):%Y-%m-%d} to {max(row[end] for row in dated):%Y-%m-%d}; "
            f"the longest is number {longest['number']} with {days} days"
        )
        shown["over_time"] = Markdown(plots.spans(spans, says=says))
    return shown
