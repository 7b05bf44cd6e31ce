"""Sentences as statements: who, to whom, and None where nobody would understand them alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.local.agreement import third_person
from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.language import parse
from memory_assets.llm.local.rewriting import Said, statement_of
from memory_assets.llm.tasks import SourceText, TurnText


def restated(text: str, *, other: str | None = "Tom", **more: bool) -> str | None:
    """What Ana's sentence to Tom says to a stranger."""
    (said,) = parse([text])
    return statement_of(Said(said, "Ana", other, **more))


NAMED = {
    "I've been to Oslo twice.": "Ana has been to Oslo twice.",
    "I don't eat meat.": "Ana doesn't eat meat.",
    "I live in Graz and work at a bakery.": "Ana lives in Graz and works at a bakery.",
    "I'm allergic to walnuts.": "Ana is allergic to walnuts.",
    "I was born in 1987.": "Ana was born in 1987.",
    "I'm reading Euclid's Elements Book I.": "Ana is reading Euclid's Elements Book I.",
    "I'd love to see Iceland.": "Ana would love to see Iceland.",
    "I'd sold the van before Easter.": "Ana had sold the van before Easter.",
    "I'll paint the fence on Saturday.": "Ana will paint the fence on Saturday.",
    "I haven't seen the contract.": "Ana hasn't seen the contract.",
    "I wasn't able to sleep.": "Ana wasn't able to sleep.",
    "I carry an inhaler.": "Ana carries an inhaler.",
    "I wanna open a bakery.": "Ana wants to open a bakery.",
    "I made a lamp last week - it was hard.": "Ana made a lamp last week - it was hard.",
    "I watch the news at eight.": "Ana watches the news at eight.",
    "I moved to Lyon in 2019 and started a bakery.": "Ana moved to Lyon in 2019 and started a bakery.",
    "I think I need a new roof.": "Ana thinks they need a new roof.",
    "I sold my car.": "Ana sold their car.",
    "My father is a cook.": "Ana's father is a cook.",
    "My father is a cook and he jokes about plumbing.": "Ana's father is a cook and he jokes about plumbing.",
    "For me, painting is a rest.": "For Ana, painting is a rest.",
    "Painting gave me courage to change myself.": "Painting gave Ana courage to change themselves.",
    "This year's medal is mine.": "This year's medal is Ana's.",
    "Two children know I sing.": "Two children know Ana sings.",
    "Writing has always been a passion of mine.": "Writing has always been a passion of Ana's.",
    "Last weekend I joined a club for rowers - it was fun.": "Last weekend Ana joined a club for rowers - it was fun.",
    "Tom, I sold the boat.": "Ana sold the boat.",
    "Woah Tom, I sold the boat yesterday!": "Ana sold the boat yesterday!",
    "@Bo, @Cy: my part in the formula is small.": "Ana's part in the formula is small.",
    "@Bo is on leave until May and I have the key.": "@Bo is on leave until May and Ana has the key.",
    "Neither have I seen the film.": "Neither has Ana seen the film.",
    'I said "I love my dog" to the judge.': 'Ana said "I love my dog" to the judge.',
    "Whenever I bake, I sing.": "Whenever Ana bakes, they sing.",
    "I am not a lawyer.": "Ana is not a lawyer.",
    "I do not drive at night.": "Ana does not drive at night.",
    "We bought a boat in 2020.": "Ana bought a boat in 2020.",
    "We're moving to Kiel in May.": "Ana is moving to Kiel in May.",
    "Our house has a blue door.": "Ana's house has a blue door.",
    "I like your garden.": "Ana likes Tom's garden.",
    "You've won the regatta.": "Tom has won the regatta.",
    "You were born in Rome.": "Tom was born in Rome.",
    "Let's meet on Friday at Milano.": "Ana proposes to meet on Friday at Milano.",
    "Let's not sell the boat in May.": "Ana proposes not to sell the boat in May.",
    "Can you send me the lease by Friday?": "Ana asks Tom to send them the lease by Friday.",
    "Could you please water the ferns?": "Ana asks Tom to water the ferns.",
    "And, well, I bought a kayak.": "Ana bought a kayak.",
    "Yeah, I play the tuba.": "Ana plays the tuba.",
    "The 2 younger children love nature.": "The 2 younger children love nature.",
    "There are three weeks left until the race.": "There are three weeks left until the race.",
    "This week I run 40 km.": "This week Ana runs 40 km.",
    "Your faith in me is priceless, I need it.": "Tom's faith in Ana is priceless, Ana needs it.",
    "Had I known, I would have sold the boat.": "Had Ana known, they would have sold the boat.",
    "You know, I like tea.": "Ana likes tea.",
    "You should see Greta Holm.": "Tom should see Greta Holm.",
    "You are moving to Kiel.": "Tom is moving to Kiel.",
    "You make my garden better.": "Tom makes Ana's garden better.",
    "I told my sister I was pregnant.": "Ana told their sister that Ana was pregnant.",
    "My doctor says I have diabetes.": "Ana's doctor says Ana has diabetes.",
    "My mother hates my cooking.": "Ana's mother hates Ana's cooking.",
    "I told Priya I was late.": "Ana told Priya that Ana was late.",
    "I gave the neighbour my keys.": "Ana gave the neighbour Ana's keys.",
    "On Monday I sold my car.": "On Monday Ana sold their car.",
    "Can you send my sister the lease?": "Ana asks Tom to send Ana's sister the lease.",
    "I needn't go to work.": "Ana needn't go to work.",
    "Tom said I'm late.": "Tom said Ana is late.",
    "Tom said that I'm late.": "Tom said that Ana is late.",
    "I said no, I don't eat meat.": "Ana said no, they don't eat meat.",
    "As I said to Priya, I'm moving to Kiel.": "As Ana said to Priya, Ana is moving to Kiel.",
    "Boris lost his keys.": "Boris lost his keys.",
    "Greta Holm said that she is late.": "Greta Holm said that she is late.",
    "Kim said that she is late.": "Kim said that she is late.",
}

