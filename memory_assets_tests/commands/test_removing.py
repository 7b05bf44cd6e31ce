"""A source that its owner wants gone, and back; one that its file is not read as any more."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.clock import Clock
from memory_assets.commands.sources import find_source, list_removed, remove_source, restore_source
from memory_assets.curation.rails import judge_retirements
from memory_assets.entities.extraction import Extractor
from memory_assets.errors import MemoryAssetsError, UnknownReferenceError
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import add_members
from memory_assets.llm.tasks import EXTRACT_ENTITIES, Extraction, SourceDescription
from memory_assets.memory_file.reports import files_as_of, first_stored_day
from memory_assets.model import reference
from memory_assets.runtime.scope import RunScope
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.process import process_sources
from memory_assets.sources.seen_files import known_files
from memory_assets.sources.source_list import lines, list_heads
from memory_assets.values.classify import classify_memories
from memory_assets_tests.edits.edited_house import LINES, answer, steps
from memory_assets_tests.support.house import House
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel, stated
from memory_assets_tests.support.seeds import living_statements, seed_properties, seed_sources, source_row

pytestmark = pytest.mark.graph
NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)
CLOCK = Clock(NOW)


def script(task: str, payload: Any) -> Any:
    """Each line is a statement."""
    if task != EXTRACT_ENTITIES:
        return SourceDescription(summary=payload.turns[0].text, keywords=("tea",) * 5, tags=("tea",) * 3)
    lines = [line for turn in payload.turns for line in turn.text.splitlines() if line]
    return Extraction(entities=(), statements=tuple(stated(line, confidence=9) for line in lines))


def build(graph: Graph, user: str, *paths: Path) -> None:
    """From files to values."""
    model, embedder = ScriptedModel(script), HashEmbedder()
    report = ingest_paths(graph, user, paths, None, CLOCK)
    assert report.set_aside == []
    process_sources(graph, user, model, embedder, CLOCK)
    assert Extractor(graph, model, embedder, CLOCK, user, lambda _: None).run(RunScope())["failed"] == 0
    classify_memories(graph, user, NOW)


def statements(graph: Graph, user: str) -> set[str]:
    return {row["text"] for row in living_statements(graph, user)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "tea": "Green tea is best.\n\nThe lamp is broken.",
        "lamp": "The lamp is broken.\n\nIt is a desk lamp.",
    }.items():
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{name}.md").write_text(text, encoding="utf-8")
    return tmp_path / "in"


def source_of(graph: Graph, user: str, name: str) -> str:
    return next(
        key for file in known_files(graph, user).values() if Path(file.path).stem == name for key in file.source_ids
    )


def test_a_removed_source_takes_what_it_alone_says_and_comes_back_as_it_was(
    graph: Graph, user: str, folder: Path
) -> None:
    build(graph, user, folder)
    before = list(export_user(graph, user, canonical=True))
    all_said = {"Green tea is best.", "The lamp is broken.", "It is a desk lamp."}
    assert statements(graph, user) == all_said
    tea = source_of(graph, user, "tea")

    assert remove_source(graph, CLOCK, user, tea) and not remove_source(graph, CLOCK, user, tea)
    assert [(line["id"], line["phase"]) for line in list_removed(graph, [user])] == [(tea, "removed")]
    (own,) = (line["properties"] for line in export_user(graph, user) if line["id"] == tea)
    assert "Green tea is best." in own["raw_content"] and "Green tea is best." in own["content"], (
        "it is still the owner's"
    )
    for _ in range(2):  # the second time with the inbox read by force: it is not taken in again
        build(graph, user, folder)
        assert statements(graph, user) == all_said - {"Green tea is best."}
        assert not graph.read("values/list_sources", user_ids=[user], memory_ids=[tea], with_vectors=False)
        assert tea not in {head.id for head in list_heads(graph, [user], user)}
        ingest_paths(graph, user, [folder], None, CLOCK, force=True)
    assert judge_retirements(graph.read("curation/list_retirements", user_id=user)) == []
    assert graph.read("curation/list_retirements", user_id=user), "the statement that went is in the audit"

    assert restore_source(graph, CLOCK, user, tea) and not restore_source(graph, CLOCK, user, tea)
    build(graph, user, folder)
    assert list(export_user(graph, user, canonical=True)) == before
    assert list_removed(graph, [user]) == []


def test_a_source_is_removed_and_comes_back_by_its_reference(graph: Graph, user: str, folder: Path) -> None:
    build(graph, user, folder)
    listed = {line["id"]: line["ref"] for line in lines(graph, list_heads(graph, [user], user))}
    tea = source_of(graph, user, "tea")
    assert find_source(graph, user, f"[{listed[tea]}]")["id"] == tea
    assert remove_source(graph, CLOCK, user, listed[tea]) and not remove_source(graph, CLOCK, user, listed[tea])
    assert [(line["id"], line["ref"]) for line in list_removed(graph, [user])] == [(tea, listed[tea])]
    with pytest.raises(UnknownReferenceError, match="--removed"):
        restore_source(graph, CLOCK, user, "123456789")
    assert restore_source(graph, CLOCK, user, f"[{listed[tea]}]") and not restore_source(
        graph, CLOCK, user, listed[tea]
    )
    (statement,) = (row for row in living_statements(graph, user) if row["text"] == "Green tea is best.")
    with pytest.raises(UnknownReferenceError):
        find_source(graph, user, reference(statement["memory_id"]))
    with pytest.raises(UnknownReferenceError):
        find_source(graph, f"{user}-b", listed[tea])


def test_only_an_own_source_that_no_rail_keeps_is_removed(graph: Graph, user: str) -> None:
    team = f"team-{user}"
    add_members(graph, CLOCK, user, [user])
    seed_sources(graph, [source_row(f"{user}-own", user), source_row(f"{user}-team", team)])
    seed_properties(graph, user, f"{user}-own", ttl_policy="keep_forever")
    with pytest.raises(MemoryAssetsError, match="kept forever"):
        remove_source(graph, CLOCK, user, f"{user}-own")
    with pytest.raises(MemoryAssetsError, match="belongs to team-"):
        remove_source(graph, CLOCK, user, f"{user}-team")
    for refused in (remove_source, restore_source):
        with pytest.raises(UnknownReferenceError, match="is known to"):
            refused(graph, CLOCK, user, "source:none")
    assert list_removed(graph, [user, team]) == []


def test_a_newer_reader_replaces_what_the_same_file_was_read_as(graph: Graph, user: str, folder: Path) -> None:
    ingest_paths(graph, user, [folder], None, CLOCK)
    tea, lamp = source_of(graph, user, "tea"), source_of(graph, user, "lamp")
    old, shared = f"{user}-old", f"{user}-shared"
    seed_sources(graph, [source_row(old, user), source_row(shared, user)])

    def read_as(name: str, version: int, *ids: str) -> None:
        key, known = next((key, file) for key, file in known_files(graph, user).items() if Path(file.path).stem == name)
        row = {**vars(known), "id": key, "size": 1, "reader_version": version, "source_ids": list(ids), "stamp": None}
        row |= {"line_errors": [], "seen_at": NOW.isoformat()}
        graph.write("sources/upsert_source_files", [row], user_id=user)

    read_as("tea", 1, old, shared)
    read_as("lamp", next(iter(known_files(graph, user).values())).reader_version, lamp, shared)
    ingest_paths(graph, user, [folder], None, CLOCK)
    assert [(line["id"], line["reason"]) for line in list_removed(graph, [user])] == [
        (old, "its file is read otherwise now")
    ]
    assert source_of(graph, user, "tea") == tea

    # Read as the old one again, by whatever version, it is back.
    graph.write(
        "curation/set_sources_removed",
        [{"id": tea, "audit_id": f"{user}-a", "reason": "-", "removed_by": "reader"}],
        user_id=user,
        now=NOW.isoformat(),
    )
    assert tea in {line["id"] for line in list_removed(graph, [user])}
    ingest_paths(graph, user, [folder], None, CLOCK, force=True)
    assert tea not in {line["id"] for line in list_removed(graph, [user])}


def test_a_conversation_that_a_file_is_read_as_again_is_back(graph: Graph, user: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(
        json.dumps({"role": "user", "content": "hi", "timestamp": "2026-04-05T09:01:00Z"}), encoding="utf-8"
    )
    ingest_paths(graph, user, [path], None, CLOCK)
    (chat,) = (head.id for head in list_heads(graph, [user], user))
    other = f"{user}-other"
    seed_sources(graph, [source_row(other, user)])
    # An earlier version has read the file as something else, and taken this away.
    ((key, known),) = known_files(graph, user).items()
    row = {
        **vars(known),
        "id": key,
        "size": 1,
        "reader_version": 1,
        "source_ids": [other],
        "stamp": None,
        "line_errors": [],
    }
    graph.write("sources/upsert_source_files", [row | {"seen_at": NOW.isoformat()}], user_id=user)
    removal = {"id": chat, "audit_id": f"{user}-a", "reason": "-", "removed_by": "reader"}
    graph.write("curation/set_sources_removed", [removal], user_id=user, now=NOW.isoformat())
    ingest_paths(graph, user, [path], None, CLOCK)
    assert [line["id"] for line in list_removed(graph, [user])] == [other]
    assert [head.id for head in list_heads(graph, [user], user)] == [chat]

    assert remove_source(graph, CLOCK, user, chat)
    ingest_paths(graph, user, [path], None, CLOCK, force=True)
    assert chat in {line["id"] for line in list_removed(graph, [user])}, "what its owner removes stays so"


def test_a_removed_source_of_a_team_is_listed_for_whom_it_was_meant(graph: Graph, user: str, tmp_path: Path) -> None:
    kim, carl = f"{user}-kim", f"{user}-carl"
    add_members(graph, CLOCK, user, [kim, carl])
    for title, sensitivity in (("Salaries", "high"), ("Lunch", "normal")):
        path = tmp_path / f"{title}.jsonl"
        lines = [{"role": "user", "name": kim, "content": title}, {"role": "user", "name": "Ben", "content": "Yes."}]
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        ingest_paths(graph, f"team-{user}", [path], None, CLOCK, sensitivity=sensitivity)
    heads = list_heads(graph, [f"team-{user}"], None)
    rows = [{"id": head.id, "audit_id": f"{head.id}-a", "reason": "-", "removed_by": "reader"} for head in heads]
    graph.write("curation/set_sources_removed", rows, user_id=f"team-{user}", now=NOW.isoformat())
    for reader, seen in ((kim, {"Salaries", "Lunch"}), (carl, {"Lunch"}), (None, {"Salaries", "Lunch"})):
        assert {line["title"] for line in list_removed(graph, [f"team-{user}"], reader)} == seen


def test_what_a_removed_source_said_is_in_no_old_file_and_not_in_the_index(
    graph: Graph, user: str, tmp_path: Path
) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        house = House(graph, tmp_path / "home", instance, user, ScriptedModel(answer), HashEmbedder())
        ana = house.user("ana")
        house.ingest(ana, "2026-11-01 note.md", LINES[3])
        house.ingest(ana, "2026-11-02 ferry.md", "The ferry leaves at noon.")
        steps(house, ana)
    clock, today = house.settings.clock, house.settings.clock.now().date()
    (ferry,) = [one["id"] for one in lines(graph, list_heads(graph, [ana], ana)) if "ferry" in one["title"].casefold()]

    def old_file() -> str:
        (file,) = files_as_of(graph, ana, today)
        assert LINES[3] in file["text"]
        return file["text"]

    whole = old_file()
    assert "ferry" in whole
    assert remove_source(graph, clock, ana, ferry)
    assert "ferry" not in old_file(), "at once"
    assert restore_source(graph, clock, ana, ferry)
    assert old_file() == whole
    assert b"ferry" in house.settings.validity_index(ana).read_bytes()
    assert remove_source(graph, clock, ana, ferry)
    steps(house, ana)
    assert b"ferry" not in house.settings.validity_index(ana).read_bytes()
    assert files_as_of(graph, ana, today - timedelta(days=1)) == []
    assert first_stored_day(graph, ana) == today.isoformat()
