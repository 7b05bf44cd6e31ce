"""What the UI's pages show after each way of running: the latest event of each partition, who failed, what is in
sync.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest
from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value

from memory_assets.automation.history import runs_to_go
from memory_assets.automation.installation import confirm_everybody
from memory_assets.automation.pipeline import STEPS as PIPELINE
from memory_assets.clock import Clock
from memory_assets.errors import ModelError, ModelServiceError
from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import DESCRIBE_SOURCE
from memory_assets.runtime.events import last_evaluation, said
from memory_assets.runtime.held_up import HELD_UP_CHECK, HELD_UP_TAG, RECORD_TAG
from memory_assets.runtime.partitions import EVERYBODY
from memory_assets_tests.runtime.test_steps import Storm, fill
from memory_assets_tests.support.house import House, materialized, values_of, verdicts
from memory_assets_tests.support.instances import instance_on_files
from memory_assets_tests.support.partitions import add_partitions
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel

pytestmark = pytest.mark.own_engine
STEPS = tuple(step for step in PIPELINE if step not in ("accesses", "curated_memories", "heartbeat_file"))
EXTRACTED = dg.AssetKey("extracted_entities")
HELD_UP = dg.AssetCheckKey(EXTRACTED, HELD_UP_CHECK)
IN_A_YEAR = Clock().now() + timedelta(days=365)
Pages = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """On files, as an installation's is: the index of events and the events of a run are apart."""
    (tmp_path / "dagster").mkdir()
    with instance_on_files(tmp_path / "dagster") as opened:
        yield opened


@pytest.fixture
def storm() -> Storm:
    return Storm(RuntimeError("the lamp is wet"))


@pytest.fixture
def house(graph: Graph, user: str, tmp_path: Path, instance: dg.DagsterInstance, storm: Storm) -> House:
    return House(graph, tmp_path / "home", instance, user, ScriptedModel(storm), HashEmbedder())


def page(house: House, step: str, partition: str) -> dict[str, Any]:
    """The metadata that the page of a partition shows: that of its latest event."""
    wanted = dg.AssetRecordsFilter(asset_key=dg.AssetKey(step), asset_partitions=[partition])
    records = house.instance.fetch_materializations(wanted, limit=1).records
    assert records, f"{step} of {partition} was never materialized"
    found = records[0].asset_materialization
    assert found
    return {name: value.value for name, value in found.metadata.items()}


def pages(house: House, *partitions: str) -> Pages:
    return {(step, name): page(house, step, name) for step in STEPS for name in partitions}


def looked_at(before: Pages, after: Pages) -> bool:
    """Whether each page shows what it did before, and that it was looked at since."""
    assert all(shown["looked_at"].endswith("nothing was due") for shown in after.values())
    return [without_the_look(shown) for shown in after.values()] == [
        without_the_look(shown) for shown in before.values()
    ]


def without_the_look(shown: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in shown.items() if name != "looked_at"}


def failed(house: House, step: str = "extracted_entities") -> set[str]:
    """The partitions of an asset that the UI counts as failed."""
    partitions = house.definitions.resolve_asset_graph().get(dg.AssetKey(step)).partitions_def
    assert isinstance(partitions, dg.DynamicPartitionsDefinition)
    found = get_and_update_asset_status_cache_value(house.instance, dg.AssetKey(step), partitions)
    assert found
    return set(found.deserialize_failed_partition_subsets(partitions).get_partition_keys())


def held_up(house: House) -> tuple[bool, str | None]:
    """What the check's page shows: whether it has passed, and whom it names."""
    evaluation = last_evaluation(house.instance, HELD_UP)
    assert evaluation
    return evaluation.passed, said(evaluation, "failed_for")


def unsynced(house: House, *partitions: str) -> set[tuple[str, str]]:
    """The partitions that the UI calls unsynced."""
    resolver = CachingStaleStatusResolver(
        house.instance, house.definitions.resolve_asset_graph(), LoadingContextForTest(house.instance)
    )
    return {
        (step, name)
        for step in STEPS
        for name in partitions
        if resolver.get_status(dg.AssetKey(step), name) != StaleStatus.FRESH
    }


def with_inboxes(house: House, *names: str) -> list[str]:
    """Users with one file each in their inboxes, and with partitions."""
    users = [house.user(name) for name in names]
    for user in users:
        house.write(user, "2026-11-01 note.md", f"The lamp was repaired by Tomasz Wilk for {user}.")
    add_partitions(house.instance, [EVERYBODY, *users])
    return users


