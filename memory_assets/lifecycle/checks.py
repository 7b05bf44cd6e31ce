"""Claims about accesses that can be false."""

from datetime import timedelta

import dagster as dg

from memory_assets.clock import to_iso
from memory_assets.lifecycle.assets import accesses
from memory_assets.runtime.judging import users_to_judge, verdict
from memory_assets.runtime.missed import events_missed
from memory_assets.runtime.resources import InstallationResource

WINDOW = timedelta(days=1)
REMEDY = "`memory-assets server status` says why; `memory-assets server start` starts a server that is down"


@dg.asset_check(asset=accesses)
def agents_reach_the_server(
    context: dg.AssetCheckExecutionContext, installation: InstallationResource
) -> dg.AssetCheckResult:
    """Within the last day no event of a connected agent has missed the server: it was not down, slow or full."""
    users = users_to_judge(context)
    since = str(to_iso(installation.clock.now() - WINDOW))
    found = list(events_missed(installation.settings.home, users, since))
    events = sum(row["events"] for row in found)
    return verdict(
        context,
        users,
        found,
        REMEDY,
        dg.AssetCheckSeverity.WARN,
        alert=f"{events} events of agents have missed the server within a day",
    )
