"""The embedded host: found, started, stopped, killed, recovered; two homes never meet."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from memory_assets.errors import GraphUnavailableError
from memory_assets.files.resident import STATE_FILE, read_state, write_state
from memory_assets.graph import embedded
from memory_assets.graph.graph import open_graph
from memory_assets.graph.host import CACHED_STATEMENTS
from memory_assets.graph.query_files import catalogue
from memory_assets.settings import Settings
from memory_assets_tests.graph.probes import probing
from memory_assets_tests.support.processes import files_of, listened_on

pytestmark = [pytest.mark.own_engine, pytest.mark.slow]


def installation(home: Path, **fields: str) -> Settings:
    return Settings(_env_file=None, home=home, **fields).model_copy(update={"neo4j_uri": None})


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Settings]:
    settings = installation(tmp_path / "one")
    yield settings
    embedded.stop(settings)


def put(settings: Settings, user: str, value: str) -> None:
    graph = probing(settings)
    graph.write("probe/upsert_probes", [{"id": user, "value": value, "at": None}], user_id=user)
    graph.close()


def test_a_host_lives_survives_and_ends(home: Settings, user: str) -> None:
    assert embedded.status(home)["running"] is False
    assert embedded.stop(home) is False
    first = embedded.start(home)

    # Owner-only, whatever the umask; listening on the loopback only; the password shows nowhere.
    assert stat.S_IMODE(home.graph_home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home.graph_home / STATE_FILE).stat().st_mode) == 0o600
    process = embedded.host(home).process_of(first)
    assert process is not None
    assert listened_on([process]) == {"127.0.0.1"}
    assert not any(first.password in word for word in process.cmdline())
    assert first.password not in repr(first) + str(embedded.status(home))
    readable = [path for path, found in files_of(home.graph_home) if found.st_mode & 0o077]
    assert [path.name for path in readable if path.suffix != ".lock"] == []
    assert process.cwd() == str(home.graph_home)

    # Found again at once, by the same state; no second host.
    open_graph(home).close()
    open_graph(home).close()
    assert embedded.start(home) == first

    # Killed, with a client connected: the client recovers by itself, and the data is there.
    graph = probing(home)
    graph.write("probe/upsert_probes", [{"id": user, "value": "before", "at": None}], user_id=user)
    process.kill()
    process.wait(300)
    assert [row["value"] for row in graph.read("probe/list_probes", user_id=user)] == ["before"]
    second = read_state(home.graph_home)
    assert second is not None and second.pid != first.pid and second.password != first.password

    # Ended in order: nothing is left, and the next start has the data.
    assert embedded.stop(home) is True
    assert embedded.host(home).process_of(second) is None
    assert not (home.graph_home / STATE_FILE).exists()
    assert [row["value"] for row in graph.read("probe/list_probes", user_id=user)] == ["before"]
    graph.close()


def test_stale_states_are_seen_through(home: Settings, user: str) -> None:
    state = embedded.start(home)
    put(home, user, "kept")
    own = psutil.Process()

    # Another process has the number now: it is not ours to trust, and above all not ours to end.
    write_state(home.graph_home, replace(state, pid=own.pid, process_created=own.create_time()))
    assert embedded.find(home) is None
    # A file that nobody can read, or that misses something, is no state.
    (home.graph_home / STATE_FILE).write_text('{"pid": 1')
    assert embedded.find(home) is None
    (home.graph_home / STATE_FILE).write_text(json.dumps({"pid": 1}))
    assert embedded.find(home) is None
    # The host lives, but its state is lost: it is ended, since nobody can have its password.
    (home.graph_home / STATE_FILE).unlink()
    lost, state = state, embedded.start(home)
    assert state.pid != lost.pid and not psutil.pid_exists(lost.pid)
    # The host lives, but not where the state says: it is ended, and a new one started.
    write_state(home.graph_home, replace(state, port=1))
    assert embedded.find(home) is None
    restarted = embedded.start(home)
    assert restarted.pid != state.pid and not psutil.pid_exists(state.pid)
    assert [row["value"] for row in probing(home).read("probe/list_probes", user_id=user)] == ["kept"]


def test_two_homes_never_meet(home: Settings, tmp_path: Path, user: str) -> None:
    other = installation(tmp_path / "two")
    try:
        one, two = embedded.start(home), embedded.start(other)
        assert one.port != two.port and one.password != two.password and one.pid != two.pid
        put(home, user, "one")
        assert probing(other).read("probe/list_probes", user_id=user) == []
        embedded.stop(other)
        assert embedded.status(home)["running"] is True
    finally:
        embedded.stop(other)


ENGINE = """
import os, sys
from pathlib import Path
from memory_assets.graph import host
folder = Path(sys.argv[1])
os.chdir(folder)
server, _ = host._start_engine(folder, "256m")
from jpype import JClass
known = JClass("com.arcadedb.GlobalConfiguration")
taken = server.get_database(host.DATABASE).get_java_database().getConfiguration()
print(*(int(taken.getValueAsInteger(one)) for one in (known.OPENCYPHER_STATEMENT_CACHE, known.OPENCYPHER_PLAN_CACHE)))
sys.stdout.flush()
os._exit(0)
"""


def test_a_database_keeps_each_statement_of_the_catalogue(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", ENGINE, str(tmp_path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    kept = [int(word) for word in done.stdout.split()]
    # As it is written, by its parameters, and whether it writes: an engine has up to three entries for each.
    assert kept == [CACHED_STATEMENTS] * 2 and CACHED_STATEMENTS >= 3 * len(catalogue())


def test_a_host_that_cannot_start_says_why(tmp_path: Path) -> None:
    settings = installation(tmp_path / "broken")
    settings.graph_home.mkdir(parents=True)
    (settings.graph_home / "databases").write_text("a file where a folder must be")
    with pytest.raises(GraphUnavailableError, match="host.log") as failed:
        embedded.start(settings)
    assert "databases" in str(failed.value)
    assert embedded.status(settings)["running"] is False


def test_many_who_need_it_at_once_get_one_host(home: Settings) -> None:
    command = [
        sys.executable, "-c",
        "from memory_assets.settings import load_settings; from memory_assets.graph import embedded;"
        "print(embedded.start(load_settings()).pid)",
    ]  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NEO4J_")}
    environment["MEMORY_ASSETS_HOME"] = str(home.home)
    asking = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    answers = {process.communicate(timeout=300)[0] for process in asking}
    assert len(answers) == 1 and answers.pop().strip().isdigit()