UNCLEAR = (
    "It was wonderful.",
    "They enjoyed the canyon a lot!",
    "That is why the pump broke.",
    "I chose them because they help people.",
    "I felt free doing it.",
    "She sang all night.",
    "In the garden it was quiet.",
    "Those are the best.",
    "I've lived there for four years.",
    "I painted this after I visited Rome.",
    "These numbers are wrong.",
    "Just seeing the sun set over the lake, wow.",
    "Glad you agree!",
    "And yes, I do - Rex, my dog.",
    "A great day, all in all.",
    "Luna and Oliver!",
    "I bought three things:",
    "What did you buy?",
    "Am I right?",
    "Really made me proud.",
    "When you paint, you forget everything.",
    "How can I ensure that my app stays small",
    "You guys look great.",
    "I want 'em to feel at home.",
    "Tom is her brother, so he will come.",
    "A friend made it for my birthday.",
    "I took a picture of this bridge.",
    "I hate this cold weather.",
    "I love this new job.",
    "I love this new job, Tom.",
    "I met this lovely woman, Tom.",
    "I just baked these tiny almond cakes for Rita.",
    "I met this unique woman, Jean.",
    "I met this European woman, Jean.",
    "I met this one-eyed man, Boris.",
    "I met this honest man, Boris.",
    "I met this upset man, Boris.",
    "Been working on a novel about whales.",
    "Been snowing in Porto.",
    "Been raining on my roof.",
    "Been pouring water into my cellar.",
    "I am happy for both of us.",
    "Believe in yourself!",
    "Thank you for the tea, you are so kind!",
    "Surrounding ourselves with music is important.",
    "You have a caring heart.",
    "You have to be 18 to buy beer there.",
    "You need a passport to enter Norway.",
    "You can never have too many books.",
    "You shouldn't drive after drinking.",
    "You never know what the weather brings.",
    "You need to water ferns every day.",
    "Running gives you energy.",
    "Im allergic to nuts.",
    "Ive been to Oslo twice.",
    "youre a good cook.",
    "I said to Priya, I'm leaving you.",
    "I told Priya, you can come with me.",
    "Priya said, I'm leaving you.",
    "Priya told me, you are crazy.",
    "My boss said: I need you on Friday.",
    "Priya called and said, I'm at the station.",
    "I'm leaving you, said Priya.",
    "I'm leaving, Priya said.",
    "Boris works at Volvo, and she lives in Oslo.",
    "Boris lost her keys.",
    "Caroline gave him a book.",
    "",
)

