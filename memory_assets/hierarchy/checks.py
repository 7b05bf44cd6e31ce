"""Claims about storylines and macros that can be false."""

import dagster as dg

from memory_assets.hierarchy.assets import macros, storylines
from memory_assets.hierarchy.stories import RULES
from memory_assets.hierarchy.themes import MACRO_RULES
from memory_assets.runtime.judging import judge_users
from memory_assets.runtime.resources import GraphResource

REMEDY = "materialise storylines and macros of these users again with force; if it fails again, report it"


@dg.asset_check(asset=storylines, blocking=True)
def storylines_meet_the_counters(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """Every storyline includes five or more sources on three or more distinct days."""
    return judge_users(
        context,
        graph,
        "hierarchy/list_weak_storylines",
        "storylines of too few sources or days",
        REMEDY,
        blocking=True,
        least_sources=RULES.least_sources,
        least_days=RULES.least_days,
    )


@dg.asset_check(asset=macros, blocking=True)
def macros_meet_the_counters(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """Every macro groups two or more storylines over thirty or more days."""
    return judge_users(
        context,
        graph,
        "hierarchy/list_weak_macros",
        "macros of too few storylines or days",
        REMEDY,
        blocking=True,
        least_storylines=MACRO_RULES.least_storylines,
        least_days=MACRO_RULES.least_span.days,
    )
