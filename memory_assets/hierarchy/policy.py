"""Which storylines the sources of a user make up (specification 004, Nightly Storyline Promotion). Pure.

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

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from memory_assets.clock import END_OF_TIME
from memory_assets.hierarchy.matters import group_matters
from memory_assets.hierarchy.stories import (
    RULES,
    Anchor,
    Checkpoint,
    Story,
    StorySource,
    event_order,
    may_found,
)
from memory_assets.hierarchy.whole_sources import group_sources

CODE_VERSION = "15"


MOST_PER_ANCHOR = 12
"""A name in every source (a speaker, an assistant) has no more storylines than this."""

CHECKPOINTS = tuple(timedelta(days=2**power) for power in range(2, 13))
"""How long ago grouping can be resumed from, the first further back than what is too young for a storyline."""
AN_INSTANT = timedelta(seconds=1)
SAME_STORY = 0.8
"""Two storylines that share so much of their sources (Jaccard) are one story, and one anchor has it."""
SAME_MATTER = 0.5
"""Two that share so much of what they state (of the shorter one) are of one matter."""


def meets_counters(sources: int, days: int) -> bool:
    """004, Nightly Storyline Promotion: whether so many sources, on so many days, may make up storylines."""
    return sources >= RULES.least_sources and days >= RULES.least_days


def group_storylines(anchor: Anchor, *, now: datetime) -> tuple[Story, ...]:
    """The storylines of one anchor, oldest first: by matter where sources state something of it, else by its sources
    as wholes.
    """
    return replay(anchor, now=now)[0]


def is_whole(anchor: Anchor) -> bool:
    """Whether an anchor is grouped by its sources as wholes: nothing is stated of it."""
    return not anchor.statements and anchor.resumed is None


def replay(
    anchor: Anchor, earlier: Sequence[Checkpoint] = (), *, now: datetime
) -> tuple[tuple[Story, ...], tuple[Checkpoint, ...]]:
    """The storylines of one anchor, and the checkpoints, ``earlier`` and new, that another grouping can go on from."""
    resumed = anchor.resumed
    if is_whole(anchor):
        return group_sources(anchor, now=now), ()
    stops = [now - since for since in reversed(CHECKPOINTS) if resumed is None or now - since > resumed.checkpoint.at]
    stories, made = group_matters(anchor, now=now, stops=stops)
    current = [one for one in earlier if resumed is not None and one.at <= resumed.checkpoint.at]
    return stories, choose_checkpoints([*current, *made], now)


def choose_checkpoints(made: Iterable[Checkpoint], now: datetime) -> tuple[Checkpoint, ...]:
    """The newest, and the oldest of each age: after nights enough there is one at most four times as far back, wherever
    news begin.
    """
    by_age: dict[int, Checkpoint] = {}
    newest_first = sorted(made, key=lambda one: one.at, reverse=True)
    for one in newest_first:
        by_age[sum(now - one.at > age for age in CHECKPOINTS)] = one
    return tuple(
        sorted({one.at: one for one in (*newest_first[:1], *by_age.values())}.values(), key=lambda one: one.at)
    )


def choose_checkpoint(made: Iterable[Checkpoint], since: datetime, now: datetime) -> Checkpoint | None:
    """The last that nothing from ``since`` on can have changed, and time neither; None where all is grouped again."""
    fit = [one for one in made if one.at < min(since, now - RULES.older_than)]
    return max(fit, key=lambda one: one.at, default=None)


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


def suffices_at(story: Story, arrived: Mapping[str, datetime]) -> datetime:
    """Since when the mentions of an anchor suffice for a storyline, by when its sources ``arrived``, whichever night
    finds it.
    """
    there: list[StorySource] = []
    found = END_OF_TIME
    for source in sorted(story.sources, key=lambda one: (arrived[one.id], event_order(one))):
        came = arrived[source.id]
        if came >= found:
            break
        there.append(source)
        old_enough = min(one.started_at or came for one in there) + RULES.older_than + AN_INSTANT
        found = min((at for at in (came, max(came, old_enough)) if may_found(there, at)), default=found)
    return found


def tell_once(stories: Iterable[Story]) -> list[Story]:
    """Each story once: without those that a more specific one repeats, that is told itself.

    Of a story that two anchors have, a person's is told, or that of the anchor that states most of it, of equals the
    one with much fewer sources.
    """
    told: dict[str, list[Story]] = {}
    once: list[Story] = []
    for story in sorted(stories, key=most_specific):
        if not _repeats(story, (other for source in story.sources for other in told.get(source.id, ()))):
            once.append(story)
            for source in story.sources:
                told.setdefault(source.id, []).append(story)
    return once


def tell_again(
    changed: Iterable[Story], beside: Callable[[Story], Sequence[Story]], is_told: Callable[[Story], bool]
) -> dict[str, bool]:
    """Which storylines are told otherwise since some have ``changed`` (or what was beside them went): as
    :func:`tell_once` of all of them says. By their keys.

    ``beside`` gives all that share a source with one, ``is_told`` how it was.
    """
    found: dict[str, bool] = {}
    due = {story.key: story for story in changed}
    left = [(most_specific(story), key) for key, story in due.items()]
    heapq.heapify(left)
    while left:
        order, key = heapq.heappop(left)
        story = due[key]
        others = [(most_specific(other), other) for other in beside(story) if other.key != key]
        earlier = (other for its, other in others if its < order and found.get(other.key, is_told(other)))
        found[key] = not _repeats(story, earlier)
        if found[key] == is_told(story):
            continue
        for its, other in others:
            if its > order and other.key not in due:
                due[other.key] = other
                heapq.heappush(left, (its, other.key))
    return found


def _repeats(story: Story, told: Iterable[Story]) -> bool:
    """Whether one of those ``told`` already is nearly the same."""
    return any(_is_same(story, other) for other in {id(other): other for other in told}.values())


def _is_same(story: Story, other: Story) -> bool:
    """By what both state, or by the sources that they include."""
    mine, theirs = story.stated, other.stated
    if mine and theirs:
        return len(mine & theirs) >= SAME_MATTER * min(len(mine), len(theirs))
    both = len(story.source_ids & other.source_ids)
    return both / (len(story.sources) + len(other.sources) - both) >= SAME_STORY


def most_specific(story: Story) -> tuple[bool, int, int, str, str]:
    """The order in which storylines are told. Sources are counted by powers of two: another one every night changes
    nothing.
    """
    return (
        not (story.anchor.is_person and story.statements),
        -len(story.stated),
        story.anchor.breadth.bit_length(),
        story.anchor.id,
        story.founder,
    )


def is_ordered_otherwise(anchor: Anchor, other: Anchor) -> bool:
    """Whether an anchor's storylines are told at another place than when it was the ``other``."""
    return (anchor.is_person, anchor.breadth.bit_length()) != (other.is_person, other.breadth.bit_length())


def choose_of_anchor(told: Mapping[str, Story]) -> frozenset[str]:
    """Of the storylines of one anchor that are told the keys of the longest, the latest of equals, within its limit."""

    def order(key: str) -> tuple[int, float, str]:
        last = told[key].last_at
        return -len(told[key].sources), -(last.timestamp() if last else 0.0), told[key].founder

    return frozenset(sorted(told, key=order)[:MOST_PER_ANCHOR])
