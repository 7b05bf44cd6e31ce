"""Whether contradictions wait for somebody's word."""

from datetime import datetime, timedelta

import dagster as dg

from memory_assets.runtime.judging import users_to_judge, verdict
from memory_assets.runtime.resources import GraphResource, InstallationResource
from memory_assets.validity.decisions import open_contradictions

OPEN_DAYS = 30
"""So long a contradiction may be open (003: 7 and 30 days are its ages)."""
REMEDY = (
    "`memory-assets contradictions --user U` lists them, `contradictions resolve ID a_wins|b_wins|both_valid|merged` "
    "decides one"
)
CLAIM = f"No two statements have contradicted each other for {OPEN_DAYS} days without somebody's word."


@dg.asset_check(asset="statement_validity", description=CLAIM)
def contradictions_are_resolved(
    context: dg.AssetCheckExecutionContext, graph: GraphResource, installation: InstallationResource
) -> dg.AssetCheckResult:
    """Warns of contradictions that were found long ago and are open."""
    users, now = users_to_judge(context), installation.clock.now()
    found = [
        {"user": user, "contradiction": row["id"], "kind": row["kind"], "found": row["found_at"][:10]}
        for user in users
        for row in open_contradictions(graph.open(), user)
        if now - datetime.fromisoformat(row["found_at"]) > timedelta(days=OPEN_DAYS)
    ]
    # The statements are read with the command: whoever gets the alert may not be whose memory it is.
    alert = f"{len(found)} contradictions have been open for {OPEN_DAYS} days"
    return verdict(
        context, users, found, REMEDY, dg.AssetCheckSeverity.WARN, alert=alert, claim=CLAIM, identity="contradiction"
    )
