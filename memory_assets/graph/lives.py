"""What is stored of a memory's life, and how present it is at an instant (004, Memory Lifecycle & Decay). Pure.

What is stored of a memory is what it was at its last access, or when it was made. Everything else follows from that and
from an instant: nothing is multiplied night after night, so that it does not matter how often anybody looks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memory_assets.model import State

TRACKED = frozenset({"Source", "Person", "Concept", "Entity", "Relationship", "Storyline", "Macro", "KnowledgeChunk"})
"""What has a life of its own (004, Which Nodes Have Full Lifecycle Tracking, and statements)."""
BORN_ACTIVE = frozenset({"Storyline", "Macro"})
"""What is made active: mentions have confirmed it before it is there."""
KEEP_FOREVER, EPHEMERAL, DECAY = "keep_forever", "ephemeral", "decay"
"""The policies, by precedence (004, TTL Policy Table)."""


@dataclass(frozen=True)
class LifecycleRules:
    """The thresholds (004); the figures without a source are this table's own."""

    first_salience: float = 0.5
    spaced_boost: float = 0.1
    """What a retrieval adds, the upper end of 004's range: the first of a day."""
    massed_boost: float = 0.05
    """The lower end: each further one of the same day."""
    base_rate: float = 0.02
    """How much fades a day, of what was never retrieved."""
    archived_below: float = 0.01
    core_accesses: int = 10
    certain: float = 0.8
    """A candidate of that confidence does not fade."""
    penalty: float = 2.0
    longer_gradient: float = 0.1
    shorter_gradient: float = 0.05
    least_gradient: float = 0.5
    """Below it, what was recalled often would fade nearly like what was recalled once."""
    most_gradient: float = 2.0
    """Above it, nothing that was recalled ten times would fade within a life (a half-life of ten years at 2)."""
    episodic_days: int = 30
    semantic_days: int = 90
    longest_days: int = 36_500
    """What fades later than in a hundred years does not fade."""


RULES = LifecycleRules()


@dataclass(frozen=True)
class RestRules:
    """When a source has rested (004, Consolidation triggers); the figures without a source are this table's own."""

    faded_after: timedelta = timedelta(days=7)
    faded_below: float = 0.2
    often_accessed: int = 5
    """001's proven reflection: read that often, it is a detail that somebody comes back to."""
    quiet_for: timedelta = timedelta(days=30)
    """What overlaps has rested so long: a month's words are shown in full (design.md, ages 7 and 30)."""


REST = RestRules()


@dataclass(frozen=True)
class Life:
    """What is stored of a memory's life.

    ``salience`` is that of ``salience_at``: of the last access, else of its creation. ``ingested_at``: when the last
    source arrived that says it. An unknown confidence counts as certain: it does not let a memory fade.
    """

    created_at: datetime
    state: State = State.CANDIDATE
    salience: float = RULES.first_salience
    salience_at: datetime | None = None
    ingested_at: datetime | None = None
    confidence: float | None = None
    ttl_policy: str = DECAY
    is_episodic: bool = False
    archived_from: State | None = None
    folded_at: datetime | None = None
    """When it was archived because a note says what it said (consolidation), whatever its salience."""
    access_count: int = 0
    recall_frequency: int = 0
    last_accessed_at: datetime | None = None
    last_recall_interval: int = 0
    decay_gradient: float = 1.0
    promoted_at: datetime | None = None
    """When mentions alone made a candidate active."""
    begins: State = State.CANDIDATE
    """The state in which it was made: the owner's own Person, and nothing else, as core."""

    @property
    def since(self) -> datetime:
        """What decay counts from: the later of ingestion and last access."""
        return max(filter(None, (self.created_at, self.salience_at, self.ingested_at)))

    @property
    def is_folded(self) -> bool:
        """Whether a note replaces it, and nobody has asked for it or said it again since."""
        return self.folded_at is not None and self.since <= self.folded_at

    @property
    def living_state(self) -> State:
        """Its state, or what that was before it was archived: how fast it fades, and what it comes back as."""
        return self.state if self.state is not State.ARCHIVED else self.archived_from or self.begins


def decay_rate(life: Life, rules: LifecycleRules = RULES) -> float:
    """How fast a memory fades, for each day (004, Decay Formula): 0 where it does not."""
    if life.ttl_policy == KEEP_FOREVER:
        return 0.0
    recalled = float(life.recall_frequency) ** life.decay_gradient if life.recall_frequency > 0 else 0.0
    rate = rules.base_rate / (1 + recalled)
    if life.living_state is not State.CANDIDATE:
        return rate
    if life.confidence is None or life.confidence >= rules.certain:
        return 0.0
    return rate * (1 + (1 - max(0.0, life.confidence)) * rules.penalty)


def salience(life: Life, at: datetime, rules: LifecycleRules = RULES) -> float:
    """How present a memory is at an instant, from 0 to 1."""
    if life.ttl_policy == KEEP_FOREVER:
        return 1.0
    days = max(0.0, (at - life.since) / timedelta(days=1))
    return life.salience * math.exp(-decay_rate(life, rules) * days)


def rests_at(life: Life, rules: RestRules = REST, lives: LifecycleRules = RULES) -> list[datetime]:
    """The instants, past or to come, from which on time alone makes a source one that may be consolidated: when it has
    faded, and when nobody has asked for it so long. None of what does neither.
    """
    if life.ttl_policy == KEEP_FOREVER or life.state is State.ARCHIVED:
        return []
    found = [] if life.state is State.CORE else [life.since + rules.quiet_for]
    rate = decay_rate(life, lives)
    if life.salience < rules.faded_below or rate:
        faint = math.log(life.salience / rules.faded_below) / rate if rate and life.salience > 0 else 0.0
        days = timedelta(days=min(max(0.0, faint), lives.longest_days))
        is_frequent = life.access_count >= rules.often_accessed
        found.append(life.since + (days if is_frequent else max(days, rules.faded_after)))
    # A moment later: each threshold is passed, not reached.
    return [at + timedelta(seconds=1) for at in found]


def life_of(row: Mapping[str, Any]) -> Life:
    """A memory's life as ``graph/list_lives`` reads it; a row that does not say ``is_owner`` is not the owner's."""
    known = {name: value for name, value in row.items() if value is not None and name in Life.__dataclass_fields__}
    for name in ("state", "archived_from"):
        if name in known:
            known[name] = State(known[name])
    begins = State.CANDIDATE if BORN_ACTIVE.isdisjoint(row["labels"]) else State.ACTIVE
    if row.get("is_owner"):
        begins = State.CORE
        known.pop("promoted_at", None)  # mentions confirm nobody who is certain
    return Life(is_episodic="Source" in row["labels"], begins=begins, **known)
