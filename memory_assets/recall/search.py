"""Recall for one user: bring the index up to date, search, rank, pack, and record what was recalled."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint
from memory_assets.recall import index, policy
from memory_assets.recall.policy import split_turns

SOURCES_PER_BATCH = 200
TURNS_AROUND = 2
"""Of a reference: so many turns before and after the ones it stands for are shown with them."""

_REFERENCE = re.compile(r"\[?(\d{9})\]?")


@dataclass(frozen=True)
class Recall:
    """What was found for a question: the text that fits the budget, and the passages it is made of."""

    question: str
    budget: int
    recalled: policy.Recalled


def recall(graph: Graph, home: Path, user: str, question: str, budget: int, now: datetime) -> Recall:
    """The passages of the user's readable sources that most likely answer ``question``, in at most ``budget`` tokens.

    A reference of nine digits, as it stands in a MEMORY.md, gives the passages behind it with their surroundings.
    Statements that the passages make count as accessed (004, Retrieval).
    """
    owners = readable_owners(graph, user)
    passages = index.PassageIndex(index_path(home, user))
    try:
        heads = bring_up_to_date(graph, passages, owners)
        reference = _REFERENCE.fullmatch(question.strip())
        if reference:
            rows = graph.read("recall/list_places", user_id=user, user_ids=owners, ref=reference[1])
            ranked = passages.of_turns([(row["source_id"], row["turn"]) for row in rows], TURNS_AROUND)
        else:
            found = passages.search(policy.search_terms(question))
            following = passages.at((p.source_id, p.place + 1) for p in found)
            started = {key: head.started_at for key, head in heads.items()}
            ranked = policy.rank(question, found, following, started)
    finally:
        passages.close()
    recalled = policy.pack(ranked, heads, count_tokens, budget)
    _record(graph, user, owners, recalled, now)
    return Recall(question, budget, recalled)


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


def _record(graph: Graph, user: str, owners: Sequence[str], recalled: policy.Recalled, now: datetime) -> None:
    """Count an access of each statement that stands in a recalled turn: bookkeeping that makes nothing due."""
    turns: dict[str, set[int]] = {}
    for head, rows in recalled.passages:
        turns.setdefault(head.id, set()).update(row.turn for row in rows)
    said = [{"source_id": key, "turns": sorted(found)} for key, found in sorted(turns.items())]
    if said:
        graph.write("recall/count_accesses", said, user_id=user, user_ids=list(owners), now=to_iso(now))
