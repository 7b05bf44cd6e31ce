"""Whether a later saying changes an earlier one: each plain form of change, each with what only looks like it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.llm.local.pairs import Relation, Saying, judge_pairs

CHANGES = (Relation.CHANGED, Relation.DONE)
PLAIN = (
    ("I live in Bristol.", "I moved from Bristol to Glasgow."),
    ("We live in Chicago.", "We moved to Seattle."),
    ("I live in Chicago and I'm vegetarian.", "We've moved to Seattle."),
    ("Joanna lives in Chicago.", "Joanna moved from Chicago to Denver."),
    ("We use Jira for the tickets.", "We switched from Jira to Linear for the tickets."),
    ("We use Jenkins.", "We replaced Jenkins with GitHub Actions."),
    ("I live in Boston.", "I moved to Chicago last week."),
    ("I am a vegetarian.", "I am no longer a vegetarian."),
    ("I am vegetarian.", "I am no longer vegetarian, I eat fish again."),
    ("I smoke.", "I gave up smoking."),
    ("I drink coffee.", "I don't drink coffee anymore."),
    ("The library closes at 8.", "The library now closes at 9."),
    ("My dog Milo weighs 9 kg.", "Milo weighs 11 kg now."),
    ("The deposit is 300 euros.", "The deposit was raised from 300 to 400 euros."),
    ("The party is on Saturday.", "The party is on Sunday, not Saturday."),
    ("My boss is Karen.", "My boss is now Peter."),
    ("The launch is on 3 May.", "The launch was postponed from 3 May to 10 June."),
    ("I work at Acme as a tester.", "I don't work at Acme anymore, I joined Globex."),
    ("I work at Siemens.", "I quit my job."),
    ("Clara is married to Tom.", "Clara and Tom got divorced."),
    ("My phone number is 0151 555 0199.", "My new phone number is 0160 555 0123."),
    ("My dentist is Dr. Roth.", "My new dentist is Dr. Haas."),
    ("Priya is my manager.", "Tom is my new manager."),
    ("I play football on Saturdays.", "I don't play football any more because of my knee."),
    ("I have a motorbike.", "I got rid of the motorbike after the accident."),
    ("The budget is 10,000.", "The boss cut our budget to 7,500."),
    ("My dentist appointment is on June 12.", "The dentist moved my appointment to June 30."),
    ("The project is called Falcon.", "They renamed the project to Eagle."),
    ("The standup is at nine.", "The standup is now at ten."),
    ("The team meeting is at 10.", "The team meeting is at 9 now."),
    ("The office is in Bonn.", "The office is now in Cologne."),
    ("My email is jo@example.com.", "My email is now jo@example.org."),
)
LIKELY = (
    ("I play bass in a band.", "I left the band in June."),
    ("My laptop is a ThinkPad.", "The ThinkPad died."),
    ("I walk with a stick.", "I don't need the stick any longer."),
    ("My book is called Dusk.", "My new book is called Dawn."),
)
DONE = (
    ("Pay the gas bill by Friday.", "I paid the gas bill."),
    ("I need to book the ferry.", "I've booked the ferry."),
    ("Send the offer to Nina.", "The offer has been sent to Nina."),
)
ALIKE = (
    ("I live in Bristol.", "My sister moved to Glasgow."),
    ("I live in Bristol.", "If I moved to Glasgow, I would save money."),
    ("I live in Bristol.", "Should I move to Glasgow?"),
    ("The library closes at 8.", "The bakery now closes at 9."),
    ("The deposit is 300 euros.", "The fee was raised from 30 to 40 euros."),
    ("I drink coffee.", "I no longer drink beer."),
    ("My boss is Karen.", "My sister's boss is now Peter."),
    ("We use Jira for the tickets.", "For the holidays we switched from tents to a camper."),
    ("I work at Acme.", '"I no longer work at Acme", he said.'),
    ("I smoke.", "The doctor wants me to stop smoking."),
    ("I am vegetarian.", "I am still vegetarian."),
    ("The library closes at 8.", "This week only the library closes at 9."),
    ("I take the bus to work.", "My brother cycles to work now."),
    ("I take the bus to work.", "I cycle to the gym now."),
    ("My manager is Priya.", "My sister's new manager is Tom."),
    ("I drink four coffees a day.", "I stopped drinking coffee with sugar."),
    ("I work at Siemens as a test engineer.", "I cancelled the meeting with Siemens."),
    ("I am vegetarian.", "I'm a manager now."),
    ("Clara is married to Tom.", "Clara and Ben got divorced."),
    ("Clara is married to Tom.", "Clara's parents got divorced."),
    ("Lena does the payroll.", "Ana took over the books."),
    ("I repair bikes.", "I sold a bike."),
    ("My boss is Laura.", "Laura left at five."),
    ("I have two cats.", "I don't have any more."),
    ("I buy bread at Kim's.", "There is no more bread."),
    ("The meeting is at 3 pm.", "They moved the other meeting to 4:30."),
    ("The new server has 64 GB of RAM.", "The new server has 128 GB of RAM."),
)
OFTEN_OTHERWISE = (
    ("I work at Acme.", "I was fired up yesterday."),
    ("I work at Acme.", "I quit the job after an hour."),
    ("I work at Acme.", "I lost yesterday."),
    ("I live in Porto.", "I moved to Rust last week."),
    ("I drive to the gym.", "I now walk to the gym with Ana."),
    ("I drive to the gym.", "I now walk to the gym when it is dry."),
    ("I go to school by bus.", "I now ride to school."),
    ("I drive to work.", "I take the car to work now."),
    ("Clara is dating Tom.", "Tom and Clara split up to search the shop."),
    ("Tom manages the house.", "Ana inherited the house."),
    ("My sister is a nurse.", "My sister is now happy."),
    ("My sister is a nurse.", "My sister is now a mother."),
    ("My sister is Ana.", "My sister is now a teacher."),
    ("My car is red.", "My car is now clean."),
    ("Our cat is black.", "Our cat is now asleep."),
    ("The deadline is Friday.", "The deadline is now tight."),
    ("The kitchen is upstairs.", "The kitchen is now clean."),
    ("The kitchen is in the basement.", "The kitchen is now in chaos."),
    ("My brother is a teacher in Lyon.", "My brother is now sick in Lyon."),
    ("My son is allergic to peanuts.", "My son is now allergic to eggs."),
    ("My wife's car is a Volvo.", "My car is now a Saab."),
)
"""What has a form of change, but often changes nothing."""
OPEN = (
    ("Pay the gas bill by Friday.", "I paid the water bill."),
    ("Pay the gas bill by Friday.", "I have not paid the gas bill."),
    ("Send the offer to Nina.", "The offer will be sent to Nina."),
    ("Call Mum every Sunday.", "I called Mum."),
    ("I need to book the ferry.", "Peter booked the ferry."),
    ("Water the plants and feed the cat.", "I watered the plants."),
)
WORDS = st.lists(
    st.sampled_from("I we my Ana live moved to from Oslo Rome now no longer not tea 9 10 at is . , and quit".split())
    | st.text(max_size=6),
    min_size=1,
    max_size=12,
).map(" ".join)


def judged(pairs: Sequence[tuple[str, str]], *, is_task: bool = False) -> list[tuple[Relation, bool]]:
    found = judge_pairs([(Saying(earlier, is_task=is_task), Saying(later)) for earlier, later in pairs])
    return [(one.relation, one.is_certain) for one in found]


def test_a_plain_form_of_change_makes_it_certain() -> None:
    found = judged(PLAIN)
    assert [pair for pair, relation in zip(PLAIN, found, strict=True) if relation != (Relation.CHANGED, True)] == []
    assert set(judged(DONE, is_task=True)) == {(Relation.DONE, True)}


def test_what_mostly_is_a_change_by_its_form_is_a_doubt() -> None:
    found = judge_pairs([(Saying(earlier), Saying(later)) for earlier, later in LIKELY])
    assert [one for one in found if one.relation is not Relation.CHANGED or one.is_certain or one.is_scored] == []
    alike = judge_pairs([(Saying(earlier), Saying(later)) for earlier, later in ALIKE])
    assert not any(one.relation in CHANGES and not one.is_scored for one in alike)


def test_what_only_looks_like_a_change_is_never_certain() -> None:
    assert not any(is_certain for _, is_certain in [*judged(ALIKE), *judged(OPEN, is_task=True)])


@pytest.mark.parametrize(("earlier", "later"), OFTEN_OTHERWISE)
def test_what_has_a_form_of_change_but_often_changes_nothing_is_not_certain(earlier: str, later: str) -> None:
    assert not any(is_certain for _, is_certain in judged([(earlier, later)]))


@pytest.mark.parametrize(("earlier", "later"), PLAIN)
def test_other_speakers_questions_and_conditions_are_never_certain(earlier: str, later: str) -> None:
    said = Saying(earlier)
    words = later.rstrip(".")
    doubted = [f"{words}?", f"If {words}, we will see.", f"Maybe {words}.", f"He said that {words}.", f'"{later}"']
    pairs = [(said, Saying(text)) for text in doubted]
    if later.split()[0] in ("I", "We", "My"):
        pairs.append((said, Saying(later, speaker="Bo")))
    assert not any(one.is_certain for one in judge_pairs(pairs))


def test_who_says_i_is_known_by_name() -> None:
    named = Saying("Joanna lives in Chicago.", "Tim")
    own = Saying("I moved from Chicago to Denver.", "Joanna")
    assert [one.is_certain for one in judge_pairs([(named, own), (named, Saying(own.text, "Tim"))])] == [True, False]


def test_what_is_lost_is_the_clause_that_is_changed() -> None:
    pair = (Saying("I have two cats. I live in Bristol."), Saying("I moved from Bristol to Glasgow."))
    found = judge_pairs([pair])[0]
    assert (found.lost, found.kind, found.reasons[0]) == ("I live in Bristol.", "home", "its form: home")


def test_an_opposite_without_a_word_of_change_contradicts() -> None:
    found = judge_pairs([(Saying("A woman is slicing a lemon."), Saying("A woman is not slicing a lemon."))])[0]
    assert found.relation is Relation.CONTRADICTS and found.lost == "" and not found.is_certain


@settings(max_examples=40, deadline=None)
@given(earlier=WORDS, later=WORDS, is_task=st.booleans())
def test_any_two_texts_are_judged(earlier: str, later: str, is_task: bool) -> None:
    first, second = Saying(earlier, is_task=is_task), Saying(later, "Bo")
    found, same, again = judge_pairs([(first, second), (first, first), (first, Saying(later))])
    assert found.lost in earlier and again.lost in earlier
    assert bool(again.lost.strip()) <= (again.relation in CHANGES)
    assert same.relation not in CHANGES and not same.is_certain
    for one in (found, same, again):
        assert 0 <= one.probability <= 1 and len(one.reasons) <= 3 and (not one.is_certain or one.relation in CHANGES)


def test_a_pair_is_judged_alike_in_any_company() -> None:
    pairs = [(Saying(earlier), Saying(later)) for earlier, later in (*PLAIN, *ALIKE)]
    together = judge_pairs(pairs)
    assert judge_pairs(pairs[::-1])[::-1] == together
    assert [judge_pairs([pair])[0] for pair in pairs[::5]] == together[::5]
    assert judge_pairs([]) == []
