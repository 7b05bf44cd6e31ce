"""Which storylines are chosen since some anchors were grouped again: those that :func:`tell_once` of all tells, within
the limit of each anchor, by a look at those alone that share sources with what has changed.
"""

from __future__ import annotations

from dataclasses import replace

from memory_assets.hierarchy.grouped import GroupFile, News
from memory_assets.hierarchy.policy import choose_of_anchor, tell_again, tell_once
from memory_assets.hierarchy.stories import Story


def choose(file: GroupFile, news: News) -> News:
    """The news, with what is told otherwise and what is chosen."""
    around = _Around(file, news)
    if is_first := file.is_empty():
        once = {story.key for story in tell_once(news.made.values())}
        are_told = {story.key: story.key in once for story in news.made.values()}
    else:
        changed = {story.key: story for story in news.stories.values()}
        for story in [*news.stories.values(), *news.before.values()]:
            changed |= {other.key: other for other in around(story)}
        are_told = tell_again(changed.values(), around, around.is_told)
    told = {around.ids[key]: is_told for key, is_told in are_told.items() if is_told != (key in around.told)}
    again = told.keys() | news.made.keys()
    looked_at = {around.ids[key]: story for key, story in around.seen.items() if around.ids[key] in again}
    but: dict[str, list[str]] = {key: [] for key in news.groups}
    own: dict[str, dict[str, Story]] = {}
    for key, story in {**news.before, **looked_at}.items():
        but.setdefault(story.anchor.id, []).append(key)
    for key, story in looked_at.items():
        if told.get(key, story.key in around.told):
            own.setdefault(story.anchor.id, {})[key] = story
    chosen = {
        anchor: choose_of_anchor(own.get(anchor, {}) | ({} if is_first else file.best(anchor, some)))
        for anchor, some in but.items()
    }
    return replace(news, told=told, chosen=chosen)


class _Around:
    """The storylines that share a source with one, as they are by now, and whether they were told; by their keys."""

    def __init__(self, file: GroupFile, news: News) -> None:
        self.file, self.news = file, news
        self.ids = {story.key: key for key, story in news.made.items()}
        self.seen = {story.key: story for story in news.made.values()}
        self.told = {news.made[key].key for key in file.told(news.made)}
        self.by_source: dict[str, list[Story]] = {}
        for story in news.made.values():
            for source in story.source_ids:
                self.by_source.setdefault(source, []).append(story)

    def __call__(self, story: Story) -> list[Story]:
        found = {other.key: other for source in story.source_ids for other in self.by_source.get(source, ())}
        for key, (other, is_told) in self.file.stories_beside(story).items():
            if key in self.news.made or key in self.news.before:
                continue
            if other.key not in self.seen:
                self.ids[other.key] = key
                self.seen[other.key] = replace(other, anchor=self.news.anchor_of(other))
                self.told |= {other.key} if is_told else set()
            found[other.key] = self.seen[other.key]
        return list(found.values())

    def is_told(self, story: Story) -> bool:
        """Whether it was told."""
        return story.key in self.told
