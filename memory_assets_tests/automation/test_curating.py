"""The sensor of curation: which cadences come when, in which mode, and that nothing due costs no run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.automation.curating import curation_sensor, current_mode, dump_ticks, load_ticks
from memory_assets.automation.jobs import AUTOMATION_TAG
from memory_assets.clock import to_iso
from memory_assets.curation.cadences import BACKGROUND, IDLE, MINIMAL, Cadence
from memory_assets.curation.reading import cut_range, list_cycles
from memory_assets.curation.stops import choose, resume
from memory_assets.runtime.partitions import FOR_TAG
from memory_assets_tests.curation.test_judging import cuts
from memory_assets_tests.support.accesses import access
from memory_assets_tests.support.house import NOW, House, values_of, verdicts

LINE = '{"record": "notification", "id": "n1", "agent": "ana", "text": "The build failed.", "read": true}'


def tick(house: House, cursor: str | None = None) -> tuple[dg.RunRequest | dg.SkipReason, str | None]:
    resources = {name: house.resources[name] for name in ("graph", "installation")}
    with dg.build_sensor_context(instance=house.instance, resources=resources, cursor=cursor) as context:
        result = curation_sensor(context)
        return result, context.cursor


def test_a_run_is_started_for_what_is_due_and_none_where_nothing_is(house: House) -> None:
    user = house.user("nora")
    skipped, cursor = tick(house)
    assert isinstance(skipped, dg.SkipReason)
    assert "Mode IDLE (no agent is at work): every 2.5 minutes." in (skipped.skip_message or "")
    house.ingest(user, "records.jsonl", LINE)
    assert house.run("build_memory").success
    house.travel(NOW + timedelta(minutes=1))
    early, cursor = tick(house, cursor)
    assert isinstance(early, dg.SkipReason)
    assert "No cadence has come" in (early.skip_message or "")
    house.travel(NOW + timedelta(hours=30))
    request, cursor = tick(house, cursor)
    assert isinstance(request, dg.RunRequest)
    assert request.tags[AUTOMATION_TAG] == "curation"
    wanted = request.run_config["resources"]["scope"]["config"]["cadences"]
    assert wanted
    assert set(wanted) <= {cadence.value for cadence in Cadence}
    assert house.run("curate_memories", scope={"cadences": wanted}).success
    later, _ = tick(house, cursor)
    assert isinstance(later, dg.SkipReason)


def test_a_cut_that_a_rail_protects_stops_its_owner_until_a_person_has_looked(house: House) -> None:
    wrong, well = house.user("nora"), house.user("omar")
    for user in (wrong, well):
        house.ingest(user, "records.jsonl", LINE)
    assert house.run("build_memory").success
    cuts(house.graph, wrong, NOW, 1, "keep_forever")
    house.travel(NOW + timedelta(hours=30))
    (found,) = verdicts(house.run("curate_memories"), "no_rail_was_passed").values()
    said = values_of(found)
    assert (found.passed, found.severity, said["failed_for"]) == (False, dg.AssetCheckSeverity.ERROR, wrong)
    (audit,) = house.graph.read("curation/list_cuts", **cut_range(wrong, None, NOW + timedelta(hours=1)))
    assert audit["memory_id"] in said["what_failed"] and "is_kept_forever" in said["what_failed"]
    assert said["alert"] == "1 memories were cut that a rule protects" and "curation resume" in said["what_to_do"]

    for user in (wrong, well):
        house.ingest(user, "more.jsonl", LINE.replace("n1", "n2"))
    assert house.run("build_memory").success
    house.travel(NOW + timedelta(hours=60))
    request, _ = tick(house)
    assert isinstance(request, dg.RunRequest) and request.tags[FOR_TAG] == well
    again = house.request(request, "curate_memories")
    assert not verdicts(again, "no_rail_was_passed")["curated_memories"].passed, "it stays red"
    came = {user: list_cycles(house.graph, user, 1)[0]["at"] for user in (wrong, well)}
    assert came == {wrong: to_iso(NOW + timedelta(hours=30)), well: to_iso(NOW + timedelta(hours=60))}
    assert resume(house.graph, wrong, NOW + timedelta(hours=61))
    house.travel(NOW + timedelta(hours=62))
    assert verdicts(house.run("curate_memories"), "no_rail_was_passed")["curated_memories"].passed
    assert list_cycles(house.graph, wrong, 1)[0]["at"] == to_iso(NOW + timedelta(hours=62))


def test_the_mode_follows_the_logs_and_a_person_sets_it_by_hand(house: House, user: str) -> None:
    owners = [house.user("nora")]
    assert current_mode(house.graph, house.settings, owners, NOW)[0] is IDLE
    access(house.settings, owners[0], "chunk:1", at=NOW - timedelta(minutes=10))
    assert current_mode(house.graph, house.settings, owners, NOW)[0] is BACKGROUND
    access(house.settings, owners[0], *(f"chunk:{n}" for n in range(60)), at=NOW - timedelta(minutes=1))
    assert current_mode(house.graph, house.settings, owners, NOW)[0] is MINIMAL
    choose(house.graph, "IDLE", NOW)
    try:
        assert current_mode(house.graph, house.settings, owners, NOW) == (IDLE, "set by hand")
    finally:
        choose(house.graph, "AUTO", NOW)
    assert current_mode(house.graph, house.settings, owners, NOW)[0] is MINIMAL


@given(st.dictionaries(st.sampled_from(list(Cadence)), st.integers(0, 10**6)))
def test_a_cursor_holds_when_each_cadence_came(minutes: dict[Cadence, int]) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    ticks = {cadence: start + timedelta(minutes=count) for cadence, count in minutes.items()}
    assert load_ticks(dump_ticks(ticks)) == ticks


@pytest.mark.parametrize("cursor", [None, "", "no JSON", "[]", '{"2m": "2026-01-01"}', '{"5m": 5}'])
def test_a_cursor_that_cannot_be_read_makes_every_cadence_due(cursor: str | None) -> None:
    assert load_ticks(cursor) == {}
