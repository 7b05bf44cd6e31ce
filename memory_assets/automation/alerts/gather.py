"""From the instance into the outbox: what has newly ended or begun to fail, each fact taken once.

The only place of the alerts that knows Dagster's records: of all that is recorded, only the fields of facts are read.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg

from memory_assets.automation.alerts.alert import (
    Alert,
    automation_alert,
    closing_alert,
    closing_automation_alert,
    run_alert,
)
from memory_assets.automation.alerts.conditions import AutomationFacts, Changes, CheckFact, RunFacts, StepFact, as_name
from memory_assets.automation.alerts.outbox import Look, Outbox
from memory_assets.automation.jobs import AUTOMATION_TAG, ENDED
from memory_assets.automation.pipeline import STEPS
from memory_assets.clock import Clock
from memory_assets.graph.values import read_instant
from memory_assets.runtime.dagster_internals import InstigatorState, InstigatorTick, InstigatorType, TickStatus
from memory_assets.runtime.held_up import HELD_UP_CHECK, RECORD_TAG
from memory_assets.runtime.partitions import EVERYBODY, OWNERS, PARTITION_TAG, USERS

PAGE = 200
MOST_TICKS = 1000
LONGEST_CHAIN = 8
RANGE_TAGS = ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end")
PUBLIC = ("failed_for", "found", "alert", "what_to_do", "alert_reasons")
"""The metadata by which a check speaks to people outside; all other metadata may hold content."""
REASON_TAG = "dagster/failure_reason"
_OUTCOMES = {
    *(dg.DagsterEventType.STEP_FAILURE, dg.DagsterEventType.STEP_SUCCESS),
    *(dg.DagsterEventType.RUN_FAILURE, dg.DagsterEventType.ASSET_CHECK_EVALUATION),
}
_FINISHED = (TickStatus.SUCCESS, TickStatus.SKIPPED, TickStatus.FAILURE)


def end_of(record: dg.RunRecord) -> datetime:
    """When a run has ended, which a change of its tags leaves as it is."""
    return datetime.fromtimestamp(record.end_time, UTC) if record.end_time else record.update_timestamp


def ended_runs(instance: dg.DagsterInstance, since: datetime) -> Iterator[dg.RunRecord]:
    """The runs that ended after ``since``, the earliest first; one may come twice.

    A change of an old run's tags makes Dagster call it updated: it has not ended again.
    """
    after = since
    while True:
        wanted = dg.RunsFilter(statuses=list(ENDED), updated_after=after)
        page = instance.get_run_records(wanted, limit=PAGE, order_by="update_timestamp", ascending=True)
        yield from (record for record in page if end_of(record) > since)
        if len(page) < PAGE:
            return
        # One instant back, so that runs of the page's last instant which it had no room for are in the next.
        instant = timedelta(microseconds=1)
        after = max(page[-1].update_timestamp - instant, after + instant)


def facts_of_run(instance: dg.DagsterInstance, record: dg.RunRecord) -> RunFacts | None:
    """What failed in a run, and what did not; None when the run was deleted meanwhile, or only records what another
    run did.

    A run's events are written before its status.
    """
    run = record.dagster_run
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
            # The last evaluation counts: a step that was tried again evaluates again.
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
        ended=end_of(record),
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
    """The owners to whom a run's configuration restricts it, wherever it names them."""
    if not isinstance(config, Mapping):
        return set()
    own = config.get("owners")
    named = {name for name in own if isinstance(name, str)} if isinstance(own, list) else set()
    return named.union(*map(_configured_owners, config.values()))


def automation_facts(state: InstigatorState, tick: InstigatorTick) -> AutomationFacts:
    """The facts of a failing tick."""
    repository = state.origin.repository_origin
    location = repository.code_location_origin.location_name
    name = repository.repository_name
    kind, at = state.instigator_type.value.lower(), datetime.fromtimestamp(tick.timestamp, UTC)
    place = location if name == "__repository__" else f"{name}@{location}"
    return AutomationFacts(state.selector_id, state.instigator_name, kind, place, at, _classes(tick.error))


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
    said = {name: value.value for name, value in evaluation.metadata.items() if name in PUBLIC}
    failed_for, found = said.get("failed_for"), said.get("found")
    named = failed_for.split(",") if isinstance(failed_for, str) and not evaluation.passed else []
    return CheckFact(
        asset="/".join(evaluation.asset_key.path),
        check=evaluation.check_name,
        is_warning=evaluation.severity == dg.AssetCheckSeverity.WARN,
        blocking=bool(evaluation.blocking),
        failed_for=tuple(name.strip() for name in named if name.strip()),
        found=found if isinstance(found, int) else None,
        says=_text(said.get("alert")),
        what_to_do=_text(said.get("what_to_do")),
        failed=not evaluation.passed,
        at=at,
        reasons=_reasons(said.get("alert_reasons")),
    )


