"""What value_classifications shows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.model import RetentionTier
from memory_assets.values import metadata
from memory_assets.values.scored import KINDS
from memory_assets_tests.support.pictures import picture_in

CHANGED = {"unchanged": False, "written": 4, "retired": 1}


def row(kind: str, tier: str, step: int, memories: int) -> dict[str, object]:
    score = memories * (step + 0.5) / 20
    return {"entity_type": kind, "tier": tier, "step": step, "memories": memories, "total_score": score}


def test_tiers_by_kind_and_the_mean() -> None:
    chunks = [row("KnowledgeChunk", "KEEP", 15, 3), row("KnowledgeChunk", "ARCHIVE", 3, 1)]
    spread = [*chunks, row("Source", "SUMMARIZE", 9, 4)]
    shown = metadata.describe_values(CHANGED | {"spread": spread})
    assert (shown["memories"], shown["changed"], shown["retired"]) == (8, 4, 1)
    assert shown["mean_value"] == pytest.approx((3 * 0.775 + 0.175 + 4 * 0.475) / 8, abs=1e-4)
    assert shown["tiers"].splitlines() == [
        "| kind | KEEP | SUMMARIZE | ARCHIVE | all | mean value |",
        "|---|---:|---:|---:|---:|---:|",
        "| KnowledgeChunk | 3 | 0 | 1 | 4 | 0.625 |",
        "| Storyline | 0 | 0 | 0 | 0 |  |",
        "| Macro | 0 | 0 | 0 | 0 |  |",
        "| Source | 0 | 4 | 0 | 4 | 0.475 |",
    ]
    assert shown["values"].splitlines()[6] == "| 0.4 to 0.5 | 4 | ████████████████████ |"
    words, _ = picture_in(shown["values_plot"])
    assert words == "8 memories by value: 3 KEEP, 4 SUMMARIZE, 1 ARCHIVE; most between 0.45 and 0.50: 4"


def test_no_memories_have_no_mean_and_no_picture() -> None:
    assert metadata.describe_values({"unchanged": True, "spread": []}) == {
        "memories": 0,
        "changed": 0,
        "retired": 0,
        "note": "nothing that a value depends on has changed since the last run",
    }


TIERS = st.sampled_from([tier.value for tier in RetentionTier])
ROWS = st.tuples(st.sampled_from(KINDS), TIERS, st.integers(0, 19), st.integers(1, 10**6))


@settings(max_examples=15)
@given(st.lists(ROWS, min_size=1, max_size=60))
def test_any_spread_is_one_small_picture_that_counts_all(rows: list[tuple[str, str, int, int]]) -> None:
    shown = metadata.distribution([row(*values) for values in rows])
    assert picture_in(shown)[0].startswith(f"{sum(memories for *_, memories in rows)} memories by value: ")
    assert len(shown) < 17_000
