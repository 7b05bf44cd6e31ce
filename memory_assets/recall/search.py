"""Recall for one user: bring the index up to date, search, rank, pack. Writes nothing into the graph."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint
from memory_assets.recall import index, policy
from memory_assets.recall.policy import Found, split_turns

SOURCES_PER_BATCH = 200
MARKED = 400
"""So many of the best passages are asked whether they hold: more than fit any budget that is used."""
TURNS_AROUND = 2
"""Of a reference: so many turns before and after the ones it stands for are shown with them."""

_REFERENCE = re.compile(r"\[?(\d{9})\]?")


@dataclass(frozen=True)
class Recall:
    """What was found for a question: the text that fits the budget, and the passages it is made of."""

    question: str
    budget: int
    recalled: policy.Recalled
    retrieved: tuple[str, ...] = ()
    """The ids of the user's memories that were retrieved by it (004, Retrieval): the statements that the passages make,
    the user's sources that they are from, and what a reference stands for.
    """


def recall(
    graph: Graph,
    home: Path,
    user: str,
    question: str,
    budget: int,
    as_of: date | None = None,
    *,
    archived: bool = False,
) -> Recall:
    """The passages of the user's readable sources that most likely answer ``question``, in at most ``budget`` tokens.

    Each says what of it holds no longer. ``as_of``: only what was said up to that day, and as it held then.

    What is archived is left out, sources and statements, unless it is wanted too (``archived``), or a reference leads
    to it. Of sources that a note stands for the turns that say something are still read.

    A reference of nine digits, as it stands in a MEMORY.md, gives the passages behind it with their surroundings.
    """
    owners = readable_owners(graph, user)
    named: set[str] = set()
    passages = index.PassageIndex(index_path(home, user))
    try:
        heads = bring_up_to_date(graph, passages, owners)
        reference = _REFERENCE.fullmatch(question.strip())
        if reference:
            rows = graph.read("recall/list_places", user_id=user, user_ids=owners, ref=reference[1])
            named = {row["memory_id"] for row in rows}
            ranked = passages.of_turns(
                list(dict.fromkeys((row["source_id"], row["turn"]) for row in rows)), TURNS_AROUND
            )
        else:
            found = passages.search(policy.search_terms(question), until=as_of)
            following = passages.at((p.source_id, p.place + 1) for p in found)
            started = {key: head.started_at for key, head in heads.items()}
            ranked = policy.rank(question, found, following, started)
    finally:
        passages.close()
    if not archived and not reference:
        ranked = [one for one in ranked if one.source_id in heads and heads[one.source_id].is_in_reach(one.turn)]
    if as_of is not None:
        heads = {key: head for key, head in heads.items() if head.started_at and head.started_at.date() <= as_of}
        ranked = [one for one in ranked if (one.said_at or "")[:10] <= as_of.isoformat()]
    with_archived = archived or reference is not None
    best = [passage for passage in ranked if passage.source_id in heads][:MARKED]
    if not with_archived:
        best = _in_use(graph, user, owners, best)
    recalled = policy.pack(_marked(graph, user, owners, best, as_of), heads, count_tokens, budget)
    retrieved = _retrieved(graph, user, owners, recalled, named, with_archived=with_archived)
    return Recall(question, budget, recalled, tuple(sorted(retrieved)))


def _turns_of(passages: Sequence[Found]) -> list[dict[str, Any]]:
    """The turns of the passages, by source, as the queries take them."""
    turns: dict[str, set[int]] = {}
    for passage in passages:
        turns.setdefault(passage.source_id, set()).add(passage.turn)
    return [{"source_id": key, "turns": sorted(found)} for key, found in sorted(turns.items())]


def _in_use(graph: Graph, user: str, owners: Sequence[str], passages: Sequence[Found]) -> list[Found]:
    """The passages without those of which all that they state is archived."""
    asked = _turns_of(passages)
    rows = graph.read("recall/list_faded", rows=asked, user_id=user, user_ids=list(owners)) if asked else []
    said = {(row["source_id"], row["turn"]): list(zip(row["words"], row["in_use"], strict=True)) for row in rows}
    return [one for one in passages if not policy.has_faded(one, said.get((one.source_id, one.turn), ()))]


def _marked(
    graph: Graph, user: str, owners: Sequence[str], passages: Sequence[Found], as_of: date | None
) -> list[Found]:
    """The passages, each with what of it holds no longer."""
    asked = _turns_of(passages)
    outdated: dict[tuple[str, int], list[policy.Outdated]] = {}
    rows = graph.read("recall/list_outdated", rows=asked, user_id=user, user_ids=list(owners)) if asked else []
    for row in rows:
        place = row.pop("source_id"), row.pop("turn")
        outdated.setdefault(place, []).append(policy.Outdated(**row))
    if as_of is not None:
        outdated = {place: policy.held_on(as_of, found) for place, found in outdated.items()}
    return [policy.marked(one, outdated.get((one.source_id, one.turn), ())) for one in passages]


def index_path(home: Path, user: str) -> Path:
    """Where a user's index lies in the installation's home."""
    return home / "recall" / f"{user}.sqlite3"


def bring_up_to_date(graph: Graph, passages: index.PassageIndex, owners: Sequence[str]) -> dict[str, policy.SourceHead]:
    """Index what has changed, forget what may not be read any more; the heads of all that may be."""
    rows = graph.read("recall/list_sources", user_ids=list(owners))
    marks = {row["id"]: fingerprint(index.VERSION, row.pop("mark")) for row in rows}
    known = passages.marks()
    if gone := known.keys() - marks.keys():
        passages.forget(sorted(gone))
    changed = sorted(key for key, mark in marks.items() if known.get(key) != mark)
    for start in range(0, len(changed), SOURCES_PER_BATCH):
        page = changed[start : start + SOURCES_PER_BATCH]
        texts = graph.read("recall/list_turns", ids=page, user_ids=list(owners))
        passages.replace(
            {
                row["id"]: (
                    marks[row["id"]],
                    split_turns(json.loads(row["turns"] or "[]") or [{"index": 0, "text": row["content"] or ""}]),
                )
                for row in texts
            }
        )
    return {row["id"]: policy.SourceHead(**row) for row in rows}


def _retrieved(
    graph: Graph,
    user: str,
    owners: Sequence[str],
    recalled: policy.Recalled,
    named: set[str],
    *,
    with_archived: bool,
) -> set[str]:
    """The user's own memories in what was recalled; a team's sources are nobody's alone, and one that a note stands for
    is not back because turns of it are still read.
    """
    said = _turns_of([row for _, rows in recalled.passages for row in rows])
    if not said:
        return set()
    asked = {"user_id": user, "user_ids": list(owners), "with_archived": with_archived}
    stated = graph.read("recall/list_retrieved", rows=said, **asked)
    others = {
        head.id for head, _ in recalled.passages if head.owner != user or (head.is_archived and not with_archived)
    }
    sources = {row["source_id"] for row in said}
    return {*sources, *named, *(row["memory_id"] for row in stated)} - others
