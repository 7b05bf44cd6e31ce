"""What time makes of memories in the graph: archived on their day, back when asked for or said again, never deleted."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import neo4j
import pytest

from memory_assets.clock import to_iso
from memory_assets.graph import due_keys
from memory_assets.graph.graph import Graph
from memory_assets.graph.lives import LifecycleRules, RestRules
from memory_assets.lifecycle import ageing
from memory_assets.lifecycle.ageing import Aged, age_memories
from memory_assets.lifecycle.assets import memory_states
from memory_assets.lifecycle.reading import read_life, read_shelves
from memory_assets.values.classify import classify_memories
from memory_assets.values.policy import STANDING, rank_key
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.accesses import access, fold
from memory_assets_tests.support.partitions import add_partitions

pytestmark = pytest.mark.graph
SEED = (Path(__file__).parent / "set_properties.cypher").read_text("utf-8")
FAINT: dict[str, Any] = {"confidence": 0.4, "ttl_policy": "decay", "salience": 0.5}
"""Of a candidate that fades in 89 days."""


def seed(world: World, memory: str, **properties: Any) -> str:
    given = {"user_id": world.user, "id": memory, "properties": FAINT | properties}
    world.graph._run(neo4j.WRITE_ACCESS, lambda tx: tx.run(SEED, given).consume(), "seed")
    return memory


def statement(world: World, text: str, **properties: Any) -> str:
    source = world.sources[0] if world.sources else world.add_source("cello")
    return seed(world, world.add_statement(text, source), **properties)


def age(world: World, days: float) -> Aged:
    return age_memories(world.graph, world.user, world.now + timedelta(days=days))


def stored(world: World, memory: str) -> dict[str, Any]:
    (found,) = world.graph.read("graph/list_owned_nodes", ids=[memory], user_ids=[world.user])
    return found["properties"]


def day(world: World, days: int) -> date:
    return (world.now + timedelta(days=days)).date()


def test_a_memory_is_archived_on_its_day_with_an_audit(world: World) -> None:
    cello = statement(world, "The cello may be old.")
    certain = statement(world, "The harbour is deep.", confidence=0.9)
    first = age(world, 0)
    assert (first.looked_at, first.archived, first.next_day) == (3, 0, day(world, 90)), "with their source"
    assert first.changes_at == datetime.combine(day(world, 90), datetime.min.time(), UTC)
    assert age(world, 89).looked_at == 0, "what is not due is not read"
    done = age(world, 90)
    assert (done.looked_at, done.archived, done.next_day) == (1, 1, None)
    row = stored(world, cello)
    assert (row["state"], row["archived_from"], row.get("fade_key")) == ("archived", "candidate", None)
    assert stored(world, certain)["state"] == "candidate"
    assert age(world, 91).looked_at == 0
    query = "MATCH (a:CurationAudit {user_id: $user, action: 'archive'}) RETURN a.memory_id AS id, a.reason AS reason"
    assert world.graph.query_read_only(query, {"user": world.user}) == [{"id": cello, "reason": "it has faded"}]


def test_a_run_that_comes_late_does_the_same(world: World) -> None:
    cello = statement(world, "The cello may be old.")
    assert age(world, 500).archived == 1
    assert stored(world, cello)["archived_from"] == "candidate"


@pytest.mark.parametrize(
    "properties",
    [
        {"ttl_policy": "keep_forever"},
        {"ttl_policy": None},
        {"is_owner": True},
        {"confidence": 0.8},
        {"confidence": None},
    ],
)
def test_what_a_rail_or_its_certainty_keeps_is_not_archived(world: World, properties: dict[str, Any]) -> None:
    cello = statement(world, "The cello may be old.", **properties)
    assert age(world, 0).archived == age(world, 5000).archived == 0
    assert stored(world, cello)["state"] == "candidate"


def test_what_is_ephemeral_goes_on_its_day(world: World) -> None:
    statement(world, "The cello is old.", ttl_policy="ephemeral", salience=1.0)
    seed(world, world.sources[0], ttl_policy="ephemeral", confidence=1.0)
    assert [age(world, days).archived for days in (30, 31, 90, 91)] == [0, 1, 0, 1]


def test_an_access_brings_it_back_and_an_earlier_one_lets_it_stay(world: World) -> None:
    cello, harbour = statement(world, "The cello may be old."), statement(world, "The harbour may be deep.")
    age(world, 0)
    access(world.settings, world.user, harbour, at=world.now + timedelta(days=80))
    fold(world.graph, world.settings, world.user, world.now)
    assert age(world, 90).archived == 1 and stored(world, harbour)["state"] == "active"
    access(world.settings, world.user, cello, at=world.now + timedelta(days=100))
    fold(world.graph, world.settings, world.user, world.now)
    row = stored(world, cello)
    assert (row["state"], row.get("archived_from"), row.get("archived_at")) == ("active", None, None)
    assert age(world, 101).next_day is not None and stored(world, cello)["fade_key"]


def test_what_is_said_again_is_what_it_was(world: World) -> None:
    cello = statement(world, "The cello may be old.")
    age(world, 90)
    seed(world, cello, ingested_at=(world.now + timedelta(days=95)))
    done = age(world, 96)
    assert (done.back, done.next_day) == (1, day(world, 185))
    assert (stored(world, cello)["state"], stored(world, cello).get("archived_from")) == ("candidate", None)


def test_what_is_archived_has_no_value_until_it_is_back(world: World) -> None:
    cello = statement(world, "The cello may be old.")
    world.add_statement("The harbour is deep.", world.sources[0])

    def valued() -> set[str]:
        classify_memories(world.graph, world.user, world.now, saved=world.settings.values_cache(world.user))
        query = "MATCH (v:ValueClassification {user_id: $user}) RETURN v.memory_id AS id"
        return {row["id"] for row in world.graph.query_read_only(query, {"user": world.user})}

    before = valued()
    age(world, 90)
    assert before - valued() == {cello}
    access(world.settings, world.user, cello, at=world.now + timedelta(days=100))
    fold(world.graph, world.settings, world.user, world.now)
    assert valued() == before


def test_other_rules_give_every_memory_another_day(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ageing, "PAGE", 2)
    faint = [statement(world, f"The cello may be {year} years old.") for year in range(5)]
    source = seed(world, world.sources[0], state="active", confidence=1.0, recall_frequency=0)
    age(world, 0)
    slower, later = LifecycleRules(base_rate=0.01), RestRules(quiet_for=timedelta(days=20))

    def days(key: str, memory: str) -> date:
        return due_keys.day_of(stored(world, memory)[key])

    assert {days("fade_key", memory) for memory in faint} == {day(world, 90)}
    assert days("rest_key", source) == day(world, 30)
    assert age(world, 90).archived == 5

    done = age_memories(world.graph, world.user, world.now + timedelta(days=91), slower, later)
    assert (done.back, done.archived, done.next_day) == (5, 0, day(world, 179))
    assert {days("fade_key", memory) for memory in faint} == {day(world, 179)}
    assert days("rest_key", source) == day(world, 20)
    again = age_memories(world.graph, world.user, world.now + timedelta(days=92), slower, later)
    assert (again.looked_at, again.back) == (0, 0), "by the same rules nothing is looked at"


def test_what_faded_by_a_clock_that_was_ahead_is_back_when_it_is_right(world: World) -> None:
    cello, mast = statement(world, "The cello may be old."), statement(world, "The mast may be broken.", salience=0.3)
    replaced = statement(world, "The harbour may be deep.")
    age(world, 0)
    assert age(world, 365).gone.keys() == {cello, mast, replaced}
    seed(world, replaced, folded_by="note")
    done = age(world, 80)
    assert (done.back, done.gone.keys(), done.next_day) == (1, {mast}, day(world, 90)), "one has faded by now, too"
    row = stored(world, cello)
    assert (row["state"], row.get("archived_from"), row.get("archived_at")) == ("candidate", None, None)
    assert (due_keys.day_of(row["fade_key"]), row["unscored"]) == (day(world, 90), world.user)
    assert stored(world, mast)["archived_at"] == world.now + timedelta(days=80)
    assert (stored(world, replaced)["state"], stored(world, replaced)["folded_by"]) == ("archived", "note")
    assert age(world, 81).looked_at == 0, "nothing is looked at twice"
    assert age(world, 90).gone.keys() == {cello}


def test_days_by_other_rules_are_found_to_the_end_by_the_next_run(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ageing, "PAGE", 2)
    faint = [statement(world, f"The cello may be {year} years old.") for year in range(5)]
    age(world, 0)
    slower = LifecycleRules(base_rate=0.01)
    taken = iter(range(1))

    class Killed(BaseException):
        pass

    def settled(*given: Any) -> Any:
        if next(taken, None) is None:
            raise Killed
        return real(*given)

    real = ageing._Ager.settle
    with monkeypatch.context() as broken, pytest.raises(Killed):
        broken.setattr(ageing._Ager, "settle", settled)
        age_memories(world.graph, world.user, world.now, slower)
    assert age_memories(world.graph, world.user, world.now, slower).looked_at > 0
    assert {due_keys.day_of(stored(world, memory)["fade_key"]) for memory in faint} == {day(world, 179)}


def test_nobody_elses_memory_is_looked_at(world: World, graph: Graph) -> None:
    other = World(graph, f"{world.user}x", world.settings)
    theirs = statement(other, "The cello may be old.")
    assert age(world, 500).looked_at == 0 and stored(other, theirs)["state"] == "candidate"


def test_many_memories_are_counted_every_week(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(days: float) -> tuple[int, float]:
        done = age(world, days)
        assert done.counted_at is not None
        return done.states["KnowledgeChunk"]["candidate"], (done.counted_at - world.now) / timedelta(days=1)

    statement(world, "The cello may be old.", ttl_policy="keep_forever")
    statement(world, "The harbour is deep.", ttl_policy="keep_forever")
    assert counted(0) == (2, 0)
    statement(world, "The mast was broken.", ttl_policy="keep_forever")
    assert counted(1) == (3, 1), "few are counted each time"
    monkeypatch.setattr(ageing, "MANY", 2)
    statement(world, "The ladder is new.", ttl_policy="keep_forever")
    world.add_source("ladder")
    assert counted(7.9) == (3, 1)
    assert age(world, 7.9).sources["memories"] == 1, "what sources add up to is of the same day"
    assert counted(8) == (4, 8)
    assert age(world, 8).sources["memories"] == 2
    assert counted(7) == (4, 7), "a clock that was set back"


def test_of_standing_instructions_the_range_of_their_shelf_is_counted(world: World) -> None:
    kept, merged = (statement(world, text) for text in ("Always answer in English.", "Answer in English, always."))
    rows = [
        {"id": f"value:{name}", "memory_id": name, "memory_owner": world.user, "is_standing": True, "standing_key": key}
        for name, key in ((kept, rank_key(world.user, STANDING, 1, kept)), (merged, None))
    ]
    world.graph.write("values/upsert_classifications", rows, user_id=world.user, now=to_iso(world.now))
    shelves = {row["shelf"]: row for row in read_shelves(world.graph, world.user, age(world, 0).sources)}
    assert shelves["standing instructions"]["memories"] == 1


def test_its_page_shows_the_states_and_what_fades(world: World) -> None:
    statement(world, "The cello may be old.")
    access(world.settings, world.user, statement(world, "The harbour may be deep."), at=world.now)
    statement(world, "The mast was broken.", ttl_policy="ephemeral", created_at=world.now - timedelta(days=100))
    fold(world.graph, world.settings, world.user, world.now)
    with dg.DagsterInstance.ephemeral() as instance:
        add_partitions(instance, [world.user])
        done = dg.materialize([memory_states], partition_key=world.user, resources=world.resources(), instance=instance)
        (made,) = done.asset_materializations_for_node("memory_states")
    shown = {name: value.value for name, value in made.metadata.items()}
    assert (shown["looked_at_anew"], shown["archived"], shown["back"]) == (4, 1, 0)
    assert shown["next_day"] == day(world, 90).isoformat()
    assert "|2|sources|1|" in str(shown["context_shelves"]).replace(" ", "")
    assert "|KnowledgeChunk|1|1|0|1|" in str(shown["states"]).replace(" ", "")
    assert shown["counted_at"] == to_iso(world.settings.clock.now())
    assert "it has expired" in str(shown["archived_now"]) and "The mast was broken." in str(shown["archived_now"])
    assert "The harbour may be deep." in str(shown["most_accessed"])
    first, second = str(shown["fading_next"]).splitlines()[2:]
    assert "The cello may be old." in first and "The harbour may be deep." in second
    for picture in ("states_plot", "most_accessed_plot", "fading_next_plot"):
        assert "data:image/png" in str(shown[picture])


@pytest.mark.parametrize("looked", [True, False], ids=["a run between", "none"])
def test_what_expires_is_archived_by_ageing_with_its_audit_whatever_is_counted(world: World, looked: bool) -> None:
    short = statement(world, "The mast may be broken.", ttl_policy="ephemeral", confidence=0.9)
    age(world, 0)
    if looked:
        age(world, 95)
    access(world.settings, world.user, short, at=world.now + timedelta(days=100))
    fold(world.graph, world.settings, world.user, world.now + timedelta(days=100))
    assert stored(world, short)["state"] == ("archived" if looked else "candidate"), "a count archives nothing"
    assert age(world, 101).archived == int(not looked)
    row = stored(world, short)
    gone = world.now + timedelta(days=95 if looked else 101)
    assert (row["state"], row["archived_from"], row["archived_at"], row["access_count"]) == (
        *("archived", "candidate", gone),
        1,
    )
    query = "MATCH (a:CurationAudit {user_id: $user, action: 'archive'}) RETURN a.memory_id AS id, a.reason AS reason"
    audits = world.graph.query_read_only(query, {"user": world.user})
    assert audits == [{"id": short, "reason": "it has expired"}]


def test_what_is_kept_forever_is_back_whatever_replaced_it(world: World) -> None:
    replaced = {"state": "archived", "archived_from": "active", "archived_at": world.now, "folded_by": "note"}
    cello = statement(world, "The cello is old.", ttl_policy="keep_forever", **replaced)
    assert age(world, 1).back == 1
    assert (stored(world, cello)["state"], stored(world, cello).get("folded_by")) == ("active", None)


def test_archived_sources_are_no_part_of_what_there_is_to_offer(world: World) -> None:
    for name, tokens, state in (("cello", 10, "candidate"), ("harbour", 100, "archived")):
        seed(world, world.add_source(name), token_count=tokens, state=state)
    (found,) = world.graph.read("lifecycle/sum_sources", user_id=world.user)
    assert (found["memories"], found["tokens"]) == (1, 10)


def test_what_waits_in_the_log_is_seen_by_who_looks(world: World) -> None:
    cello = statement(world, "The cello may be old.")
    now = world.now + timedelta(days=10)
    for days in (1, 4, 9):
        access(world.settings, world.user, cello, at=world.now + timedelta(days=days))
    access(world.settings, world.user, cello, at=now, kind="cited")
    before = read_life(world.graph, world.settings, world.user, stored(world, cello)["ref"], now)
    assert stored(world, cello)["access_count"] == 0, "a look writes nothing"
    fold(world.graph, world.settings, world.user, now)
    assert read_life(world.graph, world.settings, world.user, stored(world, cello)["ref"], now) == before
    assert before is not None and (before["state"], before["accesses"]) == ("active", 3)
    assert (before["last_seven_days"], before["uses"]) == (
        {"retrieved": 2, "cited": 1},
        {"retrieved": 3, "cited": 1, "mentioned": 1},
    )
    assert read_life(world.graph, world.settings, f"{world.user}x", stored(world, cello)["ref"], now) is None
