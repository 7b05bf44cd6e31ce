"""From an edit in a MEMORY.md to the file that has taken it in: real assets on the real graph."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets import publish as publishing
from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import (
    DESCRIBE_SOURCE,
    EXTRACT_ENTITIES,
    Extraction,
    NotesTaken,
    SourceDescription,
    Statement,
)
from memory_assets.memory_file import assets as memory_file_assets
from memory_assets.memory_file import edit_store
from memory_assets.memory_file.edit_reports import edit_list
from memory_assets.memory_file.edit_store import confirm_edits, list_edits, undo_edit
from memory_assets.memory_file.reports import explain
from memory_assets.operations import editing
from memory_assets.operations.due import what_is_due
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


def answer(task: str, payload: Any) -> Any:
    """What the scripted model says: each sentence of a note is a statement, by its first words."""
    if task == DESCRIBE_SOURCE:
        return SourceDescription(summary=payload.title, keywords=("lamp",), tags=("home",))
    if task != EXTRACT_ENTITIES:
        return NotesTaken()
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


@pytest.fixture
def ana(house: House) -> str:
    name = house.user("ana")
    house.ingest(name, "2026-11-01 note.md", "\n\n".join(LINES))
    assert house.run("update_memory", name).success
    assert all(line in text(house, name) for line in LINES)
    return name


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
    replace(house, user, line_with(house, user, words) + "\n", "")


def add(house: House, user: str, line: str) -> None:
    with house.file(user).open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def run(house: House, user: str) -> dg.ExecuteInProcessResult:
    result = house.run("update_memory", user)
    assert result.success
    return result


def actions(house: House, user: str) -> dict[str, str]:
    """Each decision by the words it is about."""
    return {row["published_text"]: row["action"] for row in list_edits(house.graph, user)}


def sources(house: House, user: str) -> list[dict[str, Any]]:
    rows = house.graph.read("sources/list_source_heads", user_id=user, user_ids=[user])
    return [row for row in rows if row["kind"] == "file-edit"]


def check_of(result: dg.ExecuteInProcessResult) -> dg.AssetCheckEvaluation:
    return verdicts(result, "edits_are_taken_in")["memory_file"]


def test_an_edit_comes_through_in_one_run_and_a_second_run_finds_nothing(house: House, ana: str) -> None:
    retired, changed = ref_of(house, ana, "lighthouse"), ref_of(house, ana, "green tea")
    remove(house, ana, "lighthouse")
    replace(house, ana, "green tea", "black coffee")
    add(house, ana, "- The deploy window is Tuesday at 14:00")
    assert "has been changed" in what_is_due(house.graph, house.settings, [ana])[ana]
    run(house, ana)
    after = text(house, ana)
    assert "lighthouse" not in after and "green tea" not in after
    assert line_with(house, ana, "I prefer black coffee in the morning.").startswith("- I prefer")
    assert "- The deploy window is Tuesday at 14:00 [" in after
    assert "Edit of MEMORY.md" not in after, "that something was edited is no news of its own"
    assert len(sources(house, ana)) == 1
    assert actions(house, ana) == {
        LINES[0]: "superseded",
        LINES[3]: "retired",
        "I prefer black coffee in the morning.": "added",
        "The deploy window is Tuesday at 14:00": "added",
    }
    gone = explain(house.graph, ana, retired)
    assert gone["text"] == LINES[3] and gone["sources"][0]["kind"] == "note"
    assert f"Removed from {house.file(ana)} by its editor, 2026-11-" in gone["edit"]["said"]
    new = ref_of(house, ana, "black coffee")
    assert explain(house.graph, ana, changed)["edit"]["by_ref"] == new
    assert explain(house.graph, ana, new)["sources"][0]["kind"] == "file-edit"
    json.dumps(edit_list(house.graph, ana))
    assert [row["action"] for row in edit_list(house.graph, ana)].count("added") == 1
    assert what_is_due(house.graph, house.settings, [ana], ("memory_draft", "memory_file")) == {}
    before = house.file(ana).stat().st_mtime_ns
    run(house, ana)
    assert house.file(ana).stat().st_mtime_ns == before
    assert len(sources(house, ana)) == 1


def test_a_run_for_everybody_takes_edits_in_when_nothing_else_is_due(house: House, ana: str) -> None:
    remove(house, ana, "lighthouse")
    assert house.run("update_memory").success
    assert "lighthouse" not in text(house, ana)


def test_what_a_person_decided_survives_extraction_and_can_be_taken_back(house: House, ana: str) -> None:
    remove(house, ana, "lighthouse")
    replace(house, ana, "green tea", "black coffee")
    run(house, ana)
    everything = {step: {"force": True} for step in ("processed_sources", "extracted_entities", "value_classifications", "memory_draft")}
    assert house.run("update_memory", ana, config=everything).success
    house.ingest(ana, "2026-11-09 note.md", LINES[3])
    run(house, ana)
    assert "lighthouse" not in text(house, ana) and "green tea" not in text(house, ana)
    add(house, ana, "- " + LINES[3])
    run(house, ana)
    assert actions(house, ana)[LINES[3]] == "restored"
    assert text(house, ana).count("lighthouse") == 1
    superseded = next(row for row in edit_list(house.graph, ana) if row["action"] == "superseded")
    undone = undo_edit(house.graph, ana, superseded["id"], house.settings.clock.now())
    assert [row["action"] for row in undone] == ["restored", "retired"]
    run(house, ana)
    assert "green tea" in text(house, ana) and "black coffee" not in text(house, ana)
    with pytest.raises(edit_store.EditedError, match="No edit"):
        undo_edit(house.graph, ana, "edit:none", house.settings.clock.now())


def test_a_cut_file_is_published_again_and_its_owner_asked(house: House, ana: str) -> None:
    whole = text(house, ana)
    house.file(ana).write_text("My own note stands alone here.\n", encoding="utf-8")
    result = run(house, ana)
    assert all(line in text(house, ana) for line in LINES)
    assert "My own note stands alone here." in text(house, ana)
    assert sum(action == "vanished" for action in actions(house, ana).values()) >= len(LINES)
    evaluation = check_of(result)
    shown = values_of(evaluation)
    assert not evaluation.passed and evaluation.severity == dg.AssetCheckSeverity.WARN
    assert "lighthouse" in shown["what_failed"] and "(the line is gone)" in shown["what_failed"]
    assert "lighthouse" not in shown["alert"] + (evaluation.description or "")
    assert publishing.digest(whole) != publishing.digest(text(house, ana))
    confirmed = confirm_edits(house.graph, ana, house.settings.clock.now())
    assert {row["action"] for row in confirmed} == {"retired"}
    assert check_of(run(house, ana)).passed
    assert not any(line in text(house, ana) for line in LINES)
    assert "My own note stands alone here." in text(house, ana)


def test_a_removed_file_is_published_again_and_retires_nothing(house: House, ana: str) -> None:
    house.file(ana).unlink()
    run(house, ana)
    assert all(line in text(house, ana) for line in LINES)
    assert list_edits(house.graph, ana) == []


def test_white_space_alone_is_no_source(house: House, ana: str) -> None:
    published = text(house, ana)
    house.file(ana).write_bytes(b"\xef\xbb\xbf" + published.replace("\n", "\r\n").encode())
    run(house, ana)
    assert text(house, ana) == published
    assert sources(house, ana) == [] and list_edits(house.graph, ana) == []


def test_a_file_edited_in_the_middle_of_a_run_stays_until_the_next(
    house: House, ana: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.ingest(ana, "2026-11-08 note.md", "The ferry leaves at noon.")
    make_draft = memory_file_assets.drafts.make_draft

    def edit_meanwhile(*args: Any, **kwargs: Any) -> Any:
        add(house, ana, "- The gate code has changed")
        return make_draft(*args, **kwargs)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(memory_file_assets.drafts, "make_draft", edit_meanwhile)
        result = house.run("update_memory", ana)
    assert not result.success
    assert "ferry" not in text(house, ana) and "- The gate code has changed\n" in text(house, ana)
    assert ana in what_is_due(house.graph, house.settings, [ana])
    run(house, ana)
    assert "ferry" in text(house, ana) and "- The gate code has changed [" in text(house, ana)


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
        assert not house.run("update_memory", ana).success
    assert text(house, ana) == edited
    run(house, ana)
    assert len(sources(house, ana)) == 1
    assert "lighthouse" not in text(house, ana) and "gate code" in text(house, ana)


def test_secrets_in_an_edit_are_masked_before_anything_is_stored(house: House, ana: str) -> None:
    add(house, ana, f"- The deploy key is {SECRET}")
    run(house, ana)
    assert SECRET not in text(house, ana) and "The deploy key is" in text(house, ana)
    rows = [*list_edits(house.graph, ana), *sources(house, ana)]
    assert rows and SECRET not in repr(rows)


def test_an_edit_belongs_to_its_user_alone(house: House, ana: str) -> None:
    ben = house.user("ben")
    house.ingest(ben, "2026-11-01 note.md", "\n\n".join(LINES))
    run(house, ben)
    retired = ref_of(house, ana, "lighthouse")
    remove(house, ana, "lighthouse")
    run(house, ana)
    run(house, ben)
    assert "lighthouse" in text(house, ben) and list_edits(house.graph, ben) == []
    assert explain(house.graph, ana, retired)["edit"]["action"] == "retired"
    identifier = edit_list(house.graph, ana)[0]["id"]
    with pytest.raises(edit_store.EditedError):
        undo_edit(house.graph, ben, identifier, house.settings.clock.now())
