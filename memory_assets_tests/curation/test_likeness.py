"""Whether two memories are one: by a table of pairs, and by what must hold of any two texts."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.curation.likeness import Claim, Likeness, guarded, judge, normalise

MERGE, UNDECIDED, APART = Likeness.MERGE, Likeness.UNDECIDED, Likeness.APART
SENTENCES = st.lists(
    st.sampled_from("the dog cat bit saw not Anna Rome 3 12 red open closed before I can't please my a".split()),
    min_size=1,
    max_size=9,
).map(lambda words: " ".join(words))
TEXTS = st.one_of(st.text(max_size=60), SENTENCES)


@pytest.mark.parametrize(
    ("one", "other", "cosine", "expected"),
    [
        ("The boat is old.", "the boat is old", 1.0, MERGE),
        ("The boat is old.", "the boat is old", None, MERGE),
        ("I'm going to the lake", "I am going to the lake.", 0.97, MERGE),
        ("I'm going to the lake", "I am going to the lake.", 0.9, UNDECIDED),
        ("Well, I prefer the colour red.", "I prefer the color red", 0.95, MERGE),
        ("She paid 1,200 euros", "She paid 1200 euros.", 0.99, MERGE),
        ("They bought three lamps.", "They bought 3 lamps.", 0.99, MERGE),
        ("Das Boot ist alt.", "das Boot ist alt", None, MERGE),
        ("The dog bit the man.", "The man bit the dog.", 1.0, UNDECIDED),
        ("The shop is open.", "The shop is closed.", 0.95, UNDECIDED),
        ("The boat is old.", "The boat is old?", 0.99, UNDECIDED),
        ("We live near the lake.", "We lived near the lake.", 0.99, UNDECIDED),
        ("No, price increases", "No price increases", 0.99, UNDECIDED),
        ("I like polish food", "I like Polish food", 1.0, UNDECIDED),
        ("Le bateau est vieux.", "Le navire est vieux.", 0.95, UNDECIDED),
        ("Das Boot ist alt.", "Das Boot ist nicht alt.", 0.95, APART),
        ("The boat is old.", "The boat is not old.", 0.99, APART),
        ("I never liked it", "I liked it", 0.99, APART),
        ("She paid 12 euros", "She paid 21 euros", 0.99, APART),
        ("It was -5 outside", "It was 5 outside", 0.99, APART),
        ("The area is 10² m", "The area is 102 m", 0.99, APART),
        ("We meet on 3 May", "We meet on 3 June", 0.99, APART),
        ("We meet on Monday", "We meet on Friday", 0.99, APART),
        ("Anna likes tea", "Marek likes tea", 0.99, APART),
        ("The boat of Anna Berg", "The boat of Anna Lind", 0.99, APART),
        ("The boat is old.", "The ship is new.", 0.7, APART),
        ("The boat is old.", "The ship is new.", None, APART),
    ],
)
def test_a_pair_is_judged_by_its_words(one: str, other: str, cosine: float | None, expected: Likeness) -> None:
    for first, second in ((one, other), (other, one)):
        found = judge(Claim(first), Claim(second), cosine)
        assert found.likeness is expected, found


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, MERGE),
        ({"speaker": "Marek"}, APART),
        ({"over": "2026-05-05T00:00:00Z"}, APART),
        ({"day": date(2026, 5, 5)}, MERGE),
    ],
)
def test_the_same_words_of_others_or_of_another_time_are_not_the_same(
    change: dict[str, Any], expected: Likeness
) -> None:
    known: dict[str, Any] = {"text": "The boat is old.", "speaker": "Anna", "day": date(2026, 5, 4)}
    assert judge(Claim(**known), Claim(**known | change), 1.0).likeness is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("We sailed yesterday.", APART), ("We meet on Monday.", APART), ("For now we rent a flat.", UNDECIDED)],
)
def test_what_counts_from_its_day_is_another_on_another_day(text: str, expected: Likeness) -> None:
    one, other = (Claim(text, day=date(2026, 5, day)) for day in (4, 20))
    assert judge(one, other, 1.0).likeness is expected
    assert judge(one, one, 1.0).likeness is MERGE


@given(TEXTS, TEXTS, st.floats(0, 1))
def test_order_does_not_matter(one: str, other: str, cosine: float) -> None:
    first, second = judge(Claim(one), Claim(other), cosine), judge(Claim(other), Claim(one), cosine)
    assert first.likeness is second.likeness


@given(TEXTS, st.floats(0, 1))
def test_a_text_says_what_it_says(text: str, cosine: float) -> None:
    assert judge(Claim(text), Claim(text), cosine).likeness is MERGE
    assert normalise(normalise(text)) == normalise(text)


@given(SENTENCES, st.floats(0, 1), st.sampled_from(["not", "never", "7", "Marek", "on Monday"]), st.integers(0, 9))
def test_a_denial_number_name_or_day_more_keeps_two_apart(text: str, cosine: float, more: str, at: int) -> None:
    words = text.split()
    changed = " ".join([*words[:at], more, *words[at:], "there"])
    found = judge(Claim(f"{text} there"), Claim(changed), cosine)
    assert found.likeness is not MERGE
    if more not in ("Marek", "on Monday") or at:
        assert found.likeness is APART, found


@given(SENTENCES, SENTENCES)
def test_whoever_is_merged_passes_the_guards(one: str, other: str) -> None:
    if judge(Claim(one), Claim(other), 1.0).likeness is MERGE:
        assert guarded(Claim(one), Claim(other)) is None
