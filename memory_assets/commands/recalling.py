"""Recalling for a user: what was found is told, and what of a team was touched is wanted (004, lazy extraction)."""

from __future__ import annotations

from dataclasses import dataclass

from memory_assets.entities.wanting import want_sources
from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.graph import Graph
from memory_assets.model import is_team
from memory_assets.recall.search import Recall, recall
from memory_assets.settings import Settings

LEAST_TOKENS, MOST_TOKENS = 50, 200_000


@dataclass(frozen=True)
class Told:
    """A recall, and the ids of the team's sources that the user needs from now on because it touched them."""

    recall: Recall
    wanted: tuple[str, ...]


def recall_for(graph: Graph, settings: Settings, user: str, question: str, budget: int) -> Told:
    """Search what the user may read; a team's source that stands in the answer is extracted for the user from now on."""
    if not question.strip():
        raise MemoryAssetsError("There is nothing to search for: give a question, some words, or a reference of nine digits.")
    if not LEAST_TOKENS <= budget <= MOST_TOKENS:
        raise MemoryAssetsError(f"A budget of {budget} tokens cannot be used: give {LEAST_TOKENS} to {MOST_TOKENS:,}.")
    now = settings.clock.now()
    found = recall(graph, settings.home, user, question, budget, now)
    touched = [head.id for head, _ in found.recalled.passages if is_team(head.owner)]
    return Told(found, tuple(want_sources(graph, user, touched, now)) if touched else ())
