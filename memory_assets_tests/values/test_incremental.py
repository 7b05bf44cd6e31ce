"""In the graph: scoring what changed leaves what scoring everything leaves, and asks for no more than that."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from memory_assets.model import node_id
from memory_assets.values import classify as module
from memory_assets.values.classify import classify_memories
from memory_assets.values.kept import STAMP, VECTORS
from memory_assets_tests.memory_file.world import World

pytestmark = pytest.mark.graph


def kept() -> Path:
    return Path(os.environ["MEMORY_ASSETS_HOME"]) / "kept"


def step(world: World) -> dict[str, Any]:
    return classify_memories(world.graph, world.user, world.now, kept=kept())


def stored(world: World) -> list[dict[str, Any]]:
    rows = world.graph.read("values/list_fingerprints", user_id=world.user)
    return sorted(rows, key=lambda row: row["id"])


def stage(world: World) -> str | None:
    return module.find_stage(world.graph, world.user, module.STAGE)


def test_in_pieces_is_at_once(world: World) -> None:
    source = world.add_source("cello")
    for words in ("The cello is old.", "The bow is new.", "Rosin is in the case."):
        world.add_statement(words, source)
    assert step(world)["written"] == 4
    later = world.add_source("harbour", days=9)
    world.add_statement("The harbour freezes in January.", later)
    world.add_statement("The cello is old!", later)
    gone = world.add_statement("The lighthouse is shut.", later)
    assert {row.memory_id for row in step(world)["made"]} >= {later, gone}
    world.graph.write("seed/set_chunk_archived", user_id=world.user, id=gone)
    assert step(world)["retired"] == 1
    assert step(world)["unchanged"]
    mark, rows = stage(world), stored(world)
    assert len(rows) == 7
    # From the start, without anything kept: the same, to the mark.
    again = classify_memories(world.graph, world.user, world.now, force=True)
    assert (again["written"], again["retired"], stage(world), stored(world)) == (0, 0, mark, rows)


def test_what_is_retired_is_out_of_the_others_scores(world: World) -> None:
    source = world.add_source("cello")
    first = world.add_statement("The cello is old.", source)
    later = world.add_source("harbour", days=90)
    again = world.add_statement("The cello is old!", later)
    step(world)
    world.graph.write("seed/unlink_statement", user_id=world.user, id=first)
    row = {"id": first, "audit_id": node_id("audit", world.user, first), "label": "KnowledgeChunk", "reason": "r", "snapshot": "{}"}
    assert world.graph.write("curation/retire_unstated_chunks", [row], user_id=world.user, now=world.now)
    report = step(world)
    assert {made.memory_id: made.uniqueness_score for made in report["made"]} == {again: 1.0}
    assert report["retired"] <= 1 and step(world)["unchanged"]
    assert node_id("value", world.user, first) not in {row["id"] for row in stored(world)}


def test_only_what_changed_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.fill()
    step(world)
    asked: list[str] = []
    read = module._read

    def counted(graph, user, readable, kind, ids):
        found = read(graph, user, readable, kind, ids)
        asked.extend(found)
        return found

    monkeypatch.setattr(module, "_read", counted)
    new = world.add_statement("Zebras sleep standing up.", world.sources[0])
    made = step(world)["made"]
    assert new in {row.memory_id for row in made}
    assert len(asked) == len(made) < 12


@pytest.mark.parametrize("harm", ["lost", "cut", "of another time", "begun"])
def test_what_was_kept_and_cannot_be_used_is_made_again(world: World, harm: str) -> None:
    source = world.add_source("cello")
    world.add_statement("The cello is old.", source)
    step(world)
    if harm == "lost":
        (kept() / STAMP).unlink()
    elif harm == "cut":
        (kept() / VECTORS).write_bytes((kept() / VECTORS).read_bytes()[:40])
    elif harm == "of another time":
        (kept() / STAMP).write_text('{"stamp": "x", "digest": "y"}')
    else:
        world.graph.write_together([module.stage_made(world.user, module.STAGE, module.BEGUN, world.now)])
    bow = world.add_statement("The bow is new.", source)
    report = step(world)
    assert (len(report["made"]), report["written"]) == (3, 1)
    assert node_id("value", world.user, bow) in {row["id"] for row in stored(world)}
    assert step(world)["unchanged"]


def test_what_is_kept_is_its_owners_alone(world: World) -> None:
    world.add_statement("The cello is old.", world.add_source("cello"))
    step(world)
    assert kept().stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in kept().iterdir()} == {0o600}
