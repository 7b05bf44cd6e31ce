"""What becomes of what agents record, as the tables of the specification (001, Option A), corrected by the score. Pure.

Each row of a table says from which instant on it holds. So the next instant at which anything becomes of a memory is
known when it is looked at, and a cycle reads what is due, whatever there is. A rail goes before the score, and the
score before the time to live (design.md, section 4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Any, Literal

from memory_assets.curation.cadences import Cadence
from memory_assets.curation.facts import TIERS, WEEK, Facts
from memory_assets.curation.mvs import (
    DEMOTED_BELOW,
    KEPT_FROM,
    PRUNED_BELOW,
    RULES,
    Action,
    falls_below,
    score,
    stops_earning,
)
from memory_assets.curation.rails import CERTAIN_BELIEF, GRACE, RAILS, closed_rails, is_new
from memory_assets.model import RECORD_KINDS, TIERED_KINDS

CODE_VERSION = "1"


class Step(StrEnum):
    """What a cycle does to a memory; the first three are destructive, and pass the rails."""

    PRUNE = "prune"
    REMOVE = "remove"
    ARCHIVE = "archive"
    DEMOTE = "demote"
    PROMOTE = "promote"
    DECAY = "decay"
    FLAG = "flag"


DESTRUCTIVE = {Step.ARCHIVE: "archive_records", Step.PRUNE: "tombstone_records", Step.REMOVE: "remove_records"}
"""What cuts, with the statement that does."""


@dataclass(frozen=True)
class Proposal:
    """What is to become of a memory, and why. ``tier`` is the one it comes into, ``confidence`` the one it has then."""

    step: Step
    reason: str
    tier: str | None = None
    confidence: float | None = None
    by_budget: bool = False
    """A tier had no room for it."""


Holds = Callable[[Facts], bool]


@dataclass(frozen=True)
class TtlRow:
    """A row of 001's TTL Rules: how long what is in a state lives from then on. ``days`` None: it is never pruned."""

    kind: str
    state: str
    holds: Holds
    days: float | None
    cadence: Cadence | None = None
    unless: Holds = lambda facts: False
    step: Literal[Step.PRUNE, Step.ARCHIVE] = Step.PRUNE
    is_always: bool = False
    """No score lets it live longer."""
    since: Callable[[Facts], datetime] = lambda facts: facts.since


def _weak_since(facts: Facts) -> datetime:
    """Since when a belief has been below .3, which it may have become by decay."""
    return max(facts.since, confidence_falls_to(facts, WEAK_BELIEF) or facts.since)


def _archived_since(facts: Facts) -> datetime:
    return max(facts.since, facts.archived_at or facts.since)


WEAK_BELIEF, STRONG_BELIEF = 0.3, 0.7
BELIEF_HALF_LIFE = timedelta(days=180)
"""001 says that beliefs decay, and not how fast: as their type's news does."""


def _confidence(facts: Facts) -> float:
    return 1.0 if facts.confidence is None else facts.confidence


def _is_weak(facts: Facts) -> bool:
    return _confidence(facts) < WEAK_BELIEF


