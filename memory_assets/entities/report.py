"""What a person sees of an extraction in Dagster: counts, cost, and the names that matter most. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

_ALWAYS = ("due", "standing", "extracted", "failed", "mentions", "statements", "retired", "left_by_budget")


def report(counts: Counter[str], top: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Metadata of a materialisation, as plain values; ``top_anchors`` is a Markdown table."""
    metadata: dict[str, Any] = {key: counts[key] for key in _ALWAYS}
    metadata |= {key: count for key, count in sorted(counts.items()) if key.startswith("dropped")}
    metadata["tokens_in"] = counts["tokens_in"]
    metadata["tokens_out"] = counts["tokens_out"]
    metadata["answers_from_cache"] = counts["cached"]
    metadata["usd"] = counts["microdollars"] / 1e6
    if counts["left_by_budget"]:
        metadata["stopped"] = f"by the budget: {counts['left_by_budget']} sources wait for the next run"
    metadata["top_anchors"] = _table(top)
    return metadata


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = ["| name | kind | sources | days |", "|---|---|---|---|"]
    for row in rows:
        name = str(row["name"]).replace("|", "\\|")
        lines.append(
            f"| {name} | {row['entity_type']} | {row['source_count']} | {row['distinct_source_days']} |"
        )
    return "\n".join(lines)
