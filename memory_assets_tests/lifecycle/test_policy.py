"""The table of 004 (Memory Lifecycle & Decay): its figures, and that it does not matter when anybody looks."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_assets.graph.lives import RULES, Life, decay_rate, salience
from memory_assets.lifecycle.policy import (
    accessed,
    archived_on,
    arrivals_since,
    asks_arrivals,
    course,
    folded,
    is_late,
    recounted,
    refolded,
    settled,
    state_on,
)
from memory_assets.model import State

MADE = datetime(2026, 1, 1, tzinfo=UTC)
CANDIDATE, ACTIVE, CORE, ARCHIVED = State.CANDIDATE, State.ACTIVE, State.CORE, State.ARCHIVED


def life(**change: Any) -> Life:
    return replace(Life(MADE), **change)


def later(days: float) -> datetime:
    return MADE + timedelta(days=days)


def day(days: float) -> date:
    return later(days).date()


def test_a_memory_begins_as_a_candidate_of_half_salience() -> None:
    new = life()
    assert (new.state, salience(new, MADE), new.access_count, new.recall_frequency) == (CANDIDATE, 0.5, 0, 0)
    assert (new.last_recall_interval, new.decay_gradient, new.last_accessed_at) == (0, 1.0, None)


@pytest.mark.parametrize(
    ("change", "rate"),
    [
        ({"state": ACTIVE}, 0.02),
        ({"state": ACTIVE, "recall_frequency": 1}, 0.01),
        ({"state": ACTIVE, "recall_frequency": 5, "decay_gradient": 1.5}, 0.02 / (1 + 5**1.5)),
        ({"state": ACTIVE, "confidence": 0.4}, 0.02),
        ({"state": CORE, "confidence": 0.4}, 0.02),
        ({"state": ARCHIVED, "archived_from": ACTIVE, "confidence": 0.4}, 0.02),
        ({"state": ARCHIVED, "archived_from": CANDIDATE, "confidence": 0.4}, 0.044),
        ({"confidence": 0.4}, 0.044),
        ({"confidence": 0.5}, 0.04),
        ({"confidence": 0.7}, 0.032),
        ({"confidence": 0.79}, 0.02 * 1.42),
        ({"confidence": 0.8}, 0.0),
        ({"confidence": 0.9}, 0.0),
        ({"confidence": None}, 0.0),
        ({"confidence": 0.4, "ttl_policy": "keep_forever"}, 0.0),
    ],
)
def test_how_fast_a_memory_fades(change: dict[str, Any], rate: float) -> None:
    assert decay_rate(life(**change)) == pytest.approx(rate)


# The specification rounds to halves and quarters; these are what its formula gives.
@pytest.mark.parametrize(
    ("change", "days", "share"),
    [
        ({"state": ACTIVE}, 35, 0.4966),
        ({"state": ACTIVE}, 70, 0.2466),
        ({"state": ACTIVE}, 105, 0.1225),
        ({"state": ACTIVE, "recall_frequency": 5, "decay_gradient": 1.5}, 35, 0.9441),
        ({"state": ACTIVE, "recall_frequency": 5, "decay_gradient": 1.5}, 70, 0.8914),
        ({"confidence": 0.5}, 17, 0.5066),
        ({"confidence": 0.5}, 35, 0.2466),
        ({"confidence": 0.85}, 3650, 1.0),
        ({"state": ACTIVE, "confidence": 0.4}, 35, 0.4966),
    ],
)
def test_what_is_left_of_salience(change: dict[str, Any], days: int, share: float) -> None:
    assert salience(life(**change), later(days)) == pytest.approx(0.5 * share, abs=5e-5)


# 004's examples say 100 and 50 days; the formula and the threshold say ln(0.5 / 0.01) / rate, and the day after.
@pytest.mark.parametrize(
    ("change", "days"),
    [
        ({"state": ACTIVE}, 196),
        ({"confidence": 0.4}, 89),
        ({"confidence": 0.5}, 98),
        ({"state": ACTIVE, "recall_frequency": 1, "salience": 0.55}, 401),
        ({"state": ACTIVE, "salience": 0.009}, 1),
        ({"confidence": 0.9}, None),
        ({"confidence": 0.1, "ttl_policy": "keep_forever"}, None),
        ({"state": CORE, "recall_frequency": 100, "decay_gradient": 2.0}, None),
        ({"confidence": 0.9, "salience": 1.0, "ttl_policy": "ephemeral", "is_episodic": True}, 31),
        ({"confidence": 0.9, "salience": 1.0, "ttl_policy": "ephemeral"}, 91),
        ({"confidence": 0.0, "salience": 0.02, "ttl_policy": "ephemeral"}, 91),
    ],
)
def test_on_which_day_a_memory_is_archived(change: dict[str, Any], days: int | None) -> None:
    found = life(**change)
    assert archived_on(found) == (None if days is None else day(days))
    if days is not None:
        assert state_on(found, day(days - 1)) is found.state
        assert state_on(found, day(days)) is ARCHIVED


def test_decay_counts_from_the_later_of_ingestion_and_last_access() -> None:
    fading = life(state=ACTIVE)
    assert archived_on(replace(fading, ingested_at=later(100))) == day(296)
    assert salience(replace(fading, ingested_at=later(100)), later(100)) == 0.5
    old = replace(fading, salience_at=later(50), ingested_at=later(20))
    assert salience(old, later(60)) == pytest.approx(0.5 * math.exp(-0.2))


def test_the_way_from_candidate_to_core() -> None:
    one = life(confidence=0.9)
    states = []
    for number in range(1, 12):
        one = accessed(one, later(3 * number))
        states.append(one.state)
    assert states == [ACTIVE] * 9 + [CORE] * 2
    assert (one.access_count, one.recall_frequency, one.last_accessed_at) == (11, 11, later(33))
    assert one.salience == 1.0, "asked for every three days, it is wholly present"


def test_the_first_retrieval_of_a_day_counts_more_than_the_others() -> None:
    once = accessed(life(), MADE + timedelta(hours=1))
    twice = accessed(once, MADE + timedelta(hours=1))
    assert (once.salience, twice.salience) == (pytest.approx(0.6), pytest.approx(0.65))
    assert accessed(life(salience=0.99), MADE).salience == 1.0


def test_pauses_that_grow_slow_the_fading_and_shorter_ones_hasten_it() -> None:
    gradients = []
    one = life()
    for at in (2, 5, 6, 7, 7.2, 20):
        one = accessed(one, later(at))
        gradients.append((one.last_recall_interval, one.decay_gradient))
    assert gradients == [(2, 1.1), (3, 1.2), (1, 1.15), (1, 1.15), (1, 1.15), (13, 1.25)]


def test_the_gradient_stays_within_bounds() -> None:
    longer, shorter = life(), life(last_recall_interval=1000, last_accessed_at=MADE)
    for number in range(1, 31):
        longer = accessed(longer, later(number * (number + 1) / 2))
        shorter = replace(accessed(shorter, later(number)), last_recall_interval=1000)
    assert (longer.decay_gradient, shorter.decay_gradient) == (RULES.most_gradient, RULES.least_gradient)


def test_what_was_archived_comes_back_when_somebody_asks_for_it() -> None:
    faded = settled(life(confidence=0.4), day(89))
    assert (faded.state, faded.archived_from) == (ARCHIVED, CANDIDATE)
    back = accessed(faded, later(200))
    assert (back.state, back.archived_from) == (ACTIVE, None)
    assert back.salience == pytest.approx(0.5 * math.exp(-0.044 * 200) + 0.1)
    proven = settled(life(state=CORE, access_count=12, recall_frequency=1), day(400))
    assert accessed(proven, later(401)).state is ACTIVE
    assert folded(proven, (later(401), later(402))).state is CORE


def test_what_was_archived_and_is_said_again_is_what_it_was() -> None:
    faded = settled(life(state=ACTIVE), day(300))
    assert faded.state is ARCHIVED
    again = settled(replace(faded, ingested_at=later(299)), day(300))
    assert (again.state, again.archived_from) == (ACTIVE, None)


def test_what_expires_does_so_however_often_it_is_asked_for() -> None:
    short = life(ttl_policy="ephemeral", is_episodic=True)
    asked = folded(short, (later(number) for number in range(1, 30)))
    assert (asked.state, asked.salience, archived_on(asked)) == (CORE, 1.0, day(31))
    assert accessed(settled(asked, day(31)), later(32)).state is ARCHIVED
    late = accessed(short, later(40))
    assert (late.state, late.access_count, state_on(late, day(40))) == (CANDIDATE, 1, ARCHIVED), "ageing archives it"
    assert settled(late, day(40)) == accessed(settled(short, day(31)), later(40))


def test_what_is_kept_forever_stays_as_it_is() -> None:
    owner = life(ttl_policy="keep_forever", state=CORE, salience=1.0, confidence=1.0)
    assert salience(replace(owner, salience=0.001), later(10_000)) == 1.0
    assert settled(owner, day(10_000)) == owner
    assert accessed(owner, later(5)).state is CORE
    replaced = replace(owner, state=ARCHIVED, archived_from=ACTIVE, folded_at=later(5))
    assert (state_on(replaced, day(10)), settled(replaced, day(10)).state) == (ACTIVE, ACTIVE)


moments = st.lists(st.integers(0, 24 * 800), max_size=12).map(lambda hours: [later(hour / 24) for hour in hours])
lives = st.builds(
    life,
    confidence=st.one_of(st.none(), st.floats(0, 1)),
    ttl_policy=st.sampled_from(["decay", "ephemeral", "keep_forever"]),
    is_episodic=st.booleans(),
)
active = lives.map(lambda one: replace(one, state=ACTIVE, begins=ACTIVE))


@given(lives, moments, st.sets(st.integers(0, 1000)), st.integers(0, 1000))
def test_it_does_not_matter_on_which_days_anybody_looks(
    one: Life, asked: list[datetime], looked: set[int], end: int
) -> None:
    seldom = settled(folded(one, asked), day(end))
    often = one
    for what, number in sorted([(at, None) for at in asked] + [(later(n), n) for n in looked], key=lambda x: x[0]):
        often = accessed(often, what) if number is None else settled(often, what.date())
    often = settled(often, day(end))
    assert replace(often, salience=0.0) == replace(seldom, salience=0.0)
    assert often.salience == pytest.approx(seldom.salience, abs=1e-9)
    assert salience(often, later(end)) == pytest.approx(salience(seldom, later(end)), abs=1e-9)


def changed_since(one: Life, arrived: list[datetime], hour: int | None, what: str) -> Life:
    """A life that nobody has asked for, of which it has been said again, and what else became of it at an hour."""
    at = None if hour is None else later(hour / 24)
    if at is not None and what == "promoted":
        one = replace(one, state=ACTIVE, promoted_at=at)
    elif at is not None:
        one = replace(one, state=ARCHIVED, archived_from=CANDIDATE, folded_at=at)
    return replace(one, ingested_at=max(arrived, default=None))


@given(
    lives,
    moments,
    moments,
    st.one_of(st.none(), st.integers(0, 24 * 800)),
    st.sampled_from(["promoted", "replaced"]),
    st.randoms(use_true_random=False),
)
def test_accesses_are_counted_in_any_order_and_in_any_parts(
    one: Life, asked: list[datetime], arrived: list[datetime], hour: int | None, what: str, dice: Any
) -> None:
    one = changed_since(one, arrived, hour, what)
    shuffled = [*asked, *asked[:3]][
        : RULES.core_accesses - 1
    ]  # of what came back it is no longer known that it was gone
    dice.shuffle(shuffled)
    found, counted = one, list[datetime]()
    for part in (shuffled[at : at + 3] for at in range(0, len(shuffled), 3)):
        is_late = bool(counted) and min(part) < max(counted)
        found = refolded(found, counted, part, arrived) if is_late else folded(found, part, arrived)
        counted += part
    assert found == folded(one, shuffled, arrived)


@given(
    lives, moments, moments, st.one_of(st.none(), st.integers(0, 24 * 800)), st.sampled_from(["promoted", "replaced"])
)
def test_what_became_of_a_memory_later_is_no_part_of_an_earlier_access(
    one: Life, asked: list[datetime], arrived: list[datetime], hour: int | None, what: str
) -> None:
    late = folded(changed_since(one, arrived, hour, what), asked, arrived)
    turn = later(10_000) if hour is None else later(hour / 24)
    known = one
    for at in sorted({*asked, *arrived, turn}):
        known = replace(known, ingested_at=max((day for day in arrived if day <= at), default=None))
        if at == turn and hour is not None:
            known = replaced_at(known, turn) if what == "replaced" else promoted_at(known, turn)
        for _ in (day for day in asked if day == at):
            known = accessed(known, at)
    assert (known.salience, known.decay_gradient, known.state) == (late.salience, late.decay_gradient, late.state)


@given(lives, moments.filter(bool), moments, st.integers(0, 24 * 800))
def test_what_mentions_had_confirmed_before_it_was_asked_for_is_counted_so_once_that_is_known(
    one: Life, asked: list[datetime], arrived: list[datetime], hour: int
) -> None:
    asked = asked[: RULES.core_accesses - 1]
    one = replace(one, ingested_at=max(arrived, default=None))
    known = changed_since(one, arrived, hour, "promoted")
    counted = folded(one, asked, arrived)
    found = recounted(replace(counted, promoted_at=known.promoted_at), asked, arrived, day(0))
    assert found == folded(known, asked, arrived)
    assert recounted(found, asked, arrived, day(0)) == found


def promoted_at(known: Life, at: datetime) -> Life:
    """Mentions confirm a candidate that nobody has asked for."""
    return known if known.access_count else replace(known, state=ACTIVE, promoted_at=at)


def replaced_at(known: Life, at: datetime) -> Life:
    """A note says what it said."""
    return replace(known, state=ARCHIVED, archived_from=known.living_state, folded_at=at)


def by_formula(begins: State, confidence: float, asked: list[datetime], arrived: list[datetime], at: datetime) -> float:
    """004's formulas, told in the order of time: the salience at an instant after these retrievals."""
    value, since, pause, gradient = 0.5, MADE, 0, 1.0

    def left(count: int, instant: datetime) -> float:
        start = max([since, *(one for one in arrived if one <= instant)])
        rate = 0.02 / (1 + (count**gradient if count else 0))
        if not count and begins is CANDIDATE:
            rate = 0.0 if confidence >= 0.8 else rate * (1 + 2 * (1 - confidence))
        return value * math.exp(-rate * max(0.0, (instant - start) / timedelta(days=1)))

    for count, instant in enumerate(sorted(asked)):
        days = (instant.date() - since.date()).days
        value = min(1.0, left(count, instant) + (0.05 if count and not days else 0.1))
        if not count or days:
            gradient += 0.1 if days > pause else -0.05 if days < pause else 0.0
            gradient, pause = min(2.0, max(0.5, gradient)), days
        since = instant
    return left(len(asked), at)


