"""The claims about sources that can be false: nothing in an inbox is passed over, nothing is set aside."""

import dagster as dg

from memory_assets.clock import to_iso
from memory_assets.runtime.judging import owners_to_judge
from memory_assets.runtime.judging import verdict as verdict_of
from memory_assets.runtime.resources import GraphResource, InstallationResource
from memory_assets.sources.assets import processed_sources, raw_sources
from memory_assets.sources.metadata import RETRY, read_failures
from memory_assets.sources.seen_files import INBOX_SETTLE_SECONDS, judge_inbox

CLAIM = "Each file of an owner's inbox is a source, or is set aside with a reason."


@dg.asset_check(asset=raw_sources, description=CLAIM)
def every_inbox_file_is_a_source_or_set_aside(
    context: dg.AssetCheckExecutionContext, graph: GraphResource, installation: InstallationResource
) -> dg.AssetCheckResult:
    """Warn of files that no ingestion has looked at."""
    inbox = installation.settings.inbox
    judged = owners_to_judge(context)
    opened = graph.open()
    record = context.instance.get_run_record_by_id(context.run.run_id)
    # What changed since this run began is the next one's.
    since = record.start_time - INBOX_SETTLE_SECONDS if record and record.start_time else None
    verdicts = {owner: judge_inbox(opened, owner, inbox / owner, since) for owner in judged if (inbox / owner).is_dir()}
    found = [{"user": owner, "path": path} for owner, verdict in verdicts.items() for path in verdict.passed_over]
    set_aside = [path for verdict in verdicts.values() for path in verdict.set_aside]
    return verdict_of(
        context,
        judged,
        found,
        "wait until they are settled, or materialise raw_sources of these owners",
        dg.AssetCheckSeverity.WARN,
        alert=f"{len(found)} files that no ingestion has looked at",
        claim=CLAIM,
        metadata={
            "files": sum(verdict.files for verdict in verdicts.values()),
            "set_aside": dg.MetadataValue.json(set_aside),
        },
    )


FILES_CLAIM = "Every file that was given could be read: none is set aside."
FILE_REMEDY = (
    f"mend the file, or take it out of the inbox, and it is read anew by itself; `{RETRY}` tries all of them now. "
    "Everything else of these owners is in"
)


@dg.asset_check(asset=raw_sources, description=FILES_CLAIM)
def no_file_is_set_aside(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """Warn of each file that could not be read, as long as it is set aside."""
    judged = owners_to_judge(context)
    rows = graph.open().read("sources/list_files_set_aside", user_ids=judged)
    found = [
        {
            "user": row["owner"],
            "file": row["path"],
            "reason": row["reason"],
            "what to do": f"mend or remove it, or `{RETRY}`",
        }
        for row in rows
    ]
    return verdict_of(
        context,
        judged,
        found,
        FILE_REMEDY,
        dg.AssetCheckSeverity.WARN,
        alert=f"{len(found)} files could not be read and are set aside",
        claim=FILES_CLAIM,
        identity="file",
    )


SOURCES_CLAIM = "Every source that was tried could be processed: none is set aside."
SOURCE_REMEDY = (
    f"their reasons say what is in the way; what may pass is tried again by itself, `{RETRY}` tries all of them now"
)


@dg.asset_check(asset=processed_sources, description=SOURCES_CLAIM)
def no_source_is_set_aside(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """Warn of each source that could not be processed, as long as it is set aside."""
    judged, opened = owners_to_judge(context), graph.open()
    found = [
        {
            "user": owner,
            "source": row["title"],
            "reason": row["reason"],
            "what to do": f"wait until {to_iso(row['next_attempt_at'])}" if row["next_attempt_at"] else f"`{RETRY}`",
            "id": row["id"],
        }
        for owner in judged
        for row in read_failures(opened, owner)
    ]
    return verdict_of(
        context,
        judged,
        found,
        SOURCE_REMEDY,
        dg.AssetCheckSeverity.WARN,
        alert=f"{len(found)} sources could not be processed and are set aside",
        claim=SOURCES_CLAIM,
        identity="id",
    )
