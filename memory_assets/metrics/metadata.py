"""What people look at on bounded_memory_metrics: the four metrics as they are, and their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_assets.metrics import policy
from memory_assets.presentation import plots
from memory_assets.presentation.reports import IN_PLACE, Markdown, bar, markdown_table


def describe_metrics(history: Sequence[Mapping[str, Any]], *, is_new: bool) -> dict[str, Any]:
    """The last snapshot in figures and tables, and all of ``history`` (oldest first) as pictures."""
    now = history[-1]
    shown: dict[str, Any] = {name: now[name] for name in ("memories", "file_entries")}
    shown |= {"snapshot_kept": is_new, "days_in_history": len(history)}
    shown |= {"utilization": utilization_table(now), "tiers": tier_table(now)}
    if now["graph_to_file_ratio"] is not None:
        shown["graph_to_file_ratio"] = now["graph_to_file_ratio"]
    if now["heartbeat"]["tasks"]:
        shown["heartbeat_loading"] = heartbeat_table(now)
    return shown | pictures(history)


def utilization_table(now: Mapping[str, Any]) -> Markdown:
    """How full each file is, by the fullest of its limits."""
    rows = [{**file, "bar": bar(file["utilization_pct"], 100)} for file in now["files"]]
    columns = {"path": "file", "tokens": "tokens", "entries": "entries", "utilization_pct": "used, %"}
    return markdown_table(columns | {"of": "of its", "bar": ""}, rows, fit=IN_PLACE)


def tier_table(now: Mapping[str, Any]) -> Markdown:
    """Memories and mean values by tier."""
    rows = [{"tier": tier, **figures} for tier, figures in now["tiers"].items()]
    return markdown_table({"tier": "tier", "memories": "memories", "mean_value": "mean value"}, rows)


def heartbeat_table(now: Mapping[str, Any]) -> Markdown:
    """What lazy loading saves, and how much of it was ever loaded."""
    names = {
        "tasks": "tasks",
        "loaded_at_least_once": "loaded in full at least once",
        "never_loaded": "never loaded",
        "deferred": "deferred",
        "file_tokens": "tokens of HEARTBEAT.md",
        "definition_tokens": "tokens of all definitions in full",
        "loading_pct": "the file's share of them, %",
        "avg_executions": "executions of a task on average",
    }
    rows = [{"heartbeat": words, "figure": now["heartbeat"][name]} for name, words in names.items()]
    return markdown_table(["heartbeat", "figure"], rows)


def pictures(history: Sequence[Mapping[str, Any]]) -> dict[str, Markdown]:
    """The four curves, each with its last figures in words; none of a single day, which the tables show."""
    days = [row["day"] for row in history]
    if len(days) < 2:
        return {}
    units = {"utilization": "% of the ceiling", "tiers": "memories"}
    units |= {"graph_to_file": "memories per line", "heartbeat": "tokens"}
    drawn = {}
    for name, lines in policy.chart(history).items():
        if any(value is not None for line in lines.values() for value in line):
            last = ", ".join(f"{label} {line[-1]:g}" for label, line in lines.items() if line[-1] is not None)
            says = f"{name.replace('_', ' ')} since {days[0]}: on {days[-1]} {last or 'nothing'}"
            drawn[f"{name}_plot"] = plots.curves(days, lines, unit=units[name], says=says)
    return drawn
