"""The cadences: storylines every night, macros every week, the bounded files every day (004, 000).

Each asks first with a few cheap queries, and skips, with the reason, when nothing is due or when a run that it
started is still at work: an idle day costs no run. What was promised and found to be current is confirmed by a
materialization without a run, so that its freshness shows in the UI.
"""

from dataclasses import dataclass
from datetime import datetime

import dagster as dg

from memory_assets.automation.due import what_is_due
from memory_assets.automation.jobs import OWNERS
from memory_assets.automation.requests import AUTOMATION_TAG, active_run, request_run, settled_inboxes
from memory_assets.presentation.reports import some
from memory_assets.runtime.abandoned import close_abandoned_runs
from memory_assets.runtime.events import found_current
from memory_assets.runtime.owners import everybody
from memory_assets.runtime.partitions import EVERYBODY, FOR_TAG
from memory_assets.runtime.resources import GraphResource, InstallationResource
from memory_assets.settings import load_settings

NAMES_TOLD = 5


@dataclass(frozen=True)
class Cadence:
    """A schedule: when, which job, which steps make it due, and which asset it keeps its promise with."""

    name: str
    cron: str
    job: str
    steps: tuple[str, ...]
    promise: str
    description: str


CADENCES = (
    Cadence(
        "nightly_storylines",
        "0 3 * * *",
        "form_storylines",
        ("storylines",),
        "storylines",
        "Every night at 03:00: the storylines of everybody who has new extractions.",
    ),
    Cadence(
        "weekly_macros",
        "0 2 * * 0",
        "form_macros",
        ("macros",),
        "macros",
        "Every Sunday at 02:00: the macros of everybody who has new storylines.",
    ),
    Cadence(
        "daily_compaction",
        "0 4 * * *",
        "update_memory",
        (
            *("processed_sources", "extracted_entities", "notes", "compressed_contexts"),
            *("value_classifications", "memory_draft", "memory_file", "heartbeat_file", "bounded_memory_metrics"),
        ),
        "memory_file",
        "Every day at 04:00: the bounded files of everybody for whom something has changed that no run has "
        "taken up: new storylines, sources ingested by hand, failures to try again, a file that was edited, a day that "
        "has passed.",
    ),
)


def _schedule(cadence: Cadence) -> dg.ScheduleDefinition:
    @dg.schedule(
        name=cadence.name,
        cron_schedule=cadence.cron,
        execution_timezone=load_settings().timezone,
        job_name=cadence.job,
        description=cadence.description,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        owners=OWNERS,
        tags={AUTOMATION_TAG: cadence.name},
        metadata={"starts": cadence.job, "when due": ", ".join(cadence.steps)},
    )
    def evaluate(
        context: dg.ScheduleEvaluationContext, graph: GraphResource, installation: InstallationResource
    ) -> dg.RunRequest | dg.SkipReason:
        close_abandoned_runs(context.instance)
        if run := active_run(context.instance, cadence.name):
            return dg.SkipReason(f"The run {run.run_id} that this schedule has started is still at work.")
        opened, settings = graph.open(), installation.settings
        due = what_is_due(opened, settings, everybody(context.instance, opened, settings), cadence.steps)
        if not due:
            _confirm(context.instance, cadence, settings.clock.now())
            return dg.SkipReason("Nothing is due for anybody.")
        context.log.info("; ".join(f"{owner}: {reason}" for owner, reason in list(due.items())[:NAMES_TOLD]))
        # The time of the tick: a tick that is tried again starts no second run.
        return request_run(
            context.instance,
            cadence.name,
            f"{cadence.name}:{context.scheduled_execution_time.isoformat()}",
            run_config=settled_inboxes() if cadence.job == "update_memory" else None,
            tags={FOR_TAG: some(due)},
        )

    return evaluate


def _confirm(instance: dg.DagsterInstance, cadence: Cadence, now: datetime) -> None:
    """The promise is kept without a run: whatever there is, is current."""
    instance.report_runless_asset_event(
        dg.AssetMaterialization(
            cadence.promise,
            partition=EVERYBODY,
            description="Nothing was due: what stands is current.",
            metadata=found_current(instance, cadence.promise, EVERYBODY, now, f"{cadence.name}: nothing was due"),
        )
    )


ALL: list[dg.ScheduleDefinition] = [_schedule(cadence) for cadence in CADENCES]