ORDERS = {
    "Never schedule anything before 9:30 for me.": "Never schedule anything before 9:30 for Ana.",
    "Always call me Ana, please.": "Always call the user Ana, please.",
    "From now on, always give me dates in ISO format, like 2026-11-03.": (
        "From now on, always give Ana dates in ISO format, like 2026-11-03."
    ),
    "Please only suggest vegan recipes from now on, and they must work with one hand.": (
        "Only suggest vegan recipes from now on, and they must work with one hand."
    ),
    "Always put the reason first when you draft bad news for me.": (
        "Always put the reason first when you draft bad news for Ana."
    ),
    "Use metric units.": "Use metric units.",
    "I want you to call me Maya.": "Ana wants the assistant to call them Maya.",
    "I need you to answer in French.": "Ana needs the assistant to answer in French.",
    "Never book meetings on Thursday after 13:00.": "Never book meetings on Thursday after 13:00.",
    "Remember this for every menu: I have a nut allergy.": "Remember this for every menu: Ana has a nut allergy.",
    "Remember this: I avoid nuts, cashews and almonds make my throat swell.": (
        "Remember this: Ana avoids nuts, cashews and almonds make Ana's throat swell."
    ),
    "Third rule: I am vegetarian, so no meat when you plan meals.": (
        "Third rule: Ana is vegetarian, so no meat when you plan meals."
    ),
    "Never show my salary to my brother.": "Never show Ana's salary to Ana's brother.",
}

FOREIGN = ("Ich wohne in Graz.", "Mi hermano vive en Quito.", "J'habite à Lyon.", "Eu moro no Porto.", "我住在上海。")


@pytest.mark.parametrize("said", NAMED)
def test_a_sentence_names_who_says_it(said: str) -> None:
    assert restated(said) == NAMED[said]


@pytest.mark.parametrize("said", UNCLEAR)
def test_what_is_not_understood_alone_is_no_statement(said: str) -> None:
    assert restated(said) is None


@pytest.mark.parametrize("said", ORDERS)
def test_in_an_order_you_is_the_agent(said: str) -> None:
    assert restated(said, other="the assistant", is_order=True, to_agent=True) == ORDERS[said]


@pytest.mark.parametrize("said", FOREIGN)
def test_other_languages_are_left_alone(said: str) -> None:
    assert restated(said) == said


@pytest.mark.parametrize(
    ("said", "lost"),
    [
        ("Except for me, my family eats meat.", "Except for Ana"),
        ("After me, my sister sings.", "After Ana"),
        ("Unlike me, my brother eats meat.", "Unlike Ana"),
        ("Besides me, my sister plays the tuba.", "Besides Ana"),
    ],
)
def test_who_is_set_apart_stays_so(said: str, lost: str) -> None:
    assert (restated(said) or lost).startswith(lost)


def test_a_past_tense_that_is_tagged_as_a_present_stays() -> None:
    assert restated("I swam 900 metres this morning.") == "Ana swam 900 metres this morning."


def test_a_modal_has_one_form_for_everybody() -> None:
    assert restated("I daren't ask the boss.") == "Ana daren't ask the boss."
    assert restated("I need not go to work.") == "Ana need not go to work."


def test_a_whole_name_is_said_once() -> None:
    (said,) = parse(["I have two cats, and I carry an inhaler."])
    assert statement_of(Said(said, "Ana Lopes")) == "Ana Lopes has two cats, and Ana carries an inhaler."


def test_you_is_nobody_among_many() -> None:
    assert restated("You won the regatta.", other=None) is None
    assert restated("I sold the boat.", other=None) == "Ana sold the boat."


@pytest.mark.parametrize("said", [text for text in NAMED.values() if '"' not in text])
def test_a_statement_stays_as_it_is(said: str) -> None:
    assert restated(said) == said


_FIRST = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our|ours|ourselves)\b")
_WORDS = st.sampled_from(
    "I me my we us our you your Ana Rex Oslo 42 1987 the a dog house and or because when if not don't 'm 've is are "
    'was have do love sold bought to in on with " , . ! ? - : it they she this that'.split()
)


@given(st.lists(_WORDS, max_size=14).map(" ".join) | st.text(max_size=60))
def test_any_text_gives_a_statement_without_i_or_nothing(said: str) -> None:
    statement = restated(said)
    if statement is None or statement == said.strip():
        return
    unquoted = re.sub(r'"[^"]*"', "", statement)
    assert _FIRST.search(unquoted) is None
    assert set(re.findall(r"\d+", said)) <= set(re.findall(r"\d+", statement))
    assert {name for name in ("Rex", "Oslo") if name in said.split()} <= set(re.findall(r"\w+", statement))


@pytest.mark.parametrize(
    ("verb", "form"), [("go", "goes"), ("try", "tries"), ("play", "plays"), ("wish", "wishes"), ("sing", "sings")]
)
def test_third_person(verb: str, form: str) -> None:
    assert third_person(verb) == form


