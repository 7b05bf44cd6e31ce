"""The shell of extraction."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.entities import policy
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.report import report
from memory_assets.operations.partitions import backfill_policy, owners, users_of_run
from memory_assets.operations.unfinished import tell_unfinished
from memory_assets.operations.window import WindowConfig
from memory_assets.resources import GraphResource, InstallationResource, ModelResource


@dg.asset(
    deps=["processed_sources"],
    partitions_def=owners,
    backfill_policy=backfill_policy,
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
    users = users_of_run(context, "A team's sources are extracted for each of its members, with the member.")
    for user in users:
        with installation.owner_lock(user):
            extractor = Extractor(
                graph.open(), models.language(), models.embedder(), installation.clock, user, context.log.info
            )
            counts = extractor.run(config)
        metadata = report(counts, graph.open().read("entities/list_top_anchors", user_id=user))
        metadata["top_anchors"] = dg.MetadataValue.md(metadata["top_anchors"])
        metadata |= tell_unfinished(context, extractor.problems)
        context.add_asset_metadata(metadata, partition_key=user)
    if users:
        yield dg.MaterializeResult()
