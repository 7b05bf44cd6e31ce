"""What somebody reads is counted as accessed: that alone brings back what has faded."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory_assets.clock import to_iso
from memory_assets.commands.reading import MEMORY, NAME, explain
from memory_assets.model import node_id, reference
from memory_assets.settings import Settings
from memory_assets_tests.lifecycle.test_ageing import age, seed, statement, stored
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.accesses import fold
from memory_assets_tests.support.seeds import seed_properties

pytestmark = pytest.mark.graph


def explained(world: World, ref: str, days: int) -> tuple[str, dict[str, Any]]:
    """What a command shows so many days later, and what it leaves in the log counted."""
    at = world.now + timedelta(days=days)
    settings = Settings(_env_file=None, home=world.settings.home, now=at)
    kind, found = explain(world.graph, settings, world.user, ref)
    return kind, found | {"counted": fold(world.graph, world.settings, world.user, at)}


def test_what_is_explained_is_back_and_what_is_shown_with_it_is_not(world: World) -> None:
    cello = statement(world, "The cello may be old.")
    concept = node_id("concept", world.user, "cello")
    row = {"id": concept, "ref": reference(concept), "canonical_name": "Cello", "entity_type": "concept"}
    world.graph.write("entities/upsert_concepts", [row], user_id=world.user, now=to_iso(world.now))
    seed(world, concept)
    seed(world, world.sources[0])
    assert age(world, 90).archived == 3
    for one, what in ((cello, MEMORY), (concept, NAME)):
        kind, found = explained(world, reference(one), 100)
        assert (kind, found["life"]["state"], found["counted"].memories) == (what, "archived", {one})
        assert stored(world, one)["state"] == "active" and "id" not in found
    assert stored(world, world.sources[0])["state"] == "archived"


def test_a_teams_source_that_is_explained_is_nobodys_alone(world: World) -> None:
    team = f"team-{world.user}"
    world.join(team)
    source = world.add_source("harbour", owner=team)
    seed_properties(world.graph, team, source, state="archived")
    kind, found = explained(world, reference(source), 100)
    assert (kind, found["counted"].accesses) == (MEMORY, {})
