"""Which storylines are chosen after some anchors were grouped again: what all of them together give."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_assets.hierarchy import policy
from memory_assets.hierarchy.choosing import choose
from memory_assets.hierarchy.grouped import Group, GroupFile, News
from memory_assets.hierarchy.stories import Anchor, Story, StorySource
from memory_assets_tests.support.storylines import choose_storylines

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
NAMES = "abcdef"


def anchor(name: str, breadth: int) -> Anchor:
    return Anchor(name, name, 0.8, (), (), name in "ab", breadth)


def stories(of: Anchor, chance: random.Random) -> dict[str, Story]:
    """Some storylines of an anchor: each of its statements is in one of them; now and then of whole sources."""
    is_stated = chance.random() < 0.8
    left = [(f"s{n}", f"c{n}.{m}") for n in range(12) for m in range(2)]
    chance.shuffle(left)
    found = {}
    for _ in range(chance.randint(0, 4)):
        said, left = left[: chance.randint(2, 6)], left[chance.randint(2, 6) :]
        if said:
            times = {source: START + timedelta(days=int(source[1:])) for source, _ in said}
            made_of = tuple(StorySource(source, at) for source, at in sorted(times.items()))
            story = Story(of, made_of, tuple(sorted(said)) if is_stated else ())
            found[f"storyline of {story.key}"] = story
    return found


@pytest.mark.parametrize("number", range(20))
def test_it_is_what_all_give_whatever_was_grouped_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(policy, "MOST_PER_ANCHOR", 2)
    chance, file, mark = random.Random(number), GroupFile(tmp_path), None
    known: dict[str, dict[str, Story]] = {name: {} for name in NAMES}
    for step in range(12):
        again = chance.sample(NAMES, chance.randint(1, 3) if step else len(NAMES))
        lost = {name for name in again if chance.random() < 0.2}
        anchors = {name: anchor(name, chance.randint(3, 9)) for name in again if name not in lost}
        before = {key: story for name in again for key, story in known[name].items()}
        for name in again:
            known[name] = stories(anchors[name], chance) if name in anchors else {}
        made = {key: story for name in again for key, story in known[name].items()}
        groups = {name: Group(one, None) for name, one in anchors.items()}
        news = choose(file, News(groups, lost, {}, made, made, before))
        file.save(news, {}, (), (), (f"{step}", START, True), mark)
        mark = f"{step}"
        expected = {story.key for story in choose_storylines(one for some in known.values() for one in some.values())}
        assert {one.key for one in file.stories(file.chosen(NAMES)).values()} == expected, step
        told = {one.key for one in policy.tell_once(one for some in known.values() for one in some.values())}
        assert {
            one.key for one in file.stories(file.told(key for some in known.values() for key in some)).values()
        } == told
