"""What the bounded files cost as their owner's memories grow to a million and the heartbeat's tasks to 100,000.

One owner's graph is filled with statements and their values, and with tasks; after each size it is measured what
rendering MEMORY.md takes (choosing, judging, publishing), what rendering HEARTBEAT.md takes, what the start of a
session takes (both files as they stand, and what is due), and what a look takes (`show` and the metrics). Each figure
is the middle one of five; the ratio is to the first row. Of a thousand memories all but a few are what a file is chosen
from, of more as many as its shelves hold: beside each figure of MEMORY.md stand that number and the ratio to the first
row whose shelves are full (three thousand memories), and what the very first rendering took, which on a kept graph is
that of an engine that has just started. Only the statements that are read have vectors: the others' would be two
gigabytes that nobody looks at.

``python -m memory_assets_tests.bench.bounded_files [--home DIRECTORY] [MEMORIES:TASKS…]``. With ``--home`` the
filled graph is kept there and grown by the next run, which goes on where one that was stopped has left off: a
million memories take a while to fill. Beside the time on the clock stands the time of the processors, this
process's and the engine's together: on a machine that others use, too, it is the one that can be compared.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from memory_assets.graph import embedded, query_files
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.graph.owners import stage_made
from memory_assets.heartbeat.heartbeat_file import publish_heartbeat
from memory_assets.heartbeat.registry import add_tasks, due_tasks
from memory_assets.heartbeat.tasks import Task
from memory_assets.memory_file import drafts
from memory_assets.memory_file.pool import POOL_SIZES, read_pool
from memory_assets.memory_file.reports import show_briefly
from memory_assets.memory_file.user_files import default_file
from memory_assets.metrics.snapshots import read_measures
from memory_assets.model import node_id, reference
from memory_assets.settings import Settings
from memory_assets.values import policy
from memory_assets.values.classify import SHELF
from memory_assets_tests.support.memory_files import make_draft

SIZES = ("1000:10", "3000:100", "10000:1000", "100000:100000", "1000000:100000")
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
USER = "nora"
TYPES = (("preference", "preferences"), ("task", "tasks"), ("insight", "insights"))
BATCH = 1000
FULL = sum(size for section, size in POOL_SIZES.items() if section != "recent")
"""What a file is chosen from here when all shelves are full: no source of this owner has a summary."""
WORDS = (
    "harbour cello ladder pottery orchard saddle quarry violin mortgage vaccine telescope lantern meadow anchor".split()
)
FIRST, BEST = 10_000, 0.94
"""So many statements have vectors, and of the others those worth more than this: all that are read at any size."""


class Filled:
    """One owner's graph, and how much there is in it."""

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self.graph, self.settings = graph, settings
        seeds = {f"bench/{name}": query for name, query in query_files.load(Path(__file__).parent / "cypher").items()}
        graph._queries = {**graph._queries, **seeds}
        self.state = settings.home / "filled.json"
        known = json.loads(self.state.read_text()) if self.state.exists() else {}
        self.memories, self.tasks = known.get("memories", 0), known.get("tasks", 0)
        self.first: dict[str, list[str]] = known.get("first", {section: [] for _, section in TYPES})

    def fill(self, memories: int, tasks: int) -> None:
        """Grow to these sizes."""
        # A run that was stopped may have written a batch and not noted it.
        following = [node_id("chunk", USER, self.memories)]
        is_written = bool(self.graph.read("memory_file/list_pool_memories", user_ids=[USER], memory_ids=following))
        while self.memories < memories:
            rows = list(self._statements(min(BATCH, memories - self.memories)))
            source = node_id("source", USER, self.memories)
            if not is_written:
                self.graph.write("bench/add_source", id=source, ref=reference(source), user_id=USER, now=NOW)
                self.graph.write("bench/add_classified", rows, batch=BATCH, user_id=USER, source_id=source, now=NOW)
            is_written = False
            self.memories += len(rows)
            for section, keys in self.first.items():
                keys += [row["rank_key"] for row in rows if row["section"] == section]
                self.first[section] = heapq.nsmallest(SHELF, keys)
            self._note()
        ends = {section: keys[-1] for section, keys in self.first.items() if len(keys) == SHELF}
        self.graph.write_together([stage_made(USER, "values", str(memories), NOW)])
        stage = {"id": node_id("stage", USER, "values"), "memories": memories, "tiers": "{}"}
        self.graph.write("values/set_totals", **stage, user_id=USER, shelf_ends=json.dumps(ends))
        made = [self._task(number) for number in range(self.tasks, tasks)]
        add_tasks(self.graph, USER, made, NOW)
        self.tasks = max(self.tasks, tasks)
        self._note()

    def _note(self) -> None:
        self.state.write_text(json.dumps({"memories": self.memories, "tasks": self.tasks, "first": self.first}))

    def _statements(self, count: int) -> Iterator[dict[str, Any]]:
        chance = random.Random(self.memories)
        for number in range(self.memories, self.memories + count):
            content_type, section = TYPES[number % len(TYPES)]
            identifier = node_id("chunk", USER, number)
            # Few are worth much, as in life; the best ones stay few at any size.
            score = round(chance.random() ** 2, 6)
            words = " ".join(chance.sample(WORDS, 3))
            yield {
                "id": identifier,
                "ref": reference(identifier),
                "value_id": node_id("value", USER, identifier),
                "content": f"Entry {number} of the notebook is about {words}.",
                "content_type": content_type,
                "section": section,
                "value_score": score,
                "rank_key": policy.rank_key(USER, section, policy.best_first(score), identifier),
                "embedding": [chance.gauss(0, 1) for _ in range(256)] if number < FIRST or score > BEST else None,
            }

    def _task(self, number: int) -> Task:
        # Only the first five are ever due on the day that is asked for.
        schedule = "every 2 hours" if number < 5 else f"{number % 60} {number % 24} 1 1 *"
        return Task(
            f"task-{number:06d}", f"Task {number}", schedule, f"Look after {WORDS[number % len(WORDS)]} {number}."
        )

    def render_memory(self) -> None:
        """Choose anew, judge and publish."""
        make_draft(self.graph, USER, NOW, force=True)
        drafts.publish_draft(self.graph, default_file(self.settings, USER), NOW)

    def render_heartbeat(self) -> None:
        """Render and publish."""
        publish_heartbeat(self.graph, USER, self.settings.heartbeat_file(USER), NOW)

    def look(self) -> None:
        """What stands in the file and what was left out, and the metrics."""
        shown = show_briefly(self.graph, self.settings, USER, 10)
        assert shown[0]["considered"] == self.memories, f"{shown[0]['considered']} memories were considered"
        assert read_measures(self.graph, USER)["heartbeat"]["tasks"] == self.tasks

    def start_session(self) -> None:
        """What an agent does first: read both files, and ask what is due."""
        self.settings.memory_file(USER).read_text()
        self.settings.heartbeat_file(USER).read_text()
        due = list(due_tasks(self.graph, USER, NOW + timedelta(hours=3)))
        assert len(due) == min(5, self.tasks), f"{len(due)} tasks are due"


