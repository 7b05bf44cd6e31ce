"""The gate between draft and file: five blocking checks, each a claim about the draft that can be false."""

import dagster as dg

from memory_assets.memory_file import drafts, verdicts
from memory_assets.memory_file.assets import memory_draft
from memory_assets.model import is_team
from memory_assets.resources import GraphResource

CLAIMS = {
    "draft_is_within_budget": "The finished draft has at most 2,000 tokens by the real count.",
    "sections_are_within_budget": "Each section keeps to its effective budget, unused budget flown on.",
    "only_this_users_memories": "Each entry's memory is this user's own.",
    "no_foreign_sources": "Each entry rests on sources of this user or of their teams alone.",
    "entries_are_whole_and_explained": "Each line is a whole memory with its reference; none stands twice.",
}


def _check(name: str, claim: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=memory_draft, name=name, blocking=True, description=claim)
    def check(context: dg.AssetCheckExecutionContext, graph: GraphResource) -> dg.AssetCheckResult:
        opened = graph.open()
        # Launched by itself, without a partition, it judges every draft there is.
        partition = context.partition_keys if context.has_partition_key else drafts.drafted_users(opened)
        users = [user for user in partition if not is_team(user)]
        problems = [p for user in users for p in drafts.judge_draft(opened, user)[name]]
        metadata: dict[str, object] = {"users": ", ".join(users) or "none", "problems": len(problems)}
        if problems:
            metadata["what_failed"] = dg.MetadataValue.md(verdicts.problem_table(problems))
        return dg.AssetCheckResult(
            passed=not problems,
            severity=dg.AssetCheckSeverity.ERROR,
            description=problems[0].what if problems else claim,
            metadata=metadata,
        )

    return check


draft_is_within_budget = _check("draft_is_within_budget", CLAIMS["draft_is_within_budget"])
sections_are_within_budget = _check("sections_are_within_budget", CLAIMS["sections_are_within_budget"])
only_this_users_memories = _check("only_this_users_memories", CLAIMS["only_this_users_memories"])
no_foreign_sources = _check("no_foreign_sources", CLAIMS["no_foreign_sources"])
entries_are_whole_and_explained = _check(
    "entries_are_whole_and_explained", CLAIMS["entries_are_whole_and_explained"]
)
