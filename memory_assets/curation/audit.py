"""Whether what was retired could be retired: the audits judged again, by the rails as they read here. Pure.

The statements that retire check the rails in Cypher; this reads what they wrote down in the same
transaction, so a rail that is missing there shows here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from memory_assets.curation.rails import RETIREMENT_RAILS, closed_rails

RETIRABLE = frozenset(
    {"Person", "Concept", "Entity", "KnowledgeChunk", "Storyline", "Macro", "Relationship", "CompressedContext"}
)
"""What is derived, and therefore may stop being derived. A source never is."""


def judge_retirements(audits: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The audits that should not exist, each with its reasons; the properties seen at the deletion count."""
    violations: list[dict[str, str]] = []
    for audit in audits:
        reasons = _reasons(audit)
        if reasons:
            violations.append(
                {"memory_id": audit["memory_id"], "label": audit["label"], "protected_by": ", ".join(reasons)}
            )
    return violations


def _reasons(audit: Mapping[str, Any]) -> list[str]:
    reasons = [] if audit["label"] in RETIRABLE else ["never derived, so never retired"]
    try:
        snapshot = json.loads(audit["snapshot"] or "")
    except ValueError:
        return [*reasons, "its snapshot cannot be read"]
    seen = {name: audit[name] for name in ("state", "ttl_policy", "access_count")}
    at = audit["at"]
    now = at if isinstance(at, datetime) else datetime.fromisoformat(at)
    return [*reasons, *closed_rails(snapshot | seen | {"labels": [audit["label"]]}, now, RETIREMENT_RAILS)]
