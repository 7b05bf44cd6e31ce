"""What a person's edits of HEARTBEAT.md files still need their word for."""

import dagster as dg

from memory_assets.heartbeat.edit_store import list_task_conflicts
from memory_assets.runtime.judging import users_to_judge, verdict
from memory_assets.runtime.resources import GraphResource

CLAIM = "Every task that people wrote into their HEARTBEAT.md is one; none vanished from it unasked."
REMEDY = (
    "`memory-assets edits --user U` lists the edits. `edits confirm` lets the tasks rest that had vanished and takes the "
    "others as seen, `edits undo ID` takes an edit back; the file can be edited again"
)


@dg.asset_check(asset="heartbeat_file", description=CLAIM)
def task_edits_are_taken_in(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """Each conflict between an edit of a HEARTBEAT.md and the registry, with both texts."""
    users = users_to_judge(context)
    found = [{"user": user} | row for user in users for row in list_task_conflicts(graph.open(), user)]
    return verdict(
        context,
        users,
        found,
        REMEDY,
        dg.AssetCheckSeverity.WARN,
        # The texts stand in the check alone, as those of other edits do.
        alert=f"{len(found)} edits of HEARTBEAT.md files need their owner's word",
        claim=CLAIM,
        identity="edit",
    )