def _reasons(said: object) -> dict[str, tuple[str, ...]]:
    """By owner, the names of what is wrong; whatever is no list of names is left out."""
    given = said.items() if isinstance(said, Mapping) else ()
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


FIRST_LOOK = timedelta(hours=1)
OVERLAP = timedelta(minutes=5)
"""How far behind the cursor is read again: a run's time is written a moment before others can see the run."""
OLDEST_NEWS = timedelta(days=7)
REMEMBERED = timedelta(days=30)
SECONDS = 12.0
log = logging.getLogger("memory_assets.alerts")


@dataclass
class Gathering:
    """One look at an instance. ``clock`` is the real one, as Dagster's records are.

    ``alerts``: how many new ones there are. ``unreadable``: the first error among facts that could not be read; they
    are read again by the next look.
    """

    instance: dg.DagsterInstance
    outbox: Outbox
    clock: Clock
    ui_url: str
    monotonic: Callable[[], float] = time.monotonic
    alerts: int = 0
    unreadable: Exception | None = None

    def look(self, cursor: str | None) -> str:
        """Take all news since ``cursor`` (ISO 8601; None at first), while there is time; where the next look begins."""
        now = self.clock.now()
        # A person may have written over it.
        reached = read_instant(cursor) or now - FIRST_LOOK
        since = max(reached - (OVERLAP if cursor else timedelta()), now - OLDEST_NEWS)
        reached = self._look_at_runs(reached, since)
        # An instance in memory has no daemon, and so no schedules' storage.
        states = self.instance.all_instigator_state() if self.instance.schedule_storage else ()
        for state in states:
            if state.instigator_type not in (InstigatorType.SENSOR, InstigatorType.SCHEDULE):
                continue
            try:
                self._look_at_ticks(state, now)
            except Exception as error:  # as with runs
                log.warning("The ticks of %s cannot be read: %s.", state.instigator_name, type(error).__name__)
                self.unreadable = self.unreadable or error
        # Facts this old are before every later look, even one that has lost its cursor.
        self.outbox.forget(since - FIRST_LOOK - OVERLAP, now - REMEMBERED)
        return reached.isoformat()

    def _look_at_runs(self, reached: datetime, since: datetime) -> datetime:
        deadline = self.monotonic() + SECONDS
        for ended in ended_runs(self.instance, since):
            fact = f"run/{ended.dagster_run.run_id}"
            if not self.outbox.is_known(fact):
                if self.monotonic() > deadline:
                    break
                try:
                    facts = facts_of_run(self.instance, ended)
                except Exception as error:  # one run's events must not keep the others from being read
                    log.warning(
                        "The events of run %s cannot be read: %s.", ended.dagster_run.run_id, type(error).__name__
                    )
                    self.unreadable = self.unreadable or error
                    continue
                if facts is None:
                    self.outbox.take(fact, end_of(ended), (), self.clock.now())
                else:
                    self.alerts += self.outbox.take_run(fact, facts, self._word, self.clock.now())
            if self.unreadable is None:
                # No further than now: a machine whose clock is ahead must not make us pass over the others' runs.
                reached = max(reached, min(ended.update_timestamp, self.clock.now()))
        return reached

    def _word(self, changed: Changes) -> list[Alert]:
        opened = run_alert(changed.news, self.ui_url)
        closed = closing_alert(changed.news, changed.closed, self.ui_url)
        return [alert for alert in (opened, closed) if alert is not None]

    def _look_at_ticks(self, state: InstigatorState, now: datetime) -> None:
        before = self.outbox.look_at(state.selector_id)
        seen_until = before.seen_until if before else (now - FIRST_LOOK).timestamp()
        failing, since = (before.failing, before.since) if before else (False, None)
        alerts: list[Alert] = []
        first_look = before is None
        # The one that was seen last comes again: a schedule's failed tick may be tried again in its place.
        how: dict[str, Any] = {"after": seen_until - 0.001, "limit": MOST_TICKS}
        ticks = self.instance.get_ticks(state.instigator_origin_id, state.selector_id, **how)
        for tick in (tick for tick in reversed(ticks) if tick.status in _FINISHED):
            facts = automation_facts(state, tick)
            failed, in_a_row = tick.is_failure, tick.consecutive_failure_count
            # A streak that was going on before the first look has not been reported yet.
            opens = failed and not failing and (first_look or in_a_row <= 1)
            if opens and tick.timestamp > (before.seen_until if before else 0):
                alerts.append(automation_alert(facts, self.ui_url))
                first_look, since = False, tick.timestamp
            if failing and not failed and not in_a_row and since is not None:
                alerts.append(closing_automation_alert(facts, datetime.fromtimestamp(since, UTC), self.ui_url))
                since = None
            failing = failed or (failing and in_a_row > 0)
            seen_until = max(seen_until, tick.timestamp)
        after = Look(seen_until, failing, since)
        if after != before:
            self.alerts += self.outbox.looked(state.selector_id, after, alerts, now)