_FIVE, _FIFTEEN, _HOUR, _SIX = Cadence
TTL: tuple[TtlRow, ...] = (
    TtlRow("Notification", "read", lambda f: f.is_read is True, 7, _FIVE, is_always=True),
    TtlRow(
        "Notification", "unread", lambda f: f.is_read is not True, 30, _FIVE, unless=lambda f: f.is_critical is True
    ),
    TtlRow("SessionContext", "inactive", lambda f: f.active is False, 1, _FIVE, is_always=True),
    TtlRow("Task", "completed", lambda f: f.status == "completed", 14, _FIFTEEN, unless=lambda f: f.is_learned_from),
    TtlRow("Task", "failed", lambda f: f.status == "failed", 90, _FIFTEEN),
    TtlRow("Task", "cancelled", lambda f: f.status == "cancelled", 14, _FIFTEEN),
    TtlRow("Task", "open", lambda f: True, None),
    TtlRow(
        *("Belief", "archived, confidence < 0.3", lambda f: f.is_archived and _is_weak(f), 30, _SIX),
        unless=lambda f: f.is_believed,
        since=_archived_since,
    ),
    TtlRow("Belief", "active, confidence >= 0.7", lambda f: _confidence(f) >= STRONG_BELIEF, None),
    TtlRow(
        *("Belief", "active, confidence < 0.3", lambda f: not f.is_archived and _is_weak(f), 60, _HOUR),
        step=Step.ARCHIVE,
        since=_weak_since,
    ),
    TtlRow(
        *("Reflection", "consolidated", lambda f: f.consolidated is True, 90, _SIX),
        unless=lambda f: (f.access_count or 0) > 5,
    ),
    TtlRow("Reflection", "unconsolidated", lambda f: True, None),
    TtlRow(
        *("Analysis", "severity low or info", lambda f: f.severity in ("low", "info"), 60, _SIX),
        unless=lambda f: f.is_recommended_on,
    ),
    TtlRow("Analysis", "severity high or critical", lambda f: f.severity in ("high", "critical"), 180, _SIX),
    TtlRow("Synthesis", "", lambda f: True, 120, _SIX, unless=lambda f: (f.access_count or 0) > 3),
)
"""The first row that holds is a memory's. A context at keywords level (45 days, unless accessed) is the matter of
``compression/policy.py``, which makes it."""


@dataclass(frozen=True)
class CurationRules:
    """The thresholds of tiers (001, Tier Demotion and Promotion Rules; design.md: the budgets are an owner's)."""

    budgets: tuple[tuple[str, int], ...] = (("HOT", 1600), ("WARM", 400), ("COLD", 200))
    hot_idle: timedelta = timedelta(hours=12)
    warm_idle: timedelta = timedelta(hours=48)
    warm_accesses: int = 2
    cold_idle: timedelta = timedelta(days=90)
    to_warm_accesses: int = 3
    to_hot_accesses: int = 10
    a_tier_a_day: timedelta = timedelta(days=1)
    """What its score demotes falls one tier a day at most: 001 says "one tier", and cycles come every 15 minutes."""
    tombstone: timedelta = timedelta(days=30)
    audits: timedelta = timedelta(days=30)
    most: int = 500
    """So many memories of an owner are looked at in one cycle (001: each query is bounded)."""


CURATION = CurationRules()


def ttl_row(facts: Facts) -> TtlRow | None:
    """The row of 001's TTL Rules for a memory; None: there is none for its kind and state."""
    return next((row for row in TTL if row.kind == facts.kind and row.holds(facts)), None)


def expires_at(facts: Facts) -> datetime | None:
    """When the time to live of a memory is over, by its row alone; None: never, or something lets it live."""
    row = ttl_row(facts)
    if row is None or row.days is None or row.unless(facts):
        return None
    return row.since(facts) + timedelta(days=row.days)


def confidence_at(facts: Facts, at: datetime) -> float | None:
    """How sure an active belief is at an instant: half of what was said after each half-life without a word for it.

    Of what was stored when it was said, never of what an earlier cycle has made of that.
    """
    stated = facts.stated_confidence if facts.stated_confidence is not None else facts.confidence
    if stated is None:
        return None
    age = max(timedelta(0), at - (facts.confirmed_at or facts.since))
    return stated * 0.5 ** (age / BELIEF_HALF_LIFE)


def confidence_falls_to(facts: Facts, threshold: float) -> datetime | None:
    """When a belief's confidence has fallen below a threshold; None: it never began above, or nobody said how sure."""
    stated = facts.stated_confidence if facts.stated_confidence is not None else facts.confidence
    if stated is None or stated < threshold:
        return None
    halvings = math.log2(stated / threshold)
    return (facts.confirmed_at or facts.since) + BELIEF_HALF_LIFE * halvings + timedelta(seconds=1)


