"""What people look at on curation: what a cycle did and why, tiers against their budgets, what memories are worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.curation.cadences import Cadence
from memory_assets.curation.cycle import Cycle
from memory_assets.curation.duplicates import short_id
from memory_assets.curation.facts import RECENT, Facts
from memory_assets.curation.mvs import RANGES, Mvs, score
from memory_assets.curation.policy import CURATION, Step, decide, looks_at
from memory_assets.curation.reading import list_facts
from memory_assets.graph.graph import Graph
from memory_assets.graph.merged import families
from memory_assets.model import RECORD_KINDS
from memory_assets.presentation import plots
from memory_assets.presentation.reports import count_table, markdown_table
from memory_assets.runtime.accesses import Position, access_log
from memory_assets.settings import Settings

_COUNTED = {
    "archived": Step.ARCHIVE,
    "demoted": Step.DEMOTE,
    "promoted": Step.PROMOTE,
    "decayed": Step.DECAY,
    "flagged": Step.FLAG,
    "merged": "merge",
    "condensed": "condense",
    "compared": "compare",
    "tombstones_removed": "tombstones_removed",
}
_DONE = ("step", "kind", "agent", "why", "change", "text", "ref")
_MERGED = ("kind", "kept", "gone", "reason", "audit")
_CONDENSED = ("ref", "before", "after", "by", "why")
_PAIRS = ("pair", "kind", "a_text", "b_text", "reason", "cosine")


def describe_cycles(
    cycles: Sequence[Cycle], held: Sequence[Facts], pairs: Sequence[Mapping[str, Any]], now: datetime, *, dry_run: bool
) -> dict[str, Any]:
    """What a run's cycles did for an owner. ``held``: what the owner's tiers hold after them; ``pairs``: what waits
    for a person's decision, as ``list_pairs`` gives it.
    """
    steps: Counter[str] = sum((cycle.steps for cycle in cycles), Counter())
    shown: dict[str, Any] = {"cadences": ", ".join(cycle.cadence.value for cycle in cycles) or "none"}
    shown |= {"scanned": sum(cycle.scanned for cycle in cycles), "pruned": steps[Step.PRUNE] + steps[Step.REMOVE]}
    shown |= {name: steps[step] for name, step in _COUNTED.items()}
    shown |= {"overtaken": sum(cycle.overtaken for cycle in cycles)}
    shown |= {"left_for_the_next_cycle": sum(cycle.left for cycle in cycles)}
    if dry_run:
        shown["note"] = "a dry run: this is what the next cycle does, and nothing was written"
    if done := [one.as_row() for cycle in cycles for one in cycle.done]:
        shown["done"] = markdown_table(_DONE, done)
    if merged := [row for cycle in cycles for row in cycle.merged]:
        shown["merges"] = markdown_table(_MERGED, merged)
    if condensed := [vars(one) for cycle in cycles for one in cycle.condensed]:
        shown["condensed_records"] = markdown_table(_CONDENSED, condensed)
    if pairs:
        shown["undecided_pairs"] = len(pairs)
        shown["undecided"] = markdown_table(_PAIRS, [{**row, "pair": short_id(row["id"])} for row in pairs])
    if cycles:
        shown |= _tiers(cycles[-1].tiers)
    if held:
        values = [score(one, now) for one in held]
        counts = Counter(value.action.value for value in values)
        shown["values"] = count_table("value asks to", counts, "memories")
        labels = [f"{'<' if least < 0 else '>='} {abs(least) if least > 0 else 0.5:g}" for least, _ in reversed(RANGES)]
        bars = [counts[action.value] for _, action in reversed(RANGES)]
        middle = sorted(value.score for value in values)[len(values) // 2]
        says = f"Memory Value Scores of {len(held)} memories in tiers, the middle one {middle:.1f}"
        shown["values_plot"] = plots.stacked_bars(labels, {"memories": bars}, unit="memories", says=says, below="value")
    return shown


def _tiers(tokens: Mapping[str, int]) -> dict[str, Any]:
    """Each tier's tokens against its budget, and by how much what is protected holds one over it."""
    rows = [(name, tokens.get(name, 0), budget) for name, budget in CURATION.budgets]
    says = ", ".join(f"{name} {used} of {budget} tokens" for name, used, budget in rows)
    shown: dict[str, Any] = {f"{name.lower()}_tokens": used for name, used, _ in rows}
    if over := {name: used - budget for name, used, budget in rows if used > budget}:
        by = ", ".join(f"{name} by {tokens}" for name, tokens in over.items())
        shown["over_budget"] = f"{by} tokens, which the rails protect"
    shown["tiers_plot"] = plots.used_of_budget(rows, unit="tokens", says=says)
    return shown


def as_terms(value: Mvs) -> list[dict[str, Any]]:
    """A score term by term: points, and what each is from."""
    row = value.row
    half = f"half-life {row.half_life.total_seconds() / 86_400:g} days" if row.half_life else "no half-life"
    kind = ", ".join(filter(None, (row.kind, row.state)))
    terms = [
        ("type weight", row.weight, kind),
        ("recency bonus", value.recency, half),
        ("frequency bonus", value.frequency, "retrievals in 7 days"),
        ("quality bonus", value.quality, "confidence or severity"),
        ("centrality bonus", value.centrality, "relationships"),
        ("cross-agent bonus", value.cross_agent, "agents that retrieved it"),
        ("bloat penalty", -value.bloat, "tokens over 500"),
    ]
    rows = [{"term": term, "points": round(points, 3) + 0.0, "from": origin} for term, points, origin in terms]
    rails = ", ".join(value.rails) or "no rail is closed"
    rows.append({"term": "safety multiplier", "points": value.safety, "from": rails})
    rows.append({"term": "value", "points": round(value.score, 3), "from": value.action.value})
    return rows


def read_value(graph: Graph, settings: Settings, user: str, ref: str, now: datetime) -> dict[str, Any] | None:
    """The Memory Value Score of the user's memory behind a reference: ``score``, ``action``, its ``terms`` and, of a
    record, ``next``: what becomes of it when, if nobody touches it. None where there is no such memory.
    """
    found = graph.read("graph/find_memory", user_id=user, ref=ref)
    facts = list_facts(graph, user, [row["memory_id"] for row in found])
    if not facts:
        return None
    known_as = families(graph, user, [facts[0].id])[facts[0].id]
    retrieved = sorted(at for at in access_log(settings, user).retrieved(Position(), known_as) if at <= now)
    one = replace(facts[0], recent_accesses=tuple(retrieved[-RECENT:]) or facts[0].recent_accesses)
    value = score(one, now)
    valued = {"score": round(value.score, 3), "action": value.action.value, "terms": as_terms(value)}
    return valued | ({"next": _next(one, now)} if one.kind in RECORD_KINDS else {})


def _next(facts: Facts, now: datetime) -> list[dict[str, Any]]:
    """The first thing that each cadence has to do, the earliest first."""
    rows = []
    for cadence in Cadence:
        instant = looks_at(facts, now, cadence)
        if instant is not None and (proposal := decide(facts, instant, cadence)) is not None:
            what = f"{proposal.step.value} to {proposal.tier}" if proposal.tier else proposal.step.value
            rows.append({"at": to_iso(instant), "cadence": cadence.value, "what": what, "why": proposal.reason})
    return sorted(rows, key=lambda row: (row["at"], row["cadence"]))
