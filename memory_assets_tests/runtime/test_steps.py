"""Whom a step works for, what stays due, and that nobody holds up anybody else: real assets on the real graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.automation.pipeline import STEPS
from memory_assets.errors import GraphUnavailableError, ModelError, ModelServiceError
from memory_assets.graph import query_files
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import (
    DESCRIBE_SOURCE,
    EXTRACT_ENTITIES,
    NOTE_CONCEPTS,
    NOTE_ENTITIES,
    NOTE_PEOPLE,
    Extraction,
    NotesTaken,
    SourceDescription,
)
from memory_assets.memory_file import drafts
from memory_assets.memory_file.user_files import default_of
from memory_assets.runtime.held_up import HELD_UP_CHECK
from memory_assets.runtime.partitions import EVERYBODY
from memory_assets.values.classify import classify_memories
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.house import House, in_partitions, materialized, values_of, verdicts
from memory_assets_tests.support.memory_files import make_draft
from memory_assets_tests.support.partitions import add_partitions
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel, named, stated

pytestmark = pytest.mark.own_engine
TEAMS_STEPS = ("raw_sources", "processed_sources")
# HEARTBEAT.md follows from tasks, which nobody here has.
RAW = "raw_sources"
OF_SOURCES = tuple(step for step in STEPS if step not in (RAW, "accesses", "curated_memories", "heartbeat_file"))
OF_RAW = ("processed_sources", "agent_records")
OF_EXTRACTION = tuple(step for step in OF_SOURCES if step not in (*OF_RAW, "recall_index"))
_SEEDS = {f"seed/{name}": query for name, query in query_files.load(Path(__file__).parent / "cypher").items()}
Script = Callable[[str, Any], Any]


def answer(task: str, payload: Any) -> Any:
    """What the scripted model says of any source."""
    if task == DESCRIBE_SOURCE:
        return SourceDescription(summary=f"About {payload.title}", keywords=("lamp",), tags=("work",))
    if task in (NOTE_PEOPLE, NOTE_CONCEPTS, NOTE_ENTITIES):
        return NotesTaken()
    assert task == EXTRACT_ENTITIES, "too few sources for a storyline"
    turn = payload.turns[0]
    wilk = named("person", "Tomasz Wilk", confidence=9)
    said = stated(turn.text, wilk.name, speaker=turn.speaker, turn=turn.index, durability=0.9, confidence=9)
    return Extraction(entities=(wilk,), statements=(said,))


class Storm:
    """A script that cannot cope with sources about a storm, until it has passed."""

    def __init__(self, error: Exception, task: str = EXTRACT_ENTITIES) -> None:
        self.error, self.task, self.passed = error, task, False

    def __call__(self, task: str, payload: Any) -> Any:
        if not self.passed and task == self.task and any("storm" in turn.text for turn in payload.turns):
            if isinstance(self.error, ModelError):
                return self.error
            raise self.error
        return answer(task, payload)


@pytest.fixture
def make_house(graph: Graph, user: str, tmp_path: Path, instance: dg.DagsterInstance) -> Callable[[Script], House]:
    def make(script: Script) -> House:
        return House(graph, tmp_path / "home", instance, user, ScriptedModel(script), HashEmbedder())

    return make


@pytest.fixture
def house(make_house: Callable[[Script], House]) -> House:
    return make_house(answer)


def fill(house: House, *names: str, about: str = "The lamp") -> list[str]:
    """Users with one source each."""
    users = [house.user(name) for name in names]
    for user in users:
        house.ingest(user, "2026-11-01 note.md", f"{about} was repaired by Tomasz Wilk for {user}.")
    return users


def failed_steps(result: dg.ExecuteInProcessResult) -> set[str]:
    return {event.step_key for event in result.all_events if event.is_step_failure}


def test_a_run_for_everybody_works_for_whom_something_is_due_and_says_for_whom(house: House) -> None:
    ana, ben = fill(house, "ana", "ben")
    team = house.team("garden", ana)
    house.ingest(team, "plan.md", "The garden has a plan.")
    result = house.run("build_memory")
    assert result.success
    for step in OF_SOURCES:
        assert materialized(result, step) == in_partitions([ana, ben] + [team] * (step in TEAMS_STEPS)), step
        assert house.chain(ana, ben).is_due(ana, step) is house.chain(ana, ben).is_due(ben, step) is False
    assert house.file(ana).is_file() and house.file(ben).is_file()
    assert "garden" in house.file(ana).read_text() and "garden" not in house.file(ben).read_text()

    house.ingest(ben, "another.md", "The mast was painted.")
    asked = house.models.ledger.last_call()
    result = house.run("build_memory")
    for step in OF_SOURCES:
        assert materialized(result, step) == in_partitions([ben]), step
    assert {user for _, user in house.asked(asked)} == {ben}
    (summary,) = [
        event.materialization.metadata
        for event in result.get_asset_materialization_events()
        if event.asset_key == dg.AssetKey("extracted_entities") and event.partition == EVERYBODY
    ]
    assert (summary["owners"].value, summary["owners_held_up"].value, summary["extracted"].value) == (1, 0, 1)

    asked = house.models.ledger.last_call()
    result = house.run("build_memory")
    assert {step: materialized(result, step) for step in STEPS} == dict.fromkeys(STEPS, [EVERYBODY])
    assert not house.asked(asked)


def test_whoever_fails_holds_up_nobody_else_and_is_due_again(make_house: Callable[[Script], House]) -> None:
    storm = Storm(RuntimeError("the answer of ana's secret has no form"))
    house = make_house(storm)
    ana, cleo = fill(house, "ana", "cleo")
    (ben,) = fill(house, "ben", about="In the storm the lamp")
    result = house.run("build_memory")
    assert result.success
    held = verdicts(result)
    assert {step for step, one in held.items() if not one.passed} == {"extracted_entities"}
    found = held["extracted_entities"]
    values = values_of(found)
    assert (found.severity, values["failed_for"], values["found"]) == (dg.AssetCheckSeverity.ERROR, ben, 1)
    assert values["what_to_do"] and "RuntimeError" in values["alert"] and "secret" not in values["alert"]
    assert materialized(result, "processed_sources") == in_partitions([ana, ben, cleo])
    for step in OF_EXTRACTION:
        assert materialized(result, step) == in_partitions([ana, cleo]), step
    assert house.file(ana).is_file() and house.file(cleo).is_file() and not house.file(ben).exists()
    assert [house.due(user) for user in (ana, ben, cleo)] == [[], ["extracted_entities"], []]

    storm.passed = True
    result = house.run("build_memory")
    assert materialized(result, "processed_sources") == [EVERYBODY]
    assert materialized(result, "memory_file") == in_partitions([ben])
    assert house.file(ben).is_file() and house.due(ben) == []
    assert all(one.passed for one in verdicts(result).values())


def test_a_published_file_stands_while_its_owner_is_held_up(make_house: Callable[[Script], House]) -> None:
    house = make_house(Storm(RuntimeError("it failed")))
    ana, ben = fill(house, "ana", "ben")
    house.run("build_memory")
    before = house.file(ben).read_bytes(), house.file(ben).stat().st_mtime_ns
    house.ingest(ana, "more.md", "The mast was painted.")
    house.ingest(ben, "more.md", "The storm has bent the mast.")
    result = house.run("build_memory")
    assert materialized(result, "memory_file") == in_partitions([ana])
    assert "mast" in house.file(ana).read_text()
    assert (house.file(ben).read_bytes(), house.file(ben).stat().st_mtime_ns) == before
    assert house.due(ben) == ["extracted_entities"]


def test_a_run_for_one_owner_alone_fails_with_the_owner(make_house: Callable[[Script], House]) -> None:
    house = make_house(Storm(RuntimeError("it failed")))
    (ben,) = fill(house, "ben", about="In the storm the lamp")
    result = house.run("build_memory", ben)
    assert not result.success
    assert failed_steps(result) == {"extracted_entities"}
    assert materialized(result, "processed_sources") == [ben]
    assert [materialized(result, step) for step in OF_EXTRACTION] == [[]] * len(OF_EXTRACTION)
    assert house.due(ben) == ["extracted_entities"]


@pytest.mark.parametrize("error", [ModelServiceError("The key was refused."), GraphUnavailableError("It is gone.")])
def test_what_stands_in_everybodys_way_ends_the_run(make_house: Callable[[Script], House], error: Exception) -> None:
    house = make_house(Storm(error))
    (ana,) = fill(house, "ana")
    (ben,) = fill(house, "ben", about="In the storm the lamp")
    (cleo,) = fill(house, "cleo")
    result = house.run("build_memory")
    assert not result.success
    assert failed_steps(result) == {"extracted_entities"}
    assert materialized(result, "extracted_entities") == [ana], "who came before has what was done"
    assert [house.due(user)[:1] for user in (ben, cleo)] == [["extracted_entities"]] * 2
    assert "extracted_entities" not in house.due(ana)
    assert not house.file(ana).exists()


def statements_of(house: House, user: str) -> int:
    return sum(row["memories"] for row in house.graph.read("entities/count_statements", user_id=user))


def test_a_source_that_the_model_refuses_is_left_and_what_else_there_is_goes_on(
    make_house: Callable[[Script], House],
) -> None:
    storm = Storm(ModelError("The answer was cut off."))
    house = make_house(storm)
    (ana,) = fill(house, "ana")
    house.ingest(ana, "storm.md", "The storm has bent the mast.")
    result = house.run("build_memory")
    assert result.success and verdicts(result)["extracted_entities"].passed
    assert not verdicts(result, "no_extraction_failed")["extracted_entities"].passed
    assert house.due(ana) == [], "the same question would get the same answer"
    assert statements_of(house, ana) == 1
    before = house.file(ana).read_bytes()
    again = house.run("build_memory")
    assert materialized(again, "extracted_entities") == [EVERYBODY]
    assert house.file(ana).read_bytes() == before
    storm.passed = True
    house.run("build_memory", scope={"retry": True})
    house.run("build_memory")
    assert house.due(ana) == [] and statements_of(house, ana) == 2


def test_the_configured_owners_are_the_only_ones(house: House) -> None:
    ana, ben = fill(house, "ana", "ben")
    result = house.run("build_memory", scope={"owners": [ben]})
    assert result.success
    assert {step: materialized(result, step) for step in (RAW, *OF_SOURCES)} == dict.fromkeys(
        (RAW, *OF_SOURCES), in_partitions([ben])
    )
    assert house.due(ana) == list(OF_RAW) and house.due(ben) == []


def test_an_owner_that_cannot_be_one_is_refused(house: House) -> None:
    result = house.run("form_storylines", scope={"owners": ["Not A Name"]})
    assert not result.success and not list(result.get_step_success_events()), "before work begins"
    assert failed_steps(house.run("form_storylines", "Not A Name")) == {"storylines"}


def test_a_run_that_names_no_partition_says_how_to_name_one(house: House) -> None:
    """As the UI's launchpad starts a job over both sets of partitions: without the tags of the job."""
    everything = house.definitions.resolve_implicit_global_asset_job_def()
    result = everything.execute_in_process(
        instance=house.instance, asset_selection=[dg.AssetKey("raw_sources")], raise_on_error=False
    )
    assert failed_steps(result) == {"raw_sources"}
    (failure,) = [event.step_failure_data for event in result.all_events if event.is_step_failure]
    assert (
        "dagster/partition" in failure.user_failure_data.description
        and EVERYBODY in failure.user_failure_data.description
    )


