"""In which project a command works: that of the working folder, or the one that is typed, or all when asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_assets.cli.context import project_given
from memory_assets.commands.projects import project_at
from memory_assets.errors import WrongUseError

pytestmark = pytest.mark.own_engine
Command = Callable[..., str]
WORDS = {"harbor": "In src/gate.py the latch of the gate is oiled.", "": "In src/gate.py the gate itself is green."}
QUESTION = "What of the latch and of the gate?"


@pytest.fixture
def places(command: Command, user: str, person: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A repository and a folder in the home of somebody, who remembers something in the repository and at home."""
    (person / "inbox").mkdir()
    found = {"harbor": person / "src" / "harbor", "garden": person / "garden", "": person}
    (found["harbor"] / ".git").mkdir(parents=True)
    (found["harbor"] / "web").mkdir()
    found["garden"].mkdir()
    note = person / "note.md"
    note.write_text("The ferry leaves at nine.")
    command("ingest", str(note), "--user", user)
    for project, words in WORDS.items():
        monkeypatch.chdir(found[project])
        command("remember", words, "--user", user, "--kind", "decision")
    return found


def heard(text: str) -> set[str]:
    """Of which places a text tells."""
    return {project for project, words in WORDS.items() if words in text}


ASKING = {
    "recall": ("recall", QUESTION, "--thorough"),
    "context": ("context", "--file", "src/gate.py"),
}


@pytest.mark.parametrize("asking", ASKING.values(), ids=ASKING)
def test_it_offers_what_is_of_the_working_folders_project_and_of_none(
    command: Command, user: str, places: dict[str, Path], monkeypatch: pytest.MonkeyPatch, asking: tuple[str, ...]
) -> None:
    def ask(place: Path, *more: str) -> set[str]:
        monkeypatch.chdir(place)
        return heard(command(*asking, "--user", user, *more))

    both, none = set(WORDS), {""}
    assert ask(places["harbor"]) == ask(places["harbor"] / "web") == both
    assert ask(places["garden"]) == none
    assert ask(places["garden"], "--all-projects") == both
    assert ask(places["garden"], "--project", "Harbor") == ask(places["garden"], "--project", "../src/harbor") == both
    assert ask(places["harbor"], "--project", str(places["garden"])) == none
    assert ask(places[""]) == both  # who is at home works in no project


def test_a_project_is_typed_as_a_name_or_as_a_folder(
    person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = person / "src" / "harbor"
    for folder in (root / ".git", root / "web", person / "garden"):
        folder.mkdir(parents=True)
    (tmp_path / "link").symlink_to(root / "web")
    monkeypatch.chdir(root)
    typed = ("web/", "./web", "../harbor/web", ".", str(root / "web"), str(tmp_path / "link"), "Harbor", "acme/harbor")
    assert {text: project_given(text) for text in typed} == dict.fromkeys(typed, "harbor")
    assert project_given("web") == "web" and project_given("~/garden") == "garden"
    for nowhere in ("~", "../..", "/", str(person)):
        with pytest.raises(WrongUseError, match="is no project"):
            project_given(nowhere)


def test_a_project_and_all_of_them_exclude_each_other(command: Command, user: str, places: dict[str, Path]) -> None:
    for words in (("recall", "x"), ("recall", "x", "--level", "themes"), ("context", "x"), ("remember", "x")):
        command(*words, "--user", user, "--project", "harbor", "--all-projects", fails=WrongUseError)


def test_what_a_command_remembers_is_of_its_project(
    command: Command, user: str, places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(places["garden"])
    command("remember", "The hut in the garden is blue.", "--user", user)
    command("remember", "The ladder belongs to all.", "--user", user, "--all-projects")
    counted = {row["project"]: row["sources"] for row in json.loads(command("projects", "--user", user, "--json"))}
    assert counted == {"harbor": 1, "garden": 1, None: 2}  # what is of none is in the note and in one file of records
    monkeypatch.chdir(places["harbor"])
    assert "ladder" in command("recall", "Whose is the ladder?", "--user", user)
    assert {name: project_at(str(place)) for name, place in places.items()} == {
        "harbor": "harbor", "garden": "garden", "": None
    }  # fmt: skip


def test_what_a_session_recalls_is_of_its_project_and_of_none(
    command: Command, user: str, places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = places["garden"] / "turn.jsonl"
    turn.write_text(json.dumps({"role": "user", "content": "Hello."}))
    for name, expected in (("harbor", set(WORDS)), ("garden", {""})):
        monkeypatch.chdir(places[name])
        command("session", "add", name, str(turn), "--user", user)
        monkeypatch.chdir(places[""])
        found = command("session", "recall", name, QUESTION, "--user", user)
        assert heard(found) == expected
