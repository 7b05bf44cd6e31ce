"""The value of a memory as a table of pure functions (000, Multi-Signal Value Scoring).

Five signals between 0 and 1, their weights, and three labels on the weighted sum. Nothing here reads the
clock or the graph: who asks "why this value?" reads this file.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TypeAlias

import numpy as np

from memory_assets.clock import in_utc
from memory_assets.graph.due_keys import due_key
from memory_assets.model import ContentType, RetentionTier, fingerprint, node_id

Vector: TypeAlias = Sequence[float] | np.ndarray

CODE_VERSION = "5"
"""Part of every fingerprint: raise it when the meaning of a signal changes, and values are made again."""

STANDING = "standing"
"""The shelf of what the owner said must always hold, beside the sections."""
UNIT_BLOCK = 512
_FIRST = datetime(1, 1, 1, tzinfo=UTC)

CHUNK, STORYLINE, MACRO, SOURCE = "KnowledgeChunk", "Storyline", "Macro", "Source"

SECTION_OF_CONTENT: dict[str | None, str] = {
    ContentType.PREFERENCE: "preferences",
    ContentType.TASK: "tasks",
    ContentType.INSIGHT: "insights",
}


@dataclass(frozen=True)
class ValueRules:
    """Weights, limits and thresholds, by the specification's figures (000, ``ValueScorer``)."""

    weights: tuple[float, ...] = (0.25, 0.20, 0.15, 0.25, 0.15)
    """Of retention, uniqueness, confidence, frequency and recency."""
    keep_from: float = 0.8
    summarize_from: float = 0.5
    recency_days: int = 30
    recency_steps: tuple[int, ...] = (0, 1, 2, 4, 8, 15, 30)
    """The ages in days at which recency falls, each about twice the one before: time alone gives a memory another value
    six times in its life, however long that is."""
    half_frequency: int = 1
    """One access fills half of the signal, three fill three quarters. Counted in hundredths, as written, a quarter of
    every value would be empty until a memory was asked for a hundred times, and none would be KEEP."""
    repeats_from: float = 0.85
    """From this cosine on to an earlier memory, a memory is a candidate for its repetition (002, 003): less and less is
    new of it, and at 1 nothing."""
    # A storyline or macro of this many sources is as likely as not to be needed again.
    half_retention_sources: int = 5
    source_retention: float = 0.5
    unknown_confidence: float = 0.5
    outdated: Mapping[str | None, float] = field(
        default_factory=lambda: {"wholly": 0.2, "in part": 0.8, "perhaps": 0.8}, hash=False
    )
    """How much less likely what later statements supersede is to be needed again (``validity``)."""


@dataclass(frozen=True)
class Candidate:
    """What the signals need to know of one memory."""

    memory_id: str
    owner: str
    entity_type: str
    text: str
    created_at: datetime
    occurred_at: datetime | None = None
    last_accessed_at: datetime | None = None
    access_count: int = 0
    source_count: int = 0
    confidence: float | None = None
    durability: float | None = None
    content_type: str | None = None
    is_instruction: bool = False
    said_by_owner: bool = False
    is_abandoned: bool = False
    """Only abandoned branches of conversations have it."""
    outdated: str | None = None
    """How far later statements supersede it: wholly, in part, perhaps."""
    inherits: float | None = None
    """The highest durability of what it supersedes."""
    change: str | None = None
    """What supersedes it, and which of its words: no signal follows from it, but its line in a file does."""
    label: str | None = None
    """Who said it, or what it is called: no signal follows from it, but its line in a file does."""
    place: str | None = None
    """The newest source that says it, and the turn: no signal follows from it, but the place of its line does."""
    statement: str | None = None
    """What of it a stranger understands alone: no signal follows from it, but its line does."""

    @property
    def day(self) -> date:
        """The UTC day of the later of creation and last access: what recency counts from."""
        return in_utc(max(filter(None, (self.created_at, self.last_accessed_at)))).date()


@dataclass(frozen=True)
class Classification:
    """One ``ValueClassification`` as it is written: the five signals, their sum and what follows from it."""

    id: str
    memory_id: str
    memory_owner: str
    entity_type: str
    retention_score: float
    uniqueness_score: float
    confidence_score: float
    access_frequency: float
    recency_score: float
    value_score: float
    retention_tier: str
    section: str | None
    is_standing: bool
    occurred_at: datetime | None
    rank_key: str | None
    """Text that sorts a user's memories of a section, the best first (:func:`rank_key`)."""
    standing_key: str | None
    """The same for what must always hold, the newest first."""
    rescore_key: str | None
    """Text that sorts a user's memories by the day on which time alone revalues them (``graph/due_keys.py``)."""
    fingerprint: str


