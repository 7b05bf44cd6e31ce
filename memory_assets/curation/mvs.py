"""The Memory Value Score (001, Option B): additive, term by term, with the seven ranges of actions. Pure.

The score follows from what is stored and an instant. It only falls while nobody touches a memory, so that the instant
at which it passes a threshold is known when a memory is looked at, and nobody has to look before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from memory_assets.curation.facts import RECENT, WEEK, Facts
from memory_assets.curation.rails import CLOSED_TASKS, RAILS, closed_rails


class Action(StrEnum):
    """What a range of scores asks for (001, MVS Action Thresholds)."""

    PROTECT = "keep (safety-protected)"
    KEEP = "keep"
    CONDENSE = "keep, compress if bloated"
    IMPROVE = "improve or merge"
    DEMOTE = "demote one tier"
    PRUNE = "prune"
    REMOVE = "prune at once"


RANGES: tuple[tuple[float, Action], ...] = (
    (50.0, Action.PROTECT),
    (8.0, Action.KEEP),
    (5.0, Action.CONDENSE),
    (3.0, Action.IMPROVE),
    (1.5, Action.DEMOTE),
    (0.5, Action.PRUNE),
    (-math.inf, Action.REMOVE),
)
"""Each action from its score on, the highest first."""


@dataclass(frozen=True)
class TypeWeight:
    """A row of 001's Type Weights: of which kind, in which state, how much, and after how long its news is half."""

    kind: str
    weight: float
    half_life: timedelta | None
    state: str = ""
    holds: Callable[[Facts], bool] = lambda facts: True


def _is_certain(facts: Facts) -> bool:
    return facts.state == "active" and (facts.confidence is None or facts.confidence > 0.7)


def _is_weak(facts: Facts) -> bool:
    return facts.confidence is not None and facts.confidence < 0.3


def _is_open(facts: Facts) -> bool:
    return facts.status not in CLOSED_TASKS


def _days(days: float) -> timedelta:
    return timedelta(days=days)


WEIGHTS: tuple[TypeWeight, ...] = (
    TypeWeight("Belief", 10.0, _days(180), "active, confidence > 0.7", _is_certain),
    TypeWeight("Reflection", 8.0, _days(90)),
    TypeWeight("Analysis", 7.0, _days(60)),
    TypeWeight("Synthesis", 6.5, _days(120)),
    TypeWeight("Recommendation", 5.0, _days(30)),
    TypeWeight("CompressedContext", 4.0, _days(90)),
    TypeWeight("Task", 3.0, None, "active", _is_open),
    TypeWeight("MemoryEntry", 2.5, _days(45)),
    TypeWeight("SessionContext", 1.5, _days(1)),
    TypeWeight("Notification", 0.5, _days(0.5)),
    # The specification has no row for these.
    TypeWeight("Belief", 1.0, _days(180), "confidence < 0.3", _is_weak),
    TypeWeight("Belief", 5.0, _days(180), "otherwise"),
    TypeWeight("Task", 2.0, _days(14), "completed, failed or cancelled"),
    TypeWeight("KnowledgeChunk", 2.5, _days(45), "as a memory entry"),
    TypeWeight("Source", 2.5, _days(45), "as a memory entry"),
    TypeWeight("Storyline", 6.5, _days(120), "as a synthesis"),
    TypeWeight("Macro", 6.5, _days(120), "as a synthesis"),
    TypeWeight("Person", 7.0, _days(60), "as an analysis"),
    TypeWeight("Concept", 7.0, _days(60), "as an analysis"),
    TypeWeight("Entity", 7.0, _days(60), "as an analysis"),
    TypeWeight("Relationship", 5.0, _days(30), "as a recommendation"),
)
"""The first row that holds is a memory's."""
UNLISTED = TypeWeight("", 2.5, _days(45), "not listed: as a memory entry")


@dataclass(frozen=True)
class MvsRules:
    """The ends of the terms (001). How each gets there, 001 says in a word: the other figures are this table's own."""

    recency: float = 3.0
    frequency: float = 2.0
    full_frequency: int = RECENT
    """Retrievals in a week that fill the term: those that bring a memory into the HOT tier."""
    quality: float = 2.0
    centrality: float = 1.5
    full_centrality: int = 10
    """Relationships that fill the term."""
    cross_agent: float = 2.0
    full_agents: int = 4
    """Agents that fill the term: those that make it consensus (rail 10)."""
    bloat: float = 1.5
    target_tokens: int = 500
    """What is longer is bloated; twice as long fills the penalty (001, Risks: entries over 500 tokens)."""
    protected: float = 100.0
    earned_from: float = 2.0
    """So much a memory has earned, beside its type and its youth, to outlive its time to live."""


