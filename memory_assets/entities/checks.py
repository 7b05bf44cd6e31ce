"""Claims about extraction that can be false."""

import dagster as dg

from memory_assets.entities.assets import extracted_entities
from memory_assets.entities.metadata import read_failures
from memory_assets.runtime.judging import judge_users, users_to_judge, verdict
from memory_assets.runtime.resources import GraphResource

REMEDY = "materialise extracted_entities of these users again with force; if it fails again, report it"


@dg.asset_check(asset=extracted_entities, blocking=True)
def every_statement_has_a_source(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """Every statement, person, concept and entity has a source that supports it.

    One that somebody recalled, or wants to have forever, may outlive its sources; it stands in no file.
    """
    return judge_users(
        context, graph, "entities/list_unsupported_memories", "memories that no source supports", REMEDY, blocking=True
    )


@dg.asset_check(asset=extracted_entities, blocking=True)
def memories_stay_with_their_owner(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """A user's memories come from the user's own sources and those of the user's teams, nobody else's."""
    return judge_users(
        context, graph, "entities/list_foreign_links", "memories from sources of somebody else", REMEDY, blocking=True
    )


@dg.asset_check(asset=extracted_entities)
def no_extraction_failed(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """Every source that was tried gave its entities. A failed one is tried again where that can help."""
    users = users_to_judge(context)
    found = [{"user": user} | row for user in users for row in read_failures(graph.open(), user)]
    remedy = (
        "their errors say what is in the way; what may pass is tried again by itself, `memory-assets retry` tries all "
        "of them now"
    )
    alert = f"{len(found)} sources that could not be extracted"
    return verdict(context, users, found, remedy, dg.AssetCheckSeverity.WARN, identity="source_id", alert=alert)
