"""The claims about sources that can be false: nothing in an inbox is passed over, nothing is set aside."""

from datetime import datetime

import dagster as dg

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.runtime.judging import owners_to_judge, users_check
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


def files_set_aside(graph: Graph, owner: str, _: datetime) -> list[dict[str, str]]:
    """The files of an owner's that could not be read, as long as they are set aside."""
    rows = graph.read("sources/list_files_set_aside", user_ids=[owner])
    what = f"mend or remove it, or `{RETRY}`"
    return [{"file": row["path"], "reason": row["reason"], "what to do": what} for row in rows]


no_file_is_set_aside = users_check(
    raw_sources,
    "no_file_is_set_aside",
    "Every file that was given could be read: none is set aside.",
    files_set_aside,
    "files could not be read and are set aside",
    f"mend the file, or take it out of the inbox, and it is read anew by itself; `{RETRY}` tries all of them now. "
    "Everything else of these owners is in",
    dg.AssetCheckSeverity.WARN,
    identity="file",
    of_teams=True,
)


def sources_set_aside(graph: Graph, owner: str, _: datetime) -> list[dict[str, str]]:
    """The sources of an owner's that could not be processed, as long as they are set aside."""
    return [
        {
            "source": row["title"],
            "reason": row["reason"],
            "what to do": f"wait until {to_iso(row['next_attempt_at'])}" if row["next_attempt_at"] else f"`{RETRY}`",
            "id": row["id"],
        }
        for row in read_failures(graph, owner)
    ]


no_source_is_set_aside = users_check(
    processed_sources,
    "no_source_is_set_aside",
    "Every source that was tried could be processed: none is set aside.",
    sources_set_aside,
    "sources could not be processed and are set aside",
    f"their reasons say what is in the way; what may pass is tried again by itself, `{RETRY}` tries all of them now",
    dg.AssetCheckSeverity.WARN,
    identity="id",
    of_teams=True,
)
