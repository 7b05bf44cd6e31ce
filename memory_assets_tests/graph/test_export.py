"""An export is everything of one user and nothing of anybody else; canonical, it says nothing of when."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.model import node_id
from memory_assets.settings import Settings
from memory_assets_tests.graph.probes import probing

pytestmark = pytest.mark.graph


def join(graph: Graph, team: str, users: list[str]) -> None:
    rows = [{"id": node_id("user", user), "user_id": user} for user in users]
    owner = f"team-{team}"
    graph.write(
        "graph/upsert_team_members",
        rows,
        team_node_id=node_id("team", owner),
        team_id=team,
        team_owner=owner,
        now="2026-05-03T09:00:00Z",
    )


@pytest.fixture
def world(graph: Graph, graph_settings: Settings, user: str) -> dict[str, str]:
    """Ann and Bob share a team; each has a source of their own, and both know the team's source."""
    team, bob = f"t{user[2:10]}", f"bob-of-{user}"
    join(graph, team, [user, bob])
    join(graph, f"{team}-other", [bob])
    probes = probing(graph_settings)
    for turn, (owner, member) in enumerate([(user, user), (bob, bob), (f"team-{team}", user)]):
        probes.write("probe/upsert_world", owner=owner, member=member, now=f"2026-05-0{turn + 1}T09:00:00Z")
    return {"user": user, "bob": bob, "team": f"team-{team}"}


def lines(graph: Graph, user: str, canonical: bool = False) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(line)) for line in export_user(graph, user, canonical=canonical)]


def test_everything_of_one_user_and_the_teams_sources(graph: Graph, world: dict[str, str]) -> None:
    exported = lines(graph, world["user"])
    nodes = {line["id"]: line for line in exported if line["type"] == "node"}
    ann, team = world["user"], world["team"]
    assert set(nodes) == {
        f"source:{ann}", f"file:{ann}", f"extraction:{ann}{ann}", f"chunk:{ann}{ann}", f"value:{ann}{ann}",
        f"source:{team}", f"extraction:{ann}{team}", f"chunk:{ann}{team}", f"value:{ann}{team}",
        node_id("user", ann), node_id("team", team),
    }  # fmt: skip
    source = nodes[f"source:{ann}"]
    assert source["labels"] == ["Memory", "Source"]
    assert source["properties"]["started_at"] == "2026-01-01T00:00:00.000Z"
    assert nodes[f"chunk:{ann}{ann}"]["properties"]["embedding"] == [0.5, 0.25]
    relationships = [line for line in exported if line["type"] == "relationship"]
    assert sorted((r["label"], r["start"]["id"], r["end"]["id"]) for r in relationships) == sorted(
        [
            ("MEMBER_OF", node_id("user", ann), node_id("team", team)),
            *(("STATES", f"source:{owner}", f"chunk:{ann}{owner}") for owner in (ann, team)),
            *(("HAS_VALUE", f"chunk:{ann}{owner}", f"value:{ann}{owner}") for owner in (ann, team)),
        ]
    )
    assert all(set(r) == {"type", "id", "label", "start", "end", "properties"} for r in relationships)
    assert len({r["id"] for r in relationships}) == len(relationships)
    assert f"bob-of-{ann}" not in json.dumps(exported)


def test_a_team_mate_sees_the_teams_source_but_not_what_others_made_of_it(graph: Graph, world: dict[str, str]) -> None:
    exported = lines(graph, world["bob"])
    ids = {line["id"] for line in exported if line["type"] == "node"}
    assert f"source:{world['team']}" in ids
    assert not [line for line in exported if f"chunk:{world['user']}" in json.dumps(line)]


def test_a_canonical_export_is_ordered_and_says_nothing_of_when(graph: Graph, world: dict[str, str]) -> None:
    exported = lines(graph, world["user"], canonical=True)
    kinds = [line["type"] for line in exported]
    assert kinds == sorted(kinds)
    nodes = [line for line in exported if line["type"] == "node"]
    assert [line["id"] for line in nodes] == sorted(line["id"] for line in nodes)
    assert not [line for line in nodes if "SourceFile" in line["labels"]]
    text = json.dumps(exported)
    assert "2026-05-0" not in text and '"path"' not in text
    assert "2026-01-01" in text
    assert exported == lines(graph, world["user"], canonical=True)


def test_nobody_exports_nothing(graph: Graph) -> None:
    assert lines(graph, "nobody-at-all") == []
