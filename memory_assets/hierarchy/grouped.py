"""What the sources of each anchor make up, saved in a folder of the installation between runs, so that a run groups
those alone of which something has changed.

A convenience: what is not saved, or not what the stage was completed with, is grouped from the graph.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.files.on_disk import replace_cache
from memory_assets.hierarchy.stories import RULES, Anchor, Checkpoint, Story, StorySource
from memory_assets.model import fingerprint

FILE = "groups.json"


@dataclass(frozen=True)
class Group:
    """The storylines of an anchor, when the last of its sources was, from where on grouping can be resumed, and what it
    is called; without these sources and what they state.
    """

    anchor: Anchor
    stories: tuple[Story, ...]
    last_at: datetime | None
    checkpoints: tuple[Checkpoint, ...] = ()
    names: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        anchor: Anchor,
        stories: tuple[Story, ...],
        checkpoints: tuple[Checkpoint, ...] = (),
        names: frozenset[str] = frozenset(),
    ) -> Group:
        """The same of an anchor with its sources, all or from where it was resumed."""
        bare = Anchor(anchor.id, anchor.name, anchor.confidence, (), (), anchor.is_person, anchor.breadth)
        bare_stories = tuple(Story(bare, story.sources, story.statements) for story in stories)
        times = [source.started_at for source in anchor.sources if source.started_at]
        before = anchor.resumed.checkpoint.last_at if anchor.resumed else None
        return cls(bare, bare_stories, max(times, default=before), checkpoints, names)


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
    """As they are saved: ids are written once, stories and checkpoints have the places of theirs."""
    sources: defaultdict[tuple[str, datetime | None], int] = defaultdict(count().__next__)
    statements: defaultdict[str, int] = defaultdict(count().__next__)
    rows = []
    for _, group in sorted(made.groups.items()):
        stories = []
        for story in group.stories:
            places = {one.id: sources[one.id, one.started_at] for one in story.sources}
            stated = [[places[source], statements[one]] for source, one in story.statements]
            stories.append([list(places.values()), stated])
        checkpoints = [
            [to_iso(one.at), to_iso(one.last_at), [one.counts.get(story.founder, 0) for story in group.stories]]
            + [[[source, statements[key]] for source, key in one.waiting]]
            for one in group.checkpoints
        ]
        one = group.anchor
        known = [one.id, one.name, one.confidence, one.is_person, one.breadth, sorted(group.names)]
        rows.append([*known, to_iso(group.last_at), stories, checkpoints])
    people = {key: sorted(words) for key, words in sorted(made.people.items())}
    said: dict[str, Any] = {
        "anchors": rows,
        "sources": [[key, to_iso(at)] for key, at in sources],
        "statements": list(statements),
    }
    said |= {"people": people, "fingerprints": dict(sorted(made.fingerprints.items()))}
    said |= {"made_at": made.made_at.isoformat() if made.made_at else None, "is_whole": made.is_whole}
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
    statements = said["statements"]
    groups = {}
    for key, name, confidence, is_person, breadth, names, last_at, stories, checkpoints in said["anchors"]:
        anchor = Anchor(key, name, confidence, (), (), is_person, breadth)
        of_anchor: tuple[Story, ...] = ()
        for places, stated in stories:
            said_there = tuple((sources[place].id, statements[one]) for place, one in stated)
            of_anchor += (Story(anchor, tuple(sources[place] for place in places), said_there),)
        resumable = tuple(
            Checkpoint(
                datetime.fromisoformat(at),
                datetime.fromisoformat(last),
                {story.founder: count for story, count in zip(of_anchor, counts, strict=True) if count},
                tuple((source, statements[one]) for source, one in waiting),
            )
            for at, last, counts, waiting in checkpoints
        )
        groups[key] = Group(anchor, of_anchor, _instant(last_at), resumable, frozenset(names))
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
