"""Notes on a running graph: order, repetition, failure and change leave what the set of sources implies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_assets.clock import Clock
from memory_assets.curation.rails import judge_retirements
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.team_sources import request_sources
from memory_assets.errors import BudgetExceededError, CutAnswerError, ModelError, ModelServiceError
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import add_members
from memory_assets.llm.tasks import (
    EXTRACT_ENTITIES,
    NOTE_CONCEPTS,
    NOTE_ENTITIES,
    NOTE_PEOPLE,
    Extraction,
    NotesTaken,
    Relation,
    RelationNote,
    SubjectNote,
)
from memory_assets.model import node_id
from memory_assets.notes import policy
from memory_assets.notes.metadata import describe_notes
from memory_assets.notes.policy import relationship_id
from memory_assets.notes.reading import explain_subject
from memory_assets.notes.taking import NoteTaker
from memory_assets.runtime.scope import RunScope
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel, named, stated
from memory_assets_tests.support.seeds import decide_out, picture, seed_name, seed_properties, seed_sources, source_row

pytestmark = pytest.mark.graph
NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)
CLOCK = Clock(NOW)
TIMES = {"s1": "2026-03-01T10:00:00Z", "s2": "2026-03-02T12:00:00Z", "s3": None}
AT = datetime(2026, 3, 1, 10, tzinfo=UTC)


def note(subject: str, content: str, lifetime: str = "month") -> SubjectNote:
    return SubjectNote(subject=subject, content=content, lifetime=lifetime)  # type: ignore[arg-type]


WORKS = Relation(from_name="Maria", to_name="Harbour", type="works_at", description="Maria works at the harbour.")
SINCE = RelationNote(from_name="Maria", to_name="Harbour", type="works_at", content="Since May.", lifetime="year")
NOTES: dict[tuple[str, str], Any] = {
    ("s1", NOTE_PEOPLE): NotesTaken(
        notes=(note("Maria", "Maria sails.", "forever"), note("Maria", "Maria is ill.", "week")),
        relationships=(WORKS,),
        relationship_notes=(SINCE,),
    ),
    ("s1", NOTE_ENTITIES): NotesTaken(
        notes=(note("Harbour", "It opens in May."),),
        relationships=(WORKS,),
        relationship_notes=(SINCE.model_copy(update={"lifetime": "month"}),),
    ),
    ("s2", NOTE_PEOPLE): NotesTaken(
        notes=(note("Maria", "Maria sails.", "year"),),
        relationships=(WORKS.model_copy(update={"description": "Maria runs the crane."}),),
    ),
    ("s3", NOTE_PEOPLE): NotesTaken(notes=(note("Maria", "Maria paints."),)),
}


def script(answers: dict[tuple[str, str], Any] | None = None) -> ScriptedModel:
    """Each source names Maria and the harbour; notes by source and step."""

    def answer(task: str, payload: Any) -> Any:
        if task == EXTRACT_ENTITIES:
            return Extraction(
                entities=(named("person", "Maria"), named("entity", "Harbour", "place")),
                statements=(stated(f"Maria works at the harbour, says {payload.title}.", "Maria", "Harbour"),),
            )
        return (NOTES if answers is None else answers).get((payload.title, task), NotesTaken())

    return ScriptedModel(answer)


def seed(graph: Graph, user: str, names: Iterable[str], owner: str | None = None) -> None:
    owner = owner or user
    found = [source_row(f"{owner}/{name}", owner, started_at=TIMES[name], title=name) for name in names]
    seed_sources(graph, found)
    if owner != user:
        request_sources(graph, user, [row["id"] for row in found], CLOCK.now())
    Extractor(graph, script(), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())


def take(graph: Graph, user: str, model: ScriptedModel | None = None, **window: Any) -> Counter[str]:
    taker = NoteTaker(graph, model or script(), CLOCK, user, lambda _: None)
    counts = taker.run(RunScope(**window))
    counts["problems"] = len(taker.problems)
    return counts


def person(user: str, name: str = "maria") -> str:
    return node_id("person", user, name)


def harbour(user: str) -> str:
    return node_id("entity", user, "harbour", "place")


def works_at(user: str) -> str:
    return relationship_id(user, "works_at", person(user), harbour(user))


def properties(graph: Graph, user: str, key: str) -> dict[str, Any] | None:
    found = graph.read("graph/list_owned_nodes", ids=[key], user_ids=[user])
    return found[0]["properties"] if found else None


def notes_of(graph: Graph, user: str, key: str) -> list[tuple[str, str, str]]:
    rows = graph.read("notes/list_anchor_notes", user_id=user, id=key)
    return [(row["source"], row["content"], row["lifetime"]) for row in rows]


def test_notes_have_an_author_a_source_a_time_and_an_end(graph: Graph, user: str) -> None:
    seed(graph, user, TIMES)
    assert take(graph, user)["taken"] == 9
    rows = {
        (r["source"], r["content"]): r for r in graph.read("notes/list_anchor_notes", user_id=user, id=person(user))
    }
    sails, ill, paints = rows["s1", "Maria sails."], rows["s1", "Maria is ill."], rows["s3", "Maria paints."]
    assert (sails["added_by"], sails["source_id"], sails["noted_at"]) == ("scripted/1", f"{user}/s1", AT)
    assert (sails["lifetime"], sails["expires_at"]) == ("forever", None)
    assert (ill["lifetime"], ill["expires_at"]) == ("week", AT + timedelta(days=7))
    assert rows["s2", "Maria sails."]["expires_at"] == datetime(2026, 3, 2, 12, tzinfo=UTC) + timedelta(days=365)
    assert (paints["noted_at"], paints["expires_at"]) == (None, None), "an unknown time never comes to its end"
    ((_, content, lifetime),) = notes_of(graph, user, works_at(user))
    assert (content, lifetime) == ("Since May.", "year"), "two steps took it: the longer life holds"
    assert notes_of(graph, user, harbour(user)) == [("s1", "It opens in May.", "month")]


def test_a_relationship_is_what_its_sources_say(graph: Graph, user: str) -> None:
    seed(graph, user, TIMES)
    take(graph, user)
    works = properties(graph, user, works_at(user))
    assert works is not None
    assert (works["source_count"], works["confidence"], works["state"]) == (2, 0.8, "candidate")
    assert (works["first_seen"], works["last_seen"]) == (AT, datetime(2026, 3, 2, 12, tzinfo=UTC))
    assert works["stated"] == "Maria runs the crane.", "the latest source's words"
    ((row,),) = [graph.read("notes/list_relationships", user_id=user, id=key) for key in [person(user)]]
    assert (row["from_name"], row["type"], row["to_name"], row["notes"]) == ("Maria", "works_at", "Harbour", 1)


def test_a_rerun_asks_nothing_and_changes_nothing(graph: Graph, user: str) -> None:
    seed(graph, user, TIMES)
    take(graph, user)
    before = picture(graph, user)
    model = script()
    counts = take(graph, user, model)
    assert (counts["due"], model.asked) == (0, [])
    assert take(graph, user, force=True)["due"] == 3
    assert picture(graph, user) == before


def test_a_run_looks_at_what_was_extracted_since_or_at_all_where_notes_are_made_otherwise(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def marked() -> list[str]:
        rows = graph.read("notes/list_sources_for_notes", user_id=user, user_ids=[user])
        return [row["title"] for row in rows]

    seed(graph, user, ["s1"])
    assert marked() == ["s1"]
    assert take(graph, user)["due"] == 1 and marked() == []
    seed(graph, user, ["s2"])
    assert marked() == ["s2"]
    assert take(graph, user, until="2026-01-01T00:00:00Z")["due"] == 0 and marked() == ["s2"]
    assert take(graph, user)["due"] == 1 and marked() == []
    monkeypatch.setattr(policy, "CODE_VERSION", "another")
    assert take(graph, user, script(NOTES | {("s1", NOTE_PEOPLE): CutAnswerError("It was cut off.")}))["due"] == 2
    assert marked() == ["s1"], "what has failed and may pass is tried again"
    assert take(graph, user)["due"] == 1 and marked() == []


def test_an_extraction_made_anew_that_says_the_same_asks_nothing(graph: Graph, user: str) -> None:
    seed(graph, user, TIMES)
    take(graph, user)
    before = picture(graph, user)[0]
    later = [
        source_row(f"{user}/{name}", user, started_at=TIMES[name], title=name, text_fingerprint="t2") for name in TIMES
    ]
    seed_sources(graph, later)
    Extractor(graph, script(), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
    model = script()
    counts = take(graph, user, model)
    assert (counts["due"], counts["unchanged"], counts["taken"], model.asked) == (3, 9, 0, [])
    assert len(picture(graph, user)[0]) == len(before)
    assert take(graph, user, model)["due"] == 0


def test_neither_order_nor_pieces_nor_repetition_show(graph: Graph, user: str) -> None:
    seed(graph, user, TIMES)
    take(graph, user)
    whole = comparable(graph, user)
    pieces = f"{user}b"
    for name in reversed(TIMES):
        seed(graph, pieces, [name])
        take(graph, pieces)
        take(graph, pieces, force=True)
    assert comparable(graph, pieces) == whole


def comparable(graph: Graph, user: str) -> list[Any]:
    """What a canonical export says of notes and relationships, by what ids stand for."""
    lines = list(export_user(graph, user, canonical=True))
    nodes = [line for line in lines if line["type"] == "node" and {"Note", "Relationship"} & set(line["labels"])]
    hidden = ("id", "ref", "source_id", "name_id", "relationship_id", "from_name_id", "to_name_id", "user_id")
    said = [sorted((k, str(v)) for k, v in line["properties"].items() if k not in hidden) for line in nodes]
    links = Counter(line["label"] for line in lines if line["type"] == "relationship")
    assert links["HAS_NOTE"] == sum("Note" in line["labels"] for line in nodes) > 0
    return [sorted(said), sorted(links.items())]


def test_another_answer_replaces_that_steps_notes_alone(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1"])
    take(graph, user)
    answers = NOTES | {("s1", NOTE_PEOPLE): NotesTaken(notes=(note("Maria", "Maria sails.", "forever"),))}
    counts = take(graph, user, script(answers), force=True)
    assert counts["retired"] == 1, "the note that she is ill"
    assert notes_of(graph, user, person(user)) == [("s1", "Maria sails.", "forever")]
    # The entities' step still says where she works: for a month.
    assert notes_of(graph, user, works_at(user)) == [("s1", "Since May.", "month")]
    assert graph.read("curation/list_retirements", user_id=user) == []
    take(graph, user, script({}), force=True)
    assert properties(graph, user, works_at(user)) is None
    (audit,) = graph.read("curation/list_retirements", user_id=user)
    assert (audit["label"], audit["memory_id"]) == ("Relationship", works_at(user))
    assert judge_retirements([audit]) == []


@pytest.mark.parametrize("rail", [{"access_count": 1}, {"ttl_policy": "keep_forever"}, {"state": "core"}])
def test_a_closed_rail_keeps_a_relationship_that_no_source_supports(
    graph: Graph, user: str, rail: dict[str, Any]
) -> None:
    seed(graph, user, ["s1"])
    take(graph, user)
    seed_properties(graph, user, works_at(user), **rail)
    take(graph, user, script({}), force=True)
    assert properties(graph, user, works_at(user)) is not None
    assert graph.read("curation/list_retirements", user_id=user) == []


def test_who_receives_or_loses_a_note_waits_for_consolidation(graph: Graph, user: str) -> None:
    def dirty() -> dict[str, bool]:
        found = {key: properties(graph, user, key) or {} for key in (person(user), harbour(user), works_at(user))}
        return {key.split(":")[0]: bool(one.get("is_dirty")) for key, one in found.items()}

    seed(graph, user, ["s1", "s3"])
    take(graph, user, script({("s1", NOTE_PEOPLE): NOTES["s1", NOTE_PEOPLE]}))
    assert dirty() == {"person": True, "entity": False, "relationship": True}
    assert graph.read("notes/count_dirty", user_id=user) == [{"waiting": 2}]


def test_a_failed_step_is_reported_and_tried_again_alone(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1", "s2"])
    counts = take(graph, user, script(NOTES | {("s1", NOTE_PEOPLE): CutAnswerError("It was cut off.")}))
    assert (counts["taken"], counts["failed"], counts["problems"]) == (5, 1, 1)
    assert graph.read("graph/list_failed_notes", user_id=user) == [
        {"source_id": f"{user}/s1", "error": "It was cut off."}
    ]
    model = script()
    assert take(graph, user, model)["taken"] == 1
    assert [task for task, _ in model.asked] == [NOTE_PEOPLE]
    assert graph.read("graph/list_failed_notes", user_id=user) == []


def test_what_is_refused_is_asked_again_only_when_somebody_wants_it(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1"])
    counts = take(graph, user, script(NOTES | {("s1", NOTE_PEOPLE): ModelError("It declined.")}))
    assert (counts["failed"], counts["problems"]) == (1, 0)
    assert take(graph, user)["due"] == 0
    assert take(graph, user, retry=True)["taken"] == 1
    assert graph.read("graph/list_failed_notes", user_id=user) == []


def test_where_no_call_can_work_or_the_budget_ends_no_source_has_failed(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1", "s2"])
    down = {key: ModelServiceError("Nobody answers.") for key in NOTES}
    with pytest.raises(ModelServiceError, match="Nobody answers"):
        take(graph, user, script(down))
    assert graph.read("graph/list_failed_notes", user_id=user) == []
    counts = take(graph, user, script(NOTES | {("s2", NOTE_PEOPLE): BudgetExceededError("It is spent.")}))
    assert (counts["failed"], counts["left_by_budget"], counts["problems"]) == (0, 1, 1)
    model = script()
    take(graph, user, model)
    assert [(task, payload.title) for task, payload in model.asked if task == NOTE_PEOPLE] == [(NOTE_PEOPLE, "s2")]


def test_notes_follow_what_their_names_are_resolved_to_and_back(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1"])
    take(graph, user)
    ids = {row["id"] for row in graph.read("notes/list_given_notes", ids=[f"{user}/s1"], user_id=user)}
    other = harbour(user)  # any anchor will do
    seed_name(graph, user, person(user), other)
    assert take(graph, user)["placed_anew"] == 3
    assert len(notes_of(graph, user, other)) == 3 and notes_of(graph, user, person(user)) == []
    seed_name(graph, user, person(user), person(user))
    assert take(graph, user)["placed_anew"] == 3
    assert len(notes_of(graph, user, person(user))) == 2 and len(notes_of(graph, user, other)) == 1
    assert {row["id"] for row in graph.read("notes/list_given_notes", ids=[f"{user}/s1"], user_id=user)} == ids


def test_only_what_a_member_has_extracted_is_noted_and_only_for_the_member(graph: Graph, user: str) -> None:
    team, other = f"team-{user}", f"{user}b"
    add_members(graph, CLOCK, user, [user, other])
    seed(graph, user, ["s1"], owner=team)
    assert take(graph, user)["due"] == 1 and take(graph, other)["due"] == 0
    assert len(notes_of(graph, user, person(user))) == 2
    for member in (user, other):
        assert graph.read("notes/list_foreign_notes", user_id=member) == []
        assert all(
            "Note" not in str(line["labels"]) or member == user
            for line in export_user(graph, member)
            if "labels" in line
        )


def test_what_is_known_of_a_name_can_be_asked_for(graph: Graph, user: str) -> None:
    seed(graph, user, TIMES)
    take(graph, user)
    maria = properties(graph, user, person(user))
    assert maria is not None
    found = explain_subject(graph, user, maria["ref"])
    assert found is not None
    assert (found["text"], found["kind"], found["source_count"]) == ("Maria", "person", 3)
    newest, *_, oldest = found["notes"]
    assert (newest["noted_at"], oldest["noted_at"]) == ("2026-03-02T12:00:00+00:00", None)
    assert [one["type"] for one in found["relationships"]] == ["works_at"]
    assert explain_subject(graph, f"{user}x", maria["ref"]) is None


def test_a_note_that_says_what_holds_no_longer_says_so(graph: Graph, user: str) -> None:
    seed(graph, user, TIMES)
    content = "Maria works at the harbour, says s1."
    take(graph, user, script({("s1", NOTE_PEOPLE): NotesTaken(notes=(note("Maria", f"Ben: {content}"),))}))
    maria = properties(graph, user, person(user))
    assert maria is not None

    def marks() -> list[str]:
        found = explain_subject(graph, user, maria["ref"])
        assert found is not None
        return [note["outdated"] for note in found["notes"] if "outdated" in note]

    assert marks() == []
    (said,) = graph.read("notes/list_source_statements", ids=[f"{user}/s1"], user_id=user)
    decide_out(graph, user, said["chunk_id"], NOW)
    assert marks() == ["superseded on 2026-05-01 by its owner"]


def test_what_people_look_at(graph: Graph, user: str) -> None:
    seed(graph, user, TIMES)
    counts = take(graph, user)
    shown = describe_notes(graph, user, counts, NOW)
    assert (shown["notes"], shown["notes_in_all"], shown["relationships_in_all"]) == (7, 6, 1)
    assert shown["notes_expired"] == 2, "a week and a month after the first of March"
    assert shown["waiting_for_consolidation"] == 3
    assert "| forever | 1 |" in shown["notes_by_lifetime"] and "| works_at | 1 |" in shown["relationships_by_type"]
    assert "| Maria | person | 1 |" in shown["best_connected"]


def test_the_three_steps_are_asked_about_their_own_names(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1"])
    model = script()
    take(graph, user, model)
    assert sorted(task for task, _ in model.asked) == sorted([NOTE_PEOPLE, NOTE_ENTITIES])
    assert NOTE_CONCEPTS not in dict(model.asked), "no concept, no question"


def test_a_note_stands_at_whom_its_name_means_in_its_own_source(graph: Graph, user: str) -> None:
    said = {"s1": ("Ben Carter", "Ben"), "s2": ("Ben Ashe", "Ben")}
    people = {"Ben Carter": node_id("person", user, "ben-carter"), "Ben Ashe": node_id("person", user, "ben-ashe")}

    def answer(task: str, payload: Any) -> Any:
        if task == NOTE_PEOPLE:
            return NotesTaken(notes=(note("Ben", "Ben rows."), note("Ben", f"Ben is in {payload.title}.")))
        if task != EXTRACT_ENTITIES:
            return NotesTaken()
        names = said[payload.title]
        entities = tuple(named("person", name) for name in names)
        return Extraction(entities=entities, statements=(stated(f"{names[0]} rows, says {payload.title}.", *names),))

    model = ScriptedModel(answer)
    for order in (("s1", "s2"), ("s2", "s1")):
        for name in order:
            seed_sources(graph, [source_row(f"{user}/{name}", user, started_at=TIMES[name], title=name)])
            Extractor(graph, model, HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
            take(graph, user, model, force=True)
        assert sorted(notes_of(graph, user, people["Ben Carter"])) == [
            ("s1", "Ben is in s1.", "month"),
            ("s1", "Ben rows.", "month"),
        ]
        assert sorted(notes_of(graph, user, people["Ben Ashe"])) == [
            ("s2", "Ben is in s2.", "month"),
            ("s2", "Ben rows.", "month"),
        ]
        assert take(graph, user, model)["placed_anew"] == 0
