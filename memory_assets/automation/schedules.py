"""The cadences (storylines and descriptions every night, macros every week, files every day), and the sensor that
doesn't wait for the day.

Each asks first with a few cheap queries, and skips, with the reason, when nothing is due or when a run that it
started is still at work: an idle day costs no run. From waiting material of 80 % of a file's budget on (000,
compaction "daily or on threshold") the file is brought up to date at once, as it is when somebody has changed or
removed a published file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import dagster as dg

from memory_assets.automation.jobs import AT_WORK, AUTOMATION_TAG, OWNERS, request_run, settled_inboxes, still_at_work
from memory_assets.automation.pipeline import STEPS, what_is_due
from memory_assets.files.on_disk import digest_on_disk
from memory_assets.graph.graph import Graph
from memory_assets.llm.opening import open_models
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS
from memory_assets.memory_file.drafts import changed_files
from memory_assets.model import fingerprint, is_team
from memory_assets.presentation.reports import some
from memory_assets.runtime.chain import read_chain, recipes_of
from memory_assets.runtime.events import found_current
from memory_assets.runtime.instance import close_abandoned_runs
from memory_assets.runtime.marks import due_steps
from memory_assets.runtime.owners import everybody
from memory_assets.runtime.partitions import EVERYBODY, FOR_TAG
from memory_assets.runtime.resources import GraphResource, InstallationResource
from memory_assets.settings import load_settings

NAMES_SHOWN = 5


@dataclass(frozen=True)
class Cadence:
    """A schedule: when, which job, which steps make it due, and which asset it keeps its promise with."""

    name: str
    cron: str
    job: str
    steps: tuple[str, ...]
    promise: str
    description: str
    naming: str | None = None
    """What of storylines and macros its run names, where not all that is due (:class:`RunScope`)."""


CADENCES = (
    Cadence(
        *("nightly_lifecycle", "30 1 * * *", "age_memories", ("accesses", "memory_states"), "memory_states"),
        "Every night at 01:30: what was accessed is counted, and what has faded by that day is archived.",
    ),
    Cadence(
        *("nightly_storylines", "0 3 * * *", "form_storylines", ("storylines",), "storylines"),
        "Every night at 03:00: new storylines of everybody who has new extractions.",
        naming="new",
    ),
    Cadence(
        *("nightly_storyline_refresh", "30 3 * * *", "form_storylines", ("storylines",), "storylines"),
        "Every night at 03:30, after the new ones: the storylines that have changed.",
        naming="changed",
    ),
    Cadence(
        *("nightly_descriptions", "45 3 * * *", "consolidate_descriptions", ("descriptions",), "descriptions"),
        "Every night at 03:45: the descriptions of people, concepts, entities and relationships whose notes have "
        "changed.",
    ),
    Cadence(
        *("nightly_notes_cleanup", "0 4 * * *", "clean_notes", ("current_notes",), "current_notes"),
        "Every night at 04:00, after the descriptions: notes whose time is over are retired.",
    ),
    Cadence(
        *("weekly_macros", "0 2 * * 0", "form_macros", ("macros",), "macros"),
        "Every Sunday at 02:00: new macros of everybody who has new storylines.",
        naming="new",
    ),
    Cadence(
        *("weekly_macro_refresh", "30 2 * * 0", "form_macros", ("macros",), "macros"),
        "Every Sunday at 02:30, after the new ones: the macros that have changed.",
        naming="changed",
    ),
    Cadence(
        "daily_compaction",
        "0 4 * * *",
        "update_memory",
        (
            *("processed_sources", "accesses", "agent_records", "extracted_entities", "statement_validity", "notes"),
            *("compressed_contexts", "memory_states", "value_classifications", "memory_draft", "memory_file"),
            *("heartbeat_file", "bounded_memory_metrics"),
        ),
        "memory_file",
        "Every day at 04:00: the bounded files of everybody for whom something has changed that no run has "
        "taken up: new storylines, sources ingested by hand, failures to try again, a file that was edited, what was "
        "recalled, a day that has passed.",
    ),
    Cadence(
        "nightly_consolidation",
        "30 4 * * *",
        "consolidate_memories",
        ("consolidation_plan", "consolidated_memories"),
        "consolidation_plan",
        "Every night at 04:30: what is to be consolidated is planned, and what was planned the night before is carried "
        "out.",
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
        if waits := still_at_work(context.instance, cadence.name, "schedule"):
            return waits
        opened, settings = graph.open(), installation.settings
        due = what_is_due(opened, settings, everybody(context.instance, opened, settings), cadence.steps)
        if not due:  # everything is current, by which the promise is kept without a run
            why, now = f"{cadence.name}: nothing was due", settings.clock.now()
            context.instance.report_runless_asset_event(
                dg.AssetMaterialization(
                    cadence.promise,
                    partition=EVERYBODY,
                    description="Nothing was due: what is there is current.",
                    metadata=found_current(context.instance, cadence.promise, EVERYBODY, now, why),
                )
            )
            return dg.SkipReason("Nothing is due for anybody.")
        context.log.info("; ".join(f"{owner}: {reason}" for owner, reason in list(due.items())[:NAMES_SHOWN]))
        # The time of the tick: a tick that is tried again starts no second run.
        key = f"{cadence.name}:{context.scheduled_execution_time.isoformat()}"
        config = settled_inboxes() if cadence.job == "update_memory" else {}
        if cadence.naming:
            config = {"resources": {"scope": {"config": {"naming": cadence.naming}}}}
        return request_run(context.instance, cadence.name, key, run_config=config, tags={FOR_TAG: some(due)})

    return evaluate


ALL: list[dg.ScheduleDefinition] = [_schedule(cadence) for cadence in CADENCES]


SHARE = 0.8
INTERVAL_SECONDS = 60
CHARACTERS_PER_TOKEN = 4
TAKES_UP = ("processed_sources", "extracted_entities")


def waiting_tokens(graph: Graph, owners: Sequence[str]) -> dict[str, int]:
    """About how many tokens of these owners' sources no run has taken up."""
    users = [owner for owner in owners if not is_team(owner)]
    given = {"user_ids": owners, "users": users, "characters_per_token": CHARACTERS_PER_TOKEN}
    return {row["user_id"]: row["tokens"] for row in graph.read("automation/sum_waiting", **given)}


