"""Consolidation on a running graph: read before it is done, in whole transactions, with evidence, and back again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import neo4j
import pytest

from memory_assets.clock import Clock, to_iso
from memory_assets.commands.decisions import list_decisions
from memory_assets.commands.decisions import undo as take_back
from memory_assets.commands.sources import remove_source, restore_source
from memory_assets.consolidation.assets import consolidated_memories, consolidation_plan
from memory_assets.consolidation.carrying_out import CarriedOut, carry_out, stored
from memory_assets.consolidation.planning import DONE, LOCAL, PLANNED, UNDONE, Planned, Planner
from memory_assets.consolidation.reading import unsupported_insights
from memory_assets.curation.rails import RAILS
from memory_assets.descriptions.assets import DESCRIPTIONS
from memory_assets.descriptions.consolidating import Consolidator
from memory_assets.entities.extraction import Extractor
from memory_assets.errors import BudgetExceededError, ModelError, UnknownReferenceError
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import MARK, find_stage
from memory_assets.lifecycle.ageing import age_memories
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.opening import open_models
from memory_assets.llm.tasks import DRAW_INSIGHTS, EXTRACT_ENTITIES, Extraction, Insight, Insights
from memory_assets.llm.tasks import Statement as Stated
from memory_assets.model import node_id
from memory_assets.notes.reading import explain_subject
from memory_assets.recall.search import recall
from memory_assets.runtime.chain import read_chain
from memory_assets.runtime.owners import owner_lock
from memory_assets.runtime.scope import RunScope
from memory_assets.settings import Settings
from memory_assets.validity.judging import judge_statements
from memory_assets_tests.curation import records
from memory_assets_tests.support.accesses import access, fold
from memory_assets_tests.support.fixture_resources import resources_of
from memory_assets_tests.support.partitions import add_partitions
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel, named, stated
from memory_assets_tests.support.seeds import decide_out, picture, seed_properties, seed_sources, source_row

pytestmark = pytest.mark.graph
EXTRACTED_AT = datetime(2026, 1, 15, 9, tzinfo=UTC)
NOW = datetime(2026, 3, 20, 9, tzinfo=UTC)
TOMORROW = NOW + timedelta(days=1)
STATED_BY_ALL = """
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user})
MATCH (s:Source {id: row.source_id, user_id: $user})
MERGE (s)-[r:STATES {user_id: $user}]->(c)
SET r.content = c.content, r.turn = 0, r.position = 0
"""
TOPICS = ("cello", "harbour", "ladder", "pottery", "lighthouse", "vaccine")


def turns(topic: str, at: str | None = None) -> list[dict[str, Any]]:
    words = (
        f"Maria bought the {topic} in Bergen. So it is. It was raining in the valley.",
        "Yes.",
        f"Tomasz carried the {topic}.",
    )
    return [{"index": n, "speaker": "Maria", "text": text, "at": at} for n, text in enumerate(words)]


def said(text: str, turn: int, kind: str = "chitchat", durability: float = 0.0) -> Stated:
    given = {"turn": turn, "content_type": kind, "durability": durability, "confidence": 9}
    return stated(text, "Maria", speaker="Maria", **given)


def script(insights: Callable[[Any], Any] | None = None, of_words: Callable[[str], str] = str) -> ScriptedModel:
    """Each source names Maria, says one lasting thing, and a few in passing; ``of_words`` makes other words of them."""

    def answer(task: str, payload: Any) -> Any:
        if task == EXTRACT_ENTITIES:
            topic = payload.title
            return Extraction(
                entities=(named("person", "Maria", confidence=9),),
                statements=(
                    said(of_words(f"Maria bought the {topic} in Bergen."), 0, "insight", 0.7),
                    said(of_words(f"So the {topic} is."), 0),
                    said(of_words(f"It was raining on the {topic} in the valley."), 0),
                    said(of_words(f"Yes, the {topic}."), 1),
                    said(of_words(f"Tomasz carried the {topic}."), 2),
                ),
            )
        assert task == DRAW_INSIGHTS
        return insights(payload) if insights else ModelError("no service")

    return ScriptedModel(answer)


def seed(
    graph: Graph,
    user: str,
    topics: Sequence[str] = TOPICS,
    happened: Mapping[str, str | None] | None = None,
    at: str | None = None,
) -> list[str]:
    """The ids of the sources, one for each topic, two days apart, unless it is said when some have ``happened``. Their
    turns are said then, or ``at`` an instant.
    """
    days = {topic: f"2026-01-{1 + 2 * place:02d}T10:00:00Z" for place, topic in enumerate(TOPICS)} | (happened or {})
    ids = [f"{user}/{topic}" for topic in topics]
    rows = [
        source_row(
            key,
            user,
            title=topic,
            turns=turns(topic, at),
            started_at=days[topic],
        )
        for key, topic in zip(ids, topics, strict=True)
    ]
    seed_sources(graph, rows)
    Extractor(graph, script(), HashEmbedder(), Clock(EXTRACTED_AT), user, lambda _: None).run(RunScope())
    return ids


def plan(graph: Graph, user: str, model: ScriptedModel | None = None, at: datetime = NOW, **most: int) -> Planned:
    age_memories(graph, user, at)
    return Planner(graph, model or script(), "hash/1", Clock(at), user).plan(**most)


def materialize(graph: Graph, user: str, home: Path, asset: Any, at: datetime, **scope: Any) -> dict[str, Any]:
    """What an asset's page shows after a run."""
    settings = Settings(_env_file=None, home=home, now=at)
    (settings.inbox / user).mkdir(parents=True, exist_ok=True)
    resources = resources_of(graph, open_models(settings), settings)
    config = {"resources": {"scope": {"config": scope}}} if scope else None
    with dg.DagsterInstance.ephemeral() as instance:
        add_partitions(instance, [user])
        done = dg.materialize([asset], partition_key=user, resources=resources, instance=instance, run_config=config)
        (made,) = done.asset_materializations_for_node(asset.key.to_user_string())
        return {name: value.value for name, value in made.metadata.items()}


