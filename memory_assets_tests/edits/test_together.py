"""Edits of likes and tasks that were said together, and of what is left of a memory: real assets on the real graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.edits.reports import edit_list
from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import EXTRACT_ENTITIES
from memory_assets.memory_file.render import references_in
from memory_assets_tests.edits.edited_house import (
    actions,
    answer,
    explain,
    line_with,
    replace,
    steps,
    text,
    undo_edit,
)
from memory_assets_tests.support.house import House
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel

pytestmark = pytest.mark.graph

LIKES = ("I prefer green tea in the morning.", "I prefer the window seat on trains.", "I prefer oil paint to chalk.")
TASKS = ("I need to tune the cello.", "I need to oil the garden gate.", "I need to call the plumber.")
HOME = "I live in Boston and I'm vegetarian."


def _as_tasks(task: str, payload: Any) -> Any:
    answered = answer(task, payload)
    if task != EXTRACT_ENTITIES:
        return answered
    kinds = [
        one.model_copy(update={"content_type": "task"}) if one.text.startswith("I need to") else one
        for one in answered.statements
    ]
    return answered.model_copy(update={"statements": tuple(kinds)})


@pytest.fixture
def house(graph: Graph, user: str, tmp_path: Path, instance: dg.DagsterInstance) -> House:
    return House(graph, tmp_path / "home", instance, user, ScriptedModel(_as_tasks), HashEmbedder())


def _say(house: House, user: str, day: int, *said: str) -> None:
    turns = [
        {"role": "user", "content": words, "timestamp": f"2026-11-{day:02}T09:{minute:02}:00Z"}
        for minute, words in enumerate(said)
    ]
    house.ingest(user, f"talk{day}.jsonl", "".join(json.dumps(turn) + "\n" for turn in turns))


def test_of_what_was_said_together_each_is_edited_by_its_own_line(house: House) -> None:
    ana = house.user("ana")
    _say(house, ana, 2, *LIKES, *TASKS)
    steps(house, ana)
    published = {one: line_with(house, ana, one) for one in (*LIKES, *TASKS)}
    assert len({references_in(line)[0] for line in published.values()}) == len(published)
    assert all(line == f"- {one} [{references_in(line)[0]}]" for one, line in published.items() if one in LIKES)
    assert all(
        line == f"- 2 November: {one} [{references_in(line)[0]}]" for one, line in published.items() if one in TASKS
    )
    replace(house, ana, f"{published[LIKES[0]]}\n", "")
    replace(house, ana, "window", "aisle")
    replace(house, ana, f"{published[TASKS[1]]}\n", "")
    replace(house, ana, "plumber", "roofer")
    steps(house, ana)
    changed = {LIKES[1]: "I prefer the aisle seat on trains.", TASKS[2]: "2 November 2026: I need to call the roofer."}
    assert actions(house, ana) == {
        LIKES[0]: "retired",
        TASKS[1]: "retired",
        **dict.fromkeys(changed, "superseded"),
        **dict.fromkeys(changed.values(), "added"),
    }
    after = text(house, ana)
    assert all(after.count(one) == 1 for one in (LIKES[2], TASKS[0], changed[LIKES[1]], "I need to call the roofer."))
    assert not any(one in after for one in (LIKES[0], TASKS[1], *changed))
    steps(house, ana)
    assert text(house, ana) == after, "the next run changes nothing"


def test_lines_that_somebody_has_made_one_are_one_memory(house: House) -> None:
    ana = house.user("ana")
    _say(house, ana, 2, *TASKS)
    steps(house, ana)
    first, second = (line_with(house, ana, one) for one in TASKS[:2])
    replace(house, ana, f"{second}\n", "")
    replace(house, ana, first, first.replace(TASKS[0], f"{TASKS[0]} And oil the gate."))
    steps(house, ana)
    after = text(house, ana)
    assert after.count("I need to tune the cello. And oil the gate. [") == 1
    assert TASKS[1] not in after and after.count(TASKS[2]) == 1
    assert sorted(actions(house, ana).values()) == ["added", "retired", "superseded"]


def test_a_task_can_be_ticked_off_or_struck_out(house: House) -> None:
    ana = house.user("ana")
    _say(house, ana, 2, *TASKS)
    steps(house, ana)
    replace(house, ana, TASKS[1], f"[x] {TASKS[1]}")
    replace(house, ana, TASKS[2], f"~~{TASKS[2]}~~")
    steps(house, ana)
    tasks = text(house, ana).partition("## Active Tasks")[2].partition("\n## ")[0]
    assert TASKS[0] in tasks and TASKS[1] not in tasks and TASKS[2] not in text(house, ana)
    assert actions(house, ana) == {
        TASKS[1]: "superseded",
        TASKS[2]: "retired",
        f"2 November 2026: [x] {TASKS[1]}": "added",
    }


def test_what_is_left_of_a_memory_can_be_edited_and_given_back(house: House) -> None:
    ana = house.user("ana")
    _say(house, ana, 2, "Good morning.", HOME)
    _say(house, ana, 5, "I've moved to Denver.")
    steps(house, ana)
    assert "Boston" not in text(house, ana) and "I'm vegetarian. [" in text(house, ana)
    (cut,) = references_in(line_with(house, ana, "I'm vegetarian."))
    explained = explain(house.graph, ana, cut)
    assert (explained["text"], explained["whole"]) == ("I'm vegetarian.", HOME)
    later = explain(house.graph, ana, explained["rest_superseded_by"])
    assert "Denver" in later["text"] and "rest_superseded_by" not in later
    published = text(house, ana)
    steps(house, ana)
    assert text(house, ana) == published
    replace(house, ana, "I'm vegetarian.", "I eat fish on Fridays.")
    steps(house, ana)
    assert "vegetarian" not in text(house, ana) and "Boston" not in text(house, ana)
    assert actions(house, ana) == {"I'm vegetarian.": "superseded", "2 November 2026: I eat fish on Fridays.": "added"}
    old = next(row for row in edit_list(house.graph, ana) if row["action"] == "superseded")
    undo_edit(house.graph, ana, old["id"], house.settings.clock.now())
    steps(house, ana)
    assert "I'm vegetarian. [" in text(house, ana)
    assert "Boston" not in text(house, ana) and "fish" not in text(house, ana)
    replace(house, ana, "I'm vegetarian.", "")
    steps(house, ana)
    assert "vegetarian" not in text(house, ana) and "Boston" not in text(house, ana)
