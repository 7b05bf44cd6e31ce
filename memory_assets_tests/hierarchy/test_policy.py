"""Which storylines sources make up: the specification's figures, and what must hold for any sources."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.clock import END_OF_TIME
from memory_assets.hierarchy.grouped import Group
from memory_assets.hierarchy.matters import RECENT_STATEMENTS, group_matters
from memory_assets.hierarchy.naming import storyline_id
from memory_assets.hierarchy.policy import (
    CHECKPOINTS,
    MOST_PER_ANCHOR,
    choose_checkpoint,
    choose_checkpoints,
    group_storylines,
    next_founding,
    replay,
    suffices_at,
)
from memory_assets.hierarchy.stories import (
    RULES,
    Anchor,
    Checkpoint,
    Story,
    StorySource,
    StoryStatement,
    event_order,
)
from memory_assets.llm.local.nearness import WORD_PLACES, statement_vector, without_words
from memory_assets_tests.support.storylines import choose_storylines

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
NOW = datetime(2026, 12, 1, tzinfo=UTC)
TOPICS = {"boat": (1.0, 0.0, 0.0), "garden": (0.0, 1.0, 0.0), "tax": (0.0, 0.0, 1.0)}


def source(name: str, day: float | None, topic: str | None = "boat") -> StorySource:
    at = None if day is None else START + timedelta(days=day)
    return StorySource(name, at, None if topic is None else np.array(TOPICS[topic]))


def sources(*days: float | None, topic: str | None = "boat", prefix: str = "s") -> list[StorySource]:
    return [source(f"{prefix}{number:03}", day, topic) for number, day in enumerate(days)]


def stories(found: list[StorySource], now: datetime = NOW) -> list[list[str]]:
    anchor = Anchor("a", "Boat", 0.8, tuple(found))
    return [[member.id for member in story.sources] for story in group_storylines(anchor, now=now)]


@pytest.mark.parametrize(
    ("days", "found"),
    [
        ((0, 1, 2, 3, 4), 1),
        ((0, 1, 2, 3), 0),  # four sources
        ((0, 0.1, 1, 1.1, 1.2), 0),  # two days
        ((0, 0.1, 1, 1.1, 2), 1),  # three days
        ((0, 0.1, 0.2, None, None), 0),  # unknown times make no day
        ((0, 1, 2, None, None), 1),  # but they count as sources
        ((None, None, None, None, None), 0),
        ((0, 30, 60, 90, 120), 1),
        ((0, 91, 182, 273, 364), 0),  # never within 90 days of each other
    ],
)
def test_five_sources_on_three_days_make_a_storyline(days: tuple[float | None, ...], found: int) -> None:
    assert len(stories(sources(*days))) == found


def test_what_was_mentioned_first_three_days_ago_may_be_promoted() -> None:
    five = sources(0, 0.1, 1, 1.1, 2)
    assert stories(five, now=START + timedelta(days=3)) == []
    assert len(stories(five, now=START + timedelta(days=3, minutes=1))) == 1


@pytest.mark.parametrize(
    ("days", "arrived", "since"),
    [
        ((0, 1, 2, 3, 4), (0, 1, 2, 3, 4), 4),
        ((0, 1, 2, 3, 4, 9), (0, 1, 2, 3, 4, 9), 4),
        ((0, 1, 2, 3, 4), (9, 1, 2, 3, 7), 9),
        ((0, 1, 2, 3, 4), (40, 40, 40, 40, 40), 40),
        ((0, 0, 1, 1, 2), (0, 0, 1, 1, 2), 3),
        ((0, 0, 0, 0, 0, 1, 6), (0, 0, 0, 0, 0, 1, 6), 6),
        ((6, 6, 7, 7, 8, 5), (6, 6, 7, 7, 8, 8.5), 8.5),
    ],
)
def test_mentions_suffice_once_five_sources_of_three_days_have_come(
    days: tuple[float, ...], arrived: tuple[float, ...], since: float
) -> None:
    found = sources(*days)
    came = {one.id: START + timedelta(days=day) for one, day in zip(found, arrived, strict=True)}
    at = suffices_at(Story(Anchor("boat", "Boat", 1.0, tuple(found)), tuple(found)), came)
    assert at - START - timedelta(days=since) in (timedelta(0), timedelta(seconds=1))


def test_a_storyline_that_is_only_too_young_comes_about_by_time() -> None:
    young = Anchor("a", "Boat", 0.8, tuple(sources(1, 1.2, 2, 2.5, 3)))
    first = min(one.started_at for one in young.sources if one.started_at)

    def founding(anchor: Anchor, now: datetime) -> datetime | None:
        return next_founding([anchor], group_storylines(anchor, now=now), now=now)

    founded = founding(young, first + timedelta(days=2, hours=1))
    assert founded is not None and timedelta(0) < founded - (first + RULES.older_than) <= timedelta(seconds=1)
    assert group_storylines(young, now=founded) and founding(young, founded) is None
    few = Anchor("b", "Sail", 0.8, tuple(sources(1, 2, 3)))
    assert founding(few, first + timedelta(days=2)) is None


def test_history_from_after_the_clock_is_as_old_as_its_own_span() -> None:
    assert len(stories(sources(0, 1, 2, 3, 4), now=START - timedelta(days=100))) == 1


def test_a_source_joins_within_90_days_and_waits_beyond() -> None:
    five = sources(0, 1, 2, 3, 4)
    assert len(stories([*five, source("later", 94)])[0]) == 6
    assert len(stories([*five, source("later", 94.1)])[0]) == 5


def test_what_fits_no_storyline_waits_for_its_own() -> None:
    boat, garden = sources(0, 1, 2, 3, 4), sources(10, 11, 12, 13, 14, topic="garden", prefix="g")
    assert stories([*boat, *garden[:4]]) == [[s.id for s in boat]]
    assert stories([*boat, *garden]) == [[s.id for s in boat], [s.id for s in garden]]


def test_the_wider_the_gap_the_closer_the_fit() -> None:
    five = sources(0, 1, 2, 3, 4)
    similar = np.array([0.5, np.sqrt(0.75), 0.0])
    near = StorySource("near", START + timedelta(days=20), similar)
    far = StorySource("far", START + timedelta(days=85), similar)
    assert len(stories([*five, near])[0]) == 6
    assert len(stories([*five, far])[0]) == 5


def test_without_an_embedding_anchor_and_time_decide() -> None:
    assert len(stories(sources(0, 1, 2, 3, 4, topic=None))) == 1


def test_topics_and_gaps_of_one_anchor_part() -> None:
    months = [
        *sources(*range(0, 10, 2), topic="boat", prefix="b"),
        *sources(*range(20, 30, 2), topic="tax", prefix="t"),
        *sources(*range(200, 210, 2), topic="boat", prefix="c"),
    ]
    assert [len(story) for story in stories(months)] == [5, 5, 5]


sets_of_sources = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 300)), st.sampled_from([*TOPICS, None])), max_size=40
).map(lambda pairs: [source(f"s{n:03}", day, topic) for n, (day, topic) in enumerate(pairs)])


@settings(max_examples=150)
@given(sets_of_sources, st.randoms())
def test_any_sources(found: list[StorySource], chance: random.Random) -> None:
    grouped = stories(found)
    shuffled = chance.sample(found, len(found))
    assert stories(shuffled) == grouped, "the order of arrival does not show"
    names = [name for story in grouped for name in story]
    assert len(names) == len(set(names)), "no source is in two storylines of one anchor"
    for story in group_storylines(Anchor("a", "Boat", 0.8, tuple(found)), now=NOW):
        assert len(story.sources) >= 5 and story.days >= 3
        known = sorted(member.started_at for member in story.sources if member.started_at)
        assert all(b - a <= timedelta(days=90) for a, b in pairwise(known))


def story(anchor: str, names: str, mentioned: int) -> Story:
    """A story of the named sources, whose anchor is mentioned in so many."""
    members = tuple(source(name, number) for number, name in enumerate(sorted(names)))
    others = tuple(source(f"other{n}", 0) for n in range(mentioned - len(members)))
    return Story(Anchor(anchor, anchor, 0.8, members + others), members)


def chosen(*found: Story) -> list[tuple[str, str]]:
    return [(s.anchor.id, "".join(sorted(s.source_ids))) for s in choose_storylines(found)]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("abcde", [("boat", "abcde")]),  # the same five
        ("abcdef", [("boat", "abcde")]),  # five of six: 0.83
        ("abcdefg", [("alex", "abcdefg"), ("boat", "abcde")]),  # five of seven: 0.71
        ("fghij", [("alex", "fghij"), ("boat", "abcde")]),
    ],
)
def test_a_story_told_twice_is_told_by_the_more_specific_anchor(names: str, expected: list[tuple[str, str]]) -> None:
    alex, boat = story("alex", names, 40), story("boat", "abcde", 5)
    assert chosen(alex, boat) == chosen(boat, alex) == expected


def test_of_anchors_mentioned_alike_the_first_id_tells() -> None:
    assert chosen(story("b", "abcde", 9), story("a", "abcde", 9)) == [("a", "abcde")]


def test_a_name_in_every_source_does_not_flood() -> None:
    many = [
        Story(Anchor("alex", "Alex", 0.8, ()), tuple(sources(*range(n, n + 5), prefix=f"{n:02}-"))) for n in range(30)
    ]
    chosen = choose_storylines(many)
    assert len(chosen) == MOST_PER_ANCHOR
    # The latest of equals stay.
    assert chosen[0].first_at == START + timedelta(days=30 - MOST_PER_ANCHOR)


def test_every_storyline_is_told_however_many_there_are() -> None:
    many = [story(f"a{n:03}", "abcde", 5) for n in range(250)]
    apart = [Story(one.anchor, tuple(replace(s, id=f"{s.id}{n}") for s in one.sources)) for n, one in enumerate(many)]
    assert len(choose_storylines(apart)) == 250


def two_live(first_topic: str = "boat", second_topic: str = "garden") -> list[StorySource]:
    """Two storylines of one anchor, live side by side: the second is the more recent one."""
    return [
        *sources(0, 2, 4, 6, 8, topic=first_topic, prefix="b"),
        *sources(1, 3, 5, 7, 9, topic=second_topic, prefix="g"),
    ]


def between(name: str, day: float, boat: float, garden: float) -> StorySource:
    """A source whose summary is so close to each of two topics."""
    rest = max(0.0, 1 - boat**2 - garden**2) ** 0.5
    return StorySource(name, START + timedelta(days=day), np.array([boat, garden, rest]))


@pytest.mark.parametrize(
    ("boat", "garden", "joins"),
    [
        (0.70, 0.50, 0),  # both fit: the closer one, though the other is more recent
        (0.50, 0.70, 1),
        (0.60, 0.60, 1),  # equally close: the more recent one
        (0.70, 0.10, 0),  # one fits
        (0.30, 0.30, None),  # none does
    ],
)
def test_of_several_live_storylines_the_closest_then_the_most_recent_gets_a_source(
    boat: float, garden: float, joins: int | None
) -> None:
    found = stories([*two_live(), between("new", 20, boat, garden)])
    assert len(found) == 2
    assert [position for position, story in enumerate(found) if "new" in story] == ([] if joins is None else [joins])


def test_a_source_found_later_takes_its_place_among_the_events() -> None:
    """An old source that arrives last gives what it would have given had it arrived as it happened."""
    months = [*sources(0, 1, 2, 3, prefix="a"), *sources(100, 101, 102, 103, 104, prefix="z")]
    assert [len(story) for story in stories(months)] == [5]
    backfilled = stories([*months, source("late", 4)])
    assert [len(story) for story in backfilled] == [5, 5] and "late" in backfilled[0]
    bridge = stories([*months, source("late", 4), source("bridge", 60)])
    assert [len(story) for story in bridge] == [11], "within 90 days of both, so that one goes on into the other"


@settings(max_examples=60)
@given(st.lists(st.one_of(st.none(), st.integers(0, 40)), max_size=9), st.integers(-10, 60))
def test_where_no_founding_is_ahead_time_alone_tells_nothing_new(quarters: list[int | None], now_in: int) -> None:
    anchor = Anchor("a", "Boat", 0.8, tuple(sources(*(None if q is None else q / 4 for q in quarters))))
    now = START + timedelta(days=now_in / 4)
    ahead = next_founding([anchor], group_storylines(anchor, now=now), now=now)
    later = [story.source_ids for story in group_storylines(anchor, now=now + RULES.older_than)]
    known = {source for story in group_storylines(anchor, now=now) for source in story.source_ids}
    if ahead is None:
        assert all(known & story for story in later)


MATTERS = {
    "regatta": ((1.0, 0.2, 0.0), {"regatta": 4.0, "harbour": 2.0}),
    "violin": ((0.0, 0.2, 1.0), {"violin": 4.0, "lesson": 2.5}),
}


def says(number: int, day: float | None, matter: str, *, source_of: str = "", words: dict[str, float] | None = None):  # type: ignore[no-untyped-def]
    embedding, shared = MATTERS[matter]
    own = {f"{matter}{number}": 3.0} if words is None else {}
    said = (shared if words is None else words) | own
    text = " ".join(f"The {word} is there." for word in ((matter,) if words is None else words))
    return StoryStatement(
        f"c{number:03}", source(source_of or f"s{number:03}", day), statement_vector(np.array(embedding), said), text
    )


VECTORS = [
    statement_vector(np.random.default_rng(number).normal(size=3), {f"w{number % 4}": 3.0, f"x{number}": 2.0})
    for number in range(20)
]
"""Of what is said of little in common."""


def matters(*statements: StoryStatement) -> list[list[str]]:
    talked = {one.source.id: one.source for one in statements}
    anchor = Anchor("a", "Ana", 0.8, tuple(talked.values()), tuple(statements))
    return [[key for _, key in found.statements] for found in group_storylines(anchor, now=NOW)]


def test_a_source_that_speaks_of_two_matters_is_in_the_storyline_of_each() -> None:
    talks = [
        says(2 * day + at, day, matter, source_of=f"s{day}") for day in range(5) for at, matter in enumerate(MATTERS)
    ]
    assert matters(*talks) == [[f"c{n:03}" for n in range(0, 10, 2)], [f"c{n:03}" for n in range(1, 10, 2)]]


@pytest.mark.parametrize(
    ("days", "found"),
    [
        ((0, 1, 2, 3, 4), 1),
        ((0, 0.1, 1, 1.1, 1.2), 0),  # two days
        ((0, 1, 2, None, None), 1),  # what has no time counts as a source
        ((0, 91, 182, 273, 364), 0),  # never within 90 days of each other
    ],
)
def test_a_matter_meets_the_counters_of_a_storyline(days: tuple[float | None, ...], found: int) -> None:
    assert len(matters(*(says(n, day, "regatta") for n, day in enumerate(days)))) == found


def test_what_nobody_calls_by_a_word_is_no_matter() -> None:
    alike = [says(n, n, "regatta", words={f"w{n}": 3.0}) for n in range(6)]
    assert matters(*alike) == [] and len(matters(*(says(n, n, "regatta") for n in range(6)))) == 1


def test_one_matter_is_told_once_whoever_it_is_said_of() -> None:
    said = tuple(says(n, n, "regatta") for n in range(6))
    ana, regatta = (
        Anchor(key, key, 0.8, tuple(one.source for one in said), said[:many]) for key, many in (("ana", 6), ("b", 5))
    )
    both = [found for anchor in (ana, regatta) for found in group_storylines(anchor, now=NOW)]
    assert [found.anchor.id for found in both] == ["ana", "b"]
    assert [found.anchor.id for found in choose_storylines(both)] == ["ana"]


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 300)), st.sampled_from([*MATTERS])), max_size=30),
    st.randoms(use_true_random=False),
)
def test_any_statements(drawn: list[tuple[int | None, str]], chance: random.Random) -> None:
    # The same words may be said again: few ids for many sources.
    said = [
        replace(says(n, day, matter, source_of=f"s{n // 2}-{day}"), id=f"{matter}{n % 3}")
        for n, (day, matter) in enumerate(drawn)
    ]
    said = list({one.key: one for one in said}.values())
    talked = tuple({one.source.id: one.source for one in said}.values())
    found = group_matters(Anchor("a", "Ana", 0.8, talked, tuple(said)), now=NOW)[0]
    again = group_matters(Anchor("a", "Ana", 0.8, talked, tuple(chance.sample(said, len(said)))), now=NOW)[0]
    assert [one.statements for one in again] == [one.statements for one in found], "the order of arrival does not show"
    keys = [key for one in found for key in one.statements]
    assert len(keys) == len(set(keys)), "no statement is in two storylines of one anchor"
    assert len({storyline_id("ana", one) for one in found}) == len(found), "each has an id of its own"
    for one in found:
        assert len(one.sources) >= 5 and one.days >= 3


def given_since(anchor: Anchor, checkpoint: Checkpoint, stories: tuple[Story, ...]) -> Anchor:
    """An anchor with what is read of it to go on from a checkpoint."""
    resumed = checkpoint.resumed(stories)
    needed = resumed.needed(RECENT_STATEMENTS)

    def is_after(one: StorySource) -> bool:
        return one.started_at is None or one.started_at > checkpoint.at

    said = tuple(one for one in anchor.statements if is_after(one.source) or one.key in needed)
    return replace(anchor, sources=tuple(filter(is_after, anchor.sources)), statements=said, resumed=resumed)


@pytest.mark.parametrize("number", range(4))
def test_grouping_goes_on_from_a_checkpoint_to_what_scratch_gives(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes, goes or is read otherwise, in whatever order, and whenever it is looked at."""
    monkeypatch.setattr("memory_assets.hierarchy.matters.WORTH_A_CHECKPOINT", 5)
    monkeypatch.setattr("memory_assets.hierarchy.matters.MOST_WAITING", 12)
    chance = random.Random(number)
    said: dict[tuple[str, str], StoryStatement] = {}
    checkpoints: tuple[Checkpoint, ...] = ()
    stories: tuple[Story, ...] = ()
    day, went_on = 200.0, 0
    for step in range(16):
        day += chance.choice([0, 0.5, 1, 7, 40, -20])
        changed: list[StoryStatement] = []
        for n in range(80 if step == 0 else chance.randint(0, 6)):
            ago = (
                chance.choice([None, 0, chance.random() * 5, chance.random() * 200]) if step else chance.random() * 200
            )
            one = says(1000 * step + n, None if ago is None else day - ago, chance.choice([*MATTERS]))
            one = replace(one, names=frozenset(chance.sample(["harbour", "lesson"], chance.randint(0, 2))))
            changed.append(one if chance.random() < 0.7 else replace(one, vector=chance.choice(VECTORS)))
            said[one.key] = changed[-1]
        for key in chance.sample(sorted(said), 1 if step and chance.random() < 0.2 else 0):
            changed.append(said.pop(key))
        sources = {one.source.id: one.source for one in said.values()}
        anchor = Anchor("a", "Ana", 0.8, tuple(sources.values()), tuple(said.values()))
        now = START + timedelta(days=day)
        since = min((one.source.started_at or END_OF_TIME for one in changed), default=END_OF_TIME)
        checkpoint = choose_checkpoint(checkpoints, since, now)
        going_on = given_since(anchor, checkpoint, stories) if checkpoint else anchor
        went_on += len(going_on.statements) < len(anchor.statements)
        ended = [one for one in stories if checkpoint and one.until <= checkpoint.at]
        ended = [one for one in ended if checkpoint and one.founder not in checkpoint.counts]
        later, checkpoints = replay(going_on, checkpoints, now=now)
        stories = tuple(sorted((*ended, *later), key=lambda story: (event_order(story.sources[0]), story.founder)))
        expected = replay(anchor, now=now)[0]
        assert [(one.statements, one.sources) for one in stories] == [(one.statements, one.sources) for one in expected]
        assert next_founding([going_on], stories, now=now) == next_founding([anchor], expected, now=now)
        assert Group.of(going_on).last_at == Group.of(anchor).last_at
        assert len(checkpoints) <= len(CHECKPOINTS) + 2
    assert went_on >= 4 and stories