def do(graph: Graph, user: str, at: datetime = TOMORROW, which: str = "read", **most: Any) -> CarriedOut:
    return carry_out(graph, user, at, which=which, **most)


def states(graph: Graph, user: str) -> dict[str, str]:
    query = "MATCH (m:Memory {user_id: $user}) WHERE m:Source OR m:KnowledgeChunk"
    query += " RETURN coalesce(m.content, m.id) AS k, m.state AS s"
    return {row["k"]: row["s"] for row in graph.query_read_only(query, {"user": user})}


def archived(graph: Graph, user: str) -> set[str]:
    return {key for key, state in states(graph, user).items() if state == "archived"}


def default(graph: Graph, user: str) -> dict[str, int]:
    living = [key for key, state in states(graph, user).items() if state != "archived"]
    sources = sum(key.startswith(f"{user}/") for key in living)
    return {"sources": sources, "statements": len(living) - sources}


def person(graph: Graph, user: str) -> dict[str, Any]:
    (row,) = graph.read("graph/list_owned_nodes", ids=[node_id("person", user, "maria")], user_ids=[user])
    return explain_subject(graph, user, row["properties"]["ref"]) or {}


def test_a_plan_is_read_before_it_is_carried_out_and_archives_nothing(graph: Graph, user: str) -> None:
    ids = seed(graph, user)
    planned = plan(graph, user)
    (row,) = planned.plans
    assert row["source_ids"] == sorted(ids) and row["triggers"] == ["overlapping"] and row["model"] == LOCAL
    insights = [one["insight"]["text"] for one in json.loads(row["insights"])]
    assert insights and all(text.startswith("Maria bought the") for text in insights)
    assert json.loads(row["kept_turns"])[ids[0]] == [0, 2], "'Yes.' says nothing"
    assert json.loads(row["kept"]) == {"an insight rests on it": len(insights), "it tells most of its turn": 6} | (
        {"it lasts": 6 - len(insights)} if len(insights) < 6 else {}
    )
    assert len(row["folded_ids"]) == 18 and row["statement_count"] == 30
    first = do(graph, user, NOW)
    assert first.counts["consolidations"] == 0 and len(first.waiting) == 1, "the first run is a dry one"
    assert archived(graph, user) == set() and person(graph, user)["notes"] == []


def test_what_was_planned_is_carried_out_a_day_later_with_provenance_and_audits(graph: Graph, user: str) -> None:
    ids = seed(graph, user)
    (row,) = plan(graph, user).plans
    before = default(graph, user)
    done = do(graph, user)
    assert (done.counts["sources"], done.counts["statements"], done.counts["kept_by_rails"]) == (6, 18, 0)
    assert before == {"sources": 6, "statements": 30} and default(graph, user) == {"sources": 0, "statements": 12}
    assert archived(graph, user) >= set(ids)
    notes = person(graph, user)["notes"]
    assert {note["content"] for note in notes} == {one["insight"]["text"] for one in json.loads(row["insights"])}
    assert {note["lifetime"] for note in notes} == {"year"}
    query = "MATCH (n:Note {user_id: $user})-[:RESTS_ON]->(:KnowledgeChunk) RETURN DISTINCT n.expires_at AS at"
    assert graph.query_read_only(query, {"user": user}) == [{"at": TOMORROW + timedelta(days=365)}], "since drawn"
    query = "MATCH (n:Note {user_id: $user})-[:TAKEN_FROM]->(s:Source) RETURN n.id AS n, collect(DISTINCT s.id) AS s"
    assert all(sorted(one["s"]) == sorted(ids) for one in graph.query_read_only(query, {"user": user}))
    query = "MATCH (n:Note {user_id: $user})-[:RESTS_ON]->(c:KnowledgeChunk)<-[:STATES]-(s:Source)"
    query += " RETURN n.content AS n, n.noted_at AS noted_at, c.content AS c, s.started_at AS said_at"
    rested = graph.query_read_only(query, {"user": user})
    assert all(one["n"] == one["c"] and one["noted_at"] == one["said_at"] for one in rested)
    assert len({one["noted_at"] for one in rested}) == len(rested) > 1, "each has the day on which it was said"
    query = (
        "MATCH (a:CurationAudit {user_id: $user, action: 'archive'}) RETURN a.memory_id AS id, a.rails_checked AS rails"
    )
    audits = graph.query_read_only(query, {"user": user})
    assert len(audits) == 24 and all(set(one["rails"]) == set(RAILS) for one in audits)
    assert graph.read("consolidation/list_unevidenced", user_id=user, most=10) == []


