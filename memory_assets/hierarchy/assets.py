"""The shells of storylines and macros."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from memory_assets.hierarchy import macros as macro_stage
from memory_assets.hierarchy import policy
from memory_assets.hierarchy import storylines as storyline_stage
from memory_assets.hierarchy.report import macro_table, report, storyline_table
from memory_assets.hierarchy.stage import Stage, Task
from memory_assets.operations.partitions import backfill_policy, owners, users_of_run
from memory_assets.operations.unfinished import tell_unfinished
from memory_assets.operations.window import WindowConfig
from memory_assets.resources import GraphResource, InstallationResource, ModelResource

_SHARED: dict[str, Any] = {
    "partitions_def": owners,
    "backfill_policy": backfill_policy,
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
    yield from _run(
        context,
        storyline_stage.TASK,
        storyline_stage.derive_storylines,
        ("longest", "hierarchy/list_longest_storylines", storyline_table),
        config,
        graph,
        models,
        installation,
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
    yield from _run(
        context,
        macro_stage.TASK,
        macro_stage.derive_macros,
        ("largest", "hierarchy/list_largest_macros", macro_table),
        config,
        graph,
        models,
        installation,
    )


def _run(
    context: dg.AssetExecutionContext,
    task: Task,
    derive: Callable[..., Counter[str]],
    shown: tuple[str, str, Callable[[Sequence[Mapping[str, Any]]], str]],
    config: WindowConfig,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult]:
    """A stage for each user, one writer at a time for each; ``shown`` is a table's name, query and form."""
    name, query, table = shown
    users = users_of_run(context, f"A team has no {task.stage} of its own: its members have.")
    for user in users:
        with installation.owner_lock(user):
            stage = Stage(task, graph.open(), models.language(), models.embedder(), installation.clock, user)
            counts = derive(stage, force=config.force)
        rows = graph.open().read(query, user_id=user)
        metadata = report(counts) | {name: dg.MetadataValue.md(table(rows))}
        context.add_asset_metadata(metadata | tell_unfinished(context, stage.problems), partition_key=user)
    if users:
        yield dg.MaterializeResult()
