"""What is quoted behind the name of who says it: with what makes it clear, once, and word for word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.local.extract import candidates, extract
from memory_assets.llm.local.language import parse
from memory_assets.llm.local.reading import read
from memory_assets.llm.local.rewriting import Said, statement_of
from memory_assets.llm.tasks import SourceText, Statement, TurnText
from memory_assets.text.attribution import quoted, requoted, without_writer

ANSWERED = "That is a lot of water. Here is what I would do first, and what can wait until the plumber has been there."
SENTENCES = (
    "the boiler is a Kestrel 24, installed in 2019.",
    "it loses pressure every three days.",
    "my landlady is called Odile and she lives in Utrecht.",
    "and her son has the keys.",
    "moved here in March with two cats.",
    "what should I tell her?",
    "no plumbers on Sundays please, she said.",
)


def _stated(*said: str) -> list[Statement]:
    """What an owner writes to an assistant, as it is stored."""
    turns = [turn for one in said for turn in (("user", one), ("assistant", ANSWERED))]
    spoken = tuple(TurnText(index=at, speaker=who, text=text) for at, (who, text) in enumerate(turns))
    source = SourceText(source_type="conversation", title="", started_at=None, owner_speaker="user", turns=spoken)
    return [one for one in extract(source).statements if one.speaker == "user"]


def _quotes(
    *said: str, title: str = "", source_type: str = "conversation", answered: bool = True, recipient: str | None = None
) -> list[str]:
    """What each sentence of what an owner writes is quoted as, "" where it is not."""
    turns = [("user" if source_type == "conversation" else "Ana Brandt", text) for text in said]
    if answered and source_type == "conversation":
        turns = [turn for one in turns for turn in (one, ("assistant", ANSWERED))]
    source = SourceText(
        source_type=source_type,
        title=title,
        started_at=None,
        owner_speaker=turns[0][0],
        turns=tuple(TurnText(index=at, speaker=who, text=text) for at, (who, text) in enumerate(turns)),
        recipient=recipient,
    )
    found = [one.restated for one in candidates(source, read(source).sentences)]
    return [one.quotation or "" for one in found if not one.sentence.by_assistant]


def test_what_is_written_to_an_assistant_is_quoted_with_what_it_is_about() -> None:
    boiler, pressure = _quotes(" ".join(SENTENCES[:2]), title="Boiler in the hall")
    assert boiler == f"The user wrote about “Boiler in the hall”: “{SENTENCES[0]}”"
    assert without_writer(pressure) == " ".join(SENTENCES[:2]), "what “it” is, is before it"


def test_what_joins_two_sentences_is_quoted_with_them() -> None:
    said = (
        "I rented the barn behind the mill for the winter, and the roof over the hay loft has been leaking since the "
        "storm in November, which the farmer knows about. But I don't want to move the hives out of it before spring."
    )
    quoted_words = [without_writer(quote) for quote in _quotes(said, title="The barn") if quote]
    assert quoted_words and all(words in said or words[:1].lower() + words[1:] in said for words in quoted_words)
    assert any(". But I don't" in words for words in quoted_words)


@pytest.mark.parametrize("between", ["\n- ", "\n2. ", "\n\n## Car\n", ". Not! "])
def test_what_is_no_joint_is_not_quoted(between: str) -> None:
    first, second = "İİ sold the boat that leaked to Ana", "I bought a car of the year 2019"
    for quote in _quotes(f"{first}.{between}{second}.", title="Selling"):
        assert not any(part in quote for part in ("- I", "2. I", "Car", "Not!"))


def test_a_letter_is_quoted_with_its_subject_and_nobody_is_told_as_others() -> None:
    (found,) = _quotes("We have moved to a flat by the canal.", title="Re: news", source_type="email")
    assert found == "Ana Brandt wrote about “news”: “We have moved to a flat by the canal.”"


@pytest.mark.parametrize(
    "said",
    [
        "it loses pressure every three days.",  # nothing before it says what
        "what should I tell my landlady about the boiler?",
        "ok thanks!",
        "she said “no plumbers on Sundays” to my neighbour Piet.",  # a quotation within another
        "and then some more of the same for her.",
    ],
)
def test_what_nothing_makes_clear_is_not_quoted(said: str) -> None:
    assert _quotes(said) == [""] * len(_quotes(said))


def test_what_somebody_else_is_quoted_as_saying_is_not_quoted_along() -> None:
    said = (
        'My landlady Odile rang this morning. "I am selling the flat in Utrecht in May. I have lost forty thousand '
        'euros at the races." I am allergic to walnuts and to peanuts. My sister Jana lives in Delft with two cats.'
    )
    statements = [one for one in _stated(said) if one.quotation]
    assert statements and not any("forty thousand" in one.quotation for one in statements)


def test_no_sentence_is_quoted_twice() -> None:
    said = " ".join(
        f"I have worked as a nurse in ward {at} of the clinic in Delft since {2000 + at}." for at in range(9)
    )
    quotes = [without_writer(one.quotation) for one in _stated(said) if one.quotation]
    counts = [sum(f"in ward {at} of" in quote for quote in quotes) for at in range(9)]
    assert max(counts) == 1 and sum(counts) > 6


def test_a_title_that_only_repeats_what_was_said_is_none() -> None:
    (found,) = _quotes("My landlady is called Odile.", title="My landlady is called…")
    assert found == "The user wrote: “My landlady is called Odile.”"


def test_a_no_that_belongs_to_what_follows_is_told() -> None:
    parsed = next(iter(parse(["no long dashes ever please"])))
    statement = statement_of(Said(parsed, "The user", "the assistant", is_order=True, to_agent=True))
    assert statement is not None and statement.startswith("No long dashes")


@pytest.mark.parametrize(
    ("title", "first", "second"),
    [
        ("#facilities: 2026-03-04", "Ana Brandt wrote in #facilities", "Ana Brandt wrote in #facilities"),
        (
            "#facilities: The roof over bay 2 leaks again",
            "Ana Brandt wrote in #facilities",
            "Ana Brandt wrote in #facilities about “The roof over bay 2 leaks again”",
        ),
        ("Ana Brandt, Tom Rusk: 2026-03-04", "Ana Brandt wrote", "Ana Brandt wrote"),  # between two
    ],
)
def test_what_is_written_in_a_channel_is_quoted_with_the_channel_and_what_it_answers(
    title: str, first: str, second: str
) -> None:
    said = "The roof over bay 2 leaks again.", "They come on Tuesday with the long ladder."
    assert _quotes(*said, title=title, source_type="slack") == [f"{first}: “{said[0]}”", f"{second}: “{said[1]}”"]


def test_a_message_in_a_channel_is_quoted_whole_where_nothing_makes_it_clearer() -> None:
    said = "Six weeks at least. Tom signs for anything up to 500 euros; over that ring me."
    assert _quotes(said, source_type="slack")[-1] == f"Ana Brandt wrote: “{said}”"
    assert _quotes(said)[-1] == "", "to an assistant nothing is quoted that points outside"


@pytest.mark.parametrize(
    ("opening", "recipient", "whom"),
    [
        ("Dear Petra,", None, " to Petra"),
        ("Dear Petra,", "Petra Vos", " to Petra Vos"),
        ("It rained all night.", "Petra Vos", " to Petra Vos"),
        ("Dear all,", None, ""),
        ("Hello,", "Reception", ""),
        ("Buy stamps.", "Ana Brandt", ""),  # to herself
    ],
)
def test_each_paragraph_of_a_mail_is_quoted_with_whom_the_mail_is_for(
    opening: str, recipient: str | None, whom: str
) -> None:
    said = opening, "The boiler is a Kestrel 24.", "You sign up to 500 euros, above that any two of us."
    assert _quotes(*said, source_type="email", recipient=recipient)[-1] == f"Ana Brandt wrote{whom}: “{said[-1]}”"


@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6))
def test_a_quotation_is_a_part_of_one_turn_word_for_word(said: list[str]) -> None:
    text = " ".join(said)
    for found in filter(None, _quotes(text)):
        assert without_writer(found) in text and without_writer(found) != found


@pytest.mark.parametrize(
    ("around", "is_written", "expected"),
    [
        ({}, False, "Ana said: “I have a boat.”"),
        ({"about": "the harbour"}, True, "Ana wrote about “the harbour”: “I have a boat.”"),
        ({"to": "Tom"}, True, "Ana wrote to Tom: “I have a boat.”"),
        ({"channel": "#bay-2"}, True, "Ana wrote in #bay-2: “I have a boat.”"),
        ({"channel": "#bay-2", "about": "keys"}, True, "Ana wrote in #bay-2 about “keys”: “I have a boat.”"),
        ({"to": "Tom", "about": "the harbour"}, True, "Ana wrote to Tom about “the harbour”: “I have a boat.”"),
    ],
)
def test_who_writes_to_whom_about_what_can_be_taken_off(
    around: dict[str, str], is_written: bool, expected: str
) -> None:
    found = quoted("Ana", "I have a boat.", is_written=is_written, **around)
    assert found == expected and without_writer(found) == "I have a boat."
    assert requoted(found, "I had one.") == found.replace("I have a boat.", "I had one.")
    assert without_writer(f"Yesterday {found} and more") == f"Yesterday {found} and more"
