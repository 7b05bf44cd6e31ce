"""What all tests share: one running graph for the session, and a fresh owner for each test.

The graph is the embedded engine in a temporary home, or the Neo4j that ``NEO4J_URI`` names. The
settings of the machine it runs on do not reach the tests: no ``.env``, no variable of ours.

Several workers may share the modules among them (``pytest -n 3 --dist loadscope``): each module is one worker's, each
worker has a session of its own, with a graph of its own where the engine is the embedded one.

Property tests try the same cases each time and have no clock; ``pytest --hypothesis-profile explore`` tries new ones.
"""

from __future__ import annotations

import gc
import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dagster import DagsterInstance
from dagster._core.storage.defs_state.base import set_defs_state_storage
from hypothesis import HealthCheck, settings

from memory_assets.graph import embedded
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.runtime import resources
from memory_assets.settings import Settings
from memory_assets_tests.memory_file.world import NOW, World
from memory_assets_tests.support.house import House
from memory_assets_tests.support.neo4j_server.server import NEW_SERVER, worker_variables

NEO4J_VARIABLES = ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE")
SERVER = pytest.StashKey[str]()
WORKERS_SERVERS = pytest.StashKey[list[str]]()
# Many engines live for a minute or less here: compiling quickly costs half of what compiling well does, and collecting
# garbage in one thread a tenth less. And workers share the cores already: the threads of their sums would wait for each
# other.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
for _name, _value in (("JAVA_TOOL_OPTIONS", QUICK_JAVA), ("OPENBLAS_NUM_THREADS", "1")):
    os.environ.setdefault(_name, _value)
# How long a case takes, or finding one, says something of the machine, not of the code.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
settings.register_profile("explore", UNTIMED, print_blob=True)
settings.register_profile("repeatable", UNTIMED, derandomize=True, print_blob=True)
settings.load_profile("repeatable")
# What looks through the whole graph, before others fill it. Then whole houses at work, most of which wait; the longest
# first.
LONGEST = (
    "test_planning", "test_readme",
    "test_killed_house", "test_whole_house", "test_hostile_service", "test_openai_house", "test_runs_itself", "test_ui",
    "test_service", "test_steps", "test_recipes_and_workers", "test_packaging", "test_schedules", "test_latest_events",
    "test_history", "test_lazy_teams", "test_threshold", "test_inbox_sensor", "test_search", "test_levels_on_a_graph",
)  # fmt: skip
# Collected before any test changes the environment.
os.environ.update(worker_variables())
NEO4J = {name: os.environ[name] for name in NEO4J_VARIABLES if os.environ.get(name)}
SALT = "" if "NEO4J_URI" not in NEO4J or os.environ.get(NEW_SERVER) else secrets.token_hex(5)


@pytest.fixture(autouse=True)
def _only_our_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Settings made by a test start from nothing: an empty home, no model's key, no ``.env``."""
    for name in list(os.environ):
        if name.startswith(("MEMORY_ASSETS_", "OPENAI_")) and name != "MEMORY_ASSETS_TEST_CACHE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("MEMORY_ASSETS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMORY_ASSETS_ENV_FILE", os.devnull)  # for the processes that a test starts
    monkeypatch.setitem(Settings.model_config, "env_file", None)


@pytest.fixture(autouse=True)
def _no_resources_of_an_earlier_test() -> Iterator[None]:
    """A process opens its installation once; each test has one of its own, which a step run in this process must
    find.
    """
    yield
    if resources._graph.cache_info().currsize:
        resources._graph().close()
    resources._graph.cache_clear()
    resources._settings.cache_clear()


@pytest.fixture(autouse=True)
def _no_instance_of_an_earlier_test() -> Iterator[None]:
    """Dagster keeps the last instance entered in a variable; the context of a schedule or sensor leaves it there."""
    with set_defs_state_storage(None):
        yield


@pytest.fixture(scope="session")
def graph_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of the session's installation, engine included."""
    # All tests of a worker are in one graph: with the usual heap it collects garbage for most of the last minutes.
    home = tmp_path_factory.mktemp("installation")
    return Settings(_env_file=None, home=home, graph_heap="2g", **_neo4j_fields())


