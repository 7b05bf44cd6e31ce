"""What of a user's memories may be offered to an agent unasked, and what is needed to say so. Reads only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.graph.projects import offered, without_unreached
from memory_assets.graph.said import held_memories

Row = dict[str, Any]
DECISION, ERROR_FIX = "decision", "error_fix"
MOST_RECORDS = 20


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


def records_naming(graph: Graph, user: str, kinds: Sequence[str], names: Collection[str]) -> list[Row]:
    """The latest records of these kinds that say one of these names (in the graph's lower case), or are about it."""
    asked = {"user_id": user, "kinds": list(kinds), "names": sorted(names), "limit": MOST_RECORDS}
    return graph.read("context/list_records_naming", **asked) if names else []


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


def latest_topics(graph: Graph, user: str, most: int) -> list[Row]:
    """The user's latest themes, then storylines, so many at most."""
    rows = graph.read("context/list_topics", user_id=user, limit=most)
    return sorted(rows, key=lambda row: row["level"])[:most]
