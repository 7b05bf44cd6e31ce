"""The server over HTTP: who gets in, and what each operation answers."""

from __future__ import annotations

import json
import socket
import threading
from datetime import timedelta
from select import select
from typing import Any
from unittest.mock import ANY
from urllib.parse import quote

import pytest
import requests

from memory_assets import __version__
from memory_assets.client.hook import FAILURES_FILE
from memory_assets.clock import to_iso
from memory_assets.commands.decisions import list_decisions
from memory_assets.graph.graph import Graph
from memory_assets.keys.issuing import add_key, revoke_keys
from memory_assets.keys.policy import Scope
from memory_assets.llm.tokens import count_tokens
from memory_assets.runtime.accesses import Position, access_log, used_by_agents
from memory_assets.server.host import application
from memory_assets.server.http import http_app
from memory_assets.server.operations import Operations
from memory_assets.sessions.log import name_for
from memory_assets.sessions.working_memory import Sessions
from memory_assets.settings import Settings
from memory_assets_tests.hooks.payloads import ENDED, STARTED, prompted
from memory_assets_tests.server.conftest import NOW, SECONDS, Client, client_of, served

pytestmark = pytest.mark.graph
OPERATIONS = [
    ("POST", "/recall", {"question": "bees"}, Scope.READ),
    ("POST", "/context/assemble", {"task": "Keep bees"}, Scope.READ),
    ("POST", "/context/predict", {"file_opened": "src/bees.py"}, Scope.READ),
    ("GET", "/memories/482915037", None, Scope.READ),
    ("GET", "/memories/482915037/value", None, Scope.READ),
    ("POST", "/memories", {"text": "Nora keeps bees."}, Scope.WRITE),
    ("PATCH", "/memories/482915037", {"reason": "wrong"}, Scope.CURATE),
    ("DELETE", "/memories/482915037?reason=wrong", None, Scope.CURATE),
    ("POST", "/memories/482915037/undo", None, Scope.CURATE),
    ("POST", "/usage", {"cited": ["482915037"]}, Scope.WRITE),
    ("GET", "/contradictions", None, Scope.READ),
    ("POST", "/contradictions/0/resolve", {"resolution": "a_wins"}, Scope.CURATE),
    ("POST", "/consolidate", {}, Scope.CURATE),
    ("GET", "/operations/0", None, Scope.CURATE),
    ("POST", f"/hooks/claude-code/{STARTED['hook_event_name']}", STARTED, Scope.WRITE),
    ("POST", f"/hooks/claude-code/{STARTED['hook_event_name']}", STARTED, Scope.READ),
    ("GET", "/file", None, Scope.READ),
    ("GET", "/curation", None, Scope.READ),
    ("POST", "/sessions/s-1/turns", {"turns": [{"role": "user", "content": "Hello."}]}, Scope.WRITE),
    ("GET", "/sessions/s-1", None, Scope.READ),
    ("GET", "/sessions/s-1/turns", None, Scope.READ),
    ("POST", "/sessions/s-1/end", None, Scope.WRITE),
    ("GET", "/status", None, Scope.READ),
]


def answer(client: Client, method: str, path: str, body: object = None, **headers: str) -> requests.Response:
    return requests.request(method, client.url + path, json=body, headers=client.headers | headers, timeout=SECONDS)


@pytest.mark.parametrize(("method", "path", "body", "scope"), OPERATIONS)
def test_every_operation_needs_a_key_and_its_scope(
    graph: Graph, url: str, user: str, method: str, path: str, body: object, scope: Scope
) -> None:
    for token in ("", "mem_wrong"):
        refused = answer(Client(url, token), method, path, body)
        assert refused.status_code == 401 and "tokens add" in refused.json()["error"]
    without = client_of(graph, url, user, *(set(Scope) - {scope}))
    refused = answer(without, method, path, body)
    assert refused.status_code == 403 and scope.value in refused.json()["error"]


def test_a_key_that_was_revoked_or_has_expired_lets_nobody_in(
    graph: Graph, url: str, user: str, settings: Settings
) -> None:
    client = client_of(graph, url, user, Scope.READ)
    status = client.get("/status").json()
    assert (status["user"], status["missed_hooks"], status["partial_hooks"]) == (user, 0, 0)
    access_log(settings, user).note_late(NOW, "codex")
    assert client.get("/status").json()["partial_hooks"] == 1
    revoke_keys(graph, user, "codex", NOW)
    assert client.get("/status").status_code == 401
    _, expired = add_key(graph, user, "codex", [Scope.READ], NOW, NOW - timedelta(seconds=1))
    assert "expired" in Client(url, expired).get("/status").json()["error"]


def test_status_counts_the_missed_events_of_the_callers_own_agent(
    graph: Graph, url: str, settings: Settings, user: str
) -> None:
    """The file of failures is the installation's: which user's a line is, says the connection."""
    other = f"{user}-2"
    names = {"codex": user, "codex-2": other}
    failed = {"agent": "codex", "event": "Stop", "reason": "no server runs", "status": 0, "at": to_iso(NOW)}
    connections, file = settings.home / "connections", settings.home / FAILURES_FILE
    for folder in (connections, file.parent):
        folder.mkdir(parents=True, exist_ok=True)
    for name, whose in names.items():
        (connections / f"{name}.json").write_text(json.dumps({"user": whose}))
    rows = [*["codex"] * 2, *["codex-2"] * 3, "undone"]
    lines = [json.dumps(failed | {"connection": name}) for name in rows]
    lines.append(json.dumps(failed | {"connection": "codex", "agent": "claude-code"}))
    file.write_text("\n".join(lines))
    for whose, count in ((user, 2), (other, 3)):
        assert client_of(graph, url, whose, Scope.READ).get("/status").json()["missed_hooks"] == count
    file.unlink()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:3000"}, 200),
    ],
)
def test_a_page_of_another_site_does_not_get_in(client: Client, headers: dict[str, str], status: int) -> None:
    given = answer(client, "GET", "/status", **headers)
    assert given.status_code == status and ("error" in given.json()) is (status != 200)


def test_a_body_that_is_too_large_is_refused_before_it_is_read(client: Client) -> None:
    refused = client.post("/memories", {"text": "x" * 2_100_000})
    assert refused.status_code == 413 and "2,097,152 bytes" in refused.json()["error"]
    endless = (b"x" * 65_536 for _ in range(100))
    refused = requests.post(f"{client.url}/recall", data=endless, headers=client.headers, timeout=SECONDS)
    assert refused.status_code == 413 and list(refused.json()) == ["error"]
    assert client.get("/status").status_code == 200


def test_what_fails_unforeseen_is_an_error_like_others(settings: Settings) -> None:
    with served(http_app(Operations(None, settings))) as address:  # type: ignore[arg-type]
        failed = requests.get(f"{address}/health/ready", timeout=SECONDS)
    assert failed.status_code == 500 and "the server's log" in failed.json()["error"]


GIGABYTE = 1 << 30


