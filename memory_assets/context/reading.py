"""What of a user's memories may be offered to an agent unasked, and what is needed to say so. Reads only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.graph.projects import offered, without_unreached
from memory_assets.graph.said import held_memories
from memory_assets.graph.statements import in_parts

Row = dict[str, Any]
DECISION, ERROR_FIX = "decision", "error_fix"
MOST_RECORDS = 20
MOST_LOOKED_AT = 500
"""So many of the latest are looked at for those that may be offered."""


def may_be_offered(
    graph: Graph, owners: Sequence[str], ids: Collection[str], today: date | None = None
) -> dict[str, Row]:
    """Those of some memories (statements, sources, records, storylines, themes) that may be offered unasked, by id.
    ``outdated``: how far each holds no longer; ``today``, by what was said of the days between which it holds, too.

    ``owners``: whose memories the user may read, and in which project (:func:`graph.owners.readable_owners`).
    Everything in a context has passed here: what else must not get into contexts, but may be recalled, belongs in this
    query.
    """
    wanted = sorted(set(ids))
    rows = graph.read("context/list_offered", user_ids=list(owners), memory_ids=wanted) if wanted else []
    allowed = offered(graph, owners[0], owners, [row["memory_id"] for row in rows])
    found = {row["memory_id"]: row for row in rows if row["memory_id"] in allowed}
    if today is not None:
        for name, held in held_memories(graph, owners[0], owners, found).items():
            if held.note(today):
                found[name]["outdated"] = "wholly"
    return found


def words_of(graph: Graph, user: str, ids: Collection[str]) -> dict[str, Row]:
    """The words of some of the user's statements and records, by id."""
    rows = graph.read("context/list_words", user_id=user, memory_ids=sorted(ids)) if ids else []
    return {row["memory_id"]: row for row in rows if row["text"]}


def records_in(graph: Graph, user: str, sources: Collection[str]) -> list[Row]:
    """What agents have remembered in some of the user's sources, each with its kind."""
    return graph.read("context/list_records_in", user_id=user, source_ids=sorted(sources)) if sources else []


def records_naming(
    graph: Graph,
    user: str,
    owners: Sequence[str],
    kinds: Sequence[str],
    names: Collection[str],
    is_named: Callable[[Row], bool],
) -> list[Row]:
    """The latest records of these kinds that may be offered and say one of these names (in the graph's lower case), or
    are about it; ``is_named``: as a name, not within another one's.
    """
    asked = {"user_id": user, "user_ids": list(owners), "kinds": list(kinds), "names": sorted(names)}
    rows = graph.read("context/list_records_naming", **asked, limit=MOST_LOOKED_AT) if names else []
    return _first_offered(graph, owners, filter(is_named, rows), MOST_RECORDS)


def decisions_since(graph: Graph, user: str, owners: Sequence[str], agent: str, since: str) -> list[Row]:
    """What an agent has remembered as decided since an instant and may be offered, the latest first."""
    asked = {"user_id": user, "user_ids": list(owners), "kind": DECISION, "agent": agent, "since": since}
    rows = graph.read("context/list_decisions_since", **asked, limit=MOST_RECORDS)
    allowed = may_be_offered(graph, owners, [row["id"] for row in rows])
    return [row for row in rows if row["id"] in allowed]


def said_in(graph: Graph, user: str, owners: Sequence[str], sources: Collection[str]) -> dict[str, list[Row]]:
    """What some of the user's sources state, each with what has taken its place, by source; without the ``ref`` of
    what the reader of these keys does not reach.
    """
    found: dict[str, list[Row]] = defaultdict(list)
    rows = graph.read("context/list_said_in", user_id=user, source_ids=sorted(sources)) if sources else []
    for row in without_unreached(graph, user, owners, rows):
        found[row.pop("source_id")].append(row)
    return found


def latest_topics(graph: Graph, user: str, owners: Sequence[str], most: int) -> list[Row]:
    """The user's latest themes, then storylines, that may be offered, so many at most."""
    rows = graph.read("context/list_topics", user_id=user, limit=MOST_LOOKED_AT)
    return _first_offered(graph, owners, sorted(rows, key=lambda row: row["level"]), most)


def _first_offered(graph: Graph, owners: Sequence[str], rows: Iterable[Row], most: int) -> list[Row]:
    """The first so many of some memories (by ``id``) that may be offered: what may not takes nobody's place."""
    found: list[Row] = []
    for part in in_parts(list(rows), max(most, 1)):
        allowed = may_be_offered(graph, owners, [row["id"] for row in part])
        found += [row for row in part if row["id"] in allowed]
        if len(found) >= most:
            break
    return found[:most]
