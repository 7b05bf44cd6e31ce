"""Which memories were merged into which: what was done with one that is a tombstone now, or whose name means somebody
else, was done with its survivor.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memory_assets.graph.graph import Graph

RESOLVED = "its name was resolved to somebody else's"
"""Why somebody is retired who is somebody else by now."""


def families(graph: Graph, user: str, ids: Collection[str]) -> dict[str, list[str]]:
    """Of each of a user's memories, or of that which it was merged into or resolved to, over any number of merges: the
    ids that it has or had, in order. By the surviving id.
    """
    into: dict[str, str] = {}
    asked: set[str] = set()
    waiting = set(ids)
    while waiting:
        merged = graph.read_parts("graph/list_merged", sorted(waiting), user_id=user)
        rows = [*graph.read_parts("graph/list_resolved_names", sorted(waiting), user_id=user), *merged]
        into |= {row["id"]: row["kept_id"] for row in rows}
        asked |= waiting
        waiting = {*into, *into.values()} - asked
    found: dict[str, list[str]] = {}
    for one in sorted(asked):
        found.setdefault(_survivor(one, into), []).append(one)
    return found


def _survivor(one: str, into: Mapping[str, str]) -> str:
    passed = {one}
    while (kept := into.get(one)) is not None and kept not in passed:
        one = kept
        passed.add(one)
    return one