def test_checkpoints_are_near_wherever_news_begin() -> None:
    """After a year of nights there is one at most four times as far back as any news."""
    made: tuple[Checkpoint, ...] = ()
    for night in range(365):
        now = START + timedelta(days=night)
        made = choose_checkpoints([*made, Checkpoint(now - CHECKPOINTS[0], now, {}, ())], now)
        assert len(made) <= len(CHECKPOINTS) + 2
    for days in range(1, 340):
        found = choose_checkpoint(made, now - timedelta(days=days), now)
        assert found is None or now - found.at <= timedelta(days=max(4, days) * 4 + 4)
        assert found is not None or days > 128


def test_what_is_said_again_a_year_later_founds_another_storyline() -> None:
    said = [replace(says(n, day, "regatta"), id=f"c{n % 5}") for n, day in enumerate([*range(5), *range(300, 305)])]
    found = group_storylines(Anchor("a", "Ana", 0.8, tuple(one.source for one in said), tuple(said)), now=NOW)
    assert len({storyline_id("ana", one) for one in found}) == 2 and len(choose_storylines(found)) == 2


def test_a_persons_name_is_no_matter() -> None:
    said = [says(n, n, "regatta", words={"ana": 5.0, f"w{n}": 3.0}) for n in range(6)]
    whole = Anchor("a", "Ana", 0.8, tuple(one.source for one in said), tuple(said))
    assert len(group_storylines(whole, now=NOW)) == 1
    ana = frozenset({"ana"})
    bare = tuple(replace(one, vector=without_words(one.vector, ana), unsaid=ana) for one in said)
    assert group_storylines(replace(whole, statements=bare), now=NOW) == ()


