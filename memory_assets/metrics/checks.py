"""A claim about the bounded files, over all that is published, that can be false."""

import dagster as dg

from memory_assets.metrics import policy
from memory_assets.metrics.assets import bounded_memory_metrics
from memory_assets.metrics.snapshots import read_measures
from memory_assets.runtime.judging import users_to_judge, verdict
from memory_assets.runtime.resources import GraphResource

CLAIM = "No published file takes more than its ceiling, in any of its units."
REMEDY = "materialise memory_draft and memory_file of these users; if it fails again, report it"


@dg.asset_check(asset=bounded_memory_metrics, description=CLAIM)
def files_are_within_their_ceilings(
    context: dg.AssetCheckExecutionContext, graph: GraphResource
) -> dg.AssetCheckResult:
    """What is published for each user, as it is now."""
    opened, users = graph.open(), users_to_judge(context)
    found = [{"user": user, **file} for user in users for file in policy.too_full(read_measures(opened, user))]
    return verdict(
        context,
        users,
        found,
        REMEDY,
        dg.AssetCheckSeverity.WARN,
        alert=f"{len(found)} files beyond their ceilings",
        claim=CLAIM,
    )
