"""Memories that say the same: found, merged without a relationship lost, listed where their words leave it open."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_assets.clock import to_iso
from memory_assets.curation import merging
from memory_assets.curation.duplicates import (
    KEPT,
    DuplicateError,
    deduplicate,
    find_pairs,
    list_pairs,
    settle,
    undo_kept,
)
from memory_assets.curation.likeness import Claim, Likeness, Verdict, guarded
from memory_assets.curation.merging import A_PERSON, unite
from memory_assets.curation.restoring import restore
from memory_assets.curation.snapshots import Snapshot, encode, read_whole
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.graph.statements import id_rows
from memory_assets.llm.local_embedder import LocalEmbedder
from memory_assets_tests.conftest import owner_for
from memory_assets_tests.curation import records
from memory_assets_tests.llm.openai_bench import Bench
from memory_assets_tests.support.protocol_server import ProtocolServer, says, status
from memory_assets_tests.support.seeds import decide_out

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
EMBEDDER = "test"
LINKS = ("STATES", "ABOUT", "REFERS_TO", "LEARNED_FROM", "RECORDED_IN")


def say(graph: Graph, user: str, key: str, text: str, label: str = "KnowledgeChunk", **known: Any) -> str:
    """A memory that says something, with the local embedder's vector."""
    (vector,) = LocalEmbedder().embed([text], asset="", user_id="")
    properties: dict[str, Any] = {"embedding": vector.tolist(), "embedder": EMBEDDER}
    if label == "KnowledgeChunk":
        properties |= {"content": text, "content_type": "insight", "speaker": "ana", "agent": None, "confidence": 0.5}
    else:
        properties |= {"text": text, "record_kind": label, "tier": "HOT"}
    identifier = f"{user}:{key}"
    records.seed(graph, user, [records.record(identifier, label, ref=key, **properties | known)])
    return identifier


def link(graph: Graph, user: str, links: Iterable[tuple[str, str, str]]) -> None:
    given = list(links)
    records.seed(graph, user, (), [one for one in given if one[1] in LINKS])
    rows = [{"start_id": one, "type": kind, "end_id": two} for one, kind, two in given if kind not in LINKS]
    if rows:
        records.run(graph, "seed_bearings", rows=rows, user_id=user)


def source(graph: Graph, user: str, key: str) -> str:
    records.seed(graph, user, [records.record(f"{user}:{key}", "Source", ingested_at="2026-02-01T00:00:00.000Z")])
    return f"{user}:{key}"


def whole(graph: Graph, user: str, *ids: str) -> dict[str, Snapshot]:
    return read_whole(graph, user, ids)


def test_what_says_the_same_is_merged_into_what_is_worth_more(graph: Graph, user: str, tmp_path: Path) -> None:
    old = say(
        graph, user, "old", "I'm sure that the boat is old.", access_count=2, created_at="2026-01-01T00:00:00.000Z"
    )
    new = say(graph, user, "new", "I am sure that the boat is old", access_count=3, confidence=0.75)
    other = say(graph, user, "other", "I am sure that the boat is not old")
    said, again = source(graph, user, "s1"), source(graph, user, "s2")
    topic = f"{user}:topic"
    records.seed(graph, user, [records.record(topic, "Person")])
    link(
        graph,
        user,
        [
            (said, "STATES", old), (said, "STATES", new), (again, "STATES", new),
            (old, "ABOUT", topic), (new, "ABOUT", topic), (new, "CONTRADICTS", other),
            (f"{user}:note", "RESTS_ON", new), (f"{user}:file", "LISTS", new), (new, "HAS_VALUE", f"{user}:value"),
        ],
    )  # fmt: skip
    before = whole(graph, user, old, new)
    with records.worth(lambda facts: 1.0):
        dry = deduplicate(graph, user, [new], NOW, file=tmp_path / "v.sqlite", dry_run=True)
    assert [one["gone"] for one in dry.merged] == [new] and whole(graph, user, old, new) == before
    with records.worth(lambda facts: 1.0):
        done = deduplicate(graph, user, [new], NOW, file=tmp_path / "v.sqlite")
    assert [(one["kept"], one["gone"]) for one in done.merged] == [(old, new)], done
    after = whole(graph, user, old, new)
    survivor, gone = after[old], after[new]
    assert (survivor.properties["access_count"], survivor.properties["source_count"]) == (5, 2)
    assert {(one.type, one.direction, one.other_id) for one in survivor.links} == {
        ("STATES", "in", said), ("STATES", "in", again), ("ABOUT", "out", topic), ("CONTRADICTS", "out", other),
        ("RESTS_ON", "in", f"{user}:note"), ("LISTS", "in", f"{user}:file"),
    }  # fmt: skip
    assert len(survivor.links) == 6, "nothing twice"
    assert [(one.type, one.other_id) for one in gone.links] == [("HAS_VALUE", f"{user}:value")]
    assert gone.properties["tombstone"] and gone.properties["state"] == "archived"
    (audit,) = graph.query_read_only(
        "MATCH (a:CurationAudit {user_id: $u, action: 'merge'}) RETURN properties(a) AS a", {"u": user}
    )
    assert (audit["a"]["snapshot"], audit["a"]["kept_snapshot"]) == (encode(before[new]), encode(before[old]))
    assert not deduplicate(graph, user, [old, new], NOW, file=tmp_path / "v.sqlite").merged, "done is done"


