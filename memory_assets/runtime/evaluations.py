"""What the last evaluation of a check said: the next one goes on from it, so that no page forgets a failure."""

from __future__ import annotations

from typing import Any

import dagster as dg
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus

from memory_assets.model import can_own

EVALUATED = {AssetCheckExecutionRecordStatus.SUCCEEDED, AssetCheckExecutionRecordStatus.FAILED}
"""Not what is planned, by this run too."""


def last_evaluation(instance: dg.DagsterInstance, key: dg.AssetCheckKey) -> dg.AssetCheckEvaluation | None:
    """The latest evaluation of a check, of whichever run; None when there is none."""
    history = instance.event_log_storage.get_asset_check_execution_history(key, limit=1, status=EVALUATED)
    event = history[0].event.dagster_event if history and history[0].event else None
    return event.asset_check_evaluation_data if event else None


def said(evaluation: dg.AssetCheckEvaluation | None, name: str) -> Any:
    """A value of an evaluation's metadata; None where it has none of this name."""
    found = evaluation.metadata.get(name) if evaluation else None
    return found.value if found is not None else None


def failed_owners(evaluation: dg.AssetCheckEvaluation | None) -> set[str]:
    """The owners whom an evaluation found fault with."""
    return {name for name in str(said(evaluation, "failed_for") or "").split(", ") if can_own(name)}
