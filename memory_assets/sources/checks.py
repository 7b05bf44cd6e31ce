"""The claim about raw sources that can be false: nothing in an inbox is passed over."""

import dagster as dg

from memory_assets.operations.judging import owners_to_judge
from memory_assets.operations.judging import verdict as verdict_of
from memory_assets.resources import GraphResource, InstallationResource
from memory_assets.sources.assets import raw_sources
from memory_assets.sources.inbox import INBOX_SETTLE_SECONDS, judge_inbox

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
