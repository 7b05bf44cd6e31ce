"""What an agent is told of the memory as a whole: how far it has come, what failed, what it has cost, what answers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memory_assets import __version__
from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import teams_of
from memory_assets.keys.policy import Caller, Scope
from memory_assets.llm.ledger import Ledger
from memory_assets.privacy.projects import is_offered
from memory_assets.runtime.accesses import AGENTS_WINDOW, access_log, used_by_agents
from memory_assets.runtime.missed import events_missed
from memory_assets.settings import Settings
from memory_assets.sources.source_list import count_failures, count_phases, list_heads

Row = dict[str, Any]


def status_of(graph: Graph, settings: Settings, ledger: Ledger, caller: Caller, contradictions: int) -> Row:
    """How far the caller's sources have come, how many have failed, how many ``contradictions`` are open, how many of
    the agent's events came to nothing in the last day, or were answered with what was ready in time; what it has cost
    in the last 30 days; and which versions answer.
    """
    heads = list_heads(graph, [caller.user, *teams_of(graph, caller.user)], caller.user)
    engine, yesterday = graph.server_info(), settings.clock.now() - timedelta(days=1)
    missed = events_missed(settings.home, [caller.user], str(to_iso(yesterday)))
    return {
        "user": caller.user,
        "agent": caller.agent,
        "project": caller.project or caller.works_in,
        "scopes": [scope.value for scope in Scope if scope in caller.scopes],
        "sources": count_phases([head for head in heads if is_offered([head.project], caller.bound)]),
        "failed": count_failures(graph, [caller.user]).get(caller.user, 0),
        "contradictions": contradictions,
        "missed_hooks": sum(row["events"] for row in missed if row["agent"] == caller.agent),
        "partial_hooks": access_log(settings, caller.user).late(yesterday, caller.agent),
        "cost": _cost(settings, ledger, caller),
        "versions": {"memory_assets": __version__, "graph": engine},
        "graph": engine,
    }


def _cost(settings: Settings, ledger: Ledger, caller: Caller) -> Row:
    """The tokens of what the agent was given, and what models were asked for the user, where the key is for all of the
    memory: ``calls``, and their tokens and money.
    """
    now = settings.clock.now()
    given = used_by_agents(settings, caller.user, now)
    tokens = sum(row["tokens"] for row in given if row["agent"] == caller.agent)
    if caller.bound:
        return {"tokens": tokens}
    asked = ledger.summary((), user=caller.user, since=now - AGENTS_WINDOW)
    return {"tokens": tokens} | {name: asked[name] for name in ("calls", "tokens_in", "tokens_out", "usd")}
