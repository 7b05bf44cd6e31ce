"""What storylines are made of: sources, what they state, the anchors that they mention, and how far an anchor's sources
were grouped. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from memory_assets.clock import END_OF_TIME, day_of, in_order


@dataclass(frozen=True)
class StorylineRules:
    """004, Nightly Storyline Promotion, and what it leaves open (the ``fit`` and ``most`` fields)."""

    least_sources: int = 5
    least_days: int = 3
    older_than: timedelta = timedelta(days=3)
    live_for: timedelta = timedelta(days=90)
    near: timedelta = timedelta(days=30)
    founding_fit: tuple[float, float] = (0.25, 0.40)
    joining_fit: tuple[float, float] = (0.42, 0.55)
    recent: int = 8
    most_a_run: int = 100
    """So many new ones, and so many that have changed, are named in one run; the others wait for the next."""


RULES = StorylineRules()
LIVE_DAYS = RULES.live_for / timedelta(days=1)

MOST_WAITING = 500
"""So many of an anchor wait for a storyline of theirs, the last ones: what each new one costs has a bound."""


@dataclass(frozen=True)
class StorySource:
    """A source as promotion sees it: its time and the unit vector of its summary.

    Without an embedding, its anchor and its time are all that connects it.
    """

    id: str
    started_at: datetime | None
    vector: np.ndarray | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class StoryStatement:
    """A statement about an anchor, or its own word, in one of the sources that make it: what it is compared by.

    ``vector`` is as if the words of ``unsaid`` had not been said: the anchor's name and those of people. ``names`` are
    the words of other names.
    """

    id: str
    source: StorySource
    vector: np.ndarray = field(compare=False, repr=False)
    text: str = field(default="", compare=False, repr=False)
    unsaid: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    names: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    @property
    def key(self) -> tuple[str, str]:
        """The ids of its source and of itself."""
        return self.source.id, self.id


class Named(NamedTuple):
    """The words of the names of a person or an entity, and whether it is a person."""

    words: frozenset[str]
    is_person: bool


@dataclass(frozen=True)
class Anchor:
    """A person, concept or entity with the sources that mention it and the statements about it."""

    id: str
    name: str
    confidence: float
    sources: tuple[StorySource, ...]
    statements: tuple[StoryStatement, ...] = ()
    is_person: bool = False
    source_count: int | None = None
    """How many sources mention it, where not all are given."""
    resumed: Resumed | None = None
    """From where on its sources and statements are given; all are, where that is None."""

    @property
    def breadth(self) -> int:
        """How many sources mention it."""
        return len(self.sources) if self.source_count is None else self.source_count


@dataclass(frozen=True)
class Story:
    """A storyline of an anchor: its sources in the order of their events, and which of their statements it has.

    ``statements`` are the ids of a source and of what it states, in the order of events: another source may state the
    same. Without any, all that the sources state of the anchor is meant.
    """

    anchor: Anchor
    sources: tuple[StorySource, ...]
    statements: tuple[tuple[str, str], ...] = ()

    @property
    def founder(self) -> str:
        """The source, or the statement of one, whose id is part of the storyline's: the first."""
        return " ".join(self.statements[0]) if self.statements else self.sources[0].id

    @property
    def key(self) -> str:
        """Names it among all of an owner."""
        return f"{self.anchor.id} {self.founder}"

    @property
    def stated(self) -> frozenset[tuple[str, str]]:
        """Its statements, or all that its sources state of the anchor."""
        if self.statements:
            return frozenset(self.statements)
        return frozenset(one.key for one in self.anchor.statements if one.source.id in self.source_ids)

    @property
    def days(self) -> int:
        """On how many distinct days (UTC) something happened; unknown times make no day."""
        return len({day_of(source.started_at) for source in self.sources if source.started_at})

    @property
    def first_at(self) -> datetime | None:
        """The first event's time."""
        return min((source.started_at for source in self.sources if source.started_at), default=None)

    @property
    def last_at(self) -> datetime | None:
        """The last event's time."""
        return max((source.started_at for source in self.sources if source.started_at), default=None)

    @property
    def until(self) -> datetime:
        """The time of its last statement, in the order in which they are replayed: unknown times are last."""
        return max(source.started_at or END_OF_TIME for source in self.sources)

    @property
    def source_ids(self) -> frozenset[str]:
        """What it includes."""
        return frozenset(source.id for source in self.sources)


@dataclass(frozen=True)
class Checkpoint:
    """How far the statements about an anchor were grouped by an instant, so that grouping can go on from there.

    ``counts`` says how many statements each live storyline had, by its founder; ``waiting`` were in none, ``last_at``
    is of the last source until then.
    """

    at: datetime
    last_at: datetime
    counts: Mapping[str, int]
    waiting: tuple[tuple[str, str], ...]

    def resumed(self, stories: Sequence[Story]) -> Resumed:
        """From here on, with those of the storylines that were live, which have grown since then, as they were."""
        earlier = [
            (story, story.statements[: self.counts[story.founder]])
            for story in stories
            if self.counts.get(story.founder)
        ]
        return Resumed(self, tuple(Story(story.anchor, _of(story.sources, said), said) for story, said in earlier))


@dataclass(frozen=True)
class Resumed:
    """A checkpoint, and the storylines of an anchor that were live then, as they were."""

    checkpoint: Checkpoint
    stories: tuple[Story, ...]

    def needed(self, recent: int) -> set[tuple[str, str]]:
        """The statements of until then that later ones are compared to: what waits, and the last of each storyline."""
        return {*self.checkpoint.waiting, *(key for story in self.stories for key in story.statements[-recent:])}


def _of(sources: Sequence[StorySource], statements: Sequence[tuple[str, str]]) -> tuple[StorySource, ...]:
    stating = {source for source, _ in statements}
    return tuple(source for source in sources if source.id in stating)


def event_order(source: StorySource) -> tuple[bool, datetime, str]:
    """By the event's time, then by id; unknown times last."""
    return in_order(source.started_at, source.id)


def may_found(founders: Sequence[StorySource], now: datetime) -> bool:
    """004: five sources or more, on three distinct days or more, first mentioned more than three days ago."""
    times = [source.started_at for source in founders if source.started_at]
    days = {day_of(at) for at in times}
    if len(founders) < RULES.least_sources or len(days) < RULES.least_days:
        return False
    return max(now, max(times)) - min(times) > RULES.older_than
