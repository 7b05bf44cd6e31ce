"""What is due, asked with a few cheap queries before any run is started."""

from __future__ import annotations

import dagster as dg

from memory_assets.entities import policy as entities
from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage, readable_owners, stage_made, teams_of
from memory_assets.hierarchy import policy as hierarchy
from memory_assets.llm.model_client import open_models
from memory_assets.llm.prompt_files import prompts
from memory_assets.memory_file import selection
from memory_assets.memory_file.current import is_current
from memory_assets.model import check_user, fingerprint, is_team
from memory_assets.operations.instance import add_owners, can_own, known_owners
from memory_assets.settings import Settings
from memory_assets.sources import policy as sources
from memory_assets.sources.ingest import has_new_files
from memory_assets.values import policy as values

STAGE = "build"
UNFINISHED = "unfinished"
DECISIONS = (sources, entities, hierarchy, values, selection)


def prepare_owners(
    instance: dg.DagsterInstance, graph: Graph, settings: Settings, user: str | None
) -> list[str]:
    """The owners to work on: the user's teams and the user, or everybody; teams first.

    Inbox folders and owners in the graph become partitions by it.
    """
    if user is not None:
        _must_have_something(graph, settings, check_user(user))
        chosen = [*teams_of(graph, user), user]
        add_owners(instance, chosen)
        return chosen
    inboxes = [path.name for path in settings.inbox.iterdir() if path.is_dir() and can_own(path.name)]
    stored = [row["user_id"] for row in graph.read("operations/list_owners")]
    add_owners(instance, sorted({*inboxes, *stored}))
    return known_owners(instance)


def _must_have_something(graph: Graph, settings: Settings, user: str) -> None:
    """A mistyped name must not become a user with an empty MEMORY.md."""
    inbox = settings.inbox / user
    if inbox.is_dir() or any(row["user_id"] == user for row in graph.read("operations/list_owners")):
        return
    raise MemoryAssetsError(
        f"Nothing is known of user {user!r}. Give it sources first: `memory-assets ingest PATH --user {user}`, "
        f"or files in {inbox}."
    )


def what_is_due(graph: Graph, settings: Settings, owner: str) -> str | None:
    """In a few words, what a run for ``owner`` would do; None when nothing."""
    inbox = settings.inbox / owner
    if inbox.is_dir() and has_new_files(graph, owner, [inbox]):
        return "there are new files in the inbox."
    readable = readable_owners(graph, owner)
    (waiting,) = graph.read("operations/count_unfinished", user_id=owner, user_ids=readable)
    if waiting["unprocessed"]:
        return f"{_sources(waiting['unprocessed'])} to be processed."
    if not is_team(owner) and waiting["unextracted"]:
        return f"{_sources(waiting['unextracted'])} to be extracted."
    made = find_stage(graph, owner, STAGE)
    if made is None:
        return "it has not been built to its end yet."
    if made == UNFINISHED:
        return "the last run left something unfinished."
    if made != way_of_working(settings):
        return "prompts, models or code have changed since it was built."
    if not is_team(owner) and not is_current(graph, settings, owner):
        return "its MEMORY.md is behind."
    return None


def record_build(graph: Graph, settings: Settings, owner: str) -> None:
    """Remember with which prompts, models and code everything of ``owner`` was built to its end."""
    graph.write_together([stage_made(owner, STAGE, way_of_working(settings), settings.clock.now())])


def record_unfinished(graph: Graph, settings: Settings, owner: str) -> None:
    """Remember that a run for ``owner`` left something for the next one."""
    graph.write_together([stage_made(owner, STAGE, UNFINISHED, settings.clock.now())])


def way_of_working(settings: Settings) -> str:
    """A digest of all that decides about an owner's memory apart from the sources."""
    wording = sorted((name, prompts().prompt_hash(name)) for name in prompts())
    models = open_models(settings)
    versions = [module.CODE_VERSION for module in DECISIONS]
    return fingerprint(
        *(part for pair in wording for part in pair),
        models.language.name,
        models.embedder.name,
        *versions,
    )


def _sources(count: int) -> str:
    return "1 source waits" if count == 1 else f"{count} sources wait"
