"""How much of the time in the graph is the graph's own: the bare driver writing the same rows, beside ours.

Some sources are ingested, processed and extracted with every write recorded; then a second engine, as fresh as the
first was, takes the same statements with the same rows from the driver alone, a transaction for a transaction. The
share is the bare driver's time in ours: at least 0.7 is wanted, so that checking rows, batching and retrying cost
little.

``python -m memory_assets_tests.bench.graph_share [SOURCES]``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import neo4j

from memory_assets.entities.extraction import Extractor
from memory_assets.graph import embedded
from memory_assets.graph.connection import Connection
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.llm.opening import open_models
from memory_assets.runtime.scope import RunScope
from memory_assets.settings import Settings
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.process import process_sources
from memory_assets_tests.bench.throughput import write_inbox

SOURCES = 300
WARM_UP = 60
WANTED = 0.7
STEPS = ("ingest", "process", "extract")

Transaction = list[tuple[str, dict[str, Any]]]


@dataclass
class Recorded:
    """What one step wrote, transaction by transaction, and the seconds: in writing, in reading, in all."""

    transactions: list[Transaction] = field(default_factory=list)
    writing: float = 0.0
    reading: float = 0.0
    whole: float = 0.0


class RecordingGraph(Graph):
    """A graph that keeps what is written, by step, and how long its callers waited for it."""

    step = Recorded()

    def read(self, name: str, **params: Any) -> list[dict[str, Any]]:
        """As ever, timed."""
        began = time.perf_counter()
        try:
            return super().read(name, **params)
        finally:
            self.step.reading += time.perf_counter() - began

    def write(self, *args: Any, **params: Any) -> list[dict[str, Any]]:
        """As ever, timed."""
        began = time.perf_counter()
        try:
            return super().write(*args, **params)
        finally:
            self.step.writing += time.perf_counter() - began

    def write_together(self, statements: Any) -> list[list[dict[str, Any]]]:
        """As ever, timed."""
        began = time.perf_counter()
        try:
            return super().write_together(statements)
        finally:
            self.step.writing += time.perf_counter() - began

    def _run(self, access: str, work: Callable[[Any], Any], name: str | None) -> Any:
        if access != neo4j.WRITE_ACCESS:
            return super()._run(access, work, name)

        def recorded(tx: neo4j.Transaction) -> Any:
            spy = _Spy(tx)
            result = work(spy)
            self.step.transactions.append(spy.ran)
            return result

        return super()._run(access, recorded, name)


class _Spy:
    """A transaction that keeps what it ran."""

    def __init__(self, tx: neo4j.Transaction) -> None:
        self._tx, self.ran = tx, []

    def run(self, text: str, params: dict[str, Any]) -> neo4j.Result:
        self.ran.append((text, params))
        return self._tx.run(text, params)  # type: ignore[arg-type]


@contextmanager
def engine(home: Path):
    """Settings of an embedded engine with its schema, stopped at the end."""
    settings = Settings(_env_file=None, home=home)
    opened = open_graph(settings)
    try:
        yield settings, opened
    finally:
        opened.close()
        embedded.stop(settings)


def record(home: Path, files: Path, sources: int) -> dict[str, dict[str, Recorded]]:
    """Run the three steps for a user to warm up and for the one that is measured; what each wrote."""
    found: dict[str, dict[str, Recorded]] = {}
    with engine(home) as (settings, opened):
        graph = RecordingGraph(opened._connection)
        for user, count in (("warm", WARM_UP), ("bench", sources)):
            write_inbox(files / user, count)
            found[user] = {step: Recorded() for step in STEPS}
            for step, seconds in _steps(graph, settings, user, files / user, found[user]):
                found[user][step].whole = seconds
    return found


def _steps(graph: RecordingGraph, settings: Settings, user: str, files: Path, found: dict[str, Recorded]):
    models, clock = open_models(settings), settings.clock
    works = {
        "ingest": lambda: ingest_paths(graph, user, [files], None, clock),
        "process": lambda: process_sources(graph, user, models.language, models.embedder, clock),
        "extract": lambda: Extractor(graph, models.language, models.embedder, clock, user, lambda _: None).run(
            RunScope()
        ),
    }
    for step, work in works.items():
        graph.step = found[step]
        began = time.perf_counter()
        work()
        yield step, time.perf_counter() - began


def replay(home: Path, found: dict[str, dict[str, Recorded]]) -> dict[str, float]:
    """Seconds that the bare driver takes for the same transactions, by step, on an engine of its own."""
    seconds: dict[str, float] = defaultdict(float)
    with engine(home) as (settings, _):
        connection = Connection(settings)
        try:
            driver = connection.driver()
            for user, steps in found.items():
                for step, recorded in steps.items():
                    began = time.perf_counter()
                    for transaction in recorded.transactions:
                        _write(driver, connection.database, transaction)
                    if user == "bench":
                        seconds[step] = time.perf_counter() - began
        finally:
            connection.close()
    return seconds


def _write(driver: neo4j.Driver, database: str | None, transaction: Transaction) -> None:
    with driver.session(database=database) as session, session.begin_transaction() as tx:
        for text, params in transaction:
            tx.run(text, params).consume()  # type: ignore[arg-type]
        tx.commit()


def main(sources: int = SOURCES) -> None:
    """Print sources per second by step, and the bare driver's share of our time in writing."""
    with tempfile.TemporaryDirectory() as scratch:
        found = record(Path(scratch) / "ours", Path(scratch) / "files", sources)
        bare = replay(Path(scratch) / "bare", found)
    print(
        f"\nThe graph's share ({sources} sources, local model; seconds; bare: the driver alone writing the same rows)"
    )
    print(f"  {'step':<10}{'sources/s':>10}{'in all':>9}{'reading':>9}{'writing':>9}{'bare':>9}{'share':>8}")
    steps = found["bench"]
    for step in STEPS:
        one = steps[step]
        print(
            f"  {step:<10}{sources / one.whole:>10.1f}{one.whole:>9.2f}{one.reading:>9.2f}{one.writing:>9.2f}"
            f"{bare[step]:>9.2f}{bare[step] / one.writing:>8.2f}"
        )
    writing = sum(one.writing for one in steps.values())
    print(
        f"  {'all':<10}{'':>28}{writing:>9.2f}{sum(bare.values()):>9.2f}{sum(bare.values()) / writing:>8.2f}  "
        f"(wanted: {WANTED})"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
