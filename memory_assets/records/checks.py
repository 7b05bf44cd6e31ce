"""Claims about agents' records that can be false."""

import dagster as dg

from memory_assets.records.assets import agent_records
from memory_assets.runtime.judging import judge_users
from memory_assets.runtime.resources import GraphResource


@dg.asset_check(asset=agent_records)
def records_stay_with_their_owner(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """A user's records come from the user's own sources and refer to the user's own records, nobody else's."""
    return judge_users(
        context,
        graph,
        "records/list_foreign_records",
        "links of records to what is somebody else's",
        remedy="report it: a record of one owner was linked to something of another's",
    )
