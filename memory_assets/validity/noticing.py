"""What of all that is known a new statement contradicts, before a run has judged it: its candidates alone, locally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memory_assets.graph.graph import Graph
from memory_assets.llm.local import pairs
from memory_assets.validity import policy
from memory_assets.validity.index import StatementIndex
from memory_assets.validity.judging import Reader
from memory_assets.validity.policy import Contradiction, Statement


def contradicted(graph: Graph, user: str, index_path: Path, said: Statement) -> list[tuple[Statement, Contradiction]]:
    """The statements that cannot be true beside ``said``, each with how they differ. Those that runs have judged are
    known; a home without an index knows none.

    It is read as if its speaker had said them all: what an agent writes down, it has from others.
    """
    if not index_path.is_file():
        return []
    index = StatementIndex(index_path)
    try:
        near = index.near(said) if index.is_of(policy.INDEX_VERSION) else []
    finally:
        index.close()
    alike = policy.nearest(said, [(replace(other, speaker=said.speaker), shared) for other, shared in near])
    living = Reader(graph, user).statements(other.memory_id for other in alike)
    known = [living[other.memory_id] for other in alike if other.memory_id in living]
    return [(one, found) for one, found in zip(known, _judged(known, said), strict=True) if found]


def _judged(known: Sequence[Statement], said: Statement) -> list[Contradiction | None]:
    asked = [policy.in_order(replace(one, speaker=said.speaker), said) for one in known]
    opinions = pairs.judge_pairs([(earlier.saying, later.saying) for earlier, later in asked])
    outcomes = [policy.decide(*pair, opinion) for pair, opinion in zip(asked, opinions, strict=True)]
    return [one if isinstance(one, Contradiction) else None for one in outcomes]
