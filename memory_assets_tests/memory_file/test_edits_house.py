"""From an edit in a MEMORY.md to the file that has taken it in: real assets on the real graph."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.entities.extraction import Extractor
from memory_assets.errors import ModelError, ModelUnavailableError
from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import (
    DESCRIBE_SOURCE,
    EXTRACT_ENTITIES,
    Extraction,
    NotesTaken,
    SourceDescription,
    Statement,
)
from memory_assets.memory_file import drafts, edit_store
from memory_assets.memory_file.edit_reports import edit_list, list_conflicts
from memory_assets.memory_file.edit_store import list_edits
from memory_assets.memory_file.pool import read_pool
from memory_assets.memory_file.reports import explain
from memory_assets.memory_file.user_files import add_file, user_files
from memory_assets.operations import editing
from memory_assets.operations.due import what_is_due
from memory_assets.operations.removing import remove_source
from memory_assets.operations.scope import RunScope
from memory_assets.sources.process import process_sources
from memory_assets.values.classify import classify_memories
from memory_assets_tests.support.house import House, values_of, verdicts
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel

pytestmark = pytest.mark.graph

LINES = (
    "I prefer green tea in the morning.",
    "Always answer me in metric units.",
    "Remember to fetch the parcel from the harbour.",
    "The lighthouse in Porto was built in 1908.",
    "Marta repaired the cello in the attic.",
    "The mill stands at the river Douro.",
)
SECRET = "AKIA" + "Q3EGTI5WXRH7KJ2M"


REFUSED: list[ModelError] = []
"""What the model says of lines of edits, as long as there is something."""


def answer(task: str, payload: Any) -> Any:
    """What the scripted model says: each sentence of a note is a statement, by its first words."""
    if task == DESCRIBE_SOURCE:
        return SourceDescription(summary=payload.title, keywords=("lamp",), tags=("home",))
    if task != EXTRACT_ENTITIES:
        return NotesTaken()
    if REFUSED and payload.source_type == "file-edit":
        return REFUSED.pop()
    said = [(turn, line) for turn in payload.turns for line in turn.text.split("\n") if line.strip()]
    return Extraction(
        entities=(),
        statements=tuple(
            Statement(
                text=line,
                speaker=turn.speaker,
                turn=turn.index,
                content_type="preference" if line.startswith(("I prefer", "Always")) else "insight",
                is_instruction=line.startswith("Always"),
                durability=0.9,
                confidence=9,
                about=(),
            )
            for turn, line in said
        ),
    )


@pytest.fixture
def house(graph: Graph, user: str, tmp_path: Path) -> Iterator[House]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield House(graph, tmp_path / "home", instance, user, ScriptedModel(answer), HashEmbedder())


def with_file(house: House, name: str) -> str:
    """A user whose published file says all the lines."""
    user = house.user(name)
    house.ingest(user, "2026-11-01 note.md", "\n\n".join(LINES))
    steps(house, user)
    assert all(line in text(house, user) for line in LINES)
    return user


@pytest.fixture
def ana(house: House) -> str:
    return with_file(house, "ana")


def steps(house: House, user: str) -> None:
    """Every step of a run for one user, in their order, without Dagster."""
    graph, clock, models = house.graph, house.settings.clock, house.models
    editing.collect_edits(graph, house.settings, user, lambda _: nullcontext())
    process_sources(graph, user, models.language_for("processed_sources"), models.embedder, clock)
    language = models.language_for("extracted_entities")
    Extractor(graph, language, models.embedder, clock, user, lambda _: None).run(RunScope())
    classify_memories(graph, user, clock.now(), kept=house.settings.kept_values(user))
    files = user_files(graph, house.settings, user)
    drafts.make_drafts(graph, user, files, clock.now())
    for file in files:
        edit_store.check_taken_in(graph, file, drafts.read_draft(graph, user, file).content.entries)
        drafts.publish_draft(graph, user, file.path, clock.now(), file=file)


def text(house: House, user: str) -> str:
    return house.file(user).read_text(encoding="utf-8")


def line_with(house: House, user: str, words: str) -> str:
    (line,) = [line for line in text(house, user).splitlines() if words in line]
    return line


def ref_of(house: House, user: str, words: str) -> str:
    return line_with(house, user, words)[-10:-1]


def replace(house: House, user: str, old: str, new: str) -> None:
    before = text(house, user)
    assert old in before
    house.file(user).write_text(before.replace(old, new), encoding="utf-8")


def remove(house: House, user: str, words: str) -> None:
    """Take one of the lines out, which may share a line of the file with others."""
    (said,) = [line for line in LINES if words in line]
    before = text(house, user)
    replace(house, user, f"{said} " if f"{said} " in before and f"{said} [" not in before else f" {said}", "")


def add(house: House, user: str, line: str) -> None:
    with house.file(user).open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def retired_ref(house: House, user: str) -> str:
    """The reference of the memory that an edit has retired."""
    (row,) = [row for row in edit_list(house.graph, user) if row["action"] == "retired"]
    return str(row["ref"])


def actions(house: House, user: str) -> dict[str, str]:
    """Each decision by the words it is about."""
    return {row["published_text"]: row["action"] for row in list_edits(house.graph, user)}


def sources(house: House, user: str) -> list[dict[str, Any]]:
    own = {"user_ids": [user], "reader_ids": [user]}
    ids = [row["id"] for row in house.graph.read("sources/list_source_heads", **own)]
    return [row for row in house.graph.read("sources/list_source_details", ids=ids, **own) if row["kind"] == "file-edit"]


def check_of(result: dg.ExecuteInProcessResult) -> dg.AssetCheckEvaluation:
    return verdicts(result, "edits_are_taken_in")["memory_file"]


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
    undone = edit_store.undo_edit(house.graph, ana, superseded["id"], house.settings.clock.now())
    assert [row["action"] for row in undone] == ["restored", "retired"]
    steps(house, ana)
    assert "green tea" in text(house, ana) and "black coffee" not in text(house, ana)
    with pytest.raises(edit_store.EditedError, match="No edit"):
        edit_store.undo_edit(house.graph, ana, "edit:none", house.settings.clock.now())


def test_a_cut_file_is_published_again_and_its_owner_asked(house: House, ana: str) -> None:
    house.file(ana).write_text("My own note stands alone here.\n", encoding="utf-8")
    steps(house, ana)
    assert all(line in text(house, ana) for line in LINES)
    assert "My own note stands alone here. [" in text(house, ana)
    assert sum(action == "vanished" for action in actions(house, ana).values()) >= len(LINES)
    asked = {row["known"]: row["edited"] for row in list_conflicts(house.graph, ana)}
    assert asked[LINES[3]] == "(the line is gone)" and len(asked) >= len(LINES)
    assert len(list(house.file(ana).parent.glob("*.edited-*"))) == 1, "what vanished from may be wanted back"
    confirmed = edit_store.confirm_edits(house.graph, ana, house.settings.clock.now())
    assert {row["action"] for row in confirmed} == {"retired"}
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
        with pytest.raises(edit_store.EditedError, match="edited after this run had looked"):
            steps(house, ana)
    assert "ferry" not in text(house, ana) and "- The gate code has changed\n" in text(house, ana)
    assert ana in what_is_due(house.graph, house.settings, [ana], ("memory_file",))
    steps(house, ana)
    assert "ferry" in text(house, ana) and "The gate code has changed [" in text(house, ana)


def test_a_file_whose_edit_has_not_come_through_to_the_draft_stays(house: House, ana: str) -> None:
    remove(house, ana, "lighthouse")
    edited = text(house, ana)
    editing.collect_edits(house.graph, house.settings, ana, lambda _: nullcontext())
    (file,) = user_files(house.graph, house.settings, ana)
    with pytest.raises(edit_store.EditedError, match="1 of its edits have not come through"):
        edit_store.check_taken_in(house.graph, file, drafts.read_draft(house.graph, ana, file).content.entries)
    steps(house, ana)
    edit_store.check_taken_in(house.graph, file, drafts.read_draft(house.graph, ana, file).content.entries)
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
        meanwhile.setattr(editing, "record_edit", stop)
        with pytest.raises(RuntimeError, match="stopped"):
            steps(house, ana)
    assert text(house, ana) == edited
    steps(house, ana)
    assert len(sources(house, ana)) == 1
    assert "lighthouse" not in text(house, ana) and "gate code" in text(house, ana)


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
    other = add_file(house.graph, house.settings, ana, folder / "MEMORY.md", house.settings.clock.now(), preset="hermes")
    steps(house, ana)
    assert LINES[3] in other.path.read_text(encoding="utf-8")
    other.path.write_text(other.path.read_text(encoding="utf-8") + "- The ferry leaves at noon\n", encoding="utf-8")
    remove(house, ana, "lighthouse")
    steps(house, ana)
    for written in (other.path.read_text(encoding="utf-8"), text(house, ana)):
        assert "The ferry leaves at noon [" in written and "lighthouse" not in written
    assert {row["path"] for row in list_edits(house.graph, ana)} == {str(other.path), str(house.file(ana))}


def test_a_line_changed_otherwise_in_two_files_is_a_conflict(house: House, ana: str, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir(mode=0o700)
    other = add_file(house.graph, house.settings, ana, folder / "MEMORY.md", house.settings.clock.now(), preset="hermes")
    steps(house, ana)
    replace(house, ana, "green tea", "black coffee")
    written = other.path.read_text(encoding="utf-8")
    other.path.write_text(written.replace("green tea", "hot chocolate"), encoding="utf-8")
    steps(house, ana)
    assert "black coffee" in text(house, ana) and "hot chocolate" in text(house, ana), "both texts are kept"
    (conflict,) = list_conflicts(house.graph, ana)
    assert conflict["what"] == "another of your files says otherwise"
    assert {conflict["known"], conflict["edited"]} == {f"I prefer {what} in the morning." for what in ("black coffee", "hot chocolate")}
    superseded = next(row for row in edit_list(house.graph, ana) if row["action"] == "superseded")
    edit_store.undo_edit(house.graph, ana, superseded["id"], house.settings.clock.now())
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
    (undone,) = edit_store.undo_edit(house.graph, ana, row["id"], house.settings.clock.now())
    assert undone["action"] == "added"


def test_only_taking_lines_away_makes_no_source(house: House, ana: str) -> None:
    remove(house, ana, "lighthouse")
    steps(house, ana)
    assert sources(house, ana) == [] and "lighthouse" not in text(house, ana)
    (row,) = edit_list(house.graph, ana)
    assert row["source"] is None and explain(house.graph, ana, row["ref"])["text"] == LINES[3]
    edit_store.undo_edit(house.graph, ana, row["id"], house.settings.clock.now())
    steps(house, ana)
    assert "lighthouse" in text(house, ana)


def test_a_line_whose_source_models_refuse_is_a_memory_all_the_same(house: House, ana: str) -> None:
    add(house, ana, "- The gate code has changed")
    REFUSED.append(ModelError("not this one"))
    steps(house, ana)
    assert not REFUSED and "The gate code has changed [" in text(house, ana)


def test_a_service_that_is_away_is_asked_about_a_line_again(house: House, ana: str) -> None:
    add(house, ana, "- The gate code has changed")
    REFUSED.append(ModelUnavailableError("come back later"))
    with pytest.raises(edit_store.EditedError, match="1 of its edits have not come through"):
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
    editing.collect_edits(house.graph, house.settings, ana, lambda _: nullcontext())
    (source,) = sources(house, ana)
    assert remove_source(house.graph, house.settings.clock, ana, source["id"])
    steps(house, ana)
    assert "gate code" not in text(house, ana) and LINES[3] in text(house, ana)
    (conflict,) = list_conflicts(house.graph, ana)
    assert "not read any more" in conflict["what"] and conflict["edited"] == "The gate code has changed"
    assert len(list(house.file(ana).parent.glob("*.edited-*"))) == 1, "its words are not in the graph"
    edit_store.confirm_edits(house.graph, ana, house.settings.clock.now())
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
    for row in house.graph.read("sources/list_source_heads", **own):
        remove_source(house.graph, house.settings.clock, ana, row["id"])
    steps(house, ana)
    told = repr([explain(house.graph, ana, ref), edit_list(house.graph, ana), list_conflicts(house.graph, ana)])
    assert "lighthouse" not in told and edit_store.UNREADABLE in told


def test_an_edit_belongs_to_its_user_alone(house: House, ana: str) -> None:
    ben = with_file(house, "ben")
    remove(house, ana, "lighthouse")
    steps(house, ana)
    steps(house, ben)
    assert "lighthouse" in text(house, ben) and list_edits(house.graph, ben) == []
    assert explain(house.graph, ana, retired_ref(house, ana))["edit"]["action"] == "retired"
    identifier = edit_list(house.graph, ana)[0]["id"]
    with pytest.raises(edit_store.EditedError):
        edit_store.undo_edit(house.graph, ben, identifier, house.settings.clock.now())
