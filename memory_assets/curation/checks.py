"""The audit of retirements."""

import dagster as dg

from memory_assets.curation.rails import judge_retirements
from memory_assets.runtime.judging import users_to_judge, verdict
from memory_assets.runtime.resources import GraphResource

REMEDY = "report it: a memory was retired that a rule protects; its audit in the graph holds what the memory was"


@dg.asset_check(asset="macros", additional_deps=["extracted_entities", "notes", "storylines", "compressed_contexts"])
def no_railed_memory_is_retired(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
    """No memory was retired that a rule protects: what somebody has recalled or wants forever, what is core, open
    tasks.

    Judged by what the audit of each retirement has recorded of the memory.
    """
    users = users_to_judge(context)
    violations = [
        {"user": user} | violation
        for user in users
        for violation in judge_retirements(graph.open().read("curation/list_retirements", user_id=user))
    ]
    return verdict(
        context, users, violations, REMEDY, alert=f"{len(violations)} memories were retired that a rule protects"
    )
