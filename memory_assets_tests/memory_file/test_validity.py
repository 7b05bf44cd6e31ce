"""What still holds: only obvious forms of done and taken back count, each with its hard negative."""

from __future__ import annotations

from datetime import date

import pytest

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.candidates import Memory
from memory_assets.memory_file.selection import select_entries
from memory_assets.memory_file.validity import day_of, days_in
from memory_assets.memory_file.weighing import short_labels
from memory_assets_tests.memory_file.pools import memory

NEWEST = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("text", "said", "days"),
    [
        ("Send it by 2026-11-03.", None, [date(2026, 11, 3)]),
        ("Send it by Friday 3 November.", date(2026, 10, 1), [date(2026, 11, 3)]),
        ("See you on 5 January.", date(2026, 12, 20), [date(2027, 1, 5)]),
        ("It was on December 28th.", date(2027, 1, 2), [date(2026, 12, 28)]),
        ("Born on 4 May, 1953.", date(2026, 1, 1), [date(1953, 5, 4)]),
        ("On 31 February or 2026-13-01.", date(2026, 1, 1), []),
        ("I may take 3 of them in March.", date(2026, 1, 1), []),
    ],
)
def test_days_are_read_as_people_write_them(text: str, said: date | None, days: list[date]) -> None:
    assert days_in(text, said) == days


def test_a_logs_line_is_of_its_own_day() -> None:
    assert day_of("2026-10-14: The database is PostgreSQL.", NEWEST) == date(2026, 10, 14)
    assert day_of("2027-10-14: A plan.", NEWEST) == NEWEST


def own(text: str, place: int, section: str = "preferences", **known: object) -> Memory:
    return memory(text, section, place, **{"said_by_owner": True, "label": "Maria"} | known)


def reasons(*pool: Memory) -> dict[str, str]:
    chosen = select_entries("maria", pool, count_tokens)
    texts = {m.memory_id: m.text for m in pool}
    return {texts[row.memory_id]: row.reason for row in chosen.left_out}


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I am vegetarian, so no fish.", "Please only suggest vegan recipes from now on."),
        ("I prefer short answers with bullet lists.", "From now on use paragraphs instead of bullets."),
        (
            "My focus afternoon is Wednesday.",
            "My focus afternoon is Thursday from now on, no longer Wednesday.",
        ),
        ("Always call me Ben.", "Call me Benjamin from now on."),
    ],
)
def test_a_later_word_of_the_same_person_takes_the_earlier_back(earlier: str, later: str) -> None:
    old, new = own(earlier, 1, is_standing=True), own(later, 9, is_standing=True)
    assert reasons(old, new) == {earlier: f"superseded by {new.ref}"}
    # Not the other way round, not another person's, not without a mark of change.
    assert not reasons(own(earlier, 9, is_standing=True), own(later, 1, is_standing=True))
    assert not reasons(memory(earlier, "preferences", 1, label="Ana"), new)


@pytest.mark.parametrize(
    "later",
    [
        "I like vegan recipes.",
        "Always answer in metric units from now on.",
        "Never book Fridays for me any more.",
    ],
)
def test_what_is_not_obviously_a_change_takes_nothing_back(later: str) -> None:
    assert not reasons(own("I am vegetarian, so no fish.", 1), own(later, 9, is_standing=True))


def test_a_moved_day_replaces_the_earlier_ones() -> None:
    first = memory("The launch of Tidewatch is on 3 November.", place=1)
    second = memory("The launch moves to 10 November, because the firmware is late.", place=5)
    third = memory("The Tidewatch launch moves from 10 November to 1 December.", place=9)
    found = reasons(first, second, third)
    assert found == {first.text: f"superseded by {third.ref}", second.text: f"superseded by {third.ref}"}


@pytest.mark.parametrize(
    "later",
    [
        "I propose to move the launch to 10 November.",
        "Maybe the launch could be moved to 10 November?",
        "The meeting moved to 10 November.",
        "We moved to a bigger flat on 10 November.",
    ],
)
def test_a_proposal_or_another_things_day_replaces_nothing(later: str) -> None:
    assert not reasons(memory("The launch of Tidewatch is on 3 November.", place=1), memory(later, place=5))


def test_what_a_later_note_reports_done_is_no_task() -> None:
    task = memory("The winter cover must be on the boat before 15 October.", "tasks", 1)
    report = memory("Winter cover on the boat", "insights", 9)
    assert reasons(task, report)[task.text] == f"done by {report.ref}"


def test_one_task_in_two_forms_of_one_date_stands_once() -> None:
    one = memory("Order six bronze keel bolts for Marigold by 2026-11-30", "tasks", 9)
    two = memory("I have to order the keel bolts by 30 November so that he can fit them.", "tasks", 5, label="Maria")
    assert len(reasons(one, two)) == 1


def test_first_names_stand_where_they_are_nobody_elses() -> None:
    pool = [
        memory("I asked Maya about it.", place=1, label="Ben Okafor"),
        memory("Maya is late.", place=2, label="Maya Lindqvist"),
        memory("The lanes open at six.", place=3, label="Millpond Pool"),
        memory("Hello Anna.", place=4, label="Anna Berg"),
        memory("Anna, no.", place=5, label="Anna Fischer"),
    ]
    short = short_labels(pool)
    assert short["Maya Lindqvist"] == "Maya"
    assert not {"Millpond Pool", "Anna Berg", "Anna Fischer"} & set(short)


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        (["Always use metric units.", "Always use imperial units.", "Always use metric units!"], [1, 2]),
        (["Always use metric units.", "Always use my boat's units.", "Always use metric units!"], [0, 1]),
        (["Always convert the amounts to euros.", "Always convert the amounts to dollars."], [0, 1]),
        (["Always send the invoices to Anna.", "Always send the invoices to Ben."], [0, 1]),
        (["I always prefer hotels which allow dogs.", "I always prefer hotels which have a gym."], [0, 1]),
        (["I prefer tea rather than coffee.", "I prefer coffee rather than tea."], [1]),
        (["I prefer React over Vue.", "I prefer Vue over React to keep it light."], [0, 1]),
        (["Always write English, never German.", "Always write German, never English."], [0, 1]),
        (["I prefer plain oak shelves to keep it light.", "I prefer plain oak shelves because they last."], [0]),
    ],
)  # fmt: skip
def test_the_newest_of_two_wishes_is_never_left_out_for_an_older_one(said: list[str], stands: list[int]) -> None:
    owners = {"said_by_owner": True, "is_standing": True, "section": "preferences"}
    pool = [memory(text, place=place, **owners) for place, text in enumerate(said)]
    chosen = {entry.memory_id for entry in select_entries("maria", pool, count_tokens).entries}
    assert [place for place, one in enumerate(pool) if one.memory_id in chosen] == stands
