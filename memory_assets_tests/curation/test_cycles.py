"""Cycles of curation on a real graph: random records, and what must hold whatever they are."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from neo4j.exceptions import Neo4jError

from memory_assets.clock import to_iso
from memory_assets.curation import cycle as cycles
from memory_assets.curation.cadences import Cadence
from memory_assets.curation.cycle import Cycle, Done, plan_cycles, run_cycle
from memory_assets.curation.facts import TIERS, Facts
from memory_assets.curation.policy import CURATION, DESTRUCTIVE, CurationRules, Step, decide, looks_at
from memory_assets.curation.rails import RAILS, closed_rails
from memory_assets.curation.reading import list_cycles, list_due_owners, list_facts, list_tiers
from memory_assets.curation.restoring import restore
from memory_assets.curation.stops import (
    CurationStoppedError,
    check_not_stopped,
    resume,
    resumed_at,
    stop,
    why_stopped,
)
from memory_assets.graph.graph import Graph
from memory_assets_tests.conftest import owner_for
from memory_assets_tests.curation.many_graphs import (
    NOW,
    WIDE,
    check_graphs,
    due,
    links,
    outcomes,
    picture,
    seed_graphs,
)
from memory_assets_tests.curation.records import record, run, seed

Row = dict[str, Any]


def rested(graph: Graph, user: str, rules: CurationRules = WIDE, now: datetime = NOW) -> list[Cycle]:
    """Cycles of all cadences until none has anything to do."""
    cycles = []
    for _ in range(40):
        for cadence in Cadence:
            cycles.append(run_cycle(graph, user, cadence, now, rules=rules))
        if not list_due_owners(graph, now, Cadence).get(user):
            return cycles
    raise AssertionError("cycles do not come to rest")


@pytest.fixture(params=range(3))
def chance(request: pytest.FixtureRequest) -> random.Random:
    return random.Random(request.param)


@pytest.fixture
def owner(request: pytest.FixtureRequest, graph: Graph) -> Iterator[str]:
    yield owner_for(request.node.nodeid)


def test_no_protected_record_is_cut_and_no_relationship_is_lost(
    graph: Graph, owner: str, chance: random.Random
) -> None:
    names = seed_graphs(graph, owner, 20, 8, chance)
    before, linked = {one.id: one for one in list_facts(graph, owner, names)}, links(graph, owner)
    cycles = rested(graph, owner)
    after = {one.id: one for one in list_facts(graph, owner, names)}
    protected = {name for name, one in before.items() if closed_rails(one.as_memory(), NOW, RAILS)}
    assert protected
    steps = {one.proposal.step for cycle in cycles for one in cycle.done}
    assert {Step.PRUNE, Step.ARCHIVE, Step.DEMOTE, Step.PROMOTE, Step.FLAG} <= steps
    still = {name for name in protected if after.get(name) and after[name].state == before[name].state}
    # What loses confidence, or what referred to it, may pass a rail later: judged as it is when it is cut.
    opened = protected - still
    for name in opened:
        assert before[name].kind == "Belief" or before[name].agent_references >= 4
    gone = before.keys() - after.keys()
    assert {link for link in linked if not gone & {link[0], link[2]}} <= links(graph, owner)


def test_a_dry_run_lists_what_the_run_then_does(graph: Graph, owner: str, chance: random.Random) -> None:
    names = seed_graphs(graph, owner, 12, 8, chance)
    before = picture(graph, owner)
    for cadence in Cadence:
        planned = run_cycle(graph, owner, cadence, NOW, dry_run=True)
        assert picture(graph, owner) == before
        done = run_cycle(graph, owner, cadence, NOW)
        assert [(one.facts.id, one.proposal) for one in planned.done] == [
            (one.facts.id, one.proposal) for one in done.done
        ]
        assert planned.tiers == done.tiers
        before = picture(graph, owner)
    assert names


def test_what_a_cycle_cut_is_restored_as_it_was(graph: Graph, owner: str, chance: random.Random) -> None:
    seed_graphs(graph, owner, 12, 8, chance)
    for cadence in (Cadence.SIX_HOURS, Cadence.FIVE_MINUTES, Cadence.QUARTER_HOUR):
        before, linked = picture(graph, owner), links(graph, owner)
        cycle = run_cycle(graph, owner, cadence, NOW, rules=WIDE)
        cut = {one.facts.id for one in cycle.done if one.proposal.step in (Step.PRUNE, Step.REMOVE, Step.ARCHIVE)}
        assert cut
        restore(graph, owner, NOW + timedelta(minutes=1), cycle=cycle.id)
        after = picture(graph, owner)
        assert {name: after[name] for name in cut} == {name: before[name] for name in cut}
        assert links(graph, owner) == linked


def test_tiers_stay_within_their_budgets(graph: Graph, owner: str, chance: random.Random) -> None:
    rows = [
        record(f"{owner}:{n}", "MemoryEntry", tier="HOT", state="active", token_count=chance.randrange(20, 200), **due(owner, f"{owner}:{n}"))  # noqa: E501
        for n in range(60)
    ]  # fmt: skip
    source = record(f"{owner}:s", "Source")
    seed(graph, owner, [*rows, source], [(row["id"], "RECORDED_IN", source["id"]) for row in rows])
    cycle = run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW)
    held = list_tiers(graph, owner, 1000)
    tokens = {tier: sum(one.token_count for one in held if one.tier == tier) for tier in TIERS[:-1]}
    assert cycle.tiers == tokens
    assert all(tokens[name] <= budget for name, budget in CURATION.budgets)
    assert tokens["HOT"] > 1400


def test_what_somebody_writes_meanwhile_is_left_alone_and_looked_at_again(graph: Graph, owner: str) -> None:
    name = f"{owner}:1"
    read = record(name, "Notification", is_read=True, state="active", **due(owner, name))
    seed(graph, owner, [read, record(f"{owner}:s", "Source")], [(name, "RECORDED_IN", f"{owner}:s")])
    written = graph.write_together

    def interrupted(statements: Any) -> Any:
        run(graph, "change_record", user_id=owner, id=name, text="News.")
        return written(statements)

    graph.write_together = interrupted  # type: ignore[method-assign]
    try:
        cycle = run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW)
    finally:
        del graph.write_together  # type: ignore[method-assign]
    assert (cycle.overtaken, cycle.done) == (1, [])
    (still,) = list_facts(graph, owner, [name])
    assert still.text.endswith("News.")
    assert list_due_owners(graph, NOW, [Cadence.FIVE_MINUTES])[owner]
    assert [one.proposal.step for one in run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW).done] == [Step.PRUNE]


def test_what_somebody_is_writing_while_it_is_cut_is_not_overwritten(graph: Graph, owner: str) -> None:
    """Their transaction began before the cycle's statement, and ends while that one waits: it asks again what holds."""
    name = f"{owner}:1"
    read = record(name, "Notification", is_read=True, state="active", **due(owner, name))
    seed(graph, owner, [read, record(f"{owner}:s", "Source")], [(name, "RECORDED_IN", f"{owner}:s")])
    written = graph.write_together
    keep = "MATCH (m:Memory {id: $id}) SET m.ttl_policy = 'keep_forever', m.version = m.version + 1"

    def interrupted(statements: Any) -> Any:
        with graph._connection.driver().session(database=graph._connection.database) as session:
            transaction = session.begin_transaction()
            transaction.run(keep, id=name).consume()
            with ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(written, statements)
                # Neo4j lets the cycle wait for the other transaction, the embedded engine for none.
                wait([waiting], 1.5)
                with suppress(Neo4jError):
                    transaction.commit()
                return waiting.result()

    graph.write_together = interrupted  # type: ignore[method-assign]
    try:
        cycle = run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW)
    finally:
        del graph.write_together  # type: ignore[method-assign]
    found = picture(graph, owner)[name]
    is_kept = found["ttl_policy"] == "keep_forever"
    assert is_kept != bool(found.get("tombstone")), "it was cut, though keeping it was confirmed"
    assert (cycle.overtaken, len(cycle.done)) == ((1, 0) if is_kept else (0, 1))
    assert is_kept or graph.engine == "embedded"


