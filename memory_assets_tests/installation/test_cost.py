"""What a conversation of 10,000 words costs, by the requests that were made for it (004, "Cost")."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.graph.graph import Graph
from memory_assets_tests.bench.cost import TARGET_USD, WORDS, measure

pytestmark = [pytest.mark.graph, pytest.mark.slow]


def test_a_conversation_of_ten_thousand_words_costs_no_more_than_promised(
    graph: Graph, user: str, tmp_path: Path
) -> None:
    cost = measure(graph, tmp_path, user)
    # The specification's figures are processing's, extraction's and the embeddings'; notes are within them too.
    notes = sum(row["usd"] for row in cost.rows if row["asset"] == "notes")
    assert cost.words >= WORDS and cost.usd <= TARGET_USD and 0 < notes < 0.2 * TARGET_USD
    by = {(row["asset"], row["model"]): row for row in cost.rows}
    assert set(by) == {
        ("processed_sources", "openai/gpt-5-nano"),
        ("processed_sources", "openai/text-embedding-3-small"),
        ("extracted_entities", "openai/gpt-4.1-mini"),
        ("extracted_entities", "openai/text-embedding-3-small"),
        ("notes", "openai/gpt-5-nano"),
    }
    # What was paid for is a whole answer: as many words of statements as the conversation has, nearly.
    assert by["extracted_entities", "openai/gpt-4.1-mini"]["tokens_out"] > WORDS
    assert by["extracted_entities", "openai/gpt-4.1-mini"]["tokens_in"] > 1.3 * WORDS
    assert cost.usd == pytest.approx(sum(row["usd"] for row in cost.rows))
