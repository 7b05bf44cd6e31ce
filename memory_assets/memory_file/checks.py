"""The gate between drafts and files: five blocking checks, each a claim about the draft that can be false."""

import dagster as dg

from memory_assets.memory_file import drafts
from memory_assets.memory_file.assets import memory_draft
from memory_assets.memory_file.user_files import user_files
from memory_assets.runtime.judging import users_to_judge, verdict
from memory_assets.runtime.resources import GraphResource, InstallationResource

CLAIMS = {
    "draft_is_within_budget": (
        "The finished draft is within its file's ceiling (2,000 tokens, unless it has another) by the real count."
    ),
    "sections_are_within_budget": (
        "Each section stays within its effective budget: its own, and what other sections have left unused."
    ),
    "only_this_users_memories": "Each entry's memory is this user's own.",
    "no_foreign_sources": "Each entry rests on sources of this user or of their teams alone.",
    "entries_are_whole_and_explained": (
        "Each line is a whole memory, or the clauses of it that still hold, with its reference; none stands twice."
    ),
}


def _check(name: str, claim: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=memory_draft, name=name, blocking=True, description=claim)
    def check(
        context: dg.AssetCheckExecutionContext, graph: GraphResource, installation: InstallationResource
    ) -> dg.AssetCheckResult:
        opened = graph.open()
        drafted = {
            user: drafts.drafted_files(opened, user_files(opened, installation.settings, user))
            for user in users_to_judge(context)
        }
        files = {user: of_user for user, of_user in drafted.items() if of_user}
        found = [
            {
                "user": user,
                "where": problem.where if file.is_default else f"{problem.where} of {file.path}",
                "what": problem.what,
                "what to do": problem.remedy,
            }
            for user, of_user in files.items()
            for file in of_user
            for problem in drafts.judge_draft(opened, file, name)
        ]
        first = {row["user"]: row["what"] for row in reversed(found)}
        return verdict(
            context,
            list(files),
            found,
            f"the published file is as it was; {found[0]['what to do']}" if found else "",
            blocking=True,
            # What is wrong is said in numbers and ids; where it is may quote a line.
            alert="; ".join(f"{user}: {first[user]}" for user in files if user in first),
            claim=claim,
            metadata={"files": sum(map(len, files.values()))},
        )

    return check


CHECKS = [_check(name, claim) for name, claim in CLAIMS.items()]
