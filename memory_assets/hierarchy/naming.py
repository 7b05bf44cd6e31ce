"""What a model is shown to name a storyline or a macro, and when it must be asked again. Pure.

A name stands as long as its fingerprint does: what it includes, what the model saw of that, the prompt's
wording, the model, the embedder and the code. It is always made from everything that belongs to it, never
from the previous name, so that the way there does not show.
"""

from __future__ import annotations

from datetime import UTC, datetime

from memory_assets.hierarchy.macro_policy import Theme
from memory_assets.hierarchy.policy import Story
from memory_assets.llm.tasks import DatedSummary, MacroRequest, StorylineRequest
from memory_assets.model import fingerprint, node_id

FIRST_SHOWN = 4
LAST_SHOWN = 10
"""004, Nightly Storyline Refresh: the last ten summaries; here with how it began."""


def storyline_request(story: Story) -> StorylineRequest:
    """How the story began and what happened last, oldest first."""
    sources = story.sources
    if len(sources) > FIRST_SHOWN + LAST_SHOWN:
        sources = sources[:FIRST_SHOWN] + sources[-LAST_SHOWN:]
    return StorylineRequest(
        anchor=story.anchor.name,
        sources=tuple(DatedSummary(day=_day(s.started_at), summary=s.summary) for s in sources),
    )


def macro_request(theme: Theme) -> MacroRequest:
    """All storylines of a theme, oldest first (004: all descriptions, chronological)."""
    return MacroRequest(
        anchor=theme.anchor,
        storylines=tuple(
            DatedSummary(day=_day(told.first_at), summary=f"{told.title}: {told.summary}")
            for told in theme.storylines
        ),
    )


def storyline_id(user: str, story: Story) -> str:
    """By its anchor and the source that founded it."""
    return node_id("storyline", user, story.anchor.id, story.founder)


def macro_id(user: str, theme: Theme) -> str:
    """By its anchor: an anchor has one macro."""
    return node_id("macro", user, theme.anchor_id)


def storyline_fingerprint(story: Story, recipe: str) -> str:
    """Changes when the storyline must be named anew."""
    ids = ",".join(sorted(source.id for source in story.sources))
    return fingerprint(recipe, ids, storyline_request(story).model_dump_json())


def macro_fingerprint(theme: Theme, recipe: str) -> str:
    """Changes when the macro must be named anew."""
    ids = ",".join(sorted(told.id for told in theme.storylines))
    return fingerprint(recipe, ids, macro_request(theme).model_dump_json())


def _day(at: datetime | None) -> str | None:
    return at.astimezone(UTC).date().isoformat() if at else None