@pytest.mark.parametrize("path", ["/memories", "/hooks/claude-code/Stop", "/sessions/s-1/turns", "/mcp", "/nothing"])
@pytest.mark.parametrize("is_announced", [True, False])
@pytest.mark.parametrize("has_key", [True, False])
def test_a_gigabyte_is_refused_when_little_of_it_was_sent(
    client: Client, path: str, is_announced: bool, has_key: bool
) -> None:
    status, sent = streamed(Client(client.url, client.token if has_key else "mem_wrong"), path, is_announced)
    assert status == (413 if has_key else 401)
    assert sent < 32 << 20
    assert client.get("/status").status_code == 200


def streamed(client: Client, path: str, is_announced: bool) -> tuple[int, int]:
    """The status of the answer to a gigabyte that is made while it is sent, and how much was sent until then."""
    part, sent = b"x" * 65_536, 0
    length = f"Content-Length: {GIGABYTE}" if is_announced else "Transfer-Encoding: chunked"
    kind = "Content-Type: application/json\r\nAccept: application/json, text/event-stream"
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {client.token}\r\n{kind}\r\n{length}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", int(client.url.rpartition(":")[2])), timeout=SECONDS) as connection:
        connection.sendall(head.encode())
        while sent < GIGABYTE and not select([connection], [], [], 0)[0]:
            try:
                connection.sendall(part if is_announced else b"%x\r\n%b\r\n" % (len(part), part))
            except (BrokenPipeError, ConnectionResetError):
                break
            sent += len(part)
        return int(connection.recv(65_536).split()[1]), sent


@pytest.mark.parametrize(
    "body",
    [{}, {"question": ""}, {"question": "bees", "budget": 0}, {"question": "bees", "user": "nora"}, [], "bees"],
)
def test_what_no_operation_takes_is_refused(client: Client, body: object) -> None:
    refused = answer(client, "POST", "/recall", body)
    assert refused.status_code == 422 and list(refused.json()) == ["error"] and "nora" not in refused.text


@pytest.mark.parametrize(
    ("method", "path", "content", "kind", "said"),
    [
        ("POST", "/recall", "{}", "application/json", "question: Field required"),
        ("POST", "/recall", '{"question": "x", "budget": 1}', "application/json", "budget: Input should be greater"),
        ("POST", "/recall", '{"question"', "application/json", "The body is no JSON"),
        ("POST", "/recall", '{"question": "bees"}', "text/plain", "Content-Type: application/json"),
        ("GET", "/nothing", None, "application/json", "GET /nothing: Not Found. GET /openapi.json lists"),
        ("DELETE", "/recall", None, "application/json", "DELETE /recall: Method Not Allowed"),
    ],
)
def test_a_mistake_is_said_in_words(
    client: Client, method: str, path: str, content: str | None, kind: str, said: str
) -> None:
    headers = client.headers | {"Content-Type": kind}
    given = requests.request(method, client.url + path, data=content, headers=headers, timeout=SECONDS)
    assert list(given.json()) == ["error"] and said in given.json()["error"], given.text


def test_what_is_remembered_is_recalled_opened_and_remembered_once(client: Client) -> None:
    body = {"text": "Nora keeps bees in Skagness.", "kind": "fact", "about": ["Nora"]}
    first = client.post("/memories", body)
    assert first.status_code == 201
    assert first.json()["is_new"] and first.json()["durable"] and first.json()["recallable"]
    again = client.post("/memories", body).json()
    assert again == first.json() | {"is_new": False}
    found = client.post("/recall", {"question": "Where does Nora keep bees?"}).json()
    assert "Nora keeps bees in Skagness." in found["text"]
    assert found["tokens"] == count_tokens(found["text"])
    opened = client.get(f"/memories/{again['ref']}").json()
    assert opened["text"] == "Nora keeps bees in Skagness." and opened["agent"] == "codex"


def test_another_text_under_the_same_key_takes_the_place_of_the_former(client: Client) -> None:
    refs = set()
    for text in ("The build runs on Make.", "The build runs on Just."):
        refs.add(client.post("/memories", {"text": text, "idempotency_key": "build"}).json()["ref"])
    (ref,) = refs
    assert client.get(f"/memories/{ref}").json()["text"] == "The build runs on Just."


def test_a_secret_is_masked_before_anything_is_written(client: Client, settings, user: str) -> None:
    secret = "sk-proj-Zq8vN3xR7tL1mK5pW9yB2dF6hJ4sA0cE"
    said = client.post("/memories", {"text": f"The key is {secret}."}).json()
    assert said["masked"]
    assert secret not in str(client.get(f"/memories/{said['ref']}").json())
    written = list((settings.inbox / user).rglob("*.jsonl"))
    assert written and all(secret not in path.read_text() for path in written)


def test_nobody_reaches_anothers_memory(graph: Graph, client: Client, user: str) -> None:
    ref = client.post("/memories", {"text": "The safe opens with the harp."}).json()["ref"]
    other = client_of(graph, client.url, f"{user}-b", *Scope)
    value = client.get(f"/memories/{ref}/value").json()
    points = {one["term"]: one["points"] for one in value["terms"]}
    added = sum(points.values()) - points["value"] - points["safety multiplier"]
    assert value["score"] == points["value"] == pytest.approx(added * points["safety multiplier"], abs=0.3)
    assert other.get(f"/memories/{ref}/value").status_code == 404
    theirs, none = other.get(f"/memories/{ref}"), other.get("/memories/000000000")
    assert theirs.status_code == none.status_code == 404
    assert theirs.json()["error"].replace(ref, "000000000") == none.json()["error"].replace(f"{user}-b", f"{user}-b")
    assert "harp" not in other.post("/recall", {"question": "the safe opens with"}).text
    assert other.post("/usage", {"cited": [ref]}).json() == {"cited": 0, "ignored": 0, "wrong": 0, "unknown": [ref]}


def patch(client: Client, ref: str, /, **body: str) -> requests.Response:
    return answer(client, "PATCH", f"/memories/{ref}", body)


def test_an_agent_corrects_its_own_records_with_write_and_nobody_elses(graph: Graph, client: Client, user: str) -> None:
    writer = client_of(graph, client.url, user, Scope.WRITE, Scope.READ)
    other = client_of(graph, client.url, user, Scope.WRITE, agent="cursor")
    ref = writer.post("/memories", {"text": "Nora keeps bees in Skagness."}).json()["ref"]
    assert patch(other, ref, text="Nora keeps goats.", reason="seen").status_code == 403
    assert patch(writer, ref, text="Nora keeps bees in Bergen.", reason="moved").json() == {
        "ref": ref, "superseded": ref, "audit_id": ANY,
    }  # fmt: skip
    assert writer.get(f"/memories/{ref}").json()["text"] == "Nora keeps bees in Bergen."
    found = writer.post("/recall", {"question": "Where does Nora keep bees?"}).json()["text"]
    assert "Bergen" in found and "Skagness" not in found
    assert other.post(f"/memories/{ref}/undo").status_code == 403
    assert writer.post(f"/memories/{ref}/undo").status_code == 200
    assert writer.get(f"/memories/{ref}").json()["text"] == "Nora keeps bees in Skagness."
    retired = answer(writer, "DELETE", f"/memories/{ref}?reason=sold").json()
    assert retired["ref"] is None and writer.get(f"/memories/{ref}").json()["state"] == "archived"
    assert writer.post(f"/memories/{retired['audit_id']}/undo").status_code == 200
    assert writer.get(f"/memories/{ref}").json()["state"] == "active"


