"""Cycles of curation on generated graphs: any number of them, on either engine.

``python -m memory_assets_tests.curation.many_graphs 10000 [--engine embedded|neo4j] [--first SEED]`` makes so many
graphs of records of random kinds, ages, states, accesses and references, a few at a time, each few with a clock of its
own, and runs the four cadences over them. Of each second few other threads write meanwhile, and the clock goes forth
and back between cycles. It ends at the first of which something does not hold, and names its seed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.curation.cadences import Cadence
from memory_assets.curation.cycle import Cycle, plan_cycles, run_cycle
from memory_assets.curation.facts import TIERS
from memory_assets.curation.policy import DESTRUCTIVE, CurationRules, Step
from memory_assets.curation.rails import RAILS, closed_rails, judge_cuts
from memory_assets.curation.reading import cut_range, list_facts
from memory_assets.curation.restoring import restore
from memory_assets.graph import embedded
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.model import TIERED_KINDS
from memory_assets.settings import Settings
from memory_assets_tests.curation.records import record, run, seed
from memory_assets_tests.support.neo4j_server.server import NEW_SERVER, neo4j_server

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)
RECORDS = 6
"""In a graph."""
FEW = 40
"""So many graphs are one owner's, and have one clock."""
WRITERS, WRITES = 2, 40
KINDS = (*sorted(TIERED_KINDS), "Task", "Notification", "SessionContext")
WIDE = CurationRules(budgets=(("HOT", 10**9), ("WARM", 10**9), ("COLD", 10**9)))
"""Budgets that nothing goes over: one memory's fate does not depend on the others'."""


Row = dict[str, Any]


def due(user: str, identifier: str) -> Row:
    return {f"curate_{cadence.value}_key": f"0|{user}|{identifier}" for cadence in Cadence}


def some_record(user: str, name: str, chance: random.Random) -> Row:
    """A record of any kind, age and state."""
    kind, born = chance.choice(KINDS), NOW - timedelta(minutes=chance.randrange(0, 200 * 1440))
    span = int((NOW - born).total_seconds())
    changed = born + timedelta(seconds=chance.randrange(0, span + 1))
    accesses = sorted(NOW - timedelta(minutes=chance.randrange(0, 9 * 1440)) for _ in range(chance.randrange(0, 5)))
    state = chance.choice(["active", "active", "candidate", "core", "archived"])
    change: Row = {
        "agent": chance.choice("abcde"),
        "created_at": to_iso(born),
        "changed_at": to_iso(changed),
        "state": state,
        "ttl_policy": chance.choice(["decay"] * 6 + ["keep_forever"]),
        "access_count": len(accesses),
        "recent_accesses": [to_iso(at) for at in accesses] or None,
        "last_accessed_at": to_iso(accesses[-1]) if accesses else None,
        "accessed_by": sorted(chance.sample("abcde", chance.randrange(0, 5))) or None,
        "archived_at": to_iso(changed) if state == "archived" else None,
        "tier": (chance.choice(TIERS[:-1]) if state != "archived" else "ARCHIVE") if kind in TIERED_KINDS else None,
        "token_count": chance.randrange(5, 1200),
        "confidence": None,
    }
    of_kind: dict[str, Row] = {
        "Belief": {"confidence": chance.choice([None, 0.1, 0.29, 0.5, 0.8, 0.95])},
        "Task": {"status": chance.choice([None, "completed", "failed", "pending", "in_progress"])},
        "Notification": {"is_read": chance.choice([None, True, False]), "is_critical": chance.choice([None, True])},
        "SessionContext": {"active": chance.choice([None, True, False])},
        "Reflection": {"consolidated": chance.choice([None, True, True, False])},
        "Analysis": {"severity": chance.choice([None, "info", "low", "high", "critical"])},
    }
    change |= of_kind.get(kind, {})
    if kind == "Belief":
        change["stated_confidence"] = change["confidence"]
    return record(name, kind, **change, **due(user, name))


