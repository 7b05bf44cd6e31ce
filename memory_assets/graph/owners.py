"""Whose nodes a user may read, who is in which team, and how far the derived stages of an owner have come."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memory_assets.clock import Clock, to_iso
from memory_assets.graph.graph import Graph, Statement
from memory_assets.model import check_team, check_user, node_id, own_person_id, team_owner
from memory_assets.privacy.access import name_key
from memory_assets.privacy.projects import Within, project_keys

MARK = "mark/"
"""The stages whose fingerprint says what an asset was last made from: ``mark/<asset>``."""


TASKS_STAGE = f"{MARK}heartbeat_tasks"
"""The mark of a user's heartbeat tasks: what HEARTBEAT.md is made from."""


def teams_of(graph: Graph, user: str) -> list[str]:
    """The owner keys (``team-<team>``) of a user's teams, in order."""
    return [row["team_owner"] for row in graph.read("graph/list_teams_of_user", user_id=user)]


def add_members(graph: Graph, clock: Clock, team: str, users: list[str]) -> None:
    """Make ``users`` members of ``team``; both come into being by it. Repeating it changes nothing."""
    owner = team_owner(check_team(team))
    rows = [{"id": node_id("user", check_user(user)), "user_id": user} for user in users]
    of_team: dict[str, Any] = {"team_node_id": node_id("team", owner), "team_id": team, "team_owner": owner}
    graph.write("graph/upsert_team_members", rows, **of_team, now=to_iso(clock.now()))


class Reader(NamedTuple):
    """Who reads: whose sources (:func:`readable_owners`), the names of the user's profile, and what the stages that
    were asked for were last made from (rows of ``user_id``, ``stage``, ``fingerprint``), the user's and the teams'.
    """

    owners: list[str]
    names: list[str]
    made: list[dict[str, str]]


def reader_of(graph: Graph, user: str, within: Within | None = None, stages: Sequence[str] = ()) -> Reader:
    """A user as a reader of sources, of those in a project and of none where it is ``within`` one."""
    asked = {"user_id": user, "id": own_person_id(user), "stages": list(stages)}
    known = graph.read("graph/find_reader", **asked)[0]
    owners = [user, *known["team_owners"], *sorted(set(map(name_key, known["names"]))), *project_keys(within)]
    return Reader(owners, known["names"], known["made"])


def readable_owners(graph: Graph, user: str, within: Within | None = None) -> list[str]:
    """Whose sources a user may read: their own, then their teams' (004, Per-User Extraction).

    With them the keys of the user's names, by which a team's source of high sensitivity knows who took part in it; and
    ``within`` a project that one's key: then no source of another is read.
    """
    return reader_of(graph, user, within).owners


def names_of(graph: Graph, user: str) -> list[str]:
    """The names of a user's profile; none without one."""
    return reader_of(graph, user).names


def find_stage(graph: Graph, user: str, stage: str) -> str | None:
    """What a derived stage was last made from, to its end; None when never."""
    rows = graph.read("graph/find_stage", user_id=user, stage=stage)
    return rows[0]["fingerprint"] if rows else None


def stage_made(user: str, stage: str, fingerprint: str, now: datetime) -> Statement:
    """The statement that says so: the last one of the last transaction of a stage."""
    mark = {"id": node_id("stage", user, stage), "stage": stage, "fingerprint": fingerprint}
    return Statement("graph/set_stage", {**mark, "user_id": user, "now": to_iso(now)})


NOTED = "+"
"""Behind it a raw sources' mark says what was indexed as it came in."""


def noted_mark(owner: str, now: datetime) -> Statement:
    """The statement that says that an owner's raw sources have changed, for all but recall: these are indexed at once
    (:func:`recall.search.index_at_once`).
    """
    made = stage_made(owner, f"{MARK}raw_sources", secrets.token_hex(8), now)
    return Statement("graph/note_stage", made.params | {"noted": NOTED})


INSIGHTS_MARK = "insights"


def insights_mark(owner: str, now: datetime) -> Statement:
    """The statement that says that consolidation has noted something of an owner's: who and what it is about is to be
    described anew.
    """
    return stage_made(owner, MARK + INSIGHTS_MARK, secrets.token_hex(8), now)


def source_mark(owner: str, now: datetime) -> Statement:
    """The statement that says that an owner's raw sources have changed: written after them, under a new name.

    A mark too many costs one run that finds nothing to do; one too few would lose a source.
    """
    return stage_made(owner, f"{MARK}raw_sources", secrets.token_hex(8), now)