def test_force_redoes_what_is_current(house: House) -> None:
    ana, ben = fill(house, "ana", "ben")
    house.run("build_memory")
    asked = house.models.ledger.last_call()
    result = house.run("build_memory", scope={"force": True})
    assert result.success
    for step in (name for name, spec in STEPS.items() if "force" in spec.takes):
        assert materialized(result, step) == in_partitions([ana, ben]), step
    assert materialized(result, "memory_file") == [EVERYBODY], "the same draft is published already"
    redone = {(asset, user) for asset in ("processed_sources", "extracted_entities", "notes") for user in (ana, ben)}
    assert set(house.asked(asked)) == redone
    assert house.due(ana) == house.due(ben) == []


def test_a_window_leaves_the_step_due_for_what_lies_outside(house: House) -> None:
    ana = house.user("ana")
    house.ingest(ana, "2026-09-01 early.md", "The lamp was ordered.")
    house.ingest(ana, "2026-11-01 late.md", "The lamp was repaired.")
    assert house.run("build_memory", scope={"since": "2026-10-01"}).success
    assert "repaired" in house.file(ana).read_text() and "ordered" not in house.file(ana).read_text()
    assert house.due(ana) == ["processed_sources", "extracted_entities", "notes"]
    assert house.chain(ana).reason(ana, "processed_sources") == "the last run left something unfinished"
    house.run("build_memory")
    assert house.due(ana) == []
    assert "ordered" in house.file(ana).read_text()