def unit(value: float | None, otherwise: float = 0.0) -> float:
    """``value`` held between 0 and 1; ``otherwise`` where it is missing or not a number."""
    if value is None or math.isnan(value):
        return otherwise
    return min(1.0, max(0.0, float(value)))


def score_retention(candidate: Candidate, rules: ValueRules) -> float:
    """How likely it is to be needed again.

    A statement's is its durability, as judged at extraction, or that of what it supersedes: a change is worth what
    the statement before it was worth. What is outdated itself is asked for less.
    A storyline's or macro's grows with its sources, n / (n + 5): 5 give .5, 20 give .8. A source by itself is neutral.
    """
    if candidate.entity_type == CHUNK:
        durability = unit(candidate.durability, rules.source_retention)
        return max(durability, unit(candidate.inherits)) * rules.outdated.get(candidate.outdated, 1.0)
    if candidate.entity_type in (STORYLINE, MACRO):
        count = max(0, candidate.source_count)
        return count / (count + rules.half_retention_sources)
    return rules.source_retention


def score_confidence(candidate: Candidate, rules: ValueRules) -> float:
    """How reliable it is: the stored confidence; for storylines and macros n / (n + 1) of n sources."""
    if candidate.confidence is not None:
        return unit(candidate.confidence, rules.unknown_confidence)
    if candidate.entity_type in (STORYLINE, MACRO):
        count = max(0, candidate.source_count)
        return count / (count + 1)
    return rules.unknown_confidence


def score_uniqueness(candidate: Candidate, novelty: float, rules: ValueRules) -> float:
    """How much of what is worth keeping it adds: its retention, less what repeats an earlier memory.

    ``novelty`` is 1 minus the highest cosine to an earlier one. By itself it says little: "Anything new?" is unlike all
    other sentences, and no news. So only what is near a repetition loses by it.
    """
    return score_retention(candidate, rules) * unit(novelty / (1.0 - rules.repeats_from))


def score_frequency(candidate: Candidate, rules: ValueRules) -> float:
    """Its accesses, n / (n + 1): each retrieval, and each distinct source that says it."""
    accesses = max(0, candidate.access_count) + max(0, candidate.source_count)
    return accesses / (accesses + rules.half_frequency)


def score_recency(candidate: Candidate, now: datetime, rules: ValueRules) -> float:
    """1 today, 0 from 30 days on, by whole UTC days since the later of creation and last access.

    It falls in steps (``recency_steps``), to what the line from 1 to 0 is at the age of the step: between two steps
    a value stays as it is, whenever it is made. Creation is when we learned it; event times of imported history are
    years old.
    """
    step = max(step for step in rules.recency_steps if step <= _age(candidate, now))
    return max(0.0, 1.0 - step / rules.recency_days)


def rescored_on(candidate: Candidate, now: datetime, rules: ValueRules) -> date | None:
    """The UTC day on which time alone gives a memory another value; None for one that is as old as it can be."""
    later = next((step for step in rules.recency_steps if step > _age(candidate, now)), None)
    return None if later is None else candidate.day + timedelta(days=later)


def _age(candidate: Candidate, now: datetime) -> int:
    """Whole UTC days since what recency counts from; a time in the future is today."""
    return max(0, (in_utc(now).date() - candidate.day).days)


def novelty_of(highest: float) -> float:
    """1 minus the highest cosine to an earlier memory, between 0 and 1, in six digits."""
    return round(unit(1.0 - float(highest)), 6)


def decide_tier(value_score: float, rules: ValueRules) -> RetentionTier:
    """KEEP from .8, SUMMARIZE from .5, else ARCHIVE (000, Determine retention tier)."""
    if value_score >= rules.keep_from:
        return RetentionTier.KEEP
    return RetentionTier.SUMMARIZE if value_score >= rules.summarize_from else RetentionTier.ARCHIVE


def decide_section(candidate: Candidate) -> str | None:
    """The section of the memory file that it may be in; None for small talk and for what was abandoned.

    A branch that its owner left for another one stays to be found, but is nothing for a file.
    The owner's own standing instructions are preferences, whatever they are about.
    """
    if candidate.is_abandoned:
        return None
    if candidate.entity_type == SOURCE:
        return "recent"
    if candidate.entity_type in (STORYLINE, MACRO):
        return "insights"
    if is_standing(candidate):
        return "preferences"
    return SECTION_OF_CONTENT.get(candidate.content_type)


def is_standing(candidate: Candidate) -> bool:
    """Whether it is something the owner said must always hold: raises its rank, never its protection."""
    return candidate.is_instruction and candidate.said_by_owner


