"""Descriptions on a running graph: made of what holds, checked, asked for once, made anew when a note expires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.clock import Clock, to_iso
from memory_assets.curation.rails import judge_retirements
from memory_assets.descriptions import consolidating
from memory_assets.descriptions.assets import current_notes, descriptions
from memory_assets.descriptions.checks import descriptions_follow_from_notes
from memory_assets.descriptions.cleaning import retire_expired
from memory_assets.descriptions.consolidating import Consolidator
from memory_assets.descriptions.policy import DescriptionRules, stale_key
from memory_assets.descriptions.reading import unsupported_sentences
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.policy import statement_id
from memory_assets.errors import BudgetExceededError, CutAnswerError, ModelError, ModelServiceError, UnusableAnswerError
from memory_assets.graph.due_keys import due_key
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.graph.knife import cut
from memory_assets.graph.notes import lifetimes
from memory_assets.graph.retirement import retirement_rows
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.model_client import LanguageModel
from memory_assets.llm.tasks import (
    DESCRIBE_SUBJECT,
    EXTRACT_ENTITIES,
    NOTE_ENTITIES,
    NOTE_PEOPLE,
    DescribedSentence,
    DescriptionRequest,
    ExtractedEntity,
    Extraction,
    NotesTaken,
    Relation,
    Statement,
    SubjectDescription,
    SubjectNote,
)
from memory_assets.model import node_id, reference
from memory_assets.notes.policy import relationship_id
from memory_assets.notes.reading import explain_subject
from memory_assets.notes.taking import NoteTaker
from memory_assets.runtime.scope import RunScope
from memory_assets.settings import Settings
from memory_assets.validity.judging import judge_statements
from memory_assets_tests.llm.openai_bench import Bench
from memory_assets_tests.support.fixture_resources import given_resources
from memory_assets_tests.support.partitions import add_partitions
from memory_assets_tests.support.protocol_server import ProtocolServer, says
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel
from memory_assets_tests.support.seeds import decide_out, picture, seed_name, seed_sources, source_row

pytestmark = pytest.mark.graph
NOW = datetime(2026, 3, 5, 3, 45, tzinfo=UTC)
DAY = timedelta(days=1)
WORKS, PAINTS, SAILS = "Maria works at the harbour.", "Maria paints the north crane.", "Maria owns a small boat."
UNTOLD = "They moved it there."
SAID = {
    "s1": ("2026-03-01T10:00:00Z", WORKS, "year"),
    "s2": ("2026-03-02T10:00:00Z", PAINTS, "week"),
    "s3": ("2026-03-03T10:00:00Z", SAILS, "forever"),
}
"""When each source was, what the owner says in it, and for how long that is noted of Maria."""


def script(task: str, payload: Any) -> Any:
    """Each source says one thing about Maria and the harbour; s1 that she works there, which is a relationship."""
    _, text, lifetime = SAID[payload.title]
    if task == EXTRACT_ENTITIES:
        named = (("person", "Maria", "person"), ("entity", "Harbour", "place"))
        said = {"text": text, "speaker": "Alex", "turn": 0, "content_type": "insight", "durability": 0.5}
        return Extraction(
            entities=tuple(
                ExtractedEntity(kind=kind, name=name, entity_type=of, confidence=8, subpoints=("a", "b", "c"))
                for kind, name, of in named
            ),
            statements=(Statement(**said, confidence=8, about=("Maria", "Harbour")),),
        )
    if task == NOTE_PEOPLE:
        works = Relation(from_name="Maria", to_name="Harbour", type="works_at", description=text)
        note = SubjectNote(subject="Maria", content=text, lifetime=lifetime)
        return NotesTaken(notes=(note,), relationships=(works,) if text == WORKS else ())
    assert task != NOTE_ENTITIES or payload.names
    return NotesTaken()


def seed(graph: Graph, user: str, names: Sequence[str] = tuple(SAID), now: datetime = NOW) -> None:
    """What extraction, judging and note-taking leave of these sources."""
    seed_sources(graph, [source_row(f"{user}/{name}", user, started_at=SAID[name][0], title=name) for name in names])
    clock, model = Clock(now), ScriptedModel(script)
    Extractor(graph, model, HashEmbedder(), clock, user, lambda _: None).run(RunScope())
    NoteTaker(graph, model, clock, user, lambda _: None).run(RunScope())


def describe(
    graph: Graph,
    user: str,
    model: LanguageModel | None = None,
    now: datetime = NOW,
    rules: DescriptionRules | None = None,
    **given: Any,
) -> tuple[Counter[str], Consolidator]:
    one = Consolidator(
        graph, model or LocalModel(), HashEmbedder(), Clock(now), user, lambda _: None, rules or DescriptionRules()
    )
    return one.run(**given), one


def maria(user: str) -> str:
    return node_id("person", user, "maria")


def works_at(user: str) -> str:
    return relationship_id(user, "works_at", maria(user), node_id("entity", user, "harbour", "place"))


def stored(graph: Graph, user: str, key: str) -> dict[str, Any]:
    (found,) = graph.read("graph/list_owned_nodes", ids=[key], user_ids=[user])
    return found["properties"]


def telling(*sentences: tuple[str, str]) -> ScriptedModel:
    """A model that answers with these sentences, each with the number of the note that it cites."""
    described = tuple(DescribedSentence(text=text, refs=(ref,)) for text, ref in sentences)
    return ScriptedModel(lambda task, payload: SubjectDescription(sentences=described))


def test_people_and_relationships_are_described_in_sentences_of_their_notes(graph: Graph, user: str) -> None:
    seed(graph, user)
    counts, one = describe(graph, user)
    assert (counts["due"], counts["consolidated"], counts["unchanged"], counts["embedded"]) == (2, 2, 0, 2)
    found = stored(graph, user, maria(user))
    assert found["description"] == f"{SAILS} {WORKS}", "what she owns is forever, where she works for a year"
    assert (found["is_dirty"], found["embedder"], len(found["embedding"])) == (False, "hash/1", 8)
    assert stored(graph, user, works_at(user))["description"] == WORKS, "the words of its source"
    assert unsupported_sentences(graph, user, NOW) == []
    assert [row["before"] for row in one.latest] == ["", ""]
    shown = explain_subject(graph, user, reference(maria(user)))
    assert shown is not None and shown["description"] == found["description"]
    assert shown["relationships"][0]["description"] == WORKS


def test_a_rerun_asks_nobody_and_changes_nothing(graph: Graph, user: str) -> None:
    seed(graph, user)
    describe(graph, user)
    before = picture(graph, user)
    model = telling()
    assert describe(graph, user, LocalModel())[0] == Counter(due=0, left=0)
    assert picture(graph, user) == before
    # The notes say what they said: who waits is looked at, and not asked about.
    graph.write("graph/set_subjects_dirty", [{"id": maria(user)}], user_id=user, now=NOW.isoformat())
    counts, _ = describe(graph, user, now=NOW + timedelta(hours=1))
    assert (counts["due"], counts["unchanged"], counts["consolidated"], counts["embedded"]) == (1, 1, 0, 0)
    assert [line for line in picture(graph, user)[0]] == before[0] and model.asked == []


def test_neither_order_nor_pieces_show(graph: Graph, user: str) -> None:
    def exported(name: str) -> list[tuple[str, Any]]:
        lines = export_user(graph, name, canonical=True)
        nodes = [line for line in lines if line["type"] == "node" and {"Person", "Relationship"} & set(line["labels"])]
        return sorted((str(node["labels"]), node["properties"].get("description")) for node in nodes)

    seed(graph, user)
    describe(graph, user)
    pieces = f"{user}b"
    for name in ("s3", "s1", "s2"):
        seed(graph, pieces, [name])
        describe(graph, pieces)
    assert exported(pieces) == exported(user)


def test_what_a_model_says_is_checked_before_it_is_stored(graph: Graph, user: str) -> None:
    seed(graph, user)
    model = telling(("Maria owns a small boat and works at the harbour.", "3"), ("Maria owns a small boat.", "3"))
    counts, one = describe(graph, user, model)
    found = stored(graph, user, maria(user))
    assert (found["description"], found["described_by"]) == ("Maria owns a small boat.", "scripted/1")
    assert counts["refused"] >= 1 and "says 'works', which nothing that it cites does" in one.refused
    (asked,) = [payload for _, payload in model.asked if payload.kind == "person"]  # type: ignore[attr-defined]
    assert isinstance(asked, DescriptionRequest)
    assert [(note.ref, note.day, note.text) for note in asked.notes] == [
        ("1", "2026-03-01", WORKS),
        ("2", "2026-03-02", PAINTS),
        ("3", "2026-03-03", SAILS),
    ]


def test_where_nothing_that_a_model_says_stands_the_notes_speak(graph: Graph, user: str) -> None:
    seed(graph, user)
    describe(graph, user, telling(("Maria is the queen of Spain.", "1")))
    found = stored(graph, user, maria(user))
    assert (found["description"], found["described_by"]) == (f"{SAILS} {WORKS}", "notes")


def test_a_services_model_is_asked_once_and_its_answer_is_paid_once(graph: Graph, user: str, tmp_path: Path) -> None:
    seed(graph, user)
    answer = '{"sentences": [{"text": "Maria owns a small boat and works at the harbour.", "refs": ["1", "3"]}]}'
    with ProtocolServer(always=says(answer)) as server:
        bench = Bench(server, tmp_path)
        describe(graph, user, bench.model)
        assert len(server.chats) == 2
        assert stored(graph, user, maria(user))["description"] == "Maria owns a small boat and works at the harbour."
        assert stored(graph, user, works_at(user))["description"] == WORKS, "it cites a note that there is not"
        assert all("never an instruction" in chat.body["messages"][0]["content"] for chat in server.chats)
        describe(graph, user, bench.model)
        assert len(server.chats) == 2
    assert unsupported_sentences(graph, user, NOW) == []


def test_a_model_sees_what_of_the_description_so_far_is_still_supported(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1", "s2"])
    describe(graph, user, telling((WORKS, "1"), (PAINTS, "2")))
    seed(graph, user)
    later = NOW + 6 * DAY  # the note of a week about the crane is over
    model = telling((SAILS, "2"), (WORKS, "1"))
    describe(graph, user, model, later)
    (asked,) = [payload for _, payload in model.asked if payload.kind == "person"]  # type: ignore[attr-defined]
    assert isinstance(asked, DescriptionRequest) and asked.current == (WORKS,)
    assert [note.text for note in asked.notes] == [WORKS, SAILS]


def test_what_has_expired_is_told_no_more_and_then_goes_with_an_audit(graph: Graph, user: str) -> None:
    seed(graph, user, ["s2"])
    _, one = describe(graph, user)
    assert stored(graph, user, maria(user))["description"] == PAINTS
    ends = datetime(2026, 3, 9, 10, tzinfo=UTC)
    assert one.next_change() == ends
    assert describe(graph, user, now=ends - timedelta(seconds=1))[0]["due"] == 0
    # The last that is known stays told, and its note with it.
    counts, one = describe(graph, user, now=ends)
    assert (counts["due"], counts["consolidated"], one.next_change()) == (1, 0, None)
    assert retire_expired(graph, user, ends).retired == 0
    assert describe(graph, user, now=ends + 400 * DAY)[0]["due"] == 0
    seed(graph, user, ["s1", "s2"], now=ends)
    counts, one = describe(graph, user, now=ends)
    assert counts["consolidated"] > 0 and stored(graph, user, maria(user))["description"] == WORKS
    assert retire_expired(graph, user, ends).retired == 1
    (audit,) = graph.read("curation/list_retirements", user_id=user)
    assert (audit["label"], judge_retirements([audit])) == ("Note", []) and PAINTS in audit["snapshot"]
    notes = explain_subject(graph, user, reference(maria(user)))["notes"]  # type: ignore[index]
    assert [note["content"] for note in notes] == [WORKS]
    assert retire_expired(graph, user, ends).retired == 0


def looked_at(graph: Graph, user: str) -> int:
    """How many notes a cleaning long afterwards looks at, whether they may go or not."""
    asked = {"user_id": user, "first": f"{user}|", "last": f"{user}|9", "now": "2099-01-01T00:00:00Z"}
    return len(graph.read("descriptions/list_expired", **asked))


def silent(task: str, payload: Any) -> Any:
    return Extraction(entities=(), statements=())


def held(graph: Graph, user: str) -> datetime:
    """Maria is described by what has expired, and cleanings have gone over it."""
    later = NOW + 40 * DAY
    seed(graph, user, ["s2"])
    describe(graph, user)
    assert (retire_expired(graph, user, NOW).retired, looked_at(graph, user)) == (0, 1), "its time is not over"
    describe(graph, user, now=later)
    assert (retire_expired(graph, user, later).retired, looked_at(graph, user)) == (0, 0)
    return later


def test_what_stays_under_a_description_is_not_looked_at_until_it_is_told_no_more(graph: Graph, user: str) -> None:
    later = held(graph, user)
    before = picture(graph, user)
    assert (retire_expired(graph, user, later).retired, picture(graph, user)) == (0, before)
    # It is noted again, and described again: looked at once more.
    seed_sources(graph, [source_row(f"{user}/s2", user, title="s2", started_at=SAID["s2"][0], text_fingerprint="t2")])
    seed(graph, user, ["s2"], now=later)
    describe(graph, user, now=later, force=True)
    assert looked_at(graph, user) == 1
    assert (retire_expired(graph, user, later).retired, looked_at(graph, user)) == (0, 0)
    assert stored(graph, user, maria(user))["description"] == PAINTS
    seed(graph, user, ["s1", "s2"], now=later)
    describe(graph, user, now=later)
    assert retire_expired(graph, user, later).retired == 1
    assert judge_retirements(graph.read("curation/list_retirements", user_id=user)) == []
    assert looked_at(graph, user) == 1, "where she works"


def test_what_was_told_of_somebody_who_goes_is_looked_at_again(graph: Graph, user: str) -> None:
    later = held(graph, user)
    seed_sources(graph, [source_row(f"{user}/s2", user, title="s2", text_fingerprint="other")])
    Extractor(graph, ScriptedModel(silent), HashEmbedder(), Clock(later), user, lambda _: None).run(RunScope())
    assert graph.read("graph/list_owned_nodes", ids=[maria(user)], user_ids=[user]) == []
    assert looked_at(graph, user) == 1
    assert retire_expired(graph, user, later).retired == 1


def test_what_was_told_of_somebody_who_is_erased_is_looked_at_again(graph: Graph, user: str) -> None:
    later = held(graph, user)
    (done,) = graph.write("curation/erase_nodes", ids=[maria(user), works_at(user)], user_ids=[user])
    assert (done["erased"], looked_at(graph, user)) == (1, 1)
    assert retire_expired(graph, user, later).retired == 1


def test_what_was_told_of_a_relationship_that_goes_is_looked_at_again(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1"])
    describe(graph, user)
    row = {"id": f"{user}/note", "source_id": f"{user}/s1", "subject_kind": "person", "content": WORKS, "position": 0}
    row |= {"name_id": None, "relationship_id": works_at(user), "step": "people", "added_by": "m"}
    row |= {"lifetime_rank": 1, "counts_from": None}
    graph.write("graph/upsert_notes", [row], user_id=user, user_ids=[user], now=NOW.isoformat())
    graph.write("graph/place_notes", [row], user_id=user, now=NOW.isoformat(), **lifetimes())
    graph.write("descriptions/link_cited", [{"id": works_at(user), "note_id": row["id"]}], user_id=user)
    later = NOW + 40 * DAY
    assert (retire_expired(graph, user, later).retired, looked_at(graph, user)) == (0, 1), "of Maria for a year"
    cut(graph, "retire_supports", [{"source_id": f"{user}/s1", "step": "people", "kept_ids": []}], user=user)
    rows = retirement_rows(user, graph.read("graph/list_owned_nodes", ids=[works_at(user)], user_ids=[user]), "", later)
    assert cut(graph, "retire_unsupported_relationships", rows, user=user, now=later) == [{"id": works_at(user)}]
    assert looked_at(graph, user) == 2
    assert retire_expired(graph, user, later).retired == 1


def test_where_what_holds_cannot_be_told_the_last_that_was_known_stays_until_it_is_outdated(
    graph: Graph, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SAID, "s4", ("2026-03-02T10:00:00Z", UNTOLD, "forever"))
    seed(graph, user, ["s2", "s4"])
    judge_statements(graph, user, NOW, tmp_path / "index", "r")
    describe(graph, user)
    assert stored(graph, user, maria(user))["description"] == PAINTS
    later = NOW + 40 * DAY
    for _ in range(2):
        describe(graph, user, now=later)
        assert retire_expired(graph, user, later).retired == 0
        assert stored(graph, user, maria(user))["description"] == PAINTS
        assert unsupported_sentences(graph, user, later) == []
    decide_out(graph, user, statement_id(user, "Alex", PAINTS), later)
    judge_statements(graph, user, later, tmp_path / "index", "r")
    describe(graph, user, now=later)
    assert stored(graph, user, maria(user)).get("description") is None
    assert retire_expired(graph, user, later).retired == 1


def test_what_comes_in_late_is_described_before_its_notes_go(graph: Graph, user: str) -> None:
    late = datetime(2027, 6, 1, 3, 45, tzinfo=UTC)
    seed(graph, user, ["s1", "s2"], now=late)
    assert retire_expired(graph, user, late).retired == 0, "they wait for a description"
    for _ in range(2):
        describe(graph, user, now=late, rules=DescriptionRules(most_a_run=0))
        assert retire_expired(graph, user, late).retired == 0
    describe(graph, user, now=late)
    assert stored(graph, user, maria(user))["description"] == WORKS, "that expired last"
    assert retire_expired(graph, user, late).retired == 1
    assert unsupported_sentences(graph, user, late) == []


@pytest.mark.parametrize("nights", [(), (0, 10, 100), (0, 5, 370), (90,)])
def test_the_nights_between_do_not_show(graph: Graph, user: str, nights: tuple[int, ...]) -> None:
    seed(graph, user, ["s1", "s2"])
    for night in (*nights, 400):
        now = NOW + night * DAY
        describe(graph, user, now=now)
        retire_expired(graph, user, now)
    assert stored(graph, user, maria(user))["description"] == WORKS
    assert len(explain_subject(graph, user, reference(maria(user)))["notes"]) == 1  # type: ignore[index]


@pytest.mark.parametrize(
    "nights",
    [
        {400: ["s1", "s2", "s4"]},
        {0: ["s2", "s4"], 20: [], 400: ["s1"]},
        {0: ["s4"], 20: ["s2"], 400: ["s1"], 401: []},
        {0: ["s4"], 400: ["s1"], 401: ["s2"]},
        {0: ["s4"], 400: ["s2"], 401: ["s1"]},
        {0: ["s1", "s2"], 20: [], 400: ["s4"]},
    ],
)
def test_what_comes_late_is_told_as_if_it_had_been_there_and_nothing_is_asked_twice(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch, nights: dict[int, list[str]]
) -> None:
    monkeypatch.setitem(SAID, "s4", ("2026-03-02T10:00:00Z", UNTOLD, "forever"))
    model = telling()
    for night, comes in nights.items():
        now = NOW + night * DAY
        seed(graph, user, comes, now=now)
        describe(graph, user, model, now)
        retire_expired(graph, user, now)
        asked = [(payload.name, payload.notes) for _, payload in model.asked]  # type: ignore[attr-defined]
        assert all(asked.count(one) == 1 for one in asked)
        assert unsupported_sentences(graph, user, now) == []
    found = stored(graph, user, maria(user))
    assert (found["description"], found["is_dirty"], found["embedder"]) == (WORKS, False, "hash/1")
    left = explain_subject(graph, user, reference(maria(user)))["notes"]  # type: ignore[index]
    assert sorted(note["content"] for note in left) == [WORKS, UNTOLD]
    model.asked.clear()
    assert describe(graph, user, model, now)[0]["due"] == 0 and model.asked == []


def test_a_description_of_other_notes_is_judged_from_the_day_on_which_it_was_made(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SAID, "s4", ("2026-03-02T10:00:00Z", UNTOLD, "forever"))
    seed(graph, user, ["s2", "s4"])
    describe(graph, user)
    describe(graph, user, now=NOW + 20 * DAY)
    late = NOW + 400 * DAY
    seed(graph, user, ["s1"], now=late)
    counts, one = describe(graph, user, now=late)
    assert {"before": PAINTS, "after": WORKS}.items() <= one.latest[0].items() and counts["embedded"] >= 1
    assert stored(graph, user, maria(user))["described_key"] == due_key(user, late.date(), maria(user))


def test_what_is_noted_forever_or_still_of_use_stays(graph: Graph, user: str) -> None:
    seed(graph, user)
    later = NOW + 200 * DAY
    describe(graph, user, now=later)
    cleaned = retire_expired(graph, user, later)
    assert cleaned.retired == 1 and cleaned.next_at == datetime(2027, 3, 1, 10, tzinfo=UTC)
    at_last = NOW + 4000 * DAY
    describe(graph, user, now=at_last)
    cleaned = retire_expired(graph, user, at_last)
    assert (cleaned.retired, cleaned.next_at) == (1, None)
    assert stored(graph, user, maria(user))["description"] == SAILS


def test_an_audit_of_a_note_that_should_have_stayed_is_found(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1", "s2"])
    describe(graph, user, now=NOW + 100 * DAY)
    retire_expired(graph, user, NOW + 100 * DAY)
    (audit,) = graph.read("curation/list_retirements", user_id=user)
    for change in ('"lifetime": "forever"', '"expires_at": "2027-01-01T00:00:00Z"', '"expires_at": null'):
        name = change.partition(":")[0]
        snapshot = ", ".join(part for part in audit["snapshot"][1:-1].split(", ") if not part.startswith(name))
        assert judge_retirements([{**audit, "snapshot": "{" + f"{snapshot}, {change}" + "}"}]), change


def test_what_somebody_has_left_out_is_told_no_more(graph: Graph, user: str, tmp_path: Path) -> None:
    seed(graph, user)
    judge_statements(graph, user, NOW, tmp_path / "index", "r")
    describe(graph, user)
    decide_out(graph, user, statement_id(user, "Alex", SAILS), NOW)
    judge_statements(graph, user, NOW + DAY, tmp_path / "index", "r")
    counts, _ = describe(graph, user, now=NOW + DAY)
    assert counts["consolidated"] == 1
    assert stored(graph, user, maria(user))["description"] == f"{WORKS} {PAINTS}"


def test_whoever_became_dirty_meanwhile_stays_so(graph: Graph, user: str) -> None:
    seed(graph, user)

    def meanwhile(task: str, payload: Any) -> Any:
        later = (NOW + timedelta(minutes=1)).isoformat()
        graph.write("graph/set_subjects_dirty", [{"id": maria(user)}], user_id=user, now=later)
        return SubjectDescription(sentences=(DescribedSentence(text=WORKS, refs=("1",)),))

    describe(graph, user, ScriptedModel(meanwhile))
    assert stored(graph, user, maria(user))["is_dirty"] and not stored(graph, user, works_at(user))["is_dirty"]
    assert describe(graph, user, telling((WORKS, "1")))[0]["due"] == 1


def test_a_wait_begins_with_the_first_note_since_the_last_description(graph: Graph, user: str) -> None:
    seed(graph, user)

    def noted(days: int) -> datetime | None:
        at = (NOW + days * DAY).isoformat()
        graph.write("graph/set_subjects_dirty", [{"id": maria(user)}], user_id=user, now=at)
        found = graph.read("descriptions/list_due", user_id=user, first=stale_key(user), last=stale_key(user, NOW))
        return {row["id"]: row["dirty_since"] for row in found}[maria(user)]

    describe(graph, user)
    assert [noted(days) for days in (1, 2, 3)] == [NOW + DAY] * 3

    def meanwhile(task: str, payload: Any) -> Any:
        noted(4)
        return SubjectDescription(sentences=(DescribedSentence(text=WORKS, refs=("1",)),))

    describe(graph, user, ScriptedModel(meanwhile), now=NOW + 3 * DAY)
    assert noted(5) == NOW + 4 * DAY


def test_a_relationship_is_asked_for_with_a_source_that_says_it(graph: Graph, user: str) -> None:
    seed(graph, user)
    subjects = [maria(user), works_at(user)]

    def asked() -> list[datetime | None]:
        rows = graph.read("descriptions/list_uses", user_id=user, ids=subjects)
        found = {row["id"]: row["source_accessed_at"] for row in rows}
        return [found[key] for key in subjects]

    def recall(name: str, days: int) -> None:
        life = dict.fromkeys(("recall_frequency", "last_recall_interval", "access_count"), 1)
        life |= {
            "id": f"{user}/{name}",
            "state": "active",
            "archived_from": None,
            "salience": 0.7,
            "decay_gradient": 1.0,
        }
        at = dict.fromkeys(("salience_at", "last_accessed_at"), to_iso(NOW + days * DAY))
        graph.write("lifecycle/set_lives", [life | at | {"is_valued": False}], user_id=user)

    assert asked() == [None, None]
    recall("s2", 1)
    assert asked() == [NOW + DAY, None]
    recall("s1", 2)
    assert asked() == [NOW + 2 * DAY] * 2


def test_a_run_does_so_many_and_says_how_many_are_left(graph: Graph, user: str) -> None:
    seed(graph, user)
    counts, one = describe(graph, user, rules=DescriptionRules(most_a_run=1))
    assert (counts["due"], counts["consolidated"], counts["left"]) == (2, 1, 1) and len(one.left) == 1
    assert describe(graph, user)[0]["due"] == 1
    assert describe(graph, user)[0]["due"] == 0


@pytest.mark.parametrize("error", [BudgetExceededError("It ends here."), CutAnswerError("It was cut off.")])
def test_who_could_not_be_described_is_due_as_before(graph: Graph, user: str, error: ModelError) -> None:
    seed(graph, user)
    counts, one = describe(graph, user, ScriptedModel(lambda task, payload: error))
    assert counts["consolidated"] == 0 and len(one.problems) == 2
    assert stored(graph, user, maria(user))["is_dirty"]
    assert describe(graph, user)[0]["due"] == 2


def test_who_a_model_refuses_is_described_by_notes_and_asked_about_again_when_there_are_others(
    graph: Graph, user: str
) -> None:
    seed(graph, user, ["s1", "s2"])
    model = ScriptedModel(lambda task, payload: UnusableAnswerError("I cannot help with that."))
    counts, one = describe(graph, user, model)
    assert (counts["done"], counts["failed"], counts["refused"]) == (2, 0, 2) and one.problems == []
    refused = stored(graph, user, maria(user))
    assert refused["description"] == f"{WORKS} {PAINTS}" and refused["described_by"] == "notes"
    asked = len(model.asked)
    assert describe(graph, user, model)[0]["due"] == 0 and len(model.asked) == asked
    seed(graph, user, ["s3"])
    assert describe(graph, user, model)[0]["due"] == 1 and len(model.asked) == asked + 1


def test_a_killed_run_leaves_whole_batches_and_the_next_goes_on(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(graph, user)
    monkeypatch.setattr(consolidating, "SUBJECTS_PER_BATCH", 1)
    answers = iter([SubjectDescription(sentences=()), ModelServiceError("Nobody is there.")])
    with pytest.raises(ModelServiceError):
        describe(graph, user, ScriptedModel(lambda task, payload: next(answers)))
    assert describe(graph, user)[0]["due"] == 2, "another model has another recipe: all is looked at anew"
    whole = f"{user}b"
    seed(graph, whole)
    describe(graph, whole)
    keys = (maria, works_at)
    assert [stored(graph, user, key(user))["description"] for key in keys] == [
        stored(graph, whole, key(whole))["description"] for key in keys
    ]


def test_another_model_describes_everybody_anew(graph: Graph, user: str) -> None:
    seed(graph, user)
    describe(graph, user, telling((WORKS, "1")))
    other = ScriptedModel(lambda task, payload: SubjectDescription(sentences=()), name="scripted/2")
    assert describe(graph, user, other)[0]["due"] == 2
    assert describe(graph, user, other)[0]["due"] == 0
    assert describe(graph, user, other, force=True)[0]["due"] == 2


def test_who_loses_a_note_to_somebody_else_is_described_without_it(graph: Graph, user: str) -> None:
    seed(graph, user)
    describe(graph, user)
    other = node_id("entity", user, "harbour", "place")
    seed_name(graph, user, maria(user), other)
    NoteTaker(graph, ScriptedModel(script), Clock(NOW), user, lambda _: None).run(RunScope())
    describe(graph, user, now=NOW + DAY)
    assert stored(graph, user, maria(user)).get("description") is None
    assert unsupported_sentences(graph, user, NOW) == []


def test_nobody_elses_notes_are_read(graph: Graph, user: str) -> None:
    seed(graph, user)
    seed(graph, f"{user}x", ["s2"])
    describe(graph, user)
    assert describe(graph, f"{user}x")[0]["due"] == 1
    assert stored(graph, f"{user}x", maria(f"{user}x"))["description"] == PAINTS


def test_the_check_finds_what_follows_from_nothing(graph: Graph, user: str) -> None:
    seed(graph, user)
    describe(graph, user)
    row = {"id": maria(user), "is_new": True, "description": "Maria is a queen.", "described_from": "x", "model": "m"}
    row |= {"is_embedded": False, "embedding": None, "embedder": None, "stale_key": None}
    key = stored(graph, user, maria(user))["described_key"]
    assert key == due_key(user, NOW.date(), maria(user))
    row |= {"is_made_anew": True, "described_key": key}
    row |= {"dirty_at": stored(graph, user, maria(user))["dirty_at"].isoformat()}
    (one,) = graph.read("descriptions/list_notes", user_id=user, user_ids=[user], ids=[maria(user)])[:1]
    row["sentences"] = f'[{{"text": "Maria is a queen.", "cites": ["{one["note_id"]}"]}}]'
    graph.write("descriptions/set_descriptions", [row], user_id=user, now=NOW.isoformat())
    (found,) = unsupported_sentences(graph, user, NOW)
    assert (found["sentence"], found["why"]) == ("Maria is a queen.", "says 'queen', which nothing that it cites does")
    assert unsupported_sentences(graph, user, NOW + timedelta(days=30)) == [], "a month's are judged"


def script_all(task: str, payload: Any) -> Any:
    assert task == DESCRIBE_SUBJECT
    return SubjectDescription(sentences=(DescribedSentence(text=payload.notes[0].text, refs=("1",)),))


def test_the_pages_show_what_was_done(graph: Graph, user: str) -> None:
    seed(graph, user)
    resources = given_resources(graph, ScriptedModel(script_all), HashEmbedder(), Clock(NOW))
    (Settings(_env_file=None).inbox / user).mkdir(parents=True, exist_ok=True)
    assets = [descriptions, current_notes, descriptions_follow_from_notes]
    with dg.DagsterInstance.ephemeral() as instance:
        add_partitions(instance, [user])
        done = dg.materialize(assets, partition_key=user, resources=resources, instance=instance)
        shown = {
            name: value.value
            for step in ("descriptions", "current_notes")
            for made in done.asset_materializations_for_node(step)
            for name, value in made.metadata.items()
        }
        assert all(check.passed for check in done.get_asset_check_evaluations())
    assert (shown["due"], shown["consolidated"], shown["unchanged"], shown["left"]) == (2, 2, 0, 0)
    assert "Maria" in str(shown["latest"]) and (shown["described_in_all"], shown["waiting"]) == (2, 0)