@pytest.mark.parametrize("during", [DESCRIBE_SOURCE, EXTRACT_ENTITIES])
def test_what_arrives_while_a_run_is_at_work_is_due_afterwards(
    make_house: Callable[[Script], House], during: str
) -> None:
    arrived: list[str] = []

    def slow(task: str, payload: Any) -> Any:
        if task == during and not arrived:
            arrived.append("more.md")
            house.ingest(ana, "more.md", "The mast was painted.")
        return answer(task, payload)

    house = make_house(slow)
    (ana,) = fill(house, "ana")
    house.run("build_memory")
    due = OF_RAW if during == EXTRACT_ENTITIES else OF_RAW[:1]  # records are read after sources were described
    assert arrived and house.due(ana) == list(due)
    assert "mast" not in house.file(ana).read_text()
    house.run("build_memory")
    assert house.due(ana) == [] and "mast" in house.file(ana).read_text()


def test_files_in_an_inbox_are_read_for_whoever_has_them(house: House) -> None:
    (ana,) = fill(house, "ana")
    ben = house.user("ben")
    house.write(ben, "note.md", "The lamp was repaired.")
    add_partitions(house.instance, [ben])
    result = house.run("update_memory")
    assert materialized(result, "raw_sources") == in_partitions([ana, ben]), "hers was never looked into"
    assert materialized(result, "memory_file") == in_partitions([ana, ben])
    assert materialized(house.run("update_memory"), "raw_sources") == [EVERYBODY]


