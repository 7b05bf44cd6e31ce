"""Edits where something is in the way: secrets, several files, models that refuse, sources that go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_assets.commands.sources import recall_for, remove_source
from memory_assets.edits.reports import UNREADABLE, edit_list
from memory_assets.edits.store import list_edits
from memory_assets.errors import ModelError, ModelUnavailableError
from memory_assets.memory_file.pool import read_pool
from memory_assets.memory_file.user_files import add_file
from memory_assets.privacy.projects import Within
from memory_assets.runtime.edited_files import EditedError
from memory_assets_tests.edits.edited_house import (
    LINES,
    REFUSED,
    SECRET,
    add,
    confirm_edits,
    explain,
    list_conflicts,
    remove,
    replace,
    retired_ref,
    sources,
    steps,
    take_in,
    text,
    undo_edit,
)
from memory_assets_tests.support.house import House
from memory_assets_tests.support.scripted_models import HashEmbedder

pytestmark = pytest.mark.graph


def test_secrets_in_an_edit_are_masked_before_anything_is_stored(house: House, ana: str) -> None:
    add(house, ana, f"- The deploy key is {SECRET}")
    steps(house, ana)
    for path in house.file(ana).parent.iterdir():
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path
    assert SECRET not in text(house, ana) and "The deploy key is" in text(house, ana)
    rows = [*list_edits(house.graph, ana), *sources(house, ana)]
    assert len(rows) == 2 and SECRET not in repr(rows)


def test_each_of_several_files_can_be_edited(house: House, ana: str, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir(mode=0o700)
    other = add_file(
        house.graph, house.settings, ana, folder / "MEMORY.md", house.settings.clock.now(), preset="hermes"
    )
    steps(house, ana)
    assert LINES[3] in other.path.read_text(encoding="utf-8")
    other.path.write_text(other.path.read_text(encoding="utf-8") + "- The ferry leaves at noon\n", encoding="utf-8")
    remove(house, ana, "lighthouse")
    steps(house, ana)
    for written in (other.path.read_text(encoding="utf-8"), text(house, ana)):
        assert "The ferry leaves at noon [" in written and "lighthouse" not in written
    assert {row["path"] for row in list_edits(house.graph, ana)} == {str(other.path), str(house.file(ana))}


def test_what_is_written_into_a_projects_file_is_of_that_project(house: House, ana: str, tmp_path: Path) -> None:
    files = {}
    for project in ("harbor", "garden"):
        (folder := tmp_path / project).mkdir(mode=0o700)
        now = house.settings.clock.now()
        files[project] = add_file(house.graph, house.settings, ana, folder / "MEMORY.md", now, project=project).path
    steps(house, ana)
    line = "The crane of the quay needs two operators"
    files["harbor"].write_text(files["harbor"].read_text(encoding="utf-8") + f"- {line}\n", encoding="utf-8")
    steps(house, ana)
    assert line in files["harbor"].read_text(encoding="utf-8")
    assert line not in files["garden"].read_text(encoding="utf-8")
    question, found = "How many operators does the crane need?", {}
    for project in files:
        within = Within(project, is_bound=True)
        found[project] = recall_for(house.graph, house.settings, ana, question, 500, within=within)[0].recalled.text
    assert line in found["harbor"] and line not in found["garden"]


def test_a_line_changed_otherwise_in_two_files_is_a_conflict(house: House, ana: str, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir(mode=0o700)
    other = add_file(
        house.graph, house.settings, ana, folder / "MEMORY.md", house.settings.clock.now(), preset="hermes"
    )
    steps(house, ana)
    replace(house, ana, "green tea", "black coffee")
    written = other.path.read_text(encoding="utf-8")
    other.path.write_text(written.replace("green tea", "hot chocolate"), encoding="utf-8")
    steps(house, ana)
    assert "black coffee" in text(house, ana) and "hot chocolate" in text(house, ana), "both texts are there"
    (conflict,) = list_conflicts(house.graph, ana)
    assert conflict["what"] == "another of your files says otherwise"
    assert {conflict["known"], conflict["edited"]} == {
        f"I prefer {what} in the morning." for what in ("black coffee", "hot chocolate")
    }
    superseded = next(row for row in edit_list(house.graph, ana) if row["action"] == "superseded")
    undo_edit(house.graph, ana, superseded["id"], house.settings.clock.now())
    steps(house, ana)
    assert "green tea" in text(house, ana) and list_conflicts(house.graph, ana) == []
    assert "coffee" not in text(house, ana) and "chocolate" not in text(house, ana)


def test_a_line_that_was_added_keeps_its_place_when_its_file_is_cut(house: House, ana: str) -> None:
    add(house, ana, "- The gate code has changed")
    steps(house, ana)
    house.file(ana).write_text("", encoding="utf-8")
    steps(house, ana)
    assert "The gate code has changed [" in text(house, ana)
    (row,) = [row for row in list_edits(house.graph, ana) if row["action_before"] == "added"]
    pool = {memory.memory_id: memory for memory in read_pool(house.graph, ana, [ana])}
    assert row["action"] == "vanished" and pool[row["memory_id"]].by_editor
    (undone,) = undo_edit(house.graph, ana, row["id"], house.settings.clock.now())
    assert undone["action"] == "added"


def test_a_line_whose_source_models_refuse_is_a_memory_all_the_same(house: House, ana: str) -> None:
    add(house, ana, "- The gate code has changed")
    REFUSED.append(ModelError("not this one"))
    steps(house, ana)
    assert not REFUSED and "The gate code has changed [" in text(house, ana)


def test_a_service_that_is_away_is_asked_about_a_line_again(house: House, ana: str) -> None:
    add(house, ana, "- The gate code has changed")
    REFUSED.append(ModelUnavailableError("come back later"))
    with pytest.raises(EditedError, match="1 of its edits have not come through"):
        steps(house, ana)
    assert not REFUSED and "- The gate code has changed\n" in text(house, ana), "the file stays as it is meanwhile"


def test_a_line_that_cannot_be_embedded_holds_nothing_up(
    house: House, ana: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = HashEmbedder.embed

    def refuse(self: HashEmbedder, texts: Any, **about: str) -> Any:
        if any("gate code" in text for text in texts):
            raise ModelError("not this one")
        return embed(self, texts, **about)

    monkeypatch.setattr(HashEmbedder, "embed", refuse)
    add(house, ana, "- The gate code has changed")
    remove(house, ana, "lighthouse")
    steps(house, ana)
    assert "gate code" not in text(house, ana) and "lighthouse" not in text(house, ana)
    (conflict,) = list_conflicts(house.graph, ana)
    assert "could not be extracted" in conflict["what"] and conflict["edited"] == "The gate code has changed"
    assert len(list(house.file(ana).parent.glob("*.edited-*"))) == 1, "its words are not in the graph"


def test_a_source_removed_before_its_line_is_published_holds_nothing_up(house: House, ana: str) -> None:
    add(house, ana, "- The gate code has changed")
    take_in(house, ana)
    (source,) = sources(house, ana)
    assert remove_source(house.graph, house.settings.clock, ana, source["id"])
    steps(house, ana)
    assert "gate code" not in text(house, ana) and LINES[3] in text(house, ana)
    (conflict,) = list_conflicts(house.graph, ana)
    assert "not read any more" in conflict["what"] and conflict["edited"] == "The gate code has changed"
    assert len(list(house.file(ana).parent.glob("*.edited-*"))) == 1, "its words are not in the graph"
    confirm_edits(house.graph, ana, house.settings.clock.now())
    assert list_conflicts(house.graph, ana) == []


def test_white_space_after_an_added_line_lost_its_source_holds_nothing_up(house: House, ana: str) -> None:
    add(house, ana, "- The gate code has changed")
    steps(house, ana)
    (source,) = sources(house, ana)
    assert remove_source(house.graph, house.settings.clock, ana, source["id"])
    steps(house, ana)
    published = text(house, ana)
    assert "gate code" not in published
    house.file(ana).write_text(published.replace("\n", "\n\n"), encoding="utf-8")
    steps(house, ana)
    assert text(house, ana) == published


def test_words_that_are_not_the_users_to_read_any_more_are_not_told_by_edits(house: House, ana: str) -> None:
    remove(house, ana, "lighthouse")
    steps(house, ana)
    ref = retired_ref(house, ana)
    assert explain(house.graph, ana, ref)["text"] == LINES[3]
    own = {"user_ids": [ana], "reader_ids": [ana]}
    for row in house.graph.read("graph/list_source_heads", **own):
        remove_source(house.graph, house.settings.clock, ana, row["id"])
    steps(house, ana)
    shown = repr([explain(house.graph, ana, ref), edit_list(house.graph, ana), list_conflicts(house.graph, ana)])
    assert "lighthouse" not in shown and UNREADABLE in shown
