"""What a memory is worth to curation and why, term by term, and what the cycles will do with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.curation.cadences import Cadence
from memory_assets.curation.facts import RECENT, Facts
from memory_assets.curation.metadata import as_terms
from memory_assets.curation.mvs import score
from memory_assets.curation.policy import decide, looks_at
from memory_assets.curation.reading import list_facts
from memory_assets.graph.graph import Graph
from memory_assets.model import RECORD_KINDS
from memory_assets.runtime.accesses import Position, access_log
from memory_assets.settings import Settings


def read_value(graph: Graph, settings: Settings, user: str, ref: str, now: datetime) -> dict[str, Any] | None:
    """The Memory Value Score of the user's memory behind a reference: ``score``, ``action``, its ``terms`` and, of a
    record, ``next``: what becomes of it when, if nobody touches it. None where there is no such memory.
    """
    found = graph.read("lifecycle/find_reference", user_id=user, ref=ref)
    facts = list_facts(graph, user, [row["memory_id"] for row in found])
    if not facts:
        return None
    log = access_log(settings, user)
    retrieved = sorted(at for at in log.retrieved(Position(), facts[0].id) if at <= now)
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
