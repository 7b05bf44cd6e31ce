"""What the bounded files cost as their owner's memories grow to a million and the heartbeat's tasks to 100,000.

One owner's graph is filled with statements and their values, and with tasks; after each size it is measured what
rendering MEMORY.md takes (choosing, judging, publishing), what rendering HEARTBEAT.md takes, what the start of a
session takes (both files as they stand, and what is due), and what a look takes (`show` and the metrics). Each figure is
the middle one of five; the ratio is to the first row, whose shelves are not full: a thousand memories are fewer than a
file is chosen from. Only the statements that are read have vectors: the others' would be two gigabytes that nobody looks at.

``python -m memory_assets_tests.bench.bounded_files [MEMORIES:TASKS…]``; a million takes a while to fill.
"""

from __future__ import annotations

import heapq
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_assets.graph import embedded, query_files
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.graph.owners import stage_made
from memory_assets.heartbeat.heartbeat_file import publish_heartbeat
from memory_assets.heartbeat.registry import add_tasks, due_tasks
from memory_assets.heartbeat.tasks import Task
from memory_assets.memory_file import drafts
from memory_assets.memory_file.reports import show_briefly
from memory_assets.metrics.snapshots import read_measures
from memory_assets.model import node_id, reference
from memory_assets.settings import Settings
from memory_assets.values import policy
from memory_assets.values.classify import SHELF
from memory_assets_tests.support.memory_files import make_draft

SIZES = ("1000:10", "10000:1000", "100000:100000")
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
USER = "nora"
TYPES = (("preference", "preferences"), ("task", "tasks"), ("insight", "insights"))
BATCH = 1000
WORDS = "harbour cello ladder pottery orchard saddle quarry violin mortgage vaccine telescope lantern meadow anchor".split()
BEST = 0.99
"""Statements worth more than this have vectors: more of them than anybody reads."""


class Filled:
    """One owner's graph, and how much there is in it."""

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self.graph, self.settings = graph, settings
        seeds = {f"bench/{name}": query for name, query in query_files.load(Path(__file__).parent / "cypher").items()}
        graph._queries = {**graph._queries, **seeds}
        self.memories = self.tasks = 0
        self.first: dict[str, list[str]] = {section: [] for _, section in TYPES}
        self.random = random.Random(7)

    def fill(self, memories: int, tasks: int) -> None:
        """Grow to these sizes."""
        while self.memories < memories:
            rows = list(self._statements(min(BATCH, memories - self.memories)))
            source = node_id("source", USER, self.memories)
            self.graph.write("bench/add_source", id=source, ref=reference(source), user_id=USER, now=NOW)
            self.graph.write("bench/add_classified", rows, batch=BATCH, user_id=USER, source_id=source, now=NOW)
            self.memories += len(rows)
            for section, keys in self.first.items():
                keys += [row["rank_key"] for row in rows if row["section"] == section]
                self.first[section] = heapq.nsmallest(SHELF, keys)
        ends = {section: keys[-1] for section, keys in self.first.items() if len(keys) == SHELF}
        self.graph.write_together([stage_made(USER, "values", str(memories), NOW)])
        stage = {"id": node_id("stage", USER, "values"), "memories": memories, "tiers": "{}"}
        self.graph.write("values/set_totals", **stage, user_id=USER, shelf_ends=json.dumps(ends))
        made = [self._task(number) for number in range(self.tasks, tasks)]
        add_tasks(self.graph, USER, made, NOW)
        self.tasks = tasks

    def _statements(self, count: int) -> Iterator[dict[str, Any]]:
        for number in range(self.memories, self.memories + count):
            content_type, section = TYPES[number % len(TYPES)]
            identifier = node_id("chunk", USER, number)
            # Few are worth much, as in life; the best ones stay few at any size.
            score = round(self.random.random() ** 2, 6)
            words = " ".join(self.random.sample(WORDS, 3))
            yield {
                "id": identifier,
                "ref": reference(identifier),
                "value_id": node_id("value", USER, identifier),
                "content": f"Entry {number} of the notebook is about {words}.",
                "content_type": content_type,
                "section": section,
                "value_score": score,
                "rank_key": policy.rank_key(USER, section, policy.best_first(score), identifier),
                "embedding": [self.random.gauss(0, 1) for _ in range(256)] if score > BEST else None,
            }

    def _task(self, number: int) -> Task:
        # Only the first five are ever due on the day that is asked for.
        schedule = "every 2 hours" if number < 5 else f"{number % 60} {number % 24} 1 1 *"
        return Task(f"task-{number:06d}", f"Task {number}", schedule, f"Look after {WORDS[number % len(WORDS)]} {number}.")

    def render_memory(self) -> None:
        """Choose anew, judge and publish."""
        make_draft(self.graph, USER, NOW, force=True)
        drafts.publish_draft(self.graph, USER, self.settings.memory_file(USER), NOW)

    def render_heartbeat(self) -> None:
        """Render and publish."""
        publish_heartbeat(self.graph, USER, self.settings.heartbeat_file(USER), NOW)

    def look(self) -> None:
        """What stands in the file and what was left out, and the metrics."""
        shown = show_briefly(self.graph, self.settings, USER, 10)
        assert shown[0]["considered"] == self.memories, f"{shown[0]['considered']} memories were considered"
        assert read_measures(self.graph, USER).heartbeat["tasks"] == self.tasks

    def start_session(self) -> None:
        """What an agent does first: read both files, and ask what is due."""
        self.settings.memory_file(USER).read_text()
        self.settings.heartbeat_file(USER).read_text()
        due = list(due_tasks(self.graph, USER, NOW + timedelta(hours=3)))
        assert len(due) == min(5, self.tasks), f"{len(due)} tasks are due"


def seconds(work: Callable[[], None], times: int = 5) -> float:
    """The middle one of some measurements, after one that warms up."""
    work()
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def works(filled: Filled) -> tuple[Callable[[], None], ...]:
    """What is measured, in the order of the columns."""
    return (filled.render_memory, filled.render_heartbeat, filled.start_session, filled.look)


def main(sizes: tuple[str, ...] = SIZES) -> None:
    """Print the curve."""
    print("\nBounded files: rendering and the start of a session (milliseconds, and the ratio to the first row)")
    print(f"  {'memories':>9} {'tasks':>8} {'MEMORY.md':>16} {'HEARTBEAT.md':>16} {'session start':>16} {'a look':>16}   filled in")
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(_env_file=None, home=Path(scratch) / "home", now=NOW)
        graph = open_graph(settings)
        try:
            filled, first = Filled(graph, settings), None
            for size in sizes:
                began = time.perf_counter()
                memories, tasks = map(int, size.split(":"))
                filled.fill(memories, tasks)
                took = time.perf_counter() - began
                figures = [seconds(work) for work in works(filled)]
                first = first or figures
                shown = "".join(f"{1000 * f:>10.0f} {f / one:>5.1f}x" for f, one in zip(figures, first, strict=True))
                print(f"  {memories:>9,} {tasks:>8,}{shown}   {took:.0f} s", flush=True)
        finally:
            graph.close()
            embedded.stop(settings)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or SIZES)