def seed_graphs(
    graph: Graph, user: str, graphs: int, of: int, chance: random.Random, *, twins: bool = False
) -> list[str]:
    """So many graphs of records that refer to one another, each with a source; the ids of the records.

    With ``twins`` two records of some graphs say the same.
    """
    rows, links, names = [], [], []
    for number in range(graphs):
        source = f"{user}:s{number}"
        rows.append(record(source, "Source", text="A source.", access_count=0, confidence=None))
        own = [f"{user}:{number}:{place}" for place in range(of)]
        made = [some_record(user, name, chance) for name in own]
        if twins and chance.random() < 0.5:
            twin = {name: made[0][name] for name in ("label", "agent", "text")} | {"record_kind": made[0]["label"]}
            made[0]["record_kind"] = made[0]["label"]
            made[1] |= twin | {"uncompared": user}
        rows += made
        links += [(name, "RECORDED_IN", source) for name in own if chance.random() < 0.9]
        pairs = {(chance.choice(own), chance.choice(own)) for _ in range(chance.randrange(0, 2 * of))}
        links += [(a, "LEARNED_FROM" if chance.random() < 0.2 else "REFERS_TO", b) for a, b in sorted(pairs) if a != b]
        names += own
    for start in range(0, len(rows), 400):
        seed(graph, user, rows[start : start + 400])
    seed(graph, user, [], links)
    return names


def picture(graph: Graph, user: str) -> dict[str, Row]:
    """All properties of a user's memories, by id, but those that say when curation looked."""
    found = graph.query_read_only("MATCH (m:Memory {user_id: $u}) RETURN properties(m) AS p", {"u": user})
    hidden = {
        "version",
        "last_curated_at",
        "curation_action",
        "restored_at",
        "pruned_records",
        "bulky",
        "condensed_at",
        "tiered_at",
    }
    hidden |= {"uncompared", "updated_at"} | {f"curate_{cadence.value}_key" for cadence in Cadence}
    return {row["p"]["id"]: {k: v for k, v in row["p"].items() if k not in hidden} for row in found}


def links(graph: Graph, user: str) -> set[tuple[str, str, str]]:
    query = "MATCH (a:Memory {user_id: $u})-[r]->(b:Memory) RETURN a.id AS a, type(r) AS r, b.id AS b"
    return {(row["a"], row["r"], row["b"]) for row in graph.query_read_only(query, {"u": user})}


def outcomes(cycles: list[Cycle]) -> list[tuple[Any, ...]]:
    """What cycles did, in order, and what they came to."""
    return [
        (
            cycle.cadence,
            [(one.facts.id, one.proposal) for one in cycle.done],
            cycle.merged,
            cycle.condensed,
            +cycle.counts,
            (cycle.scanned, cycle.overtaken, cycle.left),
            cycle.tiers,
        )
        for cycle in cycles
    ]


@dataclass
class Written:
    """What other threads have written, as far as the graph has said that it was."""

    texts: dict[str, str] = field(default_factory=dict)
    accesses: Counter[str] = field(default_factory=Counter)
    links: set[tuple[str, str, str]] = field(default_factory=set)

    @property
    def touched(self) -> set[str]:
        """The memories that were written, or that something was linked to or from."""
        return {*self.texts, *self.accesses, *(name for link in self.links for name in (link[0], link[2]))}


def write_meanwhile(graph: Graph, user: str, names: list[str], chance: random.Random, over: threading.Event) -> Written:
    """Change, read and link memories at random until somebody says that it is over."""
    written = Written()
    for number in range(WRITES):
        if over.is_set():
            break
        one, other = chance.sample(names, 2)
        match chance.randrange(3):
            case 0:
                text = f"{one} says another thing, the {number}th by {threading.get_ident()}."
                if run(graph, "change_record", user_id=user, id=one, text=text):
                    written.texts[one] = text
            case 1:
                written.accesses[one] += len(run(graph, "access_record", user_id=user, id=one))
            case _:
                row = {"id": one, "other_id": other, "name": other}
                if graph.write("records/link_references", [row], user_id=user):
                    written.links.add((one, "REFERS_TO", other))
    return written


@contextmanager
def writers(graph: Graph, user: str, names: list[str], chance: random.Random, how_many: int) -> Iterator[list[Written]]:
    """So many threads that write, each memories of its own, so that the last word about each is known."""
    over, done = threading.Event(), list[Written]()
    with ThreadPoolExecutor(max(1, how_many)) as pool:
        parts = [names[at::how_many] for at in range(how_many)]
        chances = [random.Random(chance.random()) for _ in parts]
        started = [
            pool.submit(write_meanwhile, graph, user, part, own, over) for part, own in zip(parts, chances, strict=True)
        ]
        try:
            yield done
        finally:
            over.set()
        done += [one.result() for one in started]