def decide(facts: Facts, at: datetime, cadence: Cadence, rules: CurationRules = CURATION) -> Proposal | None:
    """What becomes of a memory in a cycle; None: nothing. The rails decide again where it is written."""
    return next((proposal for instant, proposal in _Decision(facts, at, rules).all(cadence) if instant <= at), None)


def looks_at(facts: Facts, at: datetime, cadence: Cadence, rules: CurationRules = CURATION) -> datetime | None:
    """The next instant, not before ``at``, at which a cycle has something to do for a memory that nobody touches until
    then; None: never.
    """
    return min((max(instant, at) for instant, _ in _Decision(facts, at, rules).all(cadence)), default=None)


@dataclass(frozen=True)
class _Decision:
    """The rules for one memory at an instant."""

    facts: Facts
    at: datetime
    rules: CurationRules

    def all(self, cadence: Cadence) -> Iterator[tuple[datetime, Proposal]]:
        """What is to become of it from which instant on, the most final first. What sources make, they unmake."""
        if self.facts.kind not in RECORD_KINDS:
            return
        yield from self._expiry(cadence)
        yield from self._worthless(cadence)
        if self.facts.is_archived:
            return
        if cadence is Cadence.HOUR:
            yield from self._orphan()
            yield from self._promotion()
            yield from self._belief()
        if cadence is Cadence.QUARTER_HOUR:
            yield from self._demotion()
        if cadence is Cadence.SIX_HOURS:
            yield from self._unconsolidated()

    def _expiry(self, cadence: Cadence) -> Iterator[tuple[datetime, Proposal]]:
        """The TTL rules, and what the score lets live longer: what it has earned beside its type and its youth, whose
        weight alone would let no reflection, analysis or synthesis ever expire.
        """
        row, over = ttl_row(self.facts), expires_at(self.facts)
        if row is None or over is None or row.cadence is not cadence:
            return
        if row.step is Step.PRUNE and not row.is_always:
            over = self._no_longer_earned(max(over, self.at))
        if over is not None and (opened := self._opens(over)) is not None:
            lived = f"{row.days:g} days" if row.days and row.days > 1 else "24 hours"
            what = f"{row.kind}, {row.state}" if row.state else row.kind
            is_at_once = row.step is Step.PRUNE and self._is_at_once(max(opened, self.at))
            step = Step.REMOVE if is_at_once else row.step
            tier = "ARCHIVE" if step is Step.ARCHIVE and self.facts.kind in TIERED_KINDS else None
            yield opened, Proposal(step, f"{what}: {lived} are over", tier=tier)

    def _no_longer_earned(self, at: datetime) -> datetime | None:
        """From when on neither its score nor what it has earned keeps a memory past its time to live."""
        ends = stops_earning(self.facts, RULES.earned_from, at)
        falls = falls_below(self.facts, KEPT_FROM, at)
        first = [instant for instant in (ends, falls) if instant is not None]
        return min(first, default=None)

    def _worthless(self, cadence: Cadence) -> Iterator[tuple[datetime, Proposal]]:
        """What its score prunes before its time (001: the score overrides in both directions)."""
        row = ttl_row(self.facts)
        if cadence is not Cadence.SIX_HOURS or (row is not None and row.days is None):
            return
        low = falls_below(self.facts, PRUNED_BELOW, self.at)
        if low is not None and (opened := self._opens(low)) is not None:
            step = Step.REMOVE if self._is_at_once(opened) else Step.PRUNE
            value = score(self.facts, opened).plain
            yield opened, Proposal(step, f"its value is {value:.2f}, below {PRUNED_BELOW}")

    def _is_at_once(self, at: datetime) -> bool:
        """Whether a notification or a session goes without a tombstone."""
        is_light = self.facts.kind in ("Notification", "SessionContext")
        return is_light and score(self.facts, at).action is Action.REMOVE

    def _opens(self, instant: datetime) -> datetime | None:
        """When all rails are open, from an instant on; None while one is closed that time does not open."""
        facts = self.facts
        rails = {name: rail for name, rail in RAILS.items() if rail is not is_new}
        if closed_rails(facts.as_memory(), instant, rails):
            return None
        return max(instant, facts.created_at + GRACE, (facts.restored_at or facts.created_at) + GRACE)

    def _orphan(self) -> Iterator[tuple[datetime, Proposal]]:
        """Propose to prune it where no source states it any more."""
        if not self.facts.has_source and (opened := self._opens(self.at)) is not None:
            yield opened, Proposal(Step.PRUNE, "no source of it is left")

    def _promotion(self) -> Iterator[tuple[datetime, Proposal]]:
        facts, used = self.facts, self.facts.accesses_7d(self.at)
        if facts.kind not in TIERED_KINDS:
            return
        if facts.budgeted_at is not None and facts.last_used <= facts.budgeted_at:
            # There is no room for it above, until it is used again: it would only come down once more.
            return
        if facts.tier == "WARM" and (used >= self.rules.to_hot_accesses or facts.is_in_work):
            why = "a task in progress refers to it" if facts.is_in_work else f"{used} accesses in 7 days"
            yield self.at, Proposal(Step.PROMOTE, why, tier="HOT")
        if facts.tier == "COLD" and (used >= self.rules.to_warm_accesses or facts.is_in_session):
            why = "an active session refers to it" if facts.is_in_session else f"{used} accesses in 7 days"
            yield self.at, Proposal(Step.PROMOTE, why, tier="WARM")
        if facts.tier == "ARCHIVE":
            yield self.at, Proposal(Step.PROMOTE, "it was asked for", tier="COLD")

    def _belief(self) -> Iterator[tuple[datetime, Proposal]]:
        """An active belief's confidence, where it passes a threshold that something follows from."""
        facts = self.facts
        if facts.kind != "Belief" or facts.is_archived or facts.confidence is None:
            return
        for threshold in (CERTAIN_BELIEF, STRONG_BELIEF, WEAK_BELIEF):
            passed = confidence_falls_to(facts, threshold)
            if passed is not None and facts.confidence >= threshold:
                then = confidence_at(facts, max(passed, self.at))
                yield passed, Proposal(Step.DECAY, f"nobody has said it again: below {threshold}", confidence=then)

    def _demotion(self) -> Iterator[tuple[datetime, Proposal]]:
        facts = self.facts
        held = self._held_until()
        if facts.kind not in TIERED_KINDS or facts.tier not in TIERS[:-1] or held is None:
            return
        below = TIERS[TIERS.index(facts.tier) + 1]
        for instant, why in self._idle():
            if below != "ARCHIVE":
                yield max(instant, held), Proposal(Step.DEMOTE, why, tier=below)
            elif (opened := self._opens(max(instant, held))) is not None:
                yield opened, Proposal(Step.ARCHIVE, why, tier=below)

    def _held_until(self) -> datetime | None:
        """Until when the rules of promotion hold a memory in its tier: what falls would rise again at once, and so on.
        None while that has no end.
        """
        facts, rules = self.facts, self.rules
        if facts.is_in_session or (facts.is_in_work and facts.tier != "COLD"):
            return None
        wanted = {"HOT": rules.to_hot_accesses, "WARM": rules.to_warm_accesses}.get(facts.tier or "")
        return self._seldom_from(wanted) if wanted else facts.created_at

    def _idle(self) -> Iterator[tuple[datetime, str]]:
        """From when on a memory is out of place in its tier, and why."""
        facts, rules = self.facts, self.rules
        if facts.tier == "HOT":
            yield facts.last_used + rules.hot_idle, "not used for 12 hours"
        if facts.tier == "WARM":
            seldom = self._seldom_from(rules.warm_accesses)
            yield max(facts.last_used + rules.warm_idle, seldom), "not used for 48 hours, and less than twice in 7 days"
        if facts.tier == "COLD":
            idle = facts.last_used + rules.cold_idle
            why = "not used for 90 days"
            if not facts.access_count:
                # One whose value is high is not lost sight of because nobody has come yet (001: KEEP).
                worth = falls_below(facts, KEPT_FROM, self.at)
                idle, why = (worth, "never used") if worth is not None and worth < idle else (idle, why)
            yield idle, why
        if (low := falls_below(facts, DEMOTED_BELOW, self.at)) is not None:
            a_day = (facts.tiered_at or facts.since) + rules.a_tier_a_day
            yield max(low, a_day), f"its value is below {DEMOTED_BELOW:g}"

    def _seldom_from(self, accesses: int) -> datetime:
        """From when on it was used fewer times than that in seven days, if nobody uses it any more."""
        recent = sorted(self.facts.recent_accesses)
        return recent[-accesses] + WEEK if len(recent) >= accesses else self.facts.created_at

    def _unconsolidated(self) -> Iterator[tuple[datetime, Proposal]]:
        """Flagged, never pruned (001, TTL Rules)."""
        facts = self.facts
        if facts.kind == "Reflection" and facts.consolidated is not True and facts.needs_consolidation is not True:
            yield facts.created_at + GRACE, Proposal(Step.FLAG, "it is not consolidated")