def test_nobody_corrects_anothers_memory(graph: Graph, client: Client, user: str) -> None:
    ref = client.post("/memories", {"text": "The safe opens with the harp."}).json()["ref"]
    assert patch(client, ref, text="The safe opens with the lyre.", reason="seen").status_code == 200
    other = client_of(graph, client.url, f"{user}-b", *Scope)
    for path, method, body in (
        ("/memories/{}", "PATCH", {"text": "x", "reason": "y"}),
        ("/memories/{}?reason=y", "DELETE", None),
        ("/memories/{}/undo", "POST", None),
    ):
        theirs, none = (answer(other, method, path.format(name), body) for name in (ref, "000000000"))
        assert theirs.status_code == none.status_code == 404
        assert theirs.text.replace(ref, "000000000") == none.text
    assert client.get(f"/memories/{ref}").json()["text"] == "The safe opens with the lyre."


def test_what_is_remembered_takes_the_place_of_what_it_supersedes(graph: Graph, client: Client, user: str) -> None:
    old = client.post("/memories", {"text": "Nora keeps bees in Skagness."}).json()["ref"]
    body = {"text": "Nora keeps goats in Bergen.", "supersedes": [old]}
    writer = client_of(graph, client.url, user, Scope.WRITE, agent="cursor")
    assert writer.post("/memories", body).status_code == 403
    other = client_of(graph, client.url, f"{user}-b", *Scope)
    assert other.post("/memories", body).status_code == 404
    assert other.post("/recall", {"question": "What does Nora keep?"}).json()["abstained"]
    new = client.post("/memories", body).json()
    assert new["supersedes"] == [old] and new["contradicts"] == []
    found = client.post("/recall", {"question": "What does Nora keep?"}).json()["text"]
    assert "goats" in found and "bees" not in found
    undone = client.post(f"/memories/{old}/undo").json()
    assert (undone["ref"], undone["superseded"]) == (old, new["ref"])
    found = client.post("/recall", {"question": "What does Nora keep?"}).json()["text"]
    assert "goats" in found and "bees" in found


def test_a_memory_tells_its_history_and_why_it_is_worth_its_place(graph: Graph, client: Client, user: str) -> None:
    old = client.post("/memories", {"text": "Nora keeps bees in Skagness."}).json()["ref"]
    new = client.post("/memories", {"text": "Nora keeps goats in Bergen.", "supersedes": [old]}).json()["ref"]
    for ref, other, how in ((old, new, "corrected by"), (new, old, "corrects")):
        told = client.get(f"/memories/{ref}", level="history").json()
        (row,) = told["history"]
        assert (told["kind"], told["ref"]) == ("MemoryEntry", ref)
        assert (row["relation"], row["ref"], row["by"]) == (how, other, "codex")
    why = client.get(f"/memories/{new}", level="why").json()
    assert (why["ref"], why["text"], why["agent"]) == (new, "Nora keeps goats in Bergen.", "codex")
    value = client.get(f"/memories/{new}/value").json()
    assert [term["term"] for term in why["curation"]["terms"]] == [term["term"] for term in value["terms"]]
    assert count_tokens(client.get(f"/memories/{new}", level="why", budget=50).text) <= 70
    other = client_of(graph, client.url, f"{user}-b", *Scope)
    unknown = other.get("/memories/000000000", level="why").json()["error"]
    for level in ("history", "why"):
        assert other.get(f"/memories/{new}", level=level).status_code == 404
        assert other.get("/memories/000000000", level=level).status_code == 404
    assert other.get(f"/memories/{new}", level="why").json()["error"] == unknown.replace("000000000", new)
    assert client.get(f"/memories/{new}", level="whose").status_code == 422


def test_what_is_remembered_is_of_the_project_or_of_all(client: Client) -> None:
    harbor, garden = ({"X-Memory-Project": name} for name in ("harbor", "garden"))

    def found(**headers: str) -> str:
        return answer(client, "POST", "/recall", {"question": "Where does the pump stand?"}, **headers).json()["text"]

    for visibility, place in (("project", "the shed"), ("user", "the cellar"), (None, "the loft")):
        body = {"text": f"The pump stands in {place}."} | ({"visibility": visibility} if visibility else {})
        assert answer(client, "POST", "/memories", body, **harbor).ok
    assert all(place in found(**harbor) for place in ("shed", "cellar", "loft"))
    assert "cellar" in found(**garden) and "shed" not in found(**garden) and "loft" not in found(**garden)
    assert answer(client, "POST", "/memories", {"text": "The pump hums."}, **harbor).json()["project"] == "harbor"
    # Whoever works in no project has none to keep it in: it is of all, and the answer says so.
    of_all = client.post("/memories", {"text": "The pump stands in the barn.", "visibility": "project"})
    assert of_all.status_code == 201 and of_all.json()["project"] is None
    assert "barn" in found(**garden)


def test_a_question_with_a_deadline_is_answered_from_what_is_ready(client: Client) -> None:
    client.post("/memories", {"text": "Nora keeps bees in Skagness."})
    told = client.post("/recall", {"question": "Where are the bees?", "deadline_ms": 60_000}).json()
    assert "Skagness" in told["text"] and not told["partial"] and told["nearest"] == []
    nearest = client.post("/recall", {"question": "How is quantum gravity quantized?"}).json()
    assert nearest["abstained"] and nearest["nearest"] == [source["ref"] for source in nearest["sources"]]
    assert client.post("/recall", {"question": "bees", "deadline_ms": 0}).status_code == 422


def test_an_instant_is_taken_for_its_day(client: Client) -> None:
    client.post("/memories", {"text": "Nora keeps bees in Skagness.", "valid_from": "2026-11-01T23:30:00-02:00"})
    now = client.post("/context/assemble", {"query": "Nora's bees"}).json()["as_of"]

    def found(**span: str) -> str:
        answered = client.post("/recall", {"question": "Where are Nora's bees?", **span})
        assert answered.status_code == 200, answered.text
        return answered.json()["text"]

    assert "holds from 2026-11-02" in found(as_of=now) == found(as_of=now[:10])
    assert "Skagness" in found(since="2026-11-01T23:59:59Z", until="2026-11-01T00:00:00Z")
    assert "Skagness" not in found(since="2026-11-01T23:59:59-01:00"), "that is the second of November"
    assert "Skagness" not in found(level="storylines", until="2026-10-31T10:00:00Z")
    for none in ("yesterday", "2026-13-01", "0001-01-01T00:00:00+14:00", ["2026-11-01"]):
        refused = client.post("/recall", {"question": "bees", "since": none})
        assert refused.status_code == 422 and refused.json()["error"].startswith("since: ")


