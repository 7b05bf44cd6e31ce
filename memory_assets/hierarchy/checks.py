"""Claims about storylines and macros that can be false."""

from typing import Any

import dagster as dg

from memory_assets.hierarchy import macro_policy, policy
from memory_assets.hierarchy.assets import macros, storylines
from memory_assets.model import is_team
from memory_assets.operations.partitions import owners, owners_to_judge
from memory_assets.resources import GraphResource


@dg.asset_check(asset=storylines, partitions_def=owners, blocking=True)
def storylines_meet_the_counters(
    context: dg.AssetCheckExecutionContext, graph: GraphResource
) -> dg.AssetCheckResult:
    """Every storyline includes five or more sources on three or more distinct days (specification 004)."""
    rules = policy.RULES
    found = _of_users(
        context,
        graph,
        "hierarchy/list_weak_storylines",
        least_sources=rules.least_sources,
        least_days=rules.least_days,
    )
    return dg.AssetCheckResult(passed=not found, metadata=_sample(found))


@dg.asset_check(asset=storylines, partitions_def=owners)
def no_source_is_told_twice(
    context: dg.AssetCheckExecutionContext, graph: GraphResource
) -> dg.AssetCheckResult:
    """No source is in two storylines of one anchor."""
    found = _of_users(context, graph, "hierarchy/list_shared_sources")
    return dg.AssetCheckResult(passed=not found, metadata=_sample(found))


@dg.asset_check(asset=macros, partitions_def=owners, blocking=True)
def macros_meet_the_counters(
    context: dg.AssetCheckExecutionContext, graph: GraphResource
) -> dg.AssetCheckResult:
    """Every macro groups two or more storylines over thirty or more days (specification 004)."""
    rules = macro_policy.RULES
    found = _of_users(
        context,
        graph,
        "hierarchy/list_weak_macros",
        least_storylines=rules.least_storylines,
        least_days=rules.least_span.days,
    )
    return dg.AssetCheckResult(passed=not found, metadata=_sample(found))


def _of_users(
    context: dg.AssetCheckExecutionContext, graph: GraphResource, name: str, **params: Any
) -> list[dict[str, Any]]:
    users = [owner for owner in owners_to_judge(context) if not is_team(owner)]
    return [{"user": user} | row for user in users for row in graph.open().read(name, user_id=user, **params)]


def _sample(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"found": len(rows), "first": dg.MetadataValue.json(rows[:20])}
