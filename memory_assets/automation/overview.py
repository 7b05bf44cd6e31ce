"""How an installation is, in one page: who is in it, how far it is, what is in the way, what it has cost. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_assets.model import fingerprint, is_team
from memory_assets.presentation.reports import IN_PLACE, markdown_table

WELL = "All is well: every file is up to date, and nothing is in the way."
HELD_UP_CHECK = "no_owner_was_held_up"
EDIT_CHECKS = ("edits_are_taken_in", "task_edits_are_taken_in")
"""The checks that find edits which wait for a decision."""


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
        "sources_by_state": markdown_table(
            ["state", "sources"], [{"state": s, "sources": n} for s, n in sorted(sources.items())]
        ),
        "files_set_aside": sum(one.set_aside for one in facts.owners),
        "published_files": sum(one.files for one in facts.owners),
        "owners_with_something_to_do": len(behind),
        "owners_held_up": _held_up(facts),
        "open_edits": sum(one.found for one in facts.checks if one.check in EDIT_CHECKS),
        "failing_checks": len(facts.checks),
        "in_the_way": _in_the_way(facts),
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
        (len(behind), "owner", "with something to do"),
        (len(facts.checks), "check", "failing"),
        (aside, "file", "set aside (`memory-assets sources` says why)"),
    ]
    return ", ".join(f"{number} {what}{'s' * (number != 1)} {how}" for number, what, how in found if number) or WELL


def _held_up(facts: Facts) -> str:
    """The owners whom a step has failed for, or nobody."""
    named = {name for one in facts.checks if one.check == HELD_UP_CHECK for name in one.failed_for.split(", ")}
    return ", ".join(sorted(named - {""})) or "nobody"


def _in_the_way(facts: Facts) -> str:
    rows = [vars(one) for one in facts.checks]
    return markdown_table(list(CheckFacts.__annotations__), rows, fit=IN_PLACE) if rows else "nothing"


def _row(one: OwnerFacts) -> dict[str, Any]:
    return {
        "owner": one.owner,
        "sources": sum(one.sources.values()),
        "set aside": one.set_aside,
        "published files": one.files,
        "last published (UTC)": one.published_at[:16].replace("T", " "),
        "to do": one.due or "nothing",
    }


def _budget(facts: Facts) -> str:
    limit = "no limit is set" if facts.budget_usd is None else f"a run may spend {facts.budget_usd:g}"
    return f"{facts.last_run_usd:.4f} USD by the last run that asked a model; {limit}"
