"""What the sources of each anchor make up, saved in a folder of the installation between runs, so that a run groups
those alone of which something has changed.

A convenience: what is not saved, or not what the stage was completed with, is grouped from the graph.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memory_assets.clock import to_iso
from memory_assets.files.on_disk import replace_cache
from memory_assets.hierarchy.policy import RULES, Anchor, Story, StorySource
from memory_assets.model import fingerprint

FILE = "groups.json"


@dataclass(frozen=True)
class Group:
    """The storylines of an anchor, and when the last of its sources was; without these sources and what they state."""

    anchor: Anchor
    stories: tuple[Story, ...]
    last_at: datetime | None

    @classmethod
    def of(cls, anchor: Anchor, stories: tuple[Story, ...]) -> Group:
        """The same of an anchor with all its sources."""
        bare = Anchor(anchor.id, anchor.name, anchor.confidence, (), (), anchor.is_person, anchor.breadth)
        told = tuple(Story(bare, story.sources, story.statements) for story in stories)
        times = [source.started_at for source in anchor.sources if source.started_at]
        return cls(bare, told, max(times, default=None))


@dataclass(frozen=True)
class Groups:
    """What a run has grouped: by anchor, with the fingerprints of the storylines that were chosen of it."""

    groups: Mapping[str, Group] = field(default_factory=dict)
    people: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The words of the names of the anchors that are people: what is said of them is compared without these."""
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    """Of storylines by id."""
    made_at: datetime | None = None
    is_whole: bool = True
    """Whether all of them have been written."""

    def young(self, now: datetime) -> set[str]:
        """The anchors of which time alone may have made something else: with a source that was, or is, too young."""
        if self.made_at is None or self.made_at == now:
            return set()
        since = min(self.made_at, now) - RULES.older_than
        return {key for key, group in self.groups.items() if group.last_at and group.last_at >= since}


def dump_groups(made: Groups) -> bytes:
    """As they are saved: ids stand once, stories have the places of theirs."""
    sources: dict[tuple[str, str | None], int] = {}
    statements: dict[str, int] = {}
    rows = []
    for _, group in sorted(made.groups.items()):
        stories = []
        for story in group.stories:
            places = {
                one.id: sources.setdefault((one.id, to_iso(one.started_at)), len(sources)) for one in story.sources
            }
            told = [[places[source], statements.setdefault(one, len(statements))] for source, one in story.statements]
            stories.append([list(places.values()), told])
        one = group.anchor
        rows.append([one.id, one.name, one.confidence, one.is_person, one.breadth, to_iso(group.last_at), stories])
    said = {
        "anchors": rows,
        "sources": list(sources),
        "statements": list(statements),
        "people": {key: sorted(words) for key, words in sorted(made.people.items())},
        "fingerprints": dict(sorted(made.fingerprints.items())),
        "made_at": made.made_at.isoformat() if made.made_at else None,
        "is_whole": made.is_whole,
    }
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def mark_of(dumped: bytes, recipe: str) -> str:
    """What the stage is marked with that was completed with this."""
    return fingerprint(recipe, dumped.decode("utf-8", "surrogatepass"))


def read_groups(folder: Path | None, mark: str | None, recipe: str) -> Groups | None:
    """What was saved, if a stage of this recipe was completed with it and nothing since; else None."""
    if folder is None or not mark:
        return None
    try:
        dumped = (folder / FILE).read_bytes()
        if mark_of(dumped, recipe) != mark:
            return None
    except (OSError, ValueError):
        return None
    said = json.loads(dumped.decode("utf-8", "surrogatepass"))
    sources = [StorySource(key, _instant(at)) for key, at in said["sources"]]
    groups = {}
    for key, name, confidence, is_person, breadth, last_at, stories in said["anchors"]:
        anchor = Anchor(key, name, confidence, (), (), is_person, breadth)
        told = tuple(
            Story(
                anchor,
                tuple(sources[place] for place in places),
                tuple((sources[place].id, said["statements"][one]) for place, one in stated),
            )
            for places, stated in stories
        )
        groups[key] = Group(anchor, told, _instant(last_at))
    people = {key: frozenset(words) for key, words in said["people"].items()}
    return Groups(groups, people, said["fingerprints"], _instant(said["made_at"]), said["is_whole"])


def save_groups(folder: Path | None, dumped: bytes) -> None:
    """Save it; where there is no room, nothing."""
    if folder is None:
        return
    try:
        replace_cache(folder / FILE, lambda file: file.write(dumped))
    except OSError:
        (folder / FILE).unlink(missing_ok=True)


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
