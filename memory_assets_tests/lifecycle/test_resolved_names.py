"""What was done with a name is done with whom it means: merged and split, counted before or after."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_assets.clock import to_iso
from memory_assets.entities.people import Names
from memory_assets.graph.graph import Graph
from memory_assets.graph.lives import Life, life_of
from memory_assets.lifecycle.folding import recount
from memory_assets.model import node_id, own_person_id
from memory_assets.runtime.accesses import AccessLog
from memory_assets.settings import Settings
from memory_assets_tests.entities.test_people import CLOCK, extract, seed
from memory_assets_tests.support.accesses import access, fold
from memory_assets_tests.support.seeds import seed_sources, source_row

pytestmark = pytest.mark.graph
SAID = {"a": ["Ruth Amble"], "b": ["Pell"], "c": ["Ruth Amble"]}
FOUR = SAID | {"d": ["Zedd"], "e": ["Quill"]}
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


def person(user: str, name: str) -> str:
    return node_id("person", user, name)


def life(graph: Graph, user: str, key: str) -> Life | None:
    rows = graph.read("graph/list_lives", user_id=user, memory_ids=[key])
    return life_of(rows[0]) if rows else None


def accesses(graph: Graph, user: str, *names: str) -> list[int | None]:
    """How many are counted of each; None: it is not there."""
    found = [life(graph, user, person(user, name)) for name in names]
    return [one.access_count if one else None for one in found]


def suffice(graph: Graph, user: str, key: str, *, is_promoted: bool) -> None:
    """Storylines come to say whether mentions confirm an anchor."""
    row = {"id": key, "is_promoted": is_promoted, "has_meso": is_promoted}
    row["promoted_at"] = to_iso(CLOCK.now()) if is_promoted else None
    graph.write("hierarchy/set_anchor_promotions", [row], user_id=user)


def test_the_owner_stays_core_and_takes_what_was_done_with_another_name(
    graph: Graph, user: str, settings: Settings
) -> None:
    seed(graph, user, SAID)
    extract(graph, user, SAID)
    me, later = own_person_id(user), CLOCK.now() + timedelta(days=1)
    Names(graph, CLOCK, user).set_profile("Ruth Amble", [])
    counted_anew(graph, settings, user)
    access(settings, user, me, person(user, "pell"), at=later)
    fold(graph, settings, user, LATER)
    before = life(graph, user, me)
    assert before and (before.state.value, before.salience, before.access_count) == ("core", 1.0, 1)
    Names(graph, CLOCK, user).set_profile("Ruth Amble", ["Pell"])
    counted_anew(graph, settings, user)
    after = life(graph, user, me)
    assert after and (after.state.value, after.salience, after.access_count) == ("core", 1.0, 2)
    assert life(graph, user, person(user, "pell")) is None
    assert graph.read("hierarchy/list_unconfirmed", user_id=user, ids=[me]) == []
    for is_promoted in (True, False):
        suffice(graph, user, me, is_promoted=is_promoted)
        assert graph.read("lifecycle/list_uncounted", user_id=user) == []
        assert life(graph, user, me) == after


def test_of_whom_the_log_lacks_something_nobody_else_has_to_wait(graph: Graph, user: str, settings: Settings) -> None:
    seed(graph, user, FOUR)
    extract(graph, user, FOUR)
    access(settings, user, person(user, "pell"), at=CLOCK.now())
    fold(graph, settings, user, LATER)
    settings.accesses_file(user).unlink()
    access(settings, user, person(user, "zedd"), at=CLOCK.now())
    fold(graph, settings, user, LATER)
    names = Names(graph, CLOCK, user)
    names.merge("Ruth Amble", ["Pell"])
    names.merge("Quill", ["Zedd"])
    counted_anew(graph, settings, user)
    assert accesses(graph, user, "ruth-amble", "pell", "quill", "zedd") == [0, 1, 1, None]


def test_what_the_log_has_too_much_of_one_makes_up_for_no_other(graph: Graph, user: str, settings: Settings) -> None:
    seed(graph, user, FOUR)
    extract(graph, user, FOUR | {"d": []})
    ruth, zedd = person(user, "ruth-amble"), person(user, "zedd")
    access(settings, user, ruth, ruth, at=CLOCK.now())
    fold(graph, settings, user, LATER)
    settings.accesses_file(user).unlink()
    access(settings, user, zedd, zedd, at=CLOCK.now())
    fold(graph, settings, user, LATER)
    assert accesses(graph, user, "ruth-amble", "zedd") == [2, None], "nobody is called Zedd as yet"
    seed_sources(graph, [source_row(f"{user}/d", user, title="d", text_fingerprint="other")])
    extract(graph, user, FOUR)
    names = Names(graph, CLOCK, user)
    names.merge("Ruth Amble", ["Pell"])
    names.merge("Quill", ["Zedd"])
    counted_anew(graph, settings, user)
    assert accesses(graph, user, "ruth-amble", "quill", "zedd") == [2, 2, None]


def test_what_was_counted_with_a_name_that_went_stays(graph: Graph, user: str, settings: Settings) -> None:
    seed(graph, user, FOUR)
    extract(graph, user, FOUR)
    access(settings, user, person(user, "pell"), person(user, "pell"), at=CLOCK.now())
    access(settings, user, person(user, "zedd"), at=CLOCK.now() + timedelta(days=1))
    fold(graph, settings, user, LATER)
    names = Names(graph, CLOCK, user)
    names.merge("Ruth Amble", ["Pell"])
    counted_anew(graph, settings, user)
    assert accesses(graph, user, "ruth-amble", "pell") == [2, None]
    seed_sources(graph, [source_row(f"{user}/b", user, title="b", text_fingerprint="gone")])
    extract(graph, user, FOUR | {"b": []})
    suffice(graph, user, person(user, "ruth-amble"), is_promoted=True)
    counted_anew(graph, settings, user)
    assert accesses(graph, user, "ruth-amble") == [2]
    Names(graph, CLOCK, user).merge("Ruth Amble", ["Zedd"])
    counted_anew(graph, settings, user)
    assert accesses(graph, user, "ruth-amble", "zedd") == [3, None], "the log knows all of Zedd's"


def test_accesses_follow_a_name_from_one_to_the_next(graph: Graph, user: str, settings: Settings) -> None:
    seed(graph, user, FOUR)
    extract(graph, user, FOUR)
    access(settings, user, person(user, "pell"), at=CLOCK.now())
    fold(graph, settings, user, LATER)
    names = Names(graph, CLOCK, user)
    names.merge("Ruth Amble", ["Pell"])
    counted_anew(graph, settings, user)
    names.split("Pell")
    names.merge("Zedd", ["Pell"])
    counted_anew(graph, settings, user)
    assert accesses(graph, user, "ruth-amble", "pell", "zedd") == [0, None, 1]


@pytest.mark.parametrize("is_asked_for", [False, True])
@pytest.mark.parametrize("told", ["storylines first", "counted first"])
def test_after_a_split_only_what_was_retrieved_itself_stays_confirmed(
    graph: Graph, user: str, settings: Settings, is_asked_for: bool, told: str
) -> None:
    seed(graph, user, SAID)
    extract(graph, user, SAID)
    ruth, pell = person(user, "ruth-amble"), person(user, "pell")
    for key in (pell, ruth) if is_asked_for else (pell,):
        access(settings, user, key, at=CLOCK.now() + timedelta(days=1))
    fold(graph, settings, user, LATER)
    before = life(graph, user, ruth)
    names = Names(graph, CLOCK, user)
    names.merge("Ruth Amble", ["Pell"])
    suffice(graph, user, ruth, is_promoted=True)
    counted_anew(graph, settings, user)
    merged = life(graph, user, ruth)
    assert merged and (merged.state.value, merged.access_count) == ("active", 1 + is_asked_for)
    names.split("Pell")
    if told == "counted first":
        counted_anew(graph, settings, user)
    suffice(graph, user, ruth, is_promoted=False)
    counted_anew(graph, settings, user)
    one = life(graph, user, ruth)
    assert one and one.promoted_at is None
    assert (one.state.value, one.access_count) == (("active", 1) if is_asked_for else ("candidate", 0))
    assert before and (one.salience, one.since) == (before.salience, before.since)


def test_arrivals_are_read_of_those_alone_who_were_asked_for(
    graph: Graph, user: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(graph, user, FOUR)
    extract(graph, user, FOUR)
    access(settings, user, person(user, "zedd"), at=CLOCK.now())
    fold(graph, settings, user, LATER)
    names = Names(graph, CLOCK, user)
    names.merge("Ruth Amble", ["Pell"])
    names.merge("Quill", ["Zedd"])
    asked: list[str] = []
    read = Graph.read

    def spy(self: Graph, name: str, **given: Any) -> Any:
        if name == "lifecycle/list_arrivals":
            asked.extend(row["id"] for row in given["rows"])
        return read(self, name, **given)

    monkeypatch.setattr(Graph, "read", spy)
    counted_anew(graph, settings, user)
    assert asked == [person(user, "quill")]