def test_a_field_that_is_null_was_left_out(client: Client) -> None:
    nothing = {"about": None, "idempotency_key": None, "visibility": None, "valid_to": None, "kind": None}
    made = client.post("/memories", {"text": "Nora keeps bees in Skagness.", **nothing})
    assert (
        made.status_code == 201
        and not client.post("/memories", {"text": "Nora keeps bees in Skagness."}).json()["is_new"]
    )
    nothing = dict.fromkeys(("session", "more", "level", "budget", "about", "since", "surface", "deadline_ms"))
    question = {"question": "Where are Nora's bees?"}
    plain = client.post("/recall", question).json()
    assert client.post("/recall", question | nothing).json() | {"took_ms": 0} == plain | {"took_ms": 0}
    nothing = dict.fromkeys(("task", "query", "files", "session", "surface", "level", "tiers"))
    nothing |= {"signals": dict.fromkeys(("current_file", "recent_errors", "activity"))}
    assert client.post("/context/assemble", nothing).json() == client.post("/context/assemble", {}).json()
    assert client.post("/recall", {"question": None}).status_code == 422
    assert client.post("/recall", question | {"user": None}).status_code == 200, "nothing was said of it"


def test_an_answer_is_within_the_limits_of_its_surface(client: Client) -> None:
    for number in range(40):
        client.post("/memories", {"text": f"Hive {number} stands in the garden of Nora, in row {number}."})
    question = {"question": "Where do Nora's hives stand?", "thorough": True}
    whole = client.post("/recall", question).json()["text"]
    limits, said, more = {"characters": 900}, "", 1
    while more is not None:
        page = client.post("/recall", question | {"surface": limits, "more": more}).json()
        assert 0 < len(page["text"]) <= 900
        said, more = said + page["text"], page["more"]
    assert len(whole) > 1_800 and all(f"row {number}." in said for number in range(40) if f"row {number}." in whole)
    assert client.post("/recall", question | {"surface": {"tokens": 120}}).json()["tokens"] <= 120
    assert client.post("/recall", question | {"surface": "claude-code-hook"}).json()["text"] == whole
    assert client.post("/recall", question | {"surface": "billboard"}).status_code == 400


def test_a_correction_and_its_undoing_are_taken_in_every_form_of_the_interface(client: Client) -> None:
    ref = client.post("/memories", {"text": "Nora keeps bees in Skagness."}).json()["ref"]

    def text() -> str:
        return str(client.get(f"/memories/{ref}").json()["text"])

    assert patch(client, ref, ref=f"[{ref}]", text="Nora keeps bees in Bergen.", reason="moved").status_code == 200
    assert text() == "Nora keeps bees in Bergen."
    assert answer(client, "PATCH", f"/memories/{ref}", {"undo": True}).status_code == 200
    assert text() == "Nora keeps bees in Skagness."
    assert answer(client, "DELETE", f"/memories/{ref}", {"reason": "sold"}).json()["ref"] is None
    assert client.get(f"/memories/{ref}").json()["state"] == "archived"
    for method, body in (
        ("PATCH", {"undo": True, "text": "x"}),
        ("PATCH", {"text": "x"}),
        ("DELETE", None),
        ("DELETE", {}),
        ("DELETE", {"reason": "x" * 1_001}),
        ("DELETE", {"why": "x"}),
    ):
        assert answer(client, method, f"/memories/{ref}", body).status_code == 422
    other = patch(client, ref, ref="000000000", text="x", reason="y")
    assert other.status_code == 400 and "ref" in other.json()["error"]


def test_turns_are_taken_as_a_list_and_as_blocks(client: Client) -> None:
    blocks = [
        {"type": "text", "text": "The ferry"},
        {"type": "image", "source": {}},
        {"type": "text", "text": "leaves."},
    ]
    said = [{"role": "user", "content": "When?"}, {"role": "assistant", "content": blocks}]
    assert answer(client, "POST", "/sessions/l-1/turns", said).json()["added"] == 2
    found = client.get("/sessions/l-1").json()["working"]
    assert [turn["content"] for turn in found] == ["When?", "The ferry\n[image]\nleaves."]
    for none in ([], [{"role": "user"}], [{"role": "user", "content": ["words"]}], ["words"]):
        assert answer(client, "POST", "/sessions/l-2/turns", none).status_code in (400, 422)


def test_what_memories_were_used_for_is_in_the_log(client: Client, settings: Settings, user: str) -> None:
    ref = client.post("/memories", {"text": "Nora keeps bees in Skagness."}).json()["ref"]
    assert (
        client.post("/usage", {"cited": [ref], "action": "a letter to Nora, password=hunter2Kestrel"}).json()["cited"]
        == 1
    )
    lines = access_log(settings, user).after(Position(), 10)[1]
    ((kind, action),) = [(one.kind.value, one.action) for one in lines]
    assert kind == "cited" and action.startswith("a letter to Nora") and "hunter2" not in action


def test_a_memory_that_is_wrong_is_merged_into_a_text(graph: Graph, client: Client, user: str) -> None:
    ref = client.post("/memories", {"text": "Nora keeps bees in Skagness."}).json()["ref"]
    client.post("/usage", {"wrong": [ref]})
    (found,) = client.get("/contradictions").json()["contradictions"]
    merged = {"resolution": "merged", "text": "Nora keeps bees in Bergen.", "note": "She has moved."}
    settled = client.post(f"/contradictions/{found['id']}/resolve", merged).json()
    assert (settled["superseded"], settled["ref"]) == ([ref], ref)
    assert client.get(f"/memories/{ref}").json()["text"] == "Nora keeps bees in Bergen."
    assert {one.why for one in list_decisions(graph, user)} >= {"She has moved."}


