"""What a cycle of curation takes when the same is due, by how much else there is of its owner.

An owner's records are archived and due in a hundred years; beside them 50 are due of each cadence: notifications that
were read and finished tasks, whose time is over, what was used and rises, syntheses of long ago.
``python -m memory_assets_tests.bench.curation [MEMORIES…]``. Wanted: at most one and a half times as long at a million,
and a quarter of the specification's 2, 5, 10 and 30 seconds (001, Heartbeat Schedule). Beside it, in the same run, the
bare query that finds them.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.curation.cadences import BUDGET_SECONDS, Cadence
from memory_assets.curation.cycle import run_cycle
from memory_assets.curation.reading import KEYS, due_key, list_due
from memory_assets.graph import embedded, query_files
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.settings import Settings
from memory_assets_tests.curation.records import record, seed

SIZES = ("10000", "100000", "1000000")
NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)
BATCH, DUE, TURNS = 5_000, 50, 5
FIRST, USER = "ada", "nora"
"""The first one's cycles compile the statements; the other's are measured so many times, and the median counts."""
KINDS: dict[Cadence, tuple[str, dict[str, Any]]] = {
    Cadence.FIVE_MINUTES: ("Notification", {"is_read": True}),
    Cadence.QUARTER_HOUR: ("Task", {"status": "completed"}),
    Cadence.HOUR: ("MemoryEntry", {"tier": "COLD", "token_count": 3, "recent_accesses": [to_iso(NOW)] * 3}),
    Cadence.SIX_HOURS: ("Synthesis", {"tier": "ARCHIVE"}),
}
"""What is due of each cadence."""


def rows(memories: int) -> Iterator[dict[str, Any]]:
    """So many archived records, of which nothing is due for long."""
    for number in range(memories):
        name, at = f"record:{number:08}", NOW + timedelta(days=36_500)
        yield {
            "id": name,
            "text": f"Entry {number} says something.",
            "state": "archived",
            "tier": "ARCHIVE",
            **{key: due_key(USER, name, at) for key in KEYS.values()},
        }


def due(graph: Graph, user: str, turn: int = 0) -> None:
    """What each cadence has to do for a user, of its own each time."""
    for cadence, (kind, change) in KINDS.items():
        names = [f"{user}:{cadence.value}:{turn}:{number}" for number in range(DUE)]
        key = KEYS[cadence]
        given = {"confidence": None, "state": "active", **change}
        made = [record(name, kind, **given, **{key: due_key(user, name, NOW)}) for name in names]
        source = record(f"{user}:{cadence.value}:{turn}:source", "Source")
        seed(graph, user, [*made, source], [(name, "RECORDED_IN", source["id"]) for name in names])


def fill(graph: Graph, memories: int) -> None:
    """Write them."""
    seeds = query_files.load(Path(__file__).parent / "cypher").items()
    graph._queries = {**graph._queries, **{f"bench/{name}": query for name, query in seeds}}
    batch: list[dict[str, Any]] = []
    for row in rows(memories):
        batch.append(row)
        if len(batch) == BATCH:
            graph.write("bench/add_records", batch, user_id=USER, created_at=to_iso(NOW - timedelta(days=2)))
            batch = []
    if batch:
        graph.write("bench/add_records", batch, user_id=USER, created_at=to_iso(NOW - timedelta(days=2)))


def measure(memories: int, scratch: Path) -> dict[Cadence, tuple[float, float]]:
    """Seconds of the clock of each cadence's cycle, and of the bare query before it."""
    settings = Settings(_env_file=None, home=scratch / "home", now=NOW, graph_heap="2g")
    graph = open_graph(settings)
    try:
        fill(graph, memories)
        due(graph, FIRST)
        for cadence in Cadence:
            run_cycle(graph, FIRST, cadence, NOW)
        taken: dict[Cadence, list[tuple[float, float]]] = {cadence: [] for cadence in Cadence}
        for turn in range(TURNS):
            due(graph, USER, turn)
            for cadence in Cadence:
                began = time.perf_counter()
                list_due(graph, USER, NOW, cadence, DUE)
                bare = time.perf_counter() - began
                began = time.perf_counter()
                cycle = run_cycle(graph, USER, cadence, NOW)
                taken[cadence].append((time.perf_counter() - began, bare))
                assert len(cycle.done) >= DUE, (cadence, cycle.steps)
        return {cadence: _medians(times) for cadence, times in taken.items()}
    finally:
        graph.close()
        embedded.stop(settings)


def _medians(times: list[tuple[float, float]]) -> tuple[float, float]:
    whole, bare = zip(*times, strict=True)
    return statistics.median(whole), statistics.median(bare)


def main(sizes: tuple[str, ...] = SIZES) -> None:
    """Print seconds by cadence and size, the ratio to the first size, and the share of the specification's budget."""
    print("\nA cycle of curation with the same 50 records due (seconds; of the bare query in brackets)")
    first: dict[Cadence, float] = {}
    for size in map(int, sizes):
        with tempfile.TemporaryDirectory() as scratch:
            taken = measure(size, Path(scratch))
        first = first or {cadence: seconds for cadence, (seconds, _) in taken.items()}
        shown = ", ".join(
            f"{cadence.value} {seconds:.2f} ({bare:.3f}) {seconds / first[cadence]:.2f}x, "
            f"{100 * seconds / BUDGET_SECONDS[cadence]:.0f} % of {BUDGET_SECONDS[cadence]:g} s"
            for cadence, (seconds, bare) in taken.items()
        )
        print(f"  {size:>9,} memories  {shown}", flush=True)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or SIZES)