@pytest.fixture(scope="session")
def graph(graph_settings: Settings, pytestconfig: pytest.Config) -> Iterator[Graph]:
    """A running graph with its schema; all tests of the session share it, so use the ``user`` fixture."""
    opened = open_graph(graph_settings)
    pytestconfig.stash[SERVER] = opened.server_info()
    yield opened
    opened.close()
    embedded.stop(graph_settings)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[DagsterInstance]:
    """An instance with the storage of an installation, in which nothing is written of what a step prints."""
    folder = tmp_path / "instance"
    folder.mkdir()
    with DagsterInstance.local_temp(str(folder), overrides=_instance_of(folder)) as opened:
        yield opened


def _instance_of(folder: Path) -> Any:
    storage = {"module": "memory_assets.runtime.storage", "class": "SqliteStorage", "config": {"base_dir": str(folder)}}
    logs = {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}
    return {"storage": {"custom": storage}, "compute_logs": logs, "telemetry": {"enabled": False}}


@pytest.fixture
def house(graph: Graph, user: str, tmp_path: Path, instance: DagsterInstance) -> House:
    """An installation of one owner that runs on this instance."""
    return House(graph, tmp_path / "home", instance, user)


@pytest.fixture
def world(graph: Graph, user: str, tmp_path: Path) -> World:
    """The world of memories that graph tests of several rooms start from."""
    return World(graph, user, Settings(_env_file=None, home=tmp_path / "home", now=NOW))


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of somebody who uses agents."""
    place = tmp_path.resolve() / "person"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCLAW_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """A user id that no other test has, and that this one has each time."""
    return owner_for(request.node.nodeid)


def owner_for(whom: str) -> str:
    """A user id by a name that is unique among the tests.

    All identifiers follow from the owner's: by chance, one of thousands of them would hold just the digits that a
    test looks for, or come in another order. So each run has the same, but in a graph that others may have used.
    """
    return f"u-{hashlib.sha256(f'{SALT}{whom}'.encode()).hexdigest()[:10]}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What uses the graph runs on both engines, but for what says that it has its own, or that nothing in it depends
    on which it is; the longest modules begin first, so that no worker ends late.
    """
    for item in items:
        if item.get_closest_marker("own_engine"):
            if "NEO4J_URI" in NEO4J:
                item.add_marker(pytest.mark.skip(reason="on the embedded engine alone"))
        elif "graph" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.graph)
    items.sort(key=_turn)  # stable: within a module the order stays


def pytest_collection_finish() -> None:
    """What is there by now, all modules and tests, stays to the end: the collector looks at what came later alone,
    and less often than after each 700 objects. A twentieth of a worker's time was looking for garbage.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 30)


def _turn(item: pytest.Item) -> int:
    name = item.path.stem
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def pytest_report_header(config: pytest.Config) -> str:
    """Say which engine the graph tests will use, before they run."""
    return f"graph: {'Neo4j at ' + NEO4J['NEO4J_URI'] if 'NEO4J_URI' in NEO4J else 'the embedded engine'}"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker tells the session that started it which server it has used."""
    told = getattr(session.config, "workeroutput", None)
    if told is not None:
        told["server"] = session.config.stash.get(SERVER, None)


def pytest_configure(config: pytest.Config) -> None:
    """What the tests write has the usual modes, whoever starts them: a folder open to all would be refused.

    Matplotlib's list of fonts is a second's work: made once, in pytest's own cache, not once for each home.
    """
    os.umask(0o022)
    cache = getattr(config, "cache", None)
    if cache is not None:
        os.environ.setdefault("MPLCONFIGDIR", str(cache.mkdir("matplotlib")))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What a worker has told."""
    if server := getattr(node, "workeroutput", {}).get("server"):
        node.config.stash.setdefault(WORKERS_SERVERS, []).append(server)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say which servers and versions they did use."""
    own = config.stash.get(SERVER, None)
    for server in sorted({*config.stash.get(WORKERS_SERVERS, []), *([own] if own else [])}):
        terminalreporter.write_line(f"graph tests ran on {server}")


def _neo4j_fields() -> dict[str, str]:
    return {name: value for name, value in NEO4J.items()} if "NEO4J_URI" in NEO4J else {}
