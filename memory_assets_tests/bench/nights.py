"""What a night takes when the same is due, by how much else there is of its owner.

An owner's graph is filled with memories of which nothing is due. Most were used lately; a fifth of the sources has
rested for long and fits in no cluster, a tenth of the names has storylines, each source has its contexts.
Conversations are taken in beside them; forty days later they have rested, some notes are new, and some memories were
asked for. Then every nightly job runs as its schedule starts it, its pages and checks with it.
``python -m memory_assets_tests.bench.nights [MEMORIES…] [--keep FOLDER]``; a million shall take at most one and a half
times as long. A night has a process and an engine of its own, which three nights before it have warmed up.
Last seen, one after the other on a quiet machine, in seconds of the processors: 10,000 memories 2.8 and 2.8, a million
4.3 and 4.5: 1.5 and 1.6 times. Half of what grows is the engine's own: it goes through all mentions of the person whom
all sources name, and compiles what it goes through.

Every source names one person, too, whom what is new names as well, and its first statement is about her.
Of what is filled in those alone have vectors: what comparing others takes, ``bench.scoring`` measures.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, redirect_stderr
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from memory_assets.automation.schedules import CADENCES
from memory_assets.clock import to_iso
from memory_assets.entities.extraction import Extractor
from memory_assets.graph import embedded, query_files
from memory_assets.graph.due_keys import due_key
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.model import fingerprint, node_id, reference
from memory_assets.notes.taking import NoteTaker
from memory_assets.settings import Settings
from memory_assets.values import policy
from memory_assets_tests.bench.bounded_files import TYPES, WORDS, processors_of
from memory_assets_tests.support.accesses import access
from memory_assets_tests.support.house import House
from memory_assets_tests.support.instances import instance_on_files

R = TypeVar("R")
SIZES = (10_000, 100_000, 1_000_000)
OWNER = "nora"
A_SOURCE, AN_ANCHOR = 20, 10
"""So many statements to a source, and sources to whom they name."""
FIRST = datetime(2026, 1, 5, 9, tzinfo=UTC)
SHELVED = 50
"""The statements of so many sources are what a file is chosen from: what that costs, ``bounded_files`` measures."""
USED, NIGHT = FIRST + timedelta(days=39), FIRST + timedelta(days=40)
RESTING = FIRST - timedelta(days=10)
"""When what has rested was used last."""
BUSY, RESTED = 10, 5
"""One name in so many has storylines; of the others' sources one in so many has rested."""
CONSOLIDATED = 20
"""For so many sources something was consolidated once, of five of them."""
BATCH = 2000
EVERYWHERE = "Maria Lindqvist"
"""Whom every source names."""
WARMING = ("teapot", "lantern", "compass")
"""What is taken in before the nights that warm up."""
SUBJECTS = 40
"""So many matters of hers go on side by side, each for a month."""
TOPICS = ("cello", "harbour", "ladder", "pottery", "lighthouse", "vaccine")
QUIET, QUIET_WITHIN = 0.05, 120
"""So many seconds of the processors in a second, and nobody has anything to do; and how long that is waited for."""
NIGHTLY = [cadence for cadence in CADENCES if cadence.promise != "macros" and cadence.naming != "changed"]
"""A night's jobs, each once: that of storylines makes new ones and those that have changed."""


def sources(user: str, first: int, count: int, width: int) -> Iterator[dict[str, Any]]:
    """Sources of ten years, each naming one of so many, with vectors of so many numbers: those of a busy name belong
    together, of the others one in five has rested for long.
    """
    for number in range(first, first + count):
        chance, source = random.Random(number), node_id("source", user, number)
        named, place = divmod(number, AN_ANCHOR)
        anchor, is_busy = node_id("entity", user, named), named % BUSY == 0
        together = random.Random(named)
        at = FIRST - timedelta(minutes=(together if is_busy else chance).randrange(50_000, 5_000_000))
        has_rested = not is_busy and number % RESTED == 0
        used = RESTING if has_rested else USED
        yield {
            "id": source,
            "ref": reference(source),
            "title": f"About {' '.join(chance.sample(WORDS, 3))} {number}.",
            "started_at": to_iso(at + timedelta(days=place) if is_busy else at),
            "extraction_id": node_id("extraction", user, source),
            "text_id": node_id("source_text", source, "content"),
            "anchor_id": anchor,
            "anchor_ref": reference(anchor),
            "days": AN_ANCHOR if is_busy else 1,
            "name": f"Company {named}",
            "note_id": node_id("note", user, number),
            "embedding": [(together if is_busy else chance).gauss(0, 1) for _ in range(width)],
            "used_at": to_iso(used),
            "fade_key": due_key(user, (NIGHT + timedelta(days=700)).date(), source),
            "rest_key": due_key(user, (used + timedelta(days=31)).date(), source),
        }


