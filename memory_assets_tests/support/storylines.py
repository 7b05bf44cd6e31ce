"""A user's storylines as they are stored, and as they are chosen from all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.hierarchy.policy import choose_of_anchor, tell_once
from memory_assets.hierarchy.stories import Story, event_order
from memory_assets.llm.tasks import DatedSummary, DescribedSentence


def stored_storylines(graph: Graph, user: str) -> list[dict[str, Any]]:
    """Whole, with what they are about and include, by id."""
    ids = [row["id"] for row in graph.read("hierarchy/list_storyline_heads", user_id=user)]
    return graph.read("hierarchy/list_whole_storylines", user_id=user, ids=ids)


def choose_storylines(stories: Iterable[Story]) -> tuple[Story, ...]:
    """Of the storylines of all anchors those that are told and chosen, by anchor, oldest first."""
    told: dict[str, dict[str, Story]] = {}
    for story in tell_once(stories):
        told.setdefault(story.anchor.id, {})[story.key] = story
    chosen = [some[key] for some in told.values() for key in choose_of_anchor(some)]
    return tuple(sorted(chosen, key=lambda story: (story.anchor.id, event_order(story.sources[0]))))


def first_words(included: Iterable[DatedSummary], most: int = 2) -> tuple[DescribedSentence, ...]:
    """Of the first sources of a request the first words that can be cited of each, as sentences that cite them."""
    words = (
        ((one.text, one.ref) for one in item.said) if item.said else [(item.summary, item.ref)] for item in included
    )
    first = [next(((text, ref) for text, ref in given if ref is not None), None) for given in words]
    return tuple(DescribedSentence(text=one[0], refs=(one[1],)) for one in first[:most] if one)