def test_a_tombstone_is_removed_after_thirty_days_and_is_still_restored(graph: Graph, owner: str) -> None:
    name = f"{owner}:1"
    read = record(name, "Notification", is_read=True, state="active", **due(owner, name))
    seed(graph, owner, [read, record(f"{owner}:s", "Source")], [(name, "RECORDED_IN", f"{owner}:s")])
    before = picture(graph, owner)[name]
    run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW)
    assert list_facts(graph, owner, [name]) == []
    assert picture(graph, owner)[name]["tombstone"] is True
    early = run_cycle(graph, owner, Cadence.SIX_HOURS, NOW + timedelta(days=29, hours=23))
    assert early.counts["tombstones_removed"] == 0
    later = NOW + timedelta(days=30)
    assert list_due_owners(graph, later, [Cadence.SIX_HOURS])[owner]
    removed = run_cycle(graph, owner, Cadence.SIX_HOURS, later)
    assert removed.counts["tombstones_removed"] == 1
    assert name not in picture(graph, owner)
    restore(graph, owner, later + timedelta(days=1), since=NOW)
    assert picture(graph, owner)[name] == before


def test_a_cycle_keeps_its_figures(graph: Graph, owner: str) -> None:
    name = f"{owner}:1"
    read = record(name, "Notification", is_read=True, state="active", **due(owner, name))
    seed(graph, owner, [read, record(f"{owner}:s", "Source")], [(name, "RECORDED_IN", f"{owner}:s")])
    run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW, mode="IDLE")
    (row,) = list_cycles(graph, owner, 5)
    assert (row["cadence"], row["mode"], row["scanned"], row["prune_count"]) == ("5m", "IDLE", 1, 1)
    assert (row["overtaken"], row["left"], row["hot_tokens"]) == (0, 0, 0)


