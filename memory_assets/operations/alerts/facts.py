"""The facts that alerts are made of: these fields and no others.

What a run records may hold the content of memories: error messages, descriptions, metadata, tags, paths. None of
that has a field here. Names are code's names and are checked to look like such; the only sentences come from the
two metadata keys by which a check speaks to people outside (``alert`` and ``what_to_do``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_./@-]{0,149}")
UNNAMED = "(unnamed)"
SENTENCE = 400
"""The longest sentence of a check that an alert repeats, in characters."""


def as_name(text: object) -> str:
    """A name of code (a job, step, asset, check, error class); whatever does not look like one is not repeated."""
    return text if isinstance(text, str) and NAME.fullmatch(text) else UNNAMED


def as_sentence(text: object) -> str:
    """A check's sentence on one line, bounded; empty when there is none."""
    words = " ".join(text.split()) if isinstance(text, str) else ""
    return words if len(words) <= SENTENCE else words[: SENTENCE - 1] + "…"


@dataclass(frozen=True)
class StepFact:
    """A step that failed. ``errors`` are class names, from the error that was seen to its first cause."""

    step: str
    errors: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckFact:
    """A check that failed: ``asset`` as slashed path, owners, how many were ``found``, and its own two sentences."""

    asset: str
    check: str
    is_warning: bool
    blocking: bool
    failed_for: tuple[str, ...] = ()
    found: int | None = None
    says: str = ""
    what_to_do: str = ""


@dataclass(frozen=True)
class RunFacts:
    """A run that has ended. ``owners`` are those of its partitions; ``reason`` is Dagster's word for a failure."""

    run_id: str
    job: str
    failed: bool
    ended: datetime
    owners: tuple[str, ...] = ()
    automation: str | None = None
    reason: str | None = None
    errors: tuple[str, ...] = ()
    steps: tuple[StepFact, ...] = ()
    checks: tuple[CheckFact, ...] = ()


@dataclass(frozen=True)
class AutomationFacts:
    """A sensor or schedule that began to fail: ``kind`` says which, ``selector`` names it for good, ``at`` its tick."""

    selector: str
    name: str
    kind: str
    location: str
    at: datetime
    errors: tuple[str, ...] = ()
