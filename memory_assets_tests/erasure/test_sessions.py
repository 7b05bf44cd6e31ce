"""Turns of erased people leave the sessions, sessions leave with their sources, and what stays keeps its words."""

from __future__ import annotations

import json
from pathlib import Path

from memory_assets.erasure.sessions import erase_from_sessions, session_terms
from memory_assets.model import node_id
from memory_assets.privacy.redaction import MARK, OPEN, Door
from memory_assets.sessions.policy import Passage
from memory_assets.sessions.working_memory import Sessions
from memory_assets_tests.sessions.turns import CLOCK, RULES, turn

DOOR = Door("key").with_names(["Quentin Vasquelle", "Quentin"])


def talk(home: Path) -> Sessions:
    sessions = Sessions(home, CLOCK, RULES)
    for number in range(40):
        sessions.add(
            "nora",
            "walk",
            [
                turn("user", f"Nora's word number {number} on marmalade and sugar.", number, name="Nora"),
                turn("user", f"My zorquil needs {number} grams.", number, name="Quentin Vasquelle"),
                turn("tool", json.dumps({"who": "Quentin Vasquelle"}), number),
            ],
        )
    sessions.add("nora", "other", [turn("user", "Nothing of him.\x00 \ud800", name="Nora")])
    sessions.keep("nora", "other", [Passage("123456789", 1, "head", "Quentin Vasquelle said zorquil")])
    return sessions


def bytes_of(home: Path) -> bytes:
    return b"".join(path.read_bytes().lower() for path in sorted((home / "sessions").rglob("*")) if path.is_file())


def test_a_person_leaves_the_turns_and_what_others_said_stays(tmp_path: Path) -> None:
    sessions = talk(tmp_path)
    before = sessions.back("nora", "walk", ["0-119"])
    assert {"vasquelle", "zorquil", "marmalade"} <= session_terms(tmp_path, "nora", (), OPEN)
    assert not {"vasquelle", "zorquil"} & session_terms(tmp_path, "nora", (), DOOR)
    assert erase_from_sessions(tmp_path, "nora", (), DOOR, dry_run=True) == 2
    assert erase_from_sessions(tmp_path, "nora", (), DOOR, dry_run=False) == 2
    stored = bytes_of(tmp_path)
    assert b"quentin" not in stored and b"zorquil" not in stored and b"marmalade" in stored
    after = sessions.back("nora", "walk", ["0-119"])
    assert [row["content"] for row in after[::3]] == [row["content"] for row in before[::3]]
    assert {row["content"] for row in after[1::3]} == {MARK} and {row["name"] for row in after[1::3]} == {MARK}
    assert sessions.back("nora", "other", ["0"])[0]["content"] == "Nothing of him.\x00 \ud800"
    assert sessions.look("nora", "walk")["tokens"] <= RULES.budget
    assert erase_from_sessions(tmp_path, "nora", (), DOOR, dry_run=False) == 0
    assert sessions.add("nora", "walk", [turn("user", "On we go.")])["ref"] == "120"


def test_a_project_that_is_called_after_a_person_is_called_otherwise(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path, CLOCK, RULES)
    for number in range(40):
        said = f"Nora's word number {number} on marmalade and sugar."
        sessions.add("nora", "walk", [turn("user", said, number)], project="quentin-vasquelle-site", followed=number)
        sessions.add("nora", "other", [turn("user", said, number)], project="kelp")
    assert "vasquelle" in session_terms(tmp_path, "nora", (), OPEN)
    assert "vasquelle" not in session_terms(tmp_path, "nora", (), DOOR)
    assert erase_from_sessions(tmp_path, "nora", (), DOOR, dry_run=True) == 1
    assert b"vasquelle" in bytes_of(tmp_path)
    assert erase_from_sessions(tmp_path, "nora", (), DOOR, dry_run=False) == 1
    assert b"vasquelle" not in bytes_of(tmp_path)
    memory = sessions.memory("nora", "walk")
    assert (memory.projects, memory.followed) == (("erased-site",), 39)
    assert sessions.memory("nora", "other").projects == ("kelp",)
    assert erase_from_sessions(tmp_path, "nora", (), DOOR, dry_run=False) == 0


def test_where_nobody_else_speaks_the_session_goes(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path, CLOCK, RULES)
    sessions.add("nora", "his", [turn("user", "My zorquil.", name="Quentin Vasquelle")])
    assert erase_from_sessions(tmp_path, "nora", (), DOOR, dry_run=False) == 1
    assert not list((tmp_path / "sessions" / "nora").iterdir())


def test_a_session_of_several_projects_goes_with_the_source_of_any(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path, CLOCK, RULES)
    for name in ("moved", "stayed"):
        for project in ("kelp", "heath" if name == "moved" else "kelp"):
            sessions.add("nora", name, [turn("user", f"My zorquil of {project}.")], project=project)
    gone = {node_id("source", "nora", "conversation", f"id/{name}~1") for name in ("moved", "stayed")}
    assert "heath" not in session_terms(tmp_path, "nora", gone, OPEN)
    assert erase_from_sessions(tmp_path, "nora", gone, OPEN, dry_run=False) == 1
    assert [row["session"] for row in sessions.latest("nora")] == ["stayed"]


def test_a_session_goes_with_its_source_as_it_ended_or_as_its_transcript(tmp_path: Path) -> None:
    sessions = talk(tmp_path)
    sessions.add("nora", "third", [turn("user", "It stays.")])
    ended = node_id("source", "nora", "conversation", "id/walk")
    transcript = node_id("source", "nora", "conversation", "claude-code/other/session")
    assert "zorquil" not in session_terms(tmp_path, "nora", {ended}, OPEN)
    assert erase_from_sessions(tmp_path, "nora", {ended, transcript, "x"}, OPEN, dry_run=False) == 2
    assert [row["session"] for row in sessions.latest("nora")] == ["third"]
    assert {path.suffix for path in (tmp_path / "sessions" / "nora").iterdir()} == {".jsonl", ".lock"}
