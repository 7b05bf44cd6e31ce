"""The jobs, one for each thing that is asked for, and what all automated runs have in common.

Each works for the partitions it is launched for, or for ``EVERYBODY``. A schedule or sensor starts at most one run
at a time, for everybody for whom something is due. History's own job is in ``history.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from memory_assets.automation.pipeline import STEPS
from memory_assets.runtime.dagster_internals import (
    UnresolvedAssetJobDefinition,
    build_asset_job,
    get_asset_graph_for_job,
)
from memory_assets.runtime.instance import UNDER_WAY, add_owners
from memory_assets.runtime.partitions import EVERYBODY, PARTITION_TAG
from memory_assets.sources.seen_files import INBOX_SETTLE_SECONDS

OWNERS = ["team:memory"]


class _JobOverBothSets(UnresolvedAssetJobDefinition):
    """What ``define_asset_job`` makes, without its refusal."""

    def resolve(
        self, asset_graph: Any, default_executor_def: Any = None, resource_defs: Any = None
    ) -> dg.JobDefinition:
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
    name: str, selection: dg.AssetSelection, description: str
) -> UnresolvedAssetJobDefinition:
    """A job whose run is for everybody, unless a partition's tag names one owner.

    As a tag of the job and not of its runs: a launch from the launchpad takes those alone.
    """
    return _JobOverBothSets(
        name=name, selection=selection, description=description, tags={PARTITION_TAG: EVERYBODY}, owners=OWNERS
    )


def define_job(
    name: str, assets: Sequence[str], description: str, tags: Mapping[str, str] | None = None
) -> UnresolvedAssetJobDefinition:
    """A job that materializes these assets of the owners that it is launched for."""
    selection = dg.AssetSelection.assets(*assets)
    return dg.define_asset_job(name, selection=selection, description=description, tags=tags, owners=OWNERS)


EVERYTHING = dg.AssetSelection.assets(*STEPS)

ingest_sources = define_job(
    "ingest_sources",
    ["raw_sources"],
    "Read an owner's inbox, or the given paths, into the graph.",
    tags={"dagster/max_runtime": "86400"},
)

process_sources = define_job(
    "process_sources",
    ["raw_sources", "processed_sources"],
    "Read and process an owner's sources. All there is to do for a team, whose members build on it.",
)

build_memory = define_job_over_both_sets(
    "build_memory",
    selection=EVERYTHING,
    description="From a user's inbox to the published MEMORY.md: every asset, each doing only what is due.",
)

update_memory = define_job_over_both_sets(
    "update_memory",
    selection=EVERYTHING
    - dg.AssetSelection.assets(
        *("storylines", "macros", "descriptions", "current_notes"),
        *("consolidation_plan", "consolidated_memories", "curated_memories"),
    ),
    description="What is new into the published MEMORY.md: every asset but curation and the nightly and weekly ones, "
    "which have their own cadence. The inbox, the threshold and the daily compaction start it.",
)

form_storylines = define_job(
    "form_storylines", ["storylines"], "Storylines of everybody who has new material: every night."
)

form_macros = define_job("form_macros", ["macros"], "Macros of everybody who has new storylines: every week.")

age_memories = define_job(
    "age_memories",
    ["accesses", "memory_states"],
    "What was accessed is counted, and what has faded is archived: every night.",
)

consolidate_descriptions = define_job(
    "consolidate_descriptions", ["descriptions"], "Descriptions of subjects whose notes have changed: every night."
)

clean_notes = define_job(
    "clean_notes", ["current_notes"], "Notes whose time is over are retired: every night, after the descriptions."
)

consolidate_memories = define_job(
    "consolidate_memories",
    ["consolidation_plan", "consolidated_memories"],
    "What was lived becomes what is known: planned every night, and carried out the night after.",
)

curate_memories = define_job(
    "curate_memories",
    ["agent_records", "accesses", "curated_memories"],
    "The cycles of curation that are due: what agents record expires, moves between tiers, is merged.",
)

consolidate_and_curate = dg.define_asset_job(
    "consolidate_and_curate",
    selection=consolidate_memories.selection | curate_memories.selection,
    description="Both at once, for a user who asks for it: POST /consolidate of the server starts it.",
    owners=OWNERS,
)

open_sources = define_job_over_both_sets(
    "open_sources",
    selection=dg.AssetSelection.assets("processed_sources", "extracted_entities"),
    description=(
        "Process and extract what somebody has opened, and nothing else: `memory-assets sources open` starts it."
    ),
)

publish_heartbeat = define_job(
    "publish_heartbeat",
    ["heartbeat_file", "bounded_memory_metrics"],
    "A user's HEARTBEAT.md from the registry of tasks, and its metrics: after tasks were added.",
)

ALL = [
    *(ingest_sources, process_sources, build_memory, update_memory, form_storylines, form_macros, age_memories),
    *(consolidate_descriptions, clean_notes, consolidate_memories, curate_memories, consolidate_and_curate),
    *(open_sources, publish_heartbeat),
]


AUTOMATION_TAG = "memory_assets/automation"
"""The tag of runs that no person started; its value is the name of the schedule or sensor."""

AT_WORK = (dg.DagsterRunStatus.QUEUED, *UNDER_WAY)
ENDED = (dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED)


def request_run(
    instance: dg.DagsterInstance,
    by: str,
    run_key: str,
    *,
    run_config: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
) -> dg.RunRequest:
    """A run for everybody for whom something is due, started ``by`` a schedule or sensor; once for each ``run_key``."""
    add_owners(instance, [])
    return dg.RunRequest(
        run_key=run_key,
        partition_key=EVERYBODY,
        run_config=run_config or {},
        # Dagster resolves a key by a job's one set of partitions; a job over both has none, so that the tag is given.
        tags={PARTITION_TAG: EVERYBODY, AUTOMATION_TAG: by, **(tags or {})},
    )


def settled_inboxes(**scope: Any) -> dict[str, Any]:
    """The configuration by which a run that nobody watches leaves files alone that may still be growing."""
    ops = {"raw_sources": {"config": {"settle_seconds": INBOX_SETTLE_SECONDS}}}
    return {"ops": ops, **({"resources": {"scope": {"config": scope}}} if scope else {})}


def active_run(instance: dg.DagsterInstance, value: str) -> dg.DagsterRun | None:
    """The run that the schedule or sensor ``value`` has started and that has not ended; None when there is none."""
    runs = instance.get_runs(dg.RunsFilter(tags={AUTOMATION_TAG: value}, statuses=list(AT_WORK)), limit=1)
    return runs[0] if runs else None
