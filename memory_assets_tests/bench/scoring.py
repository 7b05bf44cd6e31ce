"""What scoring costs when ten of an owner's memories have changed, by how many there are.

Each size has a graph of its own: statements with vectors of 256 numbers are scored once, from the start; then ten come,
and are scored with those whose uniqueness follows from theirs. ``python -m memory_assets_tests.bench.scoring [SIZE…]``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from memory_assets.graph import embedded, query_files
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.model import node_id, reference
from memory_assets.settings import Settings
from memory_assets.values.classify import classify_memories

SIZES = ("1000", "10000", "100000")
CHANGED = 10
WIDTH = 256
USER = "nora"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def statements(first: int, count: int) -> Iterator[dict[str, Any]]:
    """Statements of some subjects, so that they have neighbours; the same for a number whenever it is asked for."""
    for number in range(first, first + count):
        rng = np.random.default_rng(number)
        subject = np.random.default_rng(10**9 + number % 200).normal(size=WIDTH)
        identifier = node_id("chunk", USER, number)
        yield {
            "id": identifier,
            "ref": reference(identifier),
            "content": f"Entry {number} of the notebook.",
            "embedding": [float(value) for value in np.float32(subject + rng.normal(size=WIDTH))],
            "at": NOW - timedelta(minutes=int(rng.integers(10**6))),
        }


def add(graph: Graph, first: int, count: int) -> None:
    """Statements that a source of their own says: without one, they have no value."""
    source = node_id("source", USER, first)
    graph.write("bench/add_source", id=source, ref=reference(source), user_id=USER, now=NOW)
    graph.write("bench/add_statements", list(statements(first, count)), user_id=USER, source_id=source, now=NOW)


def main(sizes: tuple[str, ...] = SIZES) -> None:
    """Print seconds by size: from the start, the ten that changed, and nothing."""
    print("\nScoring (seconds)")
    print(f"  {'memories':>9} {'all':>9} {'10 changed':>12} {'scored':>8} {'written':>8} {'nothing':>9}")
    for size in map(int, sizes):
        with tempfile.TemporaryDirectory() as scratch:
            settings = Settings(_env_file=None, home=Path(scratch) / "home", now=NOW, graph_heap="768m")
            graph = open_graph(settings)
            seeds = {
                f"bench/{name}": query for name, query in query_files.load(Path(__file__).parent / "cypher").items()
            }
            graph._queries = {**graph._queries, **seeds}
            try:
                for first in range(0, size, 1000):
                    add(graph, first, min(1000, size - first))
                figures = []
                for change in (0, CHANGED, 0):
                    if change:
                        add(graph, size, change)
                    began = time.perf_counter()
                    report = classify_memories(graph, USER, NOW, saved=settings.values_cache(USER))
                    figures.append((time.perf_counter() - began, report.get("made", 0), report.get("written", 0)))
                (every, *_), (ten, made, written), (nothing, *_) = figures
                assert made >= CHANGED, f"{made} statements were scored, {CHANGED} had changed"
                print(f"  {size:>9,} {every:>9.1f} {ten:>12.2f} {made:>8} {written:>8} {nothing:>9.2f}", flush=True)
            finally:
                graph.close()
                embedded.stop(settings)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or SIZES)
