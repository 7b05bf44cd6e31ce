"""Runs of several owners: through the command line, and after a prompt has changed."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.automation.pipeline import STEPS
from memory_assets.commands.runs import RunReport, job_for
from memory_assets.errors import MemoryAssetsError, ModelServiceError
from memory_assets.graph.graph import Graph
from memory_assets.llm.prompt_files import PACKAGE, parse_prompt, prompts
from memory_assets.llm.tasks import (
    DESCRIBE_SOURCE,
    EXTRACT_ENTITIES,
    NAME_MACRO,
    NAME_STORYLINE,
    NOTE_CONCEPTS,
    NOTE_ENTITIES,
    NOTE_PEOPLE,
    Extraction,
    MacroName,
    NotesTaken,
    SourceDescription,
    StorylineName,
)
from memory_assets.runtime.scope import RunScope, check_scope
from memory_assets_tests.support.house import House
from memory_assets_tests.support.installation import installation
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel, named, stated
from memory_assets_tests.support.storylines import first_words

TASKS = {
    "processed_sources": DESCRIBE_SOURCE,
    "extracted_entities": EXTRACT_ENTITIES,
    "notes": NOTE_CONCEPTS,
    "storylines": NAME_STORYLINE,
    "macros": NAME_MACRO,
}
pytestmark = pytest.mark.own_engine
DAYS = [("sails", f"2026-01-{day:02}") for day in range(1, 6)] + [
    ("mooring", f"2026-05-{day:02}") for day in range(10, 15)
]


def boat(task: str, payload: Any) -> Any:
    """Every source is about the boat, and about its sails or its mooring."""
    if task == DESCRIBE_SOURCE:
        topic = "sails" if "sails" in payload.turns[0].text else "mooring"
        return SourceDescription(summary=f"They talked of the {topic}.", keywords=(topic,), tags=("boat",))
    if task == NAME_STORYLINE:
        return StorylineName(title=f"{payload.anchor} {len(payload.sources)}", sentences=first_words(payload.sources))
    if task == NAME_MACRO:
        return MacroName(title=payload.anchor, sentences=first_words(payload.storylines))
    if task in (NOTE_PEOPLE, NOTE_CONCEPTS, NOTE_ENTITIES):
        return NotesTaken()
    said = stated(payload.turns[0].text, "Boat")
    return Extraction(entities=(named("concept", "Boat"),), statements=(said,))


@pytest.fixture
def house(graph: Graph, user: str, tmp_path: Path, instance: dg.DagsterInstance) -> House:
    return House(graph, tmp_path / "home", instance, user, ScriptedModel(boat), HashEmbedder())


def edited(task: str) -> Any:
    """A task's prompt after somebody has added a sentence to its file."""
    room, _, name = task.partition("/")
    text = (PACKAGE / room / "prompts" / f"{name}.md").read_text("utf-8")
    return parse_prompt(task, text.replace("--- user ---", "Be brief.\n--- user ---", 1))


