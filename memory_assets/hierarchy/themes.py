"""Which macros the storylines of an anchor make up (specification 004, Weekly Macro Promotion). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_assets.clock import in_order
from memory_assets.llm.sentences import Sentence


@dataclass(frozen=True)
class MacroRules:
    """004, Weekly Macro Promotion. Days and spans are those of the events, not of the run."""

    least_storylines: int = 2
    least_span: timedelta = timedelta(days=30)
    most_a_run: int = 50
    """So many new ones, and so many that have changed, are named in one run; the others wait for the next."""


MACRO_RULES = MacroRules()


@dataclass(frozen=True)
class Part:
    """A storyline as a macro sees it."""

    id: str
    anchor_id: str
    anchor: str
    confidence: float
    title: str
    summary: str
    first_at: datetime | None
    last_at: datetime | None
    source_count: int
    sentences: tuple[Sentence, ...] = ()


@dataclass(frozen=True)
class Theme:
    """A macro: the storylines of one anchor, oldest first."""

    anchor_id: str
    anchor: str
    confidence: float
    storylines: tuple[Part, ...]

    @property
    def first_at(self) -> datetime | None:
        """When the first event of the first storyline happened."""
        return min((part.first_at for part in self.storylines if part.first_at), default=None)

    @property
    def last_at(self) -> datetime | None:
        """When the last event of any storyline happened."""
        return max((part.last_at for part in self.storylines if part.last_at), default=None)

    @property
    def total_source_count(self) -> int:
        """Sources of all its storylines; one that speaks of several matters counts for each."""
        return sum(part.source_count for part in self.storylines)


def group_macros(storylines: Iterable[Part]) -> tuple[Theme, ...]:
    """Two storylines or more of one anchor, from first to last event thirty days or more."""
    by_anchor: dict[str, list[Part]] = {}
    for part in sorted(storylines, key=lambda part: in_order(part.first_at, part.id)):
        by_anchor.setdefault(part.anchor_id, []).append(part)
    themes = [
        Theme(anchor, parts[0].anchor, parts[0].confidence, tuple(parts))
        for anchor, parts in by_anchor.items()
        if len(parts) >= MACRO_RULES.least_storylines and _span(parts) >= MACRO_RULES.least_span
    ]
    return tuple(sorted(themes, key=lambda theme: theme.anchor_id))


def _span(storylines: Iterable[Part]) -> timedelta:
    times = [at for part in storylines for at in (part.first_at, part.last_at) if at]
    return max(times) - min(times) if times else timedelta(0)
