"""The specification's four metrics as a table of pure functions (000, Key Metrics to Track)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory_assets.model import RetentionTier

CODE_VERSION = "1"
"""Raise it when the same state would be measured differently."""

RETENTION_DAYS = 730
"""Snapshots of days as long ago as this go."""

Row = Mapping[str, Any]


def measure(files: Iterable[Row], totals: Row, tasks: Row, heartbeat_tokens: int | None) -> dict[str, Any]:
    """A user's metrics by what the graph says: rows of manifests, the totals of values and tasks, HEARTBEAT.md's
    tokens.

    ``files``: of each its path, tokens, entries and ``utilization_pct`` of the fullest of its limits (``of``);
    ``tiers``: memories and their mean value; ``graph_to_file_ratio``: memories in the graph for each of the
    ``file_entries``; ``heartbeat``: what loading tasks only when due saves. Shares are percentages with two digits.
    It is the same as JSON.
    """
    placed: set[str] = set()
    measured = []
    for row in files:
        listed = {entry["memory_id"] for entry in json.loads(row["entries"] or "[]")}
        placed |= listed
        measured.append({"path": row["path"], "tokens": row["tokens"], "entries": len(listed), **_fullest(row)})
    memories = totals.get("memories", 0)
    found = json.loads(totals.get("tiers") or "{}")
    nobody = {"memories": 0, "mean_value": 0.0}
    tiers = {tier.value: found.get(tier.value, nobody) for tier in RetentionTier}
    ratio = round(memories / len(placed), 2) if placed else None
    measures = {"files": measured, "tiers": tiers, "memories": memories, "file_entries": len(placed)}
    return measures | {"graph_to_file_ratio": ratio, "heartbeat": _heartbeat(tasks, heartbeat_tokens)}


def _fullest(row: Row) -> dict[str, Any]:
    """Which limit of a file is used most, and how far."""
    sizes = json.loads(row["sizes"])
    shares = {unit: 100.0 * sizes[unit] / most for unit, most in json.loads(row["limits"]).items()}
    unit = max(sorted(shares), key=lambda name: shares[name])
    return {"of": unit, "utilization_pct": round(shares[unit], 2)}


def _heartbeat(tasks: Row, file_tokens: int | None) -> dict[str, float | None]:
    count, loaded = tasks.get("tasks") or 0, tasks.get("loaded") or 0
    whole = tasks.get("definition_tokens") or 0
    share = round(100.0 * (file_tokens or 0) / whole, 2) if whole else None
    mean = round((tasks.get("executions") or 0) / count, 2) if count else None
    figures = {"tasks": count, "loaded_at_least_once": loaded, "never_loaded": count - loaded}
    figures |= {"deferred": tasks.get("deferred") or 0, "file_tokens": file_tokens or 0, "definition_tokens": whole}
    return {**figures, "loading_pct": share, "avg_executions": mean}


def chart(history: Sequence[Row]) -> dict[str, dict[str, list[float | None]]]:
    """The four curves over a history (oldest first): by metric, then by line, a number or None for each snapshot."""
    paths = sorted({file["path"] for row in history for file in row["files"]})
    by_path = [{file["path"]: file["utilization_pct"] for file in row["files"]} for row in history]
    return {
        "utilization": {label: [found.get(path) for found in by_path] for path, label in _labels(paths).items()},
        "tiers": {tier.value: [row["tiers"][tier.value]["memories"] for row in history] for tier in RetentionTier},
        "graph_to_file": {"memories per line": [row["graph_to_file_ratio"] for row in history]},
        "heartbeat": {
            "HEARTBEAT.md": [row["heartbeat"]["file_tokens"] for row in history],
            "all definitions": [row["heartbeat"]["definition_tokens"] for row in history],
        },
    }


def _labels(paths: Sequence[str]) -> dict[str, str]:
    """The ends of paths, of two parts or as many as distinguish each from all others."""
    parts = {path: path.split("/") for path in paths}
    longest = max(map(len, parts.values()), default=0)
    for count in range(2, longest + 1):
        labels = {path: "/".join(names[-count:]) for path, names in parts.items()}
        if len(set(labels.values())) == len(labels):
            return labels
    return {path: path for path in paths}
