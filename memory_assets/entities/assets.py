"""The shell of extraction."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.entities import policy
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.metadata import describe_extraction, read_extent
from memory_assets.operations.scope import RunScope
from memory_assets.operations.steps import Done, asset_options, work_through
from memory_assets.resources import GraphResource, InstallationResource, ModelResource


@dg.asset(
    **asset_options(
        "extracted_entities", group="entities", kinds={"neo4j", "openai"}, code_version=policy.CODE_VERSION
    )
)
def extracted_entities(
    context: dg.AssetExecutionContext,
    config: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """People, concepts, entities and statements of a user's sources and of the user's teams' sources.

    Asks the model once for every source whose extraction is missing, failed, or was made from another text,
    prompt, model or code. A team's sources are extracted for each member, into the member's own graph.
    """

    def extract(user: str) -> Done:
        extractor = Extractor(
            graph.open(),
            models.language("extracted_entities"),
            models.embedder(),
            installation.clock,
            user,
            context.log.info,
        )
        counts = extractor.run(config)
        return Done(describe_extraction(counts, read_extent(graph.open(), user)), extractor.problems)

    yield from work_through(context, config, graph, models, installation, extract)
