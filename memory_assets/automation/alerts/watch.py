"""Reading an instance's facts: ended runs with what failed in them, and the ticks of sensors and schedules.

The only place of the alerts that knows Dagster's records, and that imports what Dagster keeps to itself: ticks have
no public type. Of all that is recorded, only the fields of ``facts`` are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg

from memory_assets.automation.alerts.facts import AutomationFacts, CheckFact, RunFacts, StepFact, as_name
from memory_assets.automation.pipeline import STEPS
from memory_assets.automation.requests import AUTOMATION_TAG
from memory_assets.runtime.dagster_internals import InstigatorState, InstigatorType, TickStatus
from memory_assets.runtime.held_up import HELD_UP_CHECK, RECORD_TAG
from memory_assets.runtime.partitions import EVERYBODY, OWNERS, PARTITION_TAG, USERS

PAGE = 200
MOST_TICKS = 1000
LONGEST_CHAIN = 8
RANGE_TAGS = ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end")
TOLD = ("failed_for", "found", "alert", "what_to_do", "alert_reasons")
"""The metadata by which a check speaks to people outside; all other metadata may hold content."""
REASON_TAG = "dagster/failure_reason"
_OUTCOMES = {
    dg.DagsterEventType.STEP_FAILURE,
    dg.DagsterEventType.STEP_SUCCESS,
    dg.DagsterEventType.RUN_FAILURE,
    dg.DagsterEventType.ASSET_CHECK_EVALUATION,
}
_FINISHED = (TickStatus.SUCCESS, TickStatus.SKIPPED, TickStatus.FAILURE)


@dataclass(frozen=True)
class EndedRun:
    """A run that succeeded, failed or was canceled, ``updated`` as the instance orders runs, and when it ``ended``."""

    run: dg.DagsterRun
    updated: datetime
    ended: datetime


@dataclass(frozen=True)
class Tick:
    """A finished tick; ``in_a_row`` is Dagster's count of failures up to it, which an interruption leaves as it is."""

    at: float
    failed: bool
    in_a_row: int
    errors: tuple[str, ...] = ()


def ended_runs(instance: dg.DagsterInstance, since: datetime) -> Iterator[EndedRun]:
    """The runs that ended after ``since``, the earliest first; one may come twice.

    A change of an old run's tags makes Dagster call it updated: it has not ended again.
    """
    statuses = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.CANCELED]
    after = since
    while True:
        page = instance.get_run_records(
            dg.RunsFilter(statuses=statuses, updated_after=after),
            limit=PAGE,
            order_by="update_timestamp",
            ascending=True,
        )
        for record in page:
            ended = datetime.fromtimestamp(record.end_time, UTC) if record.end_time else record.update_timestamp
            if ended > since:
                yield EndedRun(record.dagster_run, record.update_timestamp, ended)
        if len(page) < PAGE:
            return
        # One instant back, so that runs of the page's last instant which it had no room for are in the next.
        instant = timedelta(microseconds=1)
        after = max(page[-1].update_timestamp - instant, after + instant)


def facts_of_run(instance: dg.DagsterInstance, ended: EndedRun) -> RunFacts | None:
    """What failed in a run, and what did not; None when the run was deleted meanwhile, or records what another run tells.

    A run's events are written before its status.
    """
    run = ended.run
    records = RECORD_TAG in run.tags and not run.parent_run_id  # a repetition has its tags, and is a run like others
    if records or not instance.has_run(run.run_id):
        return None
    failed = run.status == dg.DagsterRunStatus.FAILURE
    steps: dict[str, StepFact | None] = {}
    checks: dict[tuple[object, ...], CheckFact] = {}
    errors: tuple[str, ...] = ()
    for at, event in _events(instance, run.run_id):
        data = event.event_specific_data
        if isinstance(data, dg.AssetCheckEvaluation):
            # The last evaluation stands: a step that was tried again evaluates again.
            checks[data.asset_key, data.check_name, data.partition] = _check(data, at)
        elif event.event_type == dg.DagsterEventType.STEP_FAILURE:
            steps[event.step_key or ""] = StepFact(event.step_key or "", _classes(getattr(data, "error", None)))
        elif event.event_type == dg.DagsterEventType.STEP_SUCCESS:
            steps[event.step_key or ""] = None
        else:
            errors = _classes(getattr(data, "error", None))
    held_up = {check.asset: check.failed_for for check in checks.values() if check.check == HELD_UP_CHECK}
    partitions, named = _owners(instance, run), sorted(_configured_owners(run.run_config))
    everybody = EVERYBODY in partitions
    return RunFacts(
        run_id=run.run_id,
        job=run.job_name,
        failed=failed,
        ended=ended.ended,
        owners=(*partitions, *(named if everybody else ())),
        automation=run.tags.get(AUTOMATION_TAG),
        reason=run.tags.get(REASON_TAG),
        errors=errors,
        steps=tuple(step for step in steps.values() if step) if failed else (),
        checks=tuple(checks.values()),
        worked=tuple(name for name, step in steps.items() if step is None),
        held_up=held_up,
        succeeded=run.status == dg.DagsterRunStatus.SUCCESS,
        for_all=everybody and not named,
    )


