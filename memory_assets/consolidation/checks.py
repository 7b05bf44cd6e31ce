"""Claims about consolidation that can be false."""

import dagster as dg

from memory_assets.consolidation.assets import consolidated_memories
from memory_assets.runtime.judging import judge_users
from memory_assets.runtime.resources import GraphResource


@dg.asset_check(asset=consolidated_memories)
def every_insight_has_its_sources(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """Every insight is taken from sources of its owner's, which are there, archived or not."""
    return judge_users(
        context,
        graph,
        "consolidation/list_unevidenced",
        "insights that no source stands behind",
        remedy="take these consolidations back (`memory-assets undo`); if it happens again, report it",
    )