def test_what_is_said_to_be_wrong_is_a_contradiction_that_somebody_settles(
    graph: Graph, client: Client, settings: Settings, user: str
) -> None:
    ref = client.post("/memories", {"text": "Nora keeps bees in Skagness."}).json()["ref"]
    other = client_of(graph, client.url, f"{user}-b", *Scope)
    assert other.post("/usage", {"wrong": [ref]}).json()["unknown"] == [ref]
    assert (
        other.get("/contradictions").json()
        == {"contradictions": [], "more": None}
        == client.get("/contradictions").json()
    )
    for _ in range(2):  # said again it is the same
        said = client.post("/usage", {"wrong": [f"[{ref}]", "000000000"]}).json()
        assert said == {"cited": 0, "ignored": 0, "wrong": 1, "unknown": ["000000000"]}
    assert [(row["agent"], row["wrong"]) for row in used_by_agents(settings, user, NOW)] == [("codex", 2)]
    assert client.get(f"/memories/{ref}").json()["state"] == "active"
    (found,) = client.get("/contradictions").json()["contradictions"]
    assert (found["a"]["ref"], found["b"]["text"], found["b"]["by"]) == (ref, "it is said to be wrong", "codex")
    path = f"/contradictions/{found['id']}/resolve"
    assert other.post(path, {"resolution": "b_wins"}).status_code == 404
    refused = client.post(path, {"resolution": "merged"})
    assert refused.status_code == 400 and "holds of both" in refused.json()["error"]
    for resolution, state in (("both_valid", "active"), ("b_wins", "archived")):
        settled = client.post(path, {"resolution": resolution, "note": "They were sold."}).json()
        superseded = [ref] if state == "archived" else []
        told = {"resolution": resolution, "superseded": superseded, "ref": None}
        assert settled == {"id": found["id"], "audit_id": ANY} | told
        assert client.get("/contradictions").json() == {"contradictions": [], "more": None}
        assert client.get(f"/memories/{ref}").json()["state"] == state
        (listed,) = client.get("/contradictions", status="resolved", about=ref).json()["contradictions"]
        assert (listed["id"], listed["b"], listed["resolution"]) == (found["id"], found["b"], resolution)
        for refused in (other, client_of(graph, client.url, user, Scope.READ, Scope.WRITE)):
            assert refused.post(f"/memories/{found['id']}/undo").status_code in (403, 404)
        name = settled["audit_id"] if superseded else found["id"]
        assert client.post(f"/memories/{name}/undo").json() == {"id": found["id"], "status": "open"}
        assert client.get(f"/memories/{ref}").json()["state"] == "active"
        assert client.get("/contradictions", about="Skagness").json()["contradictions"] == [found]
        assert client.post(f"/memories/{found['id']}/undo").status_code == 404
    assert client.get("/contradictions", about="harbor").json()["contradictions"] == []
    assert client.get("/contradictions", status="resolved").json()["contradictions"] == []
    assert client.get("/contradictions", status="both").status_code == 422


def test_what_turns_cite_is_counted_and_what_a_session_had_else_is_ignored(
    client: Client, settings: Settings, user: str
) -> None:
    refs = [client.post("/memories", {"text": f"Maud keeps {what}."}).json()["ref"] for what in ("eels", "newts")]
    given = client.post("/context/assemble", {"query": "What does Maud keep?", "session": "s-9"}).json()
    assert {one["ref"] for one in given["entries"]} == set(refs)
    said = [{"role": "user", "content": f"Eels? [{refs[1]}]"}, {"role": "assistant", "content": f"Eels [{refs[0]}]."}]
    for _ in range(2):
        client.post("/sessions/s-9/turns", {"turns": said})
        client.post("/sessions/s-9/end")
    (row,) = used_by_agents(settings, user, NOW)
    assert (row["injected"], row["cited"], row["ignored"], row["wrong"]) == (2, 1, 1, 0)


def test_what_turns_say_of_a_memory_is_cited_unless_its_user_has_said_it(
    client: Client, settings: Settings, user: str
) -> None:
    client.post("/memories", {"text": "Maud keeps axolotls in the vivarium, for newts drowned in Grobiņa."})
    assert client.post("/context/assemble", {"query": "What does Maud keep?", "session": "s-8"}).json()["entries"]
    answer = [{"role": "assistant", "content": "Axolotls, in a vivarium: those newts drowned in Grobiņa."}]
    question = [{"role": "user", "content": "Are axolotls or newts in the vivarium? None drowned?"}]
    client.post("/sessions/s-8/turns", {"turns": question})
    client.post("/sessions/s-8/turns", {"turns": answer})
    assert used_by_agents(settings, user, NOW)[0]["cited"] == 0
    assert client.post("/context/assemble", {"query": "What does Maud keep?", "session": "s-7"}).json()["entries"]
    for _ in range(2):
        client.post("/sessions/s-7/turns", {"turns": answer})
    assert used_by_agents(settings, user, NOW)[0]["cited"] == 1


def test_what_turns_cite_is_counted_beside_some_that_were_known(client: Client, settings: Settings, user: str) -> None:
    ref = client.post("/memories", {"text": "Maud keeps eels."}).json()["ref"]
    assert client.post("/context/assemble", {"query": "What does Maud keep?", "session": "s-6"}).json()["entries"]
    asked = {"role": "user", "content": "Eels?", "id": "t1"}
    thanked = {"role": "user", "content": "Thank you.", "id": "t3"}
    client.post("/sessions/s-6/turns", {"turns": [asked]})
    cites = {"role": "assistant", "content": f"Eels [{ref}].", "id": "t2"}
    added = client.post("/sessions/s-6/turns", {"turns": [cites, asked, thanked]}).json()
    assert added["added"] == 2 and "fresh" not in added
    assert used_by_agents(settings, user, NOW)[0]["cited"] == 1


def test_turns_are_taken_and_a_session_ends_though_nothing_can_be_counted(
    graph: Graph, client: Client, settings: Settings, user: str
) -> None:
    broken = settings.accesses_file(user)
    broken.parent.mkdir(parents=True, exist_ok=True)
    broken.write_bytes(b"no log" * 1_000)
    assert client.post("/sessions/s-5/turns", turns("Where do the eels live?")).json()["added"] == 1
    assert client.post("/sessions/s-5/end").json() == {"session": "s-5", "is_source": True}
    broken.unlink()
    assert client.get("/status").json()["sources"]["raw"] == 1


def turns(*texts: str) -> dict[str, object]:
    return {"turns": [{"role": "user", "content": text} for text in texts]}


def test_a_session_is_added_to_seen_and_ended(client: Client, user: str, graph: Graph) -> None:
    added = client.post("/sessions/s-7/turns", turns("The ferry leaves at nine.", "The key is under the mat.")).json()
    assert (added["added"], added["evicted"], added["ref"]) == (2, 0, "1") and added["tokens"] > 0
    seen = client.get("/sessions/s-7").json()
    assert [turn["content"] for turn in seen["working"]] == ["The ferry leaves at nine.", "The key is under the mat."]
    assert (seen["summary"], seen["retrieved"], seen["injected"], seen["agent"]) == ("", [], [], "codex")
    assert client.post("/sessions/s-7/end").json() == {"session": "s-7", "is_source": True}
    assert client.get("/sessions/s-7").json()["ended_at"]
    assert client.get("/status").json()["sources"]["raw"] == 1
    assert client.post("/sessions/s-7/turns", {"turns": [{"role": "nobody", "content": "x"}]}).status_code == 400


HARBOR = [f"We talked about the harbor and the {number} boats in it, {'at length ' * 40}." for number in range(150)]


def test_turns_that_left_come_back_by_number_and_by_question(client: Client) -> None:
    said = list(HARBOR)
    said[3] = "The marmalade recipe needs 900 grams of sugar, \ud800 and Größe."
    assert client.post("/sessions/s-9/turns", turns(*said)).json()["evicted"] > 10

    def back(**asked: Any) -> list[dict[str, Any]]:
        answered = client.get("/sessions/s-9/turns", **asked)
        assert answered.status_code == 200, answered.text
        return answered.json()["turns"]

    assert [turn["content"] for turn in back(refs=["3", "148-149"])] == [said[3], *said[148:]]
    assert back(about="How much sugar does the marmalade need?")[0]["content"] == said[3]
    assert back(about="zebra") == []
    left = int(client.get("/sessions/s-9").json()["left"].partition("-")[2]) + 1
    found, more = [], ""
    while more is not None:
        part = client.get("/sessions/s-9/turns", budget=1_000, more=more)
        assert count_tokens(part.text) <= 1_000
        found, more = found + part.json()["turns"], part.json()["more"]
    assert [turn["content"] for turn in found] == said[:left]
    assert client.get("/sessions/s-9/turns", refs="150").status_code == 404
    assert client.get("/sessions/s-9/turns", refs="x").status_code == 404
    assert client.get("/sessions/s-9/turns", refs="1", about="boats").status_code == 400
    assert client.get("/sessions/s-9/turns", budget=1).status_code == 422


