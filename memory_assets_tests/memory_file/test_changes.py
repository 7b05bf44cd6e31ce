"""What a later sentence changes: each plain form, each with its hard negative."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.candidates import FileRules
from memory_assets.memory_file.changes import outdated
from memory_assets.memory_file.items import Reading
from memory_assets.memory_file.selection import select_entries
from memory_assets.memory_file.sizes import Sizes
from memory_assets.memory_file.validity import Said
from memory_assets_tests.memory_file.pools import memory


def said(text: str, place: int, *, speaker: str = "", is_task: bool = False, day: date | None = None) -> Said:
    """A memory that was said ``place`` days after the first of January."""
    at = day or date(2026, 1, 1) + timedelta(days=place)
    return Said(f"m{place}", f"r{place}", text, speaker, at, frozenset(), False, is_task)


def changed(pool: list[Said]) -> dict[str, str]:
    """What is taken back as a whole; nothing may be taken back in part where this is asked."""
    outcome = outdated(pool)
    assert outcome.left == {}
    return outcome.taken


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Boston.", "I moved from Boston to Denver last weekend."),
        ("I live in Boston and love it.", "We've moved to Denver."),
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
        ("I live in Boston.", "I'm living in Denver these days, I moved in May."),
        ("I live in Austin.", "As of last month I live in Dallas."),
        ("I live in Boston.", "So, we moved to Portland, Oregon last month."),
        ("I live in Turin.", "I've moved from Turin to Genoa."),
        ("I live in Ghent, Belgium.", "I don't live in Ghent anymore."),
        ("My son is 7.", "My son is 8 now."),
        ("My phone number is 555-1234.", "My phone number is now 555-9876."),
        ("The rent for the flat is 900 euros.", "They raised the rent for the flat to 950 euros."),
        ("Tuition is 9000 a year.", "Tuition went up to 9500 a year."),
        ("I am vegan.", "I'm not vegan any more."),
        ("I smoke.", "I don't smoke anymore."),
        ("I'm seeing Dr. Bell.", "I'm no longer seeing Dr. Bell."),
        ("My manager is Tom Reyes.", "My manager is now Ana Diaz."),
        ("My dentist is Dr. Lee.", "My dentist is Dr. Shah now."),
        ("My locker is A12.", "My locker is now B7."),
        ("My favourite colour is blue.", "My favourite colour is green now."),
        ("Grandma's birthday is on the 12th.", "Grandma's birthday is on the 13th, not the 12th."),
        ("Lunch is in room 3.", "Lunch is in room 5, not room 3."),
        ("We meet at Luigi's.", "We meet at Mario's, not Luigi's."),
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
        ("I live in Boston.", "I've moved to Sales."),
        ("I live in Boston.", "I moved to Platform Engineering last week."),
        ("I live in Boston.", "I've moved to Team Blue with Priya."),
        ("I live in Boston.", "I've moved to Row 12, the view is better."),
        ("I live in Boston.", "I've moved to Chase for my checking account."),
        ("I live in Boston.", "I moved to Dr. Patel as my dentist."),
        ("I live in Boston.", "I moved to Senior Engineer in May."),
        ("I live in Boston.", "I've moved to Intermediate Spanish."),
        ("I live in Boston.", "I moved to GOLD."),
        ("I live in Boston.", "We've moved to Fridays."),
        ("I live in Boston.", "We've moved to Kubernetes."),
        ("I live in Boston.", "I moved to Quillnote from Scrawler."),
        ("I live in Boston.", "I moved from Scrawler to Quillnote."),
        ("I live in Boston.", "I moved to Denver but came back after a year."),
        ("I live in Boston.", "I moved to Denver, but only in my dreams."),
        ("My favourite day is Sunday.", "My favourite day is almost here now."),
        ("My team is based in Oslo.", "My team has moved to Quillnote."),
        ("I see Dr. Ames on Mondays.", "I no longer see Dr. Bell."),
        ("Bring 4 chairs.", "Bring 6 plates, not 4."),
        ("The gym opens at 6 and closes at 10.", "The gym now opens at 7."),
        ("My car is Italian.", "My car is now in the garage."),
        ("My manager is Tom.", "My wife's manager is now Lisa."),
    ],
)
def test_two_truths_stand_side_by_side(earlier: str, later: str) -> None:
    assert changed([said(earlier, 0), said(later, 1)]) == {}


def test_of_two_things_with_names_none_is_changed_where_it_is_not_said_which() -> None:
    flights = [
        said("My flight to Oslo is on 12 March at 7 am.", 0),
        said("My flight to Rome is on 19 March at 6 am.", 1),
    ]
    assert changed([*flights, said("My flight is now at 9 am.", 2)]) == {}
    assert changed([*flights, said("My flight to Rome is now at 9 am.", 2)]) == {"m1": "r2"}
    again = said("My flight to Oslo leaves at 7 am on Monday.", 1)
    assert changed([flights[0], again, said("My flight is now at 9 am.", 2)]) == {"m0": "r2", "m1": "r2"}, (
        "one flight, told twice"
    )


def test_what_the_same_person_speaks_of_as_a_tool_is_no_place() -> None:
    home, moved = said("I live in Boston.", 0), said("I've moved to Quillnote.", 2)
    assert changed([home, said("I take my notes on Quillnote.", 1), moved]) == {}
    assert changed([home, said("I take my notes on Quillnote.", 1, speaker="Bo"), moved]) == {"m0": "r2"}


@pytest.mark.parametrize(
    ("earlier", "later", "left"),
    [
        ("I live in Boston and I'm vegetarian.", "We've moved to Denver.", "I'm vegetarian."),
        ("I'm vegetarian and I live in Boston.", "I've moved to Denver.", "I'm vegetarian."),
        ("I live in Boston and my sister lives in Rome.", "My sister moved to Milan.", "I live in Boston."),
        ("I live in Boston. It's lovely there. I have two kids.", "I moved to Denver.", "I have two kids."),
        ("I'm Jo, I live in Boston and I have two cats.", "I moved to Denver.", "I'm Jo. I have two cats."),
        ("I live in Boston but I grew up in Maine.", "I moved to Denver.", "I grew up in Maine."),
        ("My rent is 900 euros and my internet is 40 euros.", "My rent is now 950 euros.", "My internet is 40 euros."),
    ],
)
def test_what_else_a_memory_says_stays(earlier: str, later: str, left: str) -> None:
    outcome = outdated([said(earlier, 0), said(later, 1)])
    assert (outcome.taken, outcome.left) == ({}, {"m0": (left, "r1")})


def test_a_memory_goes_when_all_its_clauses_have_gone() -> None:
    pool = [
        said("I live in Boston and I'm vegetarian.", 0),
        said("I've moved to Denver.", 1),
        said("I'm no longer vegetarian.", 2),
    ]
    assert changed(pool) == {"m0": "r2"}


def test_the_latest_word_is_named_though_it_takes_back_what_an_earlier_one_did() -> None:
    pool = [
        said("I live in Boston and I'm vegetarian. My son is 7.", 0),
        said("I've moved to Denver.", 1),
        said("I'm no longer vegetarian.", 2),
        said("I've moved to Graz.", 3),
    ]
    assert outdated(pool).left == {"m0": ("My son is 7.", "r3")}


def test_what_changes_another_and_is_itself_changed_in_part_still_counts_as_the_latest_word() -> None:
    told = {"said_by_owner": True}
    pool = [
        memory("I live in Boston.", place=0, value_score=0.9, **told),
        memory("I've moved to Denver and I'm vegetarian.", place=3, **told),
        memory("I'm no longer vegetarian.", place=5, **told),
    ]
    reading = Reading("ann", Sizes("ann", count_tokens, FileRules()), FileRules())
    second = next(item for item in reading.prepare(pool) if item.memory.memory_id == pool[1].memory_id)
    assert second.entry.text == "I've moved to Denver." and second.entry.rest_superseded_by == pool[2].ref
    assert second.worth == 0.9


def test_a_memory_that_puts_itself_right_stands() -> None:
    assert changed([said("The budget is 8000. Actually the budget is 9500, not 8000.", 0)]) == {}


def test_hostile_text_is_read_as_fast_as_other_text() -> None:
    for text in (
        "I moved to Denver" + " for my a with b and c" * 2_000 + ":",
        "It is " + "a-" * 20_000 + ", not ",
        "I am a and I am a, " * 2_000 + "so I do not no more",
        "I do " + "not " * 10_000 + "more",
    ):
        assert changed([said("I live in Boston.", 0), said(text, 1)]) == {}


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


@pytest.mark.parametrize("told", ["I live in Boston and I'm vegetarian.", "I live in Boston."])
def test_of_a_memory_only_what_holds_stands_in_the_file(told: str) -> None:
    pool = [
        memory("I live in Boston and I'm vegetarian.", place=0, said_by_owner=True),
        memory("I've moved to Denver.", place=5, said_by_owner=True),
    ]
    summary = memory(f"We talked of food. {told}", "recent", place=0)
    chosen = select_entries("ann", [*pool, summary], count_tokens)
    assert "Boston" not in chosen.text and "I'm vegetarian." in chosen.text and "Denver" in chosen.text
    assert {entry.memory_id for entry in chosen.entries} == {one.memory_id for one in pool}
    assert [row.reason for row in chosen.left_out] == [f"tells what {pool[1].ref} has taken back"]


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
