"""What a night takes when the same is due, by how much else there is of its owner.

An owner's graph is filled with memories that were used lately, so that nothing of them is due. Conversations are taken
in beside them; forty days later they have rested, some notes are new, and some memories were asked for. Then every
nightly job runs as its schedule starts it, its pages and checks with it. ``python -m memory_assets_tests.bench.nights
[MEMORIES…]``; at most one and a half times as long is wanted.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg

from memory_assets.automation.schedules import CADENCES
from memory_assets.clock import to_iso
from memory_assets.graph import embedded, query_files
from memory_assets.graph.due_keys import due_key
from memory_assets.graph.graph import open_graph
from memory_assets.model import node_id, reference
from memory_assets.settings import Settings
from memory_assets.values import policy
from memory_assets_tests.bench.bounded_files import TYPES, WORDS, processors_of
from memory_assets_tests.support.accesses import access
from memory_assets_tests.support.house import House

SIZES = ("10000", "100000", "1000000")
A_SOURCE, AN_ANCHOR = 20, 10
"""So many statements to a source, and sources to whom they name."""
FIRST = datetime(2026, 1, 5, 9, tzinfo=UTC)
SHELVED = 50
"""The statements of so many sources are what a file is chosen from: what that costs, ``bounded_files`` measures."""
USED, NIGHT = FIRST + timedelta(days=39), FIRST + timedelta(days=40)
BATCH = 2000
TOPICS = ("cello", "harbour", "ladder", "pottery", "lighthouse", "vaccine")
NIGHTLY = [cadence for cadence in CADENCES if cadence.name != "weekly_macros"]


def sources(user: str, first: int, count: int) -> Iterator[dict[str, Any]]:
    """Sources of ten years, each naming one of so many."""
    for number in range(first, first + count):
        chance, source = random.Random(number), node_id("source", user, number)
        anchor = node_id("entity", user, number // AN_ANCHOR)
        at = FIRST - timedelta(minutes=chance.randrange(5_000_000))
        yield {
            "id": source,
            "ref": reference(source),
            "title": f"About {' '.join(chance.sample(WORDS, 3))} {number}.",
            "started_at": to_iso(at),
            "extraction_id": node_id("extraction", user, number),
            "anchor_id": anchor,
            "anchor_ref": reference(anchor),
            "name": f"Company {number // AN_ANCHOR}",
            "note_id": node_id("note", user, number),
            "fade_key": due_key(user, (NIGHT + timedelta(days=700)).date(), source),
            "rest_key": due_key(user, (USED + timedelta(days=31)).date(), source),
        }


def statements(user: str, made: Iterable[dict[str, Any]], first: int) -> Iterator[dict[str, Any]]:
    """What these sources state."""
    for place, source in enumerate(made, start=first):
        chance = random.Random(-place)
        for turn in range(A_SOURCE):
            content_type, section = TYPES[turn % len(TYPES)]
            identifier, score = node_id("chunk", user, place, turn), round(chance.random() ** 2, 6)
            rank = policy.rank_key(user, section, policy.best_first(score), identifier) if place < SHELVED else None
            yield {
                "id": identifier,
                "ref": reference(identifier),
                "source_id": source["id"],
                "anchor_id": source["anchor_id"],
                "value_id": node_id("value", user, identifier),
                "content": f"{source['name']} keeps {' '.join(chance.sample(WORDS, 3))} in room {place * 31 + turn}.",
                "content_type": content_type,
                "section": section,
                "turn": turn,
                "value_score": score,
                "rank_key": rank,
                "fade_key": due_key(user, (NIGHT + timedelta(days=700)).date(), identifier),
            }


def fill(house: House, user: str, memories: int) -> None:
    """So many memories that nothing is due of."""
    seeds = query_files.load(Path(__file__).parent / "cypher").items()
    house.graph._queries = {**house.graph._queries, **{f"bench/{name}": query for name, query in seeds}}
    a_batch = BATCH // A_SOURCE
    for first in range(0, memories // A_SOURCE, a_batch):
        made = list(sources(user, first, min(a_batch, memories // A_SOURCE - first)))
        house.graph.write("bench/add_lived_sources", made, user_id=user, at=to_iso(USED))
        rows = list(statements(user, made, first))
        house.graph.write("bench/add_lived_statements", rows, user_id=user, at=to_iso(USED))


def talk(topic: str) -> str:
    """A note that names two people and says three things."""
    return (
        f"Maria Lindqvist bought the {topic} in Bergen on Monday. "
        f"Tomasz Wilk carried the {topic} to the boat house. I promised Maria to look after the {topic} until May."
    )


def work(house: House, jobs: Iterable[str]) -> dict[str, float]:
    """Seconds of the processors by job, the engine's too: on a machine that others use they can be compared."""
    taken, processors = {}, processors_of(house.settings)
    for job in jobs:
        began = processors()
        with open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):  # Dagster tells each step there
            done = house.run(job)
        assert done.success, job
        taken[job] = processors() - began
    return taken


def measure(memories: int, scratch: Path) -> tuple[dict[str, float], float]:
    """Seconds of a night by job, and what filling took."""
    settings = Settings(_env_file=None, home=scratch / "home", now=FIRST, graph_heap="2g")
    graph = open_graph(settings)
    try:
        with dg.DagsterInstance.local_temp(str(scratch)) as instance:
            house = House(graph, scratch / "home", instance, "nights")
            user = house.user("nora")
            house.travel(FIRST)
            for number, topic in enumerate(TOPICS):
                house.ingest(user, f"2026-01-0{number + 1} {topic}.md", talk(topic))
            work(house, ["build_memory"])
            began = time.perf_counter()
            fill(house, user, memories)
            filled = time.perf_counter() - began
            # What a first run of each makes of all there is belongs to filling.
            house.travel(USED)
            work(house, [cadence.job for cadence in NIGHTLY])
            house.travel(NIGHT)
            for topic in ("saddle", "orchard", "violin"):
                house.ingest(user, f"2026-02-13 {topic}.md", talk(topic))
            used = [node_id("chunk", user, place, 1) for place in range(100)]
            access(house.settings, user, *used, at=NIGHT - timedelta(hours=3))
            work(house, ["update_memory"])
            return work(house, [cadence.job for cadence in NIGHTLY]), filled
    finally:
        graph.close()
        embedded.stop(settings)


def main(sizes: tuple[str, ...] = SIZES) -> None:
    """Print seconds by job and size, and the ratio of the whole night to the first size."""
    print("\nA night in which the same is due (seconds of the processors)")
    first = 0.0
    for size in map(int, sizes):
        with tempfile.TemporaryDirectory() as scratch:
            taken, filled = measure(size, Path(scratch))
        whole = sum(taken.values())
        first = first or whole
        shown = ", ".join(f"{job} {seconds:.1f}" for job, seconds in taken.items())
        print(
            f"  {size:>9,} memories {whole:>7.1f} {whole / first:>5.2f}x  {shown} (filled in {filled:.0f})", flush=True
        )


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or SIZES)
