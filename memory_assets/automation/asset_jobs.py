"""Jobs whose assets are partitioned by both sets of owners: one run for a user's sources and all that follows from them.

``define_asset_job`` refuses assets of two partitions definitions, though Dagster runs them: its own job of all assets
is built so, and is what every run from the asset pages is of. A partition's key means the same owner in both sets,
so that one run for one owner, or for ``EVERYBODY``, is right here. The two functions that build a job from a
selection are Dagster's own; the lock pins them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg
from dagster._core.definitions.assets.job.asset_job import build_asset_job, get_asset_graph_for_job
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from memory_assets.runtime.partitions import EVERYBODY, PARTITION_TAG


class _JobOverBothSets(UnresolvedAssetJobDefinition):
    """What ``define_asset_job`` makes, without its refusal."""

    def resolve(self, asset_graph: Any, default_executor_def: Any = None, resource_defs: Any = None) -> dg.JobDefinition:
        graph = get_asset_graph_for_job(asset_graph, self.selection, allow_different_partitions_defs=True)
        return build_asset_job(
            self.name,
            asset_graph=graph,
            description=self.description,
            tags=self.tags,
            run_tags=self.run_tags,
            executor_def=default_executor_def,
            resource_defs=resource_defs,
            allow_different_partitions_defs=True,
            owners=self.owners,
        )


def define_job_over_both_sets(
    name: str, selection: dg.AssetSelection, description: str, owners: Sequence[str], tags: Mapping[str, str] | None = None
) -> UnresolvedAssetJobDefinition:
    """A job whose run is for everybody, unless a partition's tag names one owner."""
    return _JobOverBothSets(
        name=name,
        selection=selection,
        description=description,
        tags=tags,
        run_tags={**(tags or {}), PARTITION_TAG: EVERYBODY},
        owners=owners,
    )
