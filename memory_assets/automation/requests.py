"""What all automated runs have in common: their tag, and whether one of them is still at work.

A schedule or sensor starts at most one run at a time, for everybody for whom something is due: the run has the
partition ``EVERYBODY``, and each of its steps asks the marks for whom it has to work (``runtime/steps.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dagster as dg

from memory_assets.runtime.instance import add_owners
from memory_assets.runtime.partitions import EVERYBODY, PARTITION_TAG
from memory_assets.sources.inbox import INBOX_SETTLE_SECONDS

AUTOMATION_TAG = "memory_assets/automation"
"""The tag of runs that no person started; its value is the name of the schedule or sensor."""

AT_WORK = (
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
)
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
