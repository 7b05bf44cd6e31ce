"""What a person sees of storylines and macros in Dagster: counts, cost, and the longest of them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

_ALWAYS = ("users_unchanged", "named", "named_before", "failed", "left_by_budget", "retired")
_SOMETIMES = ("anchors", "stories", "told_twice_or_over", "storylines", "themes")


def report(counts: Counter[str]) -> dict[str, Any]:
    """Metadata of a materialisation, as plain values."""
    metadata: dict[str, Any] = {key: counts[key] for key in _ALWAYS}
    metadata |= {key: counts[key] for key in _SOMETIMES if key in counts}
    metadata["tokens_in"] = counts["tokens_in"]
    metadata["tokens_out"] = counts["tokens_out"]
    metadata["answers_from_cache"] = counts["cached"]
    metadata["usd"] = counts["microdollars"] / 1e6
    if counts["left_by_budget"]:
        metadata["stopped"] = (
            f"by the budget: {counts['left_by_budget']} wait for their names until the next run"
        )
    return metadata


def storyline_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The longest storylines, as Markdown."""
    lines = ["| storyline | about | sources | days | from | to |", "|---|---|---|---|---|---|"]
    for row in rows:
        cells = (row["title"], row["anchor"], row["source_count"], row["distinct_source_days"])
        lines.append(_line(*cells, _day(row["first_source_at"]), _day(row["last_source_at"])))
    return "\n".join(lines)


def macro_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The largest macros, as Markdown."""
    lines = ["| macro | about | storylines | sources | from | to |", "|---|---|---|---|---|---|"]
    for row in rows:
        cells = (row["title"], row["anchor"], row["storyline_count"], row["total_source_count"])
        lines.append(_line(*cells, _day(row["first_event_at"]), _day(row["last_event_at"])))
    return "\n".join(lines)


def _line(*cells: object) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _day(at: datetime | None) -> str:
    return at.date().isoformat() if at else ""
