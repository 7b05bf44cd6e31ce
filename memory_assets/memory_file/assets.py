"""The shells of ``memory_draft`` and ``memory_file``: choose, then (when the checks agree) publish."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.memory_file import drafts, selection
from memory_assets.memory_file.current import text_on_disk
from memory_assets.memory_file.edit_store import check_taken_in
from memory_assets.memory_file.metadata import describe_draft, describe_file, read_best_left_out
from memory_assets.memory_file.user_files import default_file
from memory_assets.operations.scope import RunScope
from memory_assets.operations.steps import Done, asset_options, work_through
from memory_assets.resources import GraphResource, InstallationResource, ModelResource


@dg.asset(
    **asset_options(
        "memory_draft", group="memory_file", kinds={"neo4j", "markdown"}, code_version=selection.CODE_VERSION
    )
)
def memory_draft(
    context: dg.AssetExecutionContext,
    config: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """The next MEMORY.md of a user: whole entries within section budgets, not yet published.

    (000, Bounded Memory Manager.) It becomes the file when the checks of this asset agree.
    """

    def draft(user: str) -> Done:
        opened = graph.open()
        made = drafts.make_draft(opened, user, installation.clock.now(), force=config.force)
        stored = drafts.read_draft(opened, user)
        return Done(describe_draft(stored, read_best_left_out(opened, user, stored), made_anew=made))

    yield from work_through(context, config, graph, models, installation, draft)


@dg.asset(
    **asset_options(
        "memory_file", group="memory_file", kinds={"markdown", "file"}, code_version=selection.CODE_VERSION
    )
)
def memory_file(
    context: dg.AssetExecutionContext,
    config: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """A user's MEMORY.md: published whole or not at all, once the draft has passed its checks.

    The draft is judged once more: this asset can be launched without the draft's checks, and a run for many
    owners goes on where one of their drafts fails.
    """

    def publish(user: str) -> Done:
        opened, path = graph.open(), installation.settings.memory_file(user)
        check_taken_in(opened, default_file(installation.settings, user), drafts.read_draft(opened, user).content.entries)
        previous = text_on_disk(path)
        published = drafts.publish_draft(opened, user, path, installation.clock.now())
        edited = f"{path} had been edited: those words are kept as {published.edited_copy}."
        stored = drafts.read_draft(opened, user)
        best = read_best_left_out(opened, user, stored)
        shown = describe_file(path, published, stored, best, previous)
        return Done(shown, notes=[edited] if published.edited_copy else [])

    yield from work_through(context, config, graph, models, installation, publish)