def check_graphs(graph: Graph, graphs: int, number: int) -> Counter[str]:
    """Make graphs, run all cadences and bring all back: what was cut, by step. Raises where something does not hold."""
    chance, user = random.Random(1000 + number), f"u-many-{number}"
    names = seed_graphs(graph, user, graphs, RECORDS, chance, twins=True)
    now = NOW + timedelta(days=chance.choice([-30, -1, 0, 0, 1, 45, 200]))
    is_quiet = number % 2 == 0
    instants = {
        cadence: now if is_quiet else now + timedelta(minutes=chance.randrange(-3000, 3000)) for cadence in Cadence
    }
    before = {one.id: one for one in list_facts(graph, user, names)}
    were, linked = picture(graph, user), links(graph, user)
    planned = plan_cycles(graph, user, Cadence, now, rules=WIDE) if is_quiet else []
    assert picture(graph, user) == were, "a dry run has written something"
    with writers(graph, user, names, chance, 0 if is_quiet else WRITERS) as written:
        cycles = [run_cycle(graph, user, cadence, at, rules=WIDE) for cadence, at in instants.items()]
    if is_quiet:
        assert outcomes(planned) == outcomes(cycles), "a dry run lists something else"
    merged = {row["gone"] for cycle in cycles for row in cycle.merged}
    cut = {one.facts.id for cycle in cycles for one in cycle.done if one.proposal.step in DESTRUCTIVE} | merged
    stayed = {one.facts.id for cycle in cycles for one in cycle.done if one.proposal.step not in DESTRUCTIVE}
    audits = graph.read("curation/list_cuts", **cut_range(user, min(instants.values())))
    assert {row["memory_id"] for row in audits} >= cut, "something was cut without an audit"
    assert judge_cuts(audits) == [], "a rail was passed"
    touched = {name for one in written for name in one.touched}
    moved = {one.facts.id for cycle in cycles for one in cycle.done if one.proposal.step is Step.DECAY}
    for name in cut - moved - touched:
        rails = closed_rails(before[name].as_memory(), max(instants.values()), RAILS)
        # What agents referred to may have been cut in an earlier cycle.
        assert not rails or before[name].agent_references >= 4, f"{name} was protected by {rails}"
    for cycle in reversed([one for one in cycles if one.id in {row["cycle_id"] for row in audits}]):
        restore(graph, user, max(instants.values()) + timedelta(minutes=1), cycle=cycle.id)
    after, still = picture(graph, user), links(graph, user)
    assert after.keys() == were.keys(), "something is gone"
    same = cut - stayed - touched - {row["kept"] for cycle in cycles for row in cycle.merged}
    assert {name: after[name] for name in same} == {name: were[name] for name in same}, "it came back otherwise"
    added = set().union(*(one.links for one in written))
    assert linked | added == still, f"relationships: {sorted((linked | added) ^ still)}"
    for one in written:
        assert {name: after[name]["text"] for name in one.texts} == one.texts, "what somebody wrote is lost"
        counts = {name: after[name]["access_count"] - were[name]["access_count"] for name in one.accesses}
        assert counts == dict(one.accesses), "an access is lost"
    run(graph, "clear", user_id=user)
    steps = Counter(one.proposal.step.value for cycle in cycles for one in cycle.done)
    steps += Counter(merge=len(merged), written=len(touched), overtaken=sum(cycle.overtaken for cycle in cycles))
    return steps


@contextmanager
def engine(name: str) -> Iterator[Graph]:
    """A graph of its own on an engine."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(_env_file=None, home=Path(home))
        if name == "neo4j":
            with neo4j_server() as variables:
                fields = {key: value for key, value in variables.items() if key != NEW_SERVER}
                opened = open_graph(Settings(_env_file=None, home=Path(home), **fields))
                yield opened
                opened.close()
            return
        settings = settings.model_copy(update={"neo4j_uri": None})
        opened = open_graph(settings)
        try:
            yield opened
        finally:
            opened.close()
            embedded.stop(settings)


def main(arguments: list[str]) -> None:
    """Run them, and say how far it has come."""
    parser = argparse.ArgumentParser(prog="many_graphs", description=__doc__)
    parser.add_argument("graphs", type=int)
    parser.add_argument("--engine", choices=("embedded", "neo4j"), default="embedded")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    asked = parser.parse_args(arguments)
    began, done, steps = time.perf_counter(), 0, Counter[str]()
    with engine(asked.engine) as graph:
        print(f"{asked.graphs} graphs on {graph.server_info()}", flush=True)
        for number in range(asked.first, asked.first + -(-asked.graphs // FEW)):
            try:
                steps += check_graphs(graph, FEW, number)
            except BaseException:
                print(f"seed {number}", flush=True)
                raise
            done += FEW
            if done % 500 == 0 or done >= asked.graphs:
                print(f"{done} graphs, {time.perf_counter() - began:.0f} s: {dict(steps)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
