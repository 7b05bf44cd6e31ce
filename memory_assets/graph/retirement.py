"""What every retirement of a derived memory writes down: who, what, why, and what it was.

A derived memory that its sources no longer make up is retired by a file ``cypher/curation/retire_*``, which
checks the rails again and keeps this record in the same transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.model import node_id


def retirement_rows(
    user: str, memories: Iterable[Mapping[str, Any]], reason: str, now: datetime
) -> list[dict[str, Any]]:
    """Rows for a ``retire_*`` file from memories read as ``id``, ``labels`` and ``properties``.

    The embedding is left out of the snapshot: it follows from the text, by the embedder that is named.
    """
    return [
        {"id": one["id"], "audit_id": node_id("audit", user, one["id"], "retire", to_iso(now)), "reason": reason}
        | {"label": min((label for label in one["labels"] if label != "Memory"), default="Memory")}
        | {"snapshot": _snapshot(one["properties"])}
        for one in sorted(memories, key=lambda memory: memory["id"])
    ]


def archival_id(user: str, memory_id: str, at: datetime) -> str:
    """The id of the audit of a memory that is archived at an instant."""
    return node_id("audit", user, memory_id, "archive", to_iso(at))


def removal_rows(
    user: str, ids: Iterable[str], reason: str, now: datetime, removed_by: str = "owner"
) -> list[dict[str, Any]]:
    """Rows for ``curation/set_sources_removed``, and without ``removed_by`` for ``curation/restore_sources``.

    ``removed_by`` is ``owner`` where a person wants them gone, ``reader`` where their file is read otherwise now,
    ``undo`` where the decision is taken back whose words they hold.
    """
    audits = {one: node_id("audit", user, one, "remove", reason, to_iso(now)) for one in sorted(set(ids))}
    return [{"id": one, "audit_id": audit, "reason": reason, "removed_by": removed_by} for one, audit in audits.items()]


def _snapshot(properties: Mapping[str, Any]) -> str:
    stored = {key: value for key, value in properties.items() if key != "embedding"}
    return json.dumps(stored, sort_keys=True, ensure_ascii=False, default=_text)


def _text(value: object) -> str | None:
    return to_iso(value) if isinstance(value, datetime) else str(value)
