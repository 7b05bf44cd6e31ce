"""What was merged comes in again: its source states the memory that it became, and nothing is lost by that."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_assets.commands.sources import remove_source
from memory_assets.curation.cadences import Cadence
from memory_assets.curation.cycle import run_cycle
from memory_assets.curation.duplicates import deduplicate
from memory_assets.curation.restoring import Entry, list_cuts, restore
from memory_assets.curation.snapshots import read_whole
from memory_assets.graph.graph import Graph
from memory_assets.lifecycle.ageing import age_memories
from memory_assets.lifecycle.folding import recount
from memory_assets.llm.model_client import Embedder
from memory_assets.llm.opening import embedder
from memory_assets.llm.tasks import Extraction
from memory_assets.runtime.accesses import AccessLog, access_log
from memory_assets.settings import Settings
from memory_assets_tests.curation.records import run, seed, worth
from memory_assets_tests.curation.test_tombstones import prune
from memory_assets_tests.entities.test_extraction import CLOCK, chunk, extract, scripted, statement
from memory_assets_tests.records.conftest import NOW, Desk
from memory_assets_tests.records.test_recording import said
from memory_assets_tests.support.accesses import access, fold
from memory_assets_tests.support.seeds import living_statements, picture, seed_sources, source_row

pytestmark = pytest.mark.graph
DAY_AFTER = CLOCK.now() + timedelta(days=2)
LIVED = (
    *(
        "access_count",
        "recall_frequency",
        "last_accessed_at",
        "last_recall_interval",
        "salience",
        "salience_at",
        "state",
    ),
    *("decay_gradient", "confidence", "source_count", "occurred_at", "ingested_at", "fade_key", "uncounted", "unaged"),
)
OLD, NEW = "The up-to-date chart is in the cabin.", "The up to date chart is in the cabin"


def rows(user: str, names: str, **change: Any) -> list[dict[str, Any]]:
    times = {"1": "2026-03-01T10:00:00Z", "2": "2026-03-02T10:00:00Z", "3": "2026-03-03T10:00:00Z"}
    days = ("2026-03-03T10:00:00.000Z", "2026-03-07T10:00:00.000Z")
    turns = [{"index": turn, "speaker": "Alex", "text": NEW, "at": at} for turn, at in enumerate(days)]
    given = {name: {"turns": turns} if name == "3" else {} for name in names}
    return [
        source_row(f"{user}/{name}", user, title=name, started_at=times[name], **given[name], **change)
        for name in names
    ]


def answers(**said_in: list[str]) -> Any:
    texts = {"1": [OLD], "2": [NEW], "3": [OLD, NEW]} | {name.strip("s"): said for name, said in said_in.items()}
    made = {name: tuple(statement(text, turn=turn) for turn, text in enumerate(said)) for name, said in texts.items()}
    return scripted({name: Extraction(entities=(), statements=said) for name, said in made.items()})


def merged(graph: Graph, user: str) -> tuple[str, str]:
    """Extract three sources, and merge what they say: the ids of the surviving and of the other statement."""
    seed_sources(graph, rows(user, "123"))
    extract(graph, user, answers())
    return merge_them(graph, user)


def merge_them(graph: Graph, user: str) -> tuple[str, str]:
    old = _there(graph, user, OLD)["id"]
    with worth(lambda facts: float(facts.id == old)):
        done = deduplicate(graph, user, (), DAY_AFTER)
    (one,) = done.merged
    assert (one["kept"], one["gone"]) == (old, _there(graph, user, NEW)["id"])
    return one["kept"], one["gone"]


def _there(graph: Graph, user: str, text: str) -> dict[str, Any]:
    found = chunk(graph, user, text.casefold().rstrip("."))
    assert found is not None
    return found


def stating(graph: Graph, memory_id: str) -> list[str]:
    query = "MATCH (c:KnowledgeChunk {id: $id})<-[:STATES]-(s:Source) RETURN s.title AS title ORDER BY title"
    return [row["title"] for row in graph.query_read_only(query, {"id": memory_id})]


def test_extracting_again_changes_nothing(graph: Graph, user: str) -> None:
    survivor, gone = merged(graph, user)
    assert (stating(graph, survivor), stating(graph, gone)) == (["1", "2", "3"], [])
    asked = "MATCH (:KnowledgeChunk {id: $id})<-[r:STATES]-(:Source {title: '3'}) RETURN properties(r) AS r"
    (row,) = graph.query_read_only(asked, {"id": survivor})
    assert [str(row["r"][name])[:10] for name in ("first_said_at", "said_at")] == ["2026-03-03", "2026-03-07"]
    assert row["r"]["turns"] == [0, 1]
    before = picture(graph, user)
    for _ in range(2):
        extract(graph, user, answers(), force=True)
        assert picture(graph, user) == before
    assert deduplicate(graph, user, [survivor], DAY_AFTER).merged == []


def test_what_is_said_anew_in_the_merged_words_states_the_survivor(graph: Graph, user: str) -> None:
    survivor, gone = merged(graph, user)
    seed_sources(graph, [source_row(f"{user}/4", user, title="4", started_at="2026-03-09T10:00:00Z")])
    extract(graph, user, answers(s4=[NEW]))
    assert (stating(graph, survivor), stating(graph, gone)) == (["1", "2", "3", "4"], [])


def test_a_source_that_says_it_no_more_takes_nothing_from_the_others(graph: Graph, user: str) -> None:
    survivor, _ = merged(graph, user)
    seed_sources(graph, rows(user, "13", processed_fingerprint="p2"))
    extract(graph, user, answers(s1=["Another."], s3=["Something else."]))
    assert stating(graph, survivor) == ["2"]
    found = _there(graph, user, OLD)
    assert (found["content"], found["source_count"]) == (NEW, 1)


def test_once_what_stood_for_it_is_gone_it_lives_again_where_it_is_said(graph: Graph, user: str) -> None:
    survivor, gone = merged(graph, user)
    seed_sources(graph, rows(user, "123", processed_fingerprint="p2"))
    extract(graph, user, answers(s1=["Another."], s2=["More."], s3=["Something else."]))
    assert chunk(graph, user, OLD.casefold().rstrip(".")) is None, "retired, as any that nobody states"
    seed_sources(graph, rows(user, "2", processed_fingerprint="p3"))
    extract(graph, user, answers())
    assert stating(graph, gone) == ["2"] and _there(graph, user, NEW).get("tombstone") is None
    assert _there(graph, user, NEW)["state"] == "candidate" and survivor


def test_a_tombstone_that_was_removed_still_has_its_name(graph: Graph, user: str) -> None:
    survivor, gone = merged(graph, user)
    run(graph, "remove_memory", id=gone, user_id=user)
    extract(graph, user, answers(), force=True)
    assert stating(graph, survivor) == ["1", "2", "3"] and chunk(graph, user, NEW.casefold()) is None


def removed_and_restored(graph: Graph, user: str, names: str) -> tuple[list[Entry], list[Entry]]:
    """Sources are removed, a run follows, and the merge is taken back: what came back of it, and what did not."""
    for name in names:
        assert remove_source(graph, CLOCK, user, f"{user}/{name}")
    extract(graph, user, answers())
    (audit,) = [row["id"] for row in list_cuts(graph, user) if row["action"] == "merge"]
    planned = restore(graph, user, DAY_AFTER, audits=[audit], dry_run=True)
    done = restore(graph, user, DAY_AFTER, audits=[audit])
    assert [len(planned.back), len(planned.left)] == [len(done.back), len(done.left)]
    return done.back, done.left


def counted(graph: Graph, user: str) -> dict[str, int]:
    return {row["text"]: row["source_count"] for row in living_statements(graph, user)}


def test_a_merged_statement_whose_sources_were_all_removed_since_does_not_come_back(graph: Graph, user: str) -> None:
    survivor, gone = merged(graph, user)
    back, (left,) = removed_and_restored(graph, user, "23")
    assert back == [] and left.what.startswith("no source of it is in use any more")
    assert (stating(graph, survivor), stating(graph, gone)) == (["1"], [])
    assert counted(graph, user) == {OLD: 1}


def test_a_merged_statement_comes_back_with_the_sources_that_are_in_use(graph: Graph, user: str) -> None:
    survivor, gone = merged(graph, user)
    (back,), left = removed_and_restored(graph, user, "3")
    assert left == [] and back.what == "it is back, without 1 links whose other end is gone"
    assert (stating(graph, survivor), stating(graph, gone)) == (["1"], ["2"])
    assert counted(graph, user) == {OLD: 1, NEW: 1}


@pytest.mark.parametrize("is_lost", [False, True], ids=["the log is whole", "the log is lost"])
def test_what_was_retrieved_and_said_since_a_merge_stays_when_it_comes_apart(
    graph: Graph, user: str, tmp_path: Path, is_lost: bool
) -> None:
    settings, later = Settings(_env_file=None, home=tmp_path), CLOCK.now() + timedelta(days=20)

    def lived(who: str, is_merged: bool) -> dict[str, dict[str, Any]]:
        """What becomes of the two statements of somebody, which are merged and come apart, or never are."""

        def recall(text: str, *days: int) -> None:
            for day in days:
                access(settings, who, ids[text], at=CLOCK.now() + timedelta(days=day))
            fold(graph, settings, who, later)

        seed_sources(graph, rows(who, "123"))
        extract(graph, who, answers())
        ids = {text: _there(graph, who, text)["id"] for text in (OLD, NEW)}
        recall(OLD, 1)
        recall(NEW, 1)
        if is_merged:
            assert merge_them(graph, who) == (ids[OLD], ids[NEW])
        recall(OLD, 3, 4, 6, 9, 13)
        recall(NEW, 14)
        seed_sources(graph, [source_row(f"{who}/4", who, title="4", started_at="2026-03-09T10:00:00Z")])
        extract(graph, who, answers(s4=[OLD]))
        age_memories(graph, who, later)
        if is_lost:
            access_log(settings, who).close()
            settings.accesses_file(who).unlink()
        if is_merged:
            assert len(restore(graph, who, later, since=CLOCK.now()).back) == 1
            found = read_whole(graph, who, ids.values())
            # What was asked for by the merged one's name counted for the other: only the log knows whose that is.
            assert [found[ids[text]].properties["access_count"] for text in (OLD, NEW)] == [7, 1], "none is lost"
        with closing(AccessLog(settings.accesses_file(who))) as log:
            recount(graph, log, who, later)
        age_memories(graph, who, later)
        found = read_whole(graph, who, ids.values())
        return {text: {name: found[key].properties.get(name) for name in LIVED} for text, key in ids.items()}

    parted, apart = lived(user, True), lived(f"{user}x", False)
    for text, of_it in parted.items():
        of_it["fade_key"] = str(of_it["fade_key"]).replace(user, f"{user}x").rpartition("|")[0]
        apart[text]["fade_key"] = str(apart[text]["fade_key"]).rpartition("|")[0]
    if not is_lost:
        assert parted == apart
    for name in ("source_count", "occurred_at", "ingested_at", "state"):
        assert [parted[text][name] for text in (OLD, NEW)] == [apart[text][name] for text in (OLD, NEW)], name
    assert sum(of_it["access_count"] for of_it in parted.values()) == 8


def test_what_a_removed_source_is_still_linked_to_is_let_go_of(graph: Graph, user: str) -> None:
    survivor, _ = merged(graph, user)
    remove_source(graph, CLOCK, user, f"{user}/3")
    assert extract(graph, user, answers())["withheld"] == 1
    seed(graph, user, [], [(f"{user}/3", "STATES", survivor)])
    assert stating(graph, survivor) == ["1", "2", "3"]
    assert [extract(graph, user, answers())["withheld"] for _ in range(2)] == [1, 0]
    assert stating(graph, survivor) == ["1", "2"]


@pytest.fixture(scope="module")
def vectors() -> Embedder:
    return embedder(Settings(_env_file=None))


@pytest.fixture
def desk(graph: Graph, user: str, tmp_path: Path, vectors: Embedder) -> Desk:
    return Desk(graph, user, tmp_path, vectors)


def recorded_twice(desk: Desk) -> tuple[str, str]:
    """Two records of an agent that say the same, in two files, merged: the ids of both."""
    desk.write("a.jsonl", said("belief", "b-1", "Slip 4 is dry.", confidence=0.5))
    desk.write("b.jsonl", said("belief", "b-2", "Slip 4 is dry!", confidence=0.4))
    desk.record()
    ids = {name: one["id"] for name, one in desk.stored().items()}
    later = NOW + timedelta(days=3)
    with worth(lambda facts: float(facts.id == ids["b-1"])):
        done = deduplicate(desk.graph, desk.user, list(ids.values()), later)
    assert [(one["kept"], one["gone"]) for one in done.merged] == [(ids["b-1"], ids["b-2"])], done
    return ids["b-1"], ids["b-2"]


def test_a_record_that_was_merged_is_not_recorded_anew(desk: Desk) -> None:
    recorded_twice(desk)
    before = desk.picture()
    assert desk.record()["new"] == 0 and desk.picture() == before
    assert desk.stored()["b-2"]["tombstone"] is True


def test_what_is_learned_from_a_merged_record_later_is_learned_from_the_one_that_stands(desk: Desk) -> None:
    recorded_twice(desk)
    desk.write("c.jsonl", said("reflection", "r-1", "It dries by noon.", refers_to=["b-2"]))
    desk.record()
    assert ("r-1", "REFERS_TO", "b-1") in desk.links()


def test_a_merged_record_that_comes_in_with_another_content_lives_again(desk: Desk) -> None:
    survivor, gone = recorded_twice(desk)
    desk.travel(NOW + timedelta(days=4))
    desk.write("b.jsonl", said("belief", "b-2", "Slip 4 is wet.", confidence=0.4))
    desk.record()
    found = desk.stored()
    assert found["b-2"].get("tombstone") is None and found["b-2"]["text"] == "Slip 4 is wet."
    assert found["b-1"].get("tombstone") is None and survivor != gone


def test_nothing_stands_for_a_merged_record_that_came_in_anew_and_is_pruned_later(desk: Desk) -> None:
    survivor, gone = recorded_twice(desk)
    desk.travel(NOW + timedelta(days=4))
    desk.write("b.jsonl", said("belief", "b-2", "Slip 4 is wet.", confidence=0.2))
    desk.record()
    found = desk.stored()["b-2"]
    assert (found.get("merged_into"), found.get("merged_by")) == (None, None)
    assert prune(desk.graph, desk.user, [gone], NOW + timedelta(days=9)) == {gone}
    assert desk.graph.read("graph/list_merged", user_id=desk.user, ids=[gone, survivor]) == []
    assert desk.graph.read("records/list_named", user_id=desk.user, names=["b-2"]) == []
    assert (
        desk.graph.read("curation/list_pairs", user_id=desk.user, status="undecided", limit=9, judge=None, begins=None)
        == []
    )
    desk.write("b.jsonl", said("belief", "b-2", "Slip 4 is dry!", at="2026-11-30T09:00:00Z", confidence=0.4))
    desk.record()
    later = NOW + timedelta(days=12)
    with worth(lambda facts: float(facts.id == survivor)):
        again = deduplicate(desk.graph, desk.user, [gone], later)
    assert [one["gone"] for one in again.merged] == [gone], "it says the same again"


def test_what_agents_record_is_compared_by_the_next_cycle(desk: Desk) -> None:
    desk.write("a.jsonl", said("belief", "b-1", "I'm sure that slip 4 is dry.", confidence=0.5))
    desk.write("b.jsonl", said("belief", "b-2", "I am sure that slip 4 is dry", confidence=0.4))
    desk.record()
    cycle = run_cycle(desk.graph, desk.user, Cadence.SIX_HOURS, NOW + timedelta(days=2))
    assert len(cycle.merged) == 1, cycle
