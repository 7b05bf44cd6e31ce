"""The shell of the records that agents keep."""

from memory_assets.records import policy
from memory_assets.records.metadata import describe_records
from memory_assets.records.recording import Recorder, recipe_of
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import Done

RECORDS = Step(
    "agent_records",
    lambda models: recipe_of(models.embedder.name),
    ("raw_sources",),
    after=("accesses",),
    asks_models=True,
)


@step_asset(RECORDS, group="records", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION)
def agent_records(run: Run, user: str) -> Done:
    """What agents have recorded, a memory for each record: beliefs, reflections, tasks, analyses, recommendations,
    syntheses, notifications, sessions, memory entries.

    Made from the raw content of the sources that have changed. Of several versions of a record the latest holds; one
    that no source has any more is retired unless a rail keeps it, and one that curation has pruned does not come back.
    """
    recorder = Recorder(run.graph, run.embedder, run.clock, user, run.log)
    counts = recorder.run()
    return Done(describe_records(run.graph, user, counts), recorder.problems, recorder.failed)