def test_a_run_that_finds_nothing_due_empties_no_page(house: House) -> None:
    ana, ben = with_inboxes(house, "ana", "ben")
    house.run("build_memory")
    before = pages(house, ana, ben)
    assert all("seconds" in shown for shown in before.values())
    assert unsynced(house, ana, ben) == set()

    nothing = house.run_range("build_memory", ana, ben)
    assert nothing.success
    assert {step: materialized(nothing, step) for step in STEPS[2:]} == dict.fromkeys(STEPS[2:], sorted([ana, ben]))
    after = pages(house, ana, ben)
    assert looked_at(before, after)
    assert unsynced(house, ana, ben) == set()

    everybody = pages(house, EVERYBODY)
    assert all(shown["owners"] == 2 for shown in everybody.values())
    house.run("build_memory")
    assert looked_at(everybody, pages(house, EVERYBODY))
    assert pages(house, ana, ben) == after, "nobody else's page is touched"


def test_where_each_owner_was_run_alone_the_page_of_everybody_adds_them_up(house: House) -> None:
    ana, ben = with_inboxes(house, "ana", "ben")
    house.run("build_memory", ana)
    house.run("build_memory", ben)
    confirm_everybody(house.instance)
    everybody = pages(house, EVERYBODY)
    assert all(shown["owners"] == 2 and ana in shown["by_owner"] for shown in everybody.values())


def test_a_run_of_several_writes_what_it_did_for_each_and_leaves_whom_it_was_not_for(house: House) -> None:
    ana, ben, cleo = with_inboxes(house, "ana", "ben", "cleo")
    house.run("build_memory")
    before = pages(house, ana, ben, cleo)
    house.write(ben, "more.md", "The mast was painted.")
    house.run_range("build_memory", ana, cleo, scope={"owners": [ana, ben]})
    after = pages(house, ana, ben, cleo)
    of = {name: {step: after[step, name] for step in STEPS} for name in (ana, ben, cleo)}
    assert all(of[cleo][step] == before[step, cleo] for step in STEPS)
    assert all("looked_at" in of[ana][step] for step in STEPS)
    assert all("looked_at" not in of[ben][step] for step in STEPS)
    assert of[ben]["extracted_entities"]["extracted"] == 1
    assert unsynced(house, ana, ben, cleo) == set()


@pytest.mark.parametrize("way", ["everybody", "range"])
def test_who_is_held_up_is_red_until_it_is_made_whoever_else_runs(house: House, storm: Storm, way: str) -> None:
    ana, ben, cleo = fill(house, "ana", "ben", "cleo")
    house.run("open_sources")
    before = page(house, "extracted_entities", ben)
    house.ingest(ben, "more.md", "The storm has bent the mast.")
    result = house.run("open_sources") if way == "everybody" else house.run_range("open_sources", ana, cleo)
    assert result.success, "everybody else goes on"
    assert held_up(house) == (False, ben) and failed(house) == {ben}
    assert page(house, "extracted_entities", ben) == before
    (record,) = house.instance.get_runs(dg.RunsFilter(tags={RECORD_TAG: result.run_id}))
    assert (record.status, record.tags["dagster/partition"]) == (dg.DagsterRunStatus.FAILURE, ben)
    said_there = [entry.user_message or entry.dagster_event.message for entry in house.instance.all_logs(record.run_id)]
    assert any("the lamp is wet" in words for words in said_there)

    house.ingest(ana, "more.md", "The mast was painted.")
    house.run("open_sources", ana)
    assert held_up(house) == (False, ben) and failed(house) == {ben}
    since = said(last_evaluation(house.instance, HELD_UP), "since")
    house.run("open_sources")
    assert held_up(house) == (False, ben) and failed(house) == {ben}
    assert said(last_evaluation(house.instance, HELD_UP), "since") == since
    records = house.instance.get_runs(dg.RunsFilter(tags={HELD_UP_TAG: "extracted_entities"}))
    assert [run.run_id for run in records] == [record.run_id], "the same failure is recorded once"
    assert record.run_id not in runs_to_go(house.instance, IN_A_YEAR)

    storm.passed = True
    house.run("open_sources", ben)
    assert held_up(house) == (True, None) and failed(house) == set()
    assert record.run_id in runs_to_go(house.instance, IN_A_YEAR)


def test_two_fail_with_other_reasons_and_one_of_them_works_again(house: House, storm: Storm) -> None:
    (ana,) = fill(house, "ana")
    ben, cleo = fill(house, "ben", "cleo", about="In the storm the lamp")
    house.run("open_sources", scope={"owners": [ana, ben]})
    assert held_up(house) == (False, ben)
    storm.error = RuntimeError("the oil is gone")
    house.run("open_sources")
    values = values_of_last(house)
    assert (values["failed_for"], values["found"]) == (f"{ben}, {cleo}", 2)
    assert values["reasons"] == dict.fromkeys((ben, cleo), "the oil is gone")
    assert failed(house) == {ben, cleo}
    storm.passed = True
    house.run("open_sources", cleo)
    assert held_up(house) == (False, ben) and failed(house) == {ben}
    house.run("open_sources")
    assert held_up(house) == (True, None) and failed(house) == set()


