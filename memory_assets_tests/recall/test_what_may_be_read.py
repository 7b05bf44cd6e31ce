"""What its user may no longer read is neither opened nor found, whatever keeps it; all else is, archived or not."""

from __future__ import annotations

from typing import Any

import pytest

from memory_assets.clock import Clock
from memory_assets.commands.correcting import find_statement
from memory_assets.commands.sources import remove_source, restore_source
from memory_assets.model import Granularity, reference
from memory_assets.recall.exploring import explore
from memory_assets.recall.opening import open_reference, open_sentences
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.scripted_models import HashEmbedder
from memory_assets_tests.support.seeds import seed_properties, seed_readers

pytestmark = pytest.mark.graph
LEVELS = (Granularity.STORYLINES, Granularity.THEMES)


def opened(world: World, memory_id: str) -> dict[str, Any] | None:
    return open_reference(world.graph, world.user, reference(memory_id), 1000)


def found(world: World, level: Granularity, question: str) -> list[str]:
    made = explore(world.graph, world.settings.home, world.user, question, level, 500, HashEmbedder())
    return [card.row["id"] for card in made.packed.cards]


@pytest.mark.parametrize("how", ["withheld", "removed"])
def test_what_may_no_longer_be_read_is_neither_opened_nor_found(world: World, how: str) -> None:
    team, clock = f"team-{world.user}", Clock(world.now)
    world.join(team)
    other = world.add_source("pay", 2, owner=team if how == "withheld" else world.user)
    going = world.add_statement("Priya earns 91,000 euros a year.", other)
    own = world.add_source("home", 3)
    mine = world.add_statement("I live in Boston.", own)
    storyline, macro = world.add_storyline()
    rest_on_it = (going, storyline, macro)

    def check(is_readable: bool) -> None:
        assert [one for one in (*rest_on_it, mine) if opened(world, one)] == [*(rest_on_it * is_readable), mine]
        for level, one in zip(LEVELS, (storyline, macro), strict=True):
            for question in ("Music and the cello", "nothing of the sort"):
                assert found(world, level, question) == [one] * is_readable
        assert (find_statement(world.graph, world.user, reference(going)) is not None) == is_readable
        part_of = open_sentences(world.graph, world.user, own, 1000)["part_of"]
        assert [row["id"] for row in part_of] == [storyline] * is_readable

    check(is_readable=True)
    if how == "withheld":
        seed_readers(world.graph, team, other, ["somebody"])
    else:
        seed_properties(world.graph, world.user, other)
        assert remove_source(world.graph, clock, world.user, other)
    check(is_readable=False)
    seed_properties(world.graph, world.user, mine, state="archived")
    archived = opened(world, mine)
    assert archived is not None and archived["is_archived"]
    if how == "withheld":
        seed_readers(world.graph, team, other, None)
    else:
        restore_source(world.graph, clock, world.user, other)
    check(is_readable=True)
    world.graph.write("seed/unlink_statement", user_id=world.user, id=going)
    assert opened(world, going) is None and opened(world, storyline) is not None


def test_one_of_several_sources_is_enough_for_a_statement(world: World) -> None:
    team = f"team-{world.user}"
    world.join(team)
    theirs, own = world.add_source("pay", 2, owner=team), world.add_source("home", 3)
    for source in (theirs, own):
        said = world.add_statement("Priya earns 91,000 euros a year.", source)
    seed_readers(world.graph, team, theirs, ["somebody"])
    shown = opened(world, said)
    assert shown is not None and [row["id"] for row in shown["sources"]] == [own]
