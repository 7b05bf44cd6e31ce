"""What may happen in a cycle: the engine or the process is killed, the disk is full. The next one finishes it.

Nothing is lost by that, and nothing is done twice.
"""

from __future__ import annotations

import os
import random
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from memory_assets.clock import to_iso
from memory_assets.curation.cadences import Cadence
from memory_assets.curation.cycle import run_cycle
from memory_assets.errors import GraphQueryError, GraphUnavailableError
from memory_assets.graph import embedded
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.settings import Settings
from memory_assets_tests.curation.many_graphs import NOW, WIDE, seed_graphs
from memory_assets_tests.curation.test_cycles import fates, rested
from memory_assets_tests.support.neo4j_server import server

pytestmark = [pytest.mark.graph, pytest.mark.slow, pytest.mark.soak]
GRAPHS, RECORDS = 25, 8
WHOLE, HIT = "u-whole", "u-hit"


class Embedded:
    """An engine of our own, on a home of its own."""

    def __init__(self, home: Path) -> None:
        self.settings = Settings(_env_file=None, home=home).model_copy(update={"neo4j_uri": None})

    def kill(self) -> None:
        """As a power cut does."""
        state = embedded.find(self.settings)
        process = embedded.host(self.settings).process_of(state) if state else None
        if process is not None:
            process.kill()
            process.wait(60)

    def mend(self) -> None:
        """Whoever needs it next starts it."""

    def end(self) -> None:
        embedded.stop(self.settings)


class Neo4j:
    """The same of Neo4j, which somebody else has to start again."""

    def __init__(self, home: Path) -> None:
        home.mkdir()
        self.home, self.password = home, secrets.token_urlsafe(24)
        self.process, self.port = server.start(home, self.password)
        variables = server.variables_of(self.port, self.password)
        self.settings = Settings(_env_file=None, home=home / "own", **variables)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def mend(self) -> None:
        server.end(self.process)
        self.process, _ = server.start(self.home, self.password, self.port)

    def end(self) -> None:
        server.end(self.process)


@pytest.fixture(params=[Embedded, Neo4j])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Embedded | Neo4j]:
    is_neo4j = "NEO4J_URI" in os.environ
    if is_neo4j is not (request.param is Neo4j):
        pytest.skip("with the other engine")
    one = request.param(tmp_path / "engine")
    yield one
    one.end()


@contextmanager
def opened(settings: Settings) -> Iterator[Graph]:
    """A graph with two owners of whom the same is due: one whose cycles nothing has hit, and another one."""
    graph = open_graph(settings)
    for user in (WHOLE, HIT):
        seed_graphs(graph, user, GRAPHS, RECORDS, random.Random(7))
    rested(graph, WHOLE)
    try:
        yield graph
    finally:
        graph.close()


@contextmanager
def before_write(graph: Graph, number: int, act: Callable[[], None]) -> Iterator[None]:
    """Do something before a graph's write of that number."""
    written, calls = graph.write_together, iter(range(10_000))

    def writing(statements: Any) -> Any:
        if next(calls) == number:
            act()
        return written(statements)

    graph.write_together = writing  # type: ignore[method-assign]
    try:
        yield
    finally:
        del graph.write_together  # type: ignore[method-assign]


def cycles(graph: Graph, user: str) -> None:
    for cadence in Cadence:
        run_cycle(graph, user, cadence, NOW, rules=WIDE)


def check_nothing_lost_or_done_twice(graph: Graph) -> None:
    rested(graph, HIT)
    assert fates(graph, HIT) == fates(graph, WHOLE)
    asked = "MATCH (a:CurationAudit {user_id: $u}) RETURN a.memory_id AS id, a.action AS action"
    one, other = (
        sorted((row["id"].removeprefix(user), row["action"]) for row in graph.query_read_only(asked, {"u": user}))
        for user in (WHOLE, HIT)
    )
    assert {key for key, action in one if action != "archive"} == {key for key, action in other if action != "archive"}
    assert len(other) == len(set(other)), "an audit is there twice"


def test_the_engine_is_killed_and_started_again_in_a_cycle(engine: Embedded | Neo4j) -> None:
    """Before a write, while one is under way: the cycle goes on, or says that the graph has stopped answering."""
    chance = random.Random(3)
    with opened(engine.settings) as graph:
        for number in range(4):
            later = threading.Timer(chance.random() / 20, engine.kill)
            try:
                with before_write(graph, number // 2, engine.kill if number % 2 else later.start):
                    cycles(graph, HIT)
            except GraphUnavailableError as error:
                assert "stopped answering" in str(error) or "cannot be reached" in str(error)
            later.cancel()
            engine.mend()
        check_nothing_lost_or_done_twice(graph)


CHILD = """
from memory_assets.settings import load_settings
from memory_assets.graph.graph import open_graph
from memory_assets_tests.curation.test_faults import HIT, cycles
graph = open_graph(load_settings())
print("began", flush=True)
cycles(graph, HIT)
print("ended", flush=True)
"""


def test_a_process_is_killed_at_random_moments_of_a_cycle(engine: Embedded | Neo4j) -> None:
    chance, ends = random.Random(5), []
    settings = engine.settings
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NEO4J_")}
    environment |= {"MEMORY_ASSETS_HOME": str(settings.home), "MEMORY_ASSETS_NOW": to_iso(NOW) or ""}
    if isinstance(engine, Neo4j):
        environment |= server.variables_of(engine.port, engine.password)
    with opened(settings) as graph:
        for _ in range(4):
            with subprocess.Popen(
                [sys.executable, "-c", CHILD], env=environment, stdout=subprocess.PIPE, text=True
            ) as child:
                assert child.stdout is not None and child.stdout.readline() == "began\n"
                with suppress(subprocess.TimeoutExpired):
                    child.wait(chance.random() * 0.5)
                child.kill()
                ends.append(child.stdout.read())
        assert "" in ends, "none was killed on its way"
        check_nothing_lost_or_done_twice(graph)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of little room."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(file: Path) -> None:
    """Until nothing more goes on its disk."""
    with file.open("wb", buffering=0) as stream, suppress(OSError):
        for size in (1 << 20, 1 << 12):
            with suppress(OSError):
                while stream.write(b"x" * size) == size:
                    pass


@pytest.mark.skipif("NEO4J_URI" in os.environ, reason="Neo4j's disk is not ours")
@pytest.mark.parametrize("number", [0, 2])
def test_the_disk_is_full_in_a_cycle(small_disk: Path, number: int) -> None:
    """The cycle says so; once there is room again, the next one finishes."""
    engine, filler = Embedded(small_disk / "home"), small_disk / "filler"
    try:
        with opened(engine.settings) as graph:
            with before_write(graph, number, lambda: fill(filler)):
                try:
                    cycles(graph, HIT)
                except (GraphUnavailableError, GraphQueryError) as error:
                    print(error)
                else:
                    pytest.fail("the disk was not full")
            filler.unlink()
            check_nothing_lost_or_done_twice(graph)
    finally:
        engine.end()