class Took(NamedTuple):
    """What a piece of work took, in seconds: the middle one on the clock and of the processors, and the first one's
    processors.
    """

    clock: float
    processors: float
    first: float


def seconds(work: Callable[[], None], processors: Callable[[], float], times: int = 5) -> Took:
    """The middle one of some measurements, after one that warms up, whose own is told beside."""
    taken, used = [], []
    for _ in range(1 + times):
        began, before = time.perf_counter(), processors()
        work()
        taken.append(time.perf_counter() - began)
        used.append(processors() - before)
    return Took(statistics.median(taken[1:]), statistics.median(used[1:]), used[0])


def ratio(figure: float, first: float) -> float:
    """How many times as much; what is below the resolution of the processors' clock counts as that."""
    return figure / max(first, 0.01)


def processors_of(settings: Settings) -> Callable[[], float]:
    """The seconds of processors that this process and the engine's have used."""
    record = embedded.find(settings)
    processes = [psutil.Process()] + ([psutil.Process(record.pid)] if record else [])
    return lambda: sum(sum(process.cpu_times()[:2]) for process in processes)


def works(filled: Filled) -> tuple[Callable[[], None], ...]:
    """What is measured, in the order of the columns."""
    return (filled.render_memory, filled.render_heartbeat, filled.start_session, filled.look)


def main(sizes: Sequence[str] = SIZES, home: Path | None = None) -> None:
    """Print the curve; the graph is kept in ``home`` if one is given."""
    print(
        "\nBounded files: rendering and the start of a session (milliseconds: clock, processors, the latter's "
        "ratio to the first row)"
    )
    titles = ("MEMORY.md", "HEARTBEAT.md", "session start", "a look")
    said = "".join(f"{title:>22}" for title in titles)
    print(
        f"  {'memories':>9} {'tasks':>8} {'pool':>5}{said}   MEMORY.md at first, both by full shelves; filled in",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(_env_file=None, home=home or Path(scratch) / "home", now=NOW)
        graph = open_graph(settings)
        try:
            filled, first, full = Filled(graph, settings), None, None
            processors = processors_of(settings)
            for size in sizes:
                began = time.perf_counter()
                memories, tasks = map(int, size.split(":"))
                if memories < filled.memories or tasks < filled.tasks:
                    print(f"  {memories:>9,} {tasks:>8,}   passed over: {settings.home} holds more already")
                    continue
                filled.fill(memories, tasks)
                took = time.perf_counter() - began
                figures = [seconds(work, processors) for work in works(filled)]
                pool = len(read_pool(graph, USER, [USER]))
                memory_file = figures[0]
                first = first or figures
                full = full or (memory_file if pool == FULL else None)
                columns = zip(figures, first, strict=True)
                shown = "".join(
                    f"{1000 * f.clock:>9.0f}{1000 * f.processors:>6.0f} {ratio(f.processors, q.processors):>5.1f}x"
                    for f, q in columns
                )
                shown += f"{1000 * memory_file.first:>8.0f}"
                if full:
                    warm, cold = ratio(memory_file.processors, full.processors), ratio(memory_file.first, full.first)
                    shown += f" {warm:.2f}x {cold:.2f}x"
                print(f"  {memories:>9,} {tasks:>8,} {pool:>5}{shown}   {took:.0f} s", flush=True)
        finally:
            graph.close()
            embedded.stop(settings)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What the bounded files cost as memories and tasks grow.")
    parser.add_argument("sizes", nargs="*", default=SIZES, metavar="MEMORIES:TASKS")
    parser.add_argument("--home", type=Path, help="keep the filled graph here, and grow the one that is here already")
    arguments = parser.parse_args()
    main(arguments.sizes, arguments.home)