def test_a_working_memory_is_within_its_budget(client: Client, settings: Settings, user: str) -> None:
    client.post("/sessions/s-8/turns", turns(*HARBOR))
    injected = [f"{number:09}" for number in range(20_000)]
    Sessions.of(settings).note(user, "s-8", injected=injected)
    found, more = [], ""
    while more is not None:
        part = client.get("/sessions/s-8", more=more)
        assert count_tokens(part.text) <= 20_000
        found, more = found + part.json().get("injected", []), part.json()["more"]
    assert found == injected
    assert count_tokens(client.get("/sessions/s-8", budget=500).text) <= 500


def test_what_is_recalled_in_a_session_is_in_its_working_memory(client: Client, settings: Settings, user: str) -> None:
    client.post("/memories", {"text": "Nora keeps bees in Skagness."})
    client.post("/sessions/r-1/turns", turns("Where are Nora's bees?"))
    client.post("/recall", {"question": "Who won the chess tournament in Reykjavik?", "session": "r-1"})
    assert client.get("/sessions/r-1").json()["retrieved"] == []
    for session in ("r-1", "of nobody/ever"):
        assert not client.post("/recall", {"question": "Nora's bees", "session": session}).json()["abstained"]
    assert len(client.get("/sessions/r-1").json()["retrieved"]) == 1
    client.post("/memories", {"text": "Maud keeps a harp in Elmwick."})
    for more in ({"thorough": True}, {"archived": True}, {"as_of": "2026-11-01"}):
        asked = {"question": "Where is Maud's harp?", "session": "r-1"} | more
        assert "Elmwick" in client.post("/recall", asked).json()["text"]
    (passage,) = client.get("/sessions/r-1").json()["retrieved"]
    assert "Nora keeps bees in Skagness." in passage["text"] and passage["source"]
    assert client.get("/sessions/of").status_code == 404
    (before,) = Sessions.of(settings).memory(user, "r-1").recalled
    for session in ("r-1", "nobody's", ""):
        used = client.post("/usage", {"cited": [before.source, "000000000"], "session": session})
        assert used.json()["unknown"] == ["000000000"]
    (after,) = Sessions.of(settings).memory(user, "r-1").recalled
    assert after.use == pytest.approx(before.use + 0.1), "what is cited stays longer"


def test_a_contradiction_of_a_context_is_opened_by_its_name(graph: Graph, client: Client, user: str) -> None:
    ref = client.post("/memories", {"text": "Nora keeps bees in Skagness."}).json()["ref"]
    client.post("/usage", {"wrong": [ref]})
    context = client.post("/context/assemble", {"query": "Where does Nora keep bees?", "people": ["Nora"]}).json()
    (name,) = [one["ref"] for one in context["entries"] if one["text"].startswith("Not settled")]
    assert name != ref
    (listed,) = client.get("/contradictions").json()["contradictions"]
    opened = {"ref": name, "kind": "contradiction", "status": "open", "contradiction": listed, "more": None}
    assert client.get(f"/memories/{name}").json() == opened == client.get(f"/memories/[{name}]").json()
    assert client.get(f"/memories/{name}", level="history").json() == opened
    assert count_tokens(client.get(f"/memories/{name}", budget=60).text) <= 70
    other = client_of(graph, client.url, f"{user}-b", *Scope)
    theirs, none = other.get(f"/memories/{name}"), other.get("/memories/000000000")
    assert theirs.status_code == 404 and theirs.text.replace(name, "000000000") == none.text
    client.post(f"/contradictions/{listed['id']}/resolve", {"resolution": "both_valid"})
    assert client.get(f"/memories/{name}").json()["status"] == "resolved"


def test_what_is_long_or_much_is_cut_and_not_refused(client: Client) -> None:
    ref = client.post("/memories", {"text": "TypeError: x in src/auth/login.ts is a null.", "kind": "decision"}).json()[
        "ref"
    ]
    trace = "TypeError: x in src/auth/login.ts\n" + "  at a frame of it\n" * 300
    many = [trace, *(f"Error {number}" for number in range(20))]
    for asked in (
        {"signals": {"current_file": "src/auth/login.ts", "recent_errors": many, "activity": "debugging"}},
        {"errors": many},
        {"files": ["src/auth/login.ts", *(f"src/{number}.py" for number in range(20))]},
        {"files": ["src/auth/login.ts"], "people": [f"Person {number}" for number in range(20)], "branch": "b" * 500},
    ):
        found = client.post("/context/assemble", asked)
        assert found.status_code == 200 and ref in found.json()["context"], (asked, found.text)
    plain = {"query": trace, "task": trace * 2, "activity": "a" * 500}
    assert client.post("/context/assemble", plain).status_code == 200
    predicted = client.post("/context/predict", {"error": trace, "people": many, "branch": "b" * 500})
    assert [row["ref"] for row in predicted.json()["predicted_memories"]] == [ref]
    assert "login.ts" in client.post("/recall", {"question": trace}).json()["text"]
    assert client.post("/context/assemble", {"errors": [{"trace": trace}]}).status_code == 422


@pytest.mark.parametrize("session", ["chat 1", "-..", "ü", "x" * 150])
def test_a_session_of_any_id_is_one_for_every_operation(
    client: Client, settings: Settings, user: str, session: str
) -> None:
    client.post("/memories", {"text": "Maud keeps the eels in the boathouse.", "kind": "fact"})
    path = f"/sessions/{quote(session, safe='')}"
    given = client.post("/context/assemble", {"query": "Where does Maud keep the eels?", "session": session}).json()
    assert given["entries"]
    added = client.post(f"{path}/turns", turns("Where does Maud keep the eels?"))
    assert (added.status_code, added.json()["session"]) == (200, session)
    client.post("/recall", {"question": "Where does Maud keep the eels?", "session": session})
    seen = client.get(path).json()
    assert seen["session"] == session and seen["retrieved"] and seen["injected"]
    assert [one["ref"] for one in client.get(f"{path}/turns", refs="0").json()["turns"]] == ["0"]
    assert client.post(f"{path}/end").json() == {"session": session, "is_source": True}
    (file,) = (settings.inbox / user / "sessions").iterdir()
    assert file.name == f"{name_for(session)}.jsonl" and list((settings.home / "sessions" / user).glob("*.jsonl"))
    given = (Position(), 1_000)
    kinds = {one.kind.value for one in access_log(settings, user).after(*given)[1] if one.session == session}
    assert {"injected", "ignored"} <= kinds


