"""The claim about raw sources that can be false: nothing in an inbox is passed over."""

import dagster as dg

from memory_assets.operations.judging import owners_to_judge
from memory_assets.resources import GraphResource, InstallationResource
from memory_assets.sources.assets import raw_sources
from memory_assets.sources.inbox import judge_inbox

CLAIM = "Each file of an owner's inbox is a source, or is set aside with a reason."


@dg.asset_check(asset=raw_sources, description=CLAIM)
def every_inbox_file_is_a_source_or_set_aside(
    context: dg.AssetCheckExecutionContext, graph: GraphResource, installation: InstallationResource
) -> dg.AssetCheckResult:
    """Warn of files that no ingestion has looked at."""
    inbox = installation.settings.inbox
    judged = owners_to_judge(context)
    opened = graph.open()
    verdicts = [judge_inbox(opened, owner, inbox / owner) for owner in judged if (inbox / owner).is_dir()]
    passed_over = [path for verdict in verdicts for path in verdict.passed_over]
    set_aside = [path for verdict in verdicts for path in verdict.set_aside]
    return dg.AssetCheckResult(
        passed=not passed_over,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{passed_over[0]} is neither." if passed_over else CLAIM,
        metadata={
            "owners": ", ".join(judged) or "none",
            "files": sum(verdict.files for verdict in verdicts),
            "set_aside": dg.MetadataValue.json(set_aside),
            "passed_over": dg.MetadataValue.json(passed_over[:200]),
        },
    )