def after(facts: Facts, proposal: Proposal | None, now: datetime) -> Facts:
    """A memory as what was decided leaves it."""
    if proposal is None:
        return facts
    changes: dict[str, Any] = {"version": facts.version + 1}
    if proposal.tier is not None and facts.kind in TIERED_KINDS:
        changes |= {"tier": proposal.tier, "tiered_at": now, "budgeted_at": now if proposal.by_budget else None}
    if proposal.confidence is not None:
        changes["confidence"] = proposal.confidence
    if proposal.step is Step.ARCHIVE:
        changes |= {"state": "archived", "archived_at": now}
    if proposal.step is Step.FLAG:
        changes["needs_consolidation"] = True
    return replace(facts, **changes)


def enforce_budgets(
    entries: Iterable[Facts], at: datetime, rules: CurationRules = CURATION, protected: Collection[str] = ()
) -> tuple[list[tuple[Facts, Proposal]], dict[str, int]]:
    """What each tier's budget demotes, the least recently used first, and the tokens of each tier after that.

    What comes out of a tier counts in the next one; what a rail keeps from being archived stays in the last, which is
    over its budget then, and so does what is ``protected`` by what refers to it.
    """
    tiers: dict[str, list[Facts]] = {name: [] for name in TIERS}
    for entry in entries:
        if entry.tier in tiers and entry.kind in TIERED_KINDS:
            tiers[entry.tier].append(entry)
    moved: dict[str, tuple[Facts, Proposal]] = {}
    left: dict[str, int] = {}
    for (name, budget), (_, below) in zip(rules.budgets, pairwise(TIERS), strict=True):
        held = sorted(tiers[name], key=lambda entry: (entry.last_used, entry.id))
        tokens = sum(entry.token_count for entry in held)
        for entry in held:
            if tokens <= budget:
                break
            if below == "ARCHIVE" and (entry.id in protected or closed_rails(entry.as_memory(), at, RAILS)):
                continue
            tokens -= entry.token_count
            step = Step.ARCHIVE if below == "ARCHIVE" else Step.DEMOTE
            why = f"{name} holds more than its {budget} tokens"
            moved[entry.id] = (entry, Proposal(step, why, tier=below, by_budget=True))
            tiers[below].append(replace(entry, tier=below))
        left[name] = tokens
    return list(moved.values()), left