RULES = MvsRules()
SEVERITIES = {"info": 0.0, "low": 0.5, "high": 1.5, "critical": 2.0}
PRUNED_BELOW, DEMOTED_BELOW, KEPT_FROM = 1.5, 3.0, 5.0


@dataclass(frozen=True)
class Mvs:
    """A score with its terms, each in points: what it is, how much, and from what."""

    row: TypeWeight
    recency: float
    frequency: float
    quality: float
    centrality: float
    cross_agent: float
    bloat: float
    safety: float
    rails: tuple[str, ...] = ()

    @property
    def earned(self) -> float:
        """The points for use, certainty and links: without those for its type and its youth."""
        return self.frequency + self.quality + self.centrality + self.cross_agent - self.bloat

    @property
    def plain(self) -> float:
        """The score without the safety multiplier."""
        return self.row.weight + self.recency + self.earned

    @property
    def score(self) -> float:
        """The Memory Value Score."""
        return self.plain * self.safety

    @property
    def action(self) -> Action:
        """What its range asks for."""
        return next(action for least, action in RANGES if self.score >= least)


def score(facts: Facts, at: datetime) -> Mvs:
    """What a memory is worth at an instant."""
    rails = closed_rails(facts.as_memory(), at, RAILS)
    row = weight_of(facts)
    used = facts.accesses_7d(at)
    agents = len(facts.accessed_by)
    return Mvs(
        row=row,
        recency=_recency(row, at - facts.last_used),
        frequency=RULES.frequency * min(1.0, math.log1p(used) / math.log1p(RULES.full_frequency)),
        quality=min(RULES.quality, _quality(facts)),
        centrality=RULES.centrality * min(1.0, facts.relationships / RULES.full_centrality),
        cross_agent=RULES.cross_agent * min(1.0, max(0, agents - 1) / (RULES.full_agents - 1)),
        bloat=RULES.bloat * min(1.0, max(0, facts.token_count - RULES.target_tokens) / RULES.target_tokens),
        safety=RULES.protected if rails else 1.0,
        rails=rails,
    )


def weight_of(facts: Facts) -> TypeWeight:
    """The row of a memory."""
    return next((row for row in WEIGHTS if row.kind == facts.kind and row.holds(facts)), UNLISTED)


def _recency(row: TypeWeight, age: timedelta) -> float:
    """Half of it is gone after each half-life. What has none, a task that is open, is as new as on its first day."""
    if row.half_life is None:
        return RULES.recency
    return RULES.recency * 0.5 ** (max(timedelta(0), age) / row.half_life)


def _quality(facts: Facts) -> float:
    """By confidence or severity; a notification that nobody has read yet is not worthless."""
    if facts.kind == "Notification":
        return 2.0 if facts.is_critical else 0.0 if facts.is_read else 1.0
    if facts.severity is not None:
        return SEVERITIES.get(facts.severity, 0.0)
    return 2.0 * facts.confidence if facts.confidence is not None else 0.0


def falls_below(facts: Facts, threshold: float, at: datetime) -> datetime | None:
    """The first instant from ``at`` on at which the plain score is below a threshold while nobody touches the memory;
    None: it never is.
    """
    row = weight_of(facts)
    for start, end in _spans(facts, at):
        now = score(facts, start)
        if now.plain < threshold:
            return start
        if row.half_life is None or now.plain - now.recency >= threshold:
            continue
        wanted = threshold - (now.plain - now.recency)
        # A moment later: the threshold is passed, not reached.
        halvings = math.log2(RULES.recency / wanted)
        passed = facts.last_used + row.half_life * halvings + timedelta(milliseconds=1)
        if end is None or passed < end:
            return max(start, passed)
    return None


def stops_earning(facts: Facts, least: float, at: datetime) -> datetime | None:
    """The first instant from ``at`` on at which a memory has earned less than this; None: it never has."""
    return next((start for start, _ in _spans(facts, at) if score(facts, start).earned < least), None)


def _spans(facts: Facts, at: datetime) -> Iterator[tuple[datetime, datetime | None]]:
    """The spans from an instant on in each of which it counts as many retrievals of the last week; the last is open."""
    turns = {turn for access in facts.recent_accesses for turn in (access, access + WEEK)}
    ends = sorted(turn for turn in turns if turn > at)
    yield from zip([at, *ends], [*ends, None], strict=True)
