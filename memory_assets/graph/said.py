"""What turns of sources state for a user, and what of that holds no longer: what recall and contexts show beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.graph.projects import without_unreached
from memory_assets.text.held import ALWAYS, Held, held_by

Row = dict[str, Any]


def said_in_turns(graph: Graph, user: str, owners: Sequence[str], turns: Iterable[tuple[str, int]]) -> dict[str, Row]:
    """The headings of some sources that the user may read, and what these of their turns state for the user
    (``said``; what is said in several is there for each), by source (graph/list_said).
    """
    asked = set(turns)
    rows = _by_source(asked)
    found = graph.read("graph/list_said", rows=rows, user_id=user, user_ids=list(owners)) if rows else []
    sources = {source["source_id"]: source for row in found for source in row["sources"]}
    for name, source in sources.items():
        source["said"] = [one for one in _each_turn(source["said"]) if (name, one["turn"]) in asked]
    return sources


def list_outdated(graph: Graph, user: str, owners: Sequence[str], said: Mapping[str, Row]) -> list[Row]:
    """What of this holds no longer, or perhaps not, each with its source and turn (graph/list_outdated); without the
    ``ref`` of what the reader of these keys does not reach.
    """
    every = [(name, one) for name, row in said.items() for one in row["said"]]
    rows = _by_source((name, one["turn"]) for name, one in every if one["outdated"])
    ids = sorted({one["id"] for _, one in every})
    asked = {"user_id": user, "user_ids": list(owners)}
    found = graph.read("graph/list_outdated", rows=rows, ids=ids, **asked) if ids else []
    return _each_turn(without_unreached(graph, user, owners, found))


def list_held(graph: Graph, owners: Sequence[str], sources: Iterable[str]) -> list[Row]:
    """What agents have recorded in those of some sources that say of something between which days it holds: all of it,
    each with its days (graph/list_held).
    """
    ids = sorted(set(sources))
    return graph.read("graph/list_held", source_ids=ids, user_ids=list(owners)) if ids else []


def held_memories(graph: Graph, user: str, owners: Sequence[str], ids: Iterable[str]) -> dict[str, Held]:
    """Of some of the user's statements and sources those that say, or whose summary says, what an agent has recorded as
    holding between two days: on which days all of it holds, by id.
    """
    asked = {"user_id": user, "user_ids": list(owners), "memory_ids": sorted(set(ids))}
    rows = graph.read("graph/list_held_memories", **asked) if asked["memory_ids"] else []
    records: dict[str, list[tuple[str, Held]]] = defaultdict(list)
    for row in list_held(graph, owners, (row["source_id"] for row in rows)):
        records[row["source_id"]].append((row["text"], Held.of(row)))
    found: dict[str, Held] = {}
    for row in rows:
        if (held := held_by(row["words"], records[row["source_id"]])) != ALWAYS:
            found[row["memory_id"]] = found.get(row["memory_id"], ALWAYS).and_also(held)
    return found


def _each_turn(rows: Iterable[Row]) -> list[Row]:
    """What stands in several turns (``turns``), once for each ``turn``."""
    return [{**row, "turn": turn} for row in rows for turn in row.pop("turns")]


def _by_source(turns: Iterable[tuple[str, int]]) -> list[Row]:
    asked: dict[str, set[int]] = defaultdict(set)
    for source_id, turn in turns:
        asked[source_id].add(turn)
    return [{"source_id": name, "turns": sorted(found)} for name, found in sorted(asked.items())]