@pytest.mark.parametrize(("of_one_matter", "found"), [(True, 1), (False, 0)])
def test_a_name_alone_makes_no_matter(of_one_matter: bool, found: int) -> None:
    """What is said of a place that everybody names is of one matter where it is near also without that name."""
    one = {"ulm": 5.0, "regatta": 4.0}
    said = [says(n, n, "regatta", words=one if of_one_matter else {"ulm": 5.0, f"w{n}": 2.0}) for n in range(5)]
    vectors = [replace(each, vector=each.vector * np.r_[np.zeros(3), np.ones(WORD_PLACES)]) for each in said]
    named = [replace(each, names=frozenset({"ulm"})) for each in vectors]
    assert (len(matters(*vectors)), len(matters(*named))) == (1, found)


def test_a_statement_joins_no_matter_for_a_name_alone() -> None:
    said = [says(n, n, "regatta", words={"ulm": 4.0, "regatta": 4.0}) for n in range(5)]
    other = says(5, 5, "violin", words={"ulm": 4.0, "violin": 1.0})
    for names, joins in ((frozenset[str](), True), (frozenset({"ulm"}), False)):
        of_place = [replace(one, names=names) for one in (*said, other)]
        (found,) = matters(*of_place)
        assert (other.id in found) is joins


@pytest.mark.parametrize("since", [-40, 0, 20])
def test_a_matter_is_found_within_what_a_name_holds_together(since: int) -> None:
    """Whatever else is said of the place, before it or beside it."""
    regatta = [says(n, n, "regatta", words={"ulm": 5.0, "regatta": 4.0}) for n in range(6)]
    others = [says(10 + n, since + n, "violin", words={"ulm": 5.0, f"w{n}": 2.0}) for n in range(20)]
    words_alone = np.r_[np.zeros(3), np.ones(WORD_PLACES)]
    said = [replace(one, vector=one.vector * words_alone, names=frozenset({"ulm"})) for one in (*regatta, *others)]
    assert matters(*said) == [[one.id for one in regatta]]


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["The {} moves."] * 6, 1),
        (["She proposes it again."] * 6, 0),
        (["The flat is ours."] * 2 + ["We asked for a flat price."] * 4, 1),  # "price", of four of six
        (["The flat is ours."] * 2 + ["A flat yes."] * 4, 0),
    ],
)
def test_a_matter_of_somebody_has_a_noun(texts: list[str], found: int) -> None:
    said = [replace(says(n, n, "regatta"), text=text.format("launch")) for n, text in enumerate(texts)]
    whose = Anchor("a", "Ana", 0.8, tuple(one.source for one in said), tuple(said), is_person=True)
    assert len(group_storylines(whose, now=NOW)) == found
    assert len(matters(*said)) == 1, "what is done to a thing is a matter of it"
