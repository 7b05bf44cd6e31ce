"""What "yesterday" meant on the day it was said, and where the file says so."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.tokens import count_tokens
from memory_assets.text.when import NOTES, notes_of, render_notes
from memory_assets_tests.edits.edited_file import diff
from memory_assets_tests.memory_file.pools import memory
from memory_assets_tests.support.memory_files import select_entries

THURSDAY = date(2023, 5, 25)
SAID = datetime(2023, 5, 25, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("I signed up yesterday.", "yesterday = 24 May"),
        ("Last night it rained.", "Last night = 24 May"),
        ("The race was last Saturday, last year too.", "last Saturday = 20 May, last year = 2022"),
        ("Last Thursday we met.", "Last Thursday = 18 May"),
        ("We met last Fri.", "last Fri = 19 May"),
        ("Camping next month!", "next month = June"),
        ("Married six months ago.", "six months ago = November 2022"),
        ("A friend made it ten years ago.", "ten years ago = 2013"),
        ("Three days ago I fell.", "Three days ago = 22 May"),
        ("Last week, next Friday, this month, a while ago, 9000 years ago.", ""),
        ("It began 1.5 years ago, twenty-one days ago, half a year ago, 2-3 years ago, two or three months ago.", ""),
        ("My last night there, over the last month, in Tom's last year; we last sat on the last Friday of it.", ""),
        ("I met her last Friday, about a year ago.", "last Friday = 19 May, a year ago = 2022"),
        ("Yesterday I ran, yesterday she swam.", "Yesterday = 24 May"),
        ("yesterday tomorrow last night", "yesterday = 24 May, tomorrow = 26 May"),
    ],
)
def test_relative_times_that_name_one_date(text: str, notes: str) -> None:
    assert render_notes(notes_of(text, THURSDAY)) == (notes and f" ({notes})")
    assert notes_of(text, None) == ()


def test_a_line_says_what_a_word_means_once_however_it_is_written() -> None:
    assert render_notes((("Yesterday", "24 May"), ("last year", "2022"), ("yesterday", "24 May"))) == (
        " (Yesterday = 24 May, last year = 2022)"
    )


def test_a_year_is_written_where_it_is_another_one() -> None:
    assert notes_of("yesterday", date(2023, 1, 1)) == (("yesterday", "31 December 2022"),)
    assert notes_of("next month", date(2023, 12, 5)) == (("next month", "January 2024"),)


@given(
    st.dates(), st.sampled_from("yesterday,tomorrow,last month,next year,12 years ago,99 days ago,last sun".split(","))
)
def test_every_note_has_the_form_by_which_it_is_known(said: date, text: str) -> None:
    notes = render_notes(notes_of(text, said))
    assert notes == "" or re.fullmatch(NOTES, notes)


def test_the_date_that_is_meant_follows_each_line() -> None:
    known = {"source_id": "source:1", "occurred_at": SAID}
    one = memory("I bought a cello yesterday.", turn=1, **known)
    two = memory("Yesterday a harbour froze.", turn=2, **known)
    text = select_entries("maria", [one, two], count_tokens).text
    assert [line.rpartition(" [")[0] for line in text.splitlines()[-2:]] == [
        "- 25 May: I bought a cello yesterday. (yesterday = 24 May)",
        "- 25 May: Yesterday a harbour froze. (Yesterday = 24 May)",
    ]


def test_a_preference_and_a_note_of_unknown_day_are_not_dated() -> None:
    wish = memory("I have preferred tea since last year.", "preferences", occurred_at=SAID, said_by_owner=True)
    undated = memory("The cello broke yesterday.", occurred_at=None)
    assert "=" not in select_entries("maria", [wish, undated], count_tokens).text


def test_dates_behind_a_line_are_no_part_of_what_a_person_changes() -> None:
    common = {"source_id": "source:1", "occurred_at": SAID}
    pool = [memory("I bought a cello yesterday.", turn=1, **common), memory("My harbour froze.", turn=2, **common)]
    for known in (pool, [replace(pool[0], source_id=None)]):
        chosen = select_entries("maria", known, count_tokens)
        rows = [{"ref": e.ref, "memory_id": e.memory_id, "section": e.section, "text": e.text} for e in chosen.entries]
        notes = " (yesterday = 24 May)"
        assert notes in chosen.text and not diff(chosen.text, rows, chosen.text)
        assert not diff(chosen.text, rows, chosen.text.replace(notes, ""))
        edit = diff(chosen.text, rows, chosen.text.replace("a cello", "a violin"))
        assert [(line.entry["text"], after.rpartition(": ")[2]) for line, _, after in edit.changed] == [
            ("I bought a cello yesterday.", "I bought a violin yesterday.")
        ]
        assert not edit.added and not edit.removed
        # Another date in its place is what a person has written.
        assert diff(chosen.text, rows, chosen.text.replace("24 May)", "23 May)"))
