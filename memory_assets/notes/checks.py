"""Claims about notes that can be false."""

import dagster as dg

from memory_assets.notes.assets import notes
from memory_assets.runtime.judging import judge_users
from memory_assets.runtime.resources import GraphResource


@dg.asset_check(asset=notes)
def notes_stay_with_their_owner(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """A user's notes and relationships come from the user's own sources and those of the user's teams, nobody
    else's.
    """
    return judge_users(
        context,
        graph,
        "notes/list_foreign_notes",
        "notes or relationships from sources of somebody else",
        remedy="materialise notes of these users again with force; if it fails again, report it",
    )


@dg.asset_check(asset=notes)
def no_notes_failed(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """Every source that was tried gave its notes. A step that failed is tried again where that can help."""
    return judge_users(
        context,
        graph,
        "notes/list_failed_notes",
        "sources whose notes could not be taken",
        remedy="their errors say what is in the way; what may pass is tried again by itself, `memory-assets retry` "
        "tries all of them now",
        severity=dg.AssetCheckSeverity.WARN,
        identity="source_id",
    )