def test_who_has_new_insights_is_to_be_described(graph: Graph, user: str) -> None:
    def wanted() -> str:
        return read_chain(graph, {DESCRIPTIONS.name: DESCRIPTIONS}, {DESCRIPTIONS.name: "r"}, [user], NOW).expected(
            user, DESCRIPTIONS.name
        )

    seed(graph, user)
    plan(graph, user)
    before = wanted()
    do(graph, user)
    noted = wanted()
    assert noted != before
    do(graph, user)
    assert wanted() == noted


def test_recall_still_reads_what_a_folded_source_says_and_all_of_it_on_request(
    graph: Graph, user: str, tmp_path: Path
) -> None:
    ids = seed(graph, user)
    plan(graph, user)
    do(graph, user)

    def found(question: str, **more: bool) -> tuple[set[tuple[str, int]], tuple[str, ...]]:
        done = recall(graph, tmp_path, user, question, 2000, **more)
        return {(head.id, row.turn) for head, rows in done.recalled.passages for row in rows}, done.retrieved

    passages, used = found("Who carried the pottery?")
    assert (ids[3], 2) in passages and (ids[3], 1) not in passages
    assert not set(used) & set(ids), "no source is back because a turn of it is read"
    passages, used = found("Yes pottery", archived=True)
    assert (ids[3], 1) in passages and ids[3] in used
    (row,) = graph.read("graph/list_owned_nodes", ids=[node_for(graph, user, "Yes, the pottery.")], user_ids=[user])
    passages, _ = found(row["properties"]["ref"])
    assert (ids[3], 1) in passages, "by its reference it is reached without being asked for"


def node_for(graph: Graph, user: str, content: str) -> str:
    query = "MATCH (c:KnowledgeChunk {user_id: $user, content: $content}) RETURN c.id AS id"
    return graph.query_read_only(query, {"user": user, "content": content})[0]["id"]


def test_an_access_brings_back_and_time_alone_does_not(graph: Graph, user: str, tmp_path: Path) -> None:
    ids = seed(graph, user)
    plan(graph, user)
    do(graph, user)
    settings = Settings(_env_file=None, home=tmp_path / "home")
    yes = node_for(graph, user, "Yes, the pottery.")
    gone = archived(graph, user)
    age_memories(graph, user, TOMORROW + timedelta(days=1))
    assert archived(graph, user) == gone, "salience does not bring back what a note replaces"
    access(settings, user, ids[3], yes, at=TOMORROW + timedelta(days=2))
    fold(graph, settings, user, TOMORROW + timedelta(days=2))
    age_memories(graph, user, TOMORROW + timedelta(days=2))
    assert gone - archived(graph, user) == {ids[3], "Yes, the pottery."}
    (row,) = graph.read("graph/list_owned_nodes", ids=[ids[3]], user_ids=[user])
    assert (row["properties"]["state"], row["properties"].get("folded_by")) == ("active", None)
    assert plan(graph, user, at=TOMORROW + timedelta(days=3)).plans == []


@pytest.mark.parametrize("rail", [{"ttl_policy": "keep_forever"}, {"access_count": 1}])
def test_at_the_knife_a_rail_has_the_last_word(graph: Graph, user: str, rail: dict[str, Any]) -> None:
    ids = seed(graph, user)
    (row,) = plan(graph, user).plans
    railed = row["folded_ids"][0]
    seed_properties(graph, user, railed, **rail)
    assert do(graph, user).counts["sources"] == len(ids)
    (left,) = graph.read("graph/list_owned_nodes", ids=[railed], user_ids=[user])
    assert left["properties"]["state"] != "archived"


def keep_forever(graph: Graph, user: str, source: str) -> None:
    seed_properties(graph, user, source, ttl_policy="keep_forever")


def refer_to(graph: Graph, user: str, source: str) -> None:
    """Four agents refer to it: consensus keeps it (001, rail 10)."""
    agents = [records.record(f"{source}/{n}", "Belief", agent=f"agent-{n}") for n in range(4)]
    records.seed(graph, user, agents, [(one["id"], "REFERS_TO", source) for one in agents])


@pytest.mark.parametrize("protect", [keep_forever, refer_to])
def test_what_a_rail_keeps_is_in_no_plan_and_overtakes_one(
    graph: Graph, user: str, protect: Callable[[Graph, str, str], None]
) -> None:
    ids = seed(graph, user)
    plan(graph, user)
    protect(graph, user, ids[0])
    assert do(graph, user).counts["overtaken"] == 1
    assert archived(graph, user) == set() and stored(graph, user, DONE) == [], "protected since it was planned"
    (again,) = plan(graph, user, at=TOMORROW).plans
    assert again["source_ids"] == sorted(ids[1:])
    for key in ids[1:]:
        protect(graph, user, key)
    assert plan(graph, user, at=TOMORROW).plans == []


