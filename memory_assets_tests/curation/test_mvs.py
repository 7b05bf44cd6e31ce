"""The Memory Value Score: 001's weights and ranges as they stand there, and that it only falls while nobody comes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.curation.facts import Facts
from memory_assets.curation.mvs import RANGES, Action, falls_below, score, weight_of
from memory_assets_tests.curation.test_policy import INSTANTS, any_facts

MADE = datetime(2026, 3, 1, 9, tzinfo=UTC)
LATER = MADE + timedelta(days=2)


def facts(kind: str, **change: Any) -> Facts:
    return replace(Facts("id", kind, MADE, changed_at=MADE, state="active"), **change)


@pytest.mark.parametrize(
    ("kind", "change", "weight", "half_life"),
    [
        ("Belief", {"confidence": 0.8}, 10.0, 180),
        ("Reflection", {}, 8.0, 90),
        ("Analysis", {}, 7.0, 60),
        ("Synthesis", {}, 6.5, 120),
        ("Recommendation", {}, 5.0, 30),
        ("CompressedContext", {}, 4.0, 90),
        ("Task", {"status": "pending"}, 3.0, None),
        ("MemoryEntry", {}, 2.5, 45),
        ("SessionContext", {"active": False}, 1.5, 1),
        ("Notification", {"is_read": True}, 0.5, 0.5),
    ],
)
def test_each_type_has_its_weight_and_its_half_life(
    kind: str, change: dict[str, Any], weight: float, half_life: float | None
) -> None:
    one = facts(kind, **change)
    row = weight_of(one)
    assert (row.weight, row.half_life and row.half_life / timedelta(days=1)) == (weight, half_life)
    if half_life is None:
        return
    fresh, halved = (score(one, MADE + timedelta(days=days)) for days in (0, half_life))
    assert fresh.recency == pytest.approx(3.0)
    assert halved.recency == pytest.approx(1.5)
    assert fresh.row.weight == halved.row.weight == weight


@pytest.mark.parametrize(
    ("change", "term", "points"),
    [
        ({"recent_accesses": ()}, "frequency", 0.0),
        ({"recent_accesses": (MADE,) * 10}, "frequency", 2.0),
        ({"recent_accesses": (MADE,) * 3}, "frequency", 1.156),
        ({"recent_accesses": (MADE - timedelta(days=6),) * 10}, "frequency", 0.0),
        ({"severity": "critical"}, "quality", 2.0),
        ({"severity": "info"}, "quality", 0.0),
        ({"confidence": 0.5}, "quality", 1.0),
        ({"relationships": 5}, "centrality", 0.75),
        ({"relationships": 40}, "centrality", 1.5),
        ({"accessed_by": ("a",)}, "cross_agent", 0.0),
        ({"accessed_by": ("a", "b")}, "cross_agent", 0.667),
        ({"accessed_by": tuple("abcde")}, "cross_agent", 2.0),
        ({"token_count": 500}, "bloat", 0.0),
        ({"token_count": 750}, "bloat", 0.75),
        ({"token_count": 9000}, "bloat", 1.5),
    ],
)
def test_each_term_stays_within_its_range(change: dict[str, Any], term: str, points: float) -> None:
    assert getattr(score(facts("Analysis", **change), LATER), term) == pytest.approx(points, abs=1e-3)


def test_the_terms_add_up_and_no_zero_makes_the_score_zero() -> None:
    value = score(facts("Analysis", severity="high", relationships=5, accessed_by=("a", "b"), token_count=750), LATER)
    assert value.plain == pytest.approx(7.0 + 3 * 0.5 ** (2 / 60) + 0 + 1.5 + 0.75 + 2 / 3 - 0.75)
    assert value.score == value.plain


@pytest.mark.parametrize(
    ("points", "action"),
    [
        (50.0, Action.PROTECT),
        (49.9, Action.KEEP),
        (8.0, Action.KEEP),
        (7.9, Action.CONDENSE),
        (5.0, Action.CONDENSE),
        (4.9, Action.IMPROVE),
        (3.0, Action.IMPROVE),
        (2.9, Action.DEMOTE),
        (1.5, Action.DEMOTE),
        (1.4, Action.PRUNE),
        (0.5, Action.PRUNE),
        (0.4, Action.REMOVE),
        (-1.0, Action.REMOVE),
    ],
)
def test_the_seven_ranges(points: float, action: Action) -> None:
    assert next(one for least, one in RANGES if points >= least) is action


@pytest.mark.parametrize(
    "change",
    [{"kind": "Task", "status": "pending"}, {"kind": "MemoryEntry", "ttl_policy": "keep_forever"}],
)
def test_what_a_rail_protects_is_worth_a_hundred_times_as_much(change: dict[str, Any]) -> None:
    value = score(replace(facts("Belief"), **change), LATER)
    assert value.safety == 100.0
    assert value.action is Action.PROTECT
    assert value.rails


@given(any_facts(), INSTANTS, st.floats(0, 300))
@settings(max_examples=300)
def test_the_score_only_falls_while_nobody_comes(one: Facts, at: datetime, days: float) -> None:
    last = max(filter(None, (one.since, one.last_accessed_at)))
    start = max(at, last)
    assert score(one, start + timedelta(days=days)).plain <= score(one, start).plain + 1e-9


@given(any_facts(), INSTANTS, st.sampled_from([1.5, 3.0, 5.0, 8.0]))
@settings(max_examples=300)
def test_the_instant_at_which_it_passes_a_threshold_is_known(one: Facts, at: datetime, threshold: float) -> None:
    passes = falls_below(one, threshold, at)
    if passes is None:
        assert score(one, at + timedelta(days=5000)).plain >= threshold
        return
    assert score(one, passes).plain < threshold
    if passes > at:
        assert score(one, passes - timedelta(seconds=1)).plain >= threshold - 1e-6