hours = st.integers(0, 24 * 100)


# After the last arrival one line comes late.
@example(CANDIDATE, 0.4, [(240, 0), (720, 0), (600, 144)], [0, 120, 480], [240, 720], Random(1))
@given(
    st.sampled_from([CANDIDATE, ACTIVE]),
    st.floats(0, 1),
    st.lists(st.tuples(hours, st.one_of(st.just(0), hours)), max_size=14),
    st.lists(hours, max_size=6),
    st.lists(hours, max_size=8).map(sorted),
    st.randoms(use_true_random=False),
)
def test_whenever_the_log_is_counted_it_gives_what_the_formula_gives(
    begins: State, confidence: float, lines: list[tuple[int, int]], came: list[int], counts: list[int], dice: Any
) -> None:
    """Lines come some hours after their retrieval; who counts them knows what has arrived by then, and asks for no more
    of it than the policy says.
    """
    one = life(begins=begins, state=begins, confidence=confidence)
    arrived = [later(hour / 24) for hour in came]
    found, counted, waiting = one, list[datetime](), [(later(hour / 24), hour + late) for hour, late in lines]
    for now in [*counts, 24 * 1000]:
        known = [moment for moment in arrived if moment <= later(now / 24)]
        found = replace(found, ingested_at=max(known, default=None))
        part = [at for at, there in waiting if there <= now]
        waiting = [line for line in waiting if line[1] > now]
        dice.shuffle(part)
        since = arrivals_since(found, part)
        asked = [at for at in known if since is None or at > since] if asks_arrivals(found, part) else []
        found = refolded(found, counted, part, asked) if is_late(found, part) else folded(found, part, asked)
        counted += part
    assert not waiting and found == folded(replace(one, ingested_at=found.ingested_at), counted, arrived)
    end = later(1000)
    assert salience(found, end) == pytest.approx(by_formula(begins, confidence, counted, arrived, end), abs=1e-9)


