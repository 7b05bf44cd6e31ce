"""A year of memories with known habits, as the formulas say, however often the schedules run (004, Access Patterns)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from memory_assets.lifecycle import policy
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


def _figures(life: Life, at: datetime) -> tuple[float, float]:
    return life.salience, policy.salience(life, at)


def _row(world: World, memory: str) -> dict[str, Any]:
    (row,) = world.graph.read("lifecycle/list_lives", user_id=world.user, memory_ids=[memory])
    assert stored(world, memory)["state"] == row["state"]
    return row
