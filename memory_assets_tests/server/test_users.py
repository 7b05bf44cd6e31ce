"""Two users' keys against every operation and every tool, on memories that the whole chain has made: neither sees nor
changes anything of the other's, and what is the other's is unknown in the same words as what nobody has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.test_utils import create_run_for_test

from memory_assets.commands.consolidating import JOB
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.keys.issuing import add_key
from memory_assets.keys.policy import Scope
from memory_assets.runtime.accesses import AccessLog, Position
from memory_assets.runtime.instance import open_instance
from memory_assets.runtime.partitions import PARTITION_TAG
from memory_assets.server.host import application
from memory_assets.server.mcp import FILE
from memory_assets.server.profiles import Profile
from memory_assets.sessions.working_memory import Sessions
from memory_assets_tests.conftest import owner_for
from memory_assets_tests.hooks.payloads import COMPACTED, ENDED, FAILED, READ, STARTED, prompted
from memory_assets_tests.server.conftest import Client, served
from memory_assets_tests.server.test_http import OPERATIONS, answer
from memory_assets_tests.server.test_mcp import TOOLS, call, read, with_session
from memory_assets_tests.server.test_projects import SAID, refs
from memory_assets_tests.support.house import House

pytestmark = [pytest.mark.graph, pytest.mark.slow]
WORDS = {"nora": "Quayzephyr", "eve": "Mulchzephyr"}
"""A word that only the sources of a user say, and nobody asks for."""
NOBODYS = "000000000"
NONE = {"record": "482915037", "session": "s-1", "contradiction": "0", "operation": "0"}
"""What the operations are asked of there: nobody has it."""
QUESTIONS = ("What does Ilse Brandt say of the crane?", "rope", "Which gate is locked?", "What is ordered?")


@dataclass
class Known:
    """What somebody has learned of a user by other ways: the names of all that is theirs."""

    word: str
    refs: list[str]
    record: str
    audit: str
    contradiction: str
    operation: str
    session: str

    @property
    def secrets(self) -> list[str]:
        return [self.word, self.audit, self.contradiction, self.operation, self.session, *self.refs]


def chat(word: str, number: int) -> str:
    row = {"role": "user", "name": "Nora", "timestamp": f"2026-0{3 + number}-0{2 + number}T09:00:00Z"}
    row |= {"content": SAID[number].format(word=word, number=number + 4), "conversation_id": f"rope-{number}"}
    noted = row | {"role": "assistant", "name": "assistant", "content": f"I note that of the {word}."}
    return "\n".join(map(json.dumps, (row, noted))) + "\n"


@pytest.fixture(scope="module")
def house(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with dg.DagsterInstance.ephemeral() as instance:
        made = House(graph, tmp_path_factory.mktemp("users"), instance, owner_for(__name__))
        for name, word in WORDS.items():
            for number in range(len(SAID)):
                made.ingest(made.user(name), f"{number}.jsonl", chat(word, number))
        assert made.run("build_memory").success
        assert made.run("form_storylines").success
        yield made


@pytest.fixture(scope="module")
def url(graph: Graph, house: House) -> Iterator[str]:
    with served(application(graph, house.settings)) as address:
        yield address


def key(house: House, url: str, name: str, *scopes: Scope) -> Client:
    now = house.settings.clock.now()
    return Client(url, add_key(house.graph, house.user(name), "codex", scopes or list(Scope), now)[1])


@pytest.fixture(scope="module")
def known(house: House, url: str) -> dict[str, Known]:
    """Each user has a record, a correction, a contradiction, a session, a file, and a consolidation at work."""
    return {name: filled(house, key(house, url, name), name) for name in WORDS}


def filled(house: House, client: Client, name: str) -> Known:
    word = WORDS[name]
    record = client.post("/memories", {"text": f"The gate of the {word} is locked at night.", "kind": "decision"})
    wrong = client.post("/memories", {"text": f"The {word} has nine lamps.", "about": ["src/timer.py"]}).json()["ref"]
    client.post("/usage", {"wrong": [wrong]})
    found = client.get("/contradictions").json()["contradictions"]
    (doubt,) = [one for one in found if one["a"]["ref"] == wrong]
    mended = client.post("/memories", {"text": f"The {word} is blue.", "idempotency_key": "colour"}).json()["ref"]
    body = {"text": f"The {word} is green.", "reason": f"The {word} was painted."}
    audit = answer(client, "PATCH", f"/memories/{mended}", body).json()["audit_id"]
    session = f"hidden-{word}"
    client.post(f"/sessions/{session}/turns", {"turns": [{"role": "user", "content": f"The {word} again."}]})
    path = Path(client.get("/file").json()["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# Memory\n\n- The {word} hangs. [{record.json()['ref']}]\n", encoding="utf-8")
    with open_instance(house.settings) as instance:
        tags = {PARTITION_TAG: house.user(name)}
        run = create_run_for_test(instance, job_name=JOB, tags=tags, status=dg.DagsterRunStatus.STARTED)
    return Known(word, refs(house, house.user(name)), record.json()["ref"], audit, doubt["id"], run.run_id, session)


def stored(house: House, name: str) -> list[Any]:
    """All that there is of a user, in the graph and beside it."""
    user, sessions = house.user(name), Sessions.of(house.settings)
    folder = house.settings.home / "sessions" / user
    log = AccessLog(house.settings.accesses_file(user))
    files = [path for place in (folder, house.settings.inbox / user) for path in place.rglob("*") if path.is_file()]
    return [
        json.dumps(list(export_user(house.graph, user)), sort_keys=True, default=str),
        [one.kind for one in log.after(Position(), 10_000)[1]],
        [row["session"] for row in sessions.latest(user)],
        {str(path): path.read_bytes() for path in files},
    ]


def other(name: str) -> str:
    return next(one for one in WORDS if one != name)


def named(path: str, theirs: Known) -> str:
    """The path of an operation with the names of what is another's in place of those of nothing."""
    path = path.replace(NONE["record"], theirs.record).replace(f"/{NONE['session']}", f"/{theirs.session}")
    return re.sub(r"(contradiction|operation)s/0", lambda m: f"{m[1]}s/{getattr(theirs, m[1])}", path)


