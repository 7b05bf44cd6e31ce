"""The shell of note-taking."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.notes import policy
from memory_assets.notes.metadata import describe_notes, read_extent
from memory_assets.notes.taking import NoteTaker
from memory_assets.operations.scope import RunScope
from memory_assets.operations.steps import Done, asset_options, work_through
from memory_assets.resources import GraphResource, InstallationResource, ModelResource


@dg.asset(**asset_options("notes", group="notes", kinds={"neo4j", "openai"}, code_version=policy.CODE_VERSION))
def notes(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """What is worth knowing of each person, concept and entity, for how long, and how they are connected.

    Three steps (people, concepts, entities) read what extraction has kept of each source, and take notes and
    relationships. Each step is made anew where its prompt, the model, the code or the source's extraction has changed.
    """

    def take(user: str) -> Done:
        taker = NoteTaker(graph.open(), models.language("notes"), installation.clock, user, context.log.info)
        counts = taker.run(scope)
        extent = read_extent(graph.open(), user, installation.clock.now())
        return Done(describe_notes(counts, extent), taker.problems, taker.failed)

    yield from work_through(context, scope, graph, models, installation, take)
