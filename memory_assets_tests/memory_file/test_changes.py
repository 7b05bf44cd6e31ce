"""What a later sentence changes: each plain form, each with its hard negative."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.changes import changed, done
from memory_assets.memory_file.selection import select_entries
from memory_assets.memory_file.validity import Said
from memory_assets_tests.memory_file.pools import memory


def said(text: str, place: int, *, speaker: str = "", is_task: bool = False, day: date | None = None) -> Said:
    """A memory that was said ``place`` days after the first of January."""
    at = day or date(2026, 1, 1) + timedelta(days=place)
    return Said(f"m{place}", f"r{place}", text, speaker, at, frozenset(), False, is_task)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Boston.", "I moved from Boston to Denver last weekend."),
        ("I live in Boston and I'm vegetarian.", "We've moved to Denver."),
        ("I'm based in Ulm.", "I'm now based in Graz."),
        ("My sister lives in Paris.", "My sister has moved to Lyon."),
        ("My dog Rex weighs 12 kg.", "Rex weighs 14 kg now."),
        ("The office opens at 8.", "The office now opens at 9."),
        ("My flight to Oslo is on 12 March at 7 am.", "My flight is now at 9 am."),
        ("My budget for the kitchen is 8000 dollars.", "Actually the kitchen budget is 9500 dollars, not 8000."),
        ("The meeting is on Tuesday.", "Sorry, the meeting is on Wednesday, not Tuesday."),
        ("The rent for the flat is 900 euros.", "The rent was raised from 900 to 950 euros."),
        ("The daily quota is 1,000 calls.", "The daily quota was raised to 1,200 calls."),
        ("I work at Acme as a tester.", "I don't work at Acme anymore, I joined Globex."),
        ("I'm vegetarian.", "By the way I'm no longer vegetarian."),
    ],
)
def test_a_later_sentence_changes_an_earlier_one(earlier: str, later: str) -> None:
    assert changed([said(later, 1), said(earlier, 0)]) == {"m0": "r1"}
    assert changed([said(earlier, 1), said(later, 2, speaker="Bo")]) == {}, "somebody else's words"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("My brother lives in Rome.", "My sister has moved to Lyon."),
        ("I live in Boston.", "My sister moved to Denver."),
        ("I live in Boston.", "I moved to a new desk."),
        ("I live in Denver.", "I moved to Denver in 2019."),
        ("My sister loves Paris.", "My sister has moved to Lyon."),
        ("My cat weighs 4 kg.", "Rex weighs 14 kg now."),
        ("My flight costs 400 euros.", "My flight is now at 9 am."),
        ("I run 5 km with Anna.", "It is now 14 degrees."),
        ("The report was 12 pages long.", "Until now the report was 14 pages."),
        ("The invoice is 8000 dollars.", "Actually the kitchen budget is 9500 dollars, not 8000."),
        ("The rent is 900 euros.", "The fee was raised from 900 to 950 euros."),
        ("The rent of the flat is 900 euros.", "The rent of the flat was not raised to 950 euros."),
        ("I used to work at Acme.", "I don't work at Acme anymore."),
        ("My sister works at Acme.", "I no longer work at Acme."),
        ("I like tea.", "I no longer drink coffee."),
        ("I live in Boston.", "I moved to Denver when I was ten."),
        ("I live in Boston.", "I moved to Denver in 2009."),
        ("I live in Boston.", "I moved to Denver with my family for a week."),
        ("I live in Boston.", "I moved to Denver?"),
        ("I live in Boston.", "If I moved to Denver I would be happier."),
        ("I live in Boston.", "I have moved to Denver, just kidding!"),
        ("I live in Boston.", "I moved to Slack from Teams."),
        ("I live in Boston.", "I now live in Boston Heights."),
        ("I live in Graz during the week.", "I live in Ulm on weekends now."),
        ("I live in Graz.", "I'm living in Ulm now and then."),
        ("We live in Graz.", "I moved to Ulm."),
        ("My friend lives in Rome.", "My friend moved to Oslo."),
        ("The rent of the flat is 900 euros.", "Is the rent of the flat 950 euros now?"),
        ("The rent of the flat is 900 euros.", "The rent of the flat will be raised to 950 euros."),
        ("The price is 5 euros for the bread.", "The price went from 5 to 7 for the milk."),
        ("The price of milk in Graz is 5 euros.", "The price of milk went from 5 to 7 euros in Ulm."),
        ("Anna's salary is 50000 euros.", "My salary was raised from 50000 to 55000 euros."),
        ("I lost 5 kg last year.", "I lost 2 kg now."),
        ("I'm vegetarian.", "I'm not a vegetarian any more than you are."),
        ("I drink coffee and tea.", "I no longer drink coffee."),
        ("We use Postgres in production.", "We use MySQL, not Postgres, in testing."),
        ("The kitchen costs 8000 dollars in tiles.", "The kitchen costs 9500 dollars in wood, not 8000."),
    ],
)
def test_two_truths_stand_side_by_side(earlier: str, later: str) -> None:
    assert changed([said(earlier, 0), said(later, 1)]) == {}


def test_of_two_things_with_names_none_is_changed_where_it_is_not_said_which() -> None:
    flights = [said("My flight to Oslo is on 12 March at 7 am.", 0), said("My flight to Rome is on 19 March at 6 am.", 1)]
    assert changed([*flights, said("My flight is now at 9 am.", 2)]) == {}
    assert changed([*flights, said("My flight to Rome is now at 9 am.", 2)]) == {"m1": "r2"}
    again = said("My flight to Oslo leaves at 7 am on Monday.", 1)
    assert changed([flights[0], again, said("My flight is now at 9 am.", 2)]) == {"m0": "r2", "m1": "r2"}, "one flight, told twice"


def test_a_memory_that_puts_itself_right_stands() -> None:
    assert changed([said("The budget is 8000. Actually the budget is 9500, not 8000.", 0)]) == {}


def test_hostile_text_is_read_as_fast_as_other_text() -> None:
    assert changed([said("I live in Boston.", 0), said("I moved to Denver" + " for my a with b and c" * 2_000 + ":", 1)]) == {}


def test_an_older_sentence_changes_nothing_that_came_later() -> None:
    assert changed([said("I moved to Denver.", 0), said("I live in Boston.", 1)]) == {}
    assert changed([said("It is at 9, not 8.", 0), said("It is at 8.", 1)]) == {}


def test_the_last_of_contrary_wishes_stands_on_one_day_too() -> None:
    def wish(text: str, source: str, turn: int) -> Said:
        return Said(text, text, text, "", date(2026, 1, 1), frozenset(), True, False, (source, turn))

    tabs, none = wish("Always use tabs in Python.", "a", 2), wish("Never use tabs in Python.", "a", 7)
    assert changed([none, tabs]) == {tabs.memory_id: none.ref}
    assert changed([wish("Please always use tabs in Python.", "b", 1), tabs, none]) == {
        tabs.memory_id: none.ref,
        none.memory_id: "Please always use tabs in Python.",
    }
    unknown = [Said(text, text, text, "", date(2026, 1, 1), frozenset(), True) for text in (tabs.text, none.text)]
    assert changed(unknown) == {}, "nobody knows which came last"
    assert changed([tabs, wish("Never use tabs in Go.", "a", 9)]) == {}
    assert changed([wish("Always call me before 9.", "a", 1), wish("Never call me before 8.", "a", 3)]) == {}


@pytest.mark.parametrize(
    ("task", "report"),
    [
        ("I need to finish the tax return by 15 December.", "I finished the tax return yesterday."),
        ("Pay the rent by Friday.", "I've paid the rent."),
        ("I have to send Anna the contract.", "We sent the contract this morning."),
        ("Book the hotel in Graz.", "Good news, I booked the hotel."),
    ],
)
def test_a_task_is_done_when_its_work_is_told_as_done(task: str, report: str) -> None:
    assert done([said(task, 0, is_task=True), said(report, 1)]) == {"m0": "r1"}
    assert done([said(task, 1, is_task=True), said(report, 0)]) == {}, "the task came later"


@pytest.mark.parametrize(
    ("task", "report"),
    [
        ("Review the report with Anna.", "I finished the report."),
        ("Pay the rent by Friday.", "I paid the electricity bill."),
        ("I need to finish the tax return.", "I almost finished the tax return."),
        ("I need to finish the tax return.", "I have not finished the tax return."),
        ("Send the invoice to Bob.", "I sent half of the invoice."),
        ("Send the invoice to Bob.", "I sent the contract to Anna."),
        ("Bob will send the contract.", "I sent the contract."),
        ("My sister has to book the hotel.", "I booked the hotel."),
        ("Remind Tom to call Anna.", "I called Anna."),
        ("Do not send the contract yet.", "I sent the contract."),
        ("Send the report to Anna.", "I sent the report to Anna?"),
        ("Send Anna the contract.", "I sent it to Anna."),
        ("Buy milk and eggs.", "I bought milk."),
        ("Renew Mia's passport.", "I renewed my passport."),
        ("Fix the bug in the login page.", "I fixed a bug."),
        ("Call Mum every Sunday.", "I called Mum."),
    ],
)
def test_another_work_or_a_part_of_it_leaves_a_task_open(task: str, report: str) -> None:
    assert done([said(task, 0, is_task=True), said(report, 1)]) == {}


def test_a_file_states_the_newest_state_alone_and_nothing_twice() -> None:
    pool = [
        memory("My dog Rex weighs 12 kg.", place=0, said_by_owner=True),
        memory("Rex weighs 14 kg now.", place=5, said_by_owner=True),
        memory("Renew the passport by 20 September.", "tasks", place=1, said_by_owner=True),
        memory("I renewed the passport.", place=6, said_by_owner=True),
        memory("I started eating fish in June.", place=3, said_by_owner=True),
        memory("I'm no longer vegetarian. I started eating fish in June.", "recent", place=3),
        memory("We met Ana. Renew the passport by 20 September.", "recent", place=1),
        memory("I prefer oat milk.", "preferences", place=2, said_by_owner=True),
        memory("I prefer oat milk.", "recent", place=2),
    ]
    chosen = select_entries("ann", pool, count_tokens)
    assert "12 kg" not in chosen.text and "14 kg" in chosen.text
    assert "Renew the passport" not in chosen.text
    assert chosen.text.count("I prefer oat milk.") == 1
    assert chosen.text.count("I started eating fish in June.") == 1
    assert {row.reason.split(" by ")[0] for row in chosen.left_out} >= {"done", "superseded", "already said"}
