"""A whole installation on a service that speaks OpenAI's protocol: what it asks, pays, survives and never tells."""

from __future__ import annotations

import json
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory_assets.graph.graph import open_graph
from memory_assets.llm.ledger import Ledger
from memory_assets.llm.structured import schema_name
from memory_assets.llm.tasks import NAME_MACRO, NAME_STORYLINE
from memory_assets.settings import Settings
from memory_assets_tests.support.installation import Installation, installation, write_conversation
from memory_assets_tests.support.processes import files_with
from memory_assets_tests.support.protocol_server import ProtocolServer, Reply, Request, good, refusal, status

pytestmark = pytest.mark.slow

MARKER = "plutonium"
PARTS = ("lens", "mirror", "mast", "cable", "motor", "switch", "gallery", "bell")
SOURCES = (
    "MATCH (s:Source) WHERE s.user_id IN [$user, 'team-' + $user] RETURN s.title AS title, s.user_id AS owner, "
    "s.processing_status AS status, s.processing_error AS error, s.model AS model ORDER BY owner, title"
)
VECTORS = (
    "MATCH (m:Memory) WHERE m.user_id IN [$user, 'team-' + $user] AND m.embedding IS NOT NULL "
    "RETURN DISTINCT [l IN labels(m) WHERE l <> 'Memory'][0] AS label, m.embedder AS embedder, "
    "size(m.embedding) AS width ORDER BY label, embedder"
)
EXTRACTED = "MATCH (x:Extraction {user_id: $user, status: 'extracted'}) RETURN count(x) AS n"


class Service:
    """The server, with what it makes of keys and of a forbidden word."""

    def __init__(self) -> None:
        self.key = f"sk-canary-{secrets.token_hex(12)}"
        self.refuses = ""
        self.server = ProtocolServer(always=self.answer)

    def answer(self, request: Request) -> Reply:
        if request.headers["authorization"] != f"Bearer {self.key}":
            said = request.headers["authorization"].removeprefix("Bearer ")
            return status(401, f"Incorrect API key provided: {said}.", code="invalid_api_key")(request)
        if self.refuses and self.refuses in request.user_text:
            return refusal("that is nothing to talk about")(request)
        return good(request)

    @property
    def asked(self) -> tuple[int, int]:
        return len(self.server.chats), len(self.server.embeddings)


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    with made.server:
        yield made


def write_sources(folder: Path, user: str) -> None:
    """Nine sources of the user's own, and three of the team's."""
    for number, part in enumerate(PARTS, start=1):
        mine = f"From now on, always send the {part} minutes to Tomasz as plain text."
        write_conversation(
            folder / "own" / f"chat-{number}.jsonl",
            f"{user}-{number}",
            f"2026-09-{number * 3:02d}",
            [
                ("user", "Nora", f"The Lighthouse in Skagness needs a new {part} before winter number {number}."),
                ("assistant", "Assistant", f"Noted: the Lighthouse needs a {part}, says Nora."),
                (
                    "user",
                    "Nora",
                    mine
                    if number == 2
                    else f"I need to pay Tomasz {number * 110} euros for the {part} of the Lighthouse.",
                ),
            ],
        )
    (folder / "own" / "2026-09-28 reactor.md").write_text(
        f"# Reactor\n\nThe Lighthouse has no {MARKER} in Skagness. Tomasz will look at it.\n", encoding="utf-8"
    )
    (folder / "team").mkdir(parents=True)
    for number, part in enumerate(PARTS[:3], start=1):
        (folder / "team" / f"2026-10-{number:02d} log.md").write_text(
            f"# Log {number}\n\nTomasz repaired the {part} of the Lighthouse. Then Tomasz will paint the Lighthouse. "
            "On Friday Tomasz leaves the Lighthouse for a week.\n",
            encoding="utf-8",
        )


def query(house: Installation, cypher: str, user: str) -> list[dict[str, Any]]:
    """What is stored, read without a process for it."""
    with closing(open_graph(Settings(_env_file=None, home=house.home))) as graph:
        return graph.query_read_only(cypher, {"user": user})


def paid(house: Installation) -> float:
    with closing(Ledger(house.home / "models.sqlite")) as ledger:
        return ledger.summary()["usd"]


