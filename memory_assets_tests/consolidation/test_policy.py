"""The table of 004 (Consolidation triggers), clusters, what stays of them, and which sentences follow from what."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.consolidation import neighbours, policy
from memory_assets.consolidation.neighbours import Placed
from memory_assets.consolidation.policy import (
    RULES,
    Episode,
    Name,
    Said,
    Stay,
    Trigger,
    clusters_of,
    fault,
    may_overlap,
    next_candidate_at,
    request_for,
    rest_of,
    subjects_of,
    triggers,
    why_stays,
)
from memory_assets.curation.rails import closed_rails
from memory_assets.graph.lives import Life, rests_at
from memory_assets.llm.local.insights import draw_insights
from memory_assets.llm.tasks import ClusterRequest, ClusterStatement, Insight
from memory_assets.model import State

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
FADED, OVERLAPPING, FREQUENT = Trigger.FADED, Trigger.OVERLAPPING, Trigger.FREQUENT


def days(number: float) -> timedelta:
    return timedelta(days=number)


def life(age: float = 100, **change: Any) -> Life:
    """A life that nobody has touched for so many days."""
    return replace(Life(NOW - days(age), confidence=1.0), **change)


def used(age: float, salience: float, **change: Any) -> Life:
    """One whose salience was so at its last access, so many days ago."""
    at = NOW - days(age)
    seen = {"state": State.ACTIVE, "salience": salience, "salience_at": at, "last_accessed_at": at}
    return life(400, **{**seen, "access_count": 1, **change})


# 004: older than 7 days with a salience below 0.2; often accessed and hardly present. Figures at the thresholds.
@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (used(7.01, 0.2), (FADED,)),
        (used(7, 0.2), ()),
        (used(6.99, 0.1), ()),
        # 0.2 = 0.5 exp(-0.02 t) at 45.8 days, of what was never retrieved but is no candidate any more.
        (used(45.7, 0.5), ()),
        (used(45.9, 0.5), (FADED,)),
        (used(3, 0.19, access_count=5), (FREQUENT,)),
        (used(3, 0.19, access_count=4), ()),
        (used(8, 0.19, access_count=5), (FADED, FREQUENT)),
        (used(3, 0.25, access_count=50), ()),
        (life(1000), ()),  # a certain candidate does not fade
        (used(100, 0.5, ttl_policy="keep_forever"), ()),
        (life(0.9, state=State.ACTIVE, salience=0.1, access_count=9), ()),  # new (001, rail 9)
    ],
)
def test_a_source_is_a_candidate_by_itself_at_its_thresholds(found: Life, expected: tuple[Trigger, ...]) -> None:
    assert triggers(found, NOW) == expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (life(30), False),
        (life(30.01), True),
        (life(100, ingested_at=NOW - days(2)), False),  # imported history is as fresh as it is new here
        (used(29, 1.0), False),
        (used(31, 1.0), True),
        (used(31, 1.0, state=State.CORE), False),
        (life(100, ttl_policy="keep_forever"), False),
    ],
)
def test_what_overlaps_has_rested_for_a_month(found: Life, expected: bool) -> None:
    assert may_overlap(found, NOW) is expected


def episode(number: int, age: float = 100, anchors: str = "maria", **change: Any) -> Episode:
    return Episode(
        f"s{number:02d}", NOW - days(age - number), change.pop("life", life()), frozenset(anchors.split()), **change
    )


@pytest.mark.parametrize(("sources", "clusters"), [(4, []), (5, [5]), (12, [12]), (14, [12]), (17, [12, 5])])
def test_five_sources_with_overlapping_names_are_a_cluster(sources: int, clusters: list[int]) -> None:
    found = clusters_of([episode(n) for n in range(sources)], NOW)
    assert [len(one.episodes) for one in found] == clusters
    assert all(one.triggers == (OVERLAPPING,) for one in found)


def test_what_names_nothing_in_common_is_no_cluster_nor_what_is_far_in_time_or_unlike() -> None:
    assert clusters_of([episode(n, anchors=f"name{n}") for n in range(9)], NOW) == ()
    assert clusters_of([episode(n, anchors="") for n in range(9)], NOW) == ()
    far = [replace(episode(n), started_at=NOW - days(1000 - 91 * n)) for n in range(9)]
    assert clusters_of(far, NOW) == ()
    axes = np.eye(9)
    assert clusters_of([episode(n, vector=axes[n]) for n in range(9)], NOW) == ()
    # Nearly alike bridges two months, hardly alike does not.
    for cosine, size in ((0.9, 6), (0.26, 0)):
        one, other = np.array([1.0, 0.0]), np.array([cosine, math.sqrt(1 - cosine**2)])
        split = [
            replace(episode(n, vector=one if n < 3 else other), started_at=NOW - days(200 - 60 * (n >= 3)))
            for n in range(6)
        ]
        assert [len(c.episodes) for c in clusters_of(split, NOW)] == ([size] if size else [])


def test_fewer_than_five_only_where_each_is_a_candidate_by_itself() -> None:
    faded, fresh = used(50, 0.3), life()
    (found,) = clusters_of([episode(0, life=faded), episode(1, life=fresh), episode(2, life=faded)], NOW)
    assert (found.source_ids, found.triggers) == (("s00", "s02"), (FADED,))


LIVES = st.builds(
    Life,
    created_at=st.floats(0, 400).map(lambda age: NOW - days(age)),
    state=st.sampled_from([State.CANDIDATE, State.ACTIVE, State.CORE]),
    salience=st.floats(0.01, 1),
    ingested_at=st.none() | st.floats(0, 400).map(lambda age: NOW - days(age)),
    confidence=st.none() | st.floats(0, 1),
    ttl_policy=st.sampled_from(["decay", "keep_forever", "ephemeral"]),
    access_count=st.integers(0, 12),
)
EPISODES = st.lists(st.tuples(LIVES, st.none() | st.floats(0, 400), st.sets(st.sampled_from("abc"))), max_size=40).map(
    lambda rows: [
        Episode(f"s{n:02d}", None if age is None else NOW - days(age), one, frozenset(names))
        for n, (one, age, names) in enumerate(rows)
    ]
)


@given(EPISODES)
def test_nothing_that_a_rail_keeps_is_in_a_cluster_and_nothing_in_two(episodes: list[Episode]) -> None:
    chosen = [one for cluster in clusters_of(episodes, NOW) for one in cluster.episodes]
    assert len({one.id for one in chosen}) == len(chosen)
    for one in chosen:
        memory = {"labels": ["Source"], "ttl_policy": one.life.ttl_policy, "created_at": one.life.created_at}
        assert closed_rails(memory, NOW) == ()


@given(EPISODES, st.randoms(use_true_random=False), st.integers(0, 5))
def test_neither_the_order_of_sources_nor_of_folding_shows(
    episodes: list[Episode], order: random.Random, done: int
) -> None:
    whole = clusters_of(episodes, NOW)
    mixed = list(episodes)
    order.shuffle(mixed)
    assert clusters_of(mixed, NOW) == whole
    gone = {key for cluster in whole[:done] for key in cluster.source_ids}
    assert clusters_of([one for one in episodes if one.id not in gone], NOW) == whole[done:]


@given(st.lists(LIVES, max_size=10))
def test_time_alone_makes_a_candidate_when_it_was_said(lives: list[Life]) -> None:
    at = next_candidate_at(lives, NOW)

    def candidates(when: datetime) -> list[tuple[Any, ...]]:
        return [(bool(triggers(one, when)), may_overlap(one, when)) for one in lives]

    soon = min(at or NOW + days(3650), NOW + days(3650)) - timedelta(seconds=2)
    if soon > NOW + RULES.grace:
        old = [one for one in lives if NOW - one.created_at > RULES.grace]
        assert [bool(triggers(one, soon)) for one in old] == [bool(triggers(one, NOW)) for one in old]
    if at is not None:
        assert at > NOW


@given(LIVES)
def test_what_has_rested_is_found_by_its_day(life: Life) -> None:
    rested = min(rests_at(life), default=None)
    if triggers(life, NOW) or may_overlap(life, NOW):
        assert rested is not None and rested <= NOW + timedelta(seconds=1)


def test_what_is_planned_stays_as_it_is_and_takes_nobody_in() -> None:
    early = clusters_of([episode(n) for n in range(6)], NOW)
    all_of_it = [episode(n) for n in range(12)]
    assert [len(one.episodes) for one in clusters_of(all_of_it, NOW)] == [12]
    found = clusters_of(all_of_it, NOW, planned=early)
    assert [one.source_ids for one in found] == [early[0].source_ids, tuple(f"s{n:02d}" for n in range(6, 12))]
    assert clusters_of(all_of_it, NOW, planned=found) == found


def name(source: str, anchor: str, text: str | None = None, by: str = "", count: int = 9) -> Name:
    return Name(source, anchor, text or anchor, "person", by or anchor, count)


def test_insights_are_of_what_half_of_the_sources_name() -> None:
    (cluster,) = clusters_of([episode(n) for n in range(6)], NOW)
    names = [name(f"s{n:02d}", "maria") for n in range(6)]
    names += [name(f"s{n:02d}", "harbour", count=2) for n in range(3)] + [name("s00", "crane"), name("other", "crane")]
    names += [name("s01", "maria", by="a-first-name")]
    found = subjects_of(cluster, names)
    assert [(one.anchor_id, one.name_id) for one in found] == [("maria", "a-first-name"), ("harbour", "harbour")]


def said(key: str, turn: int = 0, text: str = "", **change: Any) -> Said:
    given = {"content_type": "chitchat", "source_id": "s00", "position": 0, "life": life(), **change}
    return Said(id=key, ref=key, turn=turn, text=text or f"They painted the {key}.", **given)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, None),
        ({"life": life(ttl_policy="keep_forever")}, Stay.RAIL),
        ({"life": life(0.5)}, Stay.RAIL),
        ({"source_count": 2}, Stay.REPEATED),
        ({"life": life(access_count=1)}, Stay.RECALLED),
        ({"weighed": True}, Stay.WEIGHED),
        ({"published": True}, Stay.PUBLISHED),
        ({"durability": 0.3}, Stay.LASTING),
        ({"durability": 0.29}, None),
        ({"content_type": "preference"}, Stay.LASTING),
        ({"content_type": "task"}, Stay.LASTING),
        ({"is_instruction": True}, Stay.LASTING),
    ],
)
def test_what_keeps_a_statement(change: dict[str, Any], expected: Stay | None) -> None:
    assert why_stays(said("cello", **change), (), NOW) is expected
    assert why_stays(said("cello", **change), {"cello"}, NOW) in (Stay.RAIL, Stay.EVIDENCE)


def test_each_turn_that_says_something_stays_with_what_tells_most_of_it() -> None:
    given = [
        said("wow", 0, "Wow."),
        said("cello", 1),
        said("yes", 1, "Oh yes."),
        said("lasting", 2, durability=0.5),
        said("so", 2, "So it is."),
    ]
    turns = {"s00": {0: "Wow.", 1: "Oh yes. They painted the cello.", 2: "It lasts.", 3: "42", 4: "Yes."}}
    rest = rest_of(given, turns, (), NOW)
    assert rest.staying == {"cello": Stay.SAYS_MOST, "lasting": Stay.LASTING}
    assert rest.folded == ("so", "wow", "yes") and rest.turns == {"s00": (1, 2, 3)}


WORDS = st.lists(st.sampled_from(["wow", "yes", "cello", "harbour", "42", "the", "lighthouse"]), max_size=5)
SAID = st.lists(st.tuples(st.integers(0, 3), WORDS, st.floats(0, 0.5), st.integers(1, 2), LIVES), max_size=20).map(
    lambda rows: [
        said(f"c{n}", turn, " ".join(words), durability=durability, source_count=count, life=one)
        for n, (turn, words, durability, count, one) in enumerate(rows)
    ]
)


@given(SAID, st.sets(st.sampled_from([f"c{n}" for n in range(20)])))
def test_no_statement_is_lost_none_that_a_rail_keeps_leaves_and_each_turn_read_has_one(
    given: list[Said], evidence: set[str]
) -> None:
    turns = {"s00": {n: " ".join(one.text for one in given if one.turn == n) for n in range(4)}}
    rest = rest_of(given, turns, evidence, NOW)
    assert {*rest.staying, *rest.folded} == {one.id for one in given} and not {*rest.staying} & {*rest.folded}
    for one in given:
        memory = {"labels": ["KnowledgeChunk"], "ttl_policy": one.life.ttl_policy, "created_at": one.life.created_at}
        assert one.id in rest.staying or (not closed_rails(memory, NOW) and one.id not in evidence)
    stated = {one.turn for one in given}
    assert {one.turn for one in given if one.id in rest.staying} == stated & {*rest.turns["s00"]}
    assert rest_of(list(reversed(given)), turns, evidence, NOW) == rest


REQUEST = ClusterRequest(
    subjects=("Maria", "Harbour"),
    statements=(
        ClusterStatement(
            ref="1",
            day="2026-03-01",
            speaker="Maria",
            text="I sail 3 boats at the harbour.",
            about=("Harbour", "Maria"),
        ),
        ClusterStatement(
            ref="2",
            day="2026-03-09",
            speaker="Tom",
            text="She would not sell the boat.",
            about=("Maria",),
            durability=0.95,
        ),
        ClusterStatement(ref="3", day="2026-03-09", speaker="Tom", text="It rained in the valley.", durability=1.0),
    ),
)


@pytest.mark.parametrize(
    ("text", "refs", "why"),
    [
        ("Maria sails 3 boats at the harbour.", "1", None),
        ("In March 2026 Maria sailed", "1", "'sailed'"),
        ("Maria: I sail 3 boats at the harbour.", "1", None),
        ("I sail boats.", "1", "third person"),
        ("Maria sails 4 boats at the harbour.", "1", "4"),
        ("Maria sails 3 boats at the marina.", "1", "'marina'"),
        ("Maria would not sell the boat.", "2", "does not name Tom"),
        ("Tom: She would not sell the boat.", "2", None),
        ("Tom: She would sell the boat.", "2", "leaves out a denial"),
        ("Tom: She does not sell the boat.", "2", "leaves out 'would'"),
        ("It is not so that Maria sails 3 boats at the harbour.", "1", "denies"),
        ("Maria sails 3 boats at the harbour if she could.", "1", "adds 'could'"),
        ("You: I sail 3 boats at the harbour.", "1", "third person"),
        ("Maria sails 3 boats at the harbour.", "", "what was not shown"),
        ("Maria sails 3 boats at the harbour.", "1 9", "what was not shown"),
        (" ", "1", "nothing in words"),
    ],
)
def test_a_sentence_says_nothing_but_what_it_cites(text: str, refs: str, why: str | None) -> None:
    found = fault(Insight(subject="Maria", text=text, refs=tuple(refs.split()), lifetime="year"), REQUEST)
    assert found is None if why is None else why in (found or "")


def test_a_sentence_is_of_a_subject_that_was_asked_about() -> None:
    one = Insight(subject="Tomasz", text="She would not sell the boat.", refs=("2",), lifetime="year")
    assert "nobody" in (fault(one, REQUEST) or "")
    one = Insight(subject="Maria", text="It rained in the valley.", refs=("3",), lifetime="year")
    assert "something else" in (fault(one, REQUEST) or "")
    assert fault(one.model_copy(update={"refs": ("3", "2")}), REQUEST) is None


LANTERN = Name("s00", "lantern", "Lantern Street", "entity", "lantern")
MAYA, ELIN = (Name("s00", key, name, "person", key) for key, name in (("m", "Maya Lindqvist"), ("e", "Elin Lindqvist")))
OWNER = replace(MAYA, is_owner=True)


@pytest.mark.parametrize(
    ("change", "about"),
    [
        ({"text": "The flat is in Lantern Street."}, []),
        ({"about": frozenset({"lantern"})}, ["Lantern Street"]),
        ({"speaker": "maya lindqvist"}, ["Maya Lindqvist"]),
        ({"speaker": "Maya"}, ["Maya Lindqvist"]),
        ({"speaker": "Lindqvist"}, []),
        ({"speaker": "Maya Berg"}, []),
        ({"speaker": "assistant"}, []),
        ({"speaker": "me", "said_by_owner": True}, []),
        # What it is about comes before who says it.
        ({"speaker": "Maya", "about": frozenset({"lantern"})}, ["Lantern Street", "Maya Lindqvist"]),
    ],
)
def test_of_whom_and_of_what_a_statement_says_something(change: dict[str, Any], about: list[str]) -> None:
    (cluster,) = clusters_of([episode(n) for n in range(5)], NOW)
    asked = request_for(cluster, [MAYA, LANTERN, ELIN], [said("c", **change)])
    assert [*asked.statements[0].about] == about if asked else about == []


def test_what_the_owner_says_is_of_the_owner() -> None:
    (cluster,) = clusters_of([episode(n) for n in range(5)], NOW)
    one = said("c", text="I trust no van.", speaker="me")
    assert request_for(cluster, [OWNER], [one]) is None
    asked = request_for(cluster, [OWNER], [replace(one, said_by_owner=True)])
    assert asked is not None and asked.statements[0].about == ("Maya Lindqvist",)


def test_the_local_insights_are_whole_statements_that_pass_the_same_check() -> None:
    found = draw_insights(REQUEST).insights
    assert [fault(one, REQUEST) for one in found] == [None] * len(found)
    assert {(one.subject, one.text, one.lifetime) for one in found} == {
        ("Harbour", "Maria: I sail 3 boats at the harbour.", "year"),
        ("Maria", "Tom: She would not sell the boat.", "forever"),
    }


def test_a_cluster_without_a_subject_or_a_statement_asks_nothing() -> None:
    (cluster,) = clusters_of([episode(n) for n in range(5)], NOW)
    subject = name("s00", "maria")
    assert request_for(cluster, [], [said("cello")]) is None
    assert request_for(cluster, [subject], []) is None
    assert request_for(cluster, [subject], [said("cello", statement="")]) is None
    assert request_for(cluster, [subject], [said("cello")]) is None
    given = [said("cello", speaker="Maria"), said("harbour", speaker="Maria", content_type="insight")]
    asked = request_for(cluster, [subject], given)
    assert asked is not None and [one.ref for one in asked.statements] == ["harbour"]
    many = [
        said(f"c{n}", speaker="Maria", durability=n / 200, content_type="insight")
        for n in range(policy.RULES.most_shown + 5)
    ]
    shown = request_for(cluster, [subject], many)
    assert shown is not None and len(shown.statements) == policy.RULES.most_shown
    assert {one.ref for one in shown.statements}.isdisjoint({"c0", "c1"})


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(0, 400)), st.sets(st.sampled_from("abcd"), max_size=3), st.integers(0, 2)
        ),
        max_size=40,
    )
)
def test_groups_are_those_of_comparing_each_with_all(given_: list[tuple[int | None, set[str], int]]) -> None:
    axes = np.eye(3) * 0.9 + 0.1
    episodes = sorted(
        (
            policy.Episode(
                f"s{number:02d}",
                None if day is None else datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day),
                Life(datetime(2026, 1, 1, tzinfo=UTC)),
                frozenset(names),
                axes[axis] / np.linalg.norm(axes[axis]),
            )
            for number, (day, names, axis) in enumerate(given_)
        ),
        key=policy.event_order,
    )
    groups: list[policy._Group] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policy, "RULES", replace(policy.RULES, most_sources=4))
        for one in episodes:
            group = policy._fitting(one, dict(enumerate(groups)))
            if group is None:
                groups.append(group := policy._Group())
            group.add(one)
        assert policy._groups(episodes) == [group.members for group in groups]


def chain_of(some: list[Placed], all_: list[Placed]) -> set[str]:
    """What a chain of neighbours leads to, read month by month as a plan does."""
    found, reached, read = set[str](), some, set[int]()
    undated = 9999 * 12 + 11
    while reached:
        read |= neighbours.months_around(one.started_at for one in reached)
        there = [
            one
            for one in all_
            if (one.started_at.year * 12 + one.started_at.month - 1 if one.started_at else undated) in read
        ]
        reached = neighbours.neighbours_of(reached, [one for one in there if one.id not in found])
        found |= {one.id for one in reached}
    return found


@given(
    st.lists(
        st.tuples(
            LIVES,
            st.none() | st.floats(0, 4000),
            st.sets(st.sampled_from("abc")),
            st.none() | st.integers(0, 5),
        ),
        max_size=40,
    ),
    st.sets(st.integers(0, 39), max_size=3),
    st.integers(2, 12),
)
def test_what_is_no_neighbour_changes_nothing_for_a_group(
    rows: list[tuple[Life, float | None, set[str], int | None]], asked: set[int], most: int
) -> None:
    axes = np.eye(6)[:, :5] + np.eye(6)[:, :5].sum(axis=0) * 0.1 + 0.1
    episodes = [
        Episode(
            f"s{n:02d}",
            None if age is None else NOW - days(age),
            one,
            frozenset(names),
            None if axis is None else axes[axis] / np.linalg.norm(axes[axis]),
        )
        for n, (one, age, names, axis) in enumerate(rows)
    ]
    placed = [Placed(one.id, one.started_at, one.anchors, one.vector) for one in episodes]
    seeds = {f"s{n:02d}" for n in asked}
    near = seeds | chain_of([one for one in placed if one.id in seeds], placed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policy, "RULES", replace(policy.RULES, most_sources=most, recent=min(most, RULES.recent)))
        whole = [c for c in clusters_of(episodes, NOW) if seeds.intersection(c.source_ids)]
        of_near = clusters_of([one for one in episodes if one.id in near], NOW)
    assert [c for c in of_near if seeds.intersection(c.source_ids)] == whole


@pytest.mark.parametrize(
    ("months", "spans"),
    [
        ([], []),
        ([2026 * 12 + 11], [("2026-12-01", "2027-01-01")]),
        ([2026 * 12, 2025 * 12 + 11, 2026 * 12 + 2], [("2025-12-01", "2026-02-01"), ("2026-03-01", "2026-04-01")]),
        ([9999 * 12 + 11], [("9999-12-01", None)]),
    ],
)
def test_months_that_follow_each_other_are_one_span(months: list[int], spans: list[tuple[str, str | None]]) -> None:
    found = neighbours.spans_of(months)
    assert [(first.isoformat(), after.isoformat() if after else None) for first, after in found] == spans


def test_what_has_no_time_has_neighbours_at_any() -> None:
    undated = 9999 * 12 + 11
    assert neighbours.months_around([]) == {undated}
    near = neighbours.months_around([datetime(2026, 6, 15, tzinfo=UTC)])
    assert near == {undated, *range(2024 * 12 + 5, 2028 * 12 + 6)}
    assert neighbours.months_around([None]) == {undated, *range(1900 * 12, 2200 * 12)}