def test_what_is_used_or_changed_after_it_was_planned_is_left(graph: Graph, user: str, tmp_path: Path) -> None:
    ids = seed(graph, user)
    plan(graph, user)
    settings = Settings(_env_file=None, home=tmp_path / "home")
    access(settings, user, ids[2], at=NOW + timedelta(hours=2))
    fold(graph, settings, user, TOMORROW)
    assert do(graph, user).counts["overtaken"] == 1 and archived(graph, user) == set()
    (again,) = plan(graph, user, at=TOMORROW).plans
    assert again["source_ids"] == sorted(set(ids) - {ids[2]})
    assert len(stored(graph, user, PLANNED)) == 1, "the plan that was overtaken is forgotten"


def test_what_somebody_has_read_since_accesses_were_counted_is_left(graph: Graph, user: str, tmp_path: Path) -> None:
    ids = seed(graph, user)
    plan(graph, user)
    home, at = tmp_path / "home", TOMORROW - timedelta(minutes=20)
    settings = Settings(_env_file=None, home=home)
    access(settings, user, ids[3], at=at)
    assert materialize(graph, user, home, consolidated_memories, TOMORROW)["consolidations"] == 0
    fold(graph, settings, user, TOMORROW)
    (again,) = plan(graph, user, at=TOMORROW).plans
    assert archived(graph, user) == set() and again["source_ids"] == sorted(set(ids) - {ids[3]})
    access(settings, user, read := again["folded_ids"][0], at=at)
    page = materialize(graph, user, home, consolidated_memories, TOMORROW, consolidation="all")
    assert (page["sources_archived"], page["statements_archived"]) == (5, len(again["folded_ids"]) - 1)
    fold(graph, settings, user, TOMORROW)
    (left,) = graph.read("graph/list_owned_nodes", ids=[read], user_ids=[user])
    assert left["properties"]["state"] == "active" and ids[3] not in archived(graph, user)


def test_undo_brings_everything_back_and_it_is_not_planned_again(graph: Graph, user: str, tmp_path: Path) -> None:
    seed(graph, user)
    before = states(graph, user)
    plan(graph, user)
    do(graph, user)
    settings = Settings(_env_file=None, home=tmp_path / "home", now=TOMORROW)
    (one,) = list_decisions(graph, user)
    assert (one.kind, one.what, one.why) == ("consolidation", "archived", "overlapping") and "Maria" in one.about
    take_back(graph, settings, user, one.short)
    assert states(graph, user) == before and person(graph, user)["notes"] == []
    assert graph.query_read_only("MATCH (n:Note {user_id: $user}) RETURN n.id AS id", {"user": user}) == []
    assert list_decisions(graph, user) == [] and len(stored(graph, user, UNDONE)) == 1
    assert plan(graph, user, at=TOMORROW).plans == []
    with pytest.raises(UnknownReferenceError):
        take_back(graph, settings, user, one.short)


def remove(graph: Graph, user: str, source: str) -> None:
    assert remove_source(graph, Clock(TOMORROW), user, source)


def withdraw(graph: Graph, user: str, source: str) -> None:
    row = {"id": source, "audit_id": f"audit:{source}", "reason": "its giver takes it back"}
    assert graph.write("curation/withdraw_sources", [row], user_id=user, now=to_iso(TOMORROW))


def erase(graph: Graph, user: str, source: str) -> None:
    graph.write("curation/erase_nodes", ids=[source], user_ids=[user])


def erase_with_notes(graph: Graph, user: str, source: str) -> None:
    """The notes that were first taken from it go with it, and may go before it."""
    query = "MATCH (n:Note {user_id: $user})-[:TAKEN_FROM]->(:Source) RETURN DISTINCT n.id AS id"
    graph.write(
        "curation/erase_nodes",
        ids=[row["id"] for row in graph.query_read_only(query, {"user": user})],
        user_ids=[user],
    )
    erase(graph, user, source)


@pytest.mark.parametrize("let_go", [remove, withdraw, erase, erase_with_notes])
def test_a_source_that_goes_takes_its_consolidation_back(
    graph: Graph, user: str, let_go: Callable[[Graph, str, str], None]
) -> None:
    ids = seed(graph, user)
    plan(graph, user)
    do(graph, user)
    assert looked_at(graph, user) == [], "a run looks at none of which nothing has changed"
    let_go(graph, user, ids[0])
    assert len(looked_at(graph, user)) == 1
    before = find_stage(graph, user, f"{MARK}raw_sources")
    done = do(graph, user, TOMORROW + timedelta(days=1))
    assert done.counts["taken_back"] == 1 and person(graph, user)["notes"] == []
    assert find_stage(graph, user, f"{MARK}raw_sources") not in (None, before), "what is back is due"
    assert archived(graph, user) == set() and stored(graph, user, DONE) == []
    (again,) = plan(graph, user, at=TOMORROW + timedelta(days=1)).plans
    assert again["source_ids"] == sorted(ids[1:])


def looked_at(graph: Graph, user: str) -> list[str]:
    """The consolidations that the next run looks at."""
    return [row["properties"]["id"] for row in graph.read("consolidation/list_unchecked", user_id=user)]


