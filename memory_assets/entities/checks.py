"""Claims about extraction that can be false."""

from typing import Any

import dagster as dg

from memory_assets.entities.assets import extracted_entities
from memory_assets.model import is_team
from memory_assets.operations.partitions import owners, owners_to_judge
from memory_assets.resources import GraphResource


@dg.asset_check(asset=extracted_entities, partitions_def=owners, blocking=True)
def every_statement_has_a_source(
    context: dg.AssetCheckExecutionContext, graph: GraphResource
) -> dg.AssetCheckResult:
    """A statement, person, concept or entity that no source supports has no place in a memory file.

    One that somebody recalled, or wants kept forever, may outlive its sources: the rails keep it.
    """
    found = _of_users(context, graph, "entities/list_unsupported_memories")
    return dg.AssetCheckResult(passed=not found, metadata=_sample(found))


@dg.asset_check(asset=extracted_entities, partitions_def=owners, blocking=True)
def memories_stay_with_their_owner(
    context: dg.AssetCheckExecutionContext, graph: GraphResource
) -> dg.AssetCheckResult:
    """A user's memories come from the user's own sources and those of the user's teams, nobody else's."""
    found = _of_users(context, graph, "entities/list_foreign_links")
    return dg.AssetCheckResult(passed=not found, metadata=_sample(found))


@dg.asset_check(asset=extracted_entities, partitions_def=owners)
def no_extraction_failed(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """Every source that was tried gave its entities. A failed one is tried again by the next run."""
    found = _of_users(context, graph, "entities/list_failed_extractions")
    return dg.AssetCheckResult(passed=not found, severity=dg.AssetCheckSeverity.WARN, metadata=_sample(found))


def _of_users(
    context: dg.AssetCheckExecutionContext, graph: GraphResource, name: str
) -> list[dict[str, Any]]:
    users = [owner for owner in owners_to_judge(context) if not is_team(owner)]
    return [{"user": user} | row for user in users for row in graph.open().read(name, user_id=user)]


def _sample(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"found": len(rows), "first": dg.MetadataValue.json(rows[:20])}
