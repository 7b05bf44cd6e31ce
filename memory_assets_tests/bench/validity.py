"""What judging costs when a hundred of an owner's statements are new, by how many there are.

Each size has a graph of its own: statements of words as people use them are indexed once; then a hundred come, and are
compared with their candidates. ``python -m memory_assets_tests.bench.validity [SIZE…]``.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from wordfreq import top_n_list

from memory_assets.graph import embedded, query_files
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.model import node_id, reference
from memory_assets.settings import Settings
from memory_assets.validity.judging import judge_statements

SIZES = ("1000", "10000", "100000")
NEW = 100
WIDTH = 256
USER = "nora"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
A_SOURCE = 20


def add(graph: Graph, first: int, count: int) -> None:
    """Statements of a dozen words, twenty to a source, spread over ten years."""
    words = top_n_list("en", 20_000)
    often = [1 / (place + 10) for place in range(len(words))]
    for start in range(first, first + count, A_SOURCE):
        rng, source = random.Random(start), node_id("source", USER, start)
        at = NOW - timedelta(minutes=rng.randrange(5_000_000))
        graph.write("bench/add_source", id=source, ref=reference(source), user_id=USER, now=at)
        rows = []
        for number in range(start, min(start + A_SOURCE, first + count)):
            identifier = node_id("chunk", USER, number)
            vector = np.random.default_rng(number).normal(size=WIDTH)
            rows.append(
                {
                    "id": identifier,
                    "ref": reference(identifier),
                    "content": f"I said {' '.join(rng.choices(words, often, k=12))}.",
                    "embedding": [float(value) for value in np.float32(vector)],
                    "at": at,
                }
            )
        graph.write("bench/add_statements", rows, user_id=USER, source_id=source, now=NOW)


def main(sizes: tuple[str, ...] = SIZES) -> None:
    """Print seconds by size: all of them, the hundred that are new, and nothing."""
    print("\nJudging what holds (seconds)")
    print(f"  {'statements':>10} {'all':>9} {'100 new':>9} {'pairs':>7} {'nothing':>9}")
    for size in map(int, sizes):
        with tempfile.TemporaryDirectory() as scratch:
            settings = Settings(_env_file=None, home=Path(scratch) / "home", now=NOW, graph_heap="768m")
            graph = open_graph(settings)
            seeds = query_files.load(Path(__file__).parent / "cypher").items()
            graph._queries = {**graph._queries, **{f"bench/{name}": query for name, query in seeds}}
            try:
                add(graph, 0, size)
                figures = []
                for new in (0, NEW, 0):
                    add(graph, size, new)
                    began = time.perf_counter()
                    judged = judge_statements(graph, USER, NOW, settings.validity_index(USER), "recipe")
                    figures.append((time.perf_counter() - began, judged.pairs))
            finally:
                graph.close()
                embedded.stop(settings)
        (every, _), (hundred, pairs), (nothing, _) = figures
        print(f"  {size:>10,} {every:>9.1f} {hundred:>9.2f} {pairs:>7,} {nothing:>9.3f}", flush=True)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or SIZES)
