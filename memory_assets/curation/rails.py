"""The never-prune safety rails, as one table (001), and the audits of what was retired or archived, judged by them.
Pure.

Each rail is a named claim about one memory: its properties, with ``labels`` for its types and ``agent_references``
for the number of agents that refer to it. A closed rail keeps the memory, whatever score, tier or time to live
says; unknown closes the rail, unless the memory's type already says that the rail is not about it. The statements
that retire check the rails in Cypher; the judgement reads what they wrote down in the same transaction, so that a
rail that is missing there shows here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from memory_assets.clock import in_utc
from memory_assets.model import RECORD_KINDS

Memory = Mapping[str, Any]
Rail = Callable[[Memory, datetime], bool]

GRACE = timedelta(hours=24)
CONSENSUS_REFERENCES = 4
PROVEN_ACCESSES = 5
CERTAIN_BELIEF = 0.9
CLOSED_TASKS = frozenset({"completed", "failed", "cancelled", "archived"})


def is_agent(memory: Memory, now: datetime) -> bool:
    """Rail 1: an agent's identity (every Agent node, not the six named ones only)."""
    return _is(memory, "Agent")


def is_agent_key(memory: Memory, now: datetime) -> bool:
    """Rail 2: security credentials."""
    return _is(memory, "AgentKey")


def is_open_task(memory: Memory, now: datetime) -> bool:
    """Rail 3: a task in progress, pending or blocked; one of unknown status counts as open."""
    return _is(memory, "Task") and memory.get("status") not in CLOSED_TASKS


def is_active_session(memory: Memory, now: datetime) -> bool:
    """Rail 4: a session that is active, or not known to have ended."""
    return _is(memory, "SessionContext") and memory.get("active") is not False


def is_certain_belief(memory: Memory, now: datetime) -> bool:
    """Rail 5: an active belief of confidence 0.9 or more; unknown state or confidence counts as both."""
    if not _is(memory, "Belief"):
        return False
    confidence = memory.get("confidence")
    return memory.get("state") in (None, "active") and (confidence is None or confidence >= CERTAIN_BELIEF)


def is_proven_reflection(memory: Memory, now: datetime) -> bool:
    """Rail 6: a consolidated reflection read more than five times. An unconsolidated one is never pruned
    either (001, TTL Rules), and neither is one whose readings are not known."""
    if not _is(memory, "Reflection"):
        return False
    accesses = memory.get("access_count")
    return memory.get("consolidated") is not True or accesses is None or accesses > PROVEN_ACCESSES


def is_migration(memory: Memory, now: datetime) -> bool:
    """Rail 7: the record of the schema's versions."""
    return _is(memory, "Migration")


def is_system_config(memory: Memory, now: datetime) -> bool:
    """Rail 8: the system's configuration."""
    return _is(memory, "SystemConfig")


def is_new(memory: Memory, now: datetime) -> bool:
    """Rail 9: created, or brought back by a person, within the last 24 hours, or at an unknown time."""
    created, restored = (_instant(memory.get(name)) for name in ("created_at", "restored_at"))
    return created is None or now - max(created, restored or created) < GRACE


def is_consensus(memory: Memory, now: datetime) -> bool:
    """Rail 10: four or more agents refer to it; no count counts as none."""
    return (memory.get("agent_references") or 0) >= CONSENSUS_REFERENCES


def is_owner(memory: Memory, now: datetime) -> bool:
    """The owner's own person (004); false where it is unknown."""
    return memory.get("is_owner") is True


def is_kept_forever(memory: Memory, now: datetime) -> bool:
    """By its TTL policy (004, TTL Policy Table: the highest precedence), a note by its lifetime; also where unknown."""
    if _is(memory, "Note"):
        return memory.get("lifetime") in (None, "forever")
    return memory.get("ttl_policy") in (None, "keep_forever")


def is_current_note(memory: Memory, now: datetime) -> bool:
    """A note whose time is not over, or not known (004, Note Retention)."""
    return _is(memory, "Note") and not _is_past(memory.get("expires_at"), now)


def is_core(memory: Memory, now: datetime) -> bool:
    """Retrieved ten times or more, or the owner (004, State Definitions); an unknown state may be that. Notes have
    none.
    """
    return memory.get("state") in (None, "core") and not _is(memory, "Note")


def was_recalled(memory: Memory, now: datetime) -> bool:
    """Somebody has used it, or nobody knows; notes are not used by themselves."""
    return memory.get("access_count") != 0 and not _is(memory, "Note")


