"""The shells of storylines and macros."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import dagster as dg

from memory_assets.hierarchy import macros as macro_stage
from memory_assets.hierarchy import policy
from memory_assets.hierarchy import storylines as storyline_stage
from memory_assets.hierarchy.report import macro_table, report, storyline_table
from memory_assets.hierarchy.stage import Stage, Task
from memory_assets.model import is_team
from memory_assets.operations.partitions import owners
from memory_assets.operations.window import WindowConfig
from memory_assets.resources import GraphResource, InstallationResource, ModelResource

_SHARED: dict[str, Any] = {
    "partitions_def": owners,
    "backfill_policy": dg.BackfillPolicy.multi_run(max_partitions_per_run=20),
    "group_name": "hierarchy",
    "owners": ["team:memory"],
    "kinds": {"neo4j", "openai"},
    "code_version": policy.CODE_VERSION,
    "output_required": False,
}


@dg.asset(deps=["extracted_entities"], **_SHARED)
def storylines(
    context: dg.AssetExecutionContext,
    config: WindowConfig,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult]:
    """What has been going on with a person, concept or entity: five or more sources on three or more days.

    Sources of one anchor are split into topics by likeness and by gaps in time. The window does not apply:
    a storyline is made of all sources that belong to it.
    """
    counts, users = _run(
        context, storyline_stage.TASK, storyline_stage.derive_storylines, config, graph, models, installation
    )
    if users:
        rows = [
            row
            for user in users
            for row in graph.open().read("hierarchy/list_longest_storylines", user_id=user)
        ]
        metadata = report(counts)
        yield dg.MaterializeResult(
            metadata=metadata | {"longest": dg.MetadataValue.md(storyline_table(rows))}
        )


@dg.asset(deps=["storylines"], **_SHARED)
def macros(
    context: dg.AssetExecutionContext,
    config: WindowConfig,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult]:
    """The larger themes: two or more storylines of one person, concept or entity over thirty or more days."""
    counts, users = _run(
        context, macro_stage.TASK, macro_stage.derive_macros, config, graph, models, installation
    )
    if users:
        rows = [
            row for user in users for row in graph.open().read("hierarchy/list_largest_macros", user_id=user)
        ]
        metadata = report(counts)
        yield dg.MaterializeResult(metadata=metadata | {"largest": dg.MetadataValue.md(macro_table(rows))})


def _run(
    context: dg.AssetExecutionContext,
    task: Task,
    derive: Callable[..., Counter[str]],
    config: WindowConfig,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> tuple[Counter[str], list[str]]:
    """A stage for each user of the run, one writer at a time for each."""
    counts: Counter[str] = Counter()
    users = [key for key in context.partition_keys if not is_team(key)]
    for user in users:
        with installation.owner_lock(user):
            stage = Stage(task, graph.open(), models.language(), models.embedder(), installation.clock, user)
            counts += derive(stage, force=config.force)
    if not users:
        context.log.info(f"A team has no {task.stage} of its own: its members have.")
    return counts, users
