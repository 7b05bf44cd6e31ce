"""Texts in clauses, and what is left of one when some of them are outdated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.local.parts import is_left_of, left_of, parts, parts_with

CLAUSES = st.sampled_from(
    [
        "I live in Boston",
        "I'm vegetarian",
        "my sister lives in Rome",
        "our rent is 900 euros",
        "it's lovely there",
        "Ana met Dr. Lee at 5 p.m. in Ulm",
    ]
    + [
        "if it rains",
        "we have two dogs",
        "she said that I'm late",
        "| a | b",
        "",
        "...",
        "don't",
        "İ",
        "2) x",
        "\U0001f389",
    ]
)
JOINTS = st.sampled_from(
    [" and ", ", and ", ". ", "; ", " but ", "! ", "? ", " and also ", ", so ", "\n", " ", ". And "]
)
TEXTS = st.lists(st.tuples(CLAUSES, JOINTS), min_size=1, max_size=6).map(
    lambda pairs: "".join(clause + joint for clause, joint in pairs)
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("I live in Boston and I'm vegetarian.", 2),
        ("I live in Boston and love it.", 1),
        ("I see Dr. Lee and Mrs. J. Smith at 5 p.m. on Mondays.", 1),
        ("If I live in Boston and I'm vegetarian, call me.", 1),
        ("She said that I live in Boston and I'm vegetarian.", 1),
        ("I live in Boston. It's lovely there! Is it?", 3),
        ('Ana wrote: "Hi! I live in Boston. I have two dogs." We met in May.', 1),
        ("I sold my car and my old bike.", 1),
        ('I have a 27" screen. My son\'s is 24" wide.', 2),
    ],
)
def test_a_text_is_cut_where_its_clauses_hold_by_themselves(text: str, count: int) -> None:
    assert len(parts(text)) == count


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        ("I live in Boston and I'm vegetarian.", {0}, "I'm vegetarian."),
        ("I live in Boston and I'm vegetarian.", {1}, "I live in Boston."),
        (
            "I live in Boston, and my sister lives in Rome, but I grew up in Maine.",
            {1},
            "I live in Boston. I grew up in Maine.",
        ),
        ("I live in Boston. It's lovely there.", {0}, None),
        ("I live in Boston. It's lovely there.", {1}, "I live in Boston."),
        ("I live in Boston. Because of the sea.", {0}, None),
        ("I live in Boston, so I take the tram.", {0}, None),
        ("I live in Boston. I have two kids. They love it there.", {0}, "I have two kids."),
        ("I live in Boston. I have two kids. There are two of them.", {0}, "I have two kids. There are two of them."),
        ("I live in Boston.", {0}, None),
    ],
)
def test_what_leans_on_a_clause_goes_with_it(text: str, gone: set[int], left: str | None) -> None:
    assert left_of(text, gone) == left


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("I live in Boston", {0}),
        ("live in Boston.", {0}),
        ("I'm vegetarian.", {1}),
        ("Boston and I'm", {0, 1}),
        ("x", set()),
    ],
)
def test_words_of_a_text_lie_in_its_parts(words: str, found: set[int]) -> None:
    assert parts_with("I live in Boston and I'm vegetarian.", words) == found


@given(TEXTS, st.sets(st.integers(0, 12)))
def test_what_is_left_is_the_text_without_whole_clauses(text: str, gone: set[int]) -> None:
    left = left_of(text, gone)
    assert left is None or is_left_of(left, text) and left == left.strip()
    assert not is_left_of(text, text) and not is_left_of("I live in Lyon.", text)
    assert all(0 <= part.start < part.end <= len(text) for part in parts(text))
    assert [part.start for part in parts(text)] == sorted({part.start for part in parts(text)})
