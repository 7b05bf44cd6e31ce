"""The owners whom a step holds up: as Dagster's pages count it, those whose last attempt at it was a failed run's.

A run for one owner that fails is such a run by itself, and is marked with its step. A run for several goes on: for
who fails in it a small run is recorded, which has planned the partition and failed with the reason. What is
materialized later ends it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

import dagster as dg

from memory_assets.clock import to_iso
from memory_assets.presentation.reports import markdown_table, some
from memory_assets.runtime.dagster_internals import AssetMaterializationPlannedData, DagsterEvent, make_new_run_id
from memory_assets.runtime.events import last_evaluation, said
from memory_assets.runtime.instance import known_owners
from memory_assets.runtime.partitions import EVERYBODY, FOR_TAG, PARTITION_TAG

HELD_UP_CHECK = "no_owner_was_held_up"
HELD_UP_TAG = ".dagster/memory_assets_held_up"
"""The tag of a run that has failed for its owners at the step that is its value; hidden in the UI."""
_OF_THE_SAME_CODE = (
    *("job_snapshot_id", "execution_plan_snapshot_id", "remote_job_origin", "job_code_origin"),
    "has_repository_load_data",
)
RECORD_TAG = "memory_assets/held_up_in"
"""The tag of a recorded run: the id of the run that went on without these owners."""


def held_up_owners(instance: dg.DagsterInstance, step: str) -> dict[str, str]:
    """The owners whose last attempt at a step has failed, each with the run that says so. Two queries."""
    attempts = instance.event_log_storage.get_latest_asset_partition_materialization_attempts_without_materializations(
        dg.AssetKey(step)
    )
    known = set(known_owners(instance))
    tried = {owner: run_id for owner, (run_id, _) in attempts.items() if owner in known}
    if not tried:
        return {}
    failed = dg.RunsFilter(
        run_ids=sorted(set(tried.values())), statuses=[dg.DagsterRunStatus.FAILURE], tags={HELD_UP_TAG: step}
    )
    said = set(instance.get_run_ids(failed))
    return {owner: run_id for owner, run_id in tried.items() if run_id in said}


def record_held_up(context: dg.AssetExecutionContext, step: str, reasons: Mapping[str, str]) -> str:
    """Record a failed run for those of this run's owners who were held up at a step, with their reasons; its id."""
    instance, run = context.instance, context.run
    partition = next(iter(reasons)) if len(reasons) == 1 else EVERYBODY
    record = dg.DagsterRun(
        job_name=run.job_name,
        run_id=make_new_run_id(),
        asset_selection={context.asset_key},
        status=dg.DagsterRunStatus.STARTED,
        tags={PARTITION_TAG: partition, FOR_TAG: some(sorted(reasons)), RECORD_TAG: run.run_id, HELD_UP_TAG: step},
        **{name: getattr(run, name) for name in _OF_THE_SAME_CODE},
    )
    instance.add_run(record)
    for owner, reason in reasons.items():
        planned = AssetMaterializationPlannedData(context.asset_key, partition=owner)
        event = DagsterEvent.build_asset_materialization_planned_event(record.job_name, step, planned)
        instance.report_dagster_event(event, record.run_id)
        instance.report_engine_event(f"{owner}: {reason}", record, step_key=step)
    everybody_else = f"The run {run.run_id} went on for everybody else, and the next run tries again."
    instance.report_run_failed(record, f"{step} failed for {', '.join(reasons)}. {everybody_else}")
    return record.run_id


def report_held_up(
    context: dg.AssetExecutionContext,
    step: str,
    errors: Mapping[str, Exception],
    done: Collection[str],
    now: datetime,
    *,
    alone: bool,
) -> dg.AssetCheckResult:
    """The evaluation that names everybody whom the step holds up: in this run, or since an earlier one.

    An owner who fails in a run for several is recorded first, unless the same was recorded before and is still so.
    """
    instance = context.instance
    last = last_evaluation(instance, dg.AssetCheckKey(context.asset_key, HELD_UP_CHECK))
    before = {name: said(last, name) or {} for name in ("reasons", "since", "alert_reasons")}
    known = held_up_owners(instance, step)
    failed = {owner: str(error) for owner, error in errors.items()}
    new = {owner: why for owner, why in failed.items() if owner not in known or before["reasons"].get(owner) != why}
    if alone and errors:
        instance.add_run_tags(context.run.run_id, {HELD_UP_TAG: step})  # it is about to fail there
    elif new:
        record_held_up(context, step, new)
        known = held_up_owners(instance, step)
    held = sorted({*known, *errors} - set(done))
    if not held:
        return dg.AssetCheckResult(check_name=HELD_UP_CHECK, passed=True, metadata={"found": 0})
    said_of = before["reasons"] | failed
    reasons = {owner: said_of.get(owner, f"see the run {known.get(owner)}") for owner in held}
    since = {owner: before["since"].get(owner, to_iso(now)) for owner in held}
    kinds = before["alert_reasons"] | {owner: [type(error).__name__] for owner, error in errors.items()}
    kinds = {owner: kinds[owner] for owner in held if kinds.get(owner)}
    rows = [{"user": owner, "since": since[owner], "reason": reason} for owner, reason in reasons.items()]
    named = ", ".join(sorted({kind for of in kinds.values() for kind in of}))
    return dg.AssetCheckResult(
        check_name=HELD_UP_CHECK,
        passed=False,
        severity=dg.AssetCheckSeverity.ERROR,
        description=f"{', '.join(reasons)} failed; everybody else's went on.",
        metadata={
            "found": len(rows),
            "failed_for": ", ".join(reasons),
            "what_failed": dg.MetadataValue.md(markdown_table(("user", "since", "reason"), rows)),
            "reasons": reasons,
            "since": since,
            "alert_reasons": kinds,
            "alert": f"{step} failed for {len(rows)} of its owners" + (f" ({named})" if named else ""),
            "what_to_do": "the run's log has the errors; the next run tries these owners again",
        },
    )
