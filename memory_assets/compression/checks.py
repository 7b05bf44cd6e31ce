"""Claims about contexts that can be false."""

from dataclasses import asdict

import dagster as dg

from memory_assets.compression.assets import compressed_contexts
from memory_assets.compression.policy import RULES
from memory_assets.runtime.judging import judge_users
from memory_assets.runtime.resources import GraphResource

LIMITS = {name: value for name, value in asdict(RULES).items() if name != "keywords_days"}


@dg.asset_check(asset=compressed_contexts)
def levels_keep_their_ratio(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """No summary has more than a tenth of its source's tokens, no keywords more than three hundredths.

    Of a short source, 30 and 10 tokens are allowed; never more than the level above has.
    """
    return judge_users(
        context,
        graph,
        "compression/list_overlong",
        "levels of sources are longer than their share",
        remedy="materialise compressed_contexts of these users again with force; if it fails again, report it",
        **LIMITS,
    )


@dg.asset_check(asset=compressed_contexts)
def originals_are_reachable(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """From every context, keywords too, a way leads level by level to the source and its whole text."""
    return judge_users(
        context,
        graph,
        "compression/list_unreachable",
        "contexts have lost their original",
        remedy="materialise compressed_contexts of these users again with force; if it fails again, report it",
    )
