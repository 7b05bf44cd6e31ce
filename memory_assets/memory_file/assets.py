"""The shells of ``memory_draft`` and ``memory_file``: choose, then (when the checks agree) publish."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.errors import MemoryAssetsError
from memory_assets.files.on_disk import text_on_disk
from memory_assets.memory_file import drafts, selection
from memory_assets.memory_file.drafts import changed_files
from memory_assets.memory_file.metadata import (
    describe_all,
    describe_draft,
    describe_file,
    read_best_left_out,
)
from memory_assets.memory_file.user_files import user_files
from memory_assets.model import fingerprint
from memory_assets.runtime.edited_files import MEMORY
from memory_assets.runtime.marks import Step
from memory_assets.runtime.resources import EditedFiles, GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import DAILY, Done, Result, asset_options, work_through

DRAFT = Step(
    "memory_draft",
    lambda models: fingerprint(selection.CODE_VERSION, *(drafts.recipe(models.composer) if models.composer else ())),
    ("value_classifications",),
    asks_models=True,
    also="memory_files",  # changes with the list of a user's files and their ceilings
    takes=frozenset({"force"}),
)
PUBLISHED = Step("memory_file", lambda models: fingerprint(selection.CODE_VERSION), ("memory_draft",))


@step_asset(DRAFT, group="memory_file", kinds={"neo4j", "markdown", "openai"}, code_version=selection.CODE_VERSION)
def memory_draft(run: Run, user: str) -> Done:
    """The next MEMORY.md of a user: whole entries within section budgets, not yet published.

    Each of the user's files has a draft of its own, within its own ceiling. It is published when the checks of this
    asset agree. Where a model is configured, it is asked once for each file to compose it from the best candidates;
    what it says is checked line by line, and without a usable answer the local choice is the file.
    """
    graph = run.graph
    files, composer = user_files(graph, run.settings, user), run.models.opened().composer
    made = drafts.make_drafts(graph, user, files, run.now(), force=run.scope.force, composer=composer)
    shown, changes, left = [], [], []
    for file, made_anew in zip(files, made, strict=True):
        stored = drafts.read_draft(graph, file)
        changes += [stored.changes_at] if stored.changes_at else []
        left += [f"{file.path} is not composed"] if stored.composition and stored.composition["is_open"] else []
        best = read_best_left_out(graph, user, stored)
        shown.append((file, stored, describe_draft(stored, best, made_anew=made_anew)))
    return Done(describe_all(shown), unasked=left, changes_at=min(changes, default=None))


@dg.asset(
    **asset_options(
        PUBLISHED, group="memory_file", kinds={"markdown", "file"}, code_version=selection.CODE_VERSION, freshness=DAILY
    )
)
def memory_file(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
    edited_files: EditedFiles,
) -> Iterator[Result]:
    """A user's MEMORY.md: published whole or not at all, once the draft has passed its checks.

    The draft is checked once more before that, since this asset can be run without the draft's checks, and a run
    for many owners goes on where one of their drafts fails. A file that somebody has edited is not overwritten
    unread.
    """

    def publish(user: str) -> Done:
        opened, now = graph.open(), installation.clock.now()
        taken_in = edited_files.taken_in(opened, installation, user, MEMORY)
        shown, notes, failures = [], [], []
        for file in user_files(opened, installation.settings, user):
            previous = text_on_disk(file.path)
            try:
                draft = drafts.read_draft(opened, file)
                edited_files.check(opened, installation, user, file.path, draft.entries)
                published = drafts.publish_draft(opened, file, now, taken_in)
            except MemoryAssetsError as error:
                if error.retryable:
                    raise
                # Where one of them can't be published, the others can all the same.
                failures.append(str(error))
                continue
            notes += published.notes(file.path)
            best = read_best_left_out(opened, user, draft)
            shown.append((file, draft, describe_file(file.path, published, draft, best, previous)))
        if failures:
            done = [str(file.path) for file, *_ in shown]
            raise drafts.DraftError(" ".join([*failures, *([f"Published: {', '.join(done)}."] if done else [])]))
        return Done(describe_all(shown), notes=notes)

    run = Run(context, PUBLISHED, scope, graph, models, installation)
    yield from work_through(run, publish, news=lambda owners: changed_files(graph.open(), owners))
