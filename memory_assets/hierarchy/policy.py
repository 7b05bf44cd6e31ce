"""Which storylines the sources of a user make up, and which macros those (specification 004, Nightly Storyline
Promotion, Weekly Macro Promotion). Pure.

The set of sources alone decides: they are replayed in the order of their events, whatever order they
arrived in. A source joins a live storyline of its anchor that it fits; else it waits, until five that
belong together, on three days, become a new one.

A storyline is of one matter, and a source speaks of several: so the statements about an anchor are grouped, and a
storyline includes the sources of its statements (:func:`group_matters`). An anchor of which sources state nothing
is grouped by its sources as wholes (``docs/decisions/0006-storylines-by-matter.md``).

The thresholds are cosines of summaries' embeddings. Summaries of conversations between the same two people
lie around 0.37 (half of them between 0.30 and 0.45) when nothing else connects them. So what founds a
storyline may be loose, for an anchor and a time connect it already; what joins one must fit it better than
most would, or an anchor's storylines would never part.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np

CODE_VERSION = "7"


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
    """So many are named in one run; the others wait for the next (:mod:`memory_assets.hierarchy.naming`)."""


RULES = StorylineRules()
LIVE_DAYS = RULES.live_for / timedelta(days=1)

MOST_PER_ANCHOR = 12
"""A name in every source (a speaker, an assistant) has no more storylines than this."""

AN_INSTANT = timedelta(seconds=1)
SAME_STORY = 0.8
"""Two storylines that share so much of their sources (Jaccard) are one story, told by one anchor."""
SAME_MATTER = 0.5
"""Two that share so much of what they state (of the shorter one) are of one matter."""
OF_A_MATTER = 0.22
"""So near are the statements of a matter on average (:func:`statement_vector`)."""
OF_WORDS = 0.4
"""How much of that nearness is shared words."""
WORD_PLACES = 256
SHARED_WORD = 0.6
"""So much of the sources that found a matter have one word of it."""
MOST_WAITING = 500
"""So many statements of an anchor wait for a matter of theirs, the last ones: what each new one costs has a bound."""
RECENT_STATEMENTS = 12
"""The last of a matter, to which a statement is compared that may join it: matters move."""


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
    """A statement about an anchor, or its own word, in one of the sources that make it: what it is compared by."""

    id: str
    source: StorySource
    vector: np.ndarray = field(compare=False, repr=False)

    @property
    def key(self) -> tuple[str, str]:
        """The ids of its source and of itself."""
        return self.source.id, self.id


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
    """How many sources mention it, where they are not given."""

    @property
    def breadth(self) -> int:
        """How many sources mention it."""
        return len(self.sources) if self.source_count is None else self.source_count


@dataclass(frozen=True)
class Story:
    """A storyline of an anchor: its sources in the order of their events, and what of them it tells.

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
    def stated(self) -> frozenset[tuple[str, str]]:
        """What it tells: its statements, or all that its sources state of the anchor."""
        if self.statements:
            return frozenset(self.statements)
        return frozenset(one.key for one in self.anchor.statements if one.source.id in self.source_ids)

    @property
    def days(self) -> int:
        """On how many distinct days (UTC) something happened; unknown times make no day."""
        return len({source.started_at.astimezone(UTC).date() for source in self.sources if source.started_at})

    @property
    def first_at(self) -> datetime | None:
        """The first event's time."""
        return min((source.started_at for source in self.sources if source.started_at), default=None)

    @property
    def last_at(self) -> datetime | None:
        """The last event's time."""
        return max((source.started_at for source in self.sources if source.started_at), default=None)

    @property
    def source_ids(self) -> frozenset[str]:
        """What it includes."""
        return frozenset(source.id for source in self.sources)


def event_order(source: StorySource) -> tuple[bool, datetime, str]:
    """By the event's time, then by id; unknown times last."""
    return source.started_at is None, source.started_at or datetime.max.replace(tzinfo=UTC), source.id


def statement_vector(embedding: np.ndarray, words: Mapping[str, float]) -> np.ndarray:
    """What a statement is compared by, a unit vector where it has both parts: its embedding (zeros, without one) with
    three fifths of the cosine, then its words by what each is worth, folded into :data:`WORD_PLACES` places.
    """
    folded = np.zeros(WORD_PLACES)
    for word, worth in words.items():
        place, is_positive = _place(word)
        folded[place] += worth if is_positive else -worth
    parts = ((1 - OF_WORDS, embedding), (OF_WORDS, folded))
    return np.concatenate([share**0.5 * part / (float(np.linalg.norm(part)) or 1.0) for share, part in parts])


