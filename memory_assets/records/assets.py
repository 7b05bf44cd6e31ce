"""The shell of the records that agents keep."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.records import policy
from memory_assets.records.metadata import describe_records
from memory_assets.records.recording import Recorder, recipe_of
from memory_assets.runtime.marks import Step
from memory_assets.runtime.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.steps import Done, Result, asset_options, work_through

RECORDS = Step(
    "agent_records",
    lambda models: recipe_of(models.embedder.name),
    ("raw_sources",),
    after=("accesses",),
    asks_models=True,
)


@dg.asset(**asset_options(RECORDS, group="records", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION))
def agent_records(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[Result]:
    """What agents have recorded, a memory for each record: beliefs, reflections, tasks, analyses, recommendations,
    syntheses, notifications, sessions, memory entries.

    Made from the raw content of the sources that have changed. Of several versions of a record the latest holds; one
    that no source has any more is retired unless a rail keeps it, and one that curation has pruned does not come back.
    """

    def record(user: str) -> Done:
        recorder = Recorder(graph.open(), models.embedder(), installation.clock, user, context.log.info)
        counts = recorder.run()
        return Done(describe_records(graph.open(), user, counts), recorder.problems, recorder.failed)

    yield from work_through(context, RECORDS, scope, graph, models, installation, record)
