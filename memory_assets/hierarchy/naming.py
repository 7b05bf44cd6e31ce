"""What a model is shown to name a storyline or a macro, when it must be asked again, and for how many in one run. Pure.

A name stays as long as its fingerprint does: what it includes, what the model saw of that, the prompt's
wording, the model, the embedder and the code. It is always made from everything that belongs to it, never
from the previous name, so that the way there does not show.

004 limits each night to a hundred new storylines and a hundred that have changed, each week to fifty macros of each:
what a run may cost, not what a person may have. What is beyond the limit stays due, and the next run goes on with it,
first with what has been due longest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_assets.clock import day_of, in_order
from memory_assets.hierarchy.evidence import Evidence, Key, keys_of, numbered
from memory_assets.hierarchy.stories import Story, StorySource
from memory_assets.hierarchy.themes import Part, Theme
from memory_assets.llm.local.names import is_somebodys
from memory_assets.llm.tasks import DatedSummary, MacroRequest, SaidOfIt, StorylineRequest
from memory_assets.model import fingerprint, node_id

LAST_SHOWN = 10
"""004, Nightly Storyline Refresh: the last ten summaries."""
MOST_SAID = 6
"""So many statements of a source are shown for a storyline."""


def shown_of(story: Story) -> tuple[StorySource, ...]:
    """The sources by which a storyline is named: what happened last, oldest first."""
    return story.sources[-LAST_SHOWN:]


@dataclass(frozen=True)
class Stated:
    """A statement of a source: who says it, how long it lasts, and the anchors that it is about."""

    id: str
    text: str
    speaker: str | None
    durability: float
    about: frozenset[str]
    is_owners: bool = False
    said_at: datetime | None = None
    """Its source's time, where it has none of its own."""


@dataclass(frozen=True)
class Asked:
    """What a storyline or macro is named by, and what its text may cite, by the references of the request."""

    request: StorylineRequest | MacroRequest
    evidence: Mapping[str, Evidence]

    def fingerprint(self, recipe: str, included: Iterable[str]) -> str:
        """Changes when the storyline or macro, which includes these, must be named anew."""
        cited = (" ".join(one.key) for one in self.evidence.values())
        return fingerprint(recipe, ",".join(sorted(included)), self.request.model_dump_json(), *cited)


def storyline_asked(story: Story, summaries: Mapping[str, str], stated: Mapping[str, Sequence[Stated]]) -> Asked:
    """What a storyline is named by; ``summaries`` and what is ``stated`` by the ids of the sources shown.

    What it cites is what people state; only where nobody does, the summaries.
    """
    sources = shown_of(story)
    said = {source.id: said_of(story, source.id, stated.get(source.id, ())) for source in sources}
    evidence = numbered(
        [_stated(source, one) for source in sources for one in said[source.id] if is_somebodys(one.speaker)]
        or [_summed_up(source, summaries[source.id]) for source in sources if summaries[source.id].strip()]
    )
    refs = {one.key: ref for ref, one in evidence.items()}
    shown = tuple(
        DatedSummary(
            day=_day(source.started_at),
            summary=summaries[source.id],
            said=tuple(
                SaidOfIt(
                    speaker=one.speaker,
                    text=_stated(source, one).words[0],
                    ref=refs.get((one.id, source.id)),
                    day=None if _day(one.said_at) == _day(source.started_at) else _day(one.said_at),
                )
                for one in said[source.id]
            ),
            ref=refs.get((source.id, source.id)),
        )
        for source in sources
    )
    return Asked(StorylineRequest(anchor=story.anchor.name, sources=shown), evidence)


def _stated(source: StorySource, one: Stated) -> Evidence:
    return Evidence(one.id, source.id, one.text, one.speaker, _day(one.said_at or source.started_at), one.is_owners)


def _summed_up(source: StorySource, summary: str) -> Evidence:
    return Evidence(source.id, source.id, summary, day=_day(source.started_at))


def said_of(story: Story, source: str, stated: Sequence[Stated]) -> tuple[Stated, ...]:
    """The most lasting of a source's statements that are in a storyline, in the source's order."""
    included = story.stated
    own = [at for at, one in enumerate(stated) if (source, one.id) in included]
    lasting = sorted(sorted(own, key=lambda at: -stated[at].durability)[:MOST_SAID])
    return tuple(stated[at] for at in lasting)


def macro_asked(theme: Theme, known: Mapping[Key, Evidence]) -> Asked:
    """All storylines of a theme, oldest first (004: all descriptions, chronological), each with what its text rests on,
    as far as that is ``known``.
    """
    cited = {part.id: [known[key] for key in keys_of(part.sentences) if key in known] for part in theme.storylines}
    evidence = numbered(one for part in theme.storylines for one in cited[part.id])
    refs = {one.key: ref for ref, one in evidence.items()}

    def said(part: Part) -> tuple[SaidOfIt, ...]:
        return tuple(
            SaidOfIt(speaker=one.speaker, text=words, ref=refs[one.key], day=one.day)
            for one in cited[part.id]
            for words in one.words
        )

    shown = tuple(
        DatedSummary(day=_day(part.first_at), summary=f"{part.title}: {part.summary}", said=said(part))
        for part in theme.storylines
    )
    return Asked(MacroRequest(anchor=theme.anchor, storylines=shown), evidence)


def storyline_id(user: str, story: Story) -> str:
    """By its anchor and the source, or the statement of one, that founded it."""
    return node_id("storyline", user, story.anchor.id, story.founder)


def macro_id(user: str, theme: Theme) -> str:
    """By its anchor: an anchor has one macro."""
    return node_id("macro", user, theme.anchor_id)


def _day(at: datetime | None) -> str | None:
    return day_of(at).isoformat() if at else None


@dataclass(frozen=True)
class Due:
    """A memory that the sources make up, what a model would be asked to name it, and when it happened."""

    id: str
    fingerprint: str
    asked: Asked
    anchor_id: str
    since: datetime | None
    """The first event's time."""
    until: datetime | None = None
    """The last event's."""

    @property
    def anchor(self) -> str:
        """The name of whom or what it is about."""
        return self.asked.request.anchor


def oldest_first(due: Iterable[Due], most: int | None, waiting: Mapping[str, datetime]) -> tuple[list[Due], list[Due]]:
    """What is named now, at most ``most``, and what is left for the next run: first what has been ``waiting`` longest,
    by the ids of anchors, since earlier runs; then what is new to this one, by its first event.

    Memories of one anchor go together: sources and statements may have passed from one of them to another.
    """
    anchors: dict[str, list[Due]] = {}
    for item in sorted(
        due, key=lambda item: (in_order(waiting.get(item.anchor_id), ""), in_order(item.since, item.id))
    ):
        anchors.setdefault(item.anchor_id, []).append(item)
    now: list[Due] = []
    left: list[Due] = []
    for items in anchors.values():
        fits = most is None or len(now) + len(items) <= most or (not now and not left)
        (now if fits and not left else left).extend(items)
    return now, left