def without_words(vector: np.ndarray, words: Iterable[str]) -> np.ndarray:
    """The same as if some words had not been said: whoever something is said of is of no one matter for it."""
    found = vector.copy()
    said = found[-WORD_PLACES:]
    said[[_place(word)[0] for word in words]] = 0.0
    length = float(np.linalg.norm(said))
    said *= OF_WORDS**0.5 / length if length else 1.0
    return found


def _place(word: str) -> tuple[int, bool]:
    """Where a word is folded to, and with which sign."""
    place = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "big")
    return place % WORD_PLACES, bool(place & 1 << 31)


def group_storylines(anchor: Anchor, *, now: datetime) -> tuple[Story, ...]:
    """The storylines of one anchor, oldest first: by matter where sources state something of it, else by its sources
    as wholes.
    """
    return group_matters(anchor, now=now) if anchor.statements else _group_sources(anchor, now=now)


def group_matters(anchor: Anchor, *, now: datetime) -> tuple[Story, ...]:
    """The matters that statements about an anchor make up, oldest first: no statement of a source is in two of them.

    Replayed in the order of events. A statement joins the live matter that it is nearest to on average; else it waits,
    until what is near it, and near what is near, is of five sources on three days.
    """
    statements = sorted(anchor.statements, key=lambda one: (event_order(one.source), one.id))
    table = np.array([one.vector for one in statements])
    days = np.array([_days(one.source.started_at) for one in statements])
    matters: list[list[int]] = []
    waiting: list[int] = []
    for at in range(len(statements)):
        live = [matter for matter in matters if days[at] - np.nanmax(days[matter]) <= LIVE_DAYS]  # never without a day
        fits = [round(float((table[matter[-RECENT_STATEMENTS:]] @ table[at]).mean()), 6) for matter in live]
        best = max(range(len(live)), key=lambda place: (fits[place], live[place][-1]), default=None)
        if best is not None and fits[best] >= OF_A_MATTER:
            live[best].append(at)
            continue
        waiting = [*waiting[1 - MOST_WAITING :], at]
        founders = _nearest(table, days, waiting)
        of = [statements[founder].source for founder in founders]
        if _may_found(list({source.id: source for source in of}.values()), now) and _share_a_word(of, table[founders]):
            matters.append(founders)
            waiting = [other for other in waiting if other not in founders]
    found = [_of_statements(anchor, [statements[at] for at in matter]) for matter in matters]
    return tuple(sorted(found, key=lambda story: (event_order(story.sources[0]), story.founder)))


def _days(at: datetime | None) -> float:
    """An instant in days; NaN where nobody knows it."""
    return at.timestamp() / 86_400 if at is not None else math.nan


def _nearest(table: np.ndarray, days: np.ndarray, waiting: Sequence[int]) -> list[int]:
    """The last of those waiting, and whichever is nearest on average to what has gathered around it so far, each within
    90 days of one of them; an unknown time is no reason to keep apart.
    """
    left = np.array(waiting)
    sums, apart = np.zeros(len(left)), np.full(len(left), np.inf)
    is_free = np.ones(len(left), dtype=bool)
    group: list[int] = []
    best = len(left) - 1
    while True:
        group.append(int(left[best]))
        is_free[best] = False
        sums += table[left] @ table[group[-1]]
        if not math.isnan(days[group[-1]]):
            apart = np.fmin(apart, np.abs(days[left] - days[group[-1]]))
        is_near = is_free & ((apart <= LIVE_DAYS) | np.isnan(days[left]) | bool(np.isnan(days[group]).all()))
        # Rounded, so that the last bits of a sum decide nothing; of equals the latest.
        means = np.where(is_near, np.round(sums / len(group), 6), -np.inf)
        best = int(np.flatnonzero(means == means.max())[-1])
        if means[best] < OF_A_MATTER:
            return sorted(group)


def _share_a_word(of: Sequence[StorySource], vectors: np.ndarray) -> bool:
    """Whether most of the sources of statements have one word: what nobody calls by a word is no matter."""
    names = np.array([source.id for source in of])
    words = np.sign(vectors[:, -WORD_PLACES:])
    having = [max(len(set(names[words[:, place] == side])) for side in (-1, 1)) for place in range(WORD_PLACES)]
    return max(having) >= SHARED_WORD * len(set(names))


