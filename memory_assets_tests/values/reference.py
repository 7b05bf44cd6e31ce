"""Novelty as it is defined, pair by pair: what the fast ways of ``scored.py`` are compared with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory_assets.values import policy
from memory_assets.values.policy import Candidate, Vector
from memory_assets.values.scored import Gathered, Scored


def score_all(candidates: Sequence[Candidate], vectors: Sequence[Vector | None]) -> Scored:
    """Everything from the start, from one page."""
    gathered = Gathered(len(candidates))
    gathered.add(candidates, vectors)
    return gathered.score()


def novelty_of(scored: Scored) -> dict[str, float]:
    """Novelty by the memory's id."""
    return {scored.ids[place].decode(): scored.novelty(place) for place in scored.order}


def expected_novelty(candidates: Sequence[Candidate], vectors: Sequence[Vector | None]) -> dict[str, float]:
    """1 minus the highest cosine to an earlier memory with a vector of the same width; 0 when the text is the same."""
    units = [
        None if vector is None else policy.unit_rows([vector], len(vector))[0].astype(np.float64) for vector in vectors
    ]
    order = sorted(range(len(candidates)), key=lambda place: policy.event_order(candidates[place]))
    expected: dict[str, float] = {}
    for rank, place in enumerate(order):
        one, before = units[place], order[:rank]
        near = [
            other for at in before if one is not None and (other := units[at]) is not None and len(other) == len(one)
        ]
        highest = max((float(one @ other) for other in near), default=0.0)
        text = policy.same_text(candidates[place].text)
        repeats = any(policy.same_text(candidates[at].text) == text for at in before)
        expected[candidates[place].memory_id] = 0.0 if repeats else policy.novelty_of(highest)
    return expected
