"""What a run names where it may not name all: new ones and those that have changed apart, the oldest debt first."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_assets.clock import Clock, to_iso
from memory_assets.entities.extraction import Extractor
from memory_assets.graph.graph import Graph
from memory_assets.hierarchy import macros, storylines
from memory_assets.hierarchy.reading import read_waiting, unsupported_macros, unsupported_storylines
from memory_assets.hierarchy.stage import Stage, Task
from memory_assets.llm.tasks import ExtractedEntity, Extraction
from memory_assets.model import node_id
from memory_assets.runtime.scope import RunScope
from memory_assets_tests.hierarchy.test_promotion import CLOCK, START, script, seed
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel
from memory_assets_tests.support.storylines import stored_storylines

pytestmark = pytest.mark.graph
FIRST = {"Mill": 0, "Pier": 100, "Kiln": 200}
"""The day on which each of these is mentioned first; then on four more, and a month later on five."""
NOW = CLOCK.now()


def days_of(name: str) -> list[int]:
    return [FIRST[name] + day + later for later in (0, 40) for day in range(5)]


def naming(task: str, payload: Any) -> Any:
    """Each source is about who is mentioned on its day."""
    if not hasattr(payload, "title"):
        return script(task, payload)
    day = int(payload.title[-3:])
    name = max((name for name, first in FIRST.items() if first <= day), key=FIRST.__getitem__)
    about = ExtractedEntity(kind="concept", name=name, entity_type="concept", confidence=8, subpoints=("a", "b", "c"))
    return Extraction(entities=(about,), statements=())


def mention(graph: Graph, user: str, *days: int) -> None:
    seed(graph, user, [("sails" if day % 100 < 40 else "mooring", day) for day in days])
    Extractor(graph, ScriptedModel(naming), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())


def silence(graph: Graph, user: str, *days: int) -> None:
    """The sources of these days turn out to be about nobody."""
    seed(graph, user, [("sails", day) for day in days], processed_fingerprint="p2")
    nobody = ScriptedModel(lambda task, payload: Extraction(entities=(), statements=()))
    Extractor(graph, nobody, HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())


def run(
    graph: Graph, user: str, task: Task, *, night: int, most: int = 2, naming: str = "due"
) -> tuple[Counter[str], Stage]:
    clock = Clock(NOW + timedelta(days=night))
    limited = replace(task, most_a_run=most)
    stage = Stage(limited, graph, ScriptedModel(script), HashEmbedder(), clock, user, None, naming)
    derive = storylines.derive_storylines if task is storylines.TASK else macros.derive_macros
    return derive(stage, force=False), stage


def about(graph: Graph, user: str) -> Counter[str]:
    """Of whom there are how many storylines."""
    names = {node_id("concept", user, name.casefold()): name for name in FIRST}
    return Counter(names[row["properties"]["anchor_id"]] for row in stored_storylines(graph, user))


def waiting(graph: Graph, user: str, stage: str = "storylines") -> dict[str, int]:
    """Who waits, and since which night."""
    names = {node_id("concept", user, name.casefold()): name for name in FIRST}
    return {names[key]: (at - NOW).days for key, at in read_waiting(graph, user, stage).items()}


def test_what_is_left_comes_before_what_becomes_due_later_though_it_happened_earlier(graph: Graph, user: str) -> None:
    mention(graph, user, *days_of("Pier"), *days_of("Kiln"))
    counts, stage = run(graph, user, storylines.TASK, night=0)
    assert (counts["named"], counts["left_for_the_next_run"], stage.left) == (2, 2, ["2 storylines"])
    assert about(graph, user) == {"Pier": 2} and waiting(graph, user) == {"Kiln": 0}
    mention(graph, user, *days_of("Mill"))
    run(graph, user, storylines.TASK, night=1)
    assert about(graph, user) == {"Pier": 2, "Kiln": 2} and waiting(graph, user) == {"Mill": 1}
    run(graph, user, storylines.TASK, night=2)
    assert about(graph, user) == {"Pier": 2, "Kiln": 2, "Mill": 2} and waiting(graph, user) == {}
    for night, left in ((7, 2), (14, 1), (21, 0)):
        counts, _ = run(graph, user, macros.TASK, night=night, most=1)
        assert (counts["named"], counts["left_for_the_next_run"]) == (1, left)
    assert waiting(graph, user, "macros") == {}


def test_new_ones_and_changed_ones_have_a_run_and_a_limit_each(graph: Graph, user: str) -> None:
    mention(graph, user, *days_of("Mill"), *days_of("Pier"))
    run(graph, user, storylines.TASK, night=0, most=4)
    run(graph, user, macros.TASK, night=0)
    mention(graph, user, 5, 105, *days_of("Kiln"))
    counts, stage = run(graph, user, storylines.TASK, night=1, naming="new")
    assert (counts["named"], counts["left_for_the_next_run"], stage.left) == (2, 2, ["2 storylines"])
    assert about(graph, user) == {"Mill": 2, "Pier": 2, "Kiln": 2}
    assert waiting(graph, user) == {"Mill": 1, "Pier": 1}
    assert unsupported_storylines(graph, user, NOW) == unsupported_macros(graph, user, NOW) == []
    counts, _ = run(graph, user, storylines.TASK, night=1, naming="new")
    assert (counts["named"], counts["left_for_the_next_run"]) == (0, 2)
    counts, _ = run(graph, user, storylines.TASK, night=1, most=1, naming="changed")
    assert (counts["named"], counts["left_for_the_next_run"]) == (1, 1)
    assert waiting(graph, user) == {"Pier": 1}
    counts, _ = run(graph, user, storylines.TASK, night=2, naming="changed")
    assert (counts["named"], counts["left_for_the_next_run"]) == (1, 0)
    counts, _ = run(graph, user, macros.TASK, night=7, naming="new")
    assert (counts["named"], counts["left_for_the_next_run"]) == (1, 2)
    counts, _ = run(graph, user, macros.TASK, night=7, naming="changed")
    assert (counts["named"], counts["left_for_the_next_run"]) == (2, 0)


def test_a_mention_has_the_time_of_its_source(graph: Graph, user: str) -> None:
    found = "MATCH (s:Source {user_id: $user})-[m:MENTIONS]->(:Concept)"
    query = f"{found} RETURN m.started_at AS at, s.started_at AS started_at"

    def times() -> list[str]:
        rows = graph.query_read_only(query, {"user": user})
        assert all(row["at"] == row["started_at"] for row in rows)
        return sorted(to_iso(row["at"]) or "" for row in rows)

    mention(graph, user, *days_of("Mill"))
    before = times()
    assert len(before) == 10
    seed(graph, user, [("sails", days_of("Mill")[0])], processed_fingerprint="p2", started_at=to_iso(START))
    Extractor(graph, ScriptedModel(naming), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
    assert times() == sorted([to_iso(START) or "", *before[1:]])


def test_a_macro_that_is_no_more_goes_while_others_wait_for_their_names(graph: Graph, user: str) -> None:
    names = {node_id("concept", user, name.casefold()): name for name in FIRST}

    def having() -> tuple[set[str], set[str]]:
        """Who has a macro, by the macros and by the names."""
        rows = graph.read("hierarchy/list_macros", user_id=user)
        query = "MATCH (n:Concept {user_id: $user, has_macro: true}) RETURN n.id AS id"
        found = graph.query_read_only(query, {"user": user})
        return {names[row["properties"]["anchor_id"]] for row in rows}, {names[row["id"]] for row in found}

    mention(graph, user, *days_of("Mill"), *days_of("Pier"))
    run(graph, user, storylines.TASK, night=0, most=9)
    run(graph, user, macros.TASK, night=0)
    assert having() == ({"Mill", "Pier"}, {"Mill", "Pier"})
    silence(graph, user, *days_of("Mill")[:4])
    mention(graph, user, 105, *days_of("Kiln"))
    run(graph, user, storylines.TASK, night=1, most=9)
    counts, _ = run(graph, user, macros.TASK, night=1, naming="new")
    assert (counts["named"], counts["left_for_the_next_run"], counts["retired"]) == (1, 1, 1)
    assert having() == ({"Pier", "Kiln"}, {"Pier", "Kiln"}), "one that waits for other words stays"
    counts, _ = run(graph, user, macros.TASK, night=2)
    assert (counts["named"], counts["retired"]) == (1, 0)
    assert run(graph, user, macros.TASK, night=3)[0] == Counter(users_unchanged=1)


def test_a_changed_storyline_comes_with_a_new_one_of_its_anchor(graph: Graph, user: str) -> None:
    days = days_of("Mill")
    mention(graph, user, *days[:5])
    run(graph, user, storylines.TASK, night=0)
    mention(graph, user, days[4] + 1, *days[5:])
    counts, _ = run(graph, user, storylines.TASK, night=1, most=4, naming="new")
    assert (counts["named"], counts["left_for_the_next_run"], about(graph, user)) == (2, 0, {"Mill": 2})


def test_a_run_of_everything_does_both_each_within_its_limit(graph: Graph, user: str) -> None:
    mention(graph, user, *days_of("Mill"))
    run(graph, user, storylines.TASK, night=0)
    mention(graph, user, 5, 45, *days_of("Kiln"))
    counts, _ = run(graph, user, storylines.TASK, night=1, most=2)
    assert (counts["named"], counts["left_for_the_next_run"]) == (4, 0)