def _configured_owners(config: object) -> set[str]:
    """The owners to whom a run's configuration restricts it, wherever in it they stand."""
    if not isinstance(config, Mapping):
        return set()
    own = config.get("owners")
    named = {name for name in own if isinstance(name, str)} if isinstance(own, list) else set()
    return named.union(*map(_configured_owners, config.values()))


def automations(instance: dg.DagsterInstance) -> list[InstigatorState]:
    """The sensors and schedules that the daemon has ever evaluated."""
    if instance.schedule_storage is None:  # an instance in memory, which has no daemon
        return []
    kinds = (InstigatorType.SENSOR, InstigatorType.SCHEDULE)
    return [state for state in instance.all_instigator_state() if state.instigator_type in kinds]


def finished_ticks(instance: dg.DagsterInstance, state: InstigatorState, after: float) -> list[Tick]:
    """The ticks of a sensor or schedule from ``after`` on (Unix seconds) that have ended, the earliest first.

    The one at ``after`` comes again, because a schedule's failed tick may be tried again in its place.
    """
    after -= 0.001
    ticks = instance.get_ticks(state.instigator_origin_id, state.selector_id, after=after, limit=MOST_TICKS)
    return [
        Tick(tick.timestamp, tick.is_failure, tick.consecutive_failure_count, _classes(tick.error))
        for tick in reversed(ticks)
        if tick.status in _FINISHED
    ]


def automation_facts(state: InstigatorState, tick: Tick) -> AutomationFacts:
    """The facts of a failing tick."""
    repository = state.origin.repository_origin
    location = repository.code_location_origin.location_name
    name = repository.repository_name
    return AutomationFacts(
        selector=state.selector_id,
        name=state.instigator_name,
        kind=state.instigator_type.value.lower(),
        location=location if name == "__repository__" else f"{name}@{location}",
        at=datetime.fromtimestamp(tick.at, UTC),
        errors=tick.errors,
    )


def _events(instance: dg.DagsterInstance, run_id: str) -> Iterator[tuple[datetime, dg.DagsterEvent]]:
    cursor: str | None = None
    while True:
        page = instance.get_records_for_run(run_id, cursor=cursor, of_type=_OUTCOMES, limit=PAGE)
        for record in page.records:
            entry = record.event_log_entry
            if entry.dagster_event is not None:
                yield datetime.fromtimestamp(entry.timestamp, UTC), entry.dagster_event
        if not page.has_more:
            return
        cursor = page.cursor


def _check(evaluation: dg.AssetCheckEvaluation, at: datetime) -> CheckFact:
    told = {name: value.value for name, value in evaluation.metadata.items() if name in TOLD}
    failed_for, found = told.get("failed_for"), told.get("found")
    named = failed_for.split(",") if isinstance(failed_for, str) and not evaluation.passed else []
    return CheckFact(
        asset="/".join(evaluation.asset_key.path),
        check=evaluation.check_name,
        is_warning=evaluation.severity == dg.AssetCheckSeverity.WARN,
        blocking=bool(evaluation.blocking),
        failed_for=tuple(name.strip() for name in named if name.strip()),
        found=found if isinstance(found, int) else None,
        says=_text(told.get("alert")),
        what_to_do=_text(told.get("what_to_do")),
        failed=not evaluation.passed,
        at=at,
        reasons=_reasons(told.get("alert_reasons")),
    )


def _reasons(told: object) -> dict[str, tuple[str, ...]]:
    """By owner, the names of what is wrong; whatever is no list of names is left out."""
    given = told.items() if isinstance(told, Mapping) else ()
    return {owner: tuple(map(as_name, names)) for owner, names in given if isinstance(names, list)}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _owners(instance: dg.DagsterInstance, run: dg.DagsterRun) -> tuple[str, ...]:
    if partition := run.tags.get(PARTITION_TAG):
        return (partition,)
    first, last = (run.tags.get(tag) for tag in RANGE_TAGS)
    if not first or not last:
        return ()
    assets = [key.path[-1] for key in run.asset_selection or ()]
    for_teams = not assets or any(name in STEPS and STEPS[name].of_teams for name in assets)
    known = list(instance.get_dynamic_partitions(OWNERS if for_teams else USERS))
    return tuple(known[known.index(first) : known.index(last) + 1] if {first, last} <= {*known} else [first, last])


def _classes(error: Any) -> tuple[str, ...]:
    """The class names of an error and its causes; never a message."""
    names: list[str] = []
    while error is not None and len(names) < LONGEST_CHAIN:
        names.append(error.cls_name or "")
        error = error.cause
    return tuple(names)
