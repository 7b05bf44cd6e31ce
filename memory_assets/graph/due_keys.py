"""Texts by which an index finds what is due of one owner's on a day: owner, day, id.

One text and no pair, because both engines read a range of it from the index and nothing else that the owner has.
"""

from __future__ import annotations

from datetime import date, timedelta

from memory_assets.graph.graph import Graph
from memory_assets.graph.lives import RULES

LAST = "\U0010ffff"
"""Sorts behind every id."""
SPANS = (1, 2, 4, 8, 16, 32, 64, 128, 256, RULES.longest_days)
"""Days from a day on, among which the next to be due are looked for."""


def due_key(user: str, day: date, memory_id: str = "") -> str:
    """The text of a memory that is due on a day: ``LAST`` as its id is behind all of the day."""
    return f"{user}|{day.isoformat()}|{memory_id}"


def day_of(key: str) -> date:
    """The day of a :func:`due_key`."""
    return date.fromisoformat(key.split("|")[1])


def id_of(key: str) -> str:
    """The memory of a :func:`due_key`."""
    return key.split("|", 2)[2]


def until(user: str, day: date) -> dict[str, str]:
    """Between which keys lies what of a user's is due on a day or before, as the queries take it."""
    return {"user_id": user, "first": f"{user}|", "last": due_key(user, day, LAST)}


def list_coming(graph: Graph, query: str, user: str, day: date, most: int) -> list[tuple[date, str]]:
    """The next of a user's memories to be due after a day, so many at most: their days and ids, in that order.

    ``query`` reads a range of keys (``due_key``, ``memory_id``). Looked for in spans of days that grow, so that the
    cost follows what is due soon.
    """
    found: list[tuple[date, str]] = []
    start = day
    for days in SPANS:
        end = day + timedelta(days=days)
        first, last = (due_key(user, at, LAST) for at in (start, end))
        rows = graph.read(query, user_id=user, first=first, last=last, limit=most - len(found))
        found += [(day_of(row["due_key"]), row["memory_id"]) for row in rows]
        if len(found) >= most:
            break
        start = end
    return found


def find_first(graph: Graph, query: str, user: str, first: str, last: str) -> str | None:
    """The first of a user's keys between two others; None where there is none.

    ``query`` says the first key of the range (``due_key``). Before one that was found, another is looked for, so that
    an order of an engine's own is none of its answer.
    """
    found = None
    while rows := graph.read(query, user_id=user, first=first, last=last):
        found = last = rows[0]["due_key"]
    return found


def find_next_day(graph: Graph, query: str, user: str, after: date, last: date) -> date | None:
    """The next day, behind one and up to another, on which anything of a user's is due.

    ``query`` says one key of a range (``due_key``), whichever: on a day on which much is due, finding the first reads
    all of it. Before the day of one that was found, another is looked for, until there is none.
    """
    found, first, end = None, due_key(user, after, LAST), due_key(user, last, LAST)
    while rows := graph.read(query, user_id=user, first=first, last=end):
        found = day_of(rows[0]["due_key"])
        end = due_key(user, found)
    return found
