"""A user's storylines as they are stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import DatedSummary, DescribedSentence


def stored_storylines(graph: Graph, user: str) -> list[dict[str, Any]]:
    """Whole, with what they are about and include, by id."""
    ids = [row["id"] for row in graph.read("hierarchy/list_storyline_heads", user_id=user)]
    return graph.read("hierarchy/list_whole_storylines", user_id=user, ids=ids)


def first_words(included: Iterable[DatedSummary], most: int = 2) -> tuple[DescribedSentence, ...]:
    """Of the first sources of a request the first words that can be cited of each, as sentences that cite them."""
    words = (
        ((one.text, one.ref) for one in item.said) if item.said else [(item.summary, item.ref)] for item in included
    )
    first = [next(((text, ref) for text, ref in given if ref is not None), None) for given in words]
    return tuple(DescribedSentence(text=one[0], refs=(one[1],)) for one in first[:most] if one)
