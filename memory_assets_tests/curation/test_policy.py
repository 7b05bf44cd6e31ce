"""001's tables: each row a day before and a day after, tiers in both directions, budgets, modes; and that nothing is
missed by looking only when something is due.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.curation.cadences import (
    BACKGROUND,
    IDLE,
    INTERVALS,
    MINIMAL,
    Cadence,
    choose_mode,
    due_cadences,
)
from memory_assets.curation.facts import TIERS, Facts
from memory_assets.curation.policy import (
    CURATION,
    TTL,
    Step,
    after,
    confidence_at,
    decide,
    enforce_budgets,
    expires_at,
    looks_at,
    ttl_row,
)
from memory_assets.curation.rails import RAILS, closed_rails

MADE = datetime(2026, 3, 1, 9, tzinfo=UTC)
FIVE, QUARTER, HOUR, SIX = Cadence


def facts(kind: str, **change: Any) -> Facts:
    return replace(Facts("id", kind, MADE, changed_at=MADE, state="active", text="A text."), **change)


def later(days: float) -> datetime:
    return MADE + timedelta(days=days)


READ = {"is_read": True}
WEAK = {"state": "archived", "archived_at": MADE, "confidence": 0.2, "stated_confidence": 0.2}
DYING = {"confidence": 0.2, "stated_confidence": 0.2}


@pytest.mark.parametrize(
    ("kind", "change", "days"),
    [
        ("Notification", READ, 7),
        ("Notification", {"is_read": False}, 30),
        ("Notification", {}, 30),
        ("Notification", {"is_critical": True}, None),
        ("Notification", READ | {"is_critical": True}, 7),
        ("SessionContext", {"active": False}, 1),
        ("SessionContext", {"active": True}, None),
        ("SessionContext", {}, None),
        ("Task", {"status": "completed"}, 14),
        ("Task", {"status": "completed", "is_learned_from": True}, None),
        ("Task", {"status": "failed"}, 90),
        ("Task", {"status": "in_progress"}, None),
        ("Task", {"status": "pending"}, None),
        ("Task", {}, None),
        ("Belief", WEAK, 30),
        ("Belief", WEAK | {"is_believed": True}, None),
        ("Belief", WEAK | {"confidence": 0.3}, None),
        ("Belief", {"confidence": 0.7}, None),
        ("Belief", {"confidence": 0.5}, None),
        ("Belief", {}, None),
        ("Belief", DYING, 60),
        ("Reflection", {"consolidated": True}, 90),
        ("Reflection", {"consolidated": True, "access_count": 6}, None),
        ("Reflection", {"consolidated": True, "access_count": 5}, 90),
        ("Reflection", {"consolidated": False}, None),
        ("Reflection", {}, None),
        ("Analysis", {"severity": "low"}, 60),
        ("Analysis", {"severity": "info"}, 60),
        ("Analysis", {"severity": "info", "is_recommended_on": True}, None),
        ("Analysis", {"severity": "high"}, 180),
        ("Analysis", {"severity": "critical", "is_recommended_on": True}, 180),
        ("Analysis", {}, None),
        ("Synthesis", {}, 120),
        ("Synthesis", {"access_count": 3}, 120),
        ("Synthesis", {"access_count": 4}, None),
        ("Recommendation", {}, None),
        ("MemoryEntry", {}, None),
    ],
)
def test_how_long_what_is_in_a_state_lives(kind: str, change: dict[str, Any], days: int | None) -> None:
    assert expires_at(facts(kind, **change)) == (None if days is None else later(days))


@pytest.mark.parametrize(
    ("kind", "change", "days", "step"),
    [
        ("Notification", READ, 7, Step.PRUNE),
        ("Notification", {"is_read": False}, 30, Step.PRUNE),
        ("SessionContext", {"active": False}, 1, Step.PRUNE),
        ("Task", {"status": "completed"}, 14, Step.PRUNE),
        ("Task", {"status": "failed"}, 90, Step.PRUNE),
        ("Belief", WEAK, 30, Step.PRUNE),
        ("Belief", DYING, 60, Step.ARCHIVE),
        ("Reflection", {"consolidated": True}, 90, Step.PRUNE),
        ("Analysis", {"severity": "low"}, 60, Step.PRUNE),
        ("Analysis", {"severity": "high"}, 180, Step.PRUNE),
        ("Synthesis", {}, 120, Step.PRUNE),
    ],
)
def test_a_row_does_nothing_a_day_before_and_prunes_a_day_after(
    kind: str, change: dict[str, Any], days: int, step: Step
) -> None:
    given, row = facts(kind, **change), ttl_row(facts(kind, **change))
    assert row is not None
    assert row.cadence is not None
    assert decide(given, later(days - 1), row.cadence) is None
    found = decide(given, later(days + 1), row.cadence)
    assert found is not None
    assert found.step is step


def test_a_change_of_state_begins_a_time_to_live_anew() -> None:
    assert expires_at(facts("Task", status="completed", changed_at=later(40))) == later(54)


def test_what_has_earned_its_value_outlives_its_time_and_goes_when_nobody_comes_any_more() -> None:
    daily = tuple(later(84 + day) for day in range(7))
    agents = ("ada", "bo", "cy")
    used = facts("Synthesis", recent_accesses=daily, last_accessed_at=daily[-1], access_count=3, accessed_by=agents)
    assert decide(used, later(90), SIX) is None
    old = replace(used, created_at=later(-60), changed_at=later(-60))
    assert expires_at(old) == later(60)
    assert decide(old, later(90), SIX) is None
    goes = looks_at(old, later(90), SIX)
    assert goes is not None
    assert later(90) < goes <= later(98)
    assert decide(old, goes - timedelta(minutes=1), SIX) is None
    found = decide(old, goes, SIX)
    assert found is not None
    assert found.step is Step.PRUNE


def test_a_notification_that_was_read_always_goes() -> None:
    daily = tuple(later(day / 2) for day in range(10))
    dear = facts("Notification", is_read=True, recent_accesses=daily, last_accessed_at=later(5), access_count=10)
    assert decide(dear, later(7.1), FIVE) is not None


def test_what_its_value_does_not_keep_goes_before_its_time() -> None:
    """A read notification is worth less than 1.5 after a day, and a week is not waited for."""
    found = decide(facts("Notification", is_read=True), later(1.1), SIX)
    assert found is not None
    assert found.step is Step.PRUNE
    assert decide(facts("Notification", is_read=False), later(20), SIX) is None
    bloated = facts("Notification", is_read=True, token_count=1000)
    found = decide(bloated, later(1.1), SIX)
    assert found is not None
    assert found.step is Step.REMOVE


@pytest.mark.parametrize(
    ("change", "hours", "tier"),
    [
        ({"tier": "HOT"}, 12, "WARM"),
        ({"tier": "HOT", "is_in_session": True}, None, None),
        ({"tier": "WARM"}, 48, "COLD"),
        ({"tier": "WARM", "recent_accesses": (MADE, MADE), "last_accessed_at": MADE, "access_count": 2}, 168, "COLD"),
        ({"tier": "WARM", "recent_accesses": (MADE,), "last_accessed_at": MADE, "access_count": 1}, 48, "COLD"),
        ({"tier": "COLD", "last_accessed_at": MADE, "access_count": 1}, 90 * 24, "ARCHIVE"),
    ],
)
def test_what_is_not_used_falls_to_the_next_tier(change: dict[str, Any], hours: int | None, tier: str | None) -> None:
    entry = facts("Analysis", severity="high", **change)
    if hours is None:
        assert all(decide(entry, later(days), QUARTER) is None for days in (1, 5))
        return
    assert decide(entry, MADE + timedelta(hours=hours - 1), QUARTER) is None
    found = decide(entry, MADE + timedelta(hours=hours + 1), QUARTER)
    assert found is not None
    assert (found.step, found.tier) == (Step.ARCHIVE if tier == "ARCHIVE" else Step.DEMOTE, tier)


def test_what_nobody_ever_used_is_archived_once_its_value_does_not_keep_it() -> None:
    """A memory entry is worth 5 for twelve days: 2.5, and as much of its 3 points of news."""
    entry = facts("MemoryEntry", tier="COLD", tiered_at=later(2))
    assert decide(entry, later(11), QUARTER) is None
    found = decide(entry, later(12.5), QUARTER)
    assert found is not None
    assert (found.step, found.tier) == (Step.ARCHIVE, "ARCHIVE")


@pytest.mark.parametrize(
    ("change", "tier"),
    [
        ({"tier": "COLD"}, None),
        ({"tier": "COLD", "recent_accesses": (MADE,) * 2}, None),
        ({"tier": "COLD", "recent_accesses": (MADE,) * 3}, "WARM"),
        ({"tier": "COLD", "recent_accesses": (MADE - timedelta(days=8),) * 3}, None),
        ({"tier": "COLD", "is_in_session": True}, "WARM"),
        ({"tier": "WARM", "recent_accesses": (MADE,) * 9}, None),
        ({"tier": "WARM", "recent_accesses": (MADE,) * 10}, "HOT"),
        ({"tier": "WARM", "is_in_work": True}, "HOT"),
        ({"tier": "HOT", "recent_accesses": (MADE,) * 10}, None),
        ({"tier": "ARCHIVE"}, "COLD"),
        ({"tier": "ARCHIVE", "state": "archived"}, None),
    ],
)
def test_what_is_used_rises(change: dict[str, Any], tier: str | None) -> None:
    found = decide(facts("MemoryEntry", **change), later(0.5), HOUR)
    assert (found.tier if found else None) == tier


def test_beliefs_fade_from_what_was_said_and_never_from_what_a_cycle_made_of_it() -> None:
    belief = facts("Belief", confidence=0.8, stated_confidence=0.8, confirmed_at=MADE)
    assert confidence_at(belief, later(180)) == pytest.approx(0.4, abs=1e-12)
    assert confidence_at(replace(belief, confidence=0.5), later(180)) == pytest.approx(0.4, abs=1e-12)
    first = looks_at(belief, MADE, HOUR)
    assert first is not None
    found = decide(belief, first, HOUR)
    assert found is not None
    assert found.step is Step.DECAY
    assert found.confidence == pytest.approx(0.7, abs=1e-6)


def test_a_belief_that_faded_is_archived_sixty_days_after_it_is_below_three_tenths() -> None:
    faded = facts("Belief", confidence=0.29, stated_confidence=0.6, confirmed_at=MADE, tier="ARCHIVE")
    assert expires_at(faded) == pytest.approx(later(180 + 60), abs=timedelta(seconds=2))


def test_a_reflection_that_is_not_consolidated_is_flagged_once() -> None:
    reflection = facts("Reflection", consolidated=False)
    assert decide(reflection, later(0.9), SIX) is None
    found = decide(reflection, later(1), SIX)
    assert found is not None
    assert found.step is Step.FLAG
    assert decide(after(reflection, found, later(1)), later(400), SIX) is None


def test_what_no_source_holds_goes() -> None:
    orphan = facts("MemoryEntry", has_source=False, tier="HOT")
    assert decide(orphan, later(0.5), HOUR) is None
    found = decide(orphan, later(1), HOUR)
    assert found is not None
    assert found.step is Step.PRUNE


def entry(name: str, tier: str, tokens: int, used: float, **change: Any) -> Facts:
    given = facts("MemoryEntry", id=name, tier=tier, token_count=tokens, last_accessed_at=later(used), **change)
    return replace(given, access_count=1)


def test_budgets_demote_the_least_recently_used_and_go_on_through_the_tiers() -> None:
    held = [
        *(entry("a", "HOT", 900, 5), entry("b", "HOT", 600, 9), entry("c", "HOT", 500, 1)),
        *(entry("d", "WARM", 300, 3), entry("e", "WARM", 100, 0.5)),
        entry("f", "COLD", 150, 0.1),
    ]
    moves, tokens = enforce_budgets(held, later(10))
    # HOT holds 2,000 tokens: c, used on the first day, goes. WARM holds 900 then: e and c go on to COLD, and on.
    assert {one.id: proposal.tier for one, proposal in moves} == dict.fromkeys("cef", "ARCHIVE")
    assert tokens == {"HOT": 1500, "WARM": 300, "COLD": 0}


def test_what_a_rail_protects_is_not_archived_by_a_budget() -> None:
    protected = entry("a", "COLD", 900, 1, ttl_policy="keep_forever")
    moves, tokens = enforce_budgets([protected, entry("b", "COLD", 100, 2)], later(10))
    assert [one.id for one, _ in moves] == ["b"]
    assert tokens["COLD"] == 900


@pytest.mark.parametrize(
    ("minutes_ago", "in_window", "mode"),
    [(None, 0, IDLE), (31, 0, IDLE), (29, 0, BACKGROUND), (1, 59, BACKGROUND), (1, 60, MINIMAL)],
)
def test_the_mode_follows_agents_activity(minutes_ago: int | None, in_window: int, mode: object) -> None:
    last = None if minutes_ago is None else MADE - timedelta(minutes=minutes_ago)
    assert choose_mode(last, in_window, MADE) is mode


def test_cadences_come_after_their_intervals_and_the_quickest_after_the_modes() -> None:
    ticks = dict.fromkeys(Cadence, MADE)
    assert due_cadences({}, MADE, IDLE) == list(Cadence)
    assert due_cadences(ticks, MADE + timedelta(minutes=2.5), IDLE) == [FIVE]
    assert due_cadences(ticks, MADE + timedelta(minutes=2.5), BACKGROUND) == []
    assert due_cadences(ticks, MADE + timedelta(minutes=15), MINIMAL) == [FIVE, QUARTER]
    assert due_cadences(ticks, MADE + timedelta(hours=6), BACKGROUND) == list(Cadence)
    assert due_cadences(ticks, MADE - timedelta(minutes=1), BACKGROUND) == list(Cadence)


INSTANTS = st.integers(min_value=0, max_value=200 * 24 * 60).map(lambda minutes: MADE + timedelta(minutes=minutes))
KINDS = sorted({row.kind for row in TTL} | {"Recommendation", "MemoryEntry"})


@st.composite
def any_facts(draw: Any) -> Facts:
    """A record of any kind, in any state, before ``later(200)``."""
    made = draw(INSTANTS)
    times = st.integers(min_value=0, max_value=20 * 24 * 60).map(lambda minutes: made + timedelta(minutes=minutes))
    accesses = tuple(sorted(draw(st.lists(times, max_size=10))))
    confidence = draw(st.none() | st.floats(0, 1))
    return Facts(
        "id",
        draw(st.sampled_from(KINDS)),
        made,
        changed_at=draw(times),
        state=draw(st.sampled_from(["active", "archived", "candidate", "core"])),
        ttl_policy=draw(st.sampled_from(["decay", "keep_forever", None])),
        tier=draw(st.sampled_from([*TIERS, None])),
        token_count=draw(st.integers(0, 1500)),
        recent_accesses=accesses,
        last_accessed_at=max(accesses, default=None),
        access_count=len(accesses),
        accessed_by=tuple(sorted(draw(st.sets(st.sampled_from("abcde"), max_size=5)))),
        archived_at=draw(st.none() | times),
        confidence=confidence,
        stated_confidence=confidence,
        confirmed_at=draw(st.none() | times),
        status=draw(st.sampled_from([None, "completed", "failed", "pending", "in_progress"])),
        is_read=draw(st.none() | st.booleans()),
        active=draw(st.none() | st.booleans()),
        consolidated=draw(st.none() | st.booleans()),
        severity=draw(st.sampled_from([None, "info", "low", "high", "critical"])),
        has_source=draw(st.booleans()),
        relationships=draw(st.integers(0, 12)),
        agent_references=draw(st.integers(0, 5)),
        is_learned_from=draw(st.booleans()),
        is_in_session=draw(st.booleans()),
    )


@given(any_facts(), INSTANTS, st.sampled_from(list(Cadence)), st.floats(0, 1))
@settings(max_examples=400)
def test_nothing_is_to_be_done_before_the_instant_that_a_memory_names(
    given: Facts, at: datetime, cadence: Cadence, share: float
) -> None:
    named = looks_at(given, at, cadence)
    until = named if named is not None else at + timedelta(days=400)
    between = at + (until - at) * share
    if named is None or between < named:
        assert decide(given, between, cadence) is None
    if named is not None:
        assert decide(given, named, cadence) is not None


@given(any_facts(), INSTANTS, st.sampled_from(list(Cadence)))
@settings(max_examples=400)
def test_what_a_rail_protects_is_never_cut(given: Facts, at: datetime, cadence: Cadence) -> None:
    found = decide(given, at, cadence)
    if closed_rails(given.as_memory(), at, RAILS):
        assert found is None or found.step in (Step.DEMOTE, Step.PROMOTE, Step.DECAY, Step.FLAG)


@given(any_facts(), INSTANTS)
@settings(max_examples=200)
def test_cycles_come_to_rest(given: Facts, at: datetime) -> None:
    """At one instant a memory is done with after a few steps, whatever the order of the cadences."""
    for _ in range(12):
        steps = [step for cadence in Cadence if (step := decide(given, at, cadence))]
        if not steps or steps[0].step in (Step.PRUNE, Step.REMOVE):
            return
        given = after(given, steps[0], at)
    raise AssertionError(f"still at it: {steps}")


def test_the_quickest_cadence_is_five_minutes_and_each_budget_is_the_specifications() -> None:
    assert [interval.total_seconds() / 60 for interval in INTERVALS.values()] == [5, 15, 60, 360]
    assert dict(CURATION.budgets) == {"HOT": 1600, "WARM": 400, "COLD": 200}