RAILS: dict[str, Rail] = {
    rail.__name__: rail
    for rail in (
        *(is_agent, is_agent_key, is_open_task, is_active_session, is_certain_belief, is_proven_reflection),
        *(is_migration, is_system_config, is_new, is_consensus, is_kept_forever, is_owner),
    )
}
"""What no pruning passes: the ten, the word of a person, and the owner. ``@passes_rails`` says the same in Cypher."""

RETIREMENT_RAILS: dict[str, Rail] = {
    **{name: rail for name, rail in RAILS.items() if rail is not is_new},
    is_core.__name__: is_core,
    was_recalled.__name__: was_recalled,
    is_current_note.__name__: is_current_note,
}
"""What no retirement passes.

Retiring is not pruning: a statement, anchor, storyline or macro is retired when the sources no longer make
it up, and what replaces it is written in the same transaction. So the grace of rail 9, which gives a new
entry time to prove its worth, does not apply: the sources are what came in, and they stay. Instead whatever
somebody has used stays as well.
"""


def closed_rails(memory: Memory, now: datetime, rails: Mapping[str, Rail] = RAILS) -> tuple[str, ...]:
    """The names of the rails that keep a memory, in the order of the table; empty when none does."""
    return tuple(name for name, rail in rails.items() if rail(memory, now))


def _instant(value: object) -> datetime | None:
    """A stored instant, as it is or as text; None where it is neither."""
    try:
        instant = datetime.fromisoformat(value) if isinstance(value, str) else value
        return in_utc(instant) if isinstance(instant, datetime) else None
    except (ValueError, OverflowError):
        return None


def _is_past(value: object, now: datetime) -> bool:
    instant = _instant(value)
    return instant is not None and instant <= now


def _is(memory: Memory, label: str) -> bool:
    return label in (memory.get("labels") or ())


RETIRABLE = frozenset(
    {"Person", "Concept", "Entity", "KnowledgeChunk", "Storyline", "Macro", "Relationship", "CompressedContext", "Note"}
).union(RECORD_KINDS)
"""What is derived, and therefore may stop being derived. A source never is."""


def judge_retirements(audits: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The audits that should not exist, each with its reasons; the properties seen at the deletion count."""
    found = []
    for audit in audits:
        never = [] if audit["label"] in RETIRABLE else ["never derived, so never retired"]
        if reasons := [*never, *_closed(audit, RETIREMENT_RAILS)]:
            found.append(_violation(audit, reasons))
    return found


def judge_archivals(archived: Iterable[Mapping[str, Any]], audits: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The memories that should not be archived: without an audit of the instant at which they were, or in spite of a
    rail (001, 1 to 10; what lives forever, and the owner, 004).
    """
    known = {(audit["memory_id"], audit["at"]): audit for audit in audits}
    violations = []
    for memory in archived:
        audit = known.get((memory["memory_id"], memory["archived_at"]))
        reasons = ["there is no audit of it"] if audit is None else _closed(audit, RAILS)
        if memory["is_owner"]:
            reasons = [*reasons, "it is the owner"]
        if reasons:
            violations.append(_violation(memory, reasons))
    return violations


def _violation(memory: Mapping[str, Any], reasons: Iterable[str]) -> dict[str, str]:
    return {"memory_id": memory["memory_id"], "label": memory["label"], "protected_by": ", ".join(reasons)}


def judge_cuts(audits: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """What cycles of curation have cut in spite of a rail, by the audits of that (001, 1 to 10; a person's word)."""
    return [_violation(audit, reasons) for audit in audits if (reasons := _closed(audit, RAILS))]


def _closed(audit: Mapping[str, Any], rails: Mapping[str, Rail]) -> list[str]:
    """The rails that an audit should have found closed, by what it has written down."""
    try:
        snapshot = json.loads(audit["snapshot"] or "")
    except ValueError:
        return ["its snapshot cannot be read"]
    # A whole one has its properties by themselves, and says which of them are instants.
    known = {
        name: value.get("$at") if isinstance(value, dict) else value
        for name, value in snapshot.get("properties", snapshot).items()
    }
    seen = {name: audit[name] for name in ("state", "ttl_policy", "access_count")}
    referred = {"agent_references": audit["agent_references"]} if "agent_references" in audit else {}
    at = audit["at"]
    now = at if isinstance(at, datetime) else datetime.fromisoformat(at)
    return list(closed_rails(known | seen | referred | {"labels": [audit["label"]]}, now, rails))
