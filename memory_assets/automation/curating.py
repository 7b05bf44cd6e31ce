"""The sensor that starts curation's cycles, each in its cadence, as often as agents' activity lets it (001, Option C).

A schedule has a fixed time, and the mode changes how often the quickest cycle comes: so a sensor asks the clock. Only
where a cycle has something to do for somebody is a run started, one for everybody.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal

import dagster as dg
from pydantic import Field, TypeAdapter

from memory_assets.automation.jobs import OWNERS, request_run, still_at_work
from memory_assets.clock import to_iso
from memory_assets.curation.cadences import MODES, Cadence, Mode, ModeRules, choose_mode, due_cadences
from memory_assets.curation.reading import list_due_owners
from memory_assets.curation.stops import choose, chosen_mode, why_stopped
from memory_assets.graph.graph import Graph
from memory_assets.presentation.reports import some
from memory_assets.runtime.accesses import access_log
from memory_assets.runtime.owners import everybody
from memory_assets.runtime.partitions import FOR_TAG
from memory_assets.runtime.resources import GraphResource, InstallationResource
from memory_assets.settings import Settings

NAME = "curation"
INTERVAL_SECONDS = 30
RULES = ModeRules()
_TICKS = TypeAdapter(dict[Cadence, datetime])


def current_mode(graph: Graph, settings: Settings, owners: Iterable[str], now: datetime) -> tuple[Mode, str]:
    """The mode, and why: a person's choice, else how busy agents are by the logs of accesses."""
    if chosen := chosen_mode(graph):
        return chosen, "set by hand"
    latest = [at for owner in owners for at in access_log(settings, owner).latest(RULES.busy_from)]
    in_window = sum(now - RULES.window < at <= now for at in latest)
    mode = choose_mode(max(latest, default=None), in_window, now, RULES)
    return mode, mode.description


def load_ticks(cursor: str | None) -> dict[Cadence, datetime]:
    """When each cadence last came, as the cursor says; none where it says nothing that can be read."""
    try:
        return _TICKS.validate_json(cursor or "{}", strict=True)
    except ValueError:
        return {}


def dump_ticks(ticks: Mapping[Cadence, datetime]) -> str:
    """A cursor."""
    return _TICKS.dump_json(dict(ticks)).decode()


@dg.sensor(
    name=NAME,
    job_name="curate_memories",
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    owners=OWNERS,
    description="Starts the cycles of curation in their cadences: every 5 and 15 minutes, every hour, every 6 hours; "
    "the first one every 2.5 minutes while no agent is at work, every 15 while they are busy. The job "
    "`switch_curation_mode` sets that by hand.",
)
def curation_sensor(
    context: dg.SensorEvaluationContext, graph: GraphResource, installation: InstallationResource
) -> dg.RunRequest | dg.SkipReason:
    """Ask the clock which cadences have come, then with one query for whom they have something to do."""
    now = installation.clock.now()
    ticks = load_ticks(context.cursor)
    if waits := still_at_work(context.instance, NAME):
        return waits
    opened, settings = graph.open(), installation.settings
    owners = everybody(context.instance, opened, settings)
    mode, why = current_mode(opened, settings, owners, now)
    cadences = due_cadences(ticks, now, mode)
    said = f"Mode {mode.name} ({why}): every {mode.interval.total_seconds() / 60:g} minutes."
    if not cadences:
        return dg.SkipReason(f"{said} No cadence has come.")
    come = ", ".join(cadence.value for cadence in cadences)
    due = {owner: of for owner, of in list_due_owners(opened, now, cadences).items() if owner in owners}
    if stopped := sorted(owner for owner in due if why_stopped(opened, owner) is not None):
        said = f"{said} Stopped, until somebody has looked (memory-assets curation resume): {some(stopped)}."
        due = {owner: of for owner, of in due.items() if owner not in stopped}
    context.update_cursor(dump_ticks(ticks | dict.fromkeys(cadences, now)))
    if not due:
        return dg.SkipReason(f"{said} Of {come}, nothing is due for anybody.")
    wanted = sorted({cadence for of_owner in due.values() for cadence in of_owner}, key=list(Cadence).index)
    context.log.info(f"{said} Due: {some(due)}.")
    config = {"resources": {"scope": {"config": {"cadences": [one.value for one in wanted]}}}}
    tags = {FOR_TAG: some(due), "memory_assets/curation_mode": mode.name}
    return request_run(context.instance, NAME, f"{NAME}:{to_iso(now)}", run_config=config, tags=tags)


class ModeConfig(dg.Config):
    """Which mode: one of 001's, or by agents' activity."""

    mode: Literal["AUTO", "IDLE", "BACKGROUND", "MINIMAL"] = Field(
        default="AUTO", description="IDLE: every 2.5 minutes, BACKGROUND: 5, MINIMAL: 15; AUTO: by activity."
    )


@dg.op(
    description="Set how often curation looks: IDLE every 2.5 minutes, BACKGROUND every 5, MINIMAL every 15; AUTO by "
    "how busy agents are."
)
def set_curation_mode(
    context: dg.OpExecutionContext, config: ModeConfig, graph: GraphResource, installation: InstallationResource
) -> None:
    """A person's choice."""
    choose(graph.open(), config.mode, installation.clock.now())
    chosen = MODES.get(config.mode)
    context.log.info(chosen.description if chosen else "Curation looks as often as agents' activity lets it.")


@dg.job(owners=OWNERS, description="Switch how often curation looks by hand: choose the mode in the launchpad.")
def switch_curation_mode() -> None:
    """One step."""
    set_curation_mode()