def _said(turns: list[tuple[str | None, str]], **more: object) -> dict[str, str | None]:
    given = {"source_type": "transcript", "title": "", "started_at": None, "owner_speaker": None} | more
    texts = tuple(TurnText(index=at, speaker=who, text=text) for at, (who, text) in enumerate(turns))
    source = SourceText.model_validate(given | {"turns": texts})
    return {statement.text: statement.statement for statement in extract(source).statements}


def test_a_chat_of_two_gives_each_others_names() -> None:
    said = _said([("Ana Lopes", "I grow tomatoes on the roof."), ("Tom", "I like your tomatoes and your roof.")])
    assert said["I grow tomatoes on the roof."] == "Ana Lopes grows tomatoes on the roof."
    assert said["I like your tomatoes and your roof."] == "Tom likes Ana Lopes's tomatoes and Ana Lopes's roof."


def test_an_owner_without_a_name_is_the_user() -> None:
    turns = [("user", "I grow tomatoes on the roof."), ("assistant", "I can help you with your tomatoes.")]
    said = _said(turns, source_type="conversation", owner_speaker="user")
    assert said["I grow tomatoes on the roof."] == "The user grows tomatoes on the roof."
    assert said["I can help you with your tomatoes."] is None


def test_an_owner_without_a_name_is_the_user_within_a_sentence_too_and_never_speaks_in_the_first_person() -> None:
    moved = "The deadline moved, which gives us two more days."
    linked = f"I've added https://example.org/{'x' * 60} to my page."
    turns = [("user", f"{moved} {linked}"), ("assistant", "Fine.")]
    said = _said(turns, source_type="conversation", owner_speaker="user")
    assert said[moved] == "The deadline moved, which gives the user and others two more days."
    assert said[linked] is None


def test_a_named_owner_and_a_named_friend_are_both_named() -> None:
    turns = [("Ana", "I grow tomatoes on the roof."), ("Tom", "I repaired the greenhouse in May.")]
    said = _said(turns, source_type="conversation", owner_speaker="Ana")
    assert said["I repaired the greenhouse in May."] == "Tom repaired the greenhouse in May."


@pytest.mark.parametrize(
    ("owner", "name"),
    [("Maya Lind", "Maya Lind"), ("user", "the user"), ("maya@lind.example", "the user"), (None, None)],
)
def test_a_mail_of_another_is_written_to_its_owner(owner: str | None, name: str | None) -> None:
    turns = [("Ben Ito", "I need you to sign the lease by Friday."), (owner or "Eve Ray", "The lease ends in May.")]
    said = _said(turns, source_type="email", owner_speaker=owner)
    expected = None if name is None else f"Ben Ito needs {name} to sign the lease by Friday."
    assert said["I need you to sign the lease by Friday."] == expected


def test_a_mail_of_the_owners_is_written_to_its_recipient() -> None:
    said = _said([("Ben Ito", "I need you to sign the lease.")], source_type="email", owner_speaker="Ben Ito")
    assert said["I need you to sign the lease."] == "Ben Ito needs the recipient to sign the lease."


def test_an_assistant_is_named_where_the_owner_says_what_they_want() -> None:
    turns = [("user", "I want you to call me Maya."), ("assistant", "Fine.")]
    said = _said(turns, source_type="conversation", owner_speaker="user")
    assert said["I want you to call me Maya."] == "The user wants the assistant to call them Maya."


def test_of_what_a_mail_passes_on_nobodys_i_is_no_statement() -> None:
    whole = "# Boat\n\n- I need red lead\n\nI moved to Lyon in 2019. Call me on Monday. Harbour Yard sells red lead."
    for passed_on in ("email", "slack"):
        said = _said([("Ana", "Look at this."), (None, whole)], source_type=passed_on, owner_speaker="Ana")
        assert said["I need red lead"] is said["I moved to Lyon in 2019."] is said["Call me on Monday."] is None
        assert said["Harbour Yard sells red lead."] == "Harbour Yard sells red lead."
    assert _said([(None, whole)], source_type="note")["I need red lead"] == "I need red lead"


def test_what_nobody_says_stays_as_it_is() -> None:
    prose = "It smells of resin in the shed. Could you lend me a saw?"
    said = _said([(None, f"# Boat\n\n- Keel bolts: six, bronze\n- I need red lead\n\n{prose}")])
    assert said["Keel bolts: six, bronze"] == "Keel bolts: six, bronze"
    assert said["I need red lead"] == "I need red lead"
    assert said["It smells of resin in the shed."] is None
    assert said["Could you lend me a saw?"] is None


