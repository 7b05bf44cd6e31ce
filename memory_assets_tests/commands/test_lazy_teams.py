"""A team's sources are extracted for whom they are wanted, and what was extracted stays: real assets, real graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.clock import to_iso
from memory_assets.commands.runs import RunReport
from memory_assets.commands.sources import find_source, retry_failures
from memory_assets.entities.team_sources import list_unrequested, request_sources
from memory_assets.errors import ModelError, ModelUnavailableError, UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import (
    DESCRIBE_SOURCE,
    EXTRACT_ENTITIES,
)
from memory_assets.runtime.partitions import EVERYBODY
from memory_assets.sources.source_list import count_failures, failures, latest_first, lines, list_heads, phase_of
from memory_assets_tests.runtime.test_steps import answer
from memory_assets_tests.support.house import House, materialized
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel

pytestmark = pytest.mark.own_engine
EXTRACTION = {"with_team": True}


class Answers:
    """A scripted model that fails on sources about a storm with the errors that a test sets, by task."""

    def __init__(self) -> None:
        self.errors: dict[str, Exception] = {}

    def __call__(self, task: str, payload: Any) -> Any:
        error = self.errors.get(task)
        if error is not None and any("storm" in turn.text for turn in payload.turns):
            if isinstance(error, ModelError):
                return error
            raise error
        return answer(task, payload)


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def house(graph: Graph, user: str, tmp_path: Path, instance: dg.DagsterInstance, answers: Answers) -> House:
    return House(graph, tmp_path / "home", instance, user, ScriptedModel(answers), HashEmbedder())


def phases(house: House, user: str) -> dict[str, str]:
    """How far each source has come for a user, by its file's name."""
    owners = [user, *house.chain(user).teams.get(user, ())]
    found = lines(house.graph, latest_first(list_heads(house.graph, owners, user)))
    return {Path(line["path"]).name: line["phase"] for line in found}


def source_ids(house: House, owner: str) -> dict[str, str]:
    return {Path(line["path"]).name: line["id"] for line in lines(house.graph, list_heads(house.graph, [owner], None))}


def runner(house: House) -> Callable[..., RunReport]:
    """Runs jobs of the house as ``run_job`` does the installation's."""

    def run(instance: Any, job: str, owners: list[str], *, config: Any = None) -> RunReport:
        alone = len(owners) == 1
        scope = {} if alone else {"owners": list(owners)}
        result = house.run(job, owners[0] if alone else EVERYBODY, scope=scope, config=config)
        return RunReport(result.run_id, result.success)

    return run


def test_a_team_source_is_extracted_for_whoever_wants_it_and_for_nobody_else(house: House) -> None:
    ana, ben, eve = (house.user(name) for name in ("ana", "ben", "eve"))
    team = house.team("garden", ana, ben)
    house.ingest(team, "plan.md", "The garden has a plan.")
    house.ingest(team, "shed.md", "The shed has a door.")
    house.ingest(ana, "own.md", "The lamp was repaired.")
    house.ingest(eve, "eve.md", "The mast was painted.")
    assert house.run("build_memory").success
    assert phases(house, ana) == {"own.md": "extracted", "plan.md": "processed", "shed.md": "processed"}
    assert [house.due(owner) for owner in (team, ana, ben)] == [[], [], []], "what nobody wants is not due"

    plan = source_ids(house, team)["plan.md"]
    assert request_sources(house.graph, ana, [plan], house.settings.clock.now()) == [plan]
    assert request_sources(house.graph, eve, [plan], house.settings.clock.now()) == [], "not hers to read"
    assert [house.due(owner) for owner in (ana, ben, eve)] == [["extracted_entities"], [], []]
    opened = house.run("open_sources", ana, scope={"sources": [plan]})
    assert opened.success and materialized(opened, "extracted_entities") == [ana]
    assert phases(house, ana) == {"own.md": "extracted", "plan.md": "extracted", "shed.md": "processed"}
    assert phases(house, ben) == {"plan.md": "processed", "shed.md": "processed"}
    follows = ["statement_validity", "notes", "compressed_contexts", "memory_states"]
    assert house.due(ana) == follows, "what follows learns of it"
    assert house.run("build_memory").success and house.due(ana) == []
    assert "garden has a plan" in house.file(ana).read_text()
    with pytest.raises(UnknownReferenceError, match=f"No source '{plan}' is known to {eve}"):
        find_source(house.graph, eve, plan)
    assert find_source(house.graph, ana, plan)["turns"][0]["text"] == "The garden has a plan."


def test_with_team_extracts_all_of_it_once_and_without_it_nothing_is_lost(house: House) -> None:
    ana, ben = house.user("ana"), house.user("ben")
    team = house.team("garden", ana, ben)
    house.ingest(team, "plan.md", "The garden has a plan.")
    house.ingest(team, "shed.md", "The shed has a door.")
    assert house.run("build_memory").success
    assert len(list_unrequested(house.graph, ana)) == 2
    assert house.run("build_memory", ana, scope=EXTRACTION).success
    assert list_unrequested(house.graph, ana) == [] and len(list_unrequested(house.graph, ben)) == 2
    assert house.due(ana) == []
    asked, before = house.models.ledger.last_call(), house.file(ana).read_bytes()
    assert house.run("build_memory", ana).success and house.run("build_memory", ana, scope=EXTRACTION).success
    assert not house.asked(asked) and house.file(ana).read_bytes() == before and house.due(ana) == []
    assert phases(house, ana) == dict.fromkeys(("plan.md", "shed.md"), "extracted")
    assert phases(house, ben) == dict.fromkeys(("plan.md", "shed.md"), "processed")

    house.ingest(team, "late.md", "The kale came late.")
    assert house.run("build_memory").success
    assert phases(house, ana)["late.md"] == "processed", "it was asked for once, and not for ever"
    result = house.run("build_memory", scope=EXTRACTION)
    assert result.success and phases(house, ana)["late.md"] == phases(house, ben)["plan.md"] == "extracted"
    assert house.due(ana) == house.due(ben) == []


