"""Two sayings that differ in one value: each kind of contradiction, each with what only looks like it."""

from __future__ import annotations

from datetime import date

import pytest

from memory_assets.llm.local.pairs import Relation, Saying, judge_pairs

DAY, LATER = date(2026, 3, 2), date(2026, 3, 9)
STATES = (
    ("number", "My rent is $1,200.", "My rent is $1,350."),
    ("number", "The flat has three rooms.", "The flat has 4 rooms."),
    ("date", "The launch is on May 3.", "The launch is on May 10."),
    ("place", "Anna lives in Paris.", "Anna lives in Rome."),
    ("person", "My manager is Karen.", "My manager is Peter."),
    ("preference", "I prefer tabs over spaces.", "I prefer spaces over tabs."),
    ("preference", "I love coriander.", "I hate coriander."),
    ("status", "The ticket is open.", "The ticket is closed."),
)
"""What a later day may change."""
FACTS = (
    ("negation", "The API supports pagination.", "The API doesn't support pagination."),
    ("place", "I was born in Lima.", "I was born in Quito."),
    ("person", "My cat is called Tom.", "My cat is called Bella."),
    ("order", "We visited Prague before Vienna.", "We visited Vienna before Prague."),
)
"""What no later day explains."""
ALIKE = (
    ("The flat has three rooms.", "The house has four rooms."),
    ("The flat has three rooms.", "The flat has 3 rooms."),
    ("The train leaves at 9.", "The bus leaves at 10."),
    ("I visited Paris.", "I visited Rome."),
    ("I ran 5 miles.", "I ran 8 miles."),
    ("I met Karen.", "I met Peter."),
    ("Anna lives in Paris.", "Ben lives in Rome."),
    ("I love coriander.", "I hate parsley."),
    ("The ticket is open.", "Is the ticket closed?"),
    ("The API supports pagination.", "Maybe the API doesn't support pagination."),
    ("I lived in Kyiv before Warsaw.", "I lived in Lviv before Kyiv."),
    ("I like autumn.", "I like spring."),
    ("I met Julia in Madrid.", "I met Julia in Lisbon."),
    ("Room 12 is free.", "Room 14 is free."),
    ("Ticket 318 is closed.", "Ticket 319 is closed."),
    ("Sprint 12 starts on Monday.", "Sprint 13 starts on Monday."),
    ("Room 12 has 3 windows.", "Room 14 has 4 windows."),
    ("The flight on 3 May leaves at 9:30.", "The flight on 4 May leaves at 10:15."),
    ("Anna's manager is Karen.", "Ben's manager is Karen."),
    ("My sister lives in Leeds.", "My other sister lives in York."),
    ("I have two meetings on Monday.", "I have three meetings on Tuesday."),
)


def judged(earlier: str, later: str, day: date = DAY, speaker: str = "") -> tuple[Relation, bool, str]:
    """What the form of two sayings says, BOTH if there is none."""
    found = judge_pairs([(Saying(earlier, "", DAY), Saying(later, speaker, day))])[0]
    is_form = found.reasons[0].startswith("its form")
    return (found.relation, found.is_certain, found.kind) if is_form else (Relation.BOTH, False, "")


@pytest.mark.parametrize(("kind", "earlier", "later"), [*STATES, *FACTS])
def test_two_values_of_one_time_contradict_each_other(kind: str, earlier: str, later: str) -> None:
    assert judged(earlier, later) == judged(later, earlier) == (Relation.CONTRADICTS, False, kind)


@pytest.mark.parametrize(("kind", "earlier", "later"), STATES)
def test_a_later_value_of_a_state_changes_it_for_certain(kind: str, earlier: str, later: str) -> None:
    assert judged(earlier, later, LATER) == (Relation.CHANGED, True, kind)


@pytest.mark.parametrize(("kind", "earlier", "later"), FACTS)
def test_a_later_day_explains_no_two_values_of_a_fact(kind: str, earlier: str, later: str) -> None:
    assert judged(earlier, later, LATER) == (Relation.CONTRADICTS, False, kind)


@pytest.mark.parametrize(("earlier", "later"), ALIKE)
def test_what_holds_side_by_side_is_neither(earlier: str, later: str) -> None:
    assert {judged(earlier, later), judged(earlier, later, LATER)} == {(Relation.BOTH, False, "")}


def test_what_had_not_happened_one_day_has_on_another() -> None:
    pair = "I didn't call the plumber.", "I called the plumber."
    assert judged(*pair)[0] is Relation.CONTRADICTS
    assert judged(*pair, LATER)[0] is Relation.BOTH


def test_two_peoples_values_do_not_meet() -> None:
    assert judged("I prefer tabs over spaces.", "I prefer spaces over tabs.", speaker="Bo")[0] is Relation.BOTH
