"""Statements about an anchor, grouped by the matters that they speak of. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from memory_assets.hierarchy.stories import (
    LIVE_DAYS,
    MOST_WAITING,
    Anchor,
    Checkpoint,
    Story,
    StorySource,
    StoryStatement,
    event_order,
    may_found,
)
from memory_assets.llm.local.nearness import WORD_PLACES, compared_words, noun_words, without_words

OF_A_MATTER = 0.28
"""So near are the statements of a matter on average (``llm.local.nearness``), with and without the names in them: a
place or a product that everybody speaks of is no matter.
"""
SHARED_WORD = 0.6
"""So much of the sources that found a matter have one word of it."""
RECENT_STATEMENTS = 12
"""The last of a matter, to which a statement is compared that may join it: matters move."""
WORTH_A_CHECKPOINT = 500
"""An anchor of which fewer statements are grouped is grouped from the start each time."""


class _Table:
    """What statements are compared by, and the part of it for words as if none of their names had been said."""

    def __init__(self, statements: Sequence[StoryStatement]) -> None:
        self.vectors = np.array([one.vector for one in statements])
        self.nameless = self.vectors[:, -WORD_PLACES:].copy() if statements else self.vectors
        for place, one in enumerate(statements):
            if one.names:
                self.nameless[place] = without_words(one.vector, one.names)[-WORD_PLACES:]

    def products(self, at: int, places: Sequence[int] | np.ndarray) -> np.ndarray:
        """How near the statement at a place is to those at others: with names, and without; two rows."""
        vectors, nameless = self.vectors[places], self.nameless[places]
        others, words = vectors[:, :-WORD_PLACES] @ self.vectors[at, :-WORD_PLACES], vectors[:, -WORD_PLACES:]
        return np.array([others + words @ self.vectors[at, -WORD_PLACES:], others + nameless @ self.nameless[at]])


class _Matter:
    """A matter as it grows: all that it states, the last of that by its places in the table, and its last day."""

    def __init__(self, stated: Sequence[tuple[str, str]], recent: Sequence[int], days: np.ndarray) -> None:
        self.stated = list(stated)
        self.recent = list(recent[-RECENT_STATEMENTS:])
        self.last_day = float(np.nanmax(days[list(recent)]))  # never without a day

    def add(self, key: tuple[str, str], place: int, day: float) -> None:
        self.stated.append(key)
        self.recent = [*self.recent[1 - RECENT_STATEMENTS :], place]
        self.last_day = max(self.last_day, day)


def group_matters(
    anchor: Anchor, *, now: datetime, stops: Sequence[datetime] = ()
) -> tuple[tuple[Story, ...], tuple[Checkpoint, ...]]:
    """The matters that statements about an anchor make up, oldest first: no statement of a source is in two of them.

    Replayed in the order of events, all of them or from a checkpoint on: with the same result, but without those that
    had ended by then. A statement joins the live matter that it is nearest to on average; else it waits, until what is
    near it, and near what is near, is of five sources on three days and shares a word. Also its state at each of the
    ``stops``, ascending, where enough was stated by then.
    """
    statements = sorted(anchor.statements, key=lambda one: (event_order(one.source), one.id))
    table = _Table(statements)
    days = np.array([_days(one.source.started_at) for one in statements])
    matters: list[_Matter] = []
    waiting: list[int] = []
    begin = 0
    if anchor.resumed is not None:
        places = {one.key: at for at, one in enumerate(statements)}
        since = anchor.resumed.checkpoint.at
        begin = sum(one.source.started_at is not None and one.source.started_at <= since for one in statements)
        for story in anchor.resumed.stories:
            recent = [places[key] for key in story.statements[-RECENT_STATEMENTS:]]
            matters.append(_Matter(story.statements, recent, days))
        waiting = [places[key] for key in anchor.resumed.checkpoint.waiting]
    live = matters
    left, made = list(stops), list[Checkpoint]()
    for at in range(begin, len(statements) + 1):
        while left and (at == len(statements) or _is_after(statements[at].source, left[0])):
            stop = left.pop(0)
            still = [matter for matter in matters if _days(stop) - matter.last_day <= LIVE_DAYS]
            if anchor.resumed is not None or at >= WORTH_A_CHECKPOINT:
                made.append(_checkpoint(anchor, stop, still, [statements[place].key for place in waiting]))
        if at == len(statements):
            break
        one = statements[at]
        live = [matter for matter in live if days[at] - matter.last_day <= LIVE_DAYS]
        fits = [round(float(table.products(at, matter.recent).mean(axis=1).min()), 6) for matter in live]
        best = max(range(len(live)), key=lambda place: (fits[place], live[place].recent[-1]), default=None)
        if best is not None and fits[best] >= OF_A_MATTER:
            live[best].add(one.key, at, days[at])
            continue
        waiting = [*waiting[1 - MOST_WAITING :], at]
        founders = _nearest(table, days, waiting)
        said = [statements[founder] for founder in founders]
        talked = {one.source.id: one.source for one in said}
        if may_found(list(talked.values()), now) and _share_a_word(said, of_person=anchor.is_person):
            founded = _Matter([one.key for one in said], founders, days)
            matters.append(founded)
            live = [*live, founded]
            waiting = [other for other in waiting if other not in founders]
    sources = {one.source.id: one.source for one in statements}
    for story in anchor.resumed.stories if anchor.resumed else ():
        sources |= {source.id: source for source in story.sources}
    found = [_story(anchor, matter.stated, sources) for matter in matters]
    return tuple(sorted(found, key=lambda story: (event_order(story.sources[0]), story.founder))), tuple(made)


def _is_after(source: StorySource, stop: datetime) -> bool:
    return source.started_at is None or source.started_at > stop


def _checkpoint(
    anchor: Anchor, at: datetime, live: Sequence[_Matter], waiting: Sequence[tuple[str, str]]
) -> Checkpoint:
    times = [source.started_at for source in anchor.sources if source.started_at and source.started_at <= at]
    last_at = max(times) if times else anchor.resumed.checkpoint.last_at if anchor.resumed else at
    counts = {" ".join(matter.stated[0]): len(matter.stated) for matter in live}
    return Checkpoint(at, last_at, counts, tuple(waiting))


def _days(at: datetime | None) -> float:
    """An instant in days; NaN where nobody knows it."""
    return at.timestamp() / 86_400 if at is not None else math.nan


def _nearest(table: _Table, days: np.ndarray, waiting: Sequence[int]) -> list[int]:
    """The last of those waiting, and whichever is nearest on average to what has gathered around it so far, each within
    90 days of one of them; an unknown time is no reason to keep apart.
    """
    left = np.array(waiting)
    sums, apart = np.zeros((2, len(left))), np.full(len(left), np.inf)
    is_free = np.ones(len(left), dtype=bool)
    group: list[int] = []
    best = len(left) - 1
    while True:
        group.append(int(left[best]))
        is_free[best] = False
        sums += table.products(group[-1], left)
        if not math.isnan(days[group[-1]]):
            apart = np.fmin(apart, np.abs(days[left] - days[group[-1]]))
        is_near = is_free & ((apart <= LIVE_DAYS) | np.isnan(days[left]) | bool(np.isnan(days[group]).all()))
        # Rounded, so that the last bits of a sum decide nothing; of equals the latest.
        means = np.where(is_near, np.round(sums.min(axis=0) / len(group), 6), -np.inf)
        best = int(np.flatnonzero(means == means.max())[-1])
        if means[best] < OF_A_MATTER:
            return sorted(group)


def _share_a_word(said: Sequence[StoryStatement], *, of_person: bool) -> bool:
    """Whether most of the sources of statements have one word: what nobody calls by a word is no matter. Of somebody
    half of these say it as a noun or a name: what somebody does in many ("proposes") is no matter, what is done to a
    thing ("paints") is.
    """
    most = SHARED_WORD * len({one.source.id for one in said})
    having: dict[str, list[StoryStatement]] = {}
    for one in said:
        for word in compared_words(one.text).keys() - one.unsaid:
            having.setdefault(word, []).append(one)
    for word, some in having.items():
        if (sources := len({one.source.id for one in some})) >= most:
            if not of_person:
                return True
            naming = {one.source.id for one in some if word in noun_words(one.text)}
            if 2 * len(naming) >= sources:
                return True
    return False


def _story(anchor: Anchor, stated: Sequence[tuple[str, str]], sources: Mapping[str, StorySource]) -> Story:
    stating = {source: sources[source] for source, _ in stated}
    return Story(anchor, tuple(sorted(stating.values(), key=event_order)), tuple(stated))