def test_what_is_beyond_one_cycle_is_said_and_the_next_one_does_it(graph: Graph, owner: str) -> None:
    names, rules = [f"{owner}:{number}" for number in range(3)], replace(WIDE, most=2)
    read = [record(name, "Notification", is_read=True, state="active", **due(owner, name)) for name in names]
    linked = [(name, "RECORDED_IN", f"{owner}:s") for name in names]
    seed(graph, owner, [*read, record(f"{owner}:s", "Source")], linked)
    cut = [run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW, rules=rules) for _ in range(3)]
    assert [(len(one.done), one.left) for one in cut] == [(2, 1), (1, 0), (0, 0)]
    later = NOW + timedelta(days=30)
    removed = [run_cycle(graph, owner, Cadence.SIX_HOURS, later, rules=rules) for _ in range(3)]
    assert [(one.counts["tombstones_removed"], one.left) for one in removed] == [(2, 1), (1, 0), (0, 0)]


def test_a_clock_that_is_set_back_cuts_nothing_early(graph: Graph, owner: str) -> None:
    name = f"{owner}:1"
    read = record(name, "Notification", is_read=True, state="active", created_at="2026-05-30T09:00:00.000Z",
                  changed_at="2026-05-30T09:00:00.000Z", **due(owner, name))  # fmt: skip
    seed(graph, owner, [read, record(f"{owner}:s", "Source")], [(name, "RECORDED_IN", f"{owner}:s")])
    assert run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW).done == []
    for days in (-40, -1, 3):
        assert run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW + timedelta(days=days)).done == []
    assert len(run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW + timedelta(days=6)).done) == 1


def test_a_plan_of_all_cadences_is_what_they_then_do(graph: Graph, owner: str, chance: random.Random) -> None:
    """One after the other, each on what the one before has left: also what refers to a memory, or is linked to it."""
    seed_graphs(graph, owner, 40, 8, chance)
    before = picture(graph, owner)
    planned = plan_cycles(graph, owner, Cadence, NOW)
    assert picture(graph, owner) == before
    done = [run_cycle(graph, owner, cadence, NOW) for cadence in Cadence]
    assert outcomes(planned) == outcomes(done)
    assert {Step.PRUNE, Step.ARCHIVE, Step.DECAY} <= {one.proposal.step for cycle in done[2:] for one in cycle.done}


