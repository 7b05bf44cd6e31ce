"""A note's lines are told whole, below what stands above them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.local.describe import describe_source
from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.places import blocks, lead_of
from memory_assets.llm.local.sentences import Form
from memory_assets.llm.tasks import SourceText, Statement, TurnText
from memory_assets.sources.cleaning import paragraphs


def note(title: str, text: str, writer: str | None = None) -> SourceText:
    turns = tuple(TurnText(index=at, speaker=None, text=part) for at, part in enumerate(paragraphs(text)))
    return SourceText(source_type="note", title=title, started_at=None, owner_speaker=None, turns=turns, writer=writer)


def statements(title: str, text: str, writer: str | None = None) -> list[Statement]:
    return list(extract(note(title, text, writer)).statements)


def told(title: str, text: str, writer: str | None = None) -> list[str]:
    return [one.statement for one in statements(title, text, writer) if one.statement]


BOAT = """# The boat

| | port | starboard |
|---|---|---|
| fenders | 3 blue | 2 white |

- mooring line **14 mm**, 20 metres
- engine oil every 100 hours. The grey can, not the red one

## Keys

- cabin 4711, under the bench
- Anna has the spare key for the cabin.
"""


def test_a_line_is_told_whole_below_its_headings_and_a_row_below_its_columns() -> None:
    assert told("The boat", BOAT) == [
        "The boat: fenders; port: 3 blue; starboard: 2 white",
        "The boat: mooring line 14 mm, 20 metres",
        "The boat: engine oil every 100 hours. The grey can, not the red one",
        "The boat, Keys: cabin 4711, under the bench",
        "Anna has the spare key for the cabin.",
    ]


def test_what_a_note_notes_down_is_a_fact_though_an_answers_headlines_are_none() -> None:
    found = {one.statement: one for one in statements("The boat", BOAT)}
    noted = (
        "The boat: mooring line 14 mm, 20 metres",
        "The boat: engine oil every 100 hours. The grey can, not the red one",
    )
    assert {found[one].content_type for one in noted} == {"insight"}
    assert min(found[one].durability for one in noted) >= 0.4


def test_lines_that_were_broken_on_purpose_are_one_thing_each_and_wrapped_ones_a_paragraph() -> None:
    sizes = "**Tom** 152, shoes 37\n**Anna** 41 collar, long arm\n**me** gloves 8, hat 57"
    assert told("Sizes", sizes, "Mara Lindt") == [
        "Sizes: Tom 152, shoes 37",
        "Sizes: Anna 41 collar, long arm",
        "Mara Lindt gloves 8, hat 57",
    ]
    wrapped = (
        "The harbour office asked all owners to move their boats to the\n"
        "north pier before the dredging begins, and to leave the keys in\n"
        "the box beside the crane."
    )
    assert told("Harbour", wrapped) == [" ".join(wrapped.split())]


LEADS = [
    ("Fen sore – 19 Aug", "Fen sore"),
    ("Team meeting Tue 14 April", "Team meeting"),
    ("Thursday 5 November 2026", ""),
    ("17/6", ""),
    ("Sonntag", ""),
    ("Sizes (3 April 2026)", "Sizes"),
    ("A line that says so much by itself " + "that it stands above no other " * 3, ""),
]


@pytest.mark.parametrize(("heading", "lead"), LEADS)
def test_a_heading_leads_in_without_its_day(heading: str, lead: str) -> None:
    assert lead_of(heading) == lead


def test_what_a_pronoun_means_stands_above_it_or_before_it() -> None:
    assert told("2026-05-04", "## Jonas\n\nHe turns nine on Sunday and is allergic to nuts.") == [
        "Jonas: He turns nine on Sunday and is allergic to nuts."
    ]
    assert told("2026-05-04", "## The bike\n\nHe turns nine on Sunday and is allergic to nuts.") == []
    assert told(
        "2026-05-04", "The starter needs 500 grams of flour now. I'll raise it to 520 next week.", "Mara Lindt"
    ) == ["The starter needs 500 grams of flour now. Mara Lindt will raise it to 520 next week."]


def test_who_is_asked_for_something_stands_above_it() -> None:
    found = statements(
        "For the assistant", "- Don't suggest restaurants with live music\n- Trains: aisle seat, quiet coach"
    )
    assert [one.content_type for one in found] == ["preference", "preference"]


def test_only_a_box_or_a_plain_order_is_a_task() -> None:
    text = "- [ ] oil the gate\n- the alarm gives 20 seconds to get to the panel\n- [x] ordered the paint for the gate"
    found = [(one.content_type, one.statement) for one in statements("Gate", text)]
    assert found == [
        ("task", "oil the gate"),
        ("insight", "Gate: the alarm gives 20 seconds to get to the panel"),
        ("insight", "ordered the paint for the gate (done)"),
    ]


def test_a_summary_says_once_what_stands_above_its_lines() -> None:
    lines = "# The boat\n\n- mooring line 14 mm, 20 metres\n- engine oil every 100 hours, the grey can"
    summary = describe_source(note("The boat", lines)).summary
    assert summary == "The boat: mooring line 14 mm, 20 metres. engine oil every 100 hours, the grey can."


TEXTS = st.lists(
    st.sampled_from(BOAT.split("\n") + ["Goals", "1. row to the island", "Why: it leaks.", "```", "  - nested"])
)


@given(TEXTS)
def test_every_line_but_a_tables_header_is_in_one_block(lines: list[str]) -> None:
    parts = paragraphs("\n".join(lines))
    if not parts:
        return
    found = "\n".join(block.raw for of_part in blocks("The boat", parts) for block in of_part)
    for line in (line for part in parts for line in part.split("\n")):
        is_told = any(map(str.isalnum, line)) and not line.startswith("|")
        assert not is_told or line in found


def test_a_heading_is_no_statement_of_its_own() -> None:
    (first, *_) = [block for of_part in blocks("", paragraphs(BOAT)) for block in of_part]
    assert first.form is Form.HEADING
    assert "The boat and all that belongs to it" not in told("", "# The boat and all that belongs to it\n\nIt is blue.")
