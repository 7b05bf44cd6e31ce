"""What of all that is known a new statement contradicts, before a run has judged it: its candidates alone, locally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memory_assets.graph.graph import Graph
from memory_assets.llm.local import pairs
from memory_assets.llm.local.pairs import Relation
from memory_assets.validity import policy
from memory_assets.validity.index import StatementIndex
from memory_assets.validity.judging import Reader
from memory_assets.validity.policy import Change, Contradiction, Statement


def contradicted(
    graph: Graph, user: str, index_path: Path, said: Statement
) -> list[tuple[Statement, Change | Contradiction]]:
    """The statements that cannot be true beside ``said``, which is said now, or that it changes, each with how they
    differ. Those that runs have judged are known; a home without an index knows none.

    It is read as if its speaker had said them all: what an agent writes down, it has from others. What has no day was
    known before.
    """
    if not index_path.is_file():
        return []
    index = StatementIndex(index_path)
    try:
        near = index.near(said) if index.is_of(policy.INDEX_VERSION) else []
    finally:
        index.close()
    alike = policy.nearest(said, [(_known_before(other, said), shared) for other, shared in near])
    living = Reader(graph, user).statements(other.memory_id for other in alike)
    known = [living[other.memory_id] for other in alike if other.memory_id in living]
    return [(one, found) for one, found in zip(known, _judged(known, said), strict=True) if found]


def _judged(known: Sequence[Statement], said: Statement) -> list[Change | Contradiction | None]:
    asked = [policy.in_order(_known_before(one, said), said) for one in known]
    opinions = pairs.judge_pairs([(earlier.saying, later.saying) for earlier, later in asked])
    return [
        policy.decide(*pair, opinion) if opinion.relation in (Relation.CONTRADICTS, Relation.CHANGED) else None
        for pair, opinion in zip(asked, opinions, strict=True)
    ]


def _known_before(one: Statement, said: Statement) -> Statement:
    """A statement as if the speaker of ``said`` had said it; one without a day, just before it came in."""
    at = one.at if one.is_dated else (one.at[0], -1, 0)
    return replace(one, speaker=said.speaker, is_dated=True, at=at)
