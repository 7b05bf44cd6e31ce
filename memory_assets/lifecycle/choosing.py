"""How long a memory lives, as somebody has chosen it (004, TTL Policy Table): a decision about it, and the way back.

The next ageing of its owner's memories goes by it: what is kept for ever does not fade, and is there again if it had;
what is ephemeral expires 30 days (of what happened) or 90 days (of what is known) after it was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import UnknownReferenceError, WrongUseError
from memory_assets.graph.decisions import TTL, decision_row, recorded
from memory_assets.graph.graph import Graph
from memory_assets.graph.lives import TRACKED
from memory_assets.graph.statements import in_statements
from memory_assets.lifecycle.folding import VALUED
from memory_assets.model import node_id
from memory_assets.privacy.masking import mask_text

TAKEN_BACK = "taken-back"

Row = dict[str, Any]


@dataclass(frozen=True)
class Choice:
    """By which policy a memory lives now, and by which it did ``before``; the id of the decision takes it back."""

    ref: str
    policy: str
    before: str
    decision: str


def choose_policy(graph: Graph, user: str, ref: str, policy: str, reason: str, now: datetime) -> Choice:
    """Have a memory live by a policy: ``keep_forever``, ``ephemeral`` or ``decay``. The owner's lock is held.

    Raises :class:`UnknownReferenceError` where the user has no such memory, and :class:`WrongUseError` for what has no
    life of its own (a record says itself how long it holds) and for the owner, who is always known.
    """
    key = ref.strip("[]")
    found = graph.read("graph/find_memory", user_id=user, ref=key)
    if not found:
        raise UnknownReferenceError(f"{user} has no memory [{key}]: `recall` and the published files give references.")
    memory = found[0]["memory_id"]
    life = _life(graph, user, memory)
    if life is None or life["is_owner"]:
        raise WrongUseError(f"How long [{key}] lives is nobody's choice: it is a record, a context or the owner.")
    identifier = node_id("decision", user, TTL, memory)
    chosen = _read(graph, user, identifier)
    said = {
        "id": identifier,
        "memory_id": memory,
        "ref": key,
        "before": chosen["before"] if chosen else life["ttl_policy"],
    }
    _write(graph, user, {**said, "action": policy, "reason": mask_text(reason.strip())}, life, policy, now)
    return Choice(key, policy, life["ttl_policy"], identifier)


def take_back(graph: Graph, user: str, identifier: str, now: datetime) -> None:
    """Have a memory live by the policy that it had before somebody chose one. The owner's lock is held."""
    chosen = _read(graph, user, identifier)
    if chosen is None:
        raise UnknownReferenceError(f"Of {user} no choice with the id {identifier!r} is in force.")
    said = {"id": identifier, **chosen, "action": TAKEN_BACK, "reason": "taken back"}
    _write(graph, user, said, _life(graph, user, chosen["memory_id"]), chosen["before"], now)


def _read(graph: Graph, user: str, identifier: str) -> Row | None:
    return next(iter(graph.read("lifecycle/find_choice", user_id=user, id=identifier)), None)


def _life(graph: Graph, user: str, memory: str) -> Row | None:
    rows = graph.read("graph/list_lives", user_id=user, memory_ids=[memory])
    return next((row for row in rows if not TRACKED.isdisjoint(row["labels"])), None)


def _write(graph: Graph, user: str, said: Row, life: Row | None, policy: str, now: datetime) -> None:
    """One transaction: the decision with its audit, and the policy of the memory, if it is there."""
    at, action = to_iso(now), said["action"]
    audit = {"audit_id": node_id("audit", said["id"], action, at), "audit_action": f"ttl-{action}"}
    row = {**said, **audit, "at": at, "snapshot": f"{life['ttl_policy'] if life else None} -> {policy}"}
    decision = decision_row(TTL, row, f"[{said['ref']}]", in_force=action != TAKEN_BACK)
    is_valued = life is not None and not VALUED.isdisjoint(life["labels"])
    lives = [{"id": said["memory_id"], "policy": policy, "is_valued": is_valued}]
    graph.write_together(
        [*recorded(user, [decision], now), *in_statements("lifecycle/set_policy", lives, user_id=user)]
    )
