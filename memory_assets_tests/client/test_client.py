"""The client against the real server; what it sends for what the server answers elsewhere; what it needs to load."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memory_assets
from memory_assets.client import AsyncMemory, ClientError, Memory, RequestRefusedError, ServerUnreachableError
from memory_assets.client.local import key_of
from memory_assets.client.memory import _go_on
from memory_assets.client.transport import DEFAULT_URL
from memory_assets.graph.graph import Graph
from memory_assets.keys.policy import Scope
from memory_assets.server.parts import part_of
from memory_assets.settings import Settings
from memory_assets_tests.client.conftest import Answering, bare_seconds, processor_seconds
from memory_assets_tests.server.conftest import client_of
from memory_assets_tests.sessions.turns import TURNS
from memory_assets_tests.support.processes import free_port

pytestmark = pytest.mark.own_engine
PACKAGE = Path(memory_assets.__file__).parent


def memory_of(graph: Graph, url: str, user: str, *scopes: Scope) -> Memory:
    return Memory(url, client_of(graph, url, user, *(scopes or Scope)).token)


def test_what_is_remembered_is_recalled_opened_and_used(graph: Graph, url: str, user: str) -> None:
    memory = memory_of(graph, url, user)
    said = memory.remember("Nora keeps bees in Skagness.", about=["Nora"], idempotency_key="bees")
    assert said["is_new"] and said["durable"] and said["recallable"]
    assert memory.remember("Nora keeps bees in Skagness.", about=["Nora"], idempotency_key="bees")["is_new"] is False
    found = memory.recall("Where are the bees?", budget=200, since=date(2026, 1, 1), about=("Nora",))
    assert "Skagness" in found["text"] and found["tokens"] <= 200 and not found["abstained"]
    assert memory.recall("Where are the bees?", since="2027-01-01")["abstained"]
    day = datetime(2026, 11, 1, 1, tzinfo=UTC)
    assert "Skagness" in memory.recall("Where are the bees?", since=day, until=day, surface={"tokens": 200})["text"]
    opened = memory.open(f"[{said['ref']}]", budget=500)
    assert opened["text"] == "Nora keeps bees in Skagness." and opened["agent"] == "codex"
    assert memory.used(cited=[said["ref"]], ignored=["000000000"], action="a letter")["cited"] == 1
    held = memory.remember("The ferry leaves at nine.", valid_from=date(2026, 10, 1), valid_to="2026-10-31")
    opened = memory.open(held["ref"])
    assert (opened["valid_from"], opened["valid_to"], opened["more"]) == ("2026-10-01", "2026-10-31", None)
    assert memory.contradictions() == []
    assert memory.status()["user"] == user


def test_turns_come_back_as_they_were_added(graph: Graph, url: str, user: str) -> None:
    memory = memory_of(graph, url, user)
    said = [f"{number}: {'boats in the harbor ' * 300}" for number in range(40)]
    said[2] = "The marmalade needs 900 grams of sugar.\r\n" + "蜂 🐝 Größe \x00" * 20_000
    assert memory.add_turns("t-1", [{"role": "user", "content": text} for text in said])["evicted"] > 10
    assert [turn["content"] for turn in memory.turns("t-1", refs=["0-39"])] == said
    seen = memory.session("t-1")
    left = memory.turns("t-1")
    assert [turn["content"] for turn in left] == said[: len(left)] and seen["left"] == f"0-{len(left) - 1}"
    assert memory.turns("t-1", about="How much sugar?")[0]["content"] == said[2]
    assert seen["turns"] == 40 and [turn["ref"] for turn in seen["working"]][-1] == "39"


@given(st.lists(TURNS, min_size=1, max_size=8), st.integers(50, 400))
def test_the_parts_of_an_answer_are_put_together_again(said: list[dict[str, Any]], budget: int) -> None:
    rows = [{"ref": str(number), **one, "is_cut": False} for number, one in enumerate(said)]
    answer = {"session": "s", "left": None, "summary": "word " * 200, "working": rows, "retrieved": [], "of": {"n": 1}}
    whole: dict[str, Any] = {}
    more: str | None = ""
    while more is not None:
        part = part_of(answer, budget, more)
        more = part.pop("more")
        _go_on(whole, part, "ref")
    assert whole == answer


def test_the_same_is_awaited_and_many_at_once(graph: Graph, url: str, user: str) -> None:
    token = client_of(graph, url, user, *Scope).token

    async def run() -> list[str]:
        memory = AsyncMemory(url, token)
        await memory.remember("The harbor freezes in March.")
        found = await asyncio.gather(*(memory.recall("When does the harbor freeze?") for _ in range(10)))
        return [one["text"] for one in found]

    assert all("March" in text for text in asyncio.run(run()))


def test_the_server_is_found_by_its_state_and_the_key_by_the_environment(
    graph: Graph, url: str, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home" / "server").mkdir(parents=True)
    (tmp_path / "home" / "server" / "server.json").write_text(
        json.dumps({"pid": os.getpid(), "port": int(url.rpartition(":")[2])})
    )
    monkeypatch.setenv("MEMORY_ASSETS_TOKEN", client_of(graph, url, user, Scope.READ).token)
    assert Memory().status()["user"] == user


def test_where_no_state_is_the_server_has_its_usual_port() -> None:
    assert f"http://127.0.0.1:{Settings(_env_file=None).server_port}" == DEFAULT_URL


def test_what_fails_is_said_in_the_servers_words(graph: Graph, url: str, user: str) -> None:
    with pytest.raises(RequestRefusedError, match="tokens add") as refused:
        Memory(url, "mem_wrong").status()
    assert refused.value.status == 401 and not refused.value.is_retryable
    with pytest.raises(RequestRefusedError, match="read") as refused:
        memory_of(graph, url, user, Scope.WRITE).recall("bees")
    assert refused.value.status == 403
    memory = memory_of(graph, url, user)
    with pytest.raises(RequestRefusedError, match="000000000") as refused:
        memory.open("000000000")
    assert refused.value.status == 404
    with pytest.raises(RequestRefusedError, match="budget") as refused:
        memory.recall("bees", budget=1)
    assert refused.value.status == 422
    with pytest.raises(RequestRefusedError):
        memory.resolve("no/such one", "a_wins")


def test_a_key_of_ones_own_that_is_refused_is_made_anew_once(home: Path, answering: Answering) -> None:
    key = home / "connections" / "python-maya.key"
    key.write_text("mem_revoked\n")
    memory = Memory(answering.url, key_of(home, "maya"))
    memory._transport.renewed = partial(key_of, home, "maya")
    key.write_text("mem_new\n")  # another program has made one since
    answering.says({"error": "no such key"}, 401)
    for sent in (["mem_revoked", "mem_new"], ["mem_new"]):
        answering.arrived.clear()
        with pytest.raises(RequestRefusedError, match="no such key"):
            memory.status()
        assert [one.headers["Authorization"] for one in answering.arrived] == [f"Bearer {token}" for token in sent]


def test_where_nothing_answers_it_says_so_and_no_key_is_in_any_error(
    answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ServerUnreachableError, match="server start") as failed:
        Memory(f"http://127.0.0.1:{free_port()}", "mem_secret").status()
    assert failed.value.is_retryable and "mem_secret" not in str(failed.value)
    with pytest.raises(ClientError, match="tokens add"):
        Memory(answering.url)
    for token in ("mem_secret\nX-Other: 1", "mem_sécret"):
        with pytest.raises(ClientError, match="printable") as refused:
            Memory(answering.url, token)
        assert "secret" not in str(refused.value)
    with pytest.raises(ClientError, match="no address"):
        Memory("file:///etc", "mem_secret")
    answering.content = b"<html>a proxy</html>"
    with pytest.raises(ClientError, match="no server of memory-assets"):
        Memory(answering.url, "mem_secret").status()
    answering.status = 503
    with pytest.raises(RequestRefusedError, match="503") as busy:
        Memory(answering.url, "mem_secret").status()
    assert busy.value.is_retryable


def test_an_answer_has_its_time(answering: Answering) -> None:
    import threading

    answering.silent = threading.Event()
    with pytest.raises(ServerUnreachableError, match="0.2 s"):
        Memory(answering.url, "mem_secret", timeout=0.2).status()


NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
SENT: list[tuple[str, tuple[Any, ...], dict[str, Any], str, str, Any]] = [
    ("context", ("mend it",), {"files": ["a.py"], "budget": 900}, "POST", "/context/assemble",
     {"task": "mend it", "files": ["a.py"], "budget": 900}),
    ("context", (), {}, "POST", "/context/assemble", {}),
    ("predict", (), {"file_opened": "a.py", "at": NOON}, "POST", "/context/predict",
     {"file_opened": "a.py", "at": "2026-11-01T12:00:00+00:00"}),
    ("correct", ("[482915037]", "Two."), {"reason": "a slip"}, "PATCH", "/memories/482915037",
     {"text": "Two.", "reason": "a slip"}),
    ("correct", ("482915037",), {"reason": "a slip"}, "DELETE", "/memories/482915037?reason=a+slip", None),
    ("undo", ("482915037",), {}, "POST", "/memories/482915037/undo", {}),
    ("add_turns", ("s/1", [{"role": "user", "content": "Hi"}]), {}, "POST", "/sessions/s%2F1/turns",
     {"turns": [{"role": "user", "content": "Hi"}]}),
    ("session", ("s-1",), {}, "GET", "/sessions/s-1", None),
    ("end_session", ("s-1",), {}, "POST", "/sessions/s-1/end", {}),
    ("open", ("482915037",), {"level": "summary"}, "GET", "/memories/482915037?level=summary", None),
    ("resolve", ("c-1", "merged"), {"note": "Both."}, "POST", "/contradictions/c-1/resolve",
     {"resolution": "merged", "note": "Both."}),
    ("consolidate", (), {}, "POST", "/consolidate", {"dry_run": True}),
    ("consolidate", (), {"dry_run": False}, "POST", "/consolidate", {"dry_run": False}),
    ("operation", ("o/1",), {}, "GET", "/operations/o%2F1", None),
    ("recall", ("bees",), {"all_projects": True}, "POST", "/recall", {"question": "bees", "all_projects": True}),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "given", "named", "method", "path", "body"), SENT)
def test_what_was_given_is_sent_and_nothing_else(
    answering: Answering, verb: str, given: tuple[Any, ...], named: dict[str, Any], method: str, path: str, body: Any
) -> None:
    answering.says({"ref": "482915037"})
    memory = Memory(answering.url, "mem_secret", project="harbor")
    assert getattr(memory, verb)(*given, **named) == {"ref": "482915037"}
    (arrived,) = answering.arrived
    assert (arrived.method, arrived.path) == (method, path)
    assert (json.loads(arrived.body) if arrived.body else None) == body
    assert arrived.headers["Authorization"] == "Bearer mem_secret"
    assert arrived.headers["X-Memory-Project"] == "harbor"


def test_where_a_program_works_is_said_where_it_names_no_project(
    answering: Answering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for named, folder, project in ((None, str(tmp_path), None), ("harbor", None, "harbor"), ("", None, None)):
        answering.says({"user": "maya"})
        Memory(answering.url, "mem_secret", project=named).status()
        headers = answering.arrived[-1].headers
        assert (headers.get("X-Memory-Folder"), headers.get("X-Memory-Project")) == (folder, project)


def test_both_clients_have_the_same_verbs() -> None:
    verbs = {name for name in vars(Memory) if not name.startswith("_")}
    assert verbs == {name for name in vars(AsyncMemory) if not name.startswith("_")} and len(verbs) == 18


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """A folder with the client and nothing else of ours."""
    (tmp_path / "memory_assets").mkdir()
    shutil.copy(PACKAGE / "__init__.py", tmp_path / "memory_assets")
    shutil.copytree(PACKAGE / "client", tmp_path / "memory_assets" / "client")
    return tmp_path


def test_it_works_where_nothing_else_is_installed(alone: Path, answering: Answering) -> None:
    answering.says({"user": "maya"})
    program = (
        f"import sys; sys.path.append({str(alone)!r}); import asyncio, memory_assets.client.hook\n"
        "from memory_assets.client import AsyncMemory, ClientError, Memory\n"
        f"print(Memory({answering.url!r}, 'mem_x').status(), "
        f"asyncio.run(AsyncMemory({answering.url!r}, 'mem_x').status()))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "{'user': 'maya'} {'user': 'maya'}\n", done.stderr


def test_it_imports_nothing_but_itself_and_the_standard_library() -> None:
    for path in (PACKAGE / "client").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            foreign = [
                name
                for name in names
                if not name.startswith("memory_assets.client") and name.partition(".")[0] not in sys.stdlib_module_names
            ]
            assert not foreign, f"{path.name} imports {foreign}"


def test_it_is_loaded_nearly_as_soon_as_any_client() -> None:
    program = "from memory_assets.client import AsyncMemory, Memory"
    assert (
        processor_seconds(lambda: subprocess.run([sys.executable, "-c", program], check=True, timeout=60))
        < 2 * bare_seconds()
    )