def test_a_sensitivity_reaches_files_of_several_owners_that_were_read_before(house: House) -> None:
    ana, ben = house.user("ana"), house.user("ben")
    for user in (ana, ben):
        house.write(user, "2026-11-18 log.md", "# Log\n\nThe lens was polished.\n")
    assert house.run("ingest_sources").success
    assert house.run("ingest_sources", scope={"owners": [ana, ben]}, config={"sensitivity": "high"}).success
    for user in (ana, ben):
        found = [
            row["properties"]["sensitivity"]
            for row in export_user(house.graph, user)
            if "Source" in row.get("labels", ())
        ]
        assert found == ["high"], user


def test_a_range_of_partitions_is_one_run_in_which_nobody_holds_up_the_other(
    make_house: Callable[[Script], House],
) -> None:
    house = make_house(Storm(RuntimeError("it failed")))
    (ana,) = fill(house, "ana")
    (ben,) = fill(house, "ben", about="In the storm the lamp")
    (cleo,) = fill(house, "cleo")
    result = house.run_range("build_memory", ana, ben)
    assert result.success
    assert house.due(ana) == [] and house.file(ana).is_file()
    assert house.due(ben) == ["extracted_entities"] and not house.file(ben).exists()
    assert house.due(cleo) == list(OF_RAW)
    assert materialized(result, "memory_file") == [ana]
    assert values_of(verdicts(result)["extracted_entities"])["failed_for"] == ben
    values = {
        event.partition: {name: value.value for name, value in event.materialization.metadata.items()}
        for event in result.get_asset_materialization_events()
        if event.asset_key == dg.AssetKey("extracted_entities")
    }
    assert set(values) == {ana} and values[ana]["extracted"] == 1


