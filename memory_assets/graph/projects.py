"""Which memories are offered to an agent that works in a project (privacy/projects.py decides)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.privacy.projects import is_offered, shared_project, within_of, without_project


def offered(graph: Graph, user: str, owners: Sequence[str], ids: Collection[str]) -> set[str]:
    """Those of some memories of ``user``'s (of any kind, by id) that are offered in the project whose key is among
    ``owners`` (:func:`graph.owners.readable_owners`): what is of it or of none. Without a project's key all of
    them, and nothing is read.
    """
    within = within_of(owners)
    if within is None or not ids:
        return set(ids)
    rows = graph.read("graph/list_projects_of_memories", ids=sorted(ids), user_id=user, user_ids=list(owners))
    return {row["id"] for row in rows if is_offered((name or None for name in row["projects"]), within)}


def only_offered(
    graph: Graph, user: str, owners: Sequence[str], rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Those of some rows, each a memory by its ``id``, that are :func:`offered`, in their order."""
    allowed = offered(graph, user, owners, {row["id"] for row in rows})
    return [row for row in rows if row["id"] in allowed]


def offered_refs(graph: Graph, user: str, owners: Sequence[str], refs: Collection[str]) -> set[str]:
    """Those of some references of ``user``'s own memories that are :func:`offered`; without a project all of them."""
    if within_of(owners) is None:
        return set(refs)
    rows = graph.read("graph/list_referenced", user_id=user, refs=sorted(refs)) if refs else []
    return {row["ref"] for row in only_offered(graph, user, owners, rows)}


def without_unreached(
    graph: Graph, user: str, owners: Sequence[str], rows: Iterable[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Rows, each with the ``ref`` of one of ``user``'s own memories, or with None where a key bound to a project does
    not reach it: what is said in another project ends a memory here, too, and is not named.
    """
    found, within = list(rows), within_of(owners)
    refs = {row["ref"] for row in found if row["ref"]}
    if within is None or not within.is_bound or not refs:
        return found
    reached = offered_refs(graph, user, owners, refs)
    return [row if row["ref"] in reached else {**row, "ref": None} for row in found]


def readable_refs(graph: Graph, owners: Sequence[str], refs: Collection[str]) -> set[str]:
    """Those of some references or ids that are of sources which the reader of these keys may read, a team's too."""
    rows = graph.read("graph/list_readable_sources", keys=sorted(refs), user_ids=list(owners)) if refs else []
    return {row["key"] for row in rows}


def project_of(graph: Graph, user: str, owners: Sequence[str], ids: Collection[str]) -> str | None:
    """The project that some memories are of, all of them: what follows from these alone is of it, too."""
    asked = {"ids": sorted(ids), "user_id": user, "user_ids": without_project(owners)}
    rows = graph.read("graph/list_projects_of_memories", **asked) if ids else []
    return shared_project(name or None for row in rows for name in row["projects"])
