"""The sources of an anchor of which none states anything, grouped as wholes. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np

from memory_assets.hierarchy.stories import MOST_WAITING, RULES, Anchor, Story, StorySource, event_order, may_found


def group_sources(anchor: Anchor, *, now: datetime) -> tuple[Story, ...]:
    """The storylines of an anchor's sources as wholes, oldest first: no source is in two of them."""
    stories: list[_Group] = []
    waiting: list[StorySource] = []
    for source in sorted(anchor.sources, key=event_order):
        story = _fitting(source, stories)
        if story is not None:
            story.add(source)
            continue
        waiting = [*waiting[1 - MOST_WAITING :], source]
        founders = _belonging_together(waiting)
        if may_found(founders, now):
            stories.append(_Group(founders))
            taken = {founder.id for founder in founders}
            waiting = [other for other in waiting if other.id not in taken]
    found = [Story(anchor, tuple(sorted(story.members, key=event_order))) for story in stories]
    return tuple(sorted(found, key=lambda story: event_order(story.sources[0])))


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
    """The last of those waiting, and going back in time those that fit what has gathered around it so far."""
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


def _fits(fit: float | None, gap: timedelta, needed: tuple[float, float]) -> bool:
    """Whether a fit bridges a gap in time: the wider the gap beyond 30 days, the closer it must be."""
    if gap > RULES.live_for:
        return False
    near, far = needed
    stretch = max(0.0, (gap - RULES.near) / (RULES.live_for - RULES.near))
    return fit is None or fit >= near + (far - near) * stretch


def _cosine(one: np.ndarray | None, other: np.ndarray | None) -> float | None:
    return None if one is None or other is None else float(one @ other)