def test_a_teams_partition_has_its_sources_and_nothing_else(house: House) -> None:
    ana = house.user("ana")
    team = house.team("garden", ana)
    house.ingest(team, "plan.md", "The garden has a plan.")
    result = house.run("process_sources", team)
    assert result.success
    made = {step: materialized(result, step) for step in STEPS}
    assert made == {step: [team] if step in TEAMS_STEPS else [] for step in STEPS}
    assert house.due(team) == []
    assert house.run("process_sources", team).success, "again, with nothing to do"
    refused = house.run("build_memory", team)
    assert not refused.success and {
        event.asset_key.path[-1] for event in refused.get_asset_materialization_events()
    } <= {*TEAMS_STEPS}


def test_a_name_that_nobody_has_is_refused_and_leaves_no_partition(house: House) -> None:
    maya = house.user("maya")
    house.ingest(maya, "note.md", "The lamp was repaired.")
    house.run("build_memory")
    nobody = house.user("mya")
    for job, partition, scope in (
        ("build_memory", nobody, {}),
        ("form_storylines", nobody, {}),
        ("build_memory", EVERYBODY, {"owners": [nobody]}),
    ):
        result = house.run(job, partition, scope=scope)
        assert not result.success and not list(result.get_asset_materialization_events())
        (failure, *_) = [event for event in result.all_events if event.is_step_failure]
        assert f"Nothing is known of '{nobody}'; did you mean {maya}?" in str(failure.step_failure_data.error)
        assert nobody not in {
            *house.instance.get_dynamic_partitions("owners"),
            *house.instance.get_dynamic_partitions("users"),
        }
    assert not house.file(nobody).exists() and not (house.settings.inbox / nobody).exists()


def test_a_partition_of_nobody_is_gone_after_a_run_for_everybody_and_nothing_was_made_for_it(house: House) -> None:
    (ana,) = fill(house, "ana")
    add_partitions(house.instance, [house.user("nobody")])
    result = house.run("build_memory")
    assert result.success
    assert materialized(result, "memory_file") == in_partitions([ana])
    assert house.user("nobody") not in house.instance.get_dynamic_partitions("owners")


def test_a_run_says_in_its_tags_for_whom_it_works(house: House) -> None:
    fill(house, *"abcdefg")
    result = house.run("process_sources")
    names = ", ".join(house.user(name) for name in "abcde")
    tags = house.instance.get_run_by_id(result.run_id).tags
    assert tags["memory_assets/for"] == f"{names} and 2 more"


# Judging.


def drafted(house: House, name: str, *, tampered: bool) -> World:
    """A user with a published file, and a newer draft that is whole or not; the draft's step is due."""
    world = World(house.graph, house.user(name), house.settings)
    house.graph._queries = {**house.graph._queries, **_SEEDS}
    world.add_statement(f"Caroline prefers the cello of {world.user}.", world.add_source("cello"))
    classify_memories(world.graph, world.user, world.now)
    make_draft(world.graph, world.user, world.now)
    drafts.publish_draft(world.graph, default_of(world.user, world.path), world.now)
    world.add_statement(f"Caroline keeps bees near {world.user}.", world.add_source("bees"))
    house.made(world.user, "processed_sources", "extracted_entities")
    classify_memories(world.graph, world.user, world.now)
    make_draft(world.graph, world.user, world.now)
    if tampered:
        text = drafts.read_draft(world.graph, default_of(world.user)).text
        world.graph.write("seed/set_draft_text", user_id=world.user, text=f"{text}- [999999999] An invention.\n")
    (house.settings.inbox / world.user).mkdir(parents=True, exist_ok=True)
    return world


def test_a_draft_that_fails_for_one_of_several_is_refused_alone(house: House) -> None:
    ana, ben = drafted(house, "ana", tampered=False), drafted(house, "ben", tampered=True)
    before = ben.path.read_bytes()
    result = house.run("update_memory")
    assert result.success
    gate = verdicts(result, "entries_are_whole_and_explained")["memory_draft"]
    assert (gate.passed, gate.severity) == (False, dg.AssetCheckSeverity.WARN), "it must not stop the others"
    values = values_of(gate)
    assert (values["failed_for"], values["judged"]) == (ben.user, f"{ana.user}, {ben.user}")
    assert values["found"] >= 1 and values["what_to_do"] and "invention" not in values["alert"]
    held = verdicts(result)["memory_file"]
    assert (held.passed, values_of(held)["failed_for"]) == (False, ben.user)
    assert "An invention" not in values_of(held)["alert"]
    assert "bees" in ana.path.read_text() and ben.path.read_bytes() == before
    steps = ("memory_draft", "memory_file")
    assert house.due(ana.user, steps) == [] and house.due(ben.user, steps) == ["memory_file"]


