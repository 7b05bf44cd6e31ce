"""The audit of retirements."""

import dagster as dg

from memory_assets.curation.audit import judge_retirements
from memory_assets.operations.partitions import owners, owners_to_judge
from memory_assets.resources import GraphResource


@dg.asset_check(asset="macros", partitions_def=owners, additional_deps=["extracted_entities", "storylines"])
def no_railed_memory_is_retired(
    context: dg.AssetCheckExecutionContext, graph: GraphResource
) -> dg.AssetCheckResult:
    """No memory was retired past a never-prune rail (specification 001), by what each audit has seen."""
    audits = [
        row
        for owner in owners_to_judge(context)
        for row in graph.open().read("curation/list_retirements", user_id=owner)
    ]
    violations = judge_retirements(audits)
    return dg.AssetCheckResult(
        passed=not violations,
        metadata={
            "retired": len(audits),
            "violations": len(violations),
            "first": dg.MetadataValue.json(violations[:20]),
        },
    )
