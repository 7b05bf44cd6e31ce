"""What answers add to the figures of a run of extraction."""

from __future__ import annotations

from typing import Any

from memory_assets.llm.model_client import Answer


def cost_of(answer: Answer[Any]) -> dict[str, int]:
    """What an answer adds to a run's figures; one from the cache was paid before."""
    if answer.cached:
        return {"cached": 1}
    return {
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "microdollars": round(answer.usd * 1e6),
    }