def test_a_draft_that_fails_in_its_owners_own_run_blocks_the_file(house: House) -> None:
    ben = drafted(house, "ben", tampered=True)
    before = ben.path.read_bytes()
    result = house.run("update_memory", ben.user)
    assert not result.success
    gate = verdicts(result, "entries_are_whole_and_explained")["memory_draft"]
    assert (gate.passed, gate.severity) == (False, dg.AssetCheckSeverity.ERROR)
    started = {event.step_key for event in result.all_events if event.is_step_start}
    assert "memory_draft" in started and "memory_file" not in started
    assert ben.path.read_bytes() == before
    assert "memory_file" in house.due(ben.user)


def test_a_draft_that_fails_in_a_run_for_everybody_stops_nobody_and_is_refused(house: House) -> None:
    ben = drafted(house, "ben", tampered=True)
    before = ben.path.read_bytes()
    result = house.run("update_memory")
    gate = verdicts(result, "entries_are_whole_and_explained")["memory_draft"]
    assert (gate.passed, gate.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert values_of(verdicts(result)["memory_file"])["failed_for"] == ben.user
    assert ben.path.read_bytes() == before


def test_a_failed_check_does_not_turn_green_because_somebody_else_was_judged(house: House) -> None:
    ben, ana = drafted(house, "ben", tampered=True), drafted(house, "ana", tampered=False)
    house.run("update_memory", ben.user)
    result = house.run("update_memory", ana.user)
    assert result.success, "it is not hers, so it blocks nothing of hers"
    gate = verdicts(result, "entries_are_whole_and_explained")["memory_draft"]
    values = values_of(gate)
    assert (gate.passed, values["failed_for"], gate.severity) == (False, ben.user, dg.AssetCheckSeverity.WARN)
    mended = house.run("build_memory", ben.user, scope={"force": True})
    assert verdicts(mended, "entries_are_whole_and_explained")["memory_draft"].passed


def test_checks_judge_whom_their_run_has_worked_for_in_one_evaluation(house: House) -> None:
    ana, ben = fill(house, "ana", "ben")
    house.run("build_memory")
    house.ingest(ben, "more.md", "The mast was painted.")
    result = house.run("build_memory")
    judged = {
        one.check_name: values_of(one)["judged"]
        for one in result.get_asset_check_evaluations()
        if "judged" in one.metadata and "looked_at" not in one.metadata
    }
    assert len(judged) > 10 and set(judged.values()) == {ben}
    assert "every_inbox_file_is_a_source_or_set_aside" not in judged, "the run has made nothing that it is about"
    nothing = house.run("build_memory")
    assert all(
        "looked_at" in one.metadata for one in nothing.get_asset_check_evaluations() if one.check_name != HELD_UP_CHECK
    )


def test_a_check_that_is_launched_by_itself_judges_everybody(house: House) -> None:
    ana, ben = fill(house, "ana", "ben")
    house.run("update_memory", scope={"owners": [ana, ben]})
    add_partitions(house.instance, [ana, ben])
    checks = dg.AssetSelection.checks_for_assets("memory_draft") - dg.AssetSelection.checks(
        dg.AssetCheckKey(dg.AssetKey("memory_draft"), "no_owner_was_held_up")
    )
    job = dg.define_asset_job("judge_drafts", selection=checks)
    definitions = dg.Definitions.merge(house.definitions, dg.Definitions(jobs=[job]))
    result = definitions.resolve_job_def("judge_drafts").execute_in_process(instance=house.instance)
    assert result.success
    judged = {one.check_name: values_of(one)["judged"] for one in result.get_asset_check_evaluations()}
    assert len(judged) == 5 and set(judged.values()) == {f"{ana}, {ben}"}
