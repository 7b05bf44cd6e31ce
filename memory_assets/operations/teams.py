"""Teams: who shares whose sources."""

from __future__ import annotations

from memory_assets.clock import Clock, to_iso
from memory_assets.graph.graph import Graph
from memory_assets.model import check_team, check_user, node_id, team_owner


def add_members(graph: Graph, clock: Clock, team: str, users: list[str]) -> None:
    """Make ``users`` members of ``team``; both come into being by it. Repeating it changes nothing."""
    owner = team_owner(check_team(team))
    graph.write(
        "operations/upsert_team_members",
        [{"id": node_id("user", check_user(user)), "user_id": user} for user in users],
        team_node_id=node_id("team", owner),
        team_id=team,
        team_owner=owner,
        now=to_iso(clock.now()),
    )
