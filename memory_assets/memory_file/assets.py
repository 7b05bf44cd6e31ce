"""The assets ``memory_draft`` and ``memory_file``: choose, then (when the checks agree) publish."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from memory_assets.memory_file import drafts, selection
from memory_assets.memory_file.publish import Published
from memory_assets.operations.partitions import backfill_policy, owners, users_of_run
from memory_assets.operations.window import WindowConfig
from memory_assets.resources import GraphResource, InstallationResource

NO_FILE = "A team has no file of its own: its members have."


@dg.asset(
    group_name="memory_file",
    kinds={"neo4j", "markdown"},
    owners=["team:memory"],
    partitions_def=owners,
    backfill_policy=backfill_policy,
    deps=["value_classifications"],
    output_required=False,
    code_version=selection.CODE_VERSION,
    description="The next MEMORY.md of a user: whole entries within section budgets, not yet published.",
)
def memory_draft(
    context: dg.AssetExecutionContext,
    config: WindowConfig,
    graph: GraphResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult]:
    """Choose the entries of a user's file and store the draft (000, Bounded Memory Manager)."""
    users = users_of_run(context, NO_FILE)
    for user in users:
        with installation.owner_lock(user):
            made = drafts.make_draft(graph.open(), user, installation.clock.now(), force=config.force)
            draft = drafts.read_draft(graph.open(), user)
        context.add_asset_metadata(describe_draft(draft) | {"made_anew": made}, partition_key=user)
    if users:
        yield dg.MaterializeResult()


@dg.asset(
    group_name="memory_file",
    kinds={"markdown", "file"},
    owners=["team:memory"],
    partitions_def=owners,
    backfill_policy=backfill_policy,
    deps=[memory_draft],
    output_required=False,
    code_version=selection.CODE_VERSION,
    description="A user's MEMORY.md: published whole or not at all, once the draft has passed its checks.",
)
def memory_file(
    context: dg.AssetExecutionContext,
    graph: GraphResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult]:
    """Publish the draft. It is judged once more: this asset can be launched without the draft's checks."""
    users = users_of_run(context, NO_FILE)
    opened = graph.open()
    for user in users:
        path = installation.settings.memory_file(user)
        with installation.owner_lock(user):
            published = drafts.publish_draft(opened, user, path, installation.clock.now())
            draft = drafts.read_draft(opened, user)
        if published.edited_copy:
            context.log.warning(f"{path} had been edited: those words are kept as {published.edited_copy}.")
        context.add_asset_metadata(describe_file(path, published, draft), partition_key=user)
    if users:
        yield dg.MaterializeResult()


def describe_file(path: Path, published: Published, draft: drafts.StoredDraft) -> dict[str, Any]:
    """Where the file is, what publishing did, and its text."""
    return {
        "path": dg.MetadataValue.path(str(path)),
        "publication": published.status,
        "edited_copy": published.edited_copy or "none",
        "tokens": draft.tokens,
        "budget": draft.budget,
        "memory": dg.MetadataValue.md(draft.content.text),
    }


def describe_draft(draft: drafts.StoredDraft) -> dict[str, Any]:
    """The draft's text, its budgets, and what was left out and why."""
    reasons = Counter(drafts.reason_kind(row["reason"]) for row in draft.content.left_out)
    return {
        "tokens": draft.tokens,
        "budget": draft.budget,
        "entries": len(draft.content.entries),
        "considered": draft.considered,
        "sections": dg.MetadataValue.md(_table(("name", "tokens", "budget"), draft.content.sections)),
        "left_out": dg.MetadataValue.md(
            _table(("reason", "memories"), [{"reason": r, "memories": n} for r, n in reasons.most_common()])
        ),
        "draft": dg.MetadataValue.md(draft.content.text),
    }


def _table(columns: tuple[str, ...], rows: Any) -> str:
    head = "| " + " | ".join(columns) + " |"
    lines = ["| " + " | ".join(str(row[column]) for column in columns) + " |" for row in rows]
    return "\n".join((head, "|---" * len(columns) + "|", *lines))