def test_what_a_cut_lets_go_is_looked_at_again_however_many_are_due(
    graph: Graph, owner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written a few at a time: what was decided of a memory before must not overwrite that it is due again."""
    monkeypatch.setattr(cycles, "PAGE", 2)
    *others, held = (f"{owner}:{n}" for n in range(6))
    of = [record(name, "Notification", agent=name[-1], is_read=True, **due(owner, name)) for name in others[:4]]
    referred = record(held, "Notification", is_read=True, **due(owner, held))
    seed(graph, owner, [referred, *of, record(others[4], "Source")], [
        *((name, "REFERS_TO", held) for name in others[:4]),
        *((name, "RECORDED_IN", others[4]) for name in (held, *others[:4])),
    ])  # fmt: skip
    planned = plan_cycles(graph, owner, [Cadence.FIVE_MINUTES] * 2, NOW)
    assert [len(cycle.done) for cycle in planned] == [4, 1]
    done = [run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW) for _ in range(2)]
    assert outcomes(planned) == outcomes(done)


def test_what_a_budget_sends_down_does_not_rise_until_it_is_used_again(graph: Graph, owner: str) -> None:
    used = [to_iso(NOW - timedelta(hours=2))] * 10
    rows = []
    for number in range(6):
        name = f"{owner}:{number}"
        known = {"recent_accesses": used, "access_count": 10, "last_accessed_at": used[0], "token_count": 300}
        rows.append(record(name, "MemoryEntry", tier="HOT", state="active", **known, **due(owner, name)))
    source = record(f"{owner}:s", "Source")
    seed(graph, owner, [*rows, source], [(row["id"], "RECORDED_IN", source["id"]) for row in rows])
    assert len(run_cycle(graph, owner, Cadence.FIVE_MINUTES, NOW).done) == 1
    for hour in range(1, 5):
        assert run_cycle(graph, owner, Cadence.HOUR, NOW + timedelta(hours=hour)).done == []
    assert not list_due_owners(graph, NOW + timedelta(hours=5), [Cadence.HOUR]).get(owner)


def test_a_statement_that_was_merged_and_restored_is_no_orphan() -> None:
    statement = Facts("chunk:1", "KnowledgeChunk", NOW - timedelta(days=400), has_source=False)
    assert all(
        decide(statement, NOW, cadence) is None and looks_at(statement, NOW, cadence) is None for cadence in Cadence
    )


def test_curation_that_was_stopped_goes_on_and_does_not_stop_for_what_was_looked_at(graph: Graph, owner: str) -> None:
    stop(graph, owner, "something was cut that a rule protects", NOW)
    assert why_stopped(graph, owner) == "something was cut that a rule protects"
    with pytest.raises(CurationStoppedError, match="curation resume"):
        check_not_stopped(graph, owner)
    assert resumed_at(graph, owner) is None
    later = NOW + timedelta(hours=1)
    assert resume(graph, owner, later)
    assert not resume(graph, owner, later)
    assert (why_stopped(graph, owner), resumed_at(graph, owner)) == (None, later)
    check_not_stopped(graph, owner)


def fates(graph: Graph, user: str) -> dict[str, tuple[Any, ...]]:
    """What has become of a user's memories at rest. Of a tombstone, and of how sure an archived one is, it shows how
    often another cadence had come before it was cut.
    """
    found: dict[str, tuple[Any, ...]] = {}
    for name, row in picture(graph, user).items():
        sure = row.get("confidence") if row.get("state") != "archived" else None
        fate = (row.get("state"), row.get("tier"), row.get("needs_consolidation"), sure)
        found[name.removeprefix(user)] = ("gone",) if row.get("tombstone") else fate
    return found


def test_two_cycles_at_once_do_nothing_twice(graph: Graph, owner: str) -> None:
    """In two processes, say, of which neither has the owner's lock."""
    alone, both = f"{owner}-a", f"{owner}-b"
    for user in (alone, both):
        seed_graphs(graph, user, 12, 8, random.Random(9))
    rested(graph, alone)

    def work(at: datetime) -> list[Done]:
        return [one for cadence in Cadence for one in run_cycle(graph, both, cadence, at, rules=WIDE).done]

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(work, (NOW, NOW))
    cut = [(done.facts.id, done.proposal.step) for done in (*one, *other) if done.proposal.step in DESTRUCTIVE]
    assert cut and max(Counter(cut).values()) == 1
    rested(graph, both)
    assert fates(graph, both) == fates(graph, alone)


class Killed(BaseException):
    """What ends a process at a write."""


def test_cycles_that_are_killed_come_to_the_same(graph: Graph, owner: str) -> None:
    """A kill leaves what was committed: the next cycle goes on from there, and nothing is cut twice."""
    whole, killed = f"{owner}-a", f"{owner}-b"
    for user in (whole, killed):
        seed_graphs(graph, user, 10, 8, random.Random(7))
    rested(graph, whole)
    written, calls, stop_at = graph.write_together, 0, 0

    def until_killed(statements: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls >= stop_at:
            raise Killed
        return written(statements)

    graph.write_together = until_killed  # type: ignore[method-assign]
    try:
        for turn in range(40):
            calls, stop_at = 0, 1 + turn % 3
            try:
                for cadence in Cadence:
                    run_cycle(graph, killed, cadence, NOW, rules=WIDE)
            except Killed:
                continue
    finally:
        del graph.write_together  # type: ignore[method-assign]
    rested(graph, killed)

    assert fates(graph, killed) == fates(graph, whole)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("turn", range(20))
def test_a_thousand_graphs_lose_nothing(graph: Graph, turn: int) -> None:
    """``python -m memory_assets_tests.curation.many_graphs 10000`` takes as many as one likes."""
    check_graphs(graph, 50, turn)
