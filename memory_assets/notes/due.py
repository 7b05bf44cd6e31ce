"""Which sources' notes are due, step by step (specification 004, Phase 2, Step 4). Pure.

A step's notes of a source are current while their fingerprint is: the source's extraction, the step's prompt, the
model and the code that decides. Changing one prompt makes that step due alone. Where an extraction was made anew
and says what it said before, a second digest, of what the step would ask, shows it, and no model is asked. Only
a source with a current extraction for the user has notes at all, so that they are as lazy as extraction is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.batches import event_order, is_within
from memory_assets.model import fingerprint
from memory_assets.notes.policy import STEPS, Step

SOURCES_PER_BATCH = 32
"""How many sources of ordinary length share a round of model calls and a transaction: what a kill can cost."""


@dataclass(frozen=True)
class DueSource:
    """A source with the steps that are due for it."""

    id: str
    extraction_id: str
    extraction: str
    """Its fingerprint."""
    title: str
    started_at: datetime | None
    steps: tuple[tuple[Step, str, str | None], ...]
    """Each with the fingerprint that it will then have, and the digest of what it asked before (None: ask anyway)."""
    seen: bool
    """Some step has taken notes of it before."""
    tokens: int = 0
    """How long its text is."""


@dataclass(frozen=True)
class Due:
    """The sources to take notes of, oldest first, and those of which all steps are current."""

    sources: tuple[DueSource, ...]
    current: tuple[DueSource, ...]


def choose_due(
    sources: Iterable[Mapping[str, Any]],
    recipes: Mapping[str, str],
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    force: bool = False,
) -> Due:
    """What is missing, was made from something else, or failed and may pass; within a window, all of it when forced."""
    due: list[DueSource] = []
    current: list[DueSource] = []
    for row in sorted(sources, key=event_order):
        wanted = {step.name: fingerprint(row["extraction"], recipes[step.name]) for step in STEPS}
        is_asked = is_within(row["started_at"], since, until)
        steps = tuple(
            (step, wanted[step.name], None if force else _asked_before(row, step.name))
            for step in STEPS
            if (force and is_asked) or not _is_current(row, step.name, wanted)
        )
        source = DueSource(
            row["id"],
            row["extraction_id"],
            row["extraction"],
            row["title"] or row["id"],
            row["started_at"],
            steps,
            seen=any(row[step.name] is not None for step in STEPS),
            tokens=row.get("tokens") or 0,
        )
        if not steps:
            current.append(source)
        elif is_asked:
            due.append(source)
    return Due(tuple(due), tuple(current))


def _is_current(row: Mapping[str, Any], step: str, wanted: Mapping[str, str]) -> bool:
    """Done, or failed in a way that asking again does not mend; a failure that may pass leaves no fingerprint."""
    return (row[step] or "").partition(".")[0] == wanted[step]


def _asked_before(row: Mapping[str, Any], step: str) -> str | None:
    """What the step asked when it was last done; None when it failed, or never was."""
    return ((row[step] or "").partition(".")[2] or None) if row[f"{step}_error"] is None else None
