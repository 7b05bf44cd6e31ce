"""Which statements are compared, which way round, and what follows from an opinion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.local.pairs import PairOpinion, Relation
from memory_assets.validity import policy
from memory_assets.validity.index import StatementIndex
from memory_assets.validity.policy import (
    TASK,
    Change,
    Contradiction,
    Decision,
    Outdated,
    Resolution,
    Statement,
    ValidityRules,
)

EARLIER = Statement("a", "I live in Boston and I'm vegetarian.", ("2026-01-05T09:00:00.000Z", 0, 0))
LATER = Statement("b", "I moved to Denver.", ("2026-03-02T09:00:00.000Z", 4, 1))


def opinion(
    relation: Relation, *, certain: bool = True, lost: str = "", kind: str = "home", scored: bool = False
) -> PairOpinion:
    return PairOpinion(relation, 0.8, certain, kind, lost, ("“moved to”",), scored)


@pytest.mark.parametrize(
    ("given", "outdated", "lost"),
    [
        (opinion(Relation.CHANGED), Outdated.WHOLLY, EARLIER.text),
        (opinion(Relation.CHANGED, lost=EARLIER.text), Outdated.WHOLLY, EARLIER.text),
        (opinion(Relation.CHANGED, lost="I live in Boston"), Outdated.IN_PART, "I live in Boston"),
        (opinion(Relation.CHANGED, certain=False), Outdated.PERHAPS, EARLIER.text),
    ],
)
def test_a_form_of_change_supersedes_a_statement_or_a_clause_of_it_and_a_likely_one_is_a_doubt(
    given: PairOpinion, outdated: Outdated, lost: str
) -> None:
    change = policy.decide(EARLIER, LATER, given)
    assert isinstance(change, Change)
    assert (change.later_id, change.earlier_id, change.outdated, change.lost) == ("b", "a", outdated, lost)
    assert (change.since, change.reason, change.why) == (LATER.at[0], "changed", "“moved to”")


@pytest.mark.parametrize(
    ("said", "since"),
    [
        ((), "2026-03-02"),
        (("2026-03-02",), "2026-03-02"),
        (("2026-03-02", "2026-02-01"), "2026-02-01"),
        (("2026-02-01", "2025-12-01", "2026-03-02"), "2026-02-01"),
        (("2025-12-01", "2026-03-02"), "2026-03-02"),
    ],
)
def test_a_change_holds_since_it_was_first_said_after_what_it_changes(said: tuple[str, ...], since: str) -> None:
    places = tuple((f"{day}T09:00:00.000Z", 4, 1) for day in said)
    change = policy.decide(EARLIER, replace(LATER, said=places), opinion(Relation.CHANGED))
    assert isinstance(change, Change) and change.since[:10] == since


def scored(relation: Relation, earlier: str, later: str, kind: str = "figure", content_type: str = "insight") -> str:
    """What becomes of two statements of one person of which a score alone says something."""
    one = replace(EARLIER, text=earlier, content_type=content_type)
    opinion_of_it = opinion(relation, certain=False, kind=kind, scored=True)
    found = policy.decide(one, replace(LATER, text=later), opinion_of_it)
    return "" if found is None else found.outdated if isinstance(found, Change) else "contradiction"


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        ("The fair is in Graz on 3 May.", "The Graz fair moves from 3 May to 10 May.", "perhaps"),
        ("The fair is in Graz on 3 May.", "The Graz fair on 3 May went well.", ""),
        ("The fair is in Graz on 3 May.", "The Graz fair may move from 3 May to 10 May.", ""),
        ("The fair is in Graz on 3 May.", "The tram stop moved to Lime Street.", ""),
    ],
)
def test_a_score_alone_says_perhaps_where_the_later_says_a_change_of_nearly_the_same(
    earlier: str, later: str, expected: str
) -> None:
    assert scored(Relation.CHANGED, earlier, later) == expected


def test_a_score_alone_contradicts_what_is_nearly_the_same_but_for_a_value_of_one_sort() -> None:
    rent = "The monthly rent of the wooden boathouse at the lake near Graz is {} euros."
    first, second = rent.format(900), rent.format(950)
    assert scored(Relation.CONTRADICTS, first, second) == "contradiction"
    assert scored(Relation.CONTRADICTS, first, second, kind="") == "", "the same said twice"
    assert scored(Relation.CONTRADICTS, first, "The boathouse in Graz has a new roof.") == ""


def test_where_two_numbers_differ_one_may_say_which_thing_it_is() -> None:
    locker = "Locker {} of the rowing club in Graz opens with the key on board {}."
    assert scored(Relation.CONTRADICTS, locker.format(3, 41), locker.format(3, 42)) == "contradiction"
    assert scored(Relation.CONTRADICTS, locker.format(3, 41), locker.format(8, 42)) == ""


def test_a_score_alone_reports_a_task_done_where_the_later_says_so_of_the_same() -> None:
    done = "I finally sent Dana the signed lease."
    assert scored(Relation.DONE, "Send the signed lease to Dana.", done, content_type=TASK) == "perhaps"
    assert scored(Relation.DONE, "Send the signed lease to Dana.", "Dana has a lease.", content_type=TASK) == ""
    assert scored(Relation.DONE, "Ask Dana about the boat.", done, content_type=TASK) == ""


def test_what_nobody_knows_the_day_of_is_set_against_its_like_alone() -> None:
    undated = replace(LATER, is_dated=False)
    assert policy.may_bear_on(EARLIER, LATER) and not policy.may_bear_on(replace(EARLIER, is_dated=False), undated)
    assert not policy.may_bear_on(EARLIER, undated)


def test_only_tasks_are_done_and_two_peoples_views_are_no_contradiction() -> None:
    task = replace(EARLIER, content_type=TASK)
    done = policy.decide(task, LATER, opinion(Relation.DONE))
    assert isinstance(done, Change) and done.reason == "done"
    assert policy.decide(EARLIER, LATER, opinion(Relation.DONE)) is None
    assert isinstance(policy.decide(EARLIER, LATER, opinion(Relation.CONTRADICTS)), Contradiction)
    assert policy.decide(EARLIER, replace(LATER, speaker="Ben"), opinion(Relation.CONTRADICTS)) is None
    assert policy.decide(EARLIER, LATER, opinion(Relation.SAME)) is None
    change = policy.decide(EARLIER, replace(LATER, speaker="Ben"), opinion(Relation.CHANGED))
    assert isinstance(change, Change) and change.outdated is Outdated.PERHAPS, (
        "nobody else takes back the owner's words"
    )


@pytest.mark.parametrize(
    ("resolution", "changes"),
    [
        (Resolution.A_WINS, [("a", "b")]),
        (Resolution.B_WINS, [("b", "a")]),
        (Resolution.BOTH_VALID, []),
        (Resolution.MERGED, [("note", "a"), ("note", "b")]),
    ],
)
def test_who_wins_supersedes_whichever_is_older(resolution: Resolution, changes: list[tuple[str, str]]) -> None:
    merged_id = "note" if resolution is Resolution.MERGED else ""
    decision = Decision("a", "b", resolution, "asked her", "2026-05-01T00:00:00.000Z", merged_id)
    assert policy.decided(decision, {"b": "x"}) == [], "who says nothing any more wins nothing"
    made = policy.decided(decision, {"a": "x", "b": "y", "note": "z"})
    assert [(change.later_id, change.earlier_id) for change in made] == changes
    assert {(change.outdated, change.why) for change in made} <= {(Outdated.WHOLLY, "asked her")}
    assert all(frozenset(pair) in decision.pairs and decision.ids.issuperset(pair) for pair in changes)


def test_statements_of_others_are_compared_only_about_the_same_or_as_tasks() -> None:
    ben = replace(LATER, speaker="Ben")
    assert policy.may_bear_on(EARLIER, LATER) and not policy.may_bear_on(EARLIER, ben)
    assert policy.may_bear_on(replace(EARLIER, anchors=("x",)), replace(ben, anchors=("x", "y")))
    assert policy.may_bear_on(replace(EARLIER, content_type=TASK), ben)
    assert not policy.may_bear_on(EARLIER, replace(EARLIER, memory_id="c")), "of one instant neither is the later"


@pytest.mark.parametrize(
    ("turn", "source_id", "is_compared", "is_changed"),
    [(4, "s", True, True), (0, "s", False, True), (0, "t", True, False), (4, "t", True, False), (-4, "t", True, False)],
)
def test_of_one_instant_the_later_is_known_within_a_source_alone(
    turn: int, source_id: str, *, is_compared: bool, is_changed: bool
) -> None:
    one = replace(EARLIER, source_id="s")
    other = replace(one, memory_id="b", at=(one.at[0], turn, 0), source_id=source_id)
    assert policy.may_bear_on(one, other) is policy.may_bear_on(other, one) is is_compared
    assert policy.in_order(one, other) == policy.in_order(other, one) == (one, other)
    assert isinstance(policy.decide(one, other, opinion(Relation.CONTRADICTS)), Contradiction)
    assert isinstance(policy.decide(one, other, opinion(Relation.CHANGED)), Change) is is_changed


STATEMENTS = st.lists(
    st.tuples(
        st.lists(
            st.sampled_from("dentist harbour rent cello mortgage Porto the of now".split()), min_size=1, max_size=6
        ),
        st.integers(1, 28),
        st.integers(0, 3),
        st.integers(0, 2**32 - 1),
    ),
    min_size=1,
    max_size=12,
)


@given(STATEMENTS, st.randoms())
def test_the_index_gives_the_same_in_whatever_order_statements_came(rows: list[tuple], random: object) -> None:
    import tempfile

    made = [
        Statement(
            f"m{place}",
            " ".join(words),
            (f"2026-05-{day:02}T09:00:00.000Z", turn, place),
            vector=np.random.default_rng(seed).normal(size=16).astype(np.float16).astype(np.float32),
        )
        for place, (words, day, turn, seed) in enumerate(rows)
    ]
    shuffled = list(made)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    found = []
    for order in (made, shuffled):
        with tempfile.TemporaryDirectory() as folder:
            index = StatementIndex(Path(folder) / "index.sqlite3")
            for one in order:
                index.replace((), [one])
            index.replace(("m0",), [])
            index.replace((), [made[0]])
            near = {one.memory_id: policy.nearest(one, index.near(one)) for one in made}
            found.append({name: {other.memory_id for other in others} for name, others in near.items()})
            for one in made:
                assert {other.memory_id for other, _ in index.near(one)} <= {o.memory_id for o in made} - {
                    one.memory_id
                }
            index.close()
    assert found[0] == found[1]


def test_however_many_share_a_word_only_so_many_are_looked_at(tmp_path: Path) -> None:
    rules = ValidityRules(by_words=2, by_meaning=0, reach=3, few=0)
    index = StatementIndex(tmp_path / "index.sqlite3")
    index.replace((), [Statement(f"m{n}", "The dentist in Porto.", (f"2026-01-{n + 1:02}", 0, 0)) for n in range(20)])
    asked = Statement("new", "The dentist in Porto asks more.", ("2026-01-10T00:00:00.000Z", 0, 0))
    near = index.near(asked, rules)
    assert {other.memory_id for other, _ in near} == {"m7", "m8", "m9", "m10", "m11", "m12"}
    assert len(policy.nearest(asked, near, rules)) == 2
    index.close()
