"""The marks as the graph has them: reading a chain for some owners, and recording a mark."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import MARK, stage_made
from memory_assets.llm.model_client import Models
from memory_assets.model import is_team
from memory_assets.runtime.marks import Chain, Step
from memory_assets.settings import Settings


def recipes_of(steps: Mapping[str, Step], models: Models) -> dict[str, str]:
    """With which prompts, models and code each step's asset is made now: one digest per asset."""
    return {name: step.recipe(models) for name, step in steps.items()}


def read_chain(
    graph: Graph, steps: Mapping[str, Step], recipes: Mapping[str, str], owners: Sequence[str], now: datetime
) -> Chain:
    """The marks of ``owners`` and their teams under today's ``recipes``: two queries, a row per owner and asset."""
    users = [owner for owner in owners if not is_team(owner)]
    teams: dict[str, list[str]] = {}
    for row in graph.read("runtime/list_memberships", user_ids=users):
        teams.setdefault(row["user_id"], []).append(row["team_owner"])
    everyone = sorted({*owners, *(team for of_user in teams.values() for team in of_user)})
    rows = graph.read("runtime/list_marks", user_ids=everyone)
    marks = {(row["user_id"], row["stage"].removeprefix(MARK)): row["fingerprint"] for row in rows}
    return Chain(steps, recipes, marks, teams, now)


def members_of(graph: Graph, owners: Iterable[str], teams: Collection[str]) -> set[str]:
    """Who of ``owners`` belongs to one of these teams: what the team's sources bring is theirs to extract."""
    if not any(is_team(team) for team in teams):
        return set()
    users = [owner for owner in owners if not is_team(owner)]
    rows = graph.read("runtime/list_memberships", user_ids=users)
    return {row["user_id"] for row in rows if row["team_owner"] in teams}


def record_mark(graph: Graph, settings: Settings, owner: str, step: str, mark: str) -> None:
    """Remember what ``step`` was made from for ``owner``."""
    graph.write_together([stage_made(owner, MARK + step, mark, settings.clock.now())])
