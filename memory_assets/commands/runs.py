"""The way from a command to a Dagster run on the installation's instance.

A command drives its run in its own process: launching a process per run costs five to seven seconds
whatever the run does. It is in the UI's history all the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import uuid4

import dagster as dg

from memory_assets.graph.graph import open_graph
from memory_assets.keys.policy import COMMAND_LINE
from memory_assets.model import is_team
from memory_assets.presentation.reports import some

# What a run's record says of where its job is defined has no public type.
from memory_assets.runtime.dagster_internals import (
    RegisteredCodeLocationOrigin,
    RemoteJobOrigin,
    RemoteRepositoryOrigin,
)
from memory_assets.runtime.events import unfinished_lines
from memory_assets.runtime.held_up import HELD_UP_CHECK
from memory_assets.runtime.instance import PID_TAG
from memory_assets.runtime.partitions import EVERYBODY, FOR_TAG, PARTITION_TAG
from memory_assets.settings import load_settings

LOCATION, REPOSITORY = "memory_assets", "__repository__"
"""The code location as workspace.yaml names it, and the name that Dagster gives its definitions."""
LAUNCHED_TAG = "memory_assets/launched_by"
"""What started a run that no person, schedule or sensor of the UI has: Dagster's own tags name those."""

Metadata = Mapping[str, Mapping[str, Any]]
"""What a run said of one owner, by asset."""


@dataclass(frozen=True)
class RunReport:
    """What became of one run: for everybody, and for each of its owners."""

    run_id: str
    success: bool
    failures: tuple[str, ...] = ()
    """What failed for the run as a whole."""
    failed_for: Mapping[str, Sequence[str]] = field(default_factory=dict)
    metadata: Mapping[str, Metadata] = field(default_factory=dict)

    def failures_of(self, owner: str) -> list[str]:
        """What failed for one owner."""
        return [*self.failures, *self.failed_for.get(owner, ())]

    def unfinished_of(self, owner: str) -> tuple[str, ...]:
        """What had to be left for one owner."""
        return unfinished_lines(self.metadata.get(owner, {}))


def run_job(
    instance: dg.DagsterInstance,
    job: str,
    owners: Sequence[str],
    *,
    scope: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
    run_id: str | None = None,
    by: str = COMMAND_LINE,
) -> RunReport:
    """Run ``job`` for ``owners`` now and here, within a ``scope``; ``config`` is that of ``raw_sources``, ``by`` what
    has asked for it.

    One owner is the run's partition; several are in the scope of a run for ``EVERYBODY``.
    """
    from memory_assets.definitions import defs

    definition = defs.resolve_job_def(job)
    alone = owners[0] if len(owners) == 1 else None
    given = {**(scope or {}), **({} if alone else {"owners": list(owners)})}
    run_id = run_id or str(uuid4())
    run_config: dict[str, Any] = {"resources": {"scope": {"config": given}}, "loggers": {"console": {}}}
    run_config |= {"ops": {"raw_sources": {"config": dict(config)}} if config else {}}
    # As a tag, because a job over both sets of partitions has none that could resolve a key.
    tags = {PARTITION_TAG: alone or EVERYBODY, FOR_TAG: some(owners), LAUNCHED_TAG: by}
    tags |= {PID_TAG: f"{run_id}:{os.getpid()}"}
    with _at_home(instance, job):
        result = definition.execute_in_process(run_config, instance, run_id=run_id, tags=tags, raise_on_error=False)
    _tell_of_it(instance)
    return _report(result.run_id, result.success, result.all_events, alone)


def report_of(instance: dg.DagsterInstance, run: dg.DagsterRun, owner: str) -> RunReport:
    """What became of a run of one owner that has ended, from what the instance has recorded."""
    recorded = (entry.dagster_event for entry in instance.all_logs(run.run_id))
    return _report(run.run_id, run.is_success, [event for event in recorded if event is not None], owner)


def _report(run_id: str, success: bool, events: Sequence[dg.DagsterEvent], alone: str | None) -> RunReport:
    failed_for, metadata = _failures_by_owner(events, alone), _metadata_by_owner(events, alone)
    return RunReport(run_id, success, tuple(_step_failures(events)), failed_for, metadata)


def _tell_of_it(instance: dg.DagsterInstance) -> None:
    """The installation's page after a run; the run has ended as it has, whatever is in the way of that."""
    from memory_assets.automation.installation import report_installation
    from memory_assets.definitions import defs

    try:
        settings = load_settings()
        checks = defs.resolve_asset_graph().asset_check_keys
        report_installation(instance, open_graph(settings), settings, checks)
    except Exception:  # noqa: BLE001 - the alerts' sensor looks again, and says what is in the way
        return


@contextmanager
def _at_home(instance: dg.DagsterInstance, job: str) -> Iterator[None]:
    """Runs created meanwhile belong to the code location, as the UI's do: ``execute_in_process`` has no origin."""
    origin = RemoteJobOrigin(RemoteRepositoryOrigin(RegisteredCodeLocationOrigin(LOCATION), REPOSITORY), job)
    create = instance.create_run_for_job
    instance.create_run_for_job = partial(create, remote_job_origin=origin)  # type: ignore[method-assign]
    try:
        yield
    finally:
        del instance.create_run_for_job


def job_for(owners: Sequence[str]) -> str:
    """The job that does all there is to do for these owners."""
    return "process_sources" if all(map(is_team, owners)) else "build_memory"


def _metadata_by_owner(events: Iterable[dg.DagsterEvent], alone: str | None) -> dict[str, dict[str, dict[str, Any]]]:
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for event in events:
        if not event.is_step_materialization:
            continue
        materialization = event.step_materialization_data.materialization
        owner = materialization.partition or alone
        if owner:
            values = {name: value.value for name, value in materialization.metadata.items()}
            found.setdefault(owner, {})[materialization.asset_key.to_user_string()] = values
    return found


def _sentence(message: str) -> str:
    """The first line of an error's message, without the class that Dagster puts before it."""
    lines = message.strip().splitlines() or ["failed"]
    return re.sub(r"^memory_assets[\w.]*\.\w+: ", "", lines[0])


def _step_failures(events: Iterable[dg.DagsterEvent]) -> Iterable[str]:
    for event in events:
        if event.is_step_failure:
            data = event.step_failure_data
            error = data.error.cause or data.error if data.error else None
            yield f"{event.step_key}: {_sentence(error.message) if error else 'failed'}"


def _failures_by_owner(events: Iterable[dg.DagsterEvent], alone: str | None) -> dict[str, list[str]]:
    """What checks of severity ERROR say against whom."""
    found: dict[str, list[str]] = {}
    for event in events:
        if event.event_type is not dg.DagsterEventType.ASSET_CHECK_EVALUATION:
            continue
        evaluation = event.asset_check_evaluation_data
        if evaluation.passed or evaluation.severity != dg.AssetCheckSeverity.ERROR:
            continue
        if alone and evaluation.check_name == HELD_UP_CHECK:
            continue  # the step has failed, and says why
        metadata = {name: value.value for name, value in evaluation.metadata.items()}
        by_owner = metadata.get("reasons")
        reasons = by_owner if isinstance(by_owner, Mapping) else {}
        named = [name for name in str(metadata.get("failed_for", "")).split(", ") if name] or [alone or ""]
        for owner in named:
            reason = reasons.get(owner) or evaluation.description or evaluation.check_name
            found.setdefault(owner, []).append(f"check {evaluation.check_name}: {reason}")
    return found
