"""What people look at on compressed_contexts: how many at which level, how long they are, and what they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memory_assets.compression.policy import FULL, LEVELS, RULES, SENSITIVE, SUMMARY, due_key
from memory_assets.graph.graph import Graph
from memory_assets.model import ContentType
from memory_assets.presentation.reports import IN_PLACE, count_table, markdown_table

_ALWAYS = ("sources", "due", "compressed", "placed", "retired", "expired")
_LEVELS = {
    "level": "level", "contexts": "contexts", "tokens": "tokens", "share": "share of the full (%)",
    "target": "at most (%)", "sensitive": "sensitive", "accesses": "accesses",
}  # fmt: skip


def describe_contexts(graph: Graph, user: str, now: datetime, counts: Counter[str]) -> dict[str, Any]:
    """What a run of compression did (``counts`` as ``Compressor.run`` gives them), and what the user's graph holds
    now: contexts by level, content type and tier, and how many have expired.
    """
    (row,) = graph.read("compression/count_expired", user_id=user, first=f"{user} ", last=due_key(user, now))
    rows = graph.read("compression/count_contexts", user_id=user)
    shown: dict[str, Any] = {key: counts[key] for key in _ALWAYS}
    shown["sources"] = sum(row["contexts"] for row in rows if row["level"] == FULL)
    shown["contexts_in_all"] = sum(row["contexts"] for row in rows)
    shown["contexts_expired"] = row["expired"]
    shown["accesses"] = sum(row["accesses"] for row in rows)
    levels = [_level(name, rows) for name in LEVELS]
    if not levels[0]["contexts"]:
        return shown
    shown |= {f"tokens_{row['level']}": row["tokens"] for row in levels}
    shown["levels"] = markdown_table(_LEVELS, levels, fit=IN_PLACE)
    types = {kind.value: 0 for kind in ContentType}
    for row in rows:
        if row["level"] == FULL:
            types[row["content_type"]] = types.get(row["content_type"], 0) + row["contexts"]
    shown["content_types"] = count_table("content type", types, "sources")
    return shown


def _level(name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    own = [row for row in rows if row["level"] == name]
    tokens = sum(row["tokens"] for row in own)
    full = sum(row["tokens"] for row in rows if row["level"] == FULL)
    target = 100 if name == FULL else RULES.summary_percent if name == SUMMARY else RULES.keywords_percent
    sensitive = sum(row["contexts"] for row in own if row["access_tier"] == SENSITIVE)
    counts = {what: sum(row[what] for row in own) for what in ("contexts", "accesses")}
    share = round(100 * tokens / full, 2) if full else 0.0
    return {"level": name, "tokens": tokens, "share": share, "target": target, "sensitive": sensitive, **counts}
