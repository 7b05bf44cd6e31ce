"""From an edit in a MEMORY.md to the file that has taken it in: real assets on the real graph."""

from __future__ import annotations

import json
from typing import Any

import dagster as dg
import pytest

from memory_assets.automation.pipeline import what_is_due
from memory_assets.commands.sources import recall_for
from memory_assets.edits import store
from memory_assets.edits.reports import edit_list
from memory_assets.edits.store import list_edits
from memory_assets.memory_file import drafts
from memory_assets.memory_file.user_files import user_files
from memory_assets.runtime.edited_files import EditedError
from memory_assets.values.classify import classify_memories
from memory_assets_tests.edits.edited_house import (
    LINES,
    actions,
    add,
    check_of,
    check_taken_in,
    confirm_edits,
    explain,
    line_with,
    list_conflicts,
    ref_of,
    remove,
    replace,
    retired_ref,
    sources,
    steps,
    take_in,
    text,
    undo_edit,
    with_file,
)
from memory_assets_tests.support.house import House, values_of

pytestmark = pytest.mark.graph


def test_an_edit_comes_through_in_one_run_and_a_second_run_finds_nothing(house: House, ana: str) -> None:
    changed = ref_of(house, ana, "green tea")
    remove(house, ana, "lighthouse")
    replace(house, ana, "green tea", "black coffee")
    add(house, ana, "- The deploy window is Tuesday at 14:00")
    steps(house, ana)
    after = text(house, ana)
    assert "lighthouse" not in after and "green tea" not in after
    assert line_with(house, ana, "I prefer black coffee in the morning.").startswith("- I prefer")
    assert "The deploy window is Tuesday at 14:00 [" in after
    assert "Edit of MEMORY.md" not in after, "that something was edited is no news of its own"
    assert len(sources(house, ana)) == 1
    assert actions(house, ana) == {
        LINES[0]: "superseded",
        LINES[3]: "retired",
        "I prefer black coffee in the morning.": "added",
        "The deploy window is Tuesday at 14:00": "added",
    }
    gone = explain(house.graph, ana, retired_ref(house, ana))
    assert gone["text"] == LINES[3] and gone["sources"][0]["kind"] == "note"
    assert f"Removed from {house.file(ana)} by its editor, 2026-11-" in gone["edit"]["said"]
    new = ref_of(house, ana, "black coffee")
    assert explain(house.graph, ana, changed)["edit"]["by_ref"] == new
    assert explain(house.graph, ana, new)["sources"][0]["kind"] == "file-edit"
    json.dumps(edit_list(house.graph, ana))
    assert [row["action"] for row in edit_list(house.graph, ana)].count("added") == 1
    assert list(house.file(ana).parent.glob("*.edited-*")) == [], "all its words are in the graph"
    before = house.file(ana).stat().st_mtime_ns
    steps(house, ana)
    assert house.file(ana).stat().st_mtime_ns == before
    assert len(sources(house, ana)) == 1


def test_a_run_for_everybody_takes_edits_in_when_nothing_else_is_due(house: House, user: str) -> None:
    ana = house.user("ana")
    house.ingest(ana, "2026-11-01 note.md", "\n\n".join(LINES))
    assert house.run("update_memory").success
    remove(house, ana, "lighthouse")
    assert ana in what_is_due(house.graph, house.settings, [ana], ("memory_draft", "memory_file"))
    result = house.run("update_memory")
    assert result.success and check_of(result).passed
    assert "lighthouse" not in text(house, ana)
    assert what_is_due(house.graph, house.settings, [ana], ("memory_draft", "memory_file")) == {}


def test_what_a_person_decided_survives_extraction_and_can_be_taken_back(house: House, ana: str) -> None:
    remove(house, ana, "lighthouse")
    replace(house, ana, "green tea", "black coffee")
    steps(house, ana)
    classify_memories(house.graph, ana, house.settings.clock.now(), force=True)
    house.ingest(ana, "2026-11-09 note.md", LINES[3])
    steps(house, ana)
    assert "lighthouse" not in text(house, ana) and "green tea" not in text(house, ana)
    add(house, ana, "- " + LINES[3])
    steps(house, ana)
    assert actions(house, ana)[LINES[3]] == "restored"
    assert LINES[3] in text(house, ana)
    superseded = next(row for row in edit_list(house.graph, ana) if row["action"] == "superseded")
    undone = undo_edit(house.graph, ana, superseded["id"], house.settings.clock.now())
    assert [row["action"] for row in undone] == ["undone", "undone"]
    steps(house, ana)
    assert "green tea" in text(house, ana) and "black coffee" not in text(house, ana)
    with pytest.raises(EditedError, match="No edit"):
        undo_edit(house.graph, ana, "edit:none", house.settings.clock.now())


