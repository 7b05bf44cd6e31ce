"""Edits of lines that a model has composed: what is decided about a line is decided about all that it rests on."""

from __future__ import annotations

from typing import Any

import pytest

from memory_assets.edits.store import list_edits
from memory_assets.errors import ModelUnavailableError
from memory_assets.llm.tasks import ComposedFile, ComposedLine
from memory_assets.memory_file import drafts
from memory_assets.memory_file.pool import read_pool
from memory_assets.memory_file.reports import show_files
from memory_assets.memory_file.user_files import user_files
from memory_assets_tests.edits.edited_house import (
    LINES,
    actions,
    add,
    explain,
    line_with,
    ref_of,
    remove,
    replace,
    steps,
    text,
    undo_edit,
)
from memory_assets_tests.support.house import House
from memory_assets_tests.support.scripted_models import ScriptedModel

pytestmark = pytest.mark.graph
TEA, METRIC, PARCEL, LIGHTHOUSE, CELLO, MILL = LINES
BUILT = "The lighthouse in Porto was built in 1908, and the mill stands at the river Douro."


def composing(task: str, payload: Any) -> ComposedFile:
    """One line of two memories; the others as they are, where they need no other words."""
    refs = {one.text: one.ref for one in payload.candidates}
    both = tuple(refs[words] for words in (LIGHTHOUSE, MILL) if words in refs)
    lines = [ComposedLine(text=BUILT, refs=both)] if len(both) == 2 else []
    return ComposedFile(insights=(*lines, ComposedLine(text=CELLO.replace("Marta", "Zoe"), refs=(refs[CELLO],))))


@pytest.fixture
def model(house: House, ana: str) -> ScriptedModel:
    """The model that has composed Ana's file."""
    made = ScriptedModel(composing, "openai/composing")
    steps(house, ana, made)
    assert BUILT in text(house, ana) and "Zoe" not in text(house, ana) and CELLO in text(house, ana)
    return made


def test_a_composed_line_leads_to_all_its_memories(house: House, ana: str, model: ScriptedModel) -> None:
    asked = len(model.asked)
    ref = ref_of(house, ana, "river Douro")
    (line,) = explain(house.graph, ana, ref)["composed"]
    assert line["composed_by"] == "openai/composing"
    assert {part["text"] for part in line["rests_on"]} == {LIGHTHOUSE, MILL}
    for part in line["rests_on"]:
        found = explain(house.graph, ana, part["ref"])
        assert found["composed"] == [line] and found["files"] and found["sources"]
    (failed,) = explain(house.graph, ana, ref_of(house, ana, "repaired the cello"))["composed"]
    assert "Zoe" in failed["text"] and "names 'Zoe'" in failed["why"]
    (shown,) = show_files(house.graph, house.settings, ana)
    assert shown["composition"]["failed"][0]["why"] == failed["why"]
    listed = {row["ref"] for row in shown["left_out"]}
    assert not listed & {part["ref"] for part in line["rests_on"]}, "what a line rests on is in the file"
    before = house.file(ana).stat().st_mtime_ns
    steps(house, ana, model)
    assert len(model.asked) == asked and house.file(ana).stat().st_mtime_ns == before


def test_a_removed_composed_line_retires_all_that_it_rests_on(house: House, ana: str, model: ScriptedModel) -> None:
    remove(house, ana, "river Douro")
    steps(house, ana, model)
    assert actions(house, ana) == {LIGHTHOUSE: "retired", MILL: "retired"}
    assert "lighthouse" not in text(house, ana) and "Douro" not in text(house, ana)
    (mill,) = [row for row in list_edits(house.graph, ana) if row["published_text"] == MILL]
    undo_edit(house.graph, ana, mill["ref"], house.settings.clock.now())
    steps(house, ana, model)
    assert actions(house, ana) == {LIGHTHOUSE: "retired", MILL: "undone"}
    pool = {memory.memory_id: memory.excluded for memory in read_pool(house.graph, ana, [ana])}
    assert pool[mill["memory_id"]] is None, "each can be had back by itself"
    assert "lighthouse" not in text(house, ana)


def test_a_changed_composed_line_supersedes_all_that_it_rests_on(house: House, ana: str, model: ScriptedModel) -> None:
    replace(house, ana, "1908", "1909")
    steps(house, ana, model)
    says = BUILT.replace("1908", "1909")
    new = f"1 November 2026: {says}"
    assert actions(house, ana) == {LIGHTHOUSE: "superseded", MILL: "superseded", new: "added"}
    assert line_with(house, ana, "1909").startswith("- ") and says in text(house, ana)
    steps(house, ana, model)
    assert says in text(house, ana) and "1908" not in text(house, ana)
    undo_edit(house.graph, ana, ref_of(house, ana, "1909"), house.settings.clock.now())
    steps(house, ana, model)
    assert actions(house, ana) == {LIGHTHOUSE: "undone", MILL: "undone", new: "undone"}
    assert BUILT in text(house, ana) and "1909" not in text(house, ana), "the file is what it was"


def test_taking_one_of_them_back_takes_the_change_back(house: House, ana: str, model: ScriptedModel) -> None:
    replace(house, ana, "1908", "1909")
    steps(house, ana, model)
    (mill,) = [row for row in list_edits(house.graph, ana) if row["published_text"] == MILL]
    undo_edit(house.graph, ana, mill["ref"], house.settings.clock.now())
    assert set(actions(house, ana).values()) == {"undone"}


def test_composed_words_written_again_are_the_writers_own(house: House, ana: str, model: ScriptedModel) -> None:
    line = line_with(house, ana, "river Douro")
    remove(house, ana, "river Douro")
    steps(house, ana, model)
    add(house, ana, line[: line.rindex(" [")])
    steps(house, ana, model)
    assert actions(house, ana)[f"1 November: {BUILT}"] == "added" and line_with(house, ana, BUILT)


def test_a_service_that_does_not_answer_leaves_the_local_file_and_is_asked_again(house: House, ana: str) -> None:
    local = text(house, ana)
    away = ScriptedModel(lambda *_: ModelUnavailableError("nobody there"), "openai/away")
    steps(house, ana, away)
    assert text(house, ana) == local
    (shown,) = show_files(house.graph, house.settings, ana)
    assert shown["composition"]["why_not"] == "nobody there"
    away.script = composing
    steps(house, ana, away)
    assert BUILT in text(house, ana)
    stored = drafts.read_draft(house.graph, user_files(house.graph, house.settings, ana)[0])
    assert stored.composition is not None and not stored.composition["is_open"]
