"""Which storylines and themes answer a question, and what of them fits a budget."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.tokens import count_tokens
from memory_assets.model import reference
from memory_assets.recall import levels
from memory_assets.recall.levels import Card, Line
from memory_assets.text.lines import characters_of


@pytest.mark.parametrize(
    ("words", "likeness", "found"),
    [
        ({}, {}, []),
        ({"cello": 3.0, "boat": 1.0}, {}, ["cello"]),
        ({"cello": 3.0, "boat": 1.5}, {}, ["cello", "boat"]),
        ({}, {"cello": 0.30, "boat": 0.17}, ["cello"]),
        ({}, {"cello": 0.17, "boat": 0.10}, []),
        ({"boat": 2.0}, {"cello": 0.25, "boat": -0.1}, ["boat", "cello"]),
        ({"boat": 2.0, "cello": 2.0}, {"cello": 0.1}, ["cello", "boat"]),
        ({"boat": 2.0, "cello": 2.0}, {}, ["boat", "cello"]),
    ],
)
def test_words_and_meaning_find_what_fits(
    words: dict[str, float], likeness: dict[str, float], found: list[str]
) -> None:
    assert levels.rank(words, likeness) == found


def test_the_latest_are_for_a_question_that_fits_nothing() -> None:
    rows = [
        row("a", last_at="2026-01-01"),
        row("b", last_at=None),
        row("c", last_at="2026-03-01"),
        row("d", last_at="2026-01-01", source_count=9),
    ]
    assert levels.latest(rows) == ["c", "d", "a", "b"]


def row(name: str, **change: Any) -> dict[str, Any]:
    given = {
        "id": name,
        "ref": reference(name),
        "title": f"The {name}",
        "first_at": "2026-01-02T08:00Z",
    }
    return given | {"last_at": "2026-03-04T08:00Z", "source_count": 5, "is_archived": False} | change


@pytest.mark.parametrize(
    ("change", "head"),
    [
        ({}, "The cello, 2026-01-02 to 2026-03-04, 5 sources [000000007]"),
        ({"first_at": None, "last_at": None}, "The cello, 5 sources [000000007]"),
        ({"last_at": "2026-01-02T23:00Z", "source_count": 1}, "The cello, 2026-01-02, 1 source [000000007]"),
        (
            {"storyline_count": 2, "is_archived": True},
            "The cello, 2026-01-02 to 2026-03-04, 2 storylines, 5 sources (archived) [000000007]",
        ),
    ],
)
def test_a_head_says_when_and_how_much(change: dict[str, Any], head: str) -> None:
    assert levels.head_of(row("cello", ref="000000007", **change)) == head


def test_the_latest_lines_stand_below_a_card_in_their_order() -> None:
    lines = tuple(line(f"s{day}", f"2026-01-0{day}, note: It rained on day {day} of the week.") for day in range(1, 8))
    cards = [Card("The rain [1]", "It rained.", {"id": "rain"}, lines), Card("The sun [2]", "It shone.", {"id": "sun"})]
    packed = levels.pack(cards, count_tokens, 90)
    assert packed.text.splitlines() == [
        "## The rain [1]",
        "It rained.",
        "- 2026-01-05, note: It rained on day 5 of the week.",
        "- 2026-01-06, note: It rained on day 6 of the week.",
        "- 2026-01-07, note: It rained on day 7 of the week.",
        "",
        "## The sun [2]",
        "It shone.",
    ]


def line(name: str, text: str) -> Line:
    return Line(text, {"id": name})


NAMES = st.sampled_from([f"m{number}" for number in range(8)])
TEXTS = st.lists(
    st.sampled_from(["boat", "cello,", "Skagness", "[123456789]", "ß", "\n", "## a", "日本"]), max_size=40
).map(" ".join)
CARDS = st.lists(
    st.builds(
        lambda name, text, below: Card(f"The {name} [{name}]", text, {"id": name}, tuple(line(*one) for one in below)),
        NAMES,
        TEXTS,
        st.lists(st.tuples(NAMES, TEXTS), max_size=6),
    ),
    max_size=6,
)


@given(CARDS, st.integers(0, 400), st.integers(0, 400))
def test_nothing_is_beyond_the_budget_and_nothing_stands_twice(cards: list[Card], budget: int, most: int) -> None:
    packed = levels.pack(cards, count_tokens, budget, characters=most)
    assert packed.tokens == count_tokens(packed.text) <= budget and characters_of(packed.text) <= most
    shown = [one["id"] for card in packed.cards for one in (card.row, *(below.row for below in card.lines))]
    assert len(shown) == len(set(shown))
    assert all(card.row["id"] in {one.row["id"] for one in cards} for card in packed.cards)


@given(CARDS, st.integers(60, 200))
def test_pages_go_on_with_what_is_left_and_say_nothing_twice(cards: list[Card], budget: int) -> None:
    pages = [levels.pack(cards, count_tokens, budget)]
    while pages[-1].has_more:
        pages.append(levels.pack(cards, count_tokens, budget, page=len(pages) + 1))
    shown = [one.row["id"] for page in pages for card in page.cards for one in (card, *card.lines)]
    assert len(shown) == len(set(shown)) and all(page.tokens <= budget for page in pages)
    small = {card.row["id"] for card in cards if count_tokens(f"## {card.head}\n{card.text}\n") <= budget // 2}
    assert small <= set(shown)


@given(st.lists(st.tuples(NAMES, TEXTS).map(lambda one: line(*one)), max_size=9), st.integers(0, 120))
def test_what_stands_below_a_memory_fits_too(lines: list[Line], budget: int) -> None:
    fitting = levels.within(lines, count_tokens, budget)
    assert count_tokens("\n".join(f"- {one.text}" for one in fitting)) <= budget or not fitting
    assert len({one.row["id"] for one in fitting}) == len(fitting)
    assert fitting == [one for one in lines if any(one is other for other in fitting)], "in their order"
    if sum(count_tokens(f"- {one.text}\n") + 2 for one in lines) <= budget:
        assert {one.row["id"] for one in fitting} == {one.row["id"] for one in lines}


@pytest.mark.parametrize(
    ("days", "touched"),
    [
        ((None, None), True),
        ((date(2026, 5, 9), None), True),
        ((date(2026, 5, 10), None), False),
        ((None, date(2026, 5, 1)), True),
        ((None, date(2026, 4, 30)), False),
        ((date(2026, 5, 3), date(2026, 5, 4)), True),
    ],
)
def test_a_storyline_is_of_days_that_it_reaches_into(days: levels.Days, touched: bool) -> None:
    row = {"first_at": "2026-05-01T10:00:00Z", "last_at": "2026-05-09T10:00:00Z"}
    assert levels.touches(row, days) is touched