def test_a_cut_file_is_published_again_and_its_owner_asked(house: House, ana: str) -> None:
    house.file(ana).write_text("My own note stands alone here.\n", encoding="utf-8")
    steps(house, ana)
    assert all(line in text(house, ana) for line in LINES)
    assert "My own note stands alone here. [" in text(house, ana)
    assert sum(action == "vanished" for action in actions(house, ana).values()) >= len(LINES)
    asked = {row["known"]: row["edited"] for row in list_conflicts(house.graph, ana)}
    assert asked[LINES[3]] == "(the line is gone)" and len(asked) >= len(LINES)
    assert len(list(house.file(ana).parent.glob("*.edited-*"))) == 1, "what vanished from may be wanted back"
    now = house.settings.clock.now()
    one = next(row for row in edit_list(house.graph, ana) if row["published"] == LINES[3])
    (alone,) = confirm_edits(house.graph, ana, now, [one["ref"]])
    assert (alone["action"], alone["published_text"]) == ("retired", LINES[3])
    assert LINES[3] not in {row["known"] for row in list_conflicts(house.graph, ana)}, "the others still wait"
    assert confirm_edits(house.graph, ana, now, [one["id"]]) == []
    confirmed = confirm_edits(house.graph, ana, now)
    assert len(confirmed) == len(asked) - 1 and {row["action"] for row in confirmed} == {"retired"}
    steps(house, ana)
    assert list_conflicts(house.graph, ana) == []
    assert not any(line in text(house, ana) for line in LINES)
    assert "My own note stands alone here." in text(house, ana)


def test_a_conflict_is_a_check_with_both_texts_and_its_alert_has_none(house: House, user: str) -> None:
    ana = house.user("ana")
    house.ingest(ana, "2026-11-01 note.md", "\n\n".join(LINES))
    assert house.run("update_memory", ana).success
    house.file(ana).write_text("", encoding="utf-8")
    result = house.run("update_memory", ana)
    assert result.success, "a conflict holds nothing up"
    evaluation = check_of(result)
    shown = values_of(evaluation)
    assert not evaluation.passed and evaluation.severity == dg.AssetCheckSeverity.WARN
    assert "lighthouse" in shown["what_failed"] and "(the line is gone)" in shown["what_failed"]
    assert "lighthouse" not in shown["alert"] + (evaluation.description or "")


def test_something_newer_that_says_otherwise_is_a_conflict(house: House, ana: str) -> None:
    replace(house, ana, "green tea", "black coffee")
    steps(house, ana)
    written = next(row for row in list_edits(house.graph, ana) if row["action"] == "added")
    newer = house.ingest(ana, "2026-12-01 note.md", "I prefer cocoa in the morning now.")
    assert newer is None
    steps(house, ana)
    left = house.graph.read("memory_file/list_edit_bases", user_id=ana)[0]
    reasons = {row["memory_id"]: row["reason"] for row in json.loads(left["left_out"])}
    conflicts = [(row["known"], row["edited"]) for row in list_conflicts(house.graph, ana)]
    expected = [("I prefer cocoa in the morning now.", "I prefer black coffee in the morning.")]
    assert conflicts == (expected if "superseded" in reasons.get(written["memory_id"], "") else [])
    assert "cocoa" in text(house, ana)


def test_a_removed_file_is_published_again_and_retires_nothing(house: House, ana: str) -> None:
    house.file(ana).unlink()
    steps(house, ana)
    assert all(line in text(house, ana) for line in LINES)
    assert list_edits(house.graph, ana) == []


def test_white_space_alone_is_no_source(house: House, ana: str) -> None:
    published = text(house, ana)
    house.file(ana).write_bytes(b"\xef\xbb\xbf" + published.replace("\n", "\r\n").encode())
    steps(house, ana)
    assert house.file(ana).read_bytes() == published.encode()
    assert sources(house, ana) == [] and list_edits(house.graph, ana) == []