def leaked(text: str, theirs: Known, asked: object) -> list[str]:
    """What an answer has of another's that was not in what was asked."""
    return [one for one in theirs.secrets if one in text and one not in str(asked)]


@pytest.mark.parametrize("name", WORDS)
def test_no_operation_gives_or_changes_anything_of_another_user(
    house: House, url: str, known: dict[str, Known], name: str
) -> None:
    me, own, theirs = key(house, url, name), known[name], known[other(name)]
    before, seen = stored(house, other(name)), ""
    assert len(theirs.refs) > 20

    def ask(method: str, path: str, body: Any = None) -> int:
        nonlocal seen
        given = answer(me, method, path, body)
        assert given.status_code < 500, given.text
        assert not leaked(given.text, theirs, [path, body]), (path, given.text)
        seen += given.text
        return given.status_code

    for method, path, body, _ in OPERATIONS:
        if path.endswith("/turns"):
            continue  # it begins a session of the name: below
        ask(method, path, body)
        for mine in (own.record, own.session):
            ask(method, path.replace(NONE["record"], mine).replace(NONE["session"], mine), body)
        if (by_name := named(path, theirs)) != path:
            assert ask(method, by_name, body) == 404, path
            found, none = answer(me, method, by_name, body).text, answer(me, method, path, body).text
            for kind, nobodys in NONE.items():
                found = found.replace(getattr(theirs, kind), nobodys)
            assert found == none, path
    turn = {"turns": [{"role": "user", "content": "Hello."}]}
    assert ask("POST", f"/sessions/{theirs.session}/turns", turn) == 200
    assert len(me.get(f"/sessions/{theirs.session}").json()["working"]) == 1, "a session of the caller's own"
    for question in QUESTIONS:
        for level in ("said", "storylines", "themes"):
            ask(
                "POST",
                "/recall",
                {"question": question, "budget": 8_000, "level": level, "all_projects": level == "said"},
            )
        for more in ({"thorough": True}, {"archived": True}, {"about": ["Ilse Brandt"]}, {"session": theirs.session}):
            ask("POST", "/recall", {"question": question, "budget": 8_000} | more)
        ask("POST", "/context/assemble", {"query": question, "session": theirs.session})
        ask("POST", "/context/assemble", {"task": question, "files": ["src/timer.py"], "people": ["Ilse Brandt"]})
    ask("POST", "/context/predict", {"file_opened": "src/timer.py", "people": ["Ilse Brandt"]})
    for ref in theirs.refs:
        assert ask("GET", f"/memories/{ref}") == ask("GET", f"/memories/{ref}/value") == 404
    for ref in own.refs:
        ask("GET", f"/memories/{ref}")
    for hook in (STARTED, COMPACTED, READ, FAILED, prompted("What of the crane of Ilse Brandt?"), ENDED):
        ask("POST", f"/hooks/claude-code/{hook['hook_event_name']}", hook | {"session_id": theirs.session})
    ask(
        "POST",
        "/usage",
        {"cited": theirs.refs, "ignored": theirs.refs, "wrong": theirs.refs, "session": theirs.session},
    )
    assert ask("POST", f"/memories/{theirs.audit}/undo") == 404
    assert ask("POST", "/memories", {"text": "The gate is open.", "supersedes": [theirs.record]}) == 404
    ask("POST", "/memories", {"text": "It is red.", "idempotency_key": "colour"})
    for path in ("/curation", "/contradictions", "/status", "/file", "/openapi.json"):
        assert ask("GET", path) == 200
    assert own.word in seen, "the own is there"
    assert stored(house, other(name)) == before


