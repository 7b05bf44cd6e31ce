"""What people look at on consolidation: the candidates before anything is archived, and what was done with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memory_assets.consolidation.carrying_out import CarriedOut
from memory_assets.consolidation.planning import Planned
from memory_assets.presentation.reports import count_table, markdown_table

Rows = Sequence[Mapping[str, Any]]

_CANDIDATES = {
    "ref": "ref",
    "why": "trigger",
    "about": "what",
    "first_at": "from",
    "last_at": "to",
    "insights": "insights",
    "statements": "statements",
    "folded": "to archive",
    "kept": "stay, and why",
    "turns": "turns still read",
}
_INSIGHTS = {"ref": "plan", "subject": "of", "text": "insight", "rests_on": "rests on", "lifetime": "for"}
_SOURCES = {"ref": "plan", "title": "source"}


def describe_plan(planned: Planned) -> dict[str, Any]:
    """What is planned: a table of the candidates, what would be noted, and which sources would be archived."""
    plans = planned.plans
    counts = planned.counts
    folded = sum(len(row["folded_ids"]) for row in plans)
    shown: dict[str, Any] = {
        "sources_rested": counts["rested"],
        "candidates": counts["candidates"],
        "clusters": counts["clusters"],
        "planned": counts["planned"],
        "new": counts["new"],
        "nothing_to_note": counts["nothing_to_note"],
        "sources_to_archive": sum(len(row["source_ids"]) for row in plans),
        "statements_to_archive": folded,
        "left_for_the_next_run": counts["clusters"] - counts["planned"] - counts["nothing_to_note"],
    }
    if plans:
        shown["plan"] = markdown_table(_CANDIDATES, as_candidates(plans))
        shown["insights_planned"] = markdown_table(_INSIGHTS, as_insights(plans))
        shown["sources_planned"] = markdown_table(_SOURCES, as_sources(plans))
    else:
        shown["note"] = "nothing is to be consolidated"
    if planned.refused:
        shown["refused"] = count_table("the model's sentence", planned.refused, "sentences")
    return shown


def describe_run(run: CarriedOut, *, dry: bool) -> dict[str, Any]:
    """What was carried out, and what waits to be read first."""
    shown: dict[str, Any] = {
        "consolidations": run.counts["consolidations"],
        "sources_archived": run.counts["sources"],
        "statements_archived": run.counts["statements"],
        "insights": run.counts["insights"],
        "kept_by_rails": run.counts["kept_by_rails"],
        "overtaken": run.counts["overtaken"],
        "taken_back": run.counts["taken_back"],
        "waiting": len(run.waiting),
        "left_for_the_next_run": len(run.left),
    }
    if run.done:
        shown["done"] = markdown_table(_CANDIDATES, as_candidates(run.done))
    if run.waiting:
        when = "`memory-assets consolidate --carry-out` does it" if dry else "the run of the next day does it"
        shown["note"] = f"{len(run.waiting)} plans are there to be read: {when}"
    return shown


def as_candidates(plans: Rows) -> list[dict[str, Any]]:
    """A line for each plan, as a person reads it before it is carried out."""
    return [
        {
            **{name: row[name] for name in ("ref", "why", "about")},
            "first_at": (row.get("first_at") or "")[:10],
            "last_at": (row.get("last_at") or "")[:10],
            "insights": len(json.loads(row["insights"])),
            "statements": row["statement_count"],
            "folded": len(row["folded_ids"]),
            "kept": ", ".join(f"{count} {reason}" for reason, count in json.loads(row["kept"]).items()),
            "turns": f"{sum(map(len, json.loads(row['kept_turns']).values()))} of {row['turn_count']}",
        }
        for row in plans
    ]


def as_sources(plans: Rows) -> list[dict[str, str]]:
    """A line for each source that would be archived."""
    return [{"ref": row["ref"], "title": title} for row in plans for title in row["titles"]]


def as_insights(plans: Rows) -> list[dict[str, Any]]:
    """A line for each sentence that would be noted."""
    return [
        {
            "ref": row["ref"],
            "subject": one["told"]["subject"],
            "text": one["told"]["text"],
            "rests_on": ", ".join(one["told"]["refs"]),
            "lifetime": one["told"]["lifetime"],
        }
        for row in plans
        for one in json.loads(row["insights"])
    ]
