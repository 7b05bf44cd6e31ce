"""A small world of memories in the graph, as the earlier stages would have left it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph import query_files
from memory_assets.graph.graph import Graph
from memory_assets.llm.opening import open_models
from memory_assets.model import node_id, reference
from memory_assets.settings import Settings
from memory_assets_tests.support.fixture_resources import resources_of

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
TOPICS = "cello harbour ladder pottery lighthouse vaccine mortgage telescope orchard saddle quarry violin".split()
_SEEDS = {f"seed/{name}": query for name, query in query_files.load(Path(__file__).parent / "cypher").items()}


@dataclass
class World:
    """One user's memories; every id has the user in it, since tests share the graph."""

    graph: Graph
    user: str
    settings: Settings
    now: datetime = NOW
    sources: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        # The seeds' statements join the catalogue of this session's graph.
        self.graph._queries = {**self.graph._queries, **_SEEDS}

    def add_source(
        self,
        name: str,
        days: int | None = 0,
        owner: str | None = None,
        provenance: str | None = None,
        source_type: str = "conversation",
    ) -> str:
        """A source of the user's, or of ``owner``."""
        owner = owner or self.user
        identifier = node_id("source", owner, self.user, name)
        started = None if days is None else self.now - timedelta(days=60 - days)
        row = {
            "id": identifier,
            "ref": reference(identifier),
            "title": f"About {name}",
            "path": f"/inbox/{name}.jsonl",
            "summary": f"They built the {name} for an hour.",
            "started_at": started,
            "provenance": provenance,
            "source_type": source_type,
        }
        self.graph.write("seed/add_sources", [row], user_id=owner, now=self.now)
        self.sources.append(identifier)
        return identifier

    def add_statement(self, content: str, source: str, content_type: str = "insight", **known: Any) -> str:
        """A statement of the user's, said in ``source``."""
        identifier = node_id("chunk", self.user, content)
        row = {
            "id": identifier,
            "ref": reference(identifier),
            "content": content,
            "statement": None,
            "source_id": source,
            "content_type": content_type,
            "speaker": "Caroline",
            "is_instruction": False,
            "said_by_owner": False,
            "embedding": None,
        }
        self.graph.write("seed/add_statements", [row | known], user_id=self.user, now=self.now)
        return identifier

    def add_storyline(self) -> tuple[str, str]:
        """A storyline over all sources so far and a macro over it."""
        storyline, macro = node_id("storyline", self.user, 1), node_id("macro", self.user, 1)
        for made, one in (("storylines", storyline), ("macros", macro)):
            row = {"id": one, "ref": reference(one)}
            self.graph.write(f"hierarchy/upsert_{made}", [row], user_id=self.user, now=to_iso(self.now))
        self.graph.write(
            "seed/add_storyline",
            user_id=self.user,
            storyline_id=storyline,
            macro_id=macro,
            source_ids=self.sources,
            now=self.now,
        )
        return storyline, macro

    def join(self, team_owner: str) -> None:
        """Make the user a member of a team."""
        self.graph.write(
            "seed/add_member",
            user_id=self.user,
            user_node_id=node_id("user", self.user),
            team_owner=team_owner,
        )

    def fill(self) -> None:
        """A dozen sources with a few statements of each section, and an overview."""
        for place, topic in enumerate(TOPICS):
            source = self.add_source(topic, place * 3)
            self.add_statement(f"The {topic} came from grandmother's attic in {1900 + place}.", source)
            self.add_statement(f"Remember to fetch the {topic} by {place + 1} December.", source, "task")
            self.add_statement(f"Caroline prefers the {topic} in blue.", source, "preference")
            self.add_statement(f"Ha ha, the {topic}!", source, "chitchat")
        self.add_statement(
            "Always answer me in metric units.",
            self.sources[0],
            "task",
            is_instruction=True,
            said_by_owner=True,
        )
        self.add_storyline()

    @property
    def path(self) -> Path:
        """Where the user's file is published."""
        return self.settings.memory_file(self.user)

    def resources(self) -> dict[str, Any]:
        """Dagster's resources over this session's graph and this test's home, in which the user has an inbox."""
        (self.settings.inbox / self.user).mkdir(parents=True, exist_ok=True)
        return resources_of(self.graph, open_models(self.settings), self.settings)
