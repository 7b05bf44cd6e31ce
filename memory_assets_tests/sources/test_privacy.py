"""Privacy at the door, on a running engine: what is stored of secrets, of personal data, and for whom."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_assets.clock import Clock
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import add_members, readable_owners
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.metadata import describe_ingestion, read_privacy
from memory_assets.sources.seen_files import has_new_files
from memory_assets_tests.support.canaries import PASSWORD, TOKENS, line, needles, write_all
from memory_assets_tests.support.seeds import stored_sources

pytestmark = pytest.mark.graph
CLOCK = Clock(datetime(2026, 11, 20, 12, tzinfo=UTC))


def everything(graph: Graph, owner: str) -> str:
    rows = graph.query_read_only("MATCH (n) WHERE n.user_id = $owner RETURN properties(n) AS p", {"owner": owner})
    return json.dumps(rows, default=str, ensure_ascii=False)


def test_no_secret_of_any_kind_of_source_reaches_the_graph(graph: Graph, user: str, tmp_path: Path) -> None:
    report = ingest_paths(graph, user, [write_all(tmp_path / "in")], None, CLOCK)
    assert report.sources == 8 and [Path(row["path"]).name for row in report.set_aside] == [
        "[masked: access token].png"
    ]
    text = everything(graph, user)
    assert [needle for needle in needles() if needle in text] == []
    kinds = {source["source_type"]: source for source in stored_sources(graph, user)}
    assert set(kinds) == {"conversation", "email", "slack", "transcript", "note"}
    for source in stored_sources(graph, user):
        rows = json.loads(source["masked"])
        assert sum(mask["count"] for mask in rows) == source["masked_count"] == source["raw_content"].count("[masked: ")
        assert {"kind", "where", "count"} == set().union(*rows) or not rows
        if source["source_type"] in ("email", "slack"):
            json.loads(source["raw_content"])
    masks, personal = read_privacy(graph, user)
    assert masks["api key"] >= 20 and masks["private key"] == 4 and masks["card number"] == 3
    assert personal == Counter({"e-mail address": 6})
    shown = describe_ingestion(report, (), (masks, personal))
    assert shown["masked"] == report.masked.total() > 40 and "private key" in shown["masked_by_kind"]


def test_masks_do_not_depend_on_order_and_a_second_time_changes_nothing(
    graph: Graph, user: str, tmp_path: Path
) -> None:
    folder, other = write_all(tmp_path / "in"), f"{user}-b"
    ingest_paths(graph, user, [folder], None, CLOCK)
    for path in sorted(folder.iterdir(), reverse=True):
        ingest_paths(graph, other, [path], None, CLOCK)
    assert ingest_paths(graph, other, [folder], None, CLOCK, force=True).new == 0
    leave = ("id", "ref", "user_id", "path", "provenance", "created_at", "updated_at", "unaged", "unscored")
    one, two = (
        sorted(
            json.dumps({k: v for k, v in source.items() if k not in leave}, default=str, sort_keys=True)
            for source in stored_sources(graph, owner)
        )
        for owner in (user, other)
    )
    assert one == two


def test_a_growing_source_is_masked_in_every_part(graph: Graph, user: str, tmp_path: Path) -> None:
    days = tmp_path / "export" / "garden"
    days.mkdir(parents=True)
    root = "1791190800.000100"
    for day, ts, text in (("05", root, f"pw = {PASSWORD}"), ("06", "1791277200.000100", f"{TOKENS['aws'][1]} is new")):
        (days / f"2026-10-{day}.json").write_text(
            json.dumps([{"type": "message", "ts": ts, "thread_ts": root, "user": "U1", "text": text}])
        )
        ingest_paths(graph, user, [days], None, CLOCK, keep_originals=True)
    (source,) = stored_sources(graph, user)
    assert source["raw_content"].count("[masked: ") == source["masked_count"] == 2
    assert PASSWORD in source["original_content"] and TOKENS["aws"][1] in source["original_content"]


def test_an_original_is_kept_only_where_it_is_asked_for(graph: Graph, user: str, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text(f"My password is {PASSWORD}\n")
    team = f"team-{user}"
    for owner in (user, team):
        ingest_paths(graph, owner, [note], None, CLOCK, keep_originals=True)
    assert [
        source.get("original_content") for source in (*stored_sources(graph, user), *stored_sources(graph, team))
    ] == [
        note.read_text().strip(),
        None,
    ]
    add_members(graph, CLOCK, user, [user])
    assert PASSWORD not in json.dumps(list(export_user(graph, user)), default=str)
    assert PASSWORD in json.dumps(list(export_user(graph, user, originals=True)), default=str)
    assert not has_new_files(graph, user, [note], keep_originals=True) and has_new_files(graph, user, [note])
    ingest_paths(graph, user, [note], None, CLOCK)
    assert PASSWORD not in everything(graph, user)


def test_who_gets_a_teams_source(graph: Graph, user: str, tmp_path: Path) -> None:
    """What is extracted from, exported and referred to is what a member may read."""
    team, members = f"team-{user}", [user, f"{user}-b"]
    add_members(graph, CLOCK, user, members)
    for name, who, sensitivity in (
        ("a", user, "high"),
        ("b", "Somebody Else", "high"),
        ("c", "Somebody Else", "normal"),
        ("d", "Bo", "low"),
    ):
        (tmp_path / f"{name}.jsonl").write_text(line(f"About {name}.", who))
        ingest_paths(graph, team, [tmp_path / f"{name}.jsonl"], None, CLOCK, sensitivity=sensitivity)
    sources = stored_sources(graph, team)
    assert sorted(source["sensitivity"] for source in sources) == ["high", "high", "low", "normal"]
    allowed = {}
    for member in (*members, f"{user}-stranger"):
        owners = readable_owners(graph, member)
        ids = [source["id"] for source in sources]
        texts = graph.read("entities/list_source_texts", ids=ids, user_ids=owners)
        exported = [
            node["id"] for node in export_user(graph, member) if node["type"] == "node" and "Source" in node["labels"]
        ]
        assert sorted(row["id"] for row in texts) == sorted(exported)
        allowed[member] = sorted(source["title"] for source in sources if source["id"] in exported)
    assert list(allowed.values()) == [["About a.", "About c.", "About d."], ["About c.", "About d."], []]
    assert list(export_user(graph, f"{user}-stranger")) == []
    ingest_paths(graph, team, [tmp_path / "b.jsonl"], None, CLOCK, sensitivity="low")
    assert Counter(source["sensitivity"] for source in stored_sources(graph, team))["high"] == 2  # the strictest stays


def test_a_source_says_its_own_sensitivity(graph: Graph, user: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: Pay\nsensitivity: high\n---\nWhat people earn.\n")
    (tmp_path / "b.jsonl").write_text(line("Low.", sensitivity="low"))
    ingest_paths(graph, user, [tmp_path], None, CLOCK)
    assert {source["title"]: source["sensitivity"] for source in stored_sources(graph, user)} == {
        "Pay": "high",
        "Low.": "low",
    }
