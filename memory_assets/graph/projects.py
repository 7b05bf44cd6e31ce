"""Which memories are offered to whoever works in a project (privacy/projects.py decides)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memory_assets.graph.graph import Graph
from memory_assets.privacy.projects import asked_project, is_offered, shared_project


def offered(graph: Graph, user: str, owners: Sequence[str], ids: Collection[str]) -> set[str]:
    """Those of some memories of ``user``'s (of any kind, by id) that are offered in the project whose key is among
    ``owners`` (:func:`graph.owners.readable_owners`): what is of it or of none. Without a project's key all of
    them, and nothing is read.
    """
    asked = asked_project(owners)
    if asked is None or not ids:
        return set(ids)
    rows = graph.read("graph/list_projects_of_memories", ids=sorted(ids), user_id=user, user_ids=list(owners))
    return {row["id"] for row in rows if is_offered(shared_project(name or None for name in row["projects"]), asked)}