def test_two_users_sessions_of_one_name_never_meet(graph: Graph, client: Client, user: str) -> None:
    other = client_of(graph, client.url, f"{user}-b", *Scope)
    client.post("/sessions/s-1/turns", turns("The safe opens with the harp."))
    for path, method in (("/sessions/{}", "GET"), ("/sessions/{}/turns", "GET"), ("/sessions/{}/end", "POST")):
        theirs, none = (answer(other, method, path.format(name)) for name in ("s-1", "s-2"))
        assert theirs.status_code == none.status_code == 404 and theirs.text.replace("s-1", "s-2") == none.text
    other.post("/sessions/s-1/turns", turns("The ferry leaves at nine."))
    assert "harp" not in other.get("/sessions/s-1").text and "ferry" not in client.get("/sessions/s-1").text


def test_a_context_is_assembled_from_the_signals_of_a_body(graph: Graph, client: Client, user: str) -> None:
    text = "Errors in src/auth/login.ts are logged as warnings."
    ref = client.post("/memories", {"text": text, "kind": "decision"}).json()["ref"]
    signals = {"current_file": "src/auth/login.ts", "recent_errors": ["TypeError: x"], "activity": "debugging"}
    found = client.post("/context/assemble", {"budget": 8000, "signals": signals}).json()
    assert found["token_count"] == count_tokens(found["context"]) == sum(found["tiers"].values())
    assert found["effective_budgets"]["tier1"] == 3000 and set(found["tiers"]) == {f"tier{n}" for n in range(1, 5)}
    (entry,) = found["entries"]
    assert (entry["ref"], entry["tier"]) == (ref, 1)
    assert entry["why"] == "decision about src/auth/login.ts, in force"
    assert not found["abstained"] and not found["partial"] and found["as_of"]
    once = {"signals": signals, "session": "s/1"}
    assert ref in client.post("/context/assemble", once).json()["context"]
    again = client.post("/context/assemble", once).json()
    assert again["context"] == "" and again["left_out"] == [{"ref": ref, "reason": "already in this session"}]
    predicted = client.post("/context/predict", {"file_opened": "src/auth/login.ts"}).json()
    assert [row["ref"] for row in predicted["predicted_memories"]] == [ref] and 0 < predicted["confidence"] < 1
    other = client_of(graph, client.url, f"{user}-b", *Scope)
    theirs = other.post("/context/assemble", {"signals": signals}).json()
    assert theirs["abstained"] and not theirs["entries"] and "warnings" not in str(theirs)


@pytest.mark.parametrize(
    ("asked", "text"),
    [({"people": ["田中"]}, "田中さんは新しい船を買った。"), ({"people": ["Νίκος"]}, "Ο Νίκος κρατά το κλειδί."),
     ({"branch": "feature/größe-ändern"}, "Die Größe des Ankers ist auf zwölf Meter geändert."),
     ({"files": ["src/größe.py"]}, "In gro\u0308ße.py wird in Metern gezählt."),
     ({"files": ["src/gro\u0308ße.py"]}, "In größe.py wird in Metern gezählt.")],
)  # fmt: skip
def test_a_cue_finds_what_says_its_name_in_any_script(client: Client, asked: dict[str, object], text: str) -> None:
    ref = client.post("/memories", {"text": text, "kind": "decision"}).json()["ref"]
    client.post("/memories", {"text": "The kite hangs in the attic.", "kind": "decision"})
    found = client.post("/context/assemble", asked).json()
    assert [one["ref"] for one in found["entries"] if one["tier"] < 3] == [ref] and not found["abstained"]


def test_a_context_keeps_to_the_surface_of_the_caller(client: Client) -> None:
    for number in range(12):
        client.post("/memories", {"text": f"Hive {number} in src/hives.py has {number} frames.", "kind": "decision"})
    body = {"files": ["src/hives.py"], "surface": {"characters": 300}}
    found = client.post("/context/assemble", body).json()
    assert 0 < len(found["context"]) <= 300 and {one["reason"] for one in found["left_out"]} == {"no room"}
    assert client.post("/context/assemble", {"surface": "billboard"}).status_code == 400
    assert client.post("/context/assemble", body | {"level": "storylines"}).status_code == 200
    for wrong in (
        {"budget": 1},
        {"user": "nora"},
        {"signals": {"mood": "good"}},
        {"deadline_ms": 0},
        {"level": "full"},
    ):
        assert client.post("/context/assemble", wrong).status_code == 422


def test_usage_counts_what_was_cited_and_what_was_ignored(client: Client) -> None:
    refs = [client.post("/memories", {"text": f"Hive {n} is empty."}).json()["ref"] for n in range(2)]
    counted = client.post("/usage", {"cited": [f"[{refs[0]}]"], "ignored": refs[1:], "session": "s-1"})
    assert counted.json() == {"cited": 1, "ignored": 1, "wrong": 0, "unknown": []}


def test_what_holds_between_two_days_comes_marked_outside_of_them(client: Client) -> None:
    def found(question: str, **given: Any) -> str:
        return client.post("/recall", {"question": question, **given}).json()["text"]

    ferry = {"text": "The ferry to Skagness leaves from pier four.", "valid_to": "2026-11-10"}
    made = client.post("/memories", ferry).json()
    assert client.post("/memories", ferry).json()["is_new"] is False
    ask = "Where does the ferry leave?"
    assert "pier four" in found(ask) and "held until" not in found(ask)
    assert "held until" not in found(ask, as_of="2026-11-10")
    assert "pier four. (held until 2026-11-10)" in found(ask, as_of="2026-11-11")
    opened = client.get(f"/memories/{made['ref']}").json()
    assert (opened["valid_from"], opened["valid_to"]) == (None, "2026-11-10")
    # Said again, it holds as it is said now.
    assert client.post("/memories", ferry | {"valid_to": "2026-10-31"}).json() | {"is_new": True} == made
    assert "pier four. (held until 2026-10-31)" in found(ask)

    office = {"text": "The office in src/office.py is in Bergen.", "kind": "decision", "valid_from": "2026-12-01"}
    client.post("/memories", office)
    assert "Bergen. (holds from 2026-12-01)" in found("Where is the office?")
    assert "holds from" not in found("Where is the office?", as_of="2026-12-01")
    context = client.post("/context/assemble", {"files": ["src/office.py"]}).json()
    assert "Bergen. (holds from 2026-12-01)" in context["context"]
    assert all("in force" not in entry["why"] for entry in context["entries"])
    long = {"text": " ".join(f"Hive {n} stands in the {n}th row." for n in range(90)), "valid_to": "2026-10-31"}
    client.post("/memories", long)
    assert "row. (held until 2026-10-31)" in found("Where does hive 7 stand?")
    reversed_days = {"valid_from": "2026-11-02", "valid_to": "2026-11-01"}
    for nonsense in ({"valid_to": "in spring"}, reversed_days, {"valid_to": 7e30}):
        refused = client.post("/memories", {"text": "It is so.", **nonsense})
        assert refused.status_code == 422 and "valid_" in refused.text


