"""A relationship has a life as a name has one (004, Which Nodes Have Full Lifecycle Tracking)."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import neo4j
import pytest

from memory_assets.commands.reading import NAME, explain, open_memory
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.graph.lives import Life
from memory_assets.lifecycle import policy
from memory_assets.lifecycle.ageing import age_memories
from memory_assets.model import State, reference
from memory_assets.notes.reading import explain_subject
from memory_assets.settings import Settings
from memory_assets_tests.notes.test_taking import NOW, person, properties, script, seed, take, works_at
from memory_assets_tests.support.accesses import fold
from memory_assets_tests.support.scripted_models import ScriptedModel

pytestmark = pytest.mark.graph
SEED = (Path(__file__).parent.parent / "lifecycle" / "set_properties.cypher").read_text("utf-8")
FADED = timedelta(days=600)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(_env_file=None, home=tmp_path / "home", now=NOW)


def stored(graph: Graph, user: str) -> dict[str, Any]:
    found = properties(graph, user, works_at(user))
    assert found is not None
    return found


def connected(graph: Graph, user: str) -> list[str]:
    found = explain_subject(graph, user, reference(person(user)))
    assert found is not None
    return [row["ref"] for row in found["relationships"]]


def test_one_that_is_shown_is_accessed_and_one_that_nobody_asks_for_fades(
    graph: Graph, user: str, settings: Settings
) -> None:
    seed(graph, user, ["s1", "s2"])
    take(graph, user)
    born = stored(graph, user)
    assert age_memories(graph, user, NOW).next_day is None, "of 0.8 and surer: it waits for its first retrieval"
    open_memory(graph, settings, user, reference(person(user)), 4000)
    fold(graph, settings, user, NOW)
    shown = stored(graph, user)
    life = policy.folded(Life(born["created_at"], confidence=0.8, ingested_at=born["ingested_at"]), [NOW])
    assert (shown["state"], shown["access_count"], shown["salience"]) == ("active", 1, pytest.approx(life.salience))
    gone = policy.archived_on(life)
    assert age_memories(graph, user, NOW).next_day == gone is not None

    aged = age_memories(graph, user, NOW + FADED)
    assert works_at(user) in aged.gone and stored(graph, user)["archived_from"] == "active"
    assert connected(graph, user) == [] and graph.read("notes/count_relationships", user_id=user) == []
    later = Settings(_env_file=None, home=settings.home, now=NOW + FADED)
    kind, found = explain(graph, later, user, reference(works_at(user)))
    assert (kind, found["kind"], found["life"]["state"]) == (NAME, "relationship", "archived")
    assert [note["content"] for note in found["notes"]] == ["Since May."]

    opened = open_memory(graph, later, user, reference(works_at(user)), 4000)
    assert opened["is_archived"] and opened["title"] == "Maria works_at Harbour"
    assert {row["title"] for row in opened["about"]} == {"Maria", "Harbour"}
    fold(graph, later, user, NOW + FADED)
    assert (stored(graph, user)["state"], connected(graph, user)) == (State.ACTIVE, [reference(works_at(user))])


def test_one_that_was_accessed_and_that_no_source_supports_any_more_says_nothing(
    graph: Graph, user: str, settings: Settings
) -> None:
    seed(graph, user, ["s1"])
    take(graph, user)
    open_memory(graph, settings, user, reference(person(user)), 4000)
    fold(graph, settings, user, NOW)
    assert connected(graph, user) and stored(graph, user)["access_count"] == 1
    take(graph, user, ScriptedModel(script({}).script, "scripted/2"))
    after = stored(graph, user)
    assert (after["source_count"], after.get("stated"), after.get("description")) == (0, None, None)
    assert connected(graph, user) == [] and graph.read("notes/count_relationships", user_id=user) == []
    for asked in (lambda ref: open_memory(graph, settings, user, ref, 4000), partial(explain, graph, settings, user)):
        with pytest.raises(UnknownReferenceError):
            asked(reference(works_at(user)))
    take(graph, user, ScriptedModel(script().script, "scripted/3"))
    assert connected(graph, user) and stored(graph, user)["stated"] == "Maria works at the harbour."


def test_one_that_is_said_again_is_back(graph: Graph, user: str) -> None:
    def set_properties(memory: str, **properties: Any) -> None:
        given = {"user_id": user, "id": memory, "properties": properties}
        graph._run(neo4j.WRITE_ACCESS, lambda tx: tx.run(SEED, given).consume(), "seed")

    seed(graph, user, ["s1"])
    take(graph, user)
    set_properties(works_at(user), confidence=0.4)
    assert works_at(user) in age_memories(graph, user, NOW + FADED).gone
    seed(graph, user, ["s2"])
    set_properties(f"{user}/s2", ingested_at=NOW + FADED)
    take(graph, user)
    assert age_memories(graph, user, NOW + FADED).back == 1
    assert stored(graph, user)["state"] == "candidate" and connected(graph, user)
