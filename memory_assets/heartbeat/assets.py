"""The shells of ``heartbeat_tasks``, which people add, and ``heartbeat_file``, which is published from them."""

from collections.abc import Iterable, Iterator
from typing import Any

import dagster as dg

from memory_assets.errors import MemoryAssetsError
from memory_assets.heartbeat import heartbeat_file as publishing
from memory_assets.heartbeat.heartbeat_file import PublishedHeartbeat
from memory_assets.heartbeat.render import BUDGET
from memory_assets.model import fingerprint
from memory_assets.presentation.reports import Markdown, bar, markdown_table
from memory_assets.runtime.edited_files import HEARTBEAT as KIND
from memory_assets.runtime.marks import Step
from memory_assets.runtime.resources import EditedFiles, GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.steps import Done, Result, Run, asset_options, work_through


def describe_heartbeat(done: PublishedHeartbeat) -> dict[str, Any]:
    """A publication: its figures, and the text itself."""
    heartbeat, registry = done.heartbeat, done.registry
    deferred = registry.active - registry.quick
    rows = [
        {"tasks": "quick, in full", "in the file": heartbeat.quick_shown, "of": registry.quick},
        {"tasks": "deferred, by id and hash", "in the file": heartbeat.deferred_shown, "of": deferred},
        {"tasks": "idle", "in the file": 0, "of": registry.tasks - registry.active},
    ]
    return {
        "path": done.path,
        "publication": done.published.status,
        "edited_copy": done.published.edited_copy or "none",
        "tokens": heartbeat.tokens,
        "budget": BUDGET,
        "budget_use": bar(heartbeat.tokens, BUDGET),
        "tasks": registry.tasks,
        "registry_hash": registry.hash,
        "shown": markdown_table(["tasks", "in the file", "of"], rows),
        "heartbeat": Markdown(heartbeat.text or "(no task is active, so there is nothing to load)"),
    }


HEARTBEAT = Step(
    "heartbeat_file",
    lambda models: fingerprint(publishing.CODE_VERSION),
    ("heartbeat_tasks",),
    after=("raw_sources",),
    unpartitioned=frozenset({"heartbeat_tasks"}),
    for_everybody=True,
)


heartbeat_tasks = dg.AssetSpec(
    "heartbeat_tasks",
    description="The periodic tasks of an agent, as `memory-assets heartbeat add` takes them into the graph.",
    group_name="heartbeat",
    owners=["team:memory"],
    kinds={"neo4j", "yaml"},
)


@dg.asset(
    **asset_options(HEARTBEAT, group="heartbeat", kinds={"markdown", "file"}, code_version=publishing.CODE_VERSION)
)
def heartbeat_file(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
    edited_files: EditedFiles,
) -> Iterator[Result]:
    """A user's HEARTBEAT.md: quick tasks in full, the others by id and hash, within 500 tokens.

    `memory-assets heartbeat due` gives what is due now, with its full definition.
    """

    edits: dict[str, list[str]] = {}

    def take_in(user: str) -> None:
        edits[user] = edited_files.take_in(graph.open(), installation, user, KIND)

    def publish(user: str) -> Done:
        path, now = installation.settings.heartbeat_file(user), installation.clock.now()
        taken_in = edited_files.taken_in(graph.open(), installation, user, KIND)
        done = publishing.publish_heartbeat(graph.open(), user, path, now, taken_in=taken_in)
        copies = publishing.publish_copies(graph.open(), user, done.heartbeat.text, now, taken_in)
        notes = [*edits.pop(user, []), *done.published.notes(path), *copies.notes]
        if copies.failures:
            written = ", ".join(map(str, (path, *copies.paths)))
            raise MemoryAssetsError(" ".join([*copies.failures, f"Published: {written}.", *notes]))
        return Done(describe_heartbeat(done), notes=notes)

    def changed(owners: list[str]) -> Iterable[str]:
        return publishing.changed_heartbeats(graph.open(), owners)

    run = Run(context, HEARTBEAT, scope, graph, models, installation)
    yield from work_through(run, publish, before=take_in, news=changed)