def statements(user: str, made: Iterable[dict[str, Any]], first: int) -> Iterator[dict[str, Any]]:
    """What these sources state; the first of each is about whom all name, and speaks of a matter of its month."""
    for place, source in enumerate(made, start=first):
        chance = random.Random(-place)
        matter = f"{source['started_at'][:7]} {chance.randrange(SUBJECTS)}"
        word, middle = f"matter{fingerprint(matter)[:6]}", random.Random(matter)
        for turn in range(A_SOURCE):
            content_type, section = TYPES[turn % len(TYPES)]
            identifier, score = node_id("chunk", user, place, turn), round(chance.random() ** 2, 6)
            rank = policy.rank_key(user, section, policy.best_first(score), identifier) if place < SHELVED else None
            words = " ".join(chance.sample(WORDS, 3))
            content = f"{source['name']} keeps {words} in room {place * 31 + turn}."
            about = f"{EVERYWHERE} keeps the {word} and {words} in room {place * 31 + turn}."
            vector = [middle.gauss(0, 1) + chance.gauss(0, 1) for _ in source["embedding"]]
            yield {
                "id": identifier,
                "ref": reference(identifier),
                "source_id": source["id"],
                "anchor_id": source["anchor_id"],
                "value_id": node_id("value", user, identifier),
                "content": content if turn else about,
                "about_id": source["anchor_id"] if turn else source["everywhere_id"],
                "embedding": None if turn else vector,
                "content_type": content_type,
                "section": section,
                "turn": turn,
                "value_score": score,
                "rank_key": rank,
                "fingerprint": fingerprint(identifier),
                "fade_key": due_key(user, (NIGHT + timedelta(days=700)).date(), identifier),
            }