def values_of_last(house: House) -> dict[str, Any]:
    evaluation = last_evaluation(house.instance, HELD_UP)
    assert evaluation
    return values_of(evaluation)


@pytest.mark.parametrize("error", [RuntimeError("it failed"), ModelServiceError("The key was refused.")])
def test_a_run_for_one_that_fails_is_told_by_the_check_until_the_owner_is_served(
    house: House, storm: Storm, error: Exception
) -> None:
    storm.error = error
    (ana,) = fill(house, "ana")
    (ben,) = fill(house, "ben", about="In the storm the lamp")
    assert not house.run("open_sources", ben).success
    assert held_up(house) == (False, ben) and failed(house) == {ben}
    assert not house.instance.get_runs(dg.RunsFilter(tags={RECORD_TAG: ben})), "the run says it itself"
    assert house.run("open_sources", ana).success
    assert held_up(house) == (False, ben) and failed(house) == {ben}
    storm.passed = True
    house.run("open_sources")
    assert held_up(house) == (True, None) and failed(house) == set()


def test_who_was_held_up_and_is_found_current_is_red_no_more(house: House, storm: Storm) -> None:
    ana, ben = fill(house, "ana", "ben")
    house.run("open_sources")
    before = page(house, "extracted_entities", ben)
    house.ingest(ben, "more.md", "The storm has bent the mast.")
    assert not house.run("open_sources", ben).success
    assert held_up(house) == (False, ben)
    storm.passed = True
    house.made(ben, "processed_sources", "extracted_entities")  # whatever made it: no run has said so
    house.run("open_sources")
    assert held_up(house) == (True, None) and failed(house) == set()
    after = page(house, "extracted_entities", ben)
    assert after.pop("looked_at") and after == before


def test_what_ends_a_run_for_everybody_still_names_whom_it_had_held_up(house: House, storm: Storm) -> None:
    (ana,) = fill(house, "ana", about="In the storm the lamp")
    (ben,) = fill(house, "ben")

    def script(task: str, payload: Any) -> Any:
        if task == storm.task and any(ben in turn.text for turn in payload.turns):
            raise ModelServiceError("The key was refused.")
        return storm(task, payload)

    house.models.language.script = script
    assert not house.run("open_sources").success
    assert held_up(house) == (False, ana) and failed(house) == {ana, EVERYBODY}


def test_what_is_set_aside_is_a_warning_until_nothing_is(house: House, storm: Storm) -> None:
    ana, ben = house.user("ana"), house.user("ben")
    scan = house.write(ana, "scan.eml", "")
    scan.write_bytes(bytes(range(256)) * 8)
    for owner in (ana, ben):
        house.write(owner, "note.md", f"The lamp of {owner} was repaired.")
        check = verdicts(house.run("ingest_sources", owner), "no_file_is_set_aside")["raw_sources"]
        shown = values_of(check)
        assert (check.passed, check.severity, shown["failed_for"]) == (False, dg.AssetCheckSeverity.WARN, ana)
        assert "scan.eml" in shown["what_failed"] and "memory-assets retry" in shown["what_failed"]
        assert "scan.eml" not in str(shown["alert"]) + str(shown["alert_reasons"])
    scan.unlink()
    house.write(ana, "another.md", "The mast was painted.")
    assert verdicts(house.run("ingest_sources", ana), "no_file_is_set_aside")["raw_sources"].passed

    storm.task, storm.error = DESCRIBE_SOURCE, ModelError("The answer was cut off.")
    house.write(ana, "storm.md", "The storm has bent the mast.")
    check = verdicts(house.run("process_sources", ana), "no_source_is_set_aside")["processed_sources"]
    assert (check.passed, check.severity, values_of(check)["failed_for"]) == (False, dg.AssetCheckSeverity.WARN, ana)
    assert "The answer was cut off" in values_of(check)["what_failed"]
    assert not verdicts(house.run("process_sources", ben), "no_source_is_set_aside")["processed_sources"].passed
    storm.passed = True
    mended = house.run("process_sources", ana, scope={"retry": True})
    assert verdicts(mended, "no_source_is_set_aside")["processed_sources"].passed


def test_a_check_for_which_nobody_was_judged_shows_what_it_did(house: House) -> None:
    ana, _ = fill(house, "ana", "ben")
    house.run("open_sources", ana)
    before = verdicts(house.run("open_sources"), "every_statement_has_a_source")["extracted_entities"]
    assert values_of(before)["judged"] == house.user("ben")
    after = verdicts(house.run("open_sources"), "every_statement_has_a_source")["extracted_entities"]
    assert after.passed and "nobody to judge" in values_of(after)["looked_at"]
    assert without_the_look(values_of(after)) == values_of(before)