@pytest.mark.parametrize("name", WORDS)
def test_no_tool_gives_or_changes_anything_of_another_user(
    house: House, url: str, known: dict[str, Known], name: str
) -> None:
    me, own, theirs = key(house, url, name), known[name], known[other(name)]
    before, seen = stored(house, other(name)), ""
    asked: dict[str, list[dict[str, Any]]] = {
        "context": [{"task": one, "session": theirs.session} for one in QUESTIONS]
        + [{"files": ["src/timer.py"], "people": ["Ilse Brandt"]}],
        "recall": [{"question": one, "level": level} for one in QUESTIONS for level in ("said", "storylines", "themes")]
        + [{"question": "rope", "all_projects": True, "budget": 8_000}],
        "open": [{"ref": one} for one in (own.record, *theirs.refs[:5], theirs.record)],
        "remember": [{"text": "The gate is of oak."}],
        "correct": [
            {"ref": theirs.record, "reason": "so", **more} for more in ({}, {"text": "It is."}, {"undo": True})
        ],
        "used": [{"cited": [theirs.record], "ignored": [theirs.record], "wrong": [theirs.record]}],
        "contradictions": [{}],
        "status": [{}],
        "predict": [{"file_opened": "src/timer.py", "people": ["Ilse Brandt"], "session": theirs.session}],
        "session": [{"session": theirs.session}, {"session": theirs.session, "end": True}, {"session": own.session}],
        "consolidate": [{"operation": theirs.operation}, {}],
        "search": [{"query": one} for one in QUESTIONS],
        "fetch": [{"id": one} for one in (own.record, theirs.record, f"{theirs.record}/0")],
    }
    for profile in Profile:
        listed = with_session(me, lambda session: session.list_tools(), profile).tools
        assert {tool.name for tool in listed} <= asked.keys(), "a tool that nobody tries here"
        for tool in listed:
            if profile is Profile.ALL and tool.name in TOOLS:
                continue  # tried among those of the memory
            for given in asked[tool.name]:
                failed, text = tried(me, tool.name, profile, given)
                assert not leaked(text, theirs, given), (tool.name, given, text)
                seen += text
                for field in ("ref", "id"):
                    if given.get(field) == theirs.record:
                        none = tried(me, tool.name, profile, given | {field: NOBODYS})
                        assert (failed, text.replace(theirs.record, NOBODYS)) == (True, none[1])
    assert own.word in read(me, FILE) and not leaked(read(me, FILE), theirs, "")
    by_name = read(me, f"memory://{theirs.record}")
    assert by_name.startswith("refused: ") and by_name.replace(theirs.record, NOBODYS) == read(
        me, f"memory://{NOBODYS}"
    )
    assert own.word in seen, "the own is there"
    assert stored(house, other(name)) == before


def tried(client: Client, tool: str, profile: Profile, given: dict[str, Any]) -> tuple[bool, str]:
    """Whether a tool failed, and all that came of it."""
    if profile is not Profile.CHATGPT:
        return call(client, tool, profile, **given)
    result = with_session(client, lambda session: session.call_tool(tool, given), profile)
    return result.is_error, "".join(part.text for part in result.content)
