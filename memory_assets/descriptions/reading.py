"""What descriptions are made from, and how subjects are described, as the graph has it. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from memory_assets.clock import day_of
from memory_assets.descriptions import policy
from memory_assets.descriptions.policy import Noted, Subject
from memory_assets.graph.due_keys import LAST, due_key
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import names_of, readable_owners
from memory_assets.graph.statements import in_parts

PAGE = 100
JUDGED = timedelta(days=30)
"""So long a description is judged after it was made: a check costs what a month has brought."""


def read_subjects(graph: Graph, user: str, ids: Sequence[str]) -> list[Subject]:
    """Some people, concepts, entities and relationships of a user."""
    return [policy.subject_of(row) for row in graph.read("descriptions/list_subjects", user_id=user, ids=list(ids))]


def read_notes(graph: Graph, user: str, ids: Sequence[str]) -> dict[str, list[Noted]]:
    """What is noted of some subjects, by subject."""
    asked = {"user_id": user, "user_ids": readable_owners(graph, user)}
    notes = graph.read("descriptions/list_notes", **asked, ids=list(ids))
    sources = sorted({row["source_id"] for row in notes})
    stated = graph.read_parts("descriptions/list_statements", sources, **asked)
    left_out = {row["chunk_id"] for row in graph.read("descriptions/list_left_out", user_id=user)}
    names = {name.casefold() for name in names_of(graph, user)}
    return policy.notes_by_subject(notes, stated, left_out, names)


def unsupported_sentences(graph: Graph, user: str, now: datetime) -> list[dict[str, str]]:
    """The sentences of a user's descriptions of the last ``JUDGED`` that do not follow from what they cite, each with
    why. Descriptions that are due are not judged: they are to be made anew.
    """
    today = day_of(now)
    first, last = due_key(user, today - JUDGED, LAST), due_key(user, today, LAST)
    ids = [row["id"] for row in graph.read("descriptions/list_described", user_id=user, first=first, last=last)]
    found = []
    for part in in_parts(ids, PAGE):
        notes = read_notes(graph, user, part)
        found += [
            {"memory_id": one.id, "name": one.name, "sentence": text, "why": why}
            for one in read_subjects(graph, user, part)
            for text, why in policy.unsupported(one, notes.get(one.id, []))
        ]
    return found
