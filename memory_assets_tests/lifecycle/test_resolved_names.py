"""What was done with a name is done with whom it means: merged and split, counted before or after."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from memory_assets.entities.people import Names
from memory_assets.graph.graph import Graph
from memory_assets.graph.lives import life_of
from memory_assets.lifecycle.folding import recount
from memory_assets.model import node_id
from memory_assets.runtime.accesses import AccessLog
from memory_assets.settings import Settings
from memory_assets_tests.entities.test_people import CLOCK, extract, seed
from memory_assets_tests.support.accesses import access, fold

pytestmark = pytest.mark.graph
SAID = {"a": ["Ruth Amble"], "b": ["Pell"], "c": ["Ruth Amble"]}
LATER = CLOCK.now() + timedelta(days=9)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(_env_file=None, home=tmp_path)


def counted_anew(graph: Graph, settings: Settings, user: str) -> int:
    with closing(AccessLog(settings.accesses_file(user))) as log:
        changed = recount(graph, log, user, LATER)
        assert recount(graph, log, user, LATER) == 0
    return changed


def lives(graph: Graph, user: str) -> dict[str, tuple[str, int, float]]:
    """The state, the accesses and the salience of each who is there."""
    ids = {"Ruth Amble": node_id("person", user, "ruth-amble"), "Pell": node_id("person", user, "pell")}
    rows = graph.read("graph/list_lives", user_id=user, memory_ids=list(ids.values()))
    there = {row["memory_id"]: life_of(row) for row in rows}
    return {
        name: (life.state.value, life.access_count, round(life.salience, 9))
        for name, key in ids.items()
        if (life := there.get(key))
    }


@pytest.mark.parametrize("when", ["before the merge", "after it"])
def test_accesses_follow_a_name_and_come_back(graph: Graph, user: str, settings: Settings, when: str) -> None:
    seed(graph, user, SAID)
    extract(graph, user, SAID)
    alone = lives(graph, user)
    for days in (1, 4):
        access(settings, user, node_id("person", user, "pell"), at=CLOCK.now() + timedelta(days=days))
    if when == "before the merge":
        fold(graph, settings, user, LATER)
        before = lives(graph, user)
        assert before["Pell"][:2] == ("active", 2)
    names = Names(graph, CLOCK, user)
    names.merge("Ruth Amble", ["Pell"])
    fold(graph, settings, user, LATER)
    counted_anew(graph, settings, user)
    merged = lives(graph, user)
    assert merged.keys() == {"Ruth Amble"} and merged["Ruth Amble"][:2] == ("active", 2)
    names.split("Pell")
    counted_anew(graph, settings, user)
    found = lives(graph, user)
    assert found["Ruth Amble"] == alone["Ruth Amble"]
    assert found["Pell"] == merged["Ruth Amble"], "both were said on the same day"
    if when == "before the merge":
        assert found == before


def test_what_an_earlier_log_counted_stays(graph: Graph, user: str, settings: Settings) -> None:
    seed(graph, user, SAID)
    extract(graph, user, SAID)
    access(settings, user, node_id("person", user, "pell"), at=CLOCK.now())
    fold(graph, settings, user, LATER)
    before = lives(graph, user)
    settings.accesses_file(user).unlink()
    Names(graph, CLOCK, user).merge("Ruth Amble", ["Pell"])
    assert counted_anew(graph, settings, user) == 0 and lives(graph, user) == before
