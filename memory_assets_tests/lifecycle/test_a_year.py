"""A year of memories with known habits, as the formulas say, however often the schedules run (004, Access Patterns)."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from memory_assets.lifecycle import folding, policy
from memory_assets.lifecycle.ageing import age_memories
from memory_assets.lifecycle.folding import life_of
from memory_assets.lifecycle.policy import Life
from memory_assets.model import State
from memory_assets_tests.lifecycle.test_ageing import seed, stored
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.accesses import access, fold

pytestmark = pytest.mark.graph
YEAR = 365
SEASONS = [first + day for first in (20, 110, 200, 290) for day in (0, 1, 1.2, 3, 6)]
TENTATIVE: dict[str, Any] = {"confidence": 0.4}
HABITS: dict[str, tuple[dict[str, Any], list[float], State]] = {
    "every three days": (TENTATIVE, [3.0 * number for number in range(1, 122)], State.CORE),
    "once": ({"confidence": 0.9}, [40.0], State.ACTIVE),
    "once, and tentative": (TENTATIVE, [40.0], State.ARCHIVED),
    "in seasons": (TENTATIVE, SEASONS, State.CORE),
    "never, and tentative": (TENTATIVE, [], State.ARCHIVED),
    "never, and certain": ({"confidence": 0.9}, [], State.CANDIDATE),
    "after it had faded": (TENTATIVE, [300.0], State.ACTIVE),
    "kept": (TENTATIVE | {"ttl_policy": "keep_forever"}, [], State.CANDIDATE),
    "short-lived": ({"confidence": 0.9, "ttl_policy": "ephemeral"}, [10.0, 20.0], State.ARCHIVED),
}
"""By habit what is seeded, the days on which it is asked for, and its state at the end of the year."""


@pytest.mark.parametrize("cadence", [1, 7, 30, YEAR])
def test_salience_and_state_are_those_of_the_formulas(world: World, cadence: int) -> None:
    end = world.now + timedelta(days=YEAR)
    source = world.add_source("cello")
    memories = {
        habit: seed(world, world.add_statement(f"The cello that is asked for {habit}.", source), **properties)
        for habit, (properties, _, _) in HABITS.items()
    }
    expected = {}
    for habit, (_, days, _) in HABITS.items():
        at = [world.now + timedelta(days=number) for number in days]
        born = life_of(_row(world, memories[habit]))
        expected[habit] = policy.settled(policy.folded(born, at), end.date())
    waiting = sorted(
        (world.now + timedelta(days=number), memories[habit])
        for habit, (_, days, _) in HABITS.items()
        for number in days
    )
    for night in [*range(0, YEAR, cadence), YEAR]:
        now = world.now + timedelta(days=night)
        while waiting and waiting[0][0] <= now:
            at, memory = waiting.pop(0)
            access(world.settings, world.user, memory, at=at)
        fold(world.graph, world.settings, world.user, now)
        age_memories(world.graph, world.user, now)
    assert not waiting
    for habit, (_, _, state) in HABITS.items():
        after = life_of(_row(world, memories[habit]))
        assert after.state is state, habit
        assert _figures(after, end) == pytest.approx(_figures(expected[habit], end), abs=1e-9), habit
        assert replace(after, salience=0.0) == replace(expected[habit], salience=0.0), habit


@pytest.mark.parametrize("seed_", [1, 2, 3])
def test_the_log_may_be_counted_in_any_order(world: World, seed_: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "LINES", 7)
    end, dice = world.now + timedelta(days=YEAR), Random(seed_)
    source = world.add_source("cello")
    memories = {
        habit: seed(world, world.add_statement(f"The cello that is asked for {habit}.", source), **properties)
        for habit, (properties, _, _) in HABITS.items()
    }
    born = {habit: life_of(_row(world, memory)) for habit, memory in memories.items()}
    # A week's lines come in any order, and some of them half a year late.
    lines = sorted(
        ((number // 7 + 26 * (dice.random() < 0.2), dice.random()), number, habit)
        for habit, (_, days, _) in HABITS.items()
        for number in days
    )
    for at, (_, number, habit) in enumerate(lines):
        access(world.settings, world.user, memories[habit], at=world.now + timedelta(days=number))
        if at % 11 == 0:
            fold(world.graph, world.settings, world.user, world.now + timedelta(days=number))
            age_memories(world.graph, world.user, world.now + timedelta(days=number))
    fold(world.graph, world.settings, world.user, end)
    age_memories(world.graph, world.user, end)
    for habit, (_, days, state) in HABITS.items():
        whole = policy.folded(born[habit], [world.now + timedelta(days=number) for number in days])
        after = life_of(_row(world, memories[habit]))
        assert _figures(after, end) == pytest.approx(_figures(policy.settled(whole, end.date()), end), abs=1e-9), habit
        assert (after.state, after.access_count) == (state, len(days)), habit


def test_an_access_counts_alike_before_and_after_it_was_said_again(world: World) -> None:
    both = []
    for name in ("counted at once", "counted late"):
        first, second = (world.add_source(f"{name}, {number}") for number in (1, 2))
        for source in (first, second):
            memory = seed(world, world.add_statement(f"The cello is {name}.", source), **TENTATIVE)
        access(world.settings, world.user, memory, at=world.now + timedelta(days=10))
        if name == "counted at once":
            fold(world.graph, world.settings, world.user, world.now + timedelta(days=10))
        again = world.now + timedelta(days=20)
        for node in (second, memory):
            seed(world, node, ingested_at=again, salience=stored(world, node).get("salience", 0.5))
        fold(world.graph, world.settings, world.user, again)
        both.append(life_of(_row(world, memory)))
    assert both[0].salience == pytest.approx(0.5 * math.exp(-0.044 * 10) + 0.1, abs=1e-9)
    assert both[0] == replace(both[1], created_at=both[0].created_at)


def _figures(life: Life, at: datetime) -> tuple[float, float]:
    return life.salience, policy.salience(life, at)


def _row(world: World, memory: str) -> dict[str, Any]:
    (row,) = world.graph.read("graph/list_lives", user_id=world.user, memory_ids=[memory])
    assert stored(world, memory)["state"] == row["state"]
    return row
