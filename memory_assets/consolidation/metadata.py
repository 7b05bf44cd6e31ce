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
    shown: dict[str, Any] = {"sources_rested": counts["rested"]}
    shown |= {name: counts[name] for name in ("candidates", "clusters", "planned", "new", "nothing_to_note")}
    shown |= {"sources_to_archive": sum(len(row["source_ids"]) for row in plans)}
    shown |= {"statements_to_archive": sum(len(row["folded_ids"]) for row in plans)}
    shown |= {"left_for_the_next_run": counts["clusters"] - counts["planned"] - counts["nothing_to_note"]}
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
    counts = run.counts
    shown: dict[str, Any] = {"consolidations": counts["consolidations"], "sources_archived": counts["sources"]}
    shown |= {"statements_archived": counts["statements"]}
    shown |= {name: counts[name] for name in ("insights", "kept_by_rails", "overtaken", "taken_back")}
    shown |= {"waiting": len(run.waiting), "left_for_the_next_run": len(run.left)}
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
            **{name: (row.get(name) or "")[:10] for name in ("first_at", "last_at")},
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
    drafts = ((row["ref"], one["insight"]) for row in plans for one in json.loads(row["insights"]))
    return [
        {"ref": ref, "subject": one["subject"], "text": one["text"]}
        | {"rests_on": ", ".join(one["refs"]), "lifetime": one["lifetime"]}
        for ref, one in drafts
    ]