@given(lives, moments, st.integers(0, 12))
def test_accesses_can_be_counted_in_parts(one: Life, asked: list[datetime], cut: int) -> None:
    asked.sort()
    assert folded(folded(one, asked[:cut]), asked[cut:]) == folded(one, asked)


@given(lives, moments)
def test_salience_never_grows_by_itself(one: Life, asked: list[datetime]) -> None:
    found = folded(one, asked)
    left = [salience(found, found.since + timedelta(days=days)) for days in (0, 1, 50, 500)]
    assert left == sorted(left, reverse=True) and all(0 <= value <= 1 for value in left)


@given(lives, moments)
def test_the_day_is_the_first_that_begins_below_the_threshold(one: Life, asked: list[datetime]) -> None:
    found = folded(one, asked)
    gone = archived_on(found)
    if gone is None or found.ttl_policy != "decay":
        return
    begins = datetime(gone.year, gone.month, gone.day, tzinfo=UTC)
    assert salience(found, begins) < RULES.archived_below + 1e-9
    assert salience(found, begins - timedelta(days=1)) >= RULES.archived_below - 1e-9


@given(st.one_of(lives, active), moments, st.lists(st.integers(0, 1000), max_size=8).map(sorted))
def test_a_course_says_on_each_day_what_was_and_what_will_be(one: Life, asked: list[datetime], days: list[int]) -> None:
    instants = [later(number) for number in days]
    values = course(folded(one, asked), asked, instants)
    for at, value in zip(instants, values, strict=True):
        before = folded(one, [moment for moment in asked if moment <= at])
        last = folded(one, asked)
        if at >= last.since:
            assert value == pytest.approx(salience(last, at), abs=1e-9)
        elif value is not None:
            assert value == pytest.approx(salience(before, at), abs=1e-9)


def test_a_course_whose_accesses_are_not_all_known_begins_with_the_last() -> None:
    counted = folded(life(confidence=0.5), [later(3), later(9)])
    assert course(counted, [later(9)], [later(5), later(9)]) == [None, counted.salience]
    whole = course(counted, [later(9), later(3)], [later(-1), later(0), later(3)])
    assert whole[:2] == [None, 0.5] and whole[2] == pytest.approx(0.5 * math.exp(-0.04 * 3) + 0.1)