def _of_statements(anchor: Anchor, told: Sequence[StoryStatement]) -> Story:
    sources = {one.source.id: one.source for one in told}
    return Story(anchor, tuple(sorted(sources.values(), key=event_order)), tuple(one.key for one in told))


def _group_sources(anchor: Anchor, *, now: datetime) -> tuple[Story, ...]:
    """The storylines of an anchor's sources as wholes, oldest first: no source is in two of them."""
    stories: list[_Group] = []
    waiting: list[StorySource] = []
    for source in sorted(anchor.sources, key=event_order):
        story = _fitting(source, stories)
        if story is not None:
            story.add(source)
            continue
        waiting.append(source)
        founders = _belonging_together(waiting)
        if _may_found(founders, now):
            stories.append(_Group(founders))
            taken = {founder.id for founder in founders}
            waiting = [other for other in waiting if other.id not in taken]
    found = [Story(anchor, tuple(sorted(story.members, key=event_order))) for story in stories]
    return tuple(sorted(found, key=lambda story: event_order(story.sources[0])))


def next_founding(anchors: Iterable[Anchor], stories: Iterable[Story], *, now: datetime) -> datetime | None:
    """When the next storyline comes about by time alone: all but its age is there (004: older than three days).

    ``stories`` are those that the anchors have now (:func:`group_storylines`).
    """
    foundings = []
    included: dict[str, set[str | tuple[str, str]]] = {}
    for story in stories:
        included.setdefault(story.anchor.id, set()).update(story.statements or story.source_ids)
    young = now - RULES.older_than
    for anchor in anchors:
        # What is too young to be one has nothing older in it: without anything young, time changes nothing.
        if not any(source.started_at and source.started_at >= young for source in anchor.sources):
            continue
        known = included.get(anchor.id, set())
        for story in group_storylines(anchor, now=now + RULES.older_than + AN_INSTANT):
            times = [source.started_at for source in story.sources if source.started_at]
            if times and not known.intersection(story.statements or story.source_ids):
                foundings.append(min(times) + RULES.older_than + AN_INSTANT)
    return min(foundings, default=None)


