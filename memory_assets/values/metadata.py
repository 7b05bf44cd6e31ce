"""What people look at on value_classifications: tiers by kind, and how the values are spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memory_assets.model import RetentionTier
from memory_assets.presentation import plots
from memory_assets.presentation.reports import IN_PLACE, Markdown, bar, markdown_table
from memory_assets.values.scored import KINDS, SPREAD_STEPS


def describe_values(report: Mapping[str, Any]) -> dict[str, Any]:
    """What a classification changed, and how a user's values are spread now (``Scored.spread``)."""
    spread = report["spread"]
    memories = sum(row["memories"] for row in spread)
    shown: dict[str, Any] = {"memories": memories}
    shown |= {"changed": report.get("written", 0), "retired": report.get("retired", 0)}
    if report["unchanged"]:
        shown["note"] = "nothing that a value depends on has changed since the last run"
    if memories:
        shown["mean_value"] = round(sum(row["total_score"] for row in spread) / memories, 4)
        shown["tiers"] = tier_table(spread)
        shown["values"] = value_table(spread)
        shown["values_plot"] = distribution(spread)
    return shown


def tier_table(spread: Sequence[Mapping[str, Any]]) -> Markdown:
    """Memories by kind and tier, with the mean value of each kind."""
    rows = []
    for kind in KINDS:
        own = [row for row in spread if row["entity_type"] == kind]
        memories = sum(row["memories"] for row in own)
        tiers = {tier.value: sum(row["memories"] for row in own if row["tier"] == tier) for tier in RetentionTier}
        mean = sum(row["total_score"] for row in own) / memories if memories else None
        rows.append({"kind": kind, **tiers, "all": memories, "mean": mean})
    tiers = {tier.value: tier.value for tier in RetentionTier}
    return markdown_table({"kind": "kind", **tiers, "all": "all", "mean": "mean value"}, rows)


def value_table(spread: Sequence[Mapping[str, Any]]) -> Markdown:
    """How many memories are worth how much, in tenths."""
    found: Counter[int] = Counter()
    for row in spread:
        found[row["step"] * 10 // SPREAD_STEPS] += row["memories"]
    most = max(found.values(), default=0)
    values = [f"{tenth / 10:.1f} to {(tenth + 1) / 10:.1f}" for tenth in range(10)]
    rows = [{"value": value, "memories": (n := found[at]), "bar": bar(n, most)} for at, value in enumerate(values)]
    return markdown_table({"value": "value", "memories": "memories", "bar": ""}, rows, fit=IN_PLACE)


def distribution(spread: Sequence[Mapping[str, Any]]) -> Markdown:
    """How many memories are worth how much, by tier."""
    found: Counter[tuple[str, int]] = Counter()
    for row in spread:
        found[row["tier"], row["step"]] += row["memories"]
    series = {tier.value: [found[tier.value, step] for step in range(SPREAD_STEPS)] for tier in RetentionTier}
    totals = [sum(counts) for counts in zip(*series.values(), strict=True)]
    fullest = totals.index(max(totals))
    said = ", ".join(f"{sum(counts)} {tier}" for tier, counts in series.items())
    says = (
        f"{sum(totals)} memories by value: {said}; "
        f"most between {fullest / SPREAD_STEPS:.2f} and {(fullest + 1) / SPREAD_STEPS:.2f}: {totals[fullest]}"
    )
    labels = [f"{step / SPREAD_STEPS:.2f}" for step in range(SPREAD_STEPS)]
    return plots.stacked_bars(labels, series, unit="memories", says=says, below="value, from")