def classify(user: str, candidate: Candidate, novelty: float, now: datetime, rules: ValueRules) -> Classification:
    """Weigh one candidate's five signals; ``novelty`` is what :func:`novelty_of` makes of those before it."""
    signals = {
        "retention_score": score_retention(candidate, rules),
        "uniqueness_score": score_uniqueness(candidate, novelty, rules),
        "confidence_score": score_confidence(candidate, rules),
        "access_frequency": score_frequency(candidate, rules),
        "recency_score": score_recency(candidate, now, rules),
    }
    signals = {name: round(unit(value), 6) for name, value in signals.items()}
    score = weigh(signals.values(), rules)
    section = decide_section(candidate)
    rest = (decide_tier(score, rules).value, section, is_standing(candidate))
    newest = newest_first(candidate.occurred_at)
    rank = newest if section == "recent" else best_first(score)
    again = rescored_on(candidate, now, rules)
    mark = fingerprint(CODE_VERSION, *signals.values(), score, *rest, candidate.occurred_at, candidate.owner, again)
    return Classification(
        id=node_id("value", user, candidate.memory_id),
        memory_id=candidate.memory_id,
        memory_owner=candidate.owner,
        entity_type=candidate.entity_type,
        **signals,
        value_score=score,
        retention_tier=rest[0],
        section=section,
        is_standing=rest[2],
        occurred_at=candidate.occurred_at,
        rank_key=rank_key(user, section, rank, candidate.memory_id) if section else None,
        standing_key=rank_key(user, STANDING, newest, candidate.memory_id) if rest[2] else None,
        rescore_key=due_key(user, again, candidate.memory_id) if again else None,
        fingerprint=mark,
    )


def best_first(value_score: float) -> int:
    """A rank that is lower for a higher value."""
    return round((1.0 - value_score) * 1_000_000)


def newest_first(occurred_at: datetime | None) -> int:
    """A rank that is lower for a later event; unknown times come last."""
    if occurred_at is None:
        return 10**18 - 1
    return 4 * 10**17 - (in_utc(occurred_at) - _FIRST) // timedelta(microseconds=1)


def rank_key(user: str, shelf: str, rank: int, memory_id: str) -> str:
    """The text by which an index finds the first of a shelf (a section, or :data:`STANDING`): user, shelf, rank, id.

    One text, because a range of it is read from an index by both engines; an order by several properties is not.
    """
    return f"{user}|{shelf}|{rank:018d}|{memory_id}"


def weigh(signals: Iterable[float], rules: ValueRules) -> float:
    """The composite value score: the weighted sum of the five signals, in the order of the weights."""
    return round(sum(weight * signal for weight, signal in zip(rules.weights, signals, strict=True)), 6)


def same_text(text: str) -> str:
    """``text`` as compared for sameness: compatibility form, case folded, letters and digits only."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in folded)
    # A text of signs alone (an emoji, say) is compared as it is.
    return " ".join(letters.split()) or " ".join(folded.split())


def event_order(candidate: Candidate) -> tuple[bool, float, str]:
    """The key that sorts memories by when they happened: unknown times last, and of one instant by id."""
    at = candidate.occurred_at
    return at is None, 0.0 if at is None else in_utc(at).timestamp(), candidate.memory_id


def unit_rows(vectors: Sequence[Vector | None], width: int) -> np.ndarray:
    """Vectors of one width as rows of length 1 (of zeros where a vector is zero, or there is none), 32 bits."""
    units = np.zeros((len(vectors), width), dtype=np.float32)
    nothing = np.zeros(width, np.float32)
    # In eight bytes a part at a time: all of it would be many times as much.
    for start in range(0, len(units), UNIT_BLOCK):
        given = [nothing if vector is None else vector for vector in vectors[start : start + UNIT_BLOCK]]
        part = np.asarray(given, dtype=np.float32).astype(np.float64)
        lengths = np.sqrt((part * part).sum(axis=1, keepdims=True))
        units[start : start + UNIT_BLOCK] = np.divide(part, lengths, out=np.zeros_like(part), where=lengths > 0)
    return units


def highest_earlier(matrix: np.ndarray, rows: int = 128, columns: int = 2048) -> np.ndarray:
    """Each row's highest product with an earlier row; 0 where there is none. A few megabytes at a time."""
    highest = np.zeros(len(matrix), dtype=np.float64)
    for start in range(0, len(matrix), rows):
        block = matrix[start : start + rows].astype(np.float64)
        stop = start + len(block)
        for left in range(0, stop, columns):
            right = min(left + columns, stop)
            products = block @ matrix[left:right].T.astype(np.float64)
            if right > start:  # only what lies strictly before each row counts
                earlier = np.arange(left, right)[None, :] < np.arange(start, stop)[:, None]
                products = np.where(earlier, products, 0.0)
            np.maximum(highest[start:stop], products.max(axis=1, initial=0.0), out=highest[start:stop])
    return highest
