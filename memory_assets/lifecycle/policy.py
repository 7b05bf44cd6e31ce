"""How long a memory lives, as one table (004, Memory Lifecycle & Decay): states, accesses, spacing, expiry. Pure.

What is stored, and how present a memory is by that, says ``graph/lives.py``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from memory_assets.clock import day_of
from memory_assets.graph.lives import EPHEMERAL, KEEP_FOREVER, RULES, Life, LifecycleRules, decay_rate, salience
from memory_assets.model import State

CODE_VERSION = "5"


def archived_on(life: Life, rules: LifecycleRules = RULES) -> date | None:
    """The first UTC day on which a memory is archived unless it is accessed; None: it never is.

    The day that begins after it has expired (``ephemeral``), or with a salience below the threshold.
    """
    if life.ttl_policy == KEEP_FOREVER:
        return None
    if life.ttl_policy == EPHEMERAL:
        return _day_after(life.created_at, rules.episodic_days if life.is_episodic else rules.semantic_days)
    rate = decay_rate(life, rules)
    days = max(0.0, math.log(life.salience / rules.archived_below)) / rate if rate and life.salience > 0 else math.inf
    if life.salience < rules.archived_below:
        days = 0.0
    return _day_after(life.since, days) if days <= rules.longest_days else None


def _day_after(instant: datetime, days: float) -> date:
    return (instant.astimezone(UTC) + timedelta(days=days)).date() + timedelta(days=1)


def state_on(life: Life, day: date, rules: LifecycleRules = RULES) -> State:
    """The state of a memory on a day by itself, whether anybody has looked or not.

    What is archived and has been ingested again since is again what it was. What is kept forever never is.
    """
    if life.ttl_policy == KEEP_FOREVER:
        return life.living_state
    gone = archived_on(life, rules)
    return State.ARCHIVED if life.is_folded or gone is not None and gone <= day else life.living_state


def accessed(life: Life, at: datetime, rules: LifecycleRules = RULES) -> Life:
    """A memory's life after it was retrieved at an instant (004, Salience Updates and Transition Rules).

    One that comes late, after a later one was counted, counts as one of that day (:func:`refolded`). What became of the
    memory only later, mentions that made it active or a note that replaces it, is no part of what it was then.
    """
    if life.folded_at is not None and at <= life.folded_at:
        after = accessed(replace(life, folded_at=None, state=life.living_state, archived_from=None), at, rules)
        return replace(after, state=State.ARCHIVED, archived_from=after.living_state, folded_at=life.folded_at)
    if life.promoted_at is not None and at < life.promoted_at and not life.access_count:
        is_archived = life.state is State.ARCHIVED
        life = replace(life, archived_from=State.CANDIDATE) if is_archived else replace(life, state=State.CANDIDATE)
    last = life.last_accessed_at
    interval = max(0, (day_of(at) - day_of(last or life.created_at)).days)
    is_spaced = last is None or interval > 0
    count = life.access_count + 1
    boost = rules.spaced_boost if is_spaced else rules.massed_boost
    state = _state_after(life, at, count, rules)
    after = replace(
        life,
        state=state,
        salience=min(1.0, salience(life, at, rules) + boost),
        salience_at=max(filter(None, (at, life.salience_at))),
        archived_from=life.living_state if state is State.ARCHIVED else None,
        folded_at=life.folded_at if state is State.ARCHIVED else None,
        access_count=count,
        recall_frequency=life.recall_frequency + 1,
        last_accessed_at=max(filter(None, (at, last))),
    )
    return _spaced(after, interval, rules) if is_spaced else after


def _state_after(life: Life, at: datetime, count: int, rules: LifecycleRules) -> State:
    gone = archived_on(life, rules)
    is_gone = gone is not None and gone <= day_of(at)
    if is_gone and life.ttl_policy == EPHEMERAL:
        # What expires by policy does so even when it is retrieved (004: archival guaranteed): by ageing, with an audit.
        return life.state
    if is_gone or life.is_folded:
        return State.ACTIVE
    return State.CORE if count >= rules.core_accesses or life.living_state is State.CORE else State.ACTIVE


def _spaced(life: Life, interval: int, rules: LifecycleRules) -> Life:
    """The spacing effect: a longer pause than the last lets it fade more slowly, a shorter one faster.

    Pauses are whole UTC days, the first one since its creation: recalls of one day are one.
    """
    gradient = life.decay_gradient
    if interval > life.last_recall_interval:
        gradient += rules.longer_gradient
    elif interval < life.last_recall_interval:
        gradient -= rules.shorter_gradient
    bounded = round(min(rules.most_gradient, max(rules.least_gradient, gradient)), 9)
    return replace(life, decay_gradient=bounded, last_recall_interval=interval)


def folded(
    life: Life, at: Iterable[datetime], ingested: Iterable[datetime] = (), rules: LifecycleRules = RULES
) -> Life:
    """A memory's life after it was retrieved at each of these instants; ``ingested``: when sources arrived that say it,
    beside the last. Of these each retrieval knows those before it.
    """
    return replace(_lives(life, at, ingested, rules)[-1], ingested_at=life.ingested_at)


def _lives(life: Life, at: Iterable[datetime], ingested: Iterable[datetime], rules: LifecycleRules) -> list[Life]:
    """A memory's life before and after each retrieval, with what had arrived by then."""
    arrived = sorted({*ingested, *filter(None, [life.ingested_at])})
    lives = [life]
    for instant in sorted(at):
        known = max((one for one in arrived if one <= instant), default=None)
        lives.append(accessed(replace(lives[-1], ingested_at=known), instant, rules))
    return lives


