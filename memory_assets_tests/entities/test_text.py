"""Names and sentences in one form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.entities.text import (
    EXCERPT_LENGTH,
    _clean_any,
    _said,
    canonical_name,
    clean,
    display_name,
    excerpt,
    normalised,
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Alex Johnson", "alex-johnson"),
        ("  alex   JOHNSON ", "alex-johnson"),
        ("Alex-Johnson", "alex-johnson"),
        ("Alex Johnson's", "alex-johnson"),
        ("the Harbour Project", "harbour-project"),
        ("@maria", "maria"),
        ("Stra\u00dfe", "strasse"),
        ("Zoe\u0308", "zo\u00eb"),
        ("ma\u200bria", "maria"),
        ("\u202emaria\u202c", "maria"),
        ("C++", "c++"),
        ("R&D / Ops", "r&d-ops"),
        ("\ud800", "\ufffd"),
        ("...", ""),
        ("", ""),
    ],
)
def test_one_thing_has_one_name(name: str, expected: str) -> None:
    assert canonical_name(name) == expected


@given(st.text())
def test_a_canonical_name_is_its_own(name: str) -> None:
    once = canonical_name(name)
    assert canonical_name(display_name(name)) == once
    assert "\x00" not in once and "\n" not in once


@given(st.text(alphabet=st.characters()))
def test_clean_text_can_be_stored(text: str) -> None:
    clean(text).encode("utf-8")
    assert clean(clean(text)) == clean(text)


def test_case_and_closing_punctuation_make_no_new_statement() -> None:
    assert normalised("I  prefer tea.") == normalised("i prefer TEA!") == "i prefer tea"
    assert normalised("Do I prefer tea?") != normalised("Do I prefer tea")


def test_a_long_turn_is_cut_around_the_statement() -> None:
    turn = "before " * 200 + "I prefer green tea in the morning. " + "after " * 200
    cut = excerpt(turn, "I prefer green tea in the morning.")
    assert "I prefer green tea in the morning." in cut
    assert len(cut) <= EXCERPT_LENGTH + 4
    assert cut.startswith("… ") and cut.endswith(" …")
    assert excerpt("short", "short") == "short"


def test_a_turn_of_megabytes_is_cleaned_once_for_its_thousands_of_excerpts() -> None:
    turn = " ".join(f"Line {number} of the log says that pump {number} is well." for number in range(30_000))
    _said.cache_clear()
    for number in range(0, 30_000, 30):
        assert f"pump {number} " in excerpt(turn, f"Line {number} of the log says that pump {number} is well.")
    assert _said.cache_info().misses == 1


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_letters_are_cleaned_the_short_way_to_the_same_text(text: str) -> None:
    assert clean(text) == _clean_any(text)
