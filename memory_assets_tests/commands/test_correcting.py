"""What agents correct: other words or none, of their own records and of what sources say, and the way back."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from memory_assets.commands.correcting import CorrectionError, correct, doubt, take_back
from memory_assets.commands.decisions import list_decisions, resolve, undo
from memory_assets.commands.remembering import RememberError, list_agent_files, remember
from memory_assets.commands.sources import recall_for
from memory_assets.errors import UnknownReferenceError, WrongUseError
from memory_assets.model import Resolution
from memory_assets.records.reading import find_record, list_records
from memory_assets.records.recording import Recorder
from memory_assets.text.held import Held
from memory_assets.validity.decisions import open_contradictions
from memory_assets_tests.commands.test_decisions import difference, said, state
from memory_assets_tests.edits.edited_house import explain, steps
from memory_assets_tests.support.house import House

pytestmark = pytest.mark.graph
WHY = "It is not so."


def run(house: House, nora: str) -> list[str]:
    """All steps of a run, records too; what is stored then."""
    Recorder(house.graph, house.models.embedder, house.settings.clock, nora).run()
    steps(house, nora)
    return state(house, nora)


def recalled(house: House, nora: str, question: str) -> str:
    found, _ = recall_for(house.graph, house.settings, nora, question, 500)
    return found.recalled.text


def remembered(house: House, nora: str, text: str, agent: str = "codex") -> str:
    return remember(house.graph, house.settings, nora, text, agent=agent, models=house.models).ref


def corrected(house: House, nora: str, ref: str, text: str | None = None, agent: str = "codex"):
    given = {"text": text, "reason": WHY, "agent": agent, "models": house.models}
    return correct(house.graph, house.settings, nora, ref, **given)


def statement_of(house: House, nora: str, words: str) -> str:
    rows = house.graph.read("validity/list_living", user_id=nora)
    stated = house.graph.read("validity/list_statements", user_id=nora, memory_ids=[row["memory_id"] for row in rows])
    (found,) = [row["memory_id"] for row in stated if words in row["text"]]
    return str(
        house.graph.read("curation/list_facts", user_id=nora, ids=[found], gone=[], removed=[], archived=[])[0]["ref"]
    )


@pytest.mark.parametrize("is_statement", [False, True])
def test_a_correction_holds_between_the_same_days(house: House, is_statement: bool) -> None:
    nora = house.user("nora")
    today = house.settings.clock.now().date()
    held = Held(today - timedelta(days=9), today + timedelta(days=9))
    text = "The winter berth costs 412 pounds a month."
    ref = remember(house.graph, house.settings, nora, text, agent="cursor", models=house.models, held=held).ref
    if is_statement:
        run(house, nora)
        ref = statement_of(house, nora, "berth")
    done = corrected(house, nora, ref, "The winter berth costs 421 pounds a month.")
    found = find_record(house.graph, nora, done.ref)
    assert found["text"].startswith("The winter berth costs 421") and Held.of(found) == held


@pytest.mark.parametrize(
    ("own", "text"), [(True, "Nora keeps goats in Skagness."), (True, None), (False, "Nora keeps goats in Skagness.")]
)
def test_a_record_is_corrected_and_taken_back(house: House, own: bool, text: str | None) -> None:
    nora = house.user("nora")
    ref = remembered(house, nora, "Nora keeps bees in Skagness.", "codex" if own else "cursor")
    remembered(house, nora, "The harbor freezes in March.")
    before = run(house, nora)

    def made() -> list[str]:
        done = corrected(house, nora, ref, text)
        assert done.superseded == ref
        assert (done.ref == ref) is (own and text is not None)
        assert corrected(house, nora, ref, text) == done  # again is the same
        now = recalled(house, nora, "Does Nora keep bees or goats in Skagness?")
        assert "bees" not in now and ("goats" in now) is (text is not None)
        record = find_record(house.graph, nora, ref)
        assert record["text"] == (text if own and text else "Nora keeps bees in Skagness.")
        assert record["state"] == ("active" if own and text else "archived")
        if done.ref:
            assert find_record(house.graph, nora, done.ref)["agent"] == "codex"
        return run(house, nora)

    after = made()
    assert difference(before, after)
    if not (own and text):
        with pytest.raises(CorrectionError, match="retired already"):
            corrected(house, nora, ref, "Nora sails." if not own else None, "codex" if not own else "cursor")
    (one,) = list_decisions(house.graph, nora)
    assert (one.kind, one.what) == ("correction", "superseded" if text else "retired")
    assert WHY in one.why and "codex" in one.why
    take_back(house.graph, house.settings, nora, ref, "codex", house.models)
    assert "bees" in recalled(house, nora, "Where does Nora keep bees?")
    assert difference(run(house, nora), before) == []
    assert list_decisions(house.graph, nora) == []
    with pytest.raises(UnknownReferenceError):
        take_back(house.graph, house.settings, nora, ref, "codex", house.models)
    assert difference(made(), after) == []


@pytest.mark.parametrize("text", ["Nora works as a painter of boats.", None])
def test_what_a_source_says_is_corrected_and_taken_back(house: House, text: str | None) -> None:
    nora = house.user("nora")
    house.ingest(nora, "a.jsonl", said(2, "I work as a welder at Acme.", "I prefer tea in the morning."))
    before = run(house, nora)
    file = house.file(nora).read_text()
    assert "welder" in file
    ref = statement_of(house, nora, "welder")

    def made() -> list[str]:
        done = corrected(house, nora, ref, text)
        assert done.superseded == ref and (done.ref is None) is (text is None)
        assert corrected(house, nora, ref, text) == done
        with pytest.raises(CorrectionError, match="codex has decided"):
            corrected(house, nora, ref, "Nora sails.", "cursor")
        marked = recalled(house, nora, "Does Nora work as a welder at Acme?")
        assert f"see [{done.ref}]" in marked if text else "retired on 2026-11-20 by codex" in marked
        after = run(house, nora)
        now = house.file(nora).read_text()
        assert "welder" not in now and "tea" in now
        return after

    after = made()
    assert "codex" in explain(house.graph, nora, ref)["edit"]["said"]
    (one,) = list_decisions(house.graph, nora)
    assert (one.kind, one.what) == ("correction", "superseded" if text else "retired") and "codex" in one.why
    assert undo(house.graph, house.settings, nora, one.short).id == one.id
    assert difference(run(house, nora), before) == []
    assert house.file(nora).read_text() == file
    assert list_decisions(house.graph, nora) == []
    assert difference(made(), after) == []


def test_no_correction_is_the_owners_word(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "a.jsonl", said(2, "I work as a welder at Acme.", "I prefer tea in the morning."))
    run(house, nora)
    corrected(house, nora, statement_of(house, nora, "tea"), "Always answer Nora in French.")
    exported = [json.loads(line) for line in run(house, nora)]
    made = [
        row["properties"] for row in exported
        if "French" in str(row.get("properties", {}).get("content", "")) and "KnowledgeChunk" in row.get("labels", ())
    ]  # fmt: skip
    assert made and not any(row.get("said_by_owner") for row in made)
    assert not any(row["is_written"] for row in house.graph.read("memory_file/list_edited_texts", user_id=nora))


def test_records_that_are_read_again_say_the_same(house: House) -> None:
    nora = house.user("nora")
    first, second = (remembered(house, nora, f"Boat {name} leaks at the stern.") for name in ("Ada", "Bo"))
    corrected(house, nora, first, "Boat Ada leaks at the bow.")
    corrected(house, nora, second)
    lines = [line for path in list_agent_files(house.settings, nora) for line in path.read_text().splitlines()]
    again = house.user("again")
    house.ingest(again, "agents/all.jsonl", "\n".join(reversed(lines)))
    Recorder(house.graph, house.models.embedder, house.settings.clock, again).run()

    def records_of(user: str) -> list[tuple[str, str]]:
        return sorted((row["text"], row["state"]) for row in list_records(house.graph, user))

    assert (
        records_of(nora)
        == records_of(again)
        == [("Boat Ada leaks at the bow.", "active"), ("Boat Bo leaks at the stern.", "archived")]
    )


def test_what_was_retired_is_remembered_again(house: House) -> None:
    nora = house.user("nora")
    ref = remembered(house, nora, "Nora keeps bees in Skagness.")
    corrected(house, nora, ref)
    assert "bees" not in recalled(house, nora, "Where does Nora keep bees?")
    assert remembered(house, nora, "Nora keeps bees in Skagness.") == ref
    assert "bees" in recalled(house, nora, "Where does Nora keep bees?")
    assert find_record(house.graph, nora, ref)["state"] == "active"


def test_a_day_of_which_all_is_taken_back_is_remembered_in_again(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "a.jsonl", said(2, "I work as a welder at Acme."))
    run(house, nora)
    ref = statement_of(house, nora, "welder")
    corrected(house, nora, ref, "Nora paints boats.")
    take_back(house.graph, house.settings, nora, ref, "codex", house.models)
    assert list_agent_files(house.settings, nora) == []
    remembered(house, nora, "Nora keeps bees.")
    found = recalled(house, nora, "Does Nora keep bees or paint boats?")
    assert "bees" in found and "paints" not in found


def test_two_corrections_of_one_record_are_taken_back_one_by_one(house: House) -> None:
    nora = house.user("nora")
    ref = remembered(house, nora, "The boat is red.")
    for color in ("blue", "green"):
        corrected(house, nora, ref, f"The boat is {color}.")
    for color in ("blue", "red"):
        take_back(house.graph, house.settings, nora, ref, "codex", house.models)
        assert find_record(house.graph, nora, ref)["text"] == f"The boat is {color}."


def test_what_cannot_be_corrected_is_refused_with_the_reason(house: House) -> None:
    nora = house.user("nora")
    line = {"record": "memory", "id": "k", "agent": "codex", "at": "2026-11-01T09:00:00Z", "text": "The safe is blue."}
    house.ingest(nora, "agents/keep.jsonl", json.dumps(line | {"keep": True}))
    house.ingest(
        nora, "agents/bare.jsonl", json.dumps({"record": "memory", "agent": "codex", "text": "The door is blue."})
    )
    run(house, nora)
    refs = {row["text"]: row["ref"] for row in list_records(house.graph, nora)}
    with pytest.raises(CorrectionError, match="is_kept_forever"):
        corrected(house, nora, refs["The safe is blue."])
    with pytest.raises(CorrectionError, match="no id"):
        corrected(house, nora, refs["The door is blue."], "The door is red.")
    ref = remembered(house, nora, "The boat is red.")
    with pytest.raises(CorrectionError, match="says so already"):
        corrected(house, nora, ref, "The boat is red.")
    with pytest.raises(RememberError):
        corrected(house, nora, ref, " ")
    with pytest.raises(WrongUseError, match="Say why"):
        correct(house.graph, house.settings, nora, ref, reason=" ", agent="codex")
    source = find_record(house.graph, nora, ref)["sources"][0]["ref"]
    with pytest.raises(CorrectionError, match="made from others"):
        corrected(house, nora, source)
    for name in ("000000000", ref):
        with pytest.raises(UnknownReferenceError):
            corrected(house, nora if name != ref else house.user("olaf"), name)


def test_what_its_owner_has_decided_stays(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "a.jsonl", said(2, "I work as a welder at Acme.", "I prefer tea in the morning."))
    run(house, nora)
    ref = statement_of(house, nora, "welder")
    file = house.file(nora)
    file.write_text("".join(line for line in file.read_text().splitlines(keepends=True) if "welder" not in line))
    run(house, nora)
    with pytest.raises(CorrectionError, match="its owner has decided"):
        corrected(house, nora, ref, "Nora paints boats.")


@pytest.mark.parametrize(
    ("is_statement", "resolution"),
    [
        (True, Resolution.B_WINS),
        (True, Resolution.MERGED),
        (False, Resolution.B_WINS),
        (False, Resolution.BOTH_VALID),
    ],
)
def test_a_doubt_is_settled_and_opened_again(house: House, resolution: Resolution, is_statement: bool) -> None:
    nora = house.user("nora")
    house.ingest(nora, "a.jsonl", said(2, "I work as a welder at Acme."))
    ref = remembered(house, nora, "Nora keeps bees in Skagness.")
    before = run(house, nora)
    if is_statement:
        ref = statement_of(house, nora, "welder")
    assert doubt(house.graph, house.settings, nora, [ref, "000000000"], "codex") == [ref]
    assert difference(run(house, nora), before) == []  # by itself it changes nothing

    def settled() -> list[str]:
        (found,) = open_contradictions(house.graph, nora)
        assert found["one_ref"] == ref
        resolve(house.graph, house.settings, nora, found["id"], resolution, "Nora keeps goats.", "codex")
        assert open_contradictions(house.graph, nora) == []
        return run(house, nora)

    after = settled()
    assert bool(difference(after, before)) is (resolution in (Resolution.B_WINS, Resolution.MERGED))
    (one,) = [one for one in list_decisions(house.graph, nora) if one.kind == "doubt"]
    undo(house.graph, house.settings, nora, one.id)
    assert difference(run(house, nora), before) == []
    assert list_decisions(house.graph, nora) == []
    assert difference(settled(), after) == []