@pytest.mark.slow
def test_after_one_prompts_change_a_run_redoes_that_step_alone(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    users = [house.user("ana"), house.user("ben")]
    for user, days in zip(users, (DAYS, DAYS[:1]), strict=True):
        for topic, day in days:
            house.ingest(user, f"{day} {topic}.md", f"On {day} {user} looked after the {topic} of the boat.")
    assert house.run("build_memory").success
    calls = {
        "processed_sources": (10, 1),
        "extracted_entities": (10, 1),
        "notes": (10, 1),
        "storylines": (2, 0),
        "macros": (1, 0),
    }

    def asked_for(*steps: str) -> Counter[tuple[str, str]]:
        return +Counter({(step, user): n for step in steps for user, n in zip(users, calls[step], strict=True)})

    assert house.asked() == asked_for(*TASKS)
    files = {user: (house.file(user).read_bytes(), house.file(user).stat().st_mtime_ns) for user in users}
    for step, task in TASKS.items():
        monkeypatch.setitem(prompts(), task, edited(task))
        assert [house.due(user) for user in users] == [[step], [step]]
        mark = house.models.ledger.last_call()
        assert house.run("build_memory").success
        assert house.asked(mark) == asked_for(step)
        assert [house.due(user) for user in users] == [[], []]
    assert files == {user: (house.file(user).read_bytes(), house.file(user).stat().st_mtime_ns) for user in users}


def test_a_step_that_was_stopped_on_its_way_is_due_though_its_prompt_is_as_it_was(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it had replaced until then would stand beside the rest for good."""
    ana = house.user("ana")
    house.ingest(ana, "2026-11-01 sails.md", "On 2026-11-01 the sails of the boat were mended.")
    assert house.run("build_memory").success and house.due(ana) == []

    with monkeypatch.context() as meanwhile:
        meanwhile.setitem(prompts(), DESCRIBE_SOURCE, edited(DESCRIBE_SOURCE))
        refusal = ModelServiceError("The key was refused.")
        meanwhile.setattr(house.models.language, "script", lambda task, payload: refusal)
        assert not house.run("build_memory").success
    assert house.due(ana) == ["processed_sources"]
    assert house.chain(ana).reason(ana, "processed_sources") == "the last run did not end"
    assert house.run("build_memory").success and house.due(ana) == []


@pytest.mark.slow
def test_one_run_builds_everybody_and_a_failing_owner_holds_up_nobody(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for owner in ("ana", "ben", "cleo", "team-garden"):
        (home / "inbox" / owner).mkdir(parents=True)
        (home / "inbox" / owner / "note.md").write_text(f"The Lighthouse lamp of {owner} was repaired by Tomasz Wilk.")
    (home / "files").mkdir()
    (home / "files" / "ben").write_text("Something of somebody's stands where the folder would be.")
    with installation(home) as house:
        done = house.run("materialize", "--json", code=1)
        reports = {report["user"]: report for report in json.loads(done.stdout)}
        assert {user: report["status"] for user, report in reports.items()} == {
            "team-garden": "done", "ana": "done", "ben": "failed", "cleo": "done",
        }  # fmt: skip
        assert len({report["run_id"] for report in reports.values()}) == 1, "one run for all"
        (failure,) = reports["ben"]["failures"]
        assert "must be a folder of yours" in failure
        assert "1 of 4 could not be built (ben)" in done.stderr
        for user in ("ana", "cleo"):
            assert reports[user]["failures"] == [] and user in house.memory_file(user).read_text()
        before = {user: house.memory_file(user).stat().st_mtime_ns for user in ("ana", "cleo")}

        (home / "files" / "ben").unlink()
        again = {report["user"]: report["status"] for report in house.json("materialize")}
        assert again == {"team-garden": "current", "ana": "current", "ben": "done", "cleo": "current"}
        assert "ben" in house.memory_file("ben").read_text()
        assert before == {user: house.memory_file(user).stat().st_mtime_ns for user in before}


@pytest.mark.parametrize(
    ("owners", "job"),
    [
        (["ana"], "build_memory"),
        (["team-garden"], "process_sources"),
        (["team-garden", "team-kitchen"], "process_sources"),
        (["team-garden", "ana"], "build_memory"),
    ],
)
def test_a_team_alone_has_no_memory_to_build(owners: list[str], job: str) -> None:
    assert job_for(owners) == job


def test_what_of_a_scope_is_meant_for_a_step() -> None:
    given = {
        "since": "2026-10-01",
        "until": "2026-11-01",
        "force": True,
        "retry": True,
        "with_team": True,
        "sources": ["s"],
    }
    whole = RunScope(owners=["ana"], **given)
    for_windows = {"since": "2026-10-01", "until": "2026-11-01", "force": True, "retry": True}
    meant = {
        "processed_sources": for_windows | {"sources": ["s"]},
        "extracted_entities": given,
        "notes": for_windows,
        "consolidated_memories": {"until": "2026-11-01"},
        **dict.fromkeys(
            (
                "statement_validity",
                "descriptions",
                "compressed_contexts",
                "storylines",
                "macros",
                "value_classifications",
                "memory_draft",
            ),
            {"force": True},
        ),
    }
    assert {step: whole.applied_to(spec) for step, spec in STEPS.items()} == {
        step: RunScope(owners=["ana"], **meant.get(step, {})) for step in STEPS
    }


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"since": "yesterday"}, "since: 'yesterday' is no instant: write it as 2026-10-31"),
        ({"owners": ["Maya"]}, "owners: 'Maya' cannot be a user id: use 1 to 64 characters"),
    ],
)
def test_a_scope_that_cannot_be_one_says_which_value_and_why(values: dict[str, Any], said: str) -> None:
    with pytest.raises(MemoryAssetsError, match=re.escape(said)):
        check_scope(values)


def test_what_failed_for_all_failed_for_each() -> None:
    report = RunReport("r", False, failures=("storylines: it is gone",), failed_for={"ben": ["check x: y"]})
    assert report.failures_of("ben") == ["storylines: it is gone", "check x: y"]
    assert report.failures_of("ana") == ["storylines: it is gone"]
    assert report.unfinished_of("ana") == ()
