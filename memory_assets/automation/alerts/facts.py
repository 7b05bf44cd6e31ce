"""The facts that alerts are made of: these fields and no others.

What a run records may hold the content of memories: error messages, descriptions, metadata, tags, paths. None of
that has a field here. Names are code's names and are checked to look like such; the only sentences come from the
two metadata keys by which a check speaks to people outside (``alert`` and ``what_to_do``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_./@-]{0,149}")
UNNAMED = "(unnamed)"
BLOCKED_BY_CHECK = "DagsterAssetCheckFailedError"
"""The error of a step that only a failed blocking check has failed."""
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
    """A check that was evaluated: ``asset`` as slashed path, owners, how many were ``found``, its own two sentences.

    ``reasons`` are names of what is wrong for an owner, where the check has such; ``at`` is when it was evaluated.
    """

    asset: str
    check: str
    is_warning: bool
    blocking: bool
    failed_for: tuple[str, ...] = ()
    found: int | None = None
    says: str = ""
    what_to_do: str = ""
    failed: bool = True
    at: datetime | None = None
    reasons: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class RunFacts:
    """A run that has ended. ``owners`` are those of its partitions; ``reason`` is Dagster's word for a failure.

    ``worked`` are the steps that succeeded, ``held_up`` the owners without whom they did; ``succeeded`` is the run's own
    success. ``for_all`` says that it was for everybody, whoever has something due; ``unexplained`` that no step failed it.
    """

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
    worked: tuple[str, ...] = ()
    held_up: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    succeeded: bool = False
    for_all: bool = False
    unexplained: bool = False

    def serves(self, owner: str) -> bool:
        """Whether the run was for this owner, too; "" is nobody in particular."""
        return self.for_all or owner in (self.owners or ("",))


@dataclass(frozen=True)
class AutomationFacts:
    """A sensor or schedule that began to fail: ``kind`` says which, ``selector`` names it for good, ``at`` its tick."""

    selector: str
    name: str
    kind: str
    location: str
    at: datetime
    errors: tuple[str, ...] = ()
