"""The sensor that doesn't wait for the day: a bounded file that is behind by most of its size, or was changed.

New material is what no run has taken up: ingested by hand, or left by a run that failed. From 80 % of the file's
budget on (000, compaction "daily or on threshold") the file is brought up to date at once, as it is when somebody has
changed or removed a published file.
"""

from collections.abc import Mapping

import dagster as dg

from memory_assets.automation.jobs import OWNERS
from memory_assets.automation.pipeline import STEPS
from memory_assets.automation.requests import AT_WORK, request_run, settled_inboxes
from memory_assets.files.on_disk import digest_on_disk
from memory_assets.llm.opening import open_models
from memory_assets.memory_file.candidates import FileRules
from memory_assets.memory_file.drafts import changed_files
from memory_assets.model import fingerprint
from memory_assets.runtime.abandoned import close_abandoned_runs
from memory_assets.runtime.chain import read_chain, recipes_of
from memory_assets.runtime.marks import due_steps
from memory_assets.runtime.owners import everybody
from memory_assets.runtime.resources import GraphResource, InstallationResource

SHARE = 0.8
INTERVAL_SECONDS = 60
TAKES_UP = ("processed_sources", "extracted_entities")


def past_threshold(waiting: Mapping[str, int], budget: int, share: float = SHARE) -> list[str]:
    """The owners whose ``waiting`` tokens reach the share of the budget. Pure."""
    return sorted(owner for owner, tokens in waiting.items() if tokens >= share * budget)


@dg.sensor(
    name="memory_threshold",
    job_name="update_memory",
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    owners=OWNERS,
    description="Looks every minute whether a file should not wait for its daily update: new material of 80 % of its budget "
    "that no run has taken up, or a published file that somebody has changed.",
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
    waiting = {row["user_id"]: row["tokens"] for row in opened.read("automation/sum_waiting", user_ids=behind)}
    full = past_threshold(waiting, FileRules().max_tokens)
    changed = changed_files(opened, owners)
    if not full and not changed:
        most = max(waiting.values(), default=0)
        return dg.SkipReason(f"No file has been changed, and at most {most} tokens of new material wait.")
    # One run for one state of things: what it cannot mend waits for the day, instead of failing each minute.
    state = [chain.mark(owner, "raw_sources") for owner in full]
    digests = [(str(path), digest_on_disk(path)) for paths in changed.values() for path in paths]
    # The same change again, after it was mended, is another state.
    made = [_last_made(context.instance, user) for user in changed]
    key = fingerprint("threshold", *full, *state, "changed", *changed, *digests, *made)
    return request_run(context.instance, "memory_threshold", key, run_config=settled_inboxes())


def _last_made(instance: dg.DagsterInstance, user: str) -> int | None:
    made = instance.get_latest_data_version_record(dg.AssetKey("memory_file"), partition_key=user)
    return made.storage_id if made else None
