"""Contexts on a running graph: order, repetition, a kill and a change leave what the set of sources implies."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import neo4j
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memory_assets.clock import Clock
from memory_assets.commands.sources import remove_source, restore_source
from memory_assets.compression import compressing, policy, reading
from memory_assets.compression.assets import compressed_contexts
from memory_assets.compression.checks import LIMITS, levels_keep_their_ratio, originals_are_reachable
from memory_assets.compression.compressing import Compressor
from memory_assets.compression.metadata import describe_contexts
from memory_assets.compression.policy import FULL, KEYWORDS, LEVELS, SUMMARY, context_id
from memory_assets.curation.rails import judge_retirements
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.team_sources import request_sources
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import add_members
from memory_assets.llm.tasks import Extraction
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import reference
from memory_assets.runtime.scope import RunScope
from memory_assets.settings import Settings
from memory_assets_tests.conftest import owner_for
from memory_assets_tests.support.accesses import fold
from memory_assets_tests.support.fixture_resources import given_resources
from memory_assets_tests.support.partitions import add_known
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel, named, stated
from memory_assets_tests.support.seeds import picture, seed_properties, seed_readers, seed_sources, source_row

pytestmark = pytest.mark.graph
HERE = Path(__file__).resolve().parent
NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)
CLOCK = Clock(NOW)
TIMES = {"s1": "2026-03-01T10:00:00Z", "s2": "2026-03-02T12:00:00Z", "s3": "2026-03-03T12:00:00Z"}
LONG = "Nobody on the quay could say for how long it had been standing there, nor who had ordered it to be painted"
WORDS = [f"{LONG} {colour}." for colour in ("red", "green", "blue", "yellow", "brown", "white", "black", "grey")]
KINDS = ("preference", "task", "insight", "chitchat")


def tamper(graph: Graph, name: str, **params: Any) -> None:
    text = (HERE / f"{name}.cypher").read_text("utf-8")
    graph._run(neo4j.WRITE_ACCESS, lambda tx: tx.run(text, params).consume(), name)


def open_context(graph: Graph, user: str, key: str, level: str, at: datetime) -> dict[str, Any]:
    """What somebody sees who opens a context, and the access counted by the next run."""
    shown = reading.open_context(graph, Settings(), user, key, level, at)
    fold(graph, Settings(), user, at)
    return shown


def model() -> ScriptedModel:
    """Each source names Maria, and says what its turns say."""

    def answer(task: str, payload: Any) -> Any:
        said = (
            stated(turn.text, "Maria", speaker=turn.speaker, turn=turn.index, content_type=KINDS[turn.index % 3])
            for turn in payload.turns
        )
        return Extraction(entities=(named("person", "Maria"),), statements=tuple(said))

    return ScriptedModel(answer)


def seed(
    graph: Graph,
    user: str,
    names: Iterable[str] = TIMES,
    owner: str | None = None,
    turns: int = 8,
    times: Mapping[str, str] = TIMES,
    **more: Any,
) -> None:
    owner = owner or user
    rows = []
    for name in names:
        said = [
            {
                "index": n,
                "speaker": ("Alex", "Maria")[n % 2],
                "at": None,
                "text": f"The {name} harbour crane number {n} lifts {n * 37} crates. " + WORDS[n],
            }
            for n in range(turns)
        ]
        rows.append(
            source_row(
                f"{owner}/{name}",
                owner,
                started_at=times[name],
                title=name,
                turns=said,
                summary=f"Cranes lift oranges at {name}.",
            )
        )
    seed_sources(graph, rows)
    heads = [
        {
            "id": row["id"], "user_id": owner, "ref": reference(row["id"]), "source_type": "conversation",
            "token_count": count_tokens(row["content"]), "keywords": ["cranes", "oranges"], "path": (
                "/inbox/harbour.json"
            ),
            "channel": None, "thread_id": None, "sensitivity": "normal", "personal_data": "[]", "message_id": row["id"],
        }
        | more
        for row in rows
    ]  # fmt: skip
    tamper(graph, "seed_heads", rows=heads)
    if owner != user:
        request_sources(graph, user, [row["id"] for row in rows], NOW)
    extract(graph, user)


def extract(graph: Graph, user: str) -> None:
    Extractor(graph, model(), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())


def expired(graph: Graph, user: str, at: datetime) -> int:
    return describe_contexts(graph, user, at, Counter())["contexts_expired"]


def compress(graph: Graph, user: str, *, at: datetime = NOW, force: bool = False) -> Counter[str]:
    return Compressor(graph, user, at, lambda _: None).run(force=force)


def contexts(graph: Graph, user: str, source: str) -> dict[str, dict[str, Any]]:
    ids = {context_id(user, source, level): level for level in LEVELS}
    rows = graph.read("compression/list_contexts", ids=list(ids), user_id=user)
    return {ids[row["id"]]: row["properties"] for row in rows}


def test_a_source_has_three_levels_and_the_way_back_from_each(graph: Graph, user: str) -> None:
    seed(graph, user)
    counts = compress(graph, user)
    assert (counts["compressed"], counts["contexts"], counts["placed"]) == (3, 9, 3)
    found = contexts(graph, user, f"{user}/s2")
    full, summary, keywords = (found[level] for level in LEVELS)
    assert "content" not in full or full["content"] is None, "its text is in the graph once: at the source"
    assert full["token_count"] > 300 and summary["token_count"] <= full["token_count"] // 10
    assert summary["content"] == "Cranes lift oranges at s2.", "no statement has room whole"
    assert keywords["content"] == "cranes, oranges, Maria"
    assert (keywords["parent_context_id"], summary["parent_context_id"]) == (summary["id"], full["id"])
    assert (summary["child_context_ids"], keywords["child_context_ids"]) == ([keywords["id"]], [])
    assert full["child_context_ids"] == [summary["id"]]
    assert {one["content_type"] for one in found.values()} == {"preference"}
    assert {one["access_tier"] for one in found.values()} == {"PUBLIC"}
    assert {one["source_id"] for one in found.values()} == {f"{user}/s2"}
    assert (full.get("expires_at"), summary.get("expires_at")) == (None, None)
    assert keywords["expires_at"] == NOW + timedelta(days=45)


def links(graph: Graph, user: str) -> list[tuple[str, str, str, float | None]]:
    return [
        (line["label"], line["start"]["id"], line["end"]["id"], line["properties"].get("compression_ratio"))
        for line in export_user(graph, user, canonical=True)
        if line["type"] == "relationship" and line["label"] in ("SUMMARIZED_TO", "FOLLOWS", "PART_OF", "CONTEXT_OF")
    ]


def test_levels_lead_to_each_other_and_sources_of_one_file_follow_each_other(graph: Graph, user: str) -> None:
    seed(graph, user)
    compress(graph, user)
    found = links(graph, user)
    ids = {name: {level: context_id(user, f"{user}/{name}", level) for level in LEVELS} for name in TIMES}
    follows = {(start, end) for label, start, end, _ in found if label == "FOLLOWS"}
    assert follows == {(ids["s2"][FULL], ids["s1"][FULL]), (ids["s3"][FULL], ids["s2"][FULL])}
    ratios = {(start, end): ratio for label, start, end, ratio in found if label == "SUMMARIZED_TO"}
    s1 = contexts(graph, user, f"{user}/s1")
    assert ratios[ids["s1"][FULL], ids["s1"][SUMMARY]] == s1[SUMMARY]["compression_ratio"] <= 0.1
    assert ratios[ids["s1"][SUMMARY], ids["s1"][KEYWORDS]] == s1[KEYWORDS]["compression_ratio"] <= 0.03
    assert len(ratios) == 6
    assert {(start, end) for label, start, end, _ in found if label == "CONTEXT_OF"} == {
        (ids[name][FULL], f"{user}/{name}") for name in TIMES
    }


def test_a_rerun_changes_nothing_and_a_changed_source_is_made_again_alone(graph: Graph, user: str) -> None:
    seed(graph, user)
    compress(graph, user)
    before = picture(graph, user)
    counts = compress(graph, user, at=NOW + timedelta(days=3))
    assert (counts["due"], counts["placed"], counts["retired"]) == (0, 0, 0)
    assert picture(graph, user) == before
    assert compress(graph, user, at=NOW + timedelta(days=3), force=True)["compressed"] == 3
    assert picture(graph, user) == before, "when it expires was said when it was made"
    seed(graph, user, ["s2"], keywords=["anchors"], personal_data=json.dumps([{"kind": "phone number", "count": 1}]))
    assert compress(graph, user)["compressed"] == 1
    found = contexts(graph, user, f"{user}/s2")
    assert found[KEYWORDS]["content"] == "anchors, Maria"
    assert (found[FULL]["access_tier"], found[KEYWORDS]["access_tier"]) == ("SENSITIVE", "PUBLIC")


def comparable(graph: Graph, user: str) -> list[str]:
    ours = ("CompressedContext", "FOLLOWS", "PART_OF", "SUMMARIZED_TO", "CONTEXT_OF")
    lines = [json.dumps(line, sort_keys=True) for line in export_user(graph, user, canonical=True)]
    return [line for line in lines if any(name in line for name in ours)]


def test_neither_order_nor_pieces_nor_accesses_show_in_a_canonical_export(graph: Graph, user: str) -> None:
    for name in ("s3", "s1", "s2"):
        seed(graph, user, [name])
        compress(graph, user, at=NOW + timedelta(days=1))
    open_context(graph, user, f"{user}/s1", KEYWORDS, NOW)
    pieces = comparable(graph, user)
    tamper(graph, "remove_contexts", user_id=user)
    assert comparable(graph, user) == []
    compress(graph, user, force=True)
    assert comparable(graph, user) == pieces and len(pieces) == 9 + 2 + 6 + 3


def head(path: str = "/inbox/a.json", **more: Any) -> dict[str, Any]:
    return {"path": path, "channel": None, "thread_id": None, "sensitivity": "normal"} | more


HEADS = st.builds(
    head,
    path=st.sampled_from(["/inbox/a.json", "/inbox/b.json"]),
    channel=st.sampled_from([None, "harbour"]),
    thread_id=st.sampled_from([None, "t1"]),
    sensitivity=st.sampled_from(["normal", "high"]),
)
ONE_DAY = {"s1": "2026-03-01T10:00:00Z", "s2": "2026-03-01T12:00:00Z", "s3": "2026-03-01T14:00:00Z"}
CHANGES = st.tuples(st.sampled_from([*TIMES]), HEADS | st.sampled_from(["removed", "restored"]))
OWNERS = itertools.count()


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(CHANGES, min_size=1, max_size=4))
@example([("s2", head("/inbox/b.json"))])
@example([("s1", head(channel="harbour")), ("s2", head(channel="harbour", thread_id="t1")), ("s1", head())])
@example([("s2", "removed"), ("s2", "restored")])
def test_what_each_run_makes_of_what_has_changed_is_what_one_makes_of_everything(
    graph: Graph, history: list[tuple[str, dict[str, Any] | str]]
) -> None:
    user = owner_for(f"{__name__} {next(OWNERS)}")
    seed(graph, user, turns=3, times=ONE_DAY, **head())
    compress(graph, user)
    for name, change in history:
        if isinstance(change, dict):
            seed(graph, user, [name], turns=3, times=ONE_DAY, **change)
        else:
            (remove_source if change == "removed" else restore_source)(graph, CLOCK, user, f"{user}/{name}")
            extract(graph, user)
        compress(graph, user)
    before = comparable(graph, user)
    assert not any(compress(graph, user).values())
    compress(graph, user, force=True)
    assert comparable(graph, user) == before


def test_a_mail_takes_its_place_when_what_it_answers_is_found(graph: Graph, user: str) -> None:
    seed(graph, user, source_type="email")
    compress(graph, user)
    full = {name: context_id(user, f"{user}/{name}", FULL) for name in TIMES}
    for answered in ("s1", "s2"):
        graph.write("sources/link_replies", [{"id": f"{user}/s3", "names": [f"{user}/{answered}"]}], user_id=user)
        assert compress(graph, user)["due"] == 0
        assert [link[1:3] for link in links(graph, user) if link[0] == "PART_OF"] == [(full["s3"], full[answered])]


def test_what_is_beside_an_erased_source_finds_its_place(graph: Graph, user: str) -> None:
    seed(graph, user)
    compress(graph, user)
    gone = [f"{user}/s2", *(context_id(user, f"{user}/s2", level) for level in LEVELS)]
    graph.write("curation/erase_nodes", ids=gone, user_ids=[user])
    assert compress(graph, user)["placed"] == 1
    (follows,) = [link[1:3] for link in links(graph, user) if link[0] == "FOLLOWS"]
    assert follows == tuple(context_id(user, f"{user}/{name}", FULL) for name in ("s3", "s1"))


def test_a_run_that_was_killed_when_a_source_had_gone_places_what_was_beside_it(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(graph, user)
    compress(graph, user)
    assert remove_source(graph, CLOCK, user, f"{user}/s2")
    seed(graph, user, ["s1", "s3"], sensitivity="high")

    def kill(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compressing, "SOURCES_PER_BATCH", 1)
    with pytest.raises(KeyboardInterrupt):
        Compressor(graph, user, NOW, kill).run()
    assert contexts(graph, user, f"{user}/s2") == {}
    assert compress(graph, user)["placed"] == 1
    (follows,) = [link[1:3] for link in links(graph, user) if link[0] == "FOLLOWS"]
    assert follows == tuple(context_id(user, f"{user}/{name}", FULL) for name in ("s3", "s1"))


def test_a_source_that_changes_while_contexts_are_made_is_due_again(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressing, "SOURCES_PER_BATCH", 1)
    seed(graph, user, ["s1", "s2"])
    Compressor(graph, user, NOW, lambda _: seed(graph, user, ["s1"], sensitivity="high")).run()
    assert compress(graph, user)["compressed"] == 1
    assert contexts(graph, user, f"{user}/s1")[FULL]["access_tier"] == "SENSITIVE"
    assert compress(graph, user)["due"] == 0


def test_a_kill_between_batches_costs_a_batch(graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(graph, user)
    compress(graph, other := f"{user}b")
    assert contexts(graph, other, f"{user}/s1") == {}
    monkeypatch.setattr(compressing, "SOURCES_PER_BATCH", 1)

    def kill(message: str) -> None:
        if "2 of 3" in message:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Compressor(graph, user, NOW, kill).run()
    assert links(graph, user) and not [link for link in links(graph, user) if link[0] == "FOLLOWS"]
    counts = compress(graph, user)
    assert (counts["compressed"], counts["placed"]) == (1, 3)
    killed = comparable(graph, user)
    compress(graph, user, force=True)
    assert comparable(graph, user) == killed


def test_a_source_between_two_takes_its_place(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1", "s3"])
    compress(graph, user)
    seed(graph, user, ["s2"])
    assert compress(graph, user)["placed"] == 2
    assert len([link for link in links(graph, user) if link[0] == "FOLLOWS"]) == 2
    assert remove_source(graph, CLOCK, user, f"{user}/s2")
    counts = compress(graph, user)
    assert (counts["retired"], counts["placed"]) == (3, 1)
    (follows,) = [link[1:3] for link in links(graph, user) if link[0] == "FOLLOWS"]
    assert follows == tuple(context_id(user, f"{user}/{name}", FULL) for name in ("s3", "s1"))
    audits = graph.read("curation/list_retirements", user_id=user)
    ours = [audit for audit in audits if audit["label"] == "CompressedContext"]
    assert len(ours) == 3 and judge_retirements(ours) == []
    assert not any("oranges" in audit["snapshot"] for audit in ours), "an audit holds no words of a source"


@pytest.mark.parametrize("rail", [{"access_count": 1}, {"ttl_policy": "keep_forever"}, {"state": "core"}])
def test_a_closed_rail_keeps_a_context_of_a_source_that_is_gone(graph: Graph, user: str, rail: dict[str, Any]) -> None:
    seed(graph, user, ["s1"])
    compress(graph, user)
    summary = context_id(user, f"{user}/s1", SUMMARY)
    seed_properties(graph, user, summary, **rail)
    assert remove_source(graph, CLOCK, user, f"{user}/s1")
    extract(graph, user)
    assert compress(graph, user)["retired"] == 2
    (left,) = contexts(graph, user, f"{user}/s1").values()
    assert (left["id"], left.get("content")) == (summary, None)
    assert graph.read("compression/list_unreachable", user_id=user) == []


@pytest.mark.parametrize("level", LEVELS)
def test_a_source_that_was_read_removed_and_restored_has_all_its_levels_again(
    graph: Graph, user: str, level: str
) -> None:
    source = f"{user}/s1"

    def run() -> int:
        extract(graph, user)
        made = compress(graph, user)["compressed"]
        assert graph.read("compression/list_unreachable", user_id=user) == []
        return made

    seed(graph, user, ["s1"])
    assert run() == 1
    before = contexts(graph, user, source)
    open_context(graph, user, source, level, NOW)
    assert remove_source(graph, CLOCK, user, source)
    assert run() == 0
    (left,) = contexts(graph, user, source).values()
    assert (left["compression_level"], left.get("content"), left.get("fingerprint")) == (level, None, None)
    assert run() == 0
    assert restore_source(graph, CLOCK, user, source)
    assert run() == 1
    after = contexts(graph, user, source)
    assert list(after) == list(before)
    assert {name: one.get("content") for name, one in after.items()} == {
        name: one.get("content") for name, one in before.items()
    }
    assert run() == 0


def test_words_that_outlived_their_source_are_found_without_its_full_context(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1"])
    compress(graph, user)
    open_context(graph, user, f"{user}/s1", SUMMARY, NOW)
    full = {
        "id": context_id(user, f"{user}/s1", FULL),
        "audit_id": f"{user}/audit",
        "label": "CompressedContext",
        "reason": "r",
        "snapshot": "{}",
    }
    assert graph.write("curation/retire_contexts", [full], user_id=user, now=NOW)
    assert remove_source(graph, CLOCK, user, f"{user}/s1")
    assert {row["level"] for row in graph.read("compression/list_unreachable", user_id=user)} == {KEYWORDS, SUMMARY}
    compress(graph, user)
    (left,) = contexts(graph, user, f"{user}/s1").values()
    assert (left["compression_level"], left.get("content")) == (SUMMARY, None)


def test_a_members_contexts_are_the_members_own_and_empty_once_the_source_is_withheld(graph: Graph, user: str) -> None:
    team, other = f"team-{user}", f"{user}b"
    add_members(graph, CLOCK, user, [user, other])
    seed(graph, user, ["s1"], owner=team)
    source = f"{team}/s1"
    assert (compress(graph, user)["compressed"], compress(graph, other)["compressed"]) == (1, 0)
    assert contexts(graph, other, source) == {}
    open_context(graph, user, source, SUMMARY, NOW)
    seed_readers(graph, team, source, ["somebody"])
    assert compress(graph, user)["retired"] == 2
    left = contexts(graph, user, source)
    assert list(left) == [SUMMARY] and left[SUMMARY].get("content") is None
    with pytest.raises(UnknownReferenceError, match="Nothing of"):
        open_context(graph, user, source, SUMMARY, NOW)
    seed_readers(graph, team, source, None)
    extract(graph, user)
    assert compress(graph, user)["compressed"] == 1
    assert contexts(graph, user, source)[SUMMARY]["content"]


def test_from_any_level_and_reference_to_the_original(graph: Graph, user: str) -> None:
    seed(graph, user)
    compress(graph, user)
    source = f"{user}/s2"
    said = [row["chunk_id"] for row in graph.read("notes/list_source_statements", ids=[source], user_id=user)]
    of = {level: context_id(user, source, level) for level in LEVELS}
    keys = [source, reference(source), *of.values(), *map(reference, of.values()), reference(said[0])]
    opened = [open_context(graph, user, key, FULL, NOW) for key in keys]
    assert {one["source"]["id"] for one in opened} == {source}
    assert all("crane number 7" in one["text"] for one in opened)
    shown = open_context(graph, user, of[KEYWORDS], KEYWORDS, NOW)
    assert (shown["text"], shown["follows"], shown["followed_by"]) == (
        "cranes, oranges, Maria",
        f"{user}/s1",
        [f"{user}/s3"],
    )
    assert [one["level"] for one in shown["levels"]] == list(LEVELS)
    with pytest.raises(UnknownReferenceError, match="Nothing of"):
        open_context(graph, f"{user}x", source, FULL, NOW)


def test_an_access_is_counted_keeps_from_expiry_and_makes_nothing_due(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1"])
    compress(graph, user)
    later = NOW + timedelta(days=45)
    assert [expired(graph, user, at) for at in (later - timedelta(seconds=1), later)] == [0, 1]
    for _ in range(2):
        shown = reading.open_context(graph, Settings(), user, f"{user}/s1", KEYWORDS, NOW)
    waiting = contexts(graph, user, f"{user}/s1")[KEYWORDS]
    assert (waiting["access_count"], waiting["expires_at"]) == (0, later), "reading writes nothing"
    seen = reading.open_context(graph, Settings(), user, f"{user}/s1", SUMMARY, later)["levels"]
    assert [(one["access_count"], one["expires_at"]) for one in seen if one["level"] == KEYWORDS] == [(2, None)]
    assert fold(graph, Settings(), user, NOW).memories == {
        context_id(user, f"{user}/s1", n) for n in (KEYWORDS, SUMMARY)
    } | {f"{user}/s1"}
    found = contexts(graph, user, f"{user}/s1")
    assert (shown["access_count"], found[KEYWORDS]["access_count"], found[SUMMARY]["access_count"]) == (2, 2, 1)
    assert (found[KEYWORDS]["last_accessed"], found[KEYWORDS].get("expires_at")) == (NOW, None)
    assert expired(graph, user, later) == 0
    assert compress(graph, user)["due"] == 0
    compress(graph, user, force=True)
    assert contexts(graph, user, f"{user}/s1")[KEYWORDS].get("expires_at") is None


def test_what_was_not_extracted_has_no_context_and_says_so(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1"])
    with pytest.raises(UnknownReferenceError, match="has not been compressed"):
        open_context(graph, user, f"{user}/s1", SUMMARY, NOW)
    shown = reading.open_context(graph, Settings(), user, f"{user}/s1", None, NOW)
    assert (shown["level"], shown["text"], shown["levels"]) == (None, "Cranes lift oranges at s1.", [])


def test_the_asset_shows_its_levels_and_its_checks_can_fail(graph: Graph, user: str) -> None:
    seed(graph, user)
    resources = given_resources(graph, model(), HashEmbedder(), CLOCK)
    with dg.DagsterInstance.ephemeral() as instance:
        add_known(instance, [user])

        def run(*assets: Any) -> dict[str, bool]:
            done = dg.materialize(list(assets), partition_key=user, resources=resources, instance=instance)
            return {one.check_name: one.passed for one in done.get_asset_check_evaluations()}

        passed = run(compressed_contexts, levels_keep_their_ratio, originals_are_reachable)
        assert passed == {
            "no_owner_was_held_up": True,
            "levels_keep_their_ratio": True,
            "originals_are_reachable": True,
        }
    summary, keywords = (context_id(user, f"{user}/s1", level) for level in (SUMMARY, KEYWORDS))
    assert graph.read("compression/list_overlong", user_id=user, **LIMITS) == []
    for identifier, tokens, level in ((keywords, 20, "keywords"), (summary, 200, "summary")):
        tamper(graph, "tamper_context", id=identifier, user_id=user, token_count=tokens)
        (row,) = graph.read("compression/list_overlong", user_id=user, **LIMITS)
        assert (row["id"], row["level"], row["tokens"]) == (identifier, level, tokens)
    assert graph.read("compression/list_unreachable", user_id=user) == []
    tamper(graph, "tamper_link", id=keywords, user_id=user)
    assert [row["id"] for row in graph.read("compression/list_unreachable", user_id=user)] == [keywords]
    tamper(graph, "tamper_link", id=context_id(user, f"{user}/s1", FULL), user_id=user)
    assert {row["level"] for row in graph.read("compression/list_unreachable", user_id=user)} == set(LEVELS)
    compress(graph, user, force=True)
    assert graph.read("compression/list_unreachable", user_id=user) == []
    assert graph.read("compression/list_overlong", user_id=user, **LIMITS) == []


def test_what_people_look_at(graph: Graph, user: str) -> None:
    assert describe_contexts(graph, user, NOW, compress(graph, user))["contexts_in_all"] == 0
    seed(graph, user)
    counts = compress(graph, user)
    shown = describe_contexts(graph, user, NOW, counts)
    assert (shown["sources"], shown["compressed"], shown["contexts_in_all"], shown["contexts_expired"]) == (3, 3, 9, 0)
    assert (
        shown["tokens_summary"] <= shown["tokens_full"] // 10
        and shown["tokens_keywords"] <= shown["tokens_full"] * 3 // 100
    )
    assert "| keywords | 3 |" in shown["levels"] and "| preference | 3 |" in shown["content_types"]


def test_the_code_version_is_part_of_what_contexts_are_made_from(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(graph, user, ["s1"])
    compress(graph, user)
    monkeypatch.setattr(policy, "CODE_VERSION", "another")
    assert compress(graph, user)["compressed"] == 1


def test_what_has_expired_is_offered_no_more_and_retired_by_the_run(graph: Graph, user: str) -> None:
    seed(graph, user)
    compress(graph, user)
    assert Compressor(graph, user, NOW, lambda _: None).next_expiry() == NOW + timedelta(days=45)
    open_context(graph, user, f"{user}/s3", KEYWORDS, NOW)
    later = NOW + timedelta(days=45)
    with pytest.raises(UnknownReferenceError, match=r"no keywords any more: they expired.* There is full, summary"):
        open_context(graph, user, f"{user}/s1", KEYWORDS, later)
    keywords = context_id(user, f"{user}/s1", KEYWORDS)
    assert "crane number 7" in open_context(graph, user, keywords, FULL, later)["text"], "the original stays reachable"
    assert [one["level"] for one in open_context(graph, user, f"{user}/s1", SUMMARY, later)["levels"]] == [
        FULL,
        SUMMARY,
    ]

    assert compress(graph, user, at=later - timedelta(seconds=1))["expired"] == 0
    assert compress(graph, user, at=later)["expired"] == 2, "what somebody has read stays"
    assert [set(contexts(graph, user, f"{user}/{name}")) for name in ("s1", "s3")] == [{FULL, SUMMARY}, set(LEVELS)]
    assert [contexts(graph, user, f"{user}/{name}")[SUMMARY]["child_context_ids"] for name in ("s1", "s3")] == [
        [], [context_id(user, f"{user}/s3", KEYWORDS)]
    ]  # fmt: skip
    audits = {row["memory_id"]: row for row in graph.read("curation/list_retirements", user_id=user)}
    assert "it expired" in audits[keywords]["reason"] and "oranges" not in audits[keywords]["snapshot"]
    assert judge_retirements(audits.values()) == []
    assert graph.read("compression/list_unreachable", user_id=user) == []
    assert not any(compress(graph, user, at=later).values()), "and a rerun changes nothing"
    assert Compressor(graph, user, later, lambda _: None).next_expiry() is None


def test_what_somebody_has_read_since_accesses_were_counted_does_not_expire(graph: Graph, user: str) -> None:
    seed(graph, user)
    compress(graph, user)
    later = NOW + timedelta(days=45)
    before = later - timedelta(minutes=1)
    assert reading.open_context(graph, Settings(), user, f"{user}/s1", KEYWORDS, before)["expires_at"] is None
    resources = given_resources(graph, model(), HashEmbedder(), Clock(later))
    with dg.DagsterInstance.ephemeral() as instance:
        add_known(instance, [user])
        for _ in range(2):
            dg.materialize([compressed_contexts], partition_key=user, resources=resources, instance=instance)
    there = [set(contexts(graph, user, f"{user}/{name}")) for name in TIMES]
    assert there == [set(LEVELS), {FULL, SUMMARY}, {FULL, SUMMARY}]
    fold(graph, Settings(), user, later)
    assert contexts(graph, user, f"{user}/s1")[KEYWORDS].get("expires_at") is None


def test_the_step_is_due_when_the_next_context_expires(graph: Graph, user: str) -> None:
    seed(graph, user, ["s1"])
    resources = given_resources(graph, model(), HashEmbedder(), CLOCK)
    with dg.DagsterInstance.ephemeral() as instance:
        add_known(instance, [user])
        done = dg.materialize([compressed_contexts], partition_key=user, resources=resources, instance=instance)
        assert done.success
    (mark,) = [
        row["fingerprint"]
        for row in graph.read("runtime/list_marks", user_ids=[user])
        if row["stage"].endswith("compressed_contexts")
    ]
    assert mark.endswith(".~20260615T090000Z")
