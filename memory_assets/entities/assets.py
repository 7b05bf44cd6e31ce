"""The shell of extraction."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import dagster as dg

from memory_assets.entities import policy
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.report import report
from memory_assets.model import is_team
from memory_assets.operations.partitions import owners
from memory_assets.operations.window import WindowConfig
from memory_assets.resources import GraphResource, InstallationResource, ModelResource


@dg.asset(
    deps=["processed_sources"],
    partitions_def=owners,
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=20),
    group_name="entities",
    owners=["team:memory"],
    kinds={"neo4j", "openai"},
    code_version=policy.CODE_VERSION,
    output_required=False,
)
def extracted_entities(
    context: dg.AssetExecutionContext,
    config: WindowConfig,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult]:
    """People, concepts, entities and statements of a user's sources and of the user's teams' sources.

    Asks the model once for every source whose extraction is missing, failed, or was made from another text,
    prompt, model or code. A team's sources are extracted for each member, into the member's own graph.
    """
    total: Counter[str] = Counter()
    top: list[dict[str, Any]] = []
    users = [key for key in context.partition_keys if not is_team(key)]
    for user in users:
        with installation.owner_lock(user):
            extractor = Extractor(
                graph.open(), models.language(), models.embedder(), installation.clock, user, context.log.info
            )
            total += extractor.run(config)
        top += graph.open().read("entities/list_top_anchors", user_id=user)
    if not users:
        context.log.info("A team's sources are extracted for each of its members: nothing to do here.")
        return
    metadata = report(total, top)
    metadata["top_anchors"] = dg.MetadataValue.md(metadata["top_anchors"])
    yield dg.MaterializeResult(metadata=metadata)