def test_bytes_that_are_no_text_are_kept_and_asked_about(house: House, ana: str) -> None:
    house.file(ana).write_bytes(b"\x89PNG\0\0\1")
    steps(house, ana)
    assert all(line in text(house, ana) for line in LINES)
    copies = [path.read_bytes() for path in house.file(ana).parent.glob("MEMORY.md.edited-*")]
    assert copies == [b"\x89PNG\0\0\1"]
    assert set(actions(house, ana).values()) == {"vanished"}


def test_a_file_edited_in_the_middle_of_a_run_stays_until_the_next(
    house: House, ana: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.ingest(ana, "2026-11-08 note.md", "The ferry leaves at noon.")
    make_drafts = drafts.make_drafts

    def edit_meanwhile(*args: Any, **kwargs: Any) -> Any:
        add(house, ana, "- The gate code has changed")
        return make_drafts(*args, **kwargs)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(drafts, "make_drafts", edit_meanwhile)
        with pytest.raises(EditedError, match="edited after this run had looked"):
            steps(house, ana)
    assert "ferry" not in text(house, ana) and "- The gate code has changed\n" in text(house, ana)
    assert ana in what_is_due(house.graph, house.settings, [ana], ("memory_file",))
    steps(house, ana)
    assert "ferry" in text(house, ana) and "The gate code has changed [" in text(house, ana)


def test_a_file_whose_edit_has_not_come_through_to_the_draft_stays(house: House, ana: str) -> None:
    remove(house, ana, "lighthouse")
    edited = text(house, ana)
    take_in(house, ana)
    (file,) = user_files(house.graph, house.settings, ana)
    with pytest.raises(EditedError, match="1 of its edits have not come through"):
        check_taken_in(house, file)
    steps(house, ana)
    check_taken_in(house, file)
    assert text(house, ana) == edited, "the file says what its editor has left of it"


def test_a_run_that_stops_while_taking_an_edit_in_goes_on(
    house: House, ana: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove(house, ana, "lighthouse")
    add(house, ana, "- The gate code has changed")
    edited = text(house, ana)

    def stop(*_: Any) -> None:
        raise RuntimeError("stopped")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(store, "stage_made", stop)
        with pytest.raises(RuntimeError, match="stopped"):
            steps(house, ana)
    assert text(house, ana) == edited
    steps(house, ana)
    assert len(sources(house, ana)) == 1
    assert "lighthouse" not in text(house, ana) and "gate code" in text(house, ana)


def test_only_taking_lines_away_makes_no_source(house: House, ana: str) -> None:
    remove(house, ana, "lighthouse")
    steps(house, ana)
    assert sources(house, ana) == [] and "lighthouse" not in text(house, ana)
    found, _ = recall_for(house.graph, house.settings, ana, "lighthouse", 500)
    (said,) = [row.text for _, rows in found.recalled.passages for row in rows if "lighthouse" in row.text]
    assert said == f"{LINES[3]} (retired on 2026-11-20 by its owner)", "recall reads the same decision"
    (row,) = edit_list(house.graph, ana)
    assert row["source"] is None and explain(house.graph, ana, row["ref"])["text"] == LINES[3]
    undo_edit(house.graph, ana, row["id"], house.settings.clock.now())
    steps(house, ana)
    assert "lighthouse" in text(house, ana)


def test_an_edit_belongs_to_its_user_alone(house: House, ana: str) -> None:
    ben = with_file(house, "ben")
    remove(house, ana, "lighthouse")
    steps(house, ana)
    steps(house, ben)
    assert "lighthouse" in text(house, ben) and list_edits(house.graph, ben) == []
    assert explain(house.graph, ana, retired_ref(house, ana))["edit"]["action"] == "retired"
    identifier = edit_list(house.graph, ana)[0]["id"]
    with pytest.raises(EditedError):
        undo_edit(house.graph, ben, identifier, house.settings.clock.now())


def test_an_edit_that_was_taken_back_and_is_made_again_is_taken_in_again(house: House, ana: str) -> None:
    remove(house, ana, "lighthouse")
    steps(house, ana)
    undo_edit(house.graph, ana, retired_ref(house, ana), house.settings.clock.now())
    steps(house, ana)
    assert "lighthouse" in text(house, ana)
    remove(house, ana, "lighthouse")
    steps(house, ana)
    assert "lighthouse" not in text(house, ana)
    assert actions(house, ana) == {LINES[3]: "retired"}