def consolidations(
    user: str, made: Sequence[dict[str, Any]], said: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """What was once consolidated of sources and of what they state: as a night does, of a few that lie together."""
    stated = {row["source_id"]: row["id"] for row in said}
    for place in range(0, len(made), CONSOLIDATED):
        first, identifier = made[place], node_id("consolidation", user, made[place]["id"])
        yield {
            "id": identifier,
            "ref": reference(identifier),
            "title": first["title"],
            "started_at": first["started_at"],
            "source_ids": [row["id"] for row in made[place : place + 5]],
            "insight_id": node_id("note", user, identifier),
            "anchor_id": first["anchor_id"],
            "statement_id": stated[first["id"]],
        }


def find_everywhere(graph: Graph, user: str) -> str:
    """The id of the person whom every source names."""
    least = {"least_sources": 1, "least_days": 1}
    rows = graph.read("hierarchy/list_anchors_for_storylines", user_id=user, **least)
    return next(str(row["id"]) for row in rows if row["name"] == EVERYWHERE)


def fill(house: House, user: str, memories: int) -> None:
    """So many memories that nothing is due of."""
    embedder = house.models.embedder
    extraction = Extractor(house.graph, house.models.language, embedder, house.settings.clock, user, print).recipe
    noting = NoteTaker(house.graph, house.models.language, house.settings.clock, user, print).recipes
    (vector,) = embedder.embed(["A word."], asset="bench", user_id=user)
    everywhere = find_everywhere(house.graph, user)
    seeds = query_files.load(Path(__file__).parent / "cypher").items()
    house.graph._queries = {**house.graph._queries, **{f"bench/{name}": query for name, query in seeds}}
    a_batch = BATCH // A_SOURCE
    for first in range(0, memories // A_SOURCE, a_batch):
        made = list(sources(user, first, min(a_batch, memories // A_SOURCE - first), len(vector)))
        for row in made:
            # What extraction and the notes were made from, so that neither is due.
            row["everywhere_id"] = everywhere
            row["extraction"] = fingerprint(row["id"], row["started_at"], extraction)
            row |= {f"noted_{step}": fingerprint(row["extraction"], recipe) for step, recipe in noting.items()}
        house.graph.write("bench/add_lived_sources", made, user_id=user, embedder=embedder.name)
        rows = list(statements(user, made, first))
        house.graph.write("bench/add_lived_statements", rows, user_id=user, at=to_iso(USED), embedder=embedder.name)
        house.graph.write(
            "bench/add_lived_consolidations", list(consolidations(user, made, rows)), user_id=user, at=to_iso(RESTING)
        )


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


def live(folder: Path, memories: int) -> None:
    """Fill ``folder``: all that happens before, and what a first run of each job makes of all there is."""
    with at_home(folder) as house:
        user = house.user(OWNER)
        house.travel(FIRST)
        for number, topic in enumerate(TOPICS):
            house.ingest(user, f"2026-01-0{number + 1} {topic}.md", talk(topic))
        work(house, ["build_memory"])
        fill(house, user, memories)
        house.travel(USED)
        house.ingest(user, "2026-02-13 kettle.md", talk("kettle"))
        work(house, ["update_memory"])
        assert house.run("form_storylines", scope={"force": True}).success
        work(house, [cadence.job for cadence in NIGHTLY])


def measure(folder: Path) -> tuple[dict[str, float], float]:
    """Seconds of the processors of a night by job, and those of the clock; nights before it have warmed up this process
    and the engine, which are as new at any size.
    """
    with at_home(folder) as house:
        user = house.user(OWNER)
        for hours, topic in enumerate(WARMING, start=1):
            house.travel(USED + timedelta(hours=hours))
            house.ingest(user, f"2026-02-13 {topic}.md", talk(topic))
            work(house, [cadence.job for cadence in NIGHTLY])
        house.travel(NIGHT)
        for topic in ("saddle", "orchard", "violin"):
            house.ingest(user, f"2026-02-14 {topic}.md", talk(topic))
        used = [node_id("chunk", user, place, 1) for place in range(100)]
        access(house.settings, user, *used, at=NIGHT - timedelta(hours=3))
        work(house, ["update_memory"])
        settle(processors_of(house.settings))
        began = time.perf_counter()
        return work(house, [cadence.job for cadence in NIGHTLY]), time.perf_counter() - began


@contextmanager
def at_home(folder: Path) -> Iterator[House]:
    """The house in ``folder``, with an engine of its own until it is left."""
    settings = Settings(_env_file=None, home=folder / "home", now=FIRST, graph_heap="4g")
    graph = open_graph(settings)
    try:
        with instance_on_files(folder / "instance") as instance:
            yield House(graph, settings.home, instance, "nights")
    finally:
        graph.close()
        embedded.stop(settings)


def settle(processors: Callable[[], float]) -> None:
    """Wait until the engine has done what it was left to do."""
    before = processors()
    for _ in range(QUIET_WITHIN):
        time.sleep(1)
        if processors() - before < QUIET:
            return
        before = processors()


def alone(work: Callable[..., R], *arguments: Any) -> R:
    """Have it done by a process of its own: a night has nothing in memory of what has filled its graph."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(work, *arguments).result()


def main(sizes: Sequence[int] = SIZES, keep: Path | None = None) -> None:
    """Print seconds by job and size, and the ratio of the whole night to the first size."""
    print("\nA night in which the same is due (seconds of the processors; of the clock in brackets)")
    first = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        for size in sizes:
            filled, used = (keep or Path(scratch)) / str(size), Path(scratch) / f"{size}-used"
            if not filled.exists():
                alone(live, filled.with_suffix(".part"), size)
                filled.with_suffix(".part").rename(filled)
            shutil.copytree(filled, used)
            taken, clock = alone(measure, used)
            shutil.rmtree(used)
            whole = sum(taken.values())
            first = first or whole
            shown = ", ".join(f"{job} {seconds:.1f}" for job, seconds in taken.items())
            print(f"  {size:>9,} memories {whole:>7.1f} {whole / first:>5.2f}x ({clock:.0f})  {shown}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, metavar="MEMORIES")
    parser.add_argument("--keep", type=Path, help="where what was filled stays for the next measurement")
    given = parser.parse_args()
    main(given.sizes, given.keep)
