"""Consolidation that is asked of the server: at once an operation, in the end what it has done."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import date
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import requests

from memory_assets.client import ClientError, Memory
from memory_assets.commands.consolidating import Wanted, figures
from memory_assets.graph import embedded
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.keys.issuing import add_key
from memory_assets.keys.policy import Scope
from memory_assets.server import operations
from memory_assets.server.host import application
from memory_assets.server.process import resident, start
from memory_assets.settings import Settings
from memory_assets_tests.server.conftest import NOW, Client, client_of, served
from memory_assets_tests.support.installation import NOW as HOUSE_NOW
from memory_assets_tests.support.installation import write_conversation
from memory_assets_tests.support.processes import free_port

SECONDS = 300


DAY = date(2026, 10, 1)


@pytest.mark.parametrize(
    ("is_dry", "expected"),
    [
        (True, {"deduped": 3, "compressed": 4, "forgotten": 10}),
        (False, {"deduped": 3, "compressed": 8, "forgotten": 13}),
    ],
)
def test_figures_are_of_the_plan_in_a_dry_run_and_else_of_what_was_done(is_dry: bool, expected: dict[str, int]) -> None:
    said = {
        "consolidated_memories": {"sources_archived": 6, "statements_archived": 7},
        "curated_memories": {"merged": 3, "condensed": 2, "pruned": 5, "archived": 1},
    }
    plan = {"ref": "482915037", "why": "age", "source_ids": ["a", "b"], "folded_ids": ["c", "d", "e", "f"]}
    found = figures(said, [plan], is_dry=is_dry)
    assert found.pop("plan", None) == (
        [{"action": "consolidate", "ref": "482915037", "reason": "age"}] if is_dry else None
    )
    assert found == expected
    assert figures({}, [], is_dry=False) == {"deduped": 0, "compressed": 0, "forgotten": 0}


@pytest.mark.parametrize(
    ("wanted", "scope"),
    [
        (Wanted(True), {"consolidation": "plan", "dry_run": True}),
        (Wanted(False), {"consolidation": "all"}),
        (Wanted(True, DAY), {"consolidation": "plan", "dry_run": True, "until": "2026-10-01"}),
        (Wanted(False, DAY), {"consolidation": "all", "dry_run": True, "until": "2026-10-01"}),
    ],
)
def test_what_is_asked_for_is_the_scope_of_its_run_and_read_from_it(wanted: Wanted, scope: dict[str, Any]) -> None:
    assert wanted.scope == scope
    run = dg.DagsterRun(job_name="x", run_config={"resources": {"scope": {"config": scope}}})
    assert Wanted.of(run) == wanted
    assert Wanted.of(dg.DagsterRun(job_name="x", run_config={})) == Wanted(False)


@pytest.mark.graph
def test_an_operation_that_is_none_is_unknown_and_a_key_of_one_project_asks_for_none(
    graph: Graph, url: str, client: Client, user: str
) -> None:
    refused = client.get("/operations/0")
    assert refused.status_code == 404 and "has no operation '0'" in refused.json()["error"]
    bound = Client(url, add_key(graph, user, "codex", list(Scope), NOW, project="harbor")[1])
    assert bound.post("/consolidate").status_code == bound.get("/operations/0").status_code == 403
    assert client_of(graph, url, user, Scope.READ, Scope.WRITE).post("/consolidate").status_code == 403
    assert client.post("/consolidate", {"older_than": "2026"}).status_code == 422


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    monkeypatch.setenv("MEMORY_ASSETS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMORY_ASSETS_NOW", HOUSE_NOW)
    settings = Settings(_env_file=None, home=tmp_path / "home", server_port=free_port())
    yield settings
    resident(settings).stop()
    embedded.stop(settings)


def ended(memory: Memory, operation: str) -> dict[str, Any]:
    """What became of an operation."""
    until = time.monotonic() + SECONDS
    pause = threading.Event()
    while (found := memory.operation(operation))["state"] == "working":
        assert time.monotonic() < until, found
        pause.wait(0.2)
    return dict(found)


@pytest.mark.own_engine
@pytest.mark.slow
def test_a_dry_run_is_answered_with_what_it_would_do_where_that_is_soon_there(
    home: Settings, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = open_graph(home)
    write_conversation(home.inbox / user / "boat.jsonl", "boat", "2026-01-05", [("user", "Nora", "The sails are red.")])
    with served(application(graph, home)) as url:
        client = client_of(graph, url, user, *Scope)
        monkeypatch.setattr(operations, "DRY_RUN_SECONDS", SECONDS)
        answered = client.post("/consolidate", {"older_than": "2026-11-01T09:00:00Z"})
        found = answered.json()
        assert (answered.status_code, found["state"], found["dry_run"]) == (200, "done", True), found
        assert (found["older_than"], found["plan"]) == ("2026-11-01", [])
        figures_of = ("deduped", "compressed", "forgotten", "contradictions_found")
        assert {name: found[name] for name in figures_of} == dict.fromkeys(figures_of, 0)
        assert client.get(f"/operations/{found['operation']}").json() == found
        monkeypatch.setattr(operations, "DRY_RUN_SECONDS", 0.0)
        answered = client.post("/consolidate", {})
        said = {"operation": answered.json()["operation"], "state": "working", "dry_run": True}
        assert answered.status_code == 202 and answered.json() == said
        assert ended(Memory(url, client.token, timeout=60), said["operation"])["state"] == "done"
        answered = client.post("/consolidate", {"dry_run": False})
        assert answered.status_code == 202 and answered.json()["state"] == "working"
        assert ended(Memory(url, client.token, timeout=60), answered.json()["operation"])["state"] == "done"


@pytest.mark.own_engine
@pytest.mark.slow
def test_an_operation_is_answered_at_once_goes_on_by_itself_and_is_its_users_alone(home: Settings, user: str) -> None:
    url = f"http://127.0.0.1:{start(home).port}"
    graph, now = open_graph(home), home.clock.now()
    write_conversation(home.inbox / user / "boat.jsonl", "boat", "2026-01-05", [("user", "Nora", "The sails are red.")])
    memory = Memory(url, add_key(graph, user, "codex", list(Scope), now)[1], timeout=60)
    other = Memory(url, add_key(graph, "other", "codex", list(Scope), now)[1], timeout=60)

    # Many ask at once: it is one, and whoever has started it alone waits for its end. Another kind of it waits for its
    # end, and nobody else knows it.
    asking = ThreadPoolExecutor(5)
    asked = as_completed([asking.submit(memory.consolidate) for _ in range(5)])
    others = [dict(next(asked).result()) for _ in range(4)]
    operation = others[0]["operation"]
    assert others == 4 * [{"operation": operation, "state": "working", "dry_run": True}]
    with pytest.raises(ClientError, match="at work") as busy:
        memory.consolidate(dry_run=False)
    assert busy.value.status == 409 and busy.value.is_retryable
    with pytest.raises(ClientError, match="has no operation") as unknown:
        other.operation(operation)
    assert unknown.value.status == 404

    # The server ends meanwhile: the run does not, and the next server knows it.
    resident(home).stop()
    asking.shutdown()
    start(home)
    found = ended(memory, operation)
    assert found["state"] == "done" and found["dry_run"] is True and found["plan"] == [], found
    assert found["contradictions_found"] == 0 == found["deduped"]
    with pytest.raises(ClientError, match="has no operation"):
        other.operation(operation)

    older = memory.consolidate(dry_run=False, older_than="2026-01-01")
    assert older == {"operation": older["operation"], "state": "working", "dry_run": False, "older_than": "2026-01-01"}
    with pytest.raises(ClientError, match="at work"):
        memory.consolidate(dry_run=False)
    found = ended(memory, older["operation"])
    assert found["state"] == "done" and found["older_than"] == "2026-01-01" and found["compressed"] == 0

    carried_out = memory.consolidate(dry_run=False)
    assert carried_out["operation"] != operation
    assert ended(memory, carried_out["operation"])["state"] == "done"
    # Its process takes a while to end: what has ended is not in the way of the next one.
    assert memory.consolidate()["operation"] not in (operation, carried_out["operation"])
    headers = {"Authorization": "Bearer mem_wrong"}
    assert requests.get(f"{url}/operations/{operation}", headers=headers, timeout=60).status_code == 401
