"""What every check has in common: whom it judges, and how its page says for whom it failed and what to do.

Checks are not partitioned: one evaluation judges all owners for whom its run has worked. A partitioned check
would lose its owner in a run of several, and could not be launched from its page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus

from memory_assets.model import can_own, is_team
from memory_assets.operations.materializing import worked_for
from memory_assets.operations.partitions import EVERYBODY, owners
from memory_assets.reports import markdown_table
from memory_assets.resources import GraphResource

ROWS_SHOWN = 20
EVALUATED = {AssetCheckExecutionRecordStatus.SUCCEEDED, AssetCheckExecutionRecordStatus.FAILED}
"""Not what is planned, by this run too."""
TOLD_BEFORE = "told_before"
"""The metadata of a failure that is an earlier run's, and was told with it."""


def owners_to_judge(context: dg.AssetCheckExecutionContext) -> list[str]:
    """The owner of a run for one; those whom a run for several has changed something for; and who failed before.

    Every owner where the check is launched by itself.
    """
    return sorted({*_owners_of_run(context), *_failed_before(context)})


def _owners_of_run(context: dg.AssetCheckExecutionContext) -> list[str]:
    worked = worked_for(context)
    if is_for_one(context):
        names = [context.partition_key]
    elif worked is not None:
        names = worked
    else:
        names = context.instance.get_dynamic_partitions(owners.name)
    return [name for name in names if can_own(name)]


def _failed_before(context: dg.AssetCheckExecutionContext) -> set[str]:
    """Whom the last evaluation found fault with: a page must not turn green because somebody else was judged."""
    storage = context.instance.event_log_storage
    named: set[str] = set()
    for key in context.selected_asset_check_keys:
        for record in storage.get_asset_check_execution_history(key, limit=1, status=EVALUATED):
            event = record.event.dagster_event if record.event else None
            told = event.asset_check_evaluation_data.metadata.get("failed_for") if event else None
            named |= {name for name in str(told.value).split(", ") if can_own(name)} if told else set()
    return named


def is_for_one(context: dg.AssetCheckExecutionContext) -> bool:
    """Whether a run is for one owner alone, so that a blocking check stops nobody else."""
    return context.has_partition_key and context.partition_key != EVERYBODY


def users_to_judge(context: dg.AssetCheckExecutionContext) -> list[str]:
    """The same without teams, which own sources alone."""
    return [owner for owner in owners_to_judge(context) if not is_team(owner)]


def judge_users(
    context: dg.AssetCheckExecutionContext,
    graph: GraphResource,
    name: str,
    what: str,
    remedy: str,
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
    *,
    blocking: bool = False,
    **params: Any,
) -> dg.AssetCheckResult:
    """The verdict of a statement by name that lists, for one user, ``what`` should not be there; ``params`` are its own."""
    users = users_to_judge(context)
    found = [{"user": user} | row for user in users for row in graph.open().read(name, user_id=user, **params)]
    return verdict(context, users, found, remedy, severity, blocking=blocking, alert=f"{len(found)} {what}")


def verdict(
    context: dg.AssetCheckExecutionContext,
    judged: Sequence[str],
    found: Sequence[Mapping[str, Any]],
    remedy: str,
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
    *,
    blocking: bool = False,
    alert: str | None = None,
    claim: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> dg.AssetCheckResult:
    """Passed where nothing was ``found``; its rows name their owner as ``user``.

    ``alert`` says what failed without a word of anybody's memory; of those who had failed before this run, it has been
    said. A ``blocking`` check would stop everybody of its run: unless the run is for the one who fails alone, it only
    warns, and what publishes refuses by itself.
    """
    failed = sorted({row["user"] for row in found})
    shown: dict[str, Any] = {"judged": _names(judged), "found": len(found), **(metadata or {})}
    if found:
        shown["failed_for"] = ", ".join(failed)
        shown["what_failed"] = dg.MetadataValue.md(markdown_table(list(found[0]), found, most=ROWS_SHOWN))
        shown["what_to_do"] = remedy
        shown["alert"] = alert or f"{len(found)} found"
    own = set(failed) & set(_owners_of_run(context))
    if found and not own:
        shown[TOLD_BEFORE] = True
    if found and blocking and not (own and is_for_one(context)):
        severity = dg.AssetCheckSeverity.WARN
    return dg.AssetCheckResult(
        passed=not found,
        severity=severity,
        description=f"{len(found)} found for {', '.join(failed)}: {remedy}" if found else claim,
        metadata=shown,
    )


def _names(judged: Sequence[str]) -> str:
    shown = ", ".join(judged[:ROWS_SHOWN]) or "nobody"
    return shown if len(judged) <= ROWS_SHOWN else f"{shown} and {len(judged) - ROWS_SHOWN} more"
