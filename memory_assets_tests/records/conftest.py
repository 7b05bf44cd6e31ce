"""One user's records on the session's graph."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import neo4j
import pytest

from memory_assets.clock import Clock
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.graph.retirement import removal_rows
from memory_assets.llm.model_client import Embedder
from memory_assets.llm.opening import embedder
from memory_assets.model import RECORD_KINDS
from memory_assets.records.recording import Recorder
from memory_assets.settings import Settings
from memory_assets.sources.ingest import ingest_paths

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


class Desk:
    """What a user's agents keep, at an instant."""

    def __init__(self, graph: Graph, user: str, folder: Path, embedder: Embedder) -> None:
        self.graph, self.user, self.folder, self.embedder = graph, user, folder, embedder
        self.settings = Settings(_env_file=None, home=folder / "home")
        self.clock = Clock(NOW)

    def travel(self, now: datetime) -> None:
        self.clock = Clock(now)

    def write(self, name: str, *records: Mapping[str, Any]) -> None:
        """A file of records, read into the graph."""
        path = self.folder / "inbox" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        ingest_paths(self.graph, self.user, [path], None, self.clock)

    def recorder(self) -> Recorder:
        return Recorder(self.graph, self.embedder, self.clock, self.user)

    def record(self) -> Counter[str]:
        return self.recorder().run()

    def stored(self) -> dict[str, dict[str, Any]]:
        """The user's records that are there by their agents' own ids, else by their texts: labels and properties."""
        query = (
            "MATCH (m:Memory {user_id: $user}) WHERE m.record_kind IN $kinds "
            "RETURN labels(m) AS labels, properties(m) AS properties"
        )
        rows = self.graph.query_read_only(query, {"user": self.user, "kinds": list(RECORD_KINDS)})
        return {
            row["properties"]["record_id"] or row["properties"]["text"]: row["properties"]
            | {"labels": set(row["labels"])}
            for row in rows
        }

    def run(self, name: str, **params: Any) -> None:
        """Run one of this folder's own statements: what no code of ours does."""
        text = (Path(__file__).parent / f"{name}.cypher").read_text("utf-8")
        self.graph._run(neo4j.WRITE_ACCESS, lambda tx: tx.run(text, {"user_id": self.user, **params}).consume(), name)

    def change(self, identifier: str, **properties: Any) -> None:
        """Set what somebody else has written of a memory."""
        self.run("set_properties", id=identifier, properties=properties)

    def clear(self) -> None:
        """Begin anew: nothing of the user's is left."""
        self.run("clear")

    def sources(self) -> list[str]:
        """The ids of the user's sources, in order."""
        query = "MATCH (s:Source {user_id: $user}) RETURN s.id AS id ORDER BY id"
        return [row["id"] for row in self.graph.query_read_only(query, {"user": self.user})]

    def remove(self, *sources: str, how: str = "curation/set_sources_removed") -> None:
        """The owner wants these sources gone, or takes them back."""
        rows = removal_rows(self.user, sources, "asked for", self.clock.now())
        self.graph.write(how, rows, user_id=self.user, now=self.clock.now().isoformat())

    def put_back(self, *sources: str) -> None:
        """The owner takes that back."""
        rows = removal_rows(self.user, sources, "asked for", self.clock.now())
        for row in rows:
            del row["removed_by"]
        now = self.clock.now().isoformat()
        self.graph.write("curation/restore_sources", rows, user_id=self.user, now=now)

    def links(self) -> set[tuple[str, str, str]]:
        """From which record to which: by their own ids."""
        query = (
            "MATCH (m:Memory {user_id: $user})-[r:REFERS_TO|LEARNED_FROM]->(o:Memory) "
            "RETURN m.record_id AS one, type(r) AS relation, o.record_id AS other"
        )
        rows = self.graph.query_read_only(query, {"user": self.user})
        return {(row["one"], row["relation"], row["other"]) for row in rows}

    def picture(self) -> list[str]:
        """The canonical export."""
        return [json.dumps(line, sort_keys=True) for line in export_user(self.graph, self.user, canonical=True)]


@pytest.fixture(scope="session")
def local_embedder() -> Embedder:
    return embedder(Settings(_env_file=None))


@pytest.fixture
def desk(graph: Graph, user: str, tmp_path: Path, local_embedder: Embedder) -> Desk:
    return Desk(graph, user, tmp_path, local_embedder)
