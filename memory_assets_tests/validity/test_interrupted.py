"""Judging that is killed wherever it may be, that is run again, and twice at once: what comes out is the same."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.validity import judging
from memory_assets.validity.index import StatementIndex
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.stopping import KilledError, stopped_after
from memory_assets_tests.validity.test_judging import judge, outdated, say

pytestmark = pytest.mark.graph
CITIES = "Boston Denver Austin Chicago Oslo Porto Vienna".split()
STEPS = [(Graph, name) for name in ("read", "write", "write_together")] + [(StatementIndex, "replace")]


def a_life(world: World) -> None:
    """Moves, an appointment that moves, and what contradicts itself, in no order of time."""
    said = [("I live in Boston.", 0), ("I am allergic to nuts.", 3), ("I am not allergic to nuts.", 9)]
    said += [
        (f"I moved from {old} to {new}.", 5 * n + 4)
        for n, (old, new) in enumerate(zip(CITIES, CITIES[1:], strict=False))
    ]  # noqa: E501
    said += [(f"I live in {city}.", 5 * n + 5) for n, city in enumerate(CITIES[1:])]
    said += [("The launch of the boat is on 3 May.", 2), ("The launch of the boat moves from 3 May to 9 May.", 20)]
    random.Random(3).shuffle(said)
    for text, day in said:
        say(world, text, day)


def unjudged(world: World) -> list[dict[str, Any]]:
    return world.graph.read("validity/list_unjudged", user_id=world.user)


def state(world: World) -> list[str]:
    return [json.dumps(line, sort_keys=True) for line in export_user(world.graph, world.user, canonical=True)]


def test_killed_run_again_and_twice_at_once_gives_what_one_run_gives(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "PAGE", 4)
    a_life(world)
    rng, waiting = random.Random(11), [len(unjudged(world))]
    while True:
        try:
            with stopped_after(rng.randrange(1, 60), STEPS):
                judge(world)
            break
        except KilledError:
            waiting.append(len(unjudged(world)))
    assert len(waiting) > 3 and waiting == sorted(waiting, reverse=True), "what was judged is not judged again"
    after_kills = state(world)
    assert len(outdated(world)) > len(CITIES) - 2 and any('"CONTRADICTS"' in line for line in after_kills)
    assert judge(world).statements == 0 and state(world) == after_kills, "nothing is left to do"

    world.settings.validity_index(world.user).unlink()
    judge(world, force=True)
    assert state(world) == after_kills, "one run that nobody disturbs"

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: judge(world, force=True), range(2)))
    assert state(world) == after_kills, "two at once"
