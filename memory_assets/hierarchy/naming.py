"""What a model is shown to name a storyline or a macro, when it must be asked again, and for how many in one run. Pure.

A name stays as long as its fingerprint does: what it includes, what the model saw of that, the prompt's
wording, the model, the embedder and the code. It is always made from everything that belongs to it, never
from the previous name, so that the way there does not show.

004 limits each night to a hundred storylines and each week to fifty macros: what a run may cost, not what a person
may have. What is beyond the limit stays due, and the next run goes on with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_assets.clock import day_of, in_order
from memory_assets.hierarchy.stories import Story, StorySource
from memory_assets.hierarchy.themes import Theme
from memory_assets.llm.tasks import DatedSummary, MacroRequest, SaidOfIt, StorylineRequest
from memory_assets.model import fingerprint, node_id

FIRST_SHOWN = 4
LAST_SHOWN = 10
"""004, Nightly Storyline Refresh: the last ten summaries; here with how it began."""
MOST_SAID = 6
"""So many statements of a source are shown for a storyline."""


def shown_of(story: Story) -> tuple[StorySource, ...]:
    """The sources by which a storyline is named: how it began and what happened last, oldest first."""
    sources = story.sources
    return sources[:FIRST_SHOWN] + sources[-LAST_SHOWN:] if len(sources) > FIRST_SHOWN + LAST_SHOWN else sources


@dataclass(frozen=True)
class Stated:
    """A statement of a source: who says it, how long it lasts, and the anchors that it is about."""

    id: str
    text: str
    speaker: str | None
    durability: float
    about: frozenset[str]


def storyline_request(
    story: Story, summaries: Mapping[str, str], stated: Mapping[str, Sequence[Stated]]
) -> StorylineRequest:
    """What a storyline is named by; ``summaries`` and what is ``stated`` by the ids of the sources shown."""
    sources = shown_of(story)
    said = (said_of(story, source.id, stated.get(source.id, ())) for source in sources)
    shown = [
        DatedSummary(day=_day(source.started_at), summary=summaries[source.id], said=words)
        for source, words in zip(sources, said, strict=True)
    ]
    return StorylineRequest(anchor=story.anchor.name, sources=tuple(shown))


def said_of(story: Story, source: str, stated: Sequence[Stated]) -> tuple[SaidOfIt, ...]:
    """The most lasting of a source's statements that are in a storyline, in the source's order."""
    included = story.stated
    own = [at for at, one in enumerate(stated) if (source, one.id) in included]
    lasting = sorted(sorted(own, key=lambda at: -stated[at].durability)[:MOST_SAID])
    return tuple(SaidOfIt(speaker=stated[at].speaker, text=stated[at].text) for at in lasting)


def macro_request(theme: Theme) -> MacroRequest:
    """All storylines of a theme, oldest first (004: all descriptions, chronological)."""
    return MacroRequest(
        anchor=theme.anchor,
        storylines=tuple(
            DatedSummary(day=_day(part.first_at), summary=f"{part.title}: {part.summary}", title=part.title)
            for part in theme.storylines
        ),
    )


def storyline_id(user: str, story: Story) -> str:
    """By its anchor and the source, or the statement of one, that founded it."""
    return node_id("storyline", user, story.anchor.id, story.founder)


def macro_id(user: str, theme: Theme) -> str:
    """By its anchor: an anchor has one macro."""
    return node_id("macro", user, theme.anchor_id)


def storyline_fingerprint(story: Story, request: StorylineRequest, recipe: str) -> str:
    """Changes when the storyline must be named anew."""
    ids = ",".join(sorted(source.id for source in story.sources))
    return fingerprint(recipe, ids, request.model_dump_json())


def macro_fingerprint(theme: Theme, recipe: str) -> str:
    """Changes when the macro must be named anew."""
    ids = ",".join(sorted(part.id for part in theme.storylines))
    return fingerprint(recipe, ids, macro_request(theme).model_dump_json())


def _day(at: datetime | None) -> str | None:
    return day_of(at).isoformat() if at else None


@dataclass(frozen=True)
class Due:
    """A memory that the sources make up, what a model would be asked to name it, and how long that has been due."""

    id: str
    fingerprint: str
    request: StorylineRequest | MacroRequest
    anchor_id: str
    since: datetime | None
    """The first event's time."""
    until: datetime | None = None
    """The last event's."""

    @property
    def anchor(self) -> str:
        """The name of whom or what it is about."""
        return self.request.anchor


def oldest_first(due: Iterable[Due], most: int | None) -> tuple[list[Due], list[Due]]:
    """What is named now, at most ``most``, and what is left for the next run.

    Memories of one anchor go together: sources and statements may have passed from one of them to another.
    """
    anchors: dict[str, list[Due]] = {}
    for item in sorted(due, key=_age):
        anchors.setdefault(item.anchor_id, []).append(item)
    now: list[Due] = []
    left: list[Due] = []
    for items in anchors.values():
        fits = most is None or len(now) + len(items) <= most or (not now and not left)
        (now if fits and not left else left).extend(items)
    return now, left


def _age(item: Due) -> tuple[bool, datetime, str]:
    return in_order(item.since, item.id)
