"""Which macros the storylines of a user make up (specification 004, Weekly Macro Promotion). Pure.

Days and spans are those of the events, not of the run: history that arrives at once forms what it would
have formed had it arrived as it happened.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True)
class MacroRules:
    """004, Weekly Macro Promotion."""

    least_storylines: int = 2
    least_span: timedelta = timedelta(days=30)
    most_a_run: int = 50
    """So many are named in one run; the others wait for the next (:mod:`memory_assets.hierarchy.backlog`)."""


RULES = MacroRules()


@dataclass(frozen=True)
class Told:
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


@dataclass(frozen=True)
class Theme:
    """A macro: the storylines of one anchor, oldest first."""

    anchor_id: str
    anchor: str
    confidence: float
    storylines: tuple[Told, ...]

    @property
    def first_at(self) -> datetime | None:
        """When the first event of the first storyline happened."""
        return min((told.first_at for told in self.storylines if told.first_at), default=None)

    @property
    def last_at(self) -> datetime | None:
        """When the last event of any storyline happened."""
        return max((told.last_at for told in self.storylines if told.last_at), default=None)

    @property
    def total_source_count(self) -> int:
        """Sources of all its storylines: no source is in two storylines of one anchor."""
        return sum(told.source_count for told in self.storylines)


def group_macros(storylines: Iterable[Told]) -> tuple[Theme, ...]:
    """Two storylines or more of one anchor, from first to last event thirty days or more."""
    by_anchor: dict[str, list[Told]] = {}
    for told in sorted(storylines, key=_event_order):
        by_anchor.setdefault(told.anchor_id, []).append(told)
    themes = [
        Theme(anchor, told[0].anchor, told[0].confidence, tuple(told))
        for anchor, told in by_anchor.items()
        if len(told) >= RULES.least_storylines and _span(told) >= RULES.least_span
    ]
    return tuple(sorted(themes, key=lambda theme: theme.anchor_id))


def _span(storylines: Iterable[Told]) -> timedelta:
    times = [at for told in storylines for at in (told.first_at, told.last_at) if at]
    return max(times) - min(times) if times else timedelta(0)


def _event_order(told: Told) -> tuple[bool, datetime, str]:
    return told.first_at is None, told.first_at or datetime.max.replace(tzinfo=UTC), told.id
