"""How an installation is, in one page: who is in it, how far it is, what is in the way, what it has cost. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_assets.model import fingerprint, is_team
from memory_assets.reports import IN_PLACE, markdown_table

WELL = "All is well: every file is up to date, and nothing is in the way."


@dataclass(frozen=True)
class OwnerFacts:
    """What is known of one owner in counts: nothing of a memory's content."""

    owner: str
    sources: Mapping[str, int] = field(default_factory=dict)
    """Sources by how far they have come."""
    set_aside: int = 0
    """Files that gave no source."""
    files: int = 0
    published_at: str = ""
    due: str = ""
    """Why there is something to do, in a few words."""


@dataclass(frozen=True)
class CheckFacts:
    """A check that its last evaluation found failing."""

    asset: str
    check: str
    failed_for: str
    found: int
    what_to_do: str


@dataclass(frozen=True)
class Facts:
    """An installation at one moment."""

    owners: Sequence[OwnerFacts] = ()
    checks: Sequence[CheckFacts] = ()
    calls: int = 0
    usd: float = 0.0
    last_run_usd: float = 0.0
    budget_usd: float | None = None
    """What a run may spend."""

    def state(self) -> str:
        """A digest: another one when anything of it is."""
        return fingerprint(repr(self))


def describe(facts: Facts) -> dict[str, Any]:
    """The page: counts, a table of owners, what is in the way and what to do about it."""
    sources: Counter[str] = Counter()
    for one in facts.owners:
        sources.update(one.sources)
    behind = [one for one in facts.owners if one.due]
    return {
        "how_is_it": _sentence(facts, behind),
        "users": sum(not is_team(one.owner) for one in facts.owners),
        "teams": sum(is_team(one.owner) for one in facts.owners),
        "sources": sources.total(),
        "sources_by_state": markdown_table(["state", "sources"], [{"state": s, "sources": n} for s, n in sorted(sources.items())]),
        "files_set_aside": sum(one.set_aside for one in facts.owners),
        "published_files": sum(one.files for one in facts.owners),
        "behind": len(behind),
        "failing_checks": len(facts.checks),
        "in_the_way": markdown_table(list(CheckFacts.__annotations__), [vars(one) for one in facts.checks], fit=IN_PLACE),
        "by_owner": markdown_table(list(_row(OwnerFacts(""))), [_row(one) for one in facts.owners], fit=IN_PLACE),
        "model_calls": facts.calls,
        "cost_so_far_usd": round(facts.usd, 4),
        "budget": _budget(facts),
    }


def _sentence(facts: Facts, behind: Sequence[OwnerFacts]) -> str:
    if not facts.owners:
        return "Nobody is here yet: `memory-assets ingest PATH --user NAME`, or files in inbox/NAME."
    aside = sum(one.set_aside for one in facts.owners)
    found = [
        (len(behind), "with something to do"),
        (len(facts.checks), "failing checks"),
        (aside, "files set aside (`memory-assets sources` says why)"),
    ]
    return ", ".join(f"{number} {what}" for number, what in found if number) or WELL


def _row(one: OwnerFacts) -> dict[str, Any]:
    return {
        "owner": one.owner,
        "sources": sum(one.sources.values()),
        "set aside": one.set_aside,
        "files": one.files,
        "published": one.published_at[:16].replace("T", " "),
        "to do": one.due or "nothing",
    }


def _budget(facts: Facts) -> str:
    if facts.budget_usd is None:
        return f"{facts.last_run_usd:.4f} USD by the last run that asked, no limit"
    return f"{facts.last_run_usd:.4f} of {facts.budget_usd:g} USD by the last run that asked"