def test_a_house_on_a_service_asks_once_pays_once_and_goes_on_after_trouble(
    tmp_path: Path, user: str, service: Service
) -> None:
    # What is asked and paid does not depend on the engine; what is stored, the next test sees on both.
    write_sources(tmp_path, user)
    server = service.server
    other = f"{user}-b"
    told: list[str] = []
    began = time.monotonic()

    def run(at: Installation, *arguments: str | Path, code: int = 0) -> str:
        done = at.run(*arguments, code=code)
        told.append(f"{done.stdout}\0{done.stderr}")
        print(f"$ {arguments}  # {time.monotonic() - began:.0f} s", told[-1], sep="\n")
        assert "Traceback" not in told[-1]
        return done.stderr

    with installation(
        tmp_path / "home",
        MEMORY_ASSETS_LLM="openai",
        MEMORY_ASSETS_EMBEDDER="openai",
        MEMORY_ASSETS_LLM_MODEL="gpt-4.1-mini",
        OPENAI_BASE_URL=server.base_url,
        OPENAI_API_KEY=service.key,
    ) as house:
        run(house, "team", "add", user, user, other)
        run(house, "ingest", tmp_path / "own", "--user", user)
        shutil.copytree(tmp_path / "team", house.home / "inbox" / f"team-{user}")

        # Passing trouble passes; what is refused for good fails alone, visibly, and is told in one line.
        service.refuses = MARKER
        server.script(status(429, "slow down", retry_after=0.2), status(500, "oops"), status(503, retry_after=0.1))
        server.script_embeddings(status(429, retry_after=0.1), status(500))
        statuses: dict[str, str] = {}
        said = run(house, "materialize", "--user", user, "--with-team", "--json", code=1)
        run(house, "materialize", "--user", other, "--with-team", "--json")
        for output in told[-2:]:
            for report in json.loads(output.partition("\0")[0]):
                statuses.setdefault(report["user"], report["status"])
        assert statuses == {
            f"team-{user}": "done",
            user: "unfinished",
            other: "done",
        }
        problems = [line for line in said.splitlines() if "that is nothing to talk about" in line]
        assert len(problems) == 1 and "Reactor" in problems[0] and user in problems[0]
        assert said.splitlines()[-1].startswith("memory-assets: ") and user in said.splitlines()[-1]
        stored = house.json("graph", "query", SOURCES, "--param", f"user={user}")
        by_title = {row["title"]: row for row in stored}
        failed = by_title.pop("Reactor")
        assert failed["status"] == "failed" and "that is nothing to talk about" in failed["error"]
        assert len(by_title) == 11
        assert {row["status"] for row in by_title.values() if row["owner"] == user} == {"extracted"}
        assert all(house.memory_file(name).is_file() for name in (user, other))
        assert (query(house, EXTRACTED, user), query(house, EXTRACTED, other)) == ([{"n": 11}], [{"n": 3}])

        # The next run leaves that one alone, and says so; a retry tries it again, and nothing else.
        service.refuses = ""
        before = len(server.chats)
        assert "set aside or failed" in run(house, "materialize", "--user", user)
        assert len(server.chats) == before
        run(house, "retry", "--user", user)
        new = [request.user_text for request in server.chats[before:] if "tools" not in request.body]
        assert sum(MARKER in text and "Reactor" in text for text in new) == 2  # described, extracted
        assert {row["status"] for row in query(house, SOURCES, user) if row["owner"] == user} == {"extracted"}
        (shown,) = house.json("show", "--user", user)
        assert any("plain text" in entry["text"] for entry in shown["entries"])
        ledger = house.json("ledger")
        by = {(row["model"], row["asset"], row["user"]): row for row in ledger["by"]}
        for asset, owner in (
            ("processed_sources", user),
            ("processed_sources", f"team-{user}"),
            ("extracted_entities", user),
            ("storylines", user),
        ):
            for model in ("openai/gpt-4.1-mini", "openai/text-embedding-3-small"):
                row = by[model, asset, owner]
                assert row["tokens_in"] > 0 and row["usd"] > 0, row
        assert ("openai/gpt-4.1-mini", "extracted_entities", other) in by
        # Members ask the same of a team's source, and nothing is paid twice: what one has paid for, the other has.
        noted = [by["openai/gpt-4.1-mini", "notes", owner] for owner in (user, other)]
        assert sum(row["usd"] for row in noted) > 0 and all(row["usd"] or row["cached"] for row in noted), noted
        assert ledger["usd"] == pytest.approx(sum(row["usd"] for row in ledger["by"])) and not ledger["unpriced"]

        # Nothing is due: nothing is asked. By force everything is made again, from what was paid for.
        asked, spent = service.asked, ledger["usd"]
        assert run(house, "materialize", "--user", user).count("nothing to do") == 2
        run(house, "materialize", "--user", user, "--force")
        assert service.asked == asked and paid(house) == spent

        # A refused key stops the run before anything is harmed.
        published = house.memory_file(user)
        before_trouble = query(house, SOURCES, user)
        state = published.read_bytes(), published.stat().st_mtime_ns
        nano = house.with_variables(MEMORY_ASSETS_LLM_MODEL="gpt-4.1-nano")
        wrong = f"{service.key}-wrong"
        before = len(server.chats)
        said = run(nano.with_variables(OPENAI_API_KEY=wrong), "materialize", "--user", user, code=1)
        assert said.count("refused the key (401). Check OPENAI_API_KEY.") == 2  # for the team, for the user
        assert len(said.splitlines()) == 5 and "not executed" not in said
        assert len(server.chats) - before <= 24
        assert (published.read_bytes(), published.stat().st_mtime_ns) == state
        assert query(house, SOURCES, user) == before_trouble

        # A budget ends the run, not the work: the next run pays for the rest only.
        before, spent = len(server.chats), paid(house)
        said = run(nano.with_variables(MEMORY_ASSETS_BUDGET_USD="0.0011"), "materialize", "--user", user, code=1)
        first = server.chats[before:]
        assert first and 0 < paid(house) - spent <= 0.0011  # one budget for the run: the team and the user together
        assert any("left for the next run" in line and "MEMORY_ASSETS_BUDGET_USD" in line for line in said.splitlines())
        assert {row["status"] for row in query(house, SOURCES, user)} <= {"extracted", "processed"}
        run(nano.with_variables(MEMORY_ASSETS_BUDGET_USD="5"), "materialize", "--user", user)
        bodies = [json.dumps(request.body, sort_keys=True) for request in server.chats[before:]]
        assert len(bodies) > len(first) and len(set(bodies)) == len(bodies)
        assert {row["model"] for row in query(house, SOURCES, user)} == {"openai/gpt-4.1-nano"}

        # Another embedder: every vector is made again, and only what is grouped otherwise by it asks anything.
        chats = len(server.chats)
        server.width = 96
        large = nano.with_variables(MEMORY_ASSETS_EMBEDDER_MODEL="text-embedding-3-large")
        run(large, "materialize", "--user", user)
        vectors = query(large, VECTORS, user)
        assert {row["label"] for row in vectors} >= {"Source", "KnowledgeChunk", "Storyline"}
        assert {(row["embedder"], row["width"]) for row in vectors} == {("openai/text-embedding-3-large", 96)}
        asked = {request.body["response_format"]["json_schema"]["name"] for request in server.chats[chats:]}
        assert asked <= {schema_name(NAME_STORYLINE), schema_name(NAME_MACRO)}

        assert files_with(tmp_path / "home", service.key.encode()) == []
        assert all(service.key not in text for text in told)


@pytest.mark.own_engine
def test_a_house_changes_from_the_local_embedder_to_a_service(tmp_path: Path, user: str, service: Service) -> None:
    write_sources(tmp_path, user)
    with installation(tmp_path / "home") as house:
        shutil.copytree(tmp_path / "own", house.home / "inbox" / user)
        house.run("materialize", "--user", user)
        before = query(house, VECTORS, user)
        remote = house.with_variables(
            MEMORY_ASSETS_EMBEDDER="openai",
            OPENAI_BASE_URL=service.server.base_url,
            OPENAI_API_KEY=service.key,
        )
        remote.run("materialize", "--user", user)
        after = query(house, VECTORS, user)
    labels = {row["label"] for row in before}
    assert labels == {row["label"] for row in after} and labels >= {"Source", "KnowledgeChunk", "Storyline"}
    assert all(row["embedder"].startswith("local/") for row in before)
    assert {(row["embedder"], row["width"]) for row in after} == {("openai/text-embedding-3-small", 64)}
    assert not service.server.chats and service.server.embeddings
