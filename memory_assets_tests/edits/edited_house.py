"""A house whose user has a published file, and what a person does to that file: what the tests of whole edits start
from.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import dagster as dg

from memory_assets.automation.editing import KINDS
from memory_assets.edits import reports, store
from memory_assets.edits.store import list_edits
from memory_assets.entities.extraction import Extractor
from memory_assets.errors import ModelError, UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import (
    DESCRIBE_SOURCE,
    EXTRACT_ENTITIES,
    Extraction,
    NotesTaken,
    SourceDescription,
)
from memory_assets.memory_file import drafts
from memory_assets.memory_file import reports as file_reports
from memory_assets.memory_file.user_files import UserFile, user_files
from memory_assets.runtime.edited_files import MEMORY
from memory_assets.runtime.scope import RunScope
from memory_assets.sources.process import process_sources
from memory_assets.validity.judging import judge_statements
from memory_assets.validity.noticing import forget_judged
from memory_assets.values.classify import classify_memories
from memory_assets_tests.support.house import House, verdicts
from memory_assets_tests.support.scripted_models import ScriptedModel, stated

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
            stated(
                line,
                speaker=turn.speaker,
                turn=turn.index,
                content_type="preference" if line.startswith(("I prefer", "Always")) else "insight",
                is_instruction=line.startswith("Always"),
                durability=0.9,
                confidence=9,
            )
            for turn, line in said
        ),
    )


def with_file(house: House, name: str) -> str:
    """A user whose published file says all the lines."""
    user = house.user(name)
    house.ingest(user, "2026-11-01 note.md", "\n\n".join(LINES))
    steps(house, user)
    assert all(line in text(house, user) for line in LINES)
    return user


def steps(house: House, user: str, composer: ScriptedModel | None = None) -> None:
    """Every step of a run for one user, in their order, without Dagster."""
    graph, clock, models = house.graph, house.settings.clock, house.models
    take_in(house, user)
    process_sources(graph, user, models.language_for("processed_sources"), models.embedder, clock)
    language = models.language_for("extracted_entities")
    Extractor(graph, language, models.embedder, clock, user, lambda _: None).run(RunScope())
    judge_statements(graph, user, clock.now(), house.settings.validity_index(user), "recipe")
    forget_judged(graph, user, house.settings.unjudged_index(user))
    classify_memories(graph, user, clock.now(), saved=house.settings.values_cache(user))
    files = user_files(graph, house.settings, user)
    drafts.make_drafts(graph, user, files, clock.now(), composer=composer)
    taken_in = store.taken_in(graph, house.settings, user, KINDS[MEMORY])
    for file in files:
        check_taken_in(house, file)
        drafts.publish_draft(graph, file, clock.now(), taken_in)


def take_in(house: House, user: str) -> list[str]:
    return store.take_in(house.graph, house.settings, user, KINDS[MEMORY])


def check_taken_in(house: House, file: UserFile) -> None:
    entries = drafts.read_draft(house.graph, file).entries
    store.check_taken_in(house.graph, house.settings, file.user, KINDS[MEMORY], file.path, entries)


def undo_edit(graph: Graph, user: str, identifier: str, now: datetime) -> list[dict[str, Any]]:
    return store.undo_edit(graph, user, identifier, now, KINDS)


def confirm_edits(graph: Graph, user: str, now: datetime, only: Sequence[str] = ()) -> list[dict[str, Any]]:
    return store.confirm_edits(graph, user, now, KINDS, only)


def list_conflicts(graph: Graph, user: str) -> list[dict[str, str]]:
    return reports.list_conflicts(graph, user, MEMORY, KINDS[MEMORY].doubts)


def explain(graph: Graph, user: str, ref: str) -> dict[str, Any]:
    """As the command does: a memory, or what an edit has taken out."""
    try:
        return file_reports.explain(graph, user, ref)
    except UnknownReferenceError:
        return reports.explain_edit(graph, user, ref) or {}


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
    """Take one of the lines out."""
    replace(house, user, line_with(house, user, words) + "\n", "")


def add(house: House, user: str, line: str) -> None:
    with house.file(user).open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def retired_ref(house: House, user: str) -> str:
    """The reference of the memory that an edit has retired."""
    (row,) = [row for row in reports.edit_list(house.graph, user) if row["action"] == "retired"]
    return str(row["ref"])


def actions(house: House, user: str) -> dict[str, str]:
    """Each decision by the words it is about."""
    return {row["published_text"]: row["action"] for row in list_edits(house.graph, user)}


def sources(house: House, user: str) -> list[dict[str, Any]]:
    own = {"user_ids": [user], "reader_ids": [user]}
    ids = [row["id"] for row in house.graph.read("graph/list_source_heads", **own)]
    return [row for row in house.graph.read("graph/list_source_details", ids=ids, **own) if row["kind"] == "file-edit"]


def check_of(result: dg.ExecuteInProcessResult) -> dg.AssetCheckEvaluation:
    return verdicts(result, "edits_are_taken_in")["memory_file"]
