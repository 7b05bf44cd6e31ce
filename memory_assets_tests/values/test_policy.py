"""The value of a memory, by the specification's figures (000)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.model import RetentionTier
from memory_assets.values.policy import (
    Candidate,
    Classification,
    ValueRules,
    Vector,
    classify,
    decide_section,
    decide_tier,
    highest_earlier,
    rescored_on,
    same_text,
    score_confidence,
    score_frequency,
    score_recency,
    score_retention,
    score_uniqueness,
    unit_rows,
    weigh,
)
from memory_assets_tests.values.reference import novelty_of, score_all

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
RULES = ValueRules()


def chunk(identifier: str = "chunk:1", **known: object) -> Candidate:
    defaults: dict[str, object] = {
        "owner": "maria",
        "entity_type": "KnowledgeChunk",
        "text": f"statement {identifier}",
        "created_at": NOW,
        "content_type": "insight",
        "durability": 0.5,
        "confidence": 0.9,
        "source_count": 1,
    }
    return Candidate(memory_id=identifier, **(defaults | known))


@pytest.mark.parametrize(
    ("signals", "value"),
    [
        ((1, 0, 0, 0, 0), 0.25),
        ((0, 1, 0, 0, 0), 0.20),
        ((0, 0, 1, 0, 0), 0.15),
        ((0, 0, 0, 1, 0), 0.25),
        ((0, 0, 0, 0, 1), 0.15),
        ((1, 1, 1, 1, 1), 1.0),
        ((0, 0, 0, 0, 0), 0.0),
    ],
)
def test_the_weights_are_the_specifications(signals: tuple[float, ...], value: float) -> None:
    assert weigh(signals, ValueRules()) == pytest.approx(value)


@pytest.mark.parametrize(
    ("value", "tier"),
    [
        (1.0, "KEEP"),
        (0.8, "KEEP"),
        (0.799999, "SUMMARIZE"),
        (0.5, "SUMMARIZE"),
        (0.499999, "ARCHIVE"),
        (0, "ARCHIVE"),
    ],
)
def test_the_tiers_begin_where_the_specification_says(value: float, tier: str) -> None:
    assert decide_tier(value, RULES) is RetentionTier(tier)


@pytest.mark.parametrize(
    ("days", "score", "next_step"),
    [(-3, 1.0, 4), (0, 1.0, 1), (1, 29 / 30, 1), (2, 28 / 30, 2), (3, 28 / 30, 1), (7, 26 / 30, 1), (8, 22 / 30, 7), (15, 0.5, 15),  # noqa: E501
     (29, 0.5, 1), (30, 0.0, None), (400, 0.0, None)],
)  # fmt: skip
def test_recency_falls_to_nothing_over_thirty_days_in_steps(days: int, score: float, next_step: int | None) -> None:
    made = chunk(created_at=NOW - timedelta(days=days))
    assert score_recency(made, NOW, RULES) == pytest.approx(score)
    assert rescored_on(made, NOW, RULES) == (None if next_step is None else NOW.date() + timedelta(days=next_step))


@given(st.integers(0, 40), st.integers(0, 40))
def test_a_value_changes_on_the_day_it_names_and_on_no_day_before(age: int, later: int) -> None:
    made = chunk(created_at=NOW - timedelta(days=age))
    then = NOW + timedelta(days=later)
    before, after = (classify("maria", made, 1.0, at, RULES) for at in (NOW, then))
    on = rescored_on(made, NOW, RULES)
    assert (before == after) is (on is None or then.date() < on)
    assert (before.fingerprint == after.fingerprint) is (before == after)


def test_a_memory_is_scored_again_six_times_in_its_life() -> None:
    made, days = chunk(), [NOW]
    while (on := rescored_on(made, days[-1], RULES)) is not None:
        days.append(datetime.combine(on, NOW.time(), UTC))
    assert [(day - NOW).days for day in days] == list(RULES.recency_steps)
    assert RULES.recency_steps[-1] == RULES.recency_days


def test_recency_counts_from_the_later_of_creation_and_last_access() -> None:
    old = NOW - timedelta(days=60)
    assert score_recency(chunk(created_at=old, last_accessed_at=NOW - timedelta(days=6)), NOW, RULES) == pytest.approx(
        26 / 30
    )
    assert score_recency(chunk(created_at=NOW, last_accessed_at=old), NOW, RULES) == 1.0


def test_recency_is_the_same_all_day() -> None:
    made = chunk(created_at=datetime(2026, 11, 18, 23, 59, tzinfo=UTC))
    scores = [score_recency(made, NOW.replace(hour=hour), RULES) for hour in range(24)]
    assert scores == pytest.approx([28 / 30] * 24)


def test_a_time_in_the_future_is_as_recent_as_today() -> None:
    assert score_recency(chunk(created_at=NOW + timedelta(days=90)), NOW, RULES) == 1.0


@pytest.mark.parametrize(
    ("retrievals", "sources", "score"),
    [(0, 0, 0), (0, 1, 0.5), (0, 3, 0.75), (2, 1, 0.75), (99, 0, 0.99), (900, 99, 0.999)],
)
def test_an_access_is_a_retrieval_or_a_mention_by_a_distinct_source(
    retrievals: int, sources: int, score: float
) -> None:
    assert score_frequency(chunk(access_count=retrievals, source_count=sources), RULES) == pytest.approx(score)


def test_retention_is_a_statements_durability_and_grows_with_a_storylines_sources() -> None:
    assert score_retention(chunk(durability=0.7), RULES) == 0.7
    line = [score_retention(chunk(entity_type="Storyline", source_count=n), RULES) for n in (0, 5, 20)]
    assert line == pytest.approx([0, 0.5, 0.8])
    assert score_retention(chunk(entity_type="Source"), RULES) == 0.5


def test_confidence_is_what_is_stored_else_by_the_sources_behind_it() -> None:
    assert score_confidence(chunk(confidence=0.7), RULES) == 0.7
    assert score_confidence(chunk(entity_type="Macro", confidence=None, source_count=9), RULES) == pytest.approx(0.9)
    assert score_confidence(chunk(confidence=None), RULES) == 0.5


@pytest.mark.parametrize(
    ("known", "section"),
    [
        ({"content_type": "preference"}, "preferences"),
        ({"content_type": "task"}, "tasks"),
        ({"content_type": "insight"}, "insights"),
        ({"content_type": "chitchat"}, None),
        ({"content_type": None}, None),
        ({"content_type": "task", "is_instruction": True, "said_by_owner": True}, "preferences"),
        ({"content_type": "task", "is_instruction": True, "said_by_owner": False}, "tasks"),
        ({"entity_type": "Storyline"}, "insights"),
        ({"entity_type": "Macro"}, "insights"),
        ({"entity_type": "Source"}, "recent"),
    ],
)
def test_each_kind_has_its_section(known: dict[str, object], section: str | None) -> None:
    assert decide_section(chunk(**known)) == section


def test_the_first_to_say_it_is_new_and_the_next_is_not() -> None:
    early, late = NOW - timedelta(days=9), NOW - timedelta(days=1)
    found = [chunk("b", occurred_at=late), chunk("a", occurred_at=early), chunk("c", occurred_at=None)]
    vectors = [[0.6, 0.8], [1.0, 0.0], [0.0, 1.0]]
    assert novelty_in(found, vectors) == pytest.approx([0.4, 1.0, 0.2], abs=1e-6)


def test_the_same_words_are_never_new_whatever_their_vectors() -> None:
    found = [
        chunk("a", text="I  prefer TEA."),
        chunk("b", text="i prefer tea"),
        chunk("c", text="I prefer tea!"),
    ]
    assert novelty_in(found, [None, None, [1.0, 0.0]]) == [1.0, 0.0, 0.0]


def test_opposite_and_missing_vectors_are_new() -> None:
    found = [chunk(name) for name in "abcd"]
    assert novelty_in(found, [[1, 0], [-1, 0], None, [0, 0]]) == [1.0] * 4


def test_vectors_of_another_width_are_not_compared() -> None:
    assert novelty_in([chunk("a"), chunk("b")], [[1.0, 0.0], [1.0, 0.0, 0.0]]) == [1.0, 1.0]


@pytest.mark.parametrize(("novelty", "share"), [(1.0, 1.0), (0.5, 1.0), (0.15, 1.0), (0.075, 0.5), (0.0, 0.0)])
def test_only_what_is_near_a_repetition_loses_what_it_would_add(novelty: float, share: float) -> None:
    assert score_uniqueness(chunk(durability=0.6), novelty, RULES) == pytest.approx(0.6 * share)


def test_being_unlike_all_others_makes_nothing_of_an_empty_sentence() -> None:
    empty = classify("maria", chunk("a", durability=0.02, confidence=0.6), 1.0, NOW, RULES)
    telling = classify("maria", chunk("b", durability=0.3, confidence=0.6), 0.2, NOW, RULES)
    assert telling.value_score > empty.value_score


@pytest.mark.parametrize(
    ("durability", "confidence", "sources", "tier"),
    [(0.95, 0.9, 1, "KEEP"), (0.8, 0.85, 3, "KEEP"), (0.6, 0.75, 1, "SUMMARIZE"), (0.1, 0.6, 1, "ARCHIVE")],
)
def test_every_tier_is_within_reach_of_what_was_said_today(
    durability: float, confidence: float, sources: int, tier: str
) -> None:
    made = chunk(durability=durability, confidence=confidence, source_count=sources)
    assert classify("maria", made, 0.5, NOW, RULES).retention_tier == tier


@settings(max_examples=30)
@given(st.integers(0, 70), st.integers(1, 9), st.integers(1, 9), st.integers(0, 10_000))
def test_blocks_give_the_exact_answer(count: int, rows: int, columns: int, seed: int) -> None:
    vectors = unit_rows(np.random.default_rng(seed).normal(size=(count, 4)), 4)
    expected = [max(0.0, *(float(vectors[i] @ vectors[j]) for j in range(i)), 0.0) for i in range(count)]
    assert highest_earlier(vectors, rows, columns) == pytest.approx(expected, abs=1e-5)


def novelty_in(candidates: Sequence[Candidate], vectors: Sequence[Vector | None]) -> list[float]:
    """How new each candidate is, in their order."""
    found = novelty_of(score_all(candidates, vectors))
    return [found[candidate.memory_id] for candidate in candidates]


def score_values(
    user: str, candidates: Sequence[Candidate], embeddings: Sequence[Sequence[float] | None]
) -> list[Classification]:
    """Every candidate's classification, ordered by memory id."""
    novelty = novelty_in(candidates, embeddings)
    made = [classify(user, *pair, NOW, RULES) for pair in zip(candidates, novelty, strict=True)]
    return sorted(made, key=lambda row: row.memory_id)


