"""What is due, asked with a few cheap queries before any run is started."""

from __future__ import annotations

import dagster as dg

from memory_assets.graph.graph import Graph
from memory_assets.model import check_user, is_team
from memory_assets.operations.instance import add_owners, known_owners
from memory_assets.operations.teams import teams_of
from memory_assets.settings import Settings


def prepare_owners(
    instance: dg.DagsterInstance, graph: Graph, settings: Settings, user: str | None
) -> list[str]:
    """The owners to work on: the user's teams and the user, or everybody; teams first.

    Inbox folders and owners in the graph become partitions by it.
    """
    if user is not None:
        chosen = [*teams_of(graph, check_user(user)), user]
        add_owners(instance, chosen)
        return chosen
    inboxes = [path.name for path in settings.inbox.iterdir() if path.is_dir() and _can_own(path.name)]
    stored = [row["user_id"] for row in graph.read("operations/list_owners")]
    add_owners(instance, sorted({*inboxes, *stored}))
    return known_owners(instance)


def what_is_due(graph: Graph, settings: Settings, owner: str) -> str | None:
    """In a few words, what a run for ``owner`` would do; None when nothing."""
    from memory_assets.memory_file.current import is_current
    from memory_assets.sources.ingest import has_new_files
    from memory_assets.sources.policy import process_fingerprint

    raise NotImplementedError


def _can_own(name: str) -> bool:
    from memory_assets.errors import OwnerNameError
    from memory_assets.model import team_owner

    try:
        (team_owner(name.removeprefix("team-")) if is_team(name) else check_user(name))
    except OwnerNameError:
        return False
    return True