def choose_anchors(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    """Those that could have a storyline at all, in the order of their ids."""
    able = (anchor for anchor in anchors if len(anchor.sources) >= RULES.least_sources)
    return tuple(sorted(able, key=lambda anchor: anchor.id))


def choose_storylines(stories: Iterable[Story]) -> tuple[Story, ...]:
    """Of the storylines of all anchors, those worth keeping apart.

    A story told twice is told by a person, or by the anchor that states most of it, of equals by the one with fewer
    sources: the more specific one. Then the longest stories come first, the latest of equals, within the limit for an
    anchor.
    """
    chosen: dict[str, list[Story]] = {}
    once: list[Story] = []
    for story in sorted(stories, key=_most_specific):
        if not _repeats(story, chosen):
            once.append(story)
            for source in story.sources:
                chosen.setdefault(source.id, []).append(story)
    worth: list[Story] = []
    of_anchor: Counter[str] = Counter()
    for story in sorted(once, key=_longest_and_latest):
        if of_anchor[story.anchor.id] < MOST_PER_ANCHOR:
            of_anchor[story.anchor.id] += 1
            worth.append(story)
    return tuple(sorted(worth, key=lambda story: (story.anchor.id, event_order(story.sources[0]))))


def _repeats(story: Story, chosen: Mapping[str, Sequence[Story]]) -> bool:
    """Whether one of those chosen already is nearly the same, by what both state, or by the sources that they include;
    only what shares some sources is asked.
    """
    shared: dict[tuple[str, str], tuple[Story, int]] = {}
    for source in story.sources:
        for other in chosen.get(source.id, ()):
            key = (other.anchor.id, other.founder)
            shared[key] = (other, shared.get(key, (other, 0))[1] + 1)
    return any(_is_same(story, other, both) for other, both in shared.values())


def _is_same(story: Story, other: Story, both: int) -> bool:
    mine, theirs = story.stated, other.stated
    if mine and theirs:
        return len(mine & theirs) >= SAME_MATTER * min(len(mine), len(theirs))
    return both / (len(story.sources) + len(other.sources) - both) >= SAME_STORY


class _Group:
    """Sources that go together, in the order in which they came, and the time of the latest."""

    def __init__(self, members: Sequence[StorySource]) -> None:
        self.members: list[StorySource] = []
        self.last_at: datetime | None = None
        for member in members:
            self.add(member)

    def add(self, source: StorySource) -> None:
        self.members.append(source)
        if source.started_at is not None:
            self.last_at = max(self.last_at or source.started_at, source.started_at)

    def fit(self, source: StorySource, recent: int) -> float | None:
        """The mean cosine to the members that came last; None where there is nothing to compare.

        Not the cosine to their middle: the middle of many is close to everything. Topics move, so the last.
        """
        near = [_cosine(member.vector, source.vector) for member in self.members[-recent:]]
        known = [cosine for cosine in near if cosine is not None]
        # Rounded, so that the last bits of a sum decide nothing.
        return round(sum(known) / len(known), 6) if known else None


def _fitting(source: StorySource, stories: Sequence[_Group]) -> _Group | None:
    """The live storyline that a source fits best; the most recent of equals. Unknown times are never live."""
    found: list[tuple[float, datetime, str, _Group]] = []
    for story in stories:
        if source.started_at is None or story.last_at is None:
            continue
        fit = story.fit(source, RULES.recent)
        if _fits(fit, source.started_at - story.last_at, RULES.joining_fit):
            found.append((fit if fit is not None else -1.0, story.last_at, story.members[0].id, story))
    return max(found, key=lambda entry: entry[:3])[3] if found else None


def _belonging_together(waiting: Sequence[StorySource]) -> list[StorySource]:
    """The last of those waiting, and going back in time whoever fits what has gathered around it so far."""
    newest, *earlier = sorted(waiting, key=event_order, reverse=True)
    group = _Group([newest])
    since = newest.started_at
    for source in earlier:
        if since is None or source.started_at is None:
            # An unknown time is no reason to keep apart what fits; it makes no day either.
            gap = timedelta(0)
        else:
            gap = since - source.started_at
        if gap > RULES.live_for:
            break
        if _fits(group.fit(source, RULES.recent), gap, RULES.founding_fit):
            group.add(source)
            since = source.started_at or since
    return sorted(group.members, key=event_order)


def _may_found(founders: Sequence[StorySource], now: datetime) -> bool:
    """004: five sources or more, on three distinct days or more, first mentioned more than three days ago."""
    times = [source.started_at for source in founders if source.started_at]
    days = {at.astimezone(UTC).date() for at in times}
    if len(founders) < RULES.least_sources or len(days) < RULES.least_days:
        return False
    return max(now, max(times)) - min(times) > RULES.older_than


def _fits(fit: float | None, gap: timedelta, needed: tuple[float, float]) -> bool:
    """Whether a fit bridges a gap in time: the wider the gap beyond 30 days, the closer it must be."""
    if gap > RULES.live_for:
        return False
    near, far = needed
    stretch = max(0.0, (gap - RULES.near) / (RULES.live_for - RULES.near))
    return fit is None or fit >= near + (far - near) * stretch


def _cosine(one: np.ndarray | None, other: np.ndarray | None) -> float | None:
    return None if one is None or other is None else float(one @ other)


def _most_specific(story: Story) -> tuple[bool, int, int, str, str]:
    return (
        not (story.anchor.is_person and story.statements),
        -len(story.stated),
        story.anchor.breadth,
        story.anchor.id,
        story.founder,
    )


def _longest_and_latest(story: Story) -> tuple[int, float, str, str]:
    last = story.last_at.timestamp() if story.last_at else 0.0
    return -len(story.sources), -last, story.anchor.id, story.founder


@dataclass(frozen=True)
class MacroRules:
    """004, Weekly Macro Promotion. Days and spans are those of the events, not of the run."""

    least_storylines: int = 2
    least_span: timedelta = timedelta(days=30)
    most_a_run: int = 50
    """So many are named in one run; the others wait for the next (:mod:`memory_assets.hierarchy.naming`)."""


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
    for part in sorted(storylines, key=_first_event_order):
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


def _first_event_order(part: Part) -> tuple[bool, datetime, str]:
    return part.first_at is None, part.first_at or datetime.max.replace(tzinfo=UTC), part.id
