"""The jobs, one for each thing that is asked for, and what all automated runs have in common.

Each works for the partitions it is launched for, or for ``EVERYBODY``. A schedule or sensor starts at most one run
at a time, for everybody for whom something is due. History's own job is in ``history.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import dagster as dg

from memory_assets.automation.pipeline import STEPS
from memory_assets.runtime.dagster_internals import (
    UnresolvedAssetJobDefinition,
    build_asset_job,
    get_asset_graph_for_job,
)
from memory_assets.runtime.instance import UNDER_WAY, add_owners, close_abandoned_runs
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


def _job(
    name: str,
    assets: Iterable[str],
    description: str,
    *,
    tags: Mapping[str, str] | None = None,
    over_both: bool = False,
) -> UnresolvedAssetJobDefinition:
    """A job that materializes these assets of the owners that it is launched for; ``over_both`` sets of partitions one
    whose run is for everybody, unless a partition's tag names one owner.
    """
    kind = _JobOverBothSets if over_both else dg.define_asset_job
    # As a tag of the job and not of its runs: a launch from the launchpad takes those alone.
    tags = {PARTITION_TAG: EVERYBODY} if over_both else tags
    selection = dg.AssetSelection.assets(*assets)
    return kind(name=name, selection=selection, description=description, tags=tags, owners=OWNERS)


CONSOLIDATED = ("consolidation_plan", "consolidated_memories")
CURATED = ("agent_records", "accesses", "curated_memories")
OWN_CADENCE = {*CONSOLIDATED, "curated_memories", "storylines", "macros", "descriptions", "current_notes"}
ALL = [
    _job(
        "ingest_sources",
        ["raw_sources"],
        "Read an owner's inbox, or the given paths, into the graph.",
        tags={"dagster/max_runtime": "86400"},
    ),
    _job(
        "process_sources",
        ["raw_sources", "processed_sources"],
        "Read and process an owner's sources. All there is to do for a team, whose members build on it.",
    ),
    _job(
        "build_memory",
        STEPS,
        "From a user's inbox to the published MEMORY.md: every asset, each doing only what is due.",
        over_both=True,
    ),
    _job(
        "update_memory",
        [step for step in STEPS if step not in OWN_CADENCE],
        "What is new into the published MEMORY.md: every asset but curation and the nightly and weekly ones, "
        "which have their own cadence. The inbox, the threshold and the daily compaction start it.",
        over_both=True,
    ),
    _job("form_storylines", ["storylines"], "Storylines of everybody who has new material: every night."),
    _job("form_macros", ["macros"], "Macros of everybody who has new storylines: every week."),
    _job(
        "age_memories",
        ["accesses", "memory_states"],
        "What was accessed is counted, and what has faded is archived: every night.",
    ),
    _job(
        "consolidate_descriptions", ["descriptions"], "Descriptions of subjects whose notes have changed: every night."
    ),
    _job(
        "clean_notes", ["current_notes"], "Notes whose time is over are retired: every night, after the descriptions."
    ),
    _job(
        "consolidate_memories",
        ["accesses", *CONSOLIDATED],
        "What was lived becomes what is known: planned every night, and carried out the night after.",
    ),
    _job(
        "curate_memories",
        CURATED,
        "The cycles of curation that are due: what agents record expires, moves between tiers, is merged.",
    ),
    _job(
        "consolidate_and_curate",
        [*CONSOLIDATED, *CURATED],
        "Both at once, for a user who asks for it: POST /consolidate of the server starts it.",
    ),
    _job(
        "open_sources",
        ["accesses", "processed_sources", "extracted_entities"],
        "Process and extract what somebody has opened, and nothing else: `memory-assets sources open` starts it.",
        over_both=True,
    ),
    _job(
        "publish_heartbeat",
        ["heartbeat_file", "bounded_memory_metrics"],
        "A user's HEARTBEAT.md from the registry of tasks, and its metrics: after tasks were added.",
    ),
]
"""Every job of a run's partitions."""


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


def still_at_work(instance: dg.DagsterInstance, by: str, kind: str = "sensor") -> dg.SkipReason | None:
    """Why the schedule or sensor ``by`` starts nothing now: the run that it has started has not ended. Runs whose
    process is gone are closed first.
    """
    close_abandoned_runs(instance)
    runs = instance.get_runs(dg.RunsFilter(tags={AUTOMATION_TAG: by}, statuses=list(AT_WORK)), limit=1)
    return dg.SkipReason(f"The run {runs[0].run_id} that this {kind} has started is still at work.") if runs else None
