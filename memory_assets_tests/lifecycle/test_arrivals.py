"""A retrieval knows what had arrived by then, whenever it is counted and whatever the memory is, as a source grows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import neo4j
import pytest

from memory_assets.clock import Clock, to_iso
from memory_assets.graph.lives import life_of, salience
from memory_assets.lifecycle.ageing import age_memories
from memory_assets.lifecycle.folding import recount
from memory_assets.model import State, node_id, reference
from memory_assets.runtime.accesses import AccessLog
from memory_assets.sources.ingest import ingest_paths
from memory_assets_tests.lifecycle.test_ageing import seed, stored
from memory_assets_tests.lifecycle.test_policy import MADE, by_formula
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.accesses import access, fold

pytestmark = pytest.mark.graph
LINKS = (Path(__file__).parent / "add_links.cypher").read_text("utf-8")
LINK = (Path(__file__).parent / "link_source.cypher").read_text("utf-8")
ARRIVED = [5.0, 22.0, 40.0]
"""The days on which a source grows that is there from the beginning."""
ASKED = [3.0, 10.0, 30.0, 25.0, 41.0]
CERTAINTY = {"Source": 1.0, "KnowledgeChunk": 0.4, "Concept": 0.6, "Relationship": 0.5, "Storyline": 0.7, "Macro": None}
# By the day on which a line is counted. Each is counted with what has arrived by then.
COUNTED = {
    "at once": {day: day for day in ASKED},
    "at the end": dict.fromkeys(ASKED, 60.0),
    "after the next arrival": {3.0: 6.0, 10.0: 23.0, 30.0: 43.0, 25.0: 43.0, 41.0: 43.0},
    "one late, after the last arrival before it": {3.0: 3.0, 10.0: 10.0, 30.0: 30.0, 25.0: 31.0, 41.0: 41.0},
    "the first last": {3.0: 60.0, 10.0: 10.0, 30.0: 30.0, 25.0: 42.0, 41.0: 41.0},
}


def grow(world: World, folder: Path, day: float, lines: int) -> str:
    """A conversation of so many lines, as it is read on a day."""
    said = {"role": "user", "timestamp": "2026-10-05T09:00:00Z", "conversation_id": world.user}
    texts = [json.dumps(said | {"content": f"The cello is number {number} of all."}) for number in range(lines)]
    (folder / "talk.jsonl").write_text("\n".join(texts) + "\n", encoding="utf-8")
    ingest_paths(world.graph, world.user, [folder / "talk.jsonl"], None, Clock(later(world, day)))
    return world.graph.query_read_only("MATCH (s:Source {user_id: $u}) RETURN s.id AS id", {"u": world.user})[0]["id"]


def later(world: World, day: float) -> datetime:
    return world.now + timedelta(days=day)


def memories_of(world: World, source: str) -> dict[str, str]:
    """What follows from a source, of each kind."""
    world.sources.append(source)
    concept, relationship = node_id("concept", world.user, "cello"), node_id("relationship", world.user, "plays")
    row = {"canonical_name": "Cello", "entity_type": "concept", "type": "plays", "from_name_id": "a", "to_name_id": "b"}
    for query, one in (("entities/upsert_concepts", concept), ("notes/upsert_relationships", relationship)):
        made = [row | {"id": one, "ref": reference(one)}]
        world.graph.write(query, made, user_id=world.user, now=to_iso(world.now))
    given = {"user_id": world.user, "source_id": source, "concept_id": concept, "relationship_id": relationship}
    world.graph._run(neo4j.WRITE_ACCESS, lambda tx: tx.run(LINKS, given).consume(), "seed")
    storyline, macro = world.add_storyline()
    statement = world.add_statement("The cello is old.", source)
    ids = dict(zip(CERTAINTY, [source, statement, concept, relationship, storyline, macro], strict=True))
    for kind, one in ids.items():
        if CERTAINTY[kind] is not None:
            seed(world, one, confidence=CERTAINTY[kind])
    return ids


@pytest.mark.parametrize("how", COUNTED)
@pytest.mark.parametrize("is_noted", [True, False], ids=["noted at once", "noted last"])
def test_a_retrieval_knows_what_had_arrived_whenever_it_is_counted(
    world: World, tmp_path: Path, how: str, *, is_noted: bool
) -> None:
    ids = memories_of(world, grow(world, tmp_path, 0, 1))

    def note_arrival(day: float, kinds: Iterable[str]) -> None:
        for kind in kinds:
            if kind in ("Storyline", "Macro"):
                world.graph.write("hierarchy/set_arrivals", [{"id": ids[kind]}], user_id=world.user)
            elif kind != "Source":
                present = stored(world, ids[kind]).get("salience", 0.5)
                seed(world, ids[kind], ingested_at=later(world, day), confidence=CERTAINTY[kind], salience=present)

    events: list[tuple[float, int, Any]] = [(day, 0, number + 2) for number, day in enumerate(ARRIVED)]
    events += [(day, 1, asked) for asked, day in COUNTED[how].items()]
    for day, what, given in sorted(events):
        if what == 0:
            grow(world, tmp_path, day, given)
            # A stage notes it when it comes to it; of a concept it is known at once.
            note_arrival(day, CERTAINTY if is_noted else ("Concept",))
            continue
        access(world.settings, world.user, *ids.values(), at=later(world, given))
        if how != "at the end":
            fold(world.graph, world.settings, world.user, later(world, day))
    fold(world.graph, world.settings, world.user, later(world, 60))
    at, arrived = [MADE + timedelta(days=day) for day in ASKED], [MADE + timedelta(days=day) for day in ARRIVED]
    for kind, one in ids.items():
        (row,) = world.graph.read("graph/list_lives", user_id=world.user, memory_ids=[one])
        begins = State.ACTIVE if kind in ("Storyline", "Macro") else State.CANDIDATE
        confidence = 1.0 if CERTAINTY[kind] is None else CERTAINTY[kind]
        expected = by_formula(begins, confidence, at, arrived, MADE + timedelta(days=100))
        life = life_of(row)
        assert salience(life, later(world, 100)) == pytest.approx(expected, abs=1e-9), kind
        assert (life.state, life.access_count, life.begins) == (State.ACTIVE, len(ASKED), begins), kind


def link(world: World, ids: Mapping[str, str], source: str) -> None:
    """Each stage notes what a source says and when it arrived."""
    kinds = {"statement_id": "KnowledgeChunk", "concept_id": "Concept", "relationship_id": "Relationship"}
    given = {name: ids[kind] for name, kind in (kinds | {"storyline_id": "Storyline"}).items()}
    given |= {"user_id": world.user, "source_id": source}
    world.graph._run(neo4j.WRITE_ACCESS, lambda tx: tx.run(LINK, given).consume(), "seed")
    dated: dict[str, Any] = {"now": to_iso(world.now)}
    for kind, query, more in (
        ("KnowledgeChunk", "graph/set_chunk_totals", dated),
        ("Concept", "entities/set_anchor_totals", dated | {"since": None}),
        ("Relationship", "notes/set_relationship_totals", dated),
        ("Storyline", "hierarchy/set_arrivals", {}),
        ("Macro", "hierarchy/set_arrivals", {}),
    ):
        world.graph.write(query, [{"id": ids[kind]}], user_id=world.user, **more)


@pytest.mark.parametrize("is_linked_first", [True, False])
def test_what_is_linked_behind_a_counted_retrieval_has_it_counted_anew(
    world: World, tmp_path: Path, *, is_linked_first: bool
) -> None:
    source = grow(world, tmp_path, 0, 1)
    ids = memories_of(world, source)
    del ids["Source"]
    link(world, ids, source)
    other = seed(world, world.add_source("harbour"), ingested_at=later(world, 100))
    asked = [1.0, 101.0]
    for day in asked:
        access(world.settings, world.user, *ids.values(), at=later(world, day))
        if is_linked_first and day > 100:
            link(world, ids, other)
        fold(world.graph, world.settings, world.user, later(world, day + 1))
    if not is_linked_first:
        link(world, ids, other)
    with closing(AccessLog(world.settings.accesses_file(world.user))) as log:
        anew = recount(world.graph, log, world.user, later(world, 102))
    assert anew == (0 if is_linked_first else len(ids)), "nothing else is"
    assert world.graph.read("lifecycle/list_uncounted", user_id=world.user) == []
    at = [MADE + timedelta(days=day) for day in asked]
    for row in world.graph.read("graph/list_lives", user_id=world.user, memory_ids=list(ids.values())):
        begins = State.ACTIVE if {"Storyline", "Macro"} & {*row["labels"]} else State.CANDIDATE
        expected = by_formula(begins, 0.4, at, [MADE + timedelta(days=100)], MADE + timedelta(days=200))
        assert salience(life_of(row), later(world, 200)) == pytest.approx(expected, abs=1e-9), row["labels"]


class Growing:
    """A graph in which a source grows while a run looks at lives: who takes it in waits for nobody."""

    def __init__(self, world: World, grow: Callable[[], object]) -> None:
        self.graph, self.grow = world.graph, grow

    def __getattr__(self, name: str) -> Any:
        return getattr(self.graph, name)

    def read(self, name: str, **given: Any) -> Any:
        rows = self.graph.read(name, **given)
        if name == "graph/list_lives":
            self.grow()
        return rows


@pytest.mark.parametrize("is_archived", [False, True])
def test_what_grows_while_it_is_aged_is_aged_by_the_next_run(
    world: World, tmp_path: Path, *, is_archived: bool
) -> None:
    source = grow(world, tmp_path, 0, 1)
    seed(world, source, state="active", confidence=1.0, salience=0.5, recall_frequency=0)
    at = later(world, 300)
    if is_archived:
        assert age_memories(world.graph, world.user, at).archived == 1
        seed(world, source)
        at = later(world, 301)
    meddling: Any = Growing(world, lambda: grow(world, tmp_path, 302, 2))
    assert age_memories(meddling, world.user, at).archived == 0
    assert age_memories(world.graph, world.user, later(world, 302)).back == is_archived
    row = stored(world, source)
    assert (row["state"], row.get("archived_at"), row.get("unaged")) == ("active", None, None) and row["fade_key"]


def test_a_source_that_grows_keeps_when_it_arrived(world: World, tmp_path: Path) -> None:
    source = grow(world, tmp_path, 0, 1)
    assert "arrivals" not in stored(world, source)
    for number, day in enumerate(ARRIVED):
        grow(world, tmp_path, day, number + 2)
    arrived = [datetime.fromisoformat(text) for text in stored(world, source)["arrivals"]]
    assert arrived == [later(world, day) for day in (0.0, *ARRIVED)]
    asked = {"user_id": world.user, "user_ids": [world.user]}
    rows = world.graph.read("lifecycle/list_arrivals", rows=[{"id": source, "since": to_iso(arrived[-1])}], **asked)
    assert rows == [], "what arrived before nothing is asked for"