def test_the_order_of_rows_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    found = [chunk(f"c{i}", text=f"text {i % 17}", occurred_at=NOW - timedelta(days=i % 5)) for i in range(40)]
    vectors = [list(map(float, rng.normal(size=8))) for _ in found]
    made = score_values("maria", found, vectors)
    order = list(rng.permutation(len(found)))
    assert score_values("maria", [found[i] for i in order], [vectors[i] for i in order]) == made


@given(
    st.floats(allow_nan=True),
    st.floats(allow_nan=True),
    st.integers(-5, 10**6),
    st.integers(-5, 10**6),
    st.booleans(),
)
def test_every_signal_stays_between_nothing_and_one(
    durability: float, confidence: float, accesses: int, sources: int, known: bool
) -> None:
    candidate = chunk(
        durability=durability,
        confidence=confidence if known else None,
        access_count=accesses,
        source_count=sources,
    )
    for kind in ("KnowledgeChunk", "Storyline", "Macro", "Source"):
        row = score_values("maria", [Candidate(**{**vars(candidate), "entity_type": kind})], [None])[0]
        scores = (
            row.retention_score,
            row.uniqueness_score,
            row.confidence_score,
            row.access_frequency,
            row.recency_score,
        )
        assert all(0 <= score <= 1 for score in (*scores, row.value_score))


def test_a_fingerprint_changes_with_its_own_signals_alone() -> None:
    before = {row.memory_id: row.fingerprint for row in score_values("maria", [chunk("a"), chunk("b")], [None, None])}
    after = score_values("maria", [chunk("a"), chunk("b", access_count=1)], [None, None])
    assert [row.memory_id for row in after if row.fingerprint != before[row.memory_id]] == ["b"]


def test_a_members_value_of_a_teams_source_is_the_members() -> None:
    row = score_values("maria", [chunk("source:1", owner="team-rota", entity_type="Source")], [None])[0]
    other = score_values("ben", [chunk("source:1", owner="team-rota", entity_type="Source")], [None])[0]
    assert row.id != other.id
    assert row.memory_owner == "team-rota"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Tea!", "tea", True),
        ("Ｔｅａ", "tea", True),
        ("🎉", "🎂", False),
        ("I'm in", "im in", False),
        ("", "  ", True),
    ],
)
def test_sameness_is_blind_to_case_form_and_punctuation(one: str, other: str, same: bool) -> None:
    assert (same_text(one) == same_text(other)) is same
