"""Every decision about a memory is listed once, and taken back in one way: the graph is what it was before."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from memory_assets.commands import correcting, decisions
from memory_assets.commands.decisions import list_decisions, undo
from memory_assets.commands.remembering import list_agent_files, remember
from memory_assets.commands.sources import remove_source
from memory_assets.entities.people import Names
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.export import export_user
from memory_assets.model import Resolution
from memory_assets.validity import decisions as contradictions
from memory_assets_tests.edits.edited_house import steps
from memory_assets_tests.support.house import House
from memory_assets_tests.support.seeds import seed_properties

pytestmark = pytest.mark.graph


def said(day: int, *texts: str) -> str:
    return "\n".join(
        json.dumps({"role": "user", "name": "Nora", "content": text, "timestamp": f"2026-05-{day:02}T10:0{n}:00Z",
                    "conversation_id": str(day)})
        for n, text in enumerate(texts)
    )  # fmt: skip


def state(house: House, user: str) -> list[str]:
    return [json.dumps(line, sort_keys=True) for line in export_user(house.graph, user, canonical=True)]


def difference(one: list[str], other: list[str]) -> list[str]:
    return sorted({*one} ^ {*other})


def resolve(house: House, nora: str, resolution: Resolution) -> None:
    (found,) = contradictions.open_contradictions(house.graph, nora)
    text = "I am allergic to hazelnuts alone."
    decisions.resolve(house.graph, house.settings, nora, found["id"], resolution, "asked", text=text)


def remove(house: House, nora: str) -> None:
    rows = house.graph.read("recall/list_sources", user_ids=[nora])
    remove_source(house.graph, house.settings.clock, nora, sorted(row["id"] for row in rows)[0])


def names(house: House, nora: str) -> Names:
    return Names(house.graph, house.settings.clock, nora)


def edit(house: House, nora: str, change: Callable[[str], str]) -> None:
    file = house.file(nora)
    before = file.read_text()
    file.write_text(change(before))
    assert file.read_text() != before


def without(words: str) -> Callable[[str], str]:
    return lambda text: "".join(line for line in text.splitlines(keepends=True) if words not in line)


def instead(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


KINDS: dict[str, tuple[str, str, Callable[[House, str], object]]] = {
    "a wins": ("contradiction", "a_wins", lambda house, nora: resolve(house, nora, Resolution.A_WINS)),
    "merged": ("contradiction", "merged", lambda house, nora: resolve(house, nora, Resolution.MERGED)),
    "source": ("source", "removed", remove),
    "merged names": ("name", "merged", lambda house, nora: names(house, nora).merge("Anna Berg", ["Anna Bergmann"])),
    "split names": ("name", "kept apart", lambda house, nora: names(house, nora).split("Jon")),
    "line removed": ("edit", "retired", lambda house, nora: edit(house, nora, without("welder"))),
    "line changed": ("edit", "superseded", lambda house, nora: edit(
        house, nora, lambda text: text.replace("welder", "painter of boats")
    )),
    "line added": ("edit", "added", lambda house, nora: edit(
        house, nora, lambda text: text + "- The gate code of the yard has changed.\n"
    )),
}  # fmt: skip
"""What it is, and what somebody does, by what is decided."""


@pytest.mark.parametrize("decided", KINDS)
def test_a_decision_is_listed_taken_back_and_made_again(house: House, decided: str) -> None:
    kind, what, decide = KINDS[decided]
    nora = house.user("nora")
    said_first = "I am allergic to nuts.", "Anna Berg repairs the boat of Anna Bergmann.", "I work as a welder at Acme."
    house.ingest(nora, "a.jsonl", said(2, *said_first))
    house.ingest(nora, "b.jsonl", said(3, "I am not allergic to nuts.", "Anna Berg has a shed."))
    if decided == "split names":
        for name in ("Jon Kramer", "Jon"):
            house.ingest(nora, f"{name}.txt", f"{name}: The shed needs paint.\nMaya Lind: It is dry there.\n" * 3)
    steps(house, nora)
    before = state(house, nora)
    assert list_decisions(house.graph, nora) == []

    def made() -> list[str]:
        decide(house, nora)
        steps(house, nora)
        return state(house, nora)

    after = made()
    assert after != before
    (one,) = list_decisions(house.graph, nora)
    assert (one.kind, one.what, bool(one.about and one.at and one.why)) == (kind, what, True)
    assert undo(house.graph, house.settings, nora, one.short).id == one.id
    steps(house, nora)
    assert difference(state(house, nora), before) == []
    assert list_decisions(house.graph, nora) == []
    with pytest.raises(UnknownReferenceError, match="No decision"):
        undo(house.graph, house.settings, nora, one.short)
    assert difference(made(), after) == []


@pytest.mark.parametrize("order", [["welder"], ["painter", "welder"]])
def test_a_line_that_was_changed_twice_is_what_it_was(house: House, order: list[str]) -> None:
    nora = house.user("nora")
    house.ingest(nora, "a.jsonl", said(2, "I work as a welder at Acme."))
    steps(house, nora)
    before, file = state(house, nora), house.file(nora).read_text()
    for old, new in (("welder", "painter"), ("painter", "rigger")):
        edit(house, nora, instead(old, new))
        steps(house, nora)
    for word in order:
        (one,) = [one for one in list_decisions(house.graph, nora) if one.about.split(" -> ")[0].count(word)]
        undo(house.graph, house.settings, nora, one.id)
        steps(house, nora)
    assert list_decisions(house.graph, nora) == [] and house.file(nora).read_text() == file
    assert difference(state(house, nora), before) == []


@pytest.mark.parametrize("resolution", Resolution)
@pytest.mark.parametrize("is_doubt", [False, True])
def test_a_contradiction_that_was_settled_is_open_again_as_it_was(
    house: House, resolution: Resolution, is_doubt: bool
) -> None:
    nora = house.user("nora")
    if is_doubt:
        doubted = remember(house.graph, house.settings, nora, "Nora keeps bees in Skagness.", agent="codex")
        correcting.doubt(house.graph, house.settings, nora, [doubted.ref], "codex")
    else:
        house.ingest(nora, "a.jsonl", said(2, "I am allergic to nuts."))
        house.ingest(nora, "b.jsonl", said(3, "I am not allergic to nuts."))
    steps(house, nora)
    before, (found,) = state(house, nora), contradictions.open_contradictions(house.graph, nora)
    how: dict[str, Any] = {"note": "asked", "text": "I am allergic to hazelnuts."}
    done = decisions.resolve(house.graph, house.settings, nora, found["id"], resolution, **how)
    steps(house, nora)
    assert contradictions.open_contradictions(house.graph, nora) == []
    sides = {"a_wins": ("other_ref", "one_ref"), "b_wins": ("one_ref", "other_ref")}
    if resolution.value in sides:
        loser, holds = sides[resolution.value]
        assert (done["superseded"], done["ref"]) == ([found[loser]] if found[loser] else [], found[holds])
    elif resolution is Resolution.MERGED:
        assert done["superseded"] == [ref for ref in (found["one_ref"], found["other_ref"]) if ref] and done["ref"]
        assert house.graph.read("graph/list_referenced", user_id=nora, refs=[done["ref"]])
    else:
        assert (done["superseded"], done["ref"]) == ([], None)
    for name in (found["id"], done["audit_id"]):
        settled = contradictions.find_settled(house.graph, nora, name)
        assert settled and settled["resolution"] == resolution.value
    decisions.reopen(house.graph, house.settings, nora, settled)
    steps(house, nora)
    assert contradictions.find_settled(house.graph, nora, found["id"]) is None
    assert contradictions.open_contradictions(house.graph, nora) == [found]
    assert difference(state(house, nora), before) == []
    decisions.resolve(house.graph, house.settings, nora, found["id"], resolution, **how)
    assert undo(house.graph, house.settings, nora, found["id"]).what == resolution.value
    assert [row["id"] for row in contradictions.open_contradictions(house.graph, nora)] == [found["id"]]


def test_a_doubt_is_settled_as_merged_wholly_or_not_at_all(house: House) -> None:
    nora = house.user("nora")
    remember(house.graph, house.settings, nora, "I am allergic to nuts.", agent="codex")
    kept = remember(house.graph, house.settings, nora, "I am not allergic to nuts.", agent="claude")
    seed_properties(house.graph, nora, kept.memory_id, ttl_policy="keep_forever")
    (found,) = contradictions.open_contradictions(house.graph, nora)
    assert found["is_doubt"] and kept.ref == found["other_ref"]

    def files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in list_agent_files(house.settings, nora)}

    before, written = state(house, nora), files()
    with pytest.raises(correcting.CorrectionError, match="is_kept_forever keeps it"):
        resolve(house, nora, Resolution.MERGED)
    assert difference(state(house, nora), before) == [] and files() == written
    assert contradictions.open_contradictions(house.graph, nora) == [found]


def test_an_edit_is_a_decision_until_it_is_taken_back(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "a.jsonl", said(2, "I prefer tea in the morning.", "I work at Acme as a welder."))
    assert house.run("build_memory").success
    file = house.file(nora)
    before = file.read_text()
    assert "tea" in before and "Acme" in before
    changed = before.replace("prefers tea", "prefers green tea").replace("prefer tea", "prefer green tea")
    file.write_text("".join(line for line in changed.splitlines(keepends=True) if "Acme" not in line))
    assert house.run("build_memory").success
    listed = list_decisions(house.graph, nora)
    assert sorted((one.kind, one.what) for one in listed) == [("edit", "retired"), ("edit", "superseded")]
    for one in listed:
        undo(house.graph, house.settings, nora, one.short)
    assert house.run("build_memory").success
    assert file.read_text() == before
    assert list_decisions(house.graph, nora) == []
    with pytest.raises(UnknownReferenceError, match="No decision"):
        undo(house.graph, house.settings, nora, listed[0].short)