def past_threshold(waiting: Mapping[str, int], budget: int, share: float = SHARE) -> list[str]:
    """The owners whose ``waiting`` tokens reach the share of the budget. Pure."""
    return sorted(owner for owner, tokens in waiting.items() if tokens >= share * budget)


@dg.sensor(
    name="memory_threshold",
    job_name="update_memory",
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    owners=OWNERS,
    description="Looks every minute whether a file should not wait for its daily update: new material of 80 % of "
    "its budget that no run has taken up, or a published file that somebody has changed.",
)
def memory_threshold(
    context: dg.SensorEvaluationContext, graph: GraphResource, installation: InstallationResource
) -> dg.RunRequest | dg.SkipReason:
    """Ask the marks first, then, for whom something waits, how much; then the published files."""
    close_abandoned_runs(context.instance)
    if at_work := context.instance.get_runs(dg.RunsFilter(statuses=list(AT_WORK)), limit=1):
        # It may be publishing: between a file and its manifest, the file looks changed.
        return dg.SkipReason(f"The run {at_work[0].run_id} is at work; what it leaves is looked at afterwards.")
    opened, settings = graph.open(), installation.settings
    owners = everybody(context.instance, opened, settings)
    chain = read_chain(opened, STEPS, recipes_of(STEPS, open_models(settings)), owners, settings.clock.now())
    behind = [owner for owner in owners if due_steps(chain, owner, TAKES_UP)]
    waiting = waiting_tokens(opened, behind)
    full = past_threshold(waiting, PRESETS[DEFAULT_PRESET].limit)
    changed = changed_files(opened, owners)
    if not full and not changed:
        most = max(waiting.values(), default=0)
        return dg.SkipReason(f"No file has been changed, and at most {most} tokens of new material wait.")
    # One run for one state of things: what it cannot mend waits for the day, instead of failing each minute.
    state = [chain.mark(owner, "raw_sources") for owner in full]
    digests = [(str(path), digest_on_disk(path)) for paths in changed.values() for path in paths]
    # The same change again, after it was mended, is another state.
    drafted = dg.AssetKey("memory_file")
    last = [context.instance.get_latest_data_version_record(drafted, partition_key=user) for user in changed]
    made = [record.storage_id if record else None for record in last]
    key = fingerprint("threshold", *full, *state, "changed", *changed, *digests, *made)
    return request_run(context.instance, "memory_threshold", key, run_config=settled_inboxes())
