"""The partitions of every asset: one per owner, a user's id or ``team-<team>``, and how many one run may take.

Days stay in the graph and in run configuration, never in the partition key: an automation tick over
a thousand owners takes a second, over owners times days the better part of a minute.
"""

from __future__ import annotations

import dagster as dg

from memory_assets.model import is_team

owners = dg.DynamicPartitionsDefinition(name="owners")

# A run takes five to seven seconds to start, whatever it does: a backfill shares that among owners. All
# assets name this one policy; where they differ, Dagster falls back to a run per owner.
backfill_policy = dg.BackfillPolicy.multi_run(max_partitions_per_run=20)


def users_of_run(context: dg.AssetExecutionContext, of_a_team: str) -> list[str]:
    """The users among the owners of a run; a team's partition says ``of_a_team``, why there is nothing for it."""
    teams = [key for key in context.partition_keys if is_team(key)]
    for team in teams:
        context.add_asset_metadata({"note": of_a_team}, partition_key=team)
    if teams:
        context.log.info(f"{', '.join(teams)}: {of_a_team}")
    return [key for key in context.partition_keys if not is_team(key)]
