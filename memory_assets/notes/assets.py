"""The shell of note-taking."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.llm.prompt_files import prompts
from memory_assets.model import fingerprint
from memory_assets.notes import policy
from memory_assets.notes.metadata import describe_notes, read_extent
from memory_assets.notes.taking import NoteTaker
from memory_assets.runtime.marks import Step
from memory_assets.runtime.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.steps import Done, Result, asset_options, work_through

NOTES = Step(
    "notes",
    lambda models: fingerprint(
        *(prompts().prompt_hash(step.task) for step in policy.STEPS), models.names("notes")[0], policy.CODE_VERSION
    ),
    ("extracted_entities",),
    asks_models=True,
    takes=frozenset({"since", "until", "force", "retry"}),
)


@dg.asset(**asset_options(NOTES, group="notes", kinds={"neo4j", "openai"}, code_version=policy.CODE_VERSION))
def notes(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[Result]:
    """What is worth knowing of each person, concept and entity, for how long, and how they are connected.

    Three steps (people, concepts, entities) read what extraction has kept of each source, and take notes and
    relationships. Each step is made anew where its prompt, the model, the code or the source's extraction has changed.
    """

    def take(user: str) -> Done:
        taker = NoteTaker(graph.open(), models.language("notes"), installation.clock, user, context.log.info)
        counts = taker.run(scope)
        extent = read_extent(graph.open(), user, installation.clock.now())
        return Done(describe_notes(counts, extent), taker.problems, taker.failed)

    yield from work_through(context, NOTES, scope, graph, models, installation, take)
