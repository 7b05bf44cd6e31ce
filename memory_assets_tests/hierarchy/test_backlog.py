"""More storylines and macros than a run names: the oldest debt first, the rest by later runs, the same in the end."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.automation.pipeline import STEPS
from memory_assets.clock import Clock
from memory_assets.entities.assets import extracted_entities
from memory_assets.entities.extraction import Extractor
from memory_assets.graph.graph import Graph
from memory_assets.hierarchy import assets, checks, macros, storylines
from memory_assets.hierarchy.naming import Asked, Due, oldest_first
from memory_assets.hierarchy.stage import Stage
from memory_assets.llm.tasks import DatedSummary, ExtractedEntity, Extraction, StorylineRequest
from memory_assets.runtime.chain import read_chain, recipes_of
from memory_assets.runtime.scope import RunScope
from memory_assets.validity.assets import statement_validity
from memory_assets_tests.hierarchy.test_promotion import script as name_it
from memory_assets_tests.hierarchy.test_promotion import seed
from memory_assets_tests.support.fixture_resources import given_resources
from memory_assets_tests.support.partitions import add_known
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel
from memory_assets_tests.support.seeds import picture
from memory_assets_tests.support.storylines import stored_storylines

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
CLOCK = Clock(datetime(2026, 12, 1, 9, tzinfo=UTC))
DAYS = {"sails": range(16), "mooring": range(60, 76)}
EVENTS = [(topic, day) for topic, days in DAYS.items() for day in days]
FIVES = list(itertools.combinations(range(16), 5))
THEMES = 125
ASSETS = (
    *(assets.storylines, assets.macros, checks.storylines_meet_the_counters),
    *(checks.macros_meet_the_counters, checks.storylines_follow_from_statements, checks.macros_follow_from_statements),
)


def name_of(number: int) -> str:
    """A name that is like no other."""
    return "Q" + hashlib.sha256(str(number).encode()).hexdigest()[:12].translate(
        str.maketrans("0123456789", "ghijklmnop")
    )


def mentioned_in(number: int) -> set[str]:
    """The titles of the sources that mention a theme: five of each topic, of which no two themes have the same."""
    chosen = FIVES[number * 29 % len(FIVES)]
    return {f"{topic}{days[at]:03}" for topic, days in DAYS.items() for at in chosen}


def script(task: str, payload: Any) -> Any:
    """Each source is about the themes that mention it; names are given as elsewhere."""
    if not hasattr(payload, "title"):
        return name_it(task, payload)
    title = payload.title.rpartition("/")[2]
    names = [name_of(number) for number in range(THEMES) if title in mentioned_in(number)]
    about = {"kind": "concept", "entity_type": "concept", "confidence": 8, "subpoints": ("a", "b", "c")}
    return Extraction(entities=tuple(ExtractedEntity(name=name, **about) for name in names), statements=())


def extract(graph: Graph, user: str, events: Sequence[tuple[str, int]] = EVENTS) -> None:
    seed(graph, user, events)
    Extractor(graph, ScriptedModel(script), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())


def run(
    graph: Graph, user: str, folder: Path | None = None, *, force: bool = False
) -> tuple[Counter[str], Counter[str]]:
    def stage(task: Any) -> Stage:
        return Stage(task, graph, ScriptedModel(script), HashEmbedder(), CLOCK, user, folder)

    counts = storylines.derive_storylines(stage(storylines.TASK), force=force)
    return counts, macros.derive_macros(stage(macros.TASK), force=force)


NAMES = (
    "title",
    "summary",
    "overview",
    "state",
    "source_count",
    "first_source_at",
    "last_source_at",
    "total_source_count",
)


def shape(graph: Graph, user: str) -> list[tuple[Any, ...]]:
    """A user's storylines and macros without what follows from the user's name."""
    rows = [*stored_storylines(graph, user), *graph.read("hierarchy/list_macros", user_id=user)]
    return sorted(tuple(str(row["properties"].get(name)).replace(user, "USER") for name in NAMES) for row in rows)


@pytest.mark.graph
def test_what_is_beyond_a_runs_limit_is_done_by_the_next_and_comes_to_the_same(
    graph: Graph, user: str, tmp_path: Path
) -> None:
    extract(graph, user)
    counts, themes = run(graph, user, tmp_path)
    assert (counts["stories"], counts["named"], counts["left_for_the_next_run"]) == (250, 100, 150)
    assert themes["named"] + themes["left_for_the_next_run"] == themes["themes"]
    counts, _ = run(graph, user, tmp_path)
    assert (counts["named"], counts["left_for_the_next_run"]) == (100, 50)
    counts, themes = run(graph, user, tmp_path)
    assert (counts["named"], counts["left_for_the_next_run"]) == (50, 0)
    while themes["left_for_the_next_run"]:
        assert themes["named"] == 50
        _, themes = run(graph, user, tmp_path)
    assert themes["themes"] == THEMES
    complete = picture(graph, user)
    assert run(graph, user, tmp_path) == (Counter(users_unchanged=1), Counter(users_unchanged=1))
    assert picture(graph, user) == complete
    other = f"{user}x"
    extract(graph, other, list(reversed(EVENTS)))
    run(graph, other, force=True)
    assert shape(graph, other) == shape(graph, user)
    assert [len(part) for part in picture(graph, other)] == [len(part) for part in complete]
    assert picture_of_anchors(graph, other) == picture_of_anchors(graph, user)


def picture_of_anchors(graph: Graph, user: str) -> Counter[tuple[str, bool, bool]]:
    query = "MATCH (n:Concept {user_id: $user}) RETURN n.state AS state, n.has_meso AS meso, n.has_macro AS macro"
    return Counter((row["state"], row["meso"], row["macro"]) for row in graph.query_read_only(query, {"user": user}))


@pytest.mark.slow
@pytest.mark.graph
def test_the_steps_stay_due_until_all_is_done_and_nobody_is_alerted(graph: Graph, user: str) -> None:
    seed(graph, user, EVENTS)
    instance = dg.DagsterInstance.ephemeral()
    add_known(instance, [user])
    resources = given_resources(graph, ScriptedModel(script), HashEmbedder(), CLOCK)
    steps = ("storylines", "macros")
    left = []
    for chosen in ([extracted_entities, statement_validity, *ASSETS], ASSETS, ASSETS):
        result = dg.materialize([*chosen], partition_key=user, instance=instance, resources=resources)
        found = {event.step_key: event.materialization.metadata for event in result.get_asset_materialization_events()}
        assert all("unfinished" not in metadata for metadata in found.values())
        assert all(evaluation.passed for evaluation in result.get_asset_check_evaluations())
        chain = read_chain(graph, STEPS, recipes_of(STEPS, resources["models"].opened()), [user], CLOCK.now())
        shown = (found[step].get("left_for_the_next_run") for step in steps)
        left.append(
            ([step for step in steps if chain.is_due(user, step)], [value.value if value else 0 for value in shown])
        )
    assert left == [([*steps[:1]], [150, 0]), ([*steps[:1]], [50, 0]), ([], [0, 0])]


def wanted(name: str, day: int | None, anchor: str) -> Due:
    request = StorylineRequest(anchor=anchor, sources=(DatedSummary(day=None, summary="s"),))
    return Due(name, "f", Asked(request, {}), anchor, None if day is None else START + timedelta(days=day))


DUE = st.lists(st.tuples(st.none() | st.integers(0, 30), st.sampled_from("abcdefgh")), max_size=30)
WAITING = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3).map(lambda day: START + timedelta(days=day)))


@settings(max_examples=200)
@given(DUE, WAITING, st.integers(1, 12), st.randoms(use_true_random=False))
def test_each_part_is_the_oldest_whole_anchors_in_whatever_order_they_come(
    due: Any, waiting: dict[str, datetime], most: int, random: Any
) -> None:
    items = [wanted(f"{number:02}", day, anchor) for number, (day, anchor) in enumerate(due)]
    mixed = random.sample(items, len(items))
    now, left = oldest_first(items, most, waiting)
    assert (now, left) == oldest_first(mixed, most, waiting)
    assert sorted(item.id for item in now + left) == sorted(item.id for item in items)
    assert not {item.anchor_id for item in now} & {item.anchor_id for item in left}
    assert len(now) <= most or len({item.anchor_id for item in now}) == 1
    assert bool(now) == bool(items)
    never = datetime.max.replace(tzinfo=UTC)
    debts = [[waiting.get(item.anchor_id, never) for item in part] for part in (now, left)]
    assert not left or max(debts[0]) <= min(debts[1]), "what has waited longer is not behind"
    times = [[item.since or never for item in part if item.anchor_id not in waiting] for part in (now, left)]
    assert not all(times) or min(times[0]) <= min(times[1])
    assert oldest_first(items, None, waiting)[1] == []


def test_what_has_waited_a_month_comes_before_what_is_of_long_ago_and_due_since_today() -> None:
    of_long_ago, waiting = wanted("1", 0, "a"), wanted("2", 300, "b")
    assert oldest_first([of_long_ago, waiting], 1, {"b": START}) == ([waiting], [of_long_ago])
    assert oldest_first([of_long_ago, waiting], 1, {}) == ([of_long_ago], [waiting])
