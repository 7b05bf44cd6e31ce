"""Scoring what changed gives what scoring everything gives, for any sequence of changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.values import policy
from memory_assets.values.policy import Candidate
from memory_assets.values.saved import read_saved, save
from memory_assets.values.scored import Gathered, OtherWidthError, Scored, reorder
from memory_assets_tests.values.reference import expected_novelty, novelty_of, score_all

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
Memory = tuple[Candidate, list[float] | None]


def memory(name: int, text: int, days: int | None, seed: int | None) -> Memory:
    """A memory of one of few texts, times and vectors, so that the same ones meet."""
    vector = None if seed is None else [float(x) for x in np.random.default_rng(seed).normal(size=5)]
    at = None if days is None else NOW - timedelta(days=days)
    return Candidate(f"chunk:{name}", "maria", "KnowledgeChunk", f"words {text}", NOW, occurred_at=at), vector


MEMORIES = st.builds(
    memory,
    st.integers(0, 14),
    st.integers(0, 12),
    st.one_of(st.none(), st.integers(0, 6)),
    st.one_of(st.none(), st.integers(0, 30)),
)
STEPS = st.lists(st.tuples(st.lists(MEMORIES, max_size=6), st.lists(st.integers(0, 14), max_size=4)), max_size=8)


def by_id(memories: list[Memory]) -> dict[str, Memory]:
    return {candidate.memory_id: (candidate, vector) for candidate, vector in memories}


@settings(max_examples=150)
@given(STEPS, st.booleans())
def test_any_sequence_of_changes_ends_where_scoring_from_the_start_does(steps, is_saved) -> None:
    scored, there = Scored(), {}
    with TemporaryDirectory() as scratch:
        for number, (given_now, taken) in enumerate(steps):
            there = check_change(scored, there, given_now, taken)
            if is_saved:
                save(Path(scratch), scored, str(number))
                assert read_saved(Path(scratch), "another") is None
                again = read_saved(Path(scratch), str(number))
                assert again is not None and novelty_of(again) == novelty_of(scored)
                assert (again.digest(), again.spread()) == (scored.digest(), scored.spread())
                scored = again


def check_change(scored: Scored, there: dict[str, Memory], given_now: list[Memory], taken: list[int]) -> Any:
    """Change it, and compare it with what is scored from the start; what is there then."""
    coming = by_id(given_now)
    gone = {f"chunk:{name}" for name in taken} - set(coming)
    before = novelty_of(scored)
    touched = scored.change(gone, [c for c, _ in coming.values()], [v for _, v in coming.values()])
    there = {name: pair for name, pair in {**there, **coming}.items() if name not in gone}
    pairs = list(there.values())
    wanted = expected_novelty([c for c, _ in pairs], [v for _, v in pairs])
    found = novelty_of(scored)
    assert found == wanted
    # Whoever isn't named was not touched.
    assert {name for name in found if found[name] != before.get(name)} <= touched
    assert novelty_of(score_all([c for c, _ in pairs], [v for _, v in pairs])) == wanted
    gathered = Gathered(len(pairs) + 3)
    for start in range(0, len(pairs), 4):
        gathered.add([c for c, _ in pairs[start : start + 4]], [v for _, v in pairs[start : start + 4]])
    assert novelty_of(gathered.score()) == wanted
    return there


@given(st.permutations(range(9)))
def test_rows_are_put_in_an_order_where_they_stand(order: list[int]) -> None:
    rows = np.arange(18).reshape(9, 2)
    wanted = rows[order]
    reorder(rows, np.array(order))
    assert (rows == wanted).all()


def test_vectors_of_several_widths_are_each_compared_with_its_like_page_by_page() -> None:
    candidates = [memory(i, i, 9 - i, None)[0] for i in range(5)]
    vectors = [[1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0], None, [0.0, 1.0, 1.0]]
    gathered = Gathered(5)
    for start in range(0, 5, 2):
        gathered.add(candidates[start : start + 2], vectors[start : start + 2])
    wanted = expected_novelty(candidates, vectors)
    assert novelty_of(gathered.score()) == wanted
    assert wanted["chunk:2"] == wanted["chunk:4"] == 0.292893


def test_a_newcomer_touches_only_those_like_it() -> None:
    rng = np.random.default_rng(1)
    first = [memory(i, i, 5, None)[0] for i in range(200)]
    scored = score_all(first, [[float(x) for x in rng.normal(size=64)] for _ in first])
    like = scored.vectors[scored.find(["chunk:17"])["chunk:17"]].tolist()
    early = Candidate("chunk:new", "maria", "KnowledgeChunk", "new", NOW, occurred_at=NOW - timedelta(days=9))
    touched = scored.change([], [early], [like])
    assert {"chunk:new", "chunk:17"} <= touched
    assert len(touched) < 120
    assert scored.novelty(scored.find(["chunk:17"])["chunk:17"]) == pytest.approx(0.0, abs=1e-6)


def test_the_sum_of_what_was_scored_is_blind_to_order() -> None:
    pairs = [memory(i, i % 5, i % 3, i) for i in range(30)]
    sums = []
    for order in (pairs, pairs[::-1]):
        scored = score_all([c for c, _ in order], [v for _, v in order])
        for candidate, _ in order:
            place = scored.find([candidate.memory_id])[candidate.memory_id]
            made = policy.classify("maria", candidate, scored.novelty(place), NOW, policy.ValueRules())
            scored.note(place, made, candidate, 0)
        sums.append((scored.digest(), scored.spread(), scored.shelf_ends("maria", 4)))
    assert sums[0] == sums[1]
    assert sum(row["memories"] for row in sums[0][1]) == len(pairs)


def test_the_end_of_a_shelf_is_the_key_of_its_last_wanted() -> None:
    pairs = [memory(i, i, i, i) for i in range(12)]
    pairs = [
        (Candidate(**{**vars(c), "content_type": "task", "durability": i / 12}), v) for i, (c, v) in enumerate(pairs)
    ]
    scored = score_all([c for c, _ in pairs], [v for _, v in pairs])
    keys = []
    for candidate, _ in pairs:
        place = scored.find([candidate.memory_id])[candidate.memory_id]
        made = policy.classify("maria", candidate, scored.novelty(place), NOW, policy.ValueRules())
        keys.append(made.rank_key)
        scored.note(place, made, candidate, 0)
    assert scored.shelf_ends("maria", 7) == {"tasks": sorted(keys)[6]}
    assert scored.shelf_ends("maria", 12) == {}


def test_vectors_of_another_width_are_told_before_anything_changes() -> None:
    scored = score_all([memory(1, 1, 1, 1)[0]], [[1.0, 0.0]])
    before = scored.rows.copy()
    with pytest.raises(OtherWidthError, match="2 and 3 numbers"):
        scored.change([], [memory(2, 2, 2, 2)[0]], [[1.0, 0.0, 0.0]])
    assert (scored.rows == before).all()
    both = [memory(1, 1, 1, 1)[0], memory(2, 2, 2, 2)[0]]
    alone = score_all(both, [[1.0, 0.0], [1.0, 0.0, 0.0]])
    assert not alone.is_comparable
    assert novelty_of(alone) == {"chunk:1": 1.0, "chunk:2": 1.0}