def is_late(life: Life, at: Collection[datetime]) -> bool:
    """Whether some of these retrievals were before one that is counted: :func:`refolded` takes them."""
    return life.last_accessed_at is not None and min(at, default=life.last_accessed_at) < life.last_accessed_at


def asks_arrivals(life: Life, at: Collection[datetime]) -> bool:
    """Whether what these retrievals make of a memory follows from other arrivals than its last: one of them was before
    that, or they have the memory's life told from its beginning.
    """
    return life.ingested_at is not None and (is_late(life, at) or min(at, default=life.ingested_at) < life.ingested_at)


def arrivals_since(life: Life, at: Collection[datetime]) -> datetime | None:
    """The instant before which no arrival matters to that any more; None: all do."""
    return None if is_late(life, at) else life.salience_at


def refolded(
    life: Life,
    counted: Iterable[datetime],
    late: Iterable[datetime],
    ingested: Collection[datetime] = (),
    rules: LifecycleRules = RULES,
) -> Life:
    """A memory's life after retrievals some of which were before one that is counted: from its beginning, where its
    life follows from those that are ``counted``; else as :func:`folded`.
    """
    born, counted, late = _born(life), list(counted), list(late)
    if _is_same(folded(born, counted, ingested, rules), life):
        return folded(born, [*counted, *late], ingested, rules)
    return folded(life, late, ingested, rules)


def recounted(
    life: Life, counted: Iterable[datetime], ingested: Collection[datetime], day: date, rules: LifecycleRules = RULES
) -> Life:
    """A memory's life from its beginning, by the retrievals that are its own by what is known now. What is archived and
    has faded by that, too, stays so.
    """
    after = folded(_born(life), counted, ingested, rules)
    return settled(after, day, rules) if life.state is State.ARCHIVED else after


def _born(life: Life) -> Life:
    """A memory as it was made, before anybody accessed it; what is core from the start is wholly present."""
    keys = (
        "created_at",
        "ingested_at",
        "ttl_policy",
        "confidence",
        "is_episodic",
        "folded_at",
        "promoted_at",
        "begins",
    )
    state = life.begins if life.promoted_at is None else State.ACTIVE
    states: dict[str, Any] = {"state": State.ARCHIVED, "archived_from": state} if life.folded_at else {"state": state}
    if life.begins is State.CORE:
        states["salience"] = 1.0
    return Life(**{name: getattr(life, name) for name in keys} | states)


def _is_same(one: Life, other: Life) -> bool:
    keys = ("access_count", "living_state", "last_recall_interval", "decay_gradient")
    return math.isclose(one.salience, other.salience) and all(getattr(one, key) == getattr(other, key) for key in keys)


def course(
    life: Life, at: Iterable[datetime], instants: Iterable[datetime], rules: LifecycleRules = RULES
) -> list[float | None]:
    """Its salience at each of these instants, in order, if it is not accessed any more: by its accesses where these are
    all that is counted of it, else since its last access. None: it was not there, or nothing is known of it then.
    """
    born = replace(_born(life), ingested_at=None)
    first = born if life.access_count else replace(born, state=life.living_state)
    lives = _lives(first, at, filter(None, [life.ingested_at]), rules)
    lives = [*lives, life] if _is_same(lives[-1], life) else [life]
    values: list[float | None] = []
    for instant in instants:
        lived = [one for one in lives if one.since <= instant]
        values.append(salience(lived[-1], instant, rules) if lived else None)
    return values


def settled(life: Life, day: date, rules: LifecycleRules = RULES) -> Life:
    """A memory's life on a day, as it is to be stored: archived where it has faded, back where it has not."""
    state = state_on(life, day, rules)
    if state is life.state:
        return life
    return replace(life, state=state, archived_from=life.state if state is State.ARCHIVED else None)
