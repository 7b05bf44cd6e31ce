"""How often curation looks: four cadences, what each may take, and the modes that agents' activity asks for. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Cadence(StrEnum):
    """How often a rule is looked at (001, Heartbeat Schedule)."""

    FIVE_MINUTES = "5m"
    QUARTER_HOUR = "15m"
    HOUR = "1h"
    SIX_HOURS = "6h"


_MINUTES = (5, 15, 60, 360)
INTERVALS: Mapping[Cadence, timedelta] = {
    cadence: timedelta(minutes=minutes) for cadence, minutes in zip(Cadence, _MINUTES, strict=True)
}
BUDGET_SECONDS: Mapping[Cadence, float] = dict(zip(Cadence, (2.0, 5.0, 10.0, 30.0), strict=True))
"""What a cycle may take (001, Heartbeat Schedule)."""


@dataclass(frozen=True)
class Mode:
    """How often curation looks (001, Option C: adaptive mode switching)."""

    name: str
    interval: timedelta
    description: str


IDLE = Mode("IDLE", timedelta(minutes=2.5), "no agent is at work")
BACKGROUND = Mode("BACKGROUND", timedelta(minutes=5), "agents are at work now and then")
MINIMAL = Mode("MINIMAL", timedelta(minutes=15), "agents are busy")
MODES: Mapping[str, Mode] = {mode.name: mode for mode in (IDLE, BACKGROUND, MINIMAL)}


@dataclass(frozen=True)
class ModeRules:
    """When agents are busy, and when at rest; 001 gives the intervals, and these figures are this table's own."""

    idle_after: timedelta = timedelta(minutes=30)
    window: timedelta = timedelta(minutes=5)
    busy_from: int = 60
    """Accesses in the window."""


def choose_mode(last_access: datetime | None, in_window: int, at: datetime, rules: ModeRules = ModeRules()) -> Mode:
    """The mode that agents' activity asks for."""
    if in_window >= rules.busy_from:
        return MINIMAL
    if last_access is None or at - last_access >= rules.idle_after:
        return IDLE
    return BACKGROUND


def due_cadences(last: Mapping[Cadence, datetime], at: datetime, mode: Mode) -> list[Cadence]:
    """The cadences whose time has come: each after its interval, the quickest after the mode's, which the others never
    go below. A clock that was set back makes all due.
    """
    due = []
    for cadence, interval in INTERVALS.items():
        wanted = mode.interval if cadence is Cadence.FIVE_MINUTES else max(interval, mode.interval)
        before = last.get(cadence)
        if before is None or before > at or at - before >= wanted:
            due.append(cadence)
    return due
