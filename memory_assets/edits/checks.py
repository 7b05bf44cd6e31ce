"""What people's edits of published files still need their word for: one check beside each kind of file."""

import dagster as dg

from memory_assets.runtime.edited_files import HEARTBEAT, MEMORY
from memory_assets.runtime.judging import users_to_judge, verdict
from memory_assets.runtime.resources import EditedFiles, GraphResource

REMEDY = (
    "`memory-assets edits --user U` lists the edits. `edits confirm` {gone} and takes a conflict as seen (as long "
    "as its reason stays the same), `edits undo ID` takes an edit back; the file can be edited again"
)


def _check(asset: str, name: str, kind: str, file: str, gone: str, claim: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=asset, name=name, description=claim)
    def check(
        context: dg.AssetCheckExecutionContext, graph: GraphResource, edited_files: EditedFiles
    ) -> dg.AssetCheckResult:
        users = users_to_judge(context)
        found = [{"user": user} | row for user in users for row in edited_files.conflicts(graph.open(), user, kind)]
        # Only the check has the texts: the alert may reach somebody else than the memory's owner.
        alert, warns = f"{len(found)} edits of {file} files need their owner's word", dg.AssetCheckSeverity.WARN
        remedy = REMEDY.format(gone=gone)
        return verdict(context, users, found, remedy, warns, alert=alert, claim=claim, identity="edit")

    return check


edits_are_taken_in = _check(
    "memory_file",
    "edits_are_taken_in",
    MEMORY,
    "memory",
    "retires what had vanished",
    "What people wrote into their files stands there as they wrote it; nothing vanished from them unasked.",
)
task_edits_are_taken_in = _check(
    "heartbeat_file",
    "task_edits_are_taken_in",
    HEARTBEAT,
    "HEARTBEAT.md",
    "lets the tasks rest that had vanished",
    "Every task that people wrote into their HEARTBEAT.md is one; none vanished from it unasked.",
)
