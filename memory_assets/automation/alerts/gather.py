"""From the instance into the outbox: what has newly ended or begun to fail, each fact taken once."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import dagster as dg

from memory_assets.automation.alerts import watch
from memory_assets.automation.alerts.alert import (
    Alert,
    automation_alert,
    closing_alert,
    closing_automation_alert,
    run_alert,
)
from memory_assets.automation.alerts.conditions import Changes
from memory_assets.automation.alerts.facts import RunFacts
from memory_assets.automation.alerts.outbox import Look, Outbox
from memory_assets.clock import Clock

FIRST_LOOK = timedelta(hours=1)
OVERLAP = timedelta(minutes=5)
"""How far behind the cursor is read again: a run's time is written a moment before others can see the run."""
OLDEST_NEWS = timedelta(days=7)
KEPT = timedelta(days=30)
SECONDS = 12.0
log = logging.getLogger("memory_assets.alerts")


@dataclass(frozen=True)
class Gathered:
    """``cursor``: where the next look begins. ``alerts``: how many new ones there are.

    ``unreadable``: the first error among facts that could not be read; they are read again by the next look.
    """

    cursor: str
    alerts: int
    unreadable: Exception | None = None


@dataclass(frozen=True)
class Gathering:
    """One look at an instance. ``clock`` is the real one, as Dagster's records are."""

    instance: dg.DagsterInstance
    outbox: Outbox
    clock: Clock
    ui_url: str
    monotonic: Callable[[], float] = time.monotonic

    def look(self, cursor: str | None) -> Gathered:
        """Take all news since ``cursor`` (ISO 8601; None at the first look), as far as there is time for."""
        now = self.clock.now()
        reached = _read_cursor(cursor) or now - FIRST_LOOK
        since = max(reached - (OVERLAP if cursor else timedelta()), now - OLDEST_NEWS)
        runs = self._look_at_runs(reached, since)
        ticks, error = self._look_at_automations(now)
        # Facts this old are before every later look, even one that has lost its cursor.
        self.outbox.forget(since - FIRST_LOOK - OVERLAP, now - KEPT)
        return Gathered(runs.cursor, runs.alerts + ticks, runs.unreadable or error)

    def _look_at_runs(self, reached: datetime, since: datetime) -> Gathered:
        deadline = self.monotonic() + SECONDS
        taken, unreadable = 0, None
        for ended in watch.ended_runs(self.instance, since):
            fact = f"run/{ended.run.run_id}"
            if not self.outbox.is_known(fact):
                if self.monotonic() > deadline:
                    break
                try:
                    facts = watch.facts_of_run(self.instance, ended)
                except Exception as error:  # one run's events must not keep the others from being told
                    log.warning("The events of run %s cannot be read: %s.", ended.run.run_id, type(error).__name__)
                    unreadable = unreadable or error
                    continue
                taken += self._take(fact, ended.ended, facts)
            if unreadable is None:
                # No further than now: a machine whose clock is ahead must not make us pass over the others' runs.
                reached = max(reached, min(ended.updated, self.clock.now()))
        return Gathered(reached.isoformat(), taken, unreadable)

    def _take(self, fact: str, ended: datetime, facts: RunFacts | None) -> int:
        now = self.clock.now()
        if facts is None:
            return self.outbox.take(fact, ended, (), now)
        return self.outbox.take_run(fact, facts, self._word, now)

    def _word(self, changed: Changes) -> list[Alert]:
        opened = run_alert(changed.news, self.ui_url)
        closed = closing_alert(changed.news, changed.closed, self.ui_url)
        return [alert for alert in (opened, closed) if alert is not None]

    def _look_at_automations(self, now: datetime) -> tuple[int, Exception | None]:
        taken, unreadable = 0, None
        for state in watch.automations(self.instance):
            try:
                taken += self._look_at_ticks(state, now)
            except Exception as error:  # as above
                log.warning("The ticks of %s cannot be read: %s.", state.instigator_name, type(error).__name__)
                unreadable = unreadable or error
        return taken, unreadable

    def _look_at_ticks(self, state: watch.InstigatorState, now: datetime) -> int:
        before = self.outbox.look_at(state.selector_id)
        seen_until = before.seen_until if before else (now - FIRST_LOOK).timestamp()
        failing, since = (before.failing, before.since) if before else (False, None)
        alerts: list[Alert] = []
        first_look = before is None
        for tick in watch.finished_ticks(self.instance, state, seen_until):
            facts = watch.automation_facts(state, tick)
            # A streak that was going on before the first look has not been told yet.
            opens = tick.failed and not failing and (first_look or tick.in_a_row <= 1)
            if opens and tick.at > (before.seen_until if before else 0):
                alerts.append(automation_alert(facts, self.ui_url))
                first_look, since = False, tick.at
            if failing and not tick.failed and not tick.in_a_row and since is not None:
                alerts.append(closing_automation_alert(facts, datetime.fromtimestamp(since, UTC), self.ui_url))
                since = None
            failing = tick.failed or (failing and tick.in_a_row > 0)
            seen_until = max(seen_until, tick.at)
        after = Look(seen_until, failing, since)
        if after == before:
            return 0
        return self.outbox.looked(state.selector_id, after, alerts, now)


def _read_cursor(cursor: str | None) -> datetime | None:
    """The instant that a cursor holds; None for one that a person has written over."""
    try:
        instant = datetime.fromisoformat(cursor) if cursor else None
    except ValueError:
        return None
    return instant.replace(tzinfo=UTC) if instant is not None and instant.tzinfo is None else instant