def test_a_memory_is_opened_in_parts_within_the_budget(client: Client) -> None:
    text = " ".join(f"Hive {n} has {n} frames, and Nora paints it in the colour number {n}." for n in range(200))
    ref = client.post("/memories", {"text": text}).json()["ref"]
    said, more, parts = "", "", 0
    while more is not None:
        answered = client.get(f"/memories/{ref}", budget=500, more=more)
        found = answered.json()
        assert count_tokens(answered.text) <= 500 and found["ref"] == ref and found["kind"] == "MemoryEntry"
        said += found.get("text", "")
        more, parts = found["more"], parts + 1
    assert parts > 2 and said == text
    assert count_tokens(client.get(f"/memories/{ref}").text) <= 4_000
    assert client.get(f"/memories/{ref}", more="x").status_code == 422
    assert client.get(f"/memories/{ref}", more="99999").status_code == 400


@pytest.mark.slow
def test_fifty_clients_at_once_are_all_answered_each_from_its_own_memory(
    graph: Graph, client: Client, url: str, user: str
) -> None:
    """Reading, writing, correcting and hooks of two users at the same time."""
    other = client_of(graph, url, f"{user}-b", *Scope)
    words = {client: "March", other: "October"}
    for one, word in words.items():
        one.post("/memories", {"text": f"The harbor in src/timer.py freezes in {word}.", "kind": "decision"})
    answers: list[tuple[Client, str, requests.Response]] = []

    def work(number: int) -> None:
        one = (client, other)[number % 2]
        asked = "When does the harbor freeze?"
        if number % 10 < 4:
            answers.append((one, words[one], one.post("/recall", {"question": asked})))
        elif number % 10 < 6:
            text = f"Lamp {number} hangs at the {words[one]} quay."
            noted = one.post("/memories", {"text": text})
            mended = patch(one, noted.json()["ref"], text=f"{text} It is green.", reason="seen")
            opened = one.get(f"/memories/{noted.json()['ref']}")
            answers.extend([(one, "", noted), (one, "", mended), (one, f"{text} It is green.", opened)])
        elif number % 10 < 8:
            hook = one.post("/hooks/claude-code/UserPromptSubmit", prompted(asked) | {"session_id": f"s-{number}"})
            answers.append((one, words[one], hook))
        else:
            added = one.post("/sessions/at-once/turns", turns(f"Turn {number} of {words[one]}."))
            given = one.post("/context/assemble", {"task": asked, "files": ["src/timer.py"]})
            answers.extend([(one, "", added), (one, words[one], given)])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 80
    for one, expected, answered in answers:
        (foreign,) = [word for whose, word in words.items() if whose is not one]
        assert answered.status_code in (200, 201) and expected in answered.text, answered.text
        assert foreign not in answered.text
    for one, word in words.items():
        session = one.get("/sessions/at-once").json()
        assert session["turns"] == 5 and all(word in turn["content"] for turn in session["working"])


def test_openapi_and_health_need_no_key_and_name_every_operation(url: str) -> None:
    described = requests.get(f"{url}/openapi.json", timeout=SECONDS).json()
    paths = {path.partition("{")[0].rstrip("/") for path in described["paths"]}
    assert {path.split("/")[1] for _, path, _, _ in OPERATIONS} <= {path.strip("/").split("/")[0] for path in paths}
    (bearer,) = described["components"]["securitySchemes"].values()
    assert (bearer["type"], bearer["scheme"]) == ("http", "bearer")
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            is_open = path.startswith("/health")
            assert ("security" in operation) is not is_open, (method, path)
            refusals = {"400", "401", "403", "404", "409", "413", "422", "429", "503"}
            assert is_open or refusals <= operation["responses"].keys()
            assert "HTTPValidationError" not in str(operation)
    for path in ("live", "ready"):
        assert requests.get(f"{url}/health/{path}", timeout=SECONDS).json()["status"] == path


def test_a_hook_answers_in_the_agents_own_form(client: Client, graph: Graph, url: str) -> None:
    client.post("/memories", {"text": "The boat to the island leaves on Friday at noon."})
    path = "/hooks/claude-code/UserPromptSubmit"
    asked = prompted("When does the boat to the island leave?")
    given = client.post(path, asked).json()["hookSpecificOutput"]
    assert given["hookEventName"] == "UserPromptSubmit" and "Friday at noon" in given["additionalContext"]
    other = client_of(graph, url, f"{client.token[4:12].lower()}-other", *Scope)
    assert other.post(path, asked).json() == {}
    assert client.post("/hooks/clippy/UserPromptSubmit", asked).status_code == 400
    assert client.post(path, {}).status_code == 400
    for hostile in ("/etc/passwd", "/proc/self/environ", "../../x", "\x00"):
        refused = client.post("/hooks/claude-code/SessionEnd", ENDED | {"transcript_path": hostile})
        assert refused.status_code == 400 and "root:" not in refused.text
    assert client.post("/hooks/claude-code/SessionEnd", ENDED).json() == {}


def test_a_key_that_asks_too_often_comes_back_later_and_holds_up_no_other(
    graph: Graph, settings: Settings, user: str
) -> None:
    with served(application(graph, settings.model_copy(update={"server_requests_per_minute": 3}))) as address:
        one, other = (client_of(graph, address, user, Scope.READ, agent=name) for name in ("codex", "cursor"))
        assert [one.get("/status").status_code for _ in range(4)] == [200, 200, 200, 429]
        refused = one.get("/status")
        assert 1 <= int(refused.headers["Retry-After"]) <= 20 and "ask again in" in refused.json()["error"]
        assert other.get("/status").status_code == one.get("/health/live").status_code == 200


def test_what_answers_cost_is_counted_by_agent(graph: Graph, client: Client, settings: Settings, user: str) -> None:
    assert used_by_agents(settings, user, NOW) == [] and client.get("/status").json()["cost"]["tokens"] == 0
    ref = client.post("/memories", {"text": "Ingrid sails to Skagness."}).json()["ref"]
    tokens = client.post("/recall", {"question": "Where does Ingrid sail?"}).json()["tokens"]
    (row,) = used_by_agents(settings, user, NOW)
    assert (row["agent"], row["tokens"]) == ("codex", tokens) and tokens > 0
    client.get(f"/memories/{ref}")
    client.post("/usage", {"cited": [ref]})
    (row,) = used_by_agents(settings, user, NOW)
    assert row["tokens"] > tokens and row["cited"] == 1
    status = client.get("/status").json()
    assert status["cost"] == {"tokens": row["tokens"], "calls": ANY, "tokens_in": ANY, "tokens_out": ANY, "usd": 0.0}
    assert client_of(graph, client.url, user, Scope.READ, agent="cursor").get("/status").json()["cost"]["tokens"] == 0
    bound = Client(client.url, add_key(graph, user, "codex", [Scope.READ], NOW, project="harbor")[1])
    assert bound.get("/status").json()["cost"] == {"tokens": row["tokens"]}
    assert status["versions"] == {"memory_assets": __version__, "graph": status["graph"]}