def test_the_worth_decides_then_age_then_the_id(graph: Graph, user: str) -> None:
    one = say(graph, user, "1", "The harbour is deep.")
    two = say(graph, user, "2", "the harbour is deep!")
    with records.worth(lambda facts: float(facts.id == two)):
        done = deduplicate(graph, user, [one], NOW)
    assert done.merged[0]["kept"] == two


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({"ttl_policy": "keep_forever"}, "a rail"),
        ({"created_at": "2026-06-01T00:00:00.000Z"}, "a rail"),
    ],
)
def test_a_rail_keeps_what_would_go(graph: Graph, user: str, known: dict[str, Any], why: str) -> None:
    survivor = say(graph, user, "1", "The harbour is deep.")
    railed = say(graph, user, "2", "The harbour is deep!", **known)
    before = whole(graph, user, survivor, railed)
    with records.worth(lambda facts: float(facts.id == survivor)):
        done = deduplicate(graph, user, [railed], NOW)
    assert not done.merged and why in next(iter(done.left))
    assert whole(graph, user, survivor, railed) == before


def test_who_writes_meanwhile_wins(graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = (say(graph, user, key, "The harbour is deep.", "Belief") for key in ("1", "2"))
    read = merging.read_whole

    def changed_since(*given: Any) -> dict[str, Snapshot]:
        found = read(*given)
        records.run(graph, "change_record", id=one, user_id=user, text="Another.")
        return found

    monkeypatch.setattr(merging, "read_whole", changed_since)
    done = deduplicate(graph, user, [two], NOW)
    assert not done.merged and "meanwhile" in next(iter(done.left))
    assert not any(snapshot.properties.get("tombstone") for snapshot in whole(graph, user, one, two).values())


def test_what_somebody_has_decided_about_is_not_merged_unasked(graph: Graph, user: str) -> None:
    one, two = (say(graph, user, key, f"The harbour is deep{key}") for key in (".", "!"))
    decide_out(graph, user, one, NOW)
    assert not find_pairs(graph, user, [two]), "it is left out"
    decide_out(graph, user, one, NOW, is_out=False)
    assert len(deduplicate(graph, user, [two], NOW).merged) == 1, "taken back, nothing is decided any more"


def test_other_agents_kinds_and_owners_are_never_compared(graph: Graph, user: str) -> None:
    text = "The harbour is deep."
    one = say(graph, user, "1", text, "Belief")
    say(graph, user, "2", text, "Belief", agent="bo")
    say(graph, user, "3", text, "Reflection")
    say(graph, f"{user}-x", "4", text, "Belief")
    assert find_pairs(graph, user, [one]) == []


def test_an_open_pair_is_listed_once_and_a_person_decides_it(graph: Graph, user: str, tmp_path: Path) -> None:
    one = say(graph, user, "1", "The dog of the neighbour bit the old man.")
    two = say(graph, user, "2", "The old man bit the dog of the neighbour.")
    file = tmp_path / "v.sqlite"
    assert deduplicate(graph, user, [one, two], NOW, file=file).listed == 1
    (pair,) = list_pairs(graph, user)
    assert (pair["reason"], {pair["a"], pair["b"]}) == ("the same words in another order", {one, two})
    assert deduplicate(graph, user, [one, two], NOW, file=file).listed == 0, "it is listed already"
    with pytest.raises(UnknownReferenceError):
        settle(graph, user, "0000", NOW, is_same=False)
    settle(graph, user, pair["id"], NOW, is_same=False)
    assert list_pairs(graph, user) == [] and deduplicate(graph, user, [one, two], NOW, file=file).listed == 0
    assert [row["id"] for row in list_pairs(graph, user, status=KEPT)] == [pair["id"]]
    with pytest.raises(UnknownReferenceError, match="--kept"):
        undo_kept(graph, user, "0000", NOW)
    assert undo_kept(graph, user, pair["id"], NOW)["a"] == pair["a"]
    assert list_pairs(graph, user) == [pair] and list_pairs(graph, user, status=KEPT) == []
    assert settle(graph, user, pair["id"], NOW, is_same=True)["audit"]


def test_a_persons_merge_passes_the_same_statements_and_rails(graph: Graph, user: str) -> None:
    one = say(graph, user, "1", "The dog of the neighbour bit the old man.", ttl_policy="keep_forever")
    two = say(graph, user, "2", "The old man bit the dog of the neighbour.")
    deduplicate(graph, user, [one], NOW)
    (pair,) = list_pairs(graph, user)
    with pytest.raises(DuplicateError, match="rail"), records.worth(lambda facts: float(facts.id == two)):
        settle(graph, user, pair["id"], NOW, is_same=True)
    found = settle(graph, user, pair["id"].partition(":")[2][:8], NOW, is_same=True)
    assert (found["kept"], found["gone"]) == (one, two) and list_pairs(graph, user) == []
    stored = graph.query_read_only("MATCH (p:DuplicatePair {user_id: $u}) RETURN properties(p) AS p", {"u": user})
    assert [(row["p"]["status"], row["p"]["decided_by"]) for row in stored] == [("merged", A_PERSON)]


OPEN = ("She often goes swimming in the lake near Graz.", "She often swims in the lake near Graz.")


@pytest.mark.parametrize("kind", ["CONTRADICTS", "SUPERSEDES", "REFERS_TO"])
def test_an_open_pair_that_was_linked_since_is_not_asked_about_nor_merged(
    graph: Graph, user: str, tmp_path: Path, kind: str
) -> None:
    one, two = (say(graph, user, str(at), text) for at, text in enumerate(OPEN))
    assert deduplicate(graph, user, [one], NOW).listed == 1
    link(graph, user, [(two, kind, one)])
    answer = json.dumps({"relation": "same", "lost": "", "kind": "", "why": "said again", "confidence": 9})
    with ProtocolServer(always=says(answer)) as server:
        done = deduplicate(graph, user, [one], NOW, judge_model=Bench(server, tmp_path).model)
        assert (done.merged, server.chats) == ([], [])
    (pair,) = list_pairs(graph, user)
    with pytest.raises(DuplicateError, match="supersedes, contradicts or refers to"):
        settle(graph, user, pair["id"], NOW, is_same=True)
    assert settle(graph, user, pair["id"], NOW, is_same=False)["audit"] is None


def test_a_person_does_not_merge_what_a_guard_keeps_apart_and_is_told_why(graph: Graph, user: str) -> None:
    one, two = (say(graph, user, str(at), text, "Belief") for at, text in enumerate(OPEN))
    assert deduplicate(graph, user, [one], NOW).listed == 1
    records.run(graph, "change_record", id=two, user_id=user, text=OPEN[1].replace("often", "5 times"))
    (pair,) = list_pairs(graph, user)
    before = whole(graph, user, one, two)
    with pytest.raises(DuplicateError, match="other numbers"):
        settle(graph, user, pair["id"], NOW, is_same=True)
    assert whole(graph, user, one, two) == before


def test_what_a_new_statement_is_compared_with_is_noted(graph: Graph, user: str) -> None:
    say(graph, user, "1", "The harbour is deep.", uncompared=user)
    two = say(graph, user, "2", "The harbour is deep!")
    assert len(deduplicate(graph, user, (), NOW).merged) == 1
    asked: dict[str, Any] = {"user_id": user, "born_before": to_iso(NOW), "limit": 10}
    assert graph.read("curation/list_uncompared", **asked) != [] and two, "the memory that stays is compared again"
    assert not deduplicate(graph, user, (), NOW).merged
    assert graph.read("curation/list_uncompared", **asked) == []


def test_the_file_of_vectors_follows_from_the_graph(graph: Graph, user: str, tmp_path: Path) -> None:
    one, two = (say(graph, user, key, f"The harbour is deep{key}") for key in (".", "!"))
    file = tmp_path / "v.sqlite"
    first = find_pairs(graph, user, [one], file=file)
    assert first == find_pairs(graph, user, [one], file=file) == find_pairs(graph, user, [two])
    file.unlink()
    assert find_pairs(graph, user, [one], file=file) == first


INSTANTS = st.integers(0, 400).map(lambda days: NOW - timedelta(days=days))
LIVES = st.fixed_dictionaries(
    {"created_at": INSTANTS},
    optional={
        "access_count": st.integers(0, 9),
        "confidence": st.floats(0, 1),
        "recent_accesses": st.lists(INSTANTS.map(datetime.isoformat), max_size=10, unique=True).map(sorted),
        "accessed_by": st.lists(st.sampled_from("abcdefgh"), max_size=5, unique=True).map(sorted),
        "about": st.lists(st.sampled_from("xyz"), unique=True),
        "last_accessed_at": INSTANTS,
        "state": st.sampled_from(["candidate", "active", "core"]),
    },
)


@given(LIVES, LIVES)
def test_nothing_known_of_either_is_lost(survivor: dict[str, Any], gone: dict[str, Any]) -> None:
    found = survivor | unite(survivor, gone)
    assert found.get("access_count", 0) == survivor.get("access_count", 0) + gone.get("access_count", 0)
    assert found["created_at"] == min(survivor["created_at"], gone["created_at"])
    for name in ("confidence", "last_accessed_at"):
        assert found.get(name) == max((one[name] for one in (survivor, gone) if name in one), default=None)
    for name in ("accessed_by", "about"):
        assert set(found.get(name, ())) == set(survivor.get(name, ())) | set(gone.get(name, ()))
    recent = sorted({*survivor.get("recent_accesses", ()), *gone.get("recent_accesses", ())})[-10:]
    assert found.get("recent_accesses", []) == recent


OTHERS = ("r1", "r2", "r3")
RECORD_LINKS = st.lists(
    st.tuples(
        st.sampled_from(["kept", "gone", *OTHERS]),
        st.sampled_from(["REFERS_TO", "LEARNED_FROM", "RECORDED_IN"]),
        st.sampled_from(["kept", "gone", *OTHERS, "s1", "s2"]),
    ).filter(lambda one: one[0] != one[2] and (one[1] == "RECORDED_IN") == one[2].startswith("s")),
    max_size=14,
    unique=True,
)
CASES = iter(range(10_000))


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(RECORD_LINKS)
def test_no_relationship_of_a_record_is_lost_and_none_is_doubled(
    graph: Graph, links: list[tuple[str, str, str]]
) -> None:
    user = owner_for(f"relationships {next(CASES)} {links}")
    for key in ("kept", "gone"):
        say(graph, user, key, "The harbour is deep.", "Reflection")
    for key in OTHERS:
        say(graph, user, key, f"About {key}.", "Analysis")
    for key in ("s1", "s2"):
        source(graph, user, key)
    link(graph, user, [(f"{user}:{one}", kind, f"{user}:{other}") for one, kind, other in links])
    ids = [f"{user}:{key}" for key in ("kept", "gone", *OTHERS)]
    before = whole(graph, user, *ids)
    survivor_id, gone_id = ids[:2]
    verdict = Verdict(Likeness.MERGE, "the same")
    pair = merging.Pair(f"duplicate:{user}", "Reflection", *sorted((survivor_id, gone_id)), verdict, 1.0, "w")
    audit, why = merging.merge(graph, user, pair, survivor_id, NOW, reason="the same", decided_by="test")
    agents = 1 if any(other == "gone" and kind == "REFERS_TO" for _, kind, other in links) else 0
    assert audit is not None, (why, agents)
    after = whole(graph, user, *ids)
    moved = {
        (one.replace("gone", "kept"), kind, other.replace("gone", "kept"))
        for one, kind, other in links
        if {one, other} != {"kept", "gone"}
    }
    own = [one for one in after[ids[0]].links if ids[1] != one.other_id]
    expected = {(kind, "out", f"{user}:{other}") for one, kind, other in moved if one == "kept"}
    expected |= {(kind, "in", f"{user}:{one}") for one, kind, other in moved if other == "kept"}
    assert sorted(one.place for one in own) == sorted(expected)
    assert {one.other_id for one in after[ids[1]].links} <= {ids[0]}
    for key in ids[2:]:
        untouched = [one for one in before[key].links if one.other_id not in ids[:2]]
        assert [one for one in after[key].links if one.other_id not in ids[:2]] == untouched


@pytest.mark.parametrize("label", ["Belief", "KnowledgeChunk"])
def test_restoring_a_merge_brings_both_back_as_they_were(graph: Graph, user: str, label: str) -> None:
    survivor = say(
        graph, user, "1", "The harbour is deep.", label, access_count=2, created_at="2026-01-09T00:00:00.000Z"
    )
    gone = say(graph, user, "2", "The harbour is deep!", label, access_count=3, accessed_by=["bo"])
    other, said = say(graph, user, "3", "About something else.", label), source(graph, user, "s")
    links = {
        "Belief": [(gone, "REFERS_TO", other), (gone, "RECORDED_IN", said), (other, "LEARNED_FROM", survivor)],
        "KnowledgeChunk": [(said, "STATES", gone), (said, "STATES", survivor), (gone, "SUPERSEDES", other)],
    }
    link(graph, user, links[label])
    if label == "KnowledgeChunk":
        link(graph, user, [(f"{user}:note", "RESTS_ON", gone)])
        graph.write("graph/set_chunk_totals", id_rows([survivor, gone]), user_id=user, now=to_iso(NOW))
    before = whole(graph, user, survivor, gone)
    with records.worth(lambda facts: float(facts.id == survivor)):
        done = deduplicate(graph, user, [gone], NOW)
    assert len(done.merged) == 1, done
    back = restore(graph, user, NOW + timedelta(days=1), audits=[done.merged[0]["audit"]])
    assert [one.memory_id for one in back.back] == [gone], back
    after = whole(graph, user, survivor, gone)
    for key in (survivor, gone):
        assert stable(after[key]) == stable(before[key])
    assert not deduplicate(graph, user, [survivor, gone], NOW + timedelta(days=2)).merged, "it was taken back"


def stable(snapshot: Snapshot) -> tuple[dict[str, Any], list[Any]]:
    """A memory without what says that it is to be looked at again."""
    marks = {
        "version",
        "updated_at",
        "restored_at",
        "unscored",
        "unaged",
        "uncounted",
        "uncounted_with",
        "unjudged",
        "uncompared",
        "untold",
        "untold_from_at",
    }
    own = {key: value for key, value in snapshot.properties.items() if key not in marks and "curate_" not in key}
    return own, sorted((one.place, sorted(one.properties.items(), key=str)) for one in snapshot.links)


@pytest.mark.parametrize(
    ("texts", "relation", "merged"),
    [
        (("She often goes swimming in the lake near Graz.", "She often swims in the lake near Graz."), "same", 1),
        (("She often goes swimming in the lake near Graz.", "She often swims in the lake near Graz."), "both", 0),
        (
            ("She goes swimming at the lake with Marek.", "She goes swimming at the lake with a friend, Marek."),
            "same",
            1,
        ),
    ],
)
def test_a_service_is_asked_once_about_an_open_pair_and_its_same_is_merged(
    graph: Graph, user: str, tmp_path: Path, texts: tuple[str, str], relation: str, merged: int
) -> None:
    one, _ = (say(graph, user, str(at), text, "Belief") for at, text in enumerate(texts))
    answer = json.dumps({"relation": relation, "lost": "", "kind": "", "why": "said again", "confidence": 9})
    with ProtocolServer(always=says(answer)) as server:
        bench = Bench(server, tmp_path)
        done = deduplicate(graph, user, [one], NOW, judge_model=bench.model)
        assert (done.listed, len(done.merged), done.problems) == (1, merged, [])
        again = deduplicate(graph, user, [one], NOW, judge_model=bench.model)
        assert again.merged == [] and len(server.chats) == 1
    assert list_pairs(graph, user, judge=bench.model.name) == []
    assert len(list_pairs(graph, user)) == 1 - merged


def test_what_a_service_cannot_answer_waits(graph: Graph, user: str, tmp_path: Path) -> None:
    one = say(graph, user, "1", "She often goes swimming in the lake near Graz.", "Belief")
    say(graph, user, "2", "She often swims in the lake near Graz.", "Belief")
    with ProtocolServer(always=status(503)) as server:
        done = deduplicate(graph, user, [one], NOW, judge_model=Bench(server, tmp_path, max_retries=0).model)
    assert done.problems and not done.merged and list_pairs(graph, user)[0]["asked"] is None


def test_no_models_same_passes_a_guard() -> None:
    for one, other in (
        ("She goes swimming.", "She doesn't go swimming."),
        ("It costs 5 euros.", "It costs 50 euros."),
        ("They meet on Monday.", "They meet on Friday."),
        ("The lake near Graz.", "The lake near Linz."),
    ):
        assert guarded(Claim(one), Claim(other)) is not None
