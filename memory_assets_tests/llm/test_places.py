"""A note's lines are restated whole, below what is above them."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.entities.policy import decide
from memory_assets.llm.local.describe import describe_source
from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.places import Place, blocks, lead_of
from memory_assets.llm.local.reading import read
from memory_assets.llm.local.sentences import MOST_WORDS, Form
from memory_assets.llm.local.sentences import lines as lines_of
from memory_assets.llm.tasks import SourceText, Statement, TurnText
from memory_assets.memory_file.candidates import FileRules
from memory_assets.sources.cleaning import paragraphs


def note(title: str, text: str, writer: str | None = None) -> SourceText:
    turns = tuple(TurnText(index=at, speaker=None, text=part) for at, part in enumerate(paragraphs(text)))
    return SourceText(source_type="note", title=title, started_at=None, owner_speaker=None, turns=turns, writer=writer)


def statements(title: str, text: str, writer: str | None = None) -> list[Statement]:
    return list(extract(note(title, text, writer)).statements)


def restated(title: str, text: str, writer: str | None = None) -> list[str]:
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


def test_a_line_is_whole_below_its_headings_and_a_row_below_its_columns() -> None:
    assert restated("The boat", BOAT) == [
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
    assert min(found[one].durability for one in noted) >= FileRules().least_retention


def test_lines_that_were_broken_on_purpose_are_one_thing_each_and_wrapped_ones_a_paragraph() -> None:
    sizes = "**Tom** 152, shoes 37\n**Anna** 41 collar, long arm\n**me** gloves 8, hat 57"
    assert restated("Sizes", sizes, "Mara Lindt") == [
        "Sizes: Tom 152, shoes 37",
        "Sizes: Anna 41 collar, long arm",
        "Mara Lindt gloves 8, hat 57",
    ]
    wrapped = (
        "The harbour office asked all owners to move their boats to the\n"
        "north pier before the dredging begins, and to leave the keys in\n"
        "the box beside the crane."
    )
    assert restated("Harbour", wrapped) == [" ".join(wrapped.split())]


LEADS = [
    ("Fen sore – 19 Aug", "Fen sore"),
    ("Team meeting Tue 14 April", "Team meeting"),
    ("Thursday 5 November 2026", ""),
    ("17/6", ""),
    ("Sonntag", ""),
    ("Sizes (3 April 2026)", "Sizes"),
    ("Room 12 inventory, 3 June 2026", "Room 12 inventory"),
    ("Trip 10 to 14 December", "Trip"),
    ("14 December - 10 January", ""),
    ("Jan – Mar 2026", ""),
    ("März 2026", ""),
    ("June", "June"),
    ("June 2026", ""),
    ("June 2026, boat", "June 2026, boat"),
    ("A line that says so much by itself " + "that it stands above no other " * 3, ""),
]


@pytest.mark.parametrize(("heading", "lead"), LEADS)
def test_a_heading_leads_in_without_its_day(heading: str, lead: str) -> None:
    assert lead_of(heading) == lead


def test_what_a_pronoun_means_is_above_it_or_before_it() -> None:
    assert restated("2026-05-04", "## Jonas\n\nHe turns nine on Sunday and is allergic to nuts.") == [
        "Jonas: He turns nine on Sunday and is allergic to nuts."
    ]
    assert restated("2026-05-04", "## The bike\n\nHe turns nine on Sunday and is allergic to nuts.") == []
    assert restated(
        "2026-05-04", "The starter needs 500 grams of flour now. I'll raise it to 520 next week.", "Mara Lindt"
    ) == ["The starter needs 500 grams of flour now. Mara Lindt will raise it to 520 next week."]


def test_who_is_asked_for_something_is_above_it() -> None:
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


def test_a_summary_says_once_what_is_above_its_lines() -> None:
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
    for line in (line for part in parts for line in lines_of(part)):
        is_statement = any(map(str.isalnum, line.text)) and not line.raw.startswith("|") and line.form is not Form.CODE
        assert not is_statement or line.raw in found


GUESTS = "- Max\n\n  - allergic to nuts and milk\n  - sleeps in the room upstairs\n\n- Ann brings a salad"
ADDRESSES = "## Old address\n\n- Rua Augusta 12\n\n```\nfoo\n```\n## New address\n- Rua Nova 7"
LOG = "".join(f"2026-10-14 10:00:0{second} ERROR pump=1\n" for second in range(3))
IN_PLACE = [
    # An item's depth is its indent, also where a blank line is before it.
    (GUESTS, ["Max: allergic to nuts and milk", "Max: sleeps in the room upstairs", "Ann brings a salad"]),
    (
        "Max:\n\n    - allergic to nuts and milk\n    - sleeps in the room upstairs\n\nAnn:\n\n    - a bed at the door",
        ["Max: allergic to nuts and milk", "Max: sleeps in the room upstairs", "Ann: a bed at the door"],
    ),
    (
        "- Max\n\n  He is allergic to nuts.\n\n- Ann brings a salad",
        ["Max: He is allergic to nuts.", "Ann brings a salad"],
    ),
    ("  - tea for the guests\n  - beds for the guests", ["tea for the guests", "beds for the guests"]),
    # What is around code or a log has the place where it is written.
    (ADDRESSES, ["Old address: Rua Augusta 12", "New address: Rua Nova 7"]),
    (
        "## Steps\nDeploy with:\n```\nmake deploy\n```\n## Gate\n- a can of oil",
        ["Steps: Deploy with: make deploy", "Gate: a can of oil"],
    ),
    (f"## Old\n{LOG}## Next\n- a new pump for the well", ["Next: a new pump for the well"]),
    # A rule, or a table behind a list, ends what was announced.
    (
        "Don't bring:\n\n- knives and forks\n\n---\n\n- passport and visa",
        ["Don't bring: knives and forks", "passport and visa"],
    ),
    (
        "Don't bring:\n\n- knives and forks\n\n| what | who |\n|---|---|\n| passport | Ann |",
        ["Don't bring: knives and forks", "what: passport; who: Ann"],
    ),
    (
        "Don't bring:\n\n| what | who |\n|---|---|\n| knives | Ann |\n\n- passport and visa",
        ["Don't bring: what: knives; who: Ann", "passport and visa"],
    ),
    # A quotation's heading leads nothing outside of it.
    (
        "> ## Old plan\n> - two nights in Bonn\n\n- three nights in Rome\n> - four nights in Oslo",
        ["Old plan: two nights in Bonn", "three nights in Rome", "four nights in Oslo"],
    ),
    (
        "|| nuts | milk |\n|---|---|---|\n| Max | ✓ | - |\n|| a \\| b | ✗ |",
        ["Max; nuts: ✓; milk: -", "nuts: a | b; milk: ✗"],
    ),
    # What is above a line is in it only in whole words, a name as it is written.
    ("## Ann\n- annual check in the clinic", ["Ann: annual check in the clinic"]),
    ("## Tom\n- customs form for the boat", ["Tom: customs form for the boat"]),
    # Days and times that several lines are below.
    (
        "## Morning\n- 1 tablet with water\n## Evening\n- 2 tablets with water",
        ["Morning: 1 tablet with water", "Evening: 2 tablets with water"],
    ),
    (
        "# Monday\n- a swim at the lake\n# Tuesday\n- piano at school",
        ["Monday: a swim at the lake", "Tuesday: piano at school"],
    ),
    ("## 3 March 2027\n- Ben pays the rent", ["3 March 2027: Ben pays the rent"]),
    ("# 2026-05-04\n- two keys for the shed", ["two keys for the shed"]),
    # Who is meant: nobody else has been named since, and it is a name of theirs.
    ("# Maria\n\nHer brother is Tom.\n\nHe lives in Lisbon and works there.", ["Maria: Her brother is Tom."]),
    ("# Maria\n\nShe lives in Lisbon and works there.", ["Maria: She lives in Lisbon and works there."]),
    ("## Tom\n- she works at the bank\n- he works at the harbour", ["Tom: he works at the harbour"]),
    (
        "# Ben\n\nBen has tea. Anna is his wife. Works at the bank. Allergic to nuts.",
        ["Ben has tea.", "Ben: Anna is his wife."],
    ),
    ("# Ben\n\nWorks at the bank. Allergic to nuts.", ["Ben: Works at the bank.", "Ben: Allergic to nuts."]),
    # A note below somebody's name is a statement, however short, a bare day too; elsewhere a bare day is nothing.
    ("## Max\n- vegan\n- 22 August\n- works nights", ["Max: vegan", "Max: 22 August", "Max: works nights"]),
    (
        "## My aunt\n- no coffee\n- texts only, never answers",
        ["My aunt: no coffee", "My aunt: texts only, never answers"],
    ),
    ("## Shed\n- key = under the pot\n- 22 August", ["Shed: key = under the pot"]),
    (
        "## Rosa\n- next plot\n- allergic to wasps\n- away in May",
        ["Rosa: next plot", "Rosa: allergic to wasps", "Rosa: away in May"],
    ),
    # A paragraph's own label leads in all of it.
    (
        "# Health\n\n**Ears:** left, high tones. Aid fitted 5 May.\n\n**Gut**: onion.",
        ["Health: Ears: left, high tones.", "Health, Ears: Aid fitted 5 May.", "Health: Gut: onion."],
    ),
    # A paragraph right below its heading is one, each of whose sentences is a statement.
    (
        "## Thu 29 Jan\nThe lease ends in May. The landlord has sold the house.",
        ["Thu 29 Jan: The lease ends in May.", "Thu 29 Jan: The landlord has sold the house."],
    ),
    # An item in small letters is no independent sentence.
    ("## The green car\n- rego runs out 6 November", ["The green car: rego runs out 6 November"]),
    # What is struck out holds no longer.
    (
        "## Doctor\n- ~~Ann Low, Main Rd~~ Ben Hart, Mill Lane\n- [ ] ~~choir on Mondays~~ no",
        ["Doctor: Ben Hart, Mill Lane"],
    ),
    # A list of bare things is one statement, whether it has boxes or not.
    (
        "## Packing\n- [ ] towels\n- [x] passport\n- [ ] sun cream\n- [ ] two pairs of socks",
        ["Packing: towels, sun cream, two pairs of socks", "Packing: passport (done)"],
    ),
    ("## Einkauf\n- [ ] Milch\n- [ ] Brot\n- [ ] 500 g Mehl", ["Einkauf: Milch, Brot, 500 g Mehl"]),
    # What answers a question says nothing alone, and a whole sentence behind it is none of it.
    ("Is the hotel booked? Not yet. Maybe tomorrow. The flight is paid.", ["The flight is paid."]),
]


@pytest.mark.parametrize(("text", "expected"), IN_PLACE)
def test_a_line_is_restated_behind_what_is_above_it_and_nothing_else(text: str, expected: list[str]) -> None:
    assert restated("", text) == expected


def test_what_a_writer_says_of_themselves_is_restated_by_their_name_or_not_at_all() -> None:
    text = "# Meeting with Ben\n- I pay it myself.\n- my passport number is 4417\n- the hall costs 300"
    assert restated("", text, "Mara Lindt") == [
        "Mara Lindt's passport number is 4417",
        "Meeting with Ben: the hall costs 300",
    ]


def test_what_a_writer_says_of_themselves_among_shreds_is_as_they_wrote_it() -> None:
    text = "# Boat\n- plank 3 done, Ben on the dolly, me on the hammer\n- I'll do it with him again"
    assert restated("", text, "Mara Lindt") == [
        "Boat: Mara Lindt wrote: plank 3 done, Ben on the dolly, me on the hammer"
    ]


def test_what_a_note_quotes_is_not_what_its_writer_says() -> None:
    text = "# Books\n\n> I weighed anchor at noon and sailed from Boston.\n\nI have sailed from Boston twice."
    assert restated("", text, "Mara Lindt") == ["Mara Lindt has sailed from Boston twice."]


def kinds(text: str) -> dict[str | None, str]:
    return {one.statement: one.content_type for one in statements("", text) if one.statement}


def test_things_to_pack_are_one_task_and_what_is_to_be_done_one_each() -> None:
    things = "## Packing\n- [ ] towels\n- [ ] sun cream\n- [x] passport\n- [ ] sleeping bag"
    assert kinds(things) == {
        "Packing: towels, sun cream, sleeping bag": "task", "Packing: passport (done)": "insight",
    }  # fmt: skip
    mixed = "## Before we go\n- [ ] call the landlord\n- [ ] passport renewal\n- [ ] book the ferry\n- [ ] water plants"
    assert list(kinds(mixed).values()) == ["task"] * 4
    for heading in ("To-dos", "To do (spring)", "Saturday"):
        kinds_below = kinds(things.replace("Packing", heading).replace("- [x] passport\n", ""))
        assert set(kinds_below.values()) == {"task"} and len(kinds_below) == 3, "each by itself"
    chores = "## Before we go\n- [ ] water plants\n- [ ] text Anna\n- [ ] iron shirts\n- [ ] vacuum car"
    assert list(kinds(chores).values()) == ["task"] * 4


@given(st.permutations(["towels", "sun cream", "sleeping bag", "passport", "tent"]), st.integers(3, 5))
def test_each_thing_of_a_list_is_said_once(things: list[str], count: int) -> None:
    text = "## Packing\n" + "\n".join(f"- [ ] {thing}" for thing in things[:count])
    assert restated("", text) == [f"Packing: {', '.join(things[:count])}"]


def test_a_paragraphs_label_leads_in_up_to_the_next_one() -> None:
    found = restated("", "# Guests\n\n**Anna:** allergic to nuts. **Tom:** likes beer. Sleeps late.")
    assert not any("Anna: Tom" in one or "Anna: Sleeps" in one for one in found), found
    assert any("Tom: likes beer." in one for one in found)


def test_no_open_box_of_a_list_is_lost() -> None:
    found = statements("", "## Saturday jobs\n- [ ] laundry\n- [ ] dishes\n- [ ] vacuuming\n- [ ] tax return")
    (one,) = [one for one in found if one.statement]
    assert (one.statement, one.content_type) == ("Saturday jobs: laundry, dishes, vacuuming, tax return", "task")
    assert one.durability > FileRules().least_retention, "it is in a file where there is room"


def test_a_long_list_of_things_becomes_statements_that_can_be_remembered() -> None:
    found = restated("", "## Packing\n" + "\n".join(f"- [ ] pair of socks number {at}" for at in range(20)))
    assert len(found) > 1 and all(len(one.split()) <= MOST_WORDS + 1 for one in found)
    assert all(any(f"number {at}," in f"{one}," for one in found) for at in range(20))


def test_the_same_words_below_two_names_are_two_memories() -> None:
    source = note("", "## Max\n- vegetarian\n\n## Ines\n- vegetarian")
    decision = decide(extract(source), source.turns, None, user="u", count_tokens=len)
    assert sorted(chunk.statement for chunk in decision.chunks) == ["Ines: vegetarian", "Max: vegetarian"]
    assert {chunk.content for chunk in decision.chunks} == {"vegetarian"}, "by its words it is found where it was said"


NOTED = [
    ("## Max\n- allergic to nuts", {"preference", "insight"}),
    ("## Max\n- born 1991", {"insight"}),
    ("## Boat\n- oil = 5W-30", {"insight"}),
    ("# Mum's relish\n- 600 ml of malt vinegar", {"insight"}),
    ("# Relish\n\n1. Chop, salt, leave overnight. Pour off the water in the morning", {"insight"}),
    ("## Adresse\n\n12 bis rue de la Paix, 69003 Lyon", {"insight"}),
    ("## Actions\n- Anna: draft of the roster to Ben", {"task"}),
]


@pytest.mark.parametrize(
    ("heading", "is_somebody"),
    [("Isla", True), ("Graeme (mine)", True), ("Dr Lim", True), ("My mother", True), ("Max Keller", True)]
    + [("May", False), ("Doctor questions", False), ("Mum's relish", False), ("Isla's wedding plans", False)],
)
def test_what_is_below_a_persons_name_alone_is_of_them(heading: str, is_somebody: bool) -> None:
    assert Place((heading,)).is_below_somebody == is_somebody
    assert not Place().is_below_somebody


def test_small_talk_below_a_day_stays_small_talk() -> None:
    found = statements("", "# Friday\n\ntired. long week\n\n- rain all day\n- hand hurts")
    assert {one.content_type for one in found} <= {"chitchat"}


def test_what_is_noted_of_somebody_is_worth_more_than_a_thing_to_buy() -> None:
    worth = {
        one.statement: one.durability for one in statements("", "## Isla\n- penicillin allergy\n\n## Chemist\n- gel")
    }
    assert worth["Isla: penicillin allergy"] > max(0.5, 0.2 + worth["Chemist: gel"])
    shop = statements("", "## Chemist\n- penicillin\n- acetone\n- gel for the shoulder")
    assert max(one.durability for one in shop) < 0.5


@pytest.mark.parametrize(("text", "among"), NOTED)
def test_what_is_noted_below_a_heading_is_what_it_says_there(text: str, among: set[str]) -> None:
    (kind,) = kinds(text).values()
    assert kind in among


def test_a_note_is_read_up_to_the_length_that_is_asked_for() -> None:
    source = note("Shed", "- two keys for the shed\n- a can of oil\n\n- a ladder of wood")
    read_texts = [sentence.text for sentence in read(source, longest=30).sentences]
    assert read_texts == ["two keys for the shed", "a ca"]


def test_many_lines_are_read_in_time_that_grows_with_them() -> None:
    calls = {count: _calls_for("\n".join(f"line {at} of it" for at in range(count))) for count in (200, 800)}
    assert calls[800] < 5 * calls[200]


def _calls_for(text: str) -> int:
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        list(blocks("", [text]))
    finally:
        sys.setprofile(before)
    return count


def test_a_heading_is_no_statement_of_its_own() -> None:
    (first, *_) = [block for of_part in blocks("", paragraphs(BOAT)) for block in of_part]
    assert first.form is Form.HEADING
    assert "The boat and all that belongs to it" not in restated(
        "", "# The boat and all that belongs to it\n\nIt is blue."
    )
