"""The shell of ``bounded_memory_metrics``."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.metrics import policy
from memory_assets.metrics.metadata import describe_metrics
from memory_assets.metrics.snapshots import read_history, take_snapshot
from memory_assets.model import fingerprint
from memory_assets.runtime.marks import Step
from memory_assets.runtime.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.steps import Done, Result, asset_options, work_through

METRICS = Step(
    "bounded_memory_metrics", lambda models: fingerprint(policy.CODE_VERSION), ("memory_file", "heartbeat_file")
)


@dg.asset(**asset_options(METRICS, group="memory_file", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION))
def bounded_memory_metrics(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[Result]:
    """How full a user's bounded files are and what stands behind them, with its history.

    How much of each file's limits is used, how many memories are worth how much, how many stand in the graph for
    each in the files, and what loading heartbeat tasks only when due saves. A snapshot is stored for each day on
    which these figures have changed.
    """

    def snapshot(user: str) -> Done:
        opened = graph.open()
        now = installation.clock.now()
        kept = take_snapshot(opened, user, now)
        return Done(describe_metrics(read_history(opened, user, now.date()), kept=kept))

    yield from work_through(context, METRICS, scope, graph, models, installation, snapshot)