OURS = {
    "slack": "Ana and others' tests take two hours.",
    "email": "Ana and others' tests take two hours.",
    "conversation": "Ana's tests take two hours.",
}


@pytest.mark.parametrize("kind", OURS)
def test_ours_is_not_one_persons_where_many_may_be_meant(kind: str) -> None:
    turns = [("Ana", "Our tests take two hours. Our boss has two dogs."), ("Tom", "I have a bike.")]
    said = _said(turns, source_type=kind, owner_speaker="Ana" if kind == "conversation" else None)
    assert said["Our tests take two hours."] == OURS[kind]
    assert said["Our boss has two dogs."] == "Ana's boss has two dogs."


WE = {
    "We all need stables for our horses.": "Ana and others all need stables for Ana and others' horses.",
    "Since we last talked, I sold the car.": "Since Ana and Tom last talked, Ana sold the car.",
    "Since we talked last, I sold the car.": "Since Ana and Tom talked last, Ana sold the car.",
    "Since our last chat, I sold the car.": "Since Ana and Tom's last chat, Ana sold the car.",
    "We talked to the vet last week.": "Ana talked to the vet last week.",
    "We built the shed ourselves and we love our roof.": "Ana built the shed themselves and Ana loves Ana's roof.",
    "We sing all kinds of songs on each trip.": "Ana sings all kinds of songs on each trip.",
    "We each wrote a song.": "Ana and others each wrote a song.",
    "We wrote to each other in May.": "Ana and others wrote to each other in May.",
    "Tom, we should go to Rome in May.": "Ana and others should go to Rome in May.",
    "We came last in the race.": "Ana came last in the race.",
    "My aunt sent us a crate of pears.": "Ana's aunt sent Ana and others a crate of pears.",
}


@pytest.mark.parametrize("said", WE)
def test_we_are_more_than_one(said: str) -> None:
    assert restated(said) == WE[said]


def test_we_are_others_too_where_many_read_it_or_an_agent() -> None:
    text = "We saw two seals near the pier."
    assert (
        restated(text, is_public=True) == restated(text, to_agent=True) == "Ana and others saw two seals near the pier."
    )


CALLED = [
    (
        "email",
        "Greta / Tom, We have to close the harbour of Kiel.",
        "Ana and others have to close the harbour of Kiel.",
    ),
    ("email", "Greta: We have to close the harbour of Kiel.", "Ana and others have to close the harbour of Kiel."),
    ("email", "Monday, We close the harbour of Kiel.", "Monday, Ana and others close the harbour of Kiel."),
    (
        "email",
        "Kiel, Bremen and Rostock have closed their harbours.",
        "Kiel, Bremen and Rostock have closed their harbours.",
    ),
    ("slack", "Tom: the harbour of Kiel is closed.", "The harbour of Kiel is closed."),
    ("slack", "Kiel: the harbour of Kiel is closed.", "Kiel: the harbour of Kiel is closed."),
    ("slack", "@Tom we have to close the harbour of Kiel.", "Ana and others have to close the harbour of Kiel."),
    ("slack", "@Tom is on leave until May.", "@Tom is on leave until May."),
    ("slack", "@Tom yes, Kiel is closed in May.", "Kiel is closed in May."),
]


@pytest.mark.parametrize(("kind", "text", "statement"), CALLED)
def test_who_is_called_neither_speaks_nor_does_it(kind: str, text: str, statement: str) -> None:
    said = _said([("Ana", text), ("Tom", "I have a bike.")], source_type=kind)
    assert said[text] == statement


def test_a_mail_names_whom_it_calls() -> None:
    said = _said([("Ana", "Greta, I need you to sign the lease by Friday.")], source_type="email")
    assert list(said.values()) == ["Ana needs Greta to sign the lease by Friday."]


def test_nobody_remembers_more_than_45_words_as_one_statement() -> None:
    many = "I sold the boat of my aunt in Kiel" + " and another one of the same builder in Kiel" * 5
    assert restated(f"{many}.") is None
    assert restated("I sold the boat of my aunt in Kiel and another one of the same builder in Kiel.") is not None


def test_a_relative_clause_alone_is_no_statement() -> None:
    assert restated("Which corresponded to version 3 of Kiel.") is None


def test_a_subordinate_clause_or_a_word_of_no_language_is_no_statement() -> None:
    assert restated("Because the harbour of Kiel was closed.") is None
    assert restated("Mm .") is None
