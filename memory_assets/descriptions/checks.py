"""A claim about descriptions that can be false."""

import dagster as dg

from memory_assets.descriptions.assets import descriptions
from memory_assets.descriptions.reading import unsupported_sentences
from memory_assets.runtime.judging import users_to_judge, verdict
from memory_assets.runtime.resources import GraphResource, InstallationResource

REMEDY = "materialise descriptions of these users again with force; if it fails again, report it"


@dg.asset_check(asset=descriptions)
def descriptions_follow_from_notes(
    context: dg.AssetCheckExecutionContext, graph: GraphResource, installation: InstallationResource
) -> dg.AssetCheckResult:
    """Every sentence of a month's descriptions is a note word for word, or cites notes that say what it says."""
    users, now = users_to_judge(context), installation.clock.now()
    found = [{"user": user} | row for user in users for row in unsupported_sentences(graph.open(), user, now)]
    return verdict(
        context, users, found, REMEDY, alert=f"{len(found)} sentences follow from nothing", identity="memory_id"
    )
