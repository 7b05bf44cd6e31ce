"""What each tier's budget of tokens has no room for (001, Token Budget Enforcement). Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from memory_assets.curation.facts import TIERS, Facts
from memory_assets.curation.policy import CURATION, CurationRules, Proposal, Step
from memory_assets.curation.rails import RAILS, closed_rails
from memory_assets.model import TIERED_KINDS


def enforce_budgets(
    entries: Iterable[Facts], at: datetime, rules: CurationRules = CURATION, protected: Collection[str] = ()
) -> tuple[list[tuple[Facts, Proposal]], dict[str, int]]:
    """What each tier's budget demotes, the least recently used first, and the tokens of each tier after that.

    What comes out of a tier counts in the next one; what a rail keeps from being archived stays in the last, which is
    over its budget then, and so does what is ``protected`` by what refers to it.
    """
    tiers: dict[str, list[Facts]] = {name: [] for name in TIERS}
    for entry in entries:
        if entry.tier in tiers and entry.kind in TIERED_KINDS:
            tiers[entry.tier].append(entry)
    moved: dict[str, tuple[Facts, Proposal]] = {}
    left: dict[str, int] = {}
    for (name, budget), (_, below) in zip(rules.budgets, pairwise(TIERS), strict=True):
        held = sorted(tiers[name], key=lambda entry: (entry.last_used, entry.id))
        tokens = sum(entry.token_count for entry in held)
        for entry in held:
            if tokens <= budget:
                break
            if below == "ARCHIVE" and (entry.id in protected or closed_rails(entry.as_memory(), at, RAILS)):
                continue
            tokens -= entry.token_count
            step = Step.ARCHIVE if below == "ARCHIVE" else Step.DEMOTE
            why = f"{name} holds more than its {budget} tokens"
            moved[entry.id] = (entry, Proposal(step, why, tier=below, by_budget=True))
            tiers[below].append(replace(entry, tier=below))
        left[name] = tokens
    return list(moved.values()), left