def test_what_waits_is_due_at_its_time_and_what_is_set_aside_is_not(house: House, answers: Answers) -> None:
    ana, ben = house.user("ana"), house.user("ben")
    for user, error in ((ana, ModelUnavailableError("Come back later.")), (ben, ModelError("It declined."))):
        answers.errors = {DESCRIBE_SOURCE: error}
        house.ingest(user, "storm.md", "The storm has bent the mast.")
        house.ingest(user, "lamp.md", "The lamp was repaired.")
        assert house.run("build_memory", user).success
        assert phases(house, user) == {"lamp.md": "extracted", "storm.md": "raw"}
        assert house.due(user) == []
        (line,) = failures(house.graph, [user], user)
        assert (line["phase"], line["reason"]) == ("raw", str(error))
    assert count_failures(house.graph, [ana, ben]) == {ana: 1, ben: 1}
    chain = house.chain(ana, ben)
    later = replace(chain, now=chain.now.replace(hour=chain.now.hour + 1))
    assert later.is_due(ana, "processed_sources") and not later.is_due(ben, "processed_sources")
    assert "T" in (to_iso(later.now) or "")


@pytest.mark.parametrize("step", ["processed_sources", "extracted_entities"])
def test_a_step_that_is_stopped_keeps_what_came_before_and_goes_on_from_there(
    house: House, answers: Answers, step: str
) -> None:

    ana = house.user("ana")
    house.ingest(ana, "storm.md", "The storm has bent the mast.")
    answers.errors = {{"processed_sources": DESCRIBE_SOURCE}.get(step, EXTRACT_ENTITIES): KeyboardInterrupt()}
    assert not house.run("build_memory", ana).success
    assert phases(house, ana) == {"storm.md": "raw" if step == "processed_sources" else "processed"}
    answers.errors = {}
    asked = house.models.ledger.last_call()
    assert house.run("build_memory", ana).success
    assert phases(house, ana) == {"storm.md": "extracted"} and house.due(ana) == []
    done = {asset for asset, _ in house.asked(asked)}
    assert done == {"processed_sources", "extracted_entities", "notes"} - (
        {"processed_sources"} if step != "processed_sources" else set()
    )


def test_a_retry_takes_up_files_processing_and_extraction_and_says_what_passed(
    house: House, answers: Answers, tmp_path: Path
) -> None:

    ana, ben, eve = (house.user(name) for name in ("ana", "ben", "eve"))
    answers.errors = {DESCRIBE_SOURCE: ModelError("It declined.")}
    house.ingest(ana, "storm.md", "The storm has bent the mast.")
    house.run("build_memory", ana)
    answers.errors = {EXTRACT_ENTITIES: ModelError("It is not an answer.")}
    house.ingest(ben, "storm.md", "The storm has bent the mast.")
    house.run("build_memory", ben)
    house.ingest(eve, "empty.md", "")
    house.ingest(eve, "gone.md", "")
    place = house.settings.home / "elsewhere" / eve
    (place / "gone.md").unlink()
    (place / "empty.md").write_text("No longer empty: the kale came.", encoding="utf-8")

    def retry() -> tuple[list[str], list[str], list[str]]:
        owners = [ana, ben, eve]
        report = retry_failures(house.instance, house.graph, house.settings, owners, None, runner(house))
        return tuple(  # type: ignore[return-value]
            sorted(Path(line["path"]).name for line in found) for found in (report.passed, report.failed, report.gone)
        )

    assert retry() == (["empty.md"], ["storm.md", "storm.md"], ["gone.md"])
    assert [line["reason"] for line in failures(house.graph, [ana, ben, eve], None)] == ["It is not an answer."] * 2
    assert phases(house, eve) == {"empty.md": "extracted"}
    answers.errors = {}
    assert retry() == (["storm.md", "storm.md"], [], [])
    assert phases(house, ana) == phases(house, ben) == {"storm.md": "extracted"}
    assert all("storm" in house.file(user).read_text() for user in (ana, ben)), "what follows has learned of it"
    assert retry() == ([], [], [])
    assert house.due(ben) == []


@pytest.mark.parametrize(
    ("status", "is_described", "extraction", "phase"),
    [
        ("raw", False, None, "raw"),
        ("raw", True, "extracted", "raw"),  # it has grown since
        ("failed", False, None, "raw"),
        ("failed", True, None, "processed"),
        ("failed", True, "extracted", "extracted"),
        ("processed", True, None, "processed"),
        ("processed", True, "wanted", "processed"),
        ("processed", True, "failed", "processed"),
        ("processed", True, "extracted", "extracted"),
        ("extracted", True, "failed", "processed"),
        ("extracted", True, "extracted", "extracted"),
    ],
)
def test_a_source_is_as_far_as_what_stands_of_it(
    status: str, is_described: bool, extraction: str | None, phase: str
) -> None:
    assert phase_of(status, is_described, extraction) == phase