def test_what_was_consolidated_is_looked_at_once_where_its_source_is_back(graph: Graph, user: str) -> None:
    ids = seed(graph, user)
    plan(graph, user)
    do(graph, user)
    remove(graph, user, ids[0])
    assert restore_source(graph, Clock(TOMORROW), user, ids[0])
    assert len(looked_at(graph, user)) == 1
    assert do(graph, user, TOMORROW + timedelta(days=1)).counts["taken_back"] == 0
    assert looked_at(graph, user) == [] and len(stored(graph, user, DONE)) == 1


def test_a_source_that_goes_while_it_is_consolidated_takes_that_back(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = seed(graph, user)
    plan(graph, user)
    write = graph.write_together

    def go_first(statements: Sequence[Statement]) -> list[list[dict[str, Any]]]:
        monkeypatch.undo()
        remove(graph, user, ids[0])
        return write(statements)

    monkeypatch.setattr(graph, "write_together", go_first)
    done = do(graph, user)
    assert (done.counts["consolidations"], done.counts["taken_back"]) == (1, 1)
    assert archived(graph, user) == set() and stored(graph, user, DONE) == []


def test_one_that_went_after_it_was_looked_at_is_looked_at_again(graph: Graph, user: str) -> None:
    ids = seed(graph, user)
    plan(graph, user)
    do(graph, user)
    remove(graph, user, ids[0])
    marked = looked_at(graph, user)
    rows = [{"id": key} for key in marked]
    assert graph.write("consolidation/set_checked", rows, user_id=user, now=to_iso(TOMORROW)) == []
    assert looked_at(graph, user) == marked


def test_what_somebody_has_decided_about_is_read_once_in_a_run(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed_two_clusters(graph, user)
    plan(graph, user)
    asked: list[str] = []
    read = Graph.read

    def spy(self: Graph, name: str, **given: Any) -> Any:
        asked.append(name)
        return read(self, name, **given)

    monkeypatch.setattr(Graph, "read", spy)
    assert do(graph, user).counts["consolidations"] == 2
    assert asked.count("consolidation/list_held") == 1


def read_anew(graph: Graph, user: str, before: str, now: str, name: str = "scripted/2") -> None:
    """Another model has other words for what the sources say."""
    model = script(of_words=lambda text: text.replace(before, now))
    model.name = name
    Extractor(graph, model, HashEmbedder(), Clock(NOW), user, lambda _: None).run(RunScope())


# What the insights rest on goes, or what was archived.
@pytest.mark.parametrize("words", [("Maria bought", "In May Maria bought"), ("raining", "wet")])
def test_a_consolidation_of_what_is_read_anew_is_taken_back_and_planned_again(
    graph: Graph, user: str, words: tuple[str, str]
) -> None:
    ids = seed(graph, user)
    plan(graph, user)
    do(graph, user)
    read_anew(graph, user, "a word that nobody says", "")
    later = TOMORROW + timedelta(days=1)
    assert do(graph, user, later).counts["taken_back"] == 0, "it states what it stated before"
    read_anew(graph, user, *words, "scripted/3")
    unevidenced = graph.read("consolidation/list_unevidenced", user_id=user, most=10)
    assert bool(unevidenced) is words[0].startswith("Maria")
    assert do(graph, user, later).counts["taken_back"] == 1
    assert graph.read("consolidation/list_unevidenced", user_id=user, most=10) == []
    assert default(graph, user) == {"sources": 6, "statements": 30} and stored(graph, user, DONE) == []
    (again,) = plan(graph, user, at=later).plans
    assert again["source_ids"] == sorted(ids)
    do(graph, user, later + timedelta(days=1))
    assert default(graph, user) == {"sources": 0, "statements": 12}
    assert {note["content"] for note in person(graph, user)["notes"]} == {
        one["insight"]["text"] for one in json.loads(again["insights"])
    }


def test_what_is_read_anew_after_it_was_planned_is_left(graph: Graph, user: str) -> None:
    seed(graph, user)
    plan(graph, user)
    read_anew(graph, user, "Maria bought", "In May Maria bought")
    assert do(graph, user).counts["overtaken"] == 1 and person(graph, user)["notes"] == []


def answering(text: str) -> Callable[[Any], Any]:
    def answer(request: Any) -> Insights:
        refs = tuple(one.ref for one in request.statements)
        return Insights(insights=(Insight(subject="Maria", text=text, refs=refs, lifetime="forever"),))

    return answer


def test_a_models_sentences_are_checked_and_whole_sentences_stand_in_for_what_fails(graph: Graph, user: str) -> None:
    seed(graph, user)
    good = script(answering("In Bergen Maria bought the cello and the harbour."))
    (row,) = plan(graph, user, good).plans
    (one,) = json.loads(row["insights"])
    assert (row["model"], len(one["statement_ids"]), one["insight"]["lifetime"]) == ("scripted/1", 6, "year")
    assert len(good.asked) == 1 and plan(graph, user, good).plans == [row] and len(good.asked) == 1, "asked once"
    bad = script(answering("Maria sold everything in Oslo."))
    bad.name = "scripted/2"
    planned = plan(graph, user, bad)
    assert planned.plans[0]["model"] == LOCAL and sum(planned.refused.values()) == 1
    assert "which nothing that it cites does" in next(iter(planned.refused))


def test_an_insight_falls_with_what_it_rests_on(graph: Graph, user: str, tmp_path: Path) -> None:
    seed(graph, user)
    plan(graph, user, script(answering("In Bergen Maria bought the cello and the harbour.")))
    do(graph, user)
    judge_statements(graph, user, TOMORROW, tmp_path / "index", "r")

    def described(at: datetime) -> str | None:
        Consolidator(graph, LocalModel(), HashEmbedder(), Clock(at), user, lambda _: None).run()
        return person(graph, user)["description"]

    assert described(TOMORROW) == "In Bergen Maria bought the cello and the harbour."
    assert "outdated" not in person(graph, user)["notes"][0]
    # The last of the six, in another source than the one by which the note is named.
    decide_out(graph, user, node_for(graph, user, "Maria bought the vaccine in Bergen."), TOMORROW)
    judge_statements(graph, user, TOMORROW, tmp_path / "index", "r")
    (note,) = person(graph, user)["notes"]
    assert note["outdated"] == "superseded on 2026-03-21 by its owner"
    assert described(TOMORROW + timedelta(days=1)) is None


@pytest.mark.parametrize("model", [None, "In Bergen Maria bought the cello and the harbour."])
def test_insights_follow_from_what_they_rest_on(graph: Graph, user: str, model: str | None) -> None:
    seed(graph, user)
    plan(graph, user, script(answering(model)) if model else None)
    do(graph, user)
    assert graph.read("consolidation/list_recent_insights", user_id=user, since="", most=9)
    assert unsupported_insights(graph, user, TOMORROW) == []


def test_an_insight_of_what_many_sources_state_follows_from_it(graph: Graph, user: str) -> None:
    seed(graph, user)
    plan(graph, user, script(answering("In Bergen Maria bought the cello and the harbour.")))
    do(graph, user)
    query = "MATCH (c:KnowledgeChunk {user_id: $user})<-[:STATES]-(s:Source) RETURN c.id AS id, collect(s.id) AS s"
    rows = graph.query_read_only(query, {"user": user})
    every = [{"id": row["id"], "source_id": source} for row in rows for source in {s for one in rows for s in one["s"]}]
    graph._run(neo4j.WRITE_ACCESS, lambda tx: tx.run(STATED_BY_ALL, {"user": user, "rows": every}).consume(), "seed")
    assert len(graph.read("consolidation/list_recent_insights", user_id=user, since="", most=9)) > 8
    assert unsupported_insights(graph, user, TOMORROW) == []


def test_an_insight_that_says_something_else_is_found(graph: Graph, user: str) -> None:
    seed(graph, user)
    (row,) = plan(graph, user, script(answering("In Bergen Maria bought the cello and the harbour."))).plans
    wrong = row["insights"].replace("bought the cello", "sold the cello")
    graph.write("consolidation/set_plans", [row | {"insights": wrong}], user_id=user)
    do(graph, user)
    (found,) = unsupported_insights(graph, user, TOMORROW)
    assert found["memory_id"] in row["note_ids"] and found["insight"].startswith("In Bergen Maria sold")
    assert found["why"] == "says 'sold', which nothing that it cites does"
    assert unsupported_insights(graph, user, TOMORROW + timedelta(days=31)) == [], "a month's are judged"


def test_what_was_said_later_in_its_source_is_of_that_day(graph: Graph, user: str) -> None:
    seed(graph, user, at="2026-02-03T10:00:00Z")
    days: set[str | None] = set()

    def answer(request: Any) -> Any:
        days.update(one.day for one in request.statements)
        return answering("In Bergen Maria bought the cello and the harbour.")(request)

    plan(graph, user, script(answer))
    do(graph, user)
    (note,) = person(graph, user)["notes"]
    assert days == {"2026-02-03"} and note["noted_at"] == "2026-02-03T10:00:00+00:00"


def test_what_the_budget_leaves_waits(graph: Graph, user: str) -> None:
    seed(graph, user)
    planned = plan(graph, user, script(lambda _: BudgetExceededError("the budget is used")))
    assert planned.plans == [] and len(planned.problems) == 1 and stored(graph, user, PLANNED) == []


def comparable(graph: Graph, user: str) -> list[str]:
    hidden = user.encode().hex()
    return [json.dumps(line, sort_keys=True).replace(user, hidden) for line in export_user(graph, user, canonical=True)]


# After each of the transactions, and before each of them.
@pytest.mark.parametrize("written", [False, True])
def test_a_run_that_is_killed_goes_on_and_leaves_the_same(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    seed(graph, user, TOPICS[:5])
    plan(graph, user)
    do(graph, user)
    age_memories(graph, user, TOMORROW)
    whole, others = comparable(graph, user), picture(graph, user)
    do(graph, user, TOMORROW)
    plan(graph, user, at=TOMORROW)
    assert comparable(graph, user) == whole and picture(graph, user) == others, "a rerun changes nothing"
    one = list_decisions(graph, user)[0]
    write = graph.write_together

    def killed(statements: Sequence[Statement]) -> list[list[dict[str, Any]]]:
        done = write(statements) if written else []
        raise KeyboardInterrupt(len(done))

    def until_it_ends(work: Callable[[], Any]) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(graph, "write_together", killed)
            with pytest.raises(KeyboardInterrupt):
                work()
        work()

    # Taken back and forgotten, so that the same is planned anew.
    take_back(graph, Settings(_env_file=None, now=TOMORROW), user, one.short)
    graph.write("curation/retire_plans", [{"id": one.id}], user_id=user)
    until_it_ends(lambda: plan(graph, user, at=NOW)) if not written else plan(graph, user, at=NOW)
    until_it_ends(lambda: do(graph, user)) if not written else _killed_behind(graph, user, killed, monkeypatch)
    assert comparable(graph, user) == whole


def _killed_behind(graph: Graph, user: str, killed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(graph, "write_together", killed)
        with pytest.raises(KeyboardInterrupt):
            do(graph, user)
    assert do(graph, user).counts["consolidations"] == 0, "it was done already"


def test_two_at_once_do_it_once(graph: Graph, user: str, tmp_path: Path) -> None:
    seed(graph, user)
    plan(graph, user)
    settings = Settings(_env_file=None, home=tmp_path / "home")

    def run(_: int) -> int:
        with owner_lock(settings, user):
            return do(graph, user).counts["consolidations"]

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(run, range(2))) == [0, 1]
    assert default(graph, user) == {"sources": 0, "statements": 12} and len(stored(graph, user, DONE)) == 1


def seed_two_clusters(graph: Graph, user: str) -> list[str]:
    """The ids of ten sources: five in January, and the same again in June before."""
    ids = seed(graph, user, TOPICS[:5])
    later = [f"{topic} again" for topic in TOPICS[:5]]
    rows = [
        source_row(
            f"{user}/{topic}", user, title=topic, turns=turns(topic), started_at=f"2025-06-{1 + n:02d}T10:00:00Z"
        )
        for n, topic in enumerate(later)
    ]
    seed_sources(graph, rows)
    Extractor(graph, script(), HashEmbedder(), Clock(EXTRACTED_AT), user, lambda _: None).run(RunScope())
    return [*ids, *(row["id"] for row in rows)]


def test_what_a_look_at_all_there_is_leaves_is_found_by_the_next_plan(graph: Graph, user: str) -> None:
    rested = [{"id": key, "rest_key": None} for key in seed_two_clusters(graph, user)]
    age_memories(graph, user, NOW)
    graph.write("consolidation/set_resting", rested, user_id=user)
    assert plan(graph, user, most=0).left == ["2 clusters"]
    assert len(plan(graph, user, at=TOMORROW).plans) == 2


def test_in_pieces_it_is_the_same_oldest_first_and_what_is_left_is_said(graph: Graph, user: str) -> None:
    seed_two_clusters(graph, user)
    both = plan(graph, user).plans
    assert len(both) == 2 and both[0]["first_at"] < both[1]["first_at"]
    assert plan(graph, user, most=1).left == [], "what is planned stays"
    graph.write("curation/retire_plans", [{"id": one["id"]} for one in both], user_id=user)
    assert plan(graph, user, most=1).left == ["1 clusters"] and len(stored(graph, user, PLANNED)) == 1
    assert do(graph, user).done[0]["source_ids"] == both[0]["source_ids"]
    (second,) = plan(graph, user, at=TOMORROW, most=1).plans
    same = {"id", "insights", "folded_ids", "kept", "kept_turns", "source_ids"}
    assert {key: second[key] for key in same} == {key: both[1][key] for key in same}


def test_what_is_younger_than_a_day_waits(graph: Graph, user: str) -> None:
    seed_two_clusters(graph, user)
    plan(graph, user)
    first, second = (datetime.fromisoformat(row["last_at"]) for row in stored(graph, user, PLANNED))
    assert first < second
    assert do(graph, user, which="all", before=first).done == []
    run = do(graph, user, which="all", before=second)
    assert len(run.done) == len(run.waiting) == 1 and run.done[0]["last_at"] < run.waiting[0]["last_at"]


def test_what_rests_later_waits_for_a_plan_of_its_own(graph: Graph, user: str) -> None:
    seed(graph, user, TOPICS[:5])
    model = script(answering("In Bergen Maria bought the cello and the harbour."))
    (first,) = plan(graph, user, model).plans
    seed(graph, user, TOPICS[5:])
    assert plan(graph, user, model, at=TOMORROW).plans == [first] and len(model.asked) == 1, "nor is it asked about"
    assert do(graph, user).done[0]["id"] == first["id"], "it was there to be read for a day"


def test_a_plan_costs_what_has_rested(graph: Graph, user: str, tmp_path: Path) -> None:
    ids = seed(graph, user)
    planned = plan(graph, user, at=datetime(2026, 1, 30, 9, tzinfo=UTC))
    assert (planned.counts["rested"], planned.plans) == (0, [])
    assert planned.changes_at == datetime(2026, 1, 31, tzinfo=UTC), "the day on which they have rested for a month"
    assert plan(graph, user).counts["rested"] == 6
    settings = Settings(_env_file=None, home=tmp_path / "home")
    access(settings, user, ids[3], at=NOW)
    fold(graph, settings, user, NOW)
    assert plan(graph, user).counts["rested"] == 5
    do(graph, user)
    assert plan(graph, user, at=TOMORROW + timedelta(days=60)).counts["rested"] == 1, "what is archived rests no more"
    query = "MATCH (s:Source {user_id: $user}) WHERE s.rest_key IS NOT NULL RETURN s.id AS id"
    assert [row["id"] for row in graph.query_read_only(query, {"user": user})] == [ids[3]]


def test_what_fits_nowhere_is_looked_at_again_with_what_names_the_same(graph: Graph, user: str) -> None:
    seed(graph, user, TOPICS[:4])
    first = plan(graph, user)
    assert (first.counts["rested"], first.plans) == (4, []), "four are too few"
    assert plan(graph, user).counts["rested"] == 0, "nothing has rested since"
    seed(graph, user, TOPICS[4:])
    (planned,) = plan(graph, user).plans
    assert len(planned["source_ids"]) == len(TOPICS)


@pytest.mark.parametrize(
    ("of_before", "looked_at"),
    [
        (("2019-01-01", "2022-12-01", "2023-02-01"), 3),
        # By way of the third, within two years of it, the second is reached, and by way of that the first.
        (("2020-01-01", "2021-08-01", "2023-05-01"), 4),
        (("2019-01-01", None, "2023-02-01"), 4),
    ],
)
def test_of_what_has_rested_before_only_what_may_meet_it_is_looked_at(
    graph: Graph, user: str, of_before: Sequence[str | None], looked_at: int
) -> None:
    happened = {topic: f"{day}T10:00:00Z" if day else None for topic, day in zip(TOPICS, of_before, strict=False)}
    seed(graph, user, TOPICS[:3], happened)
    assert plan(graph, user).counts["rested"] == 3
    seed(graph, user, TOPICS[3:4], {TOPICS[3]: "2025-01-10T10:00:00Z"})
    assert plan(graph, user).counts["rested"] == looked_at


def test_what_turns_out_to_have_happened_earlier_is_looked_at_again(graph: Graph, user: str) -> None:
    for day in ("2026-01-10", "2019-01-10"):
        seed(graph, user, TOPICS[:1], {TOPICS[0]: f"{day}T10:00:00Z"})
        assert plan(graph, user).counts["rested"] == 1
        assert plan(graph, user).counts["rested"] == 0
        rows = graph.query_read_only("MATCH (s:Source {user_id: $user}) RETURN s.rested_key AS key", {"user": user})
        assert [row["key"].split("|")[1] for row in rows] == [day]


def test_once_a_month_all_is_looked_at(graph: Graph, user: str) -> None:
    seed(graph, user, TOPICS[:4])
    plan(graph, user)
    assert plan(graph, user, at=NOW + timedelta(days=29)).counts["rested"] == 0
    assert plan(graph, user, at=NOW + timedelta(days=31)).counts["rested"] == 4
    assert plan(graph, user, at=NOW - timedelta(days=1)).counts["rested"] == 4, "a clock that was set back, too"


def test_a_plan_is_as_old_as_what_it_would_note(graph: Graph, user: str) -> None:
    seed(graph, user)
    (first,) = plan(graph, user).plans
    # One that would leave is used: it stays, and the plan needs no other day to be read.
    seed_properties(graph, user, first["folded_ids"][0], access_count=1)
    (again,) = plan(graph, user, at=TOMORROW).plans
    assert (again["id"], again["planned_at"]) == (first["id"], first["planned_at"])
    assert len(again["folded_ids"]) == len(first["folded_ids"]) - 1
    assert do(graph, user).done[0]["folded_ids"] == again["folded_ids"]


def test_nobody_elses_sources_are_planned(graph: Graph, user: str) -> None:
    seed(graph, user)
    assert plan(graph, f"{user}x").plans == [] and do(graph, f"{user}x", which="all").counts["consolidations"] == 0


def test_its_pages_show_the_candidates_before_and_what_was_done_after(graph: Graph, user: str, tmp_path: Path) -> None:
    seed(graph, user)
    shown = partial(materialize, graph, user, tmp_path / "home")
    age_memories(graph, user, NOW)
    page = shown(consolidation_plan, NOW)
    assert (page["planned"], page["sources_to_archive"], page["statements_to_archive"]) == (1, 6, 18)
    assert "overlapping" in page["plan"] and "Maria" in page["plan"] and "Bergen" in page["insights_planned"]
    assert "pottery" in page["sources_planned"]
    page = shown(consolidated_memories, NOW)
    assert (page["consolidations"], page["waiting"], page["sources_archived"]) == (0, 1, 0)
    page = shown(consolidated_memories, NOW, consolidation="all")
    assert (page["consolidations"], page["sources_archived"], page["statements_archived"]) == (1, 6, 18)
    assert shown(consolidation_plan, TOMORROW)["note"] == "nothing is to be consolidated"
