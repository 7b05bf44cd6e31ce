"""Titles and texts of storylines and macros: who and what, with its day, and nobody's words as another's."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.llm.local.events import LONGEST_EVENT, PARTICIPANTS, event_of
from memory_assets.llm.local.language import parse
from memory_assets.llm.local.names import name_macro, name_storyline
from memory_assets.llm.tasks import DatedSummary, MacroRequest, SaidOfIt, StorylineName, StorylineRequest

Said = tuple[str, str | None, str]
"""A day, who says it, and the words."""


def story(anchor: str, *said: Said) -> StorylineRequest:
    """A storyline of one statement for each source."""
    rows = tuple(
        DatedSummary(day=day, summary="Something else.", said=(SaidOfIt(speaker=who, text=text),))
        for day, who, text in said
    )
    return StorylineRequest(anchor=anchor, sources=rows)


def text_of(named: StorylineName) -> str:
    return " ".join(one.text for one in named.sentences)


ORCHARD = story(
    "Ottilie Brandt",
    ("2026-03-02", "Ottilie Brandt", "Ottilie Brandt planted twelve plum trees behind the mill."),
    ("2026-03-09", "Ottilie Brandt", "Ottilie Brandt pruned the plum trees with her brother Anselm."),
    ("2026-04-20", "Ottilie Brandt", "Ottilie Brandt lost four plum trees to the frost."),
)
FERRY = story(
    "Kestrel",
    ("2026-05-04", "Nora Weiss", "The ferry Kestrel moves to the north pier on 12 June."),
    ("2026-05-11", "Idris Cole", "The north pier needs new bollards for the Kestrel."),
    ("2026-05-18", "assistant", "I recommend rubber fenders for a ferry like the Kestrel."),
)


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        (ORCHARD, "Ottilie Brandt lost four plum trees to the frost"),
        (FERRY, "The north pier needs new bollards for the Kestrel"),
        (
            story("dance studio", *(
                (f"2026-02-0{day}", "Jon", f"I {verb} my dance studio {more}.")
                for day, verb, more in ((1, "open", "in May"), (2, "paint", "with Gina"), (3, "name", "after Ines"))
            )),
            "Jon's dance studio",
        ),
        (
            story(
                "Idris Cole",
                ("2026-05-04", "Nora Weiss", "According to Idris Cole the new engine is loud."),
                ("2026-05-05", "Nora Weiss", "Nora Weiss bought the new engine from Idris Cole."),
                ("2026-05-08", "Nora Weiss", "Nora Weiss sold the old engine in Ulm."),
            ),
            "Nora Weiss bought the new engine from Idris Cole",
        ),
        (
            story("Gina", *(
                (f"2026-02-0{day}", "Gina", f"We {verb} an online store {more}.")
                for day, verb, more in ((1, "open", "for hats"), (2, "rent", "by the river"), (3, "advertise", "today"))
            )),
            "Gina and a store",
        ),
        (
            story(
                "Nora Weiss",
                ("2026-05-04", "Nora Weiss", "The launch needs a bigger crane."),
                ("2026-05-08", "Nora Weiss", "I called the harbour about the launch."),
                ("2026-05-12", "Nora Weiss", "The launch of the Kestrel in Ulm moves from 3 June to 10 June."),
            ),
            "Nora Weiss: The launch of the Kestrel in Ulm moves from 3 June to 10 June",
        ),
        (
            story(
                "Idris Cole",
                ("2026-05-04", "Nora Weiss", "The contract of Idris Cole is long."),
                ("2026-05-08", "Nora Weiss", "I read the contract."),
                ("2026-05-12", "Nora Weiss", "The contract of Idris Cole ends on 30 June."),
            ),
            "The contract of Idris Cole ends on 30 June",
        ),
        (
            story(
                "Nora Weiss",
                ("2026-05-04", "Nora Weiss", "My alerts are too loud."),
                ("2026-05-08", "Nora Weiss", "I tested three alerts."),
                ("2026-05-12", "Nora Weiss", "Nora Weiss sends the alerts to Idris Cole by 18 June."),
            ),
            "Nora Weiss sends the alerts to Idris Cole by 18 June",
        ),
        (  # what happened last, though the first words are shared by more
            story(
                "Nora Weiss",
                ("2026-05-04", "Nora Weiss", "Nora Weiss won the long regatta with the red sails."),
                ("2026-05-08", "Nora Weiss", "I sewed new sails for the regatta."),
                ("2026-05-10", "Nora Weiss", "I paid for the regatta."),
                ("2026-05-12", "Nora Weiss", "Nora Weiss lost the long regatta with the old sails."),
            ),
            "Nora Weiss lost the long regatta with the old sails",
        ),
        (  # what is decided, not what was proposed
            story(
                "Nora Weiss",
                ("2026-05-01", "Nora Weiss", "The launch needs a crane."),
                ("2026-05-04", "Nora Weiss", "Nora Weiss proposes to move the launch from 3 June to 10 June."),
                ("2026-05-05", "Nora Weiss", "For everyone who missed it: the launch moves from 3 June to 10 June."),
            ),
            "Nora Weiss: The launch moves from 3 June to 10 June",
        ),
        (  # what most sources speak of, where what happened only touches it
            story(
                "Nora Weiss",
                ("2026-05-04", "Nora Weiss", "Nora Weiss has played tennis ever since school."),
                ("2026-05-08", "Nora Weiss", "Nora Weiss sees the world otherwise since tennis."),
                ("2026-05-12", "Nora Weiss", "Nora Weiss learnt more from tennis than from books."),
                ("2026-05-14", "Nora Weiss", "Nora Weiss is putting together a tennis party."),
            ),
            "Nora Weiss and tennis, e.g. putting together a tennis party",
        ),
        *(
            (
                story(
                    anchor,
                    ("2026-05-04", speaker, "I have played tennis ever since school."),
                    ("2026-05-08", speaker, "I see the world otherwise since tennis."),
                    ("2026-05-12", speaker, "I learnt more from tennis than from books."),
                    ("2026-05-14", speaker, said),
                ),
                title,
            )
            for anchor, speaker, said, title in (
                ("Nora Weiss", "Nora Weiss", "Nora held a tennis gala.",
                 "Nora Weiss and tennis, e.g. held a tennis gala"),
                # what somebody else did, or something of that name
                ("Nora Weiss", "Nora Weiss", "Nora Brandt held a tennis gala.",
                 "Nora Weiss and tennis, e.g. Nora Brandt held a tennis gala"),
                ("Nora Weiss", "Nora Weiss", "Nora Weiss Foundation held a tennis gala.",
                 "Nora Weiss and tennis, e.g. Nora Weiss Foundation held a tennis gala"),
                ("Nora Weiss Club", "Idris Cole", "Nora held a tennis gala.",
                 "Nora Weiss Club and tennis, e.g. Nora held a tennis gala"),
                ("Nora Weiss", "Nora Weiss", "Nora Weiss was invited to a tennis party in Ulm.",
                 "Nora Weiss and tennis, e.g. was invited to a tennis party in Ulm"),
            )
        ),
        (
            story(
                "Nora Weiss",
                ("2026-05-04", "Nora Weiss", "The Kestrel lies in Ulm."),
                ("2026-05-08", "Nora Weiss", "I looked at the Kestrel."),
                ("2026-05-12", "Nora Weiss", "Nora Weiss gets the papers of the Kestrel by 18 June."),
            ),
            "Nora Weiss gets the papers of the Kestrel by 18 June",
        ),
        (  # what the matter does to something that nobody else speaks of
            story(
                "Nora Weiss",
                ("2026-05-04", "Nora Weiss", "The Kestrel lies in Ulm."),
                ("2026-05-08", "Nora Weiss", "I looked at the Kestrel."),
                ("2026-05-12", "Nora Weiss", "The Kestrel has a new anchor."),
            ),
            "Nora Weiss and the Kestrel, e.g. the Kestrel has a new anchor",
        ),
        (
            story(
                "Nora Weiss",
                ("2026-05-04", "Nora Weiss", "My boat is in Ulm."),
                ("2026-05-08", "Nora Weiss", "I painted my boat."),
                ("2026-05-12", "Nora Weiss", "Nora Weiss's boat passed the inspection."),
            ),
            "Nora Weiss's boat passed the inspection",
        ),
        (  # a word of what something is done by
            story(
                "Nora Weiss",
                ("2026-05-04", "Nora Weiss", "The regatta needs a bigger crane."),
                ("2026-05-08", "Nora Weiss", "I paid for the regatta."),
                ("2026-05-12", "Nora Weiss", "The regatta fee is due by 18 June."),
            ),
            "Nora Weiss: The regatta fee is due by 18 June",
        ),
    ],
)  # fmt: skip
def test_a_title_says_who_or_what_and_what_happened(request_: StorylineRequest, title: str) -> None:
    assert name_storyline(request_).title == title


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("The Kestrel got a new engine, because the old one failed.", "The Kestrel got a new engine"),
        ("The Kestrel moves from Ulm to Graz.", "The Kestrel moves from Ulm to Graz"),
        ("Nora Weiss sold the Kestrel tomorrow.", "Nora Weiss sold the Kestrel"),
        ("Nora Weiss held a benefit concert last week.", "Nora Weiss held a benefit concert"),
        ("Nora Weiss rents the Kestrel for 28 pounds a month.", "Nora Weiss rents the Kestrel for 28 pounds a month"),
        ("The Kestrel race got pushed back, so Nora went home.", "The Kestrel race got pushed back"),
        ("Nora Weiss is on the Kestrel on Saturday, so she cannot come.", None),
        ("The Kestrel is on the slip by 12 June.", "The Kestrel is on the slip by 12 June"),
        ("The Kestrel race yesterday took fourteen minutes.", "The Kestrel race took fourteen minutes"),
        ("Nora Weiss always loves trips with Nora's brother.", "Nora Weiss always loves trips with their brother"),
        ("The Kestrel is read-only until 31 March 2027, says Nora.", "The Kestrel is read-only until 31 March 2027"),
        ("Nora Weiss is more into sailing the Kestrel.", "Nora Weiss is into sailing the Kestrel"),
        ("Nora Weiss is more into the Kestrel than the Heron.", "Nora Weiss is more into the Kestrel than the Heron"),
        ("The Kestrel is prettier now than the Heron.", "The Kestrel is prettier than the Heron"),
        ("Nora Weiss plans a ring-toss game for the Kestrel.", "Nora Weiss plans a ring-toss game for the Kestrel"),
        ("Yesterday, Nora Weiss also painted the Kestrel.", "Nora Weiss painted the Kestrel"),
        ("Nora Weiss sold the Kestrel before the winter came.", "Nora Weiss sold the Kestrel"),
        ("The price of the Kestrel is down to 14 pounds.", "The price of the Kestrel is down to 14 pounds"),
        (
            "Nora Weiss wants to move the regatta of the Kestrel in Ulm from 3 September to 10 October.",
            "Nora Weiss wants to move the regatta of the Kestrel in Ulm from 3 September to 10 October",
        ),
        (
            "Nora Weiss wants to move the yearly regatta of the old Kestrel in Ulm from 3 September to 10 October.",
            "Nora Weiss wants to move the yearly regatta of the old Kestrel in Ulm",
        ),
        (
            "Nora Weiss has to send the red, blue and green flags to Idris.",
            "Nora Weiss has to send the red, blue and green flags to Idris",
        ),
        ("Decision of the weekly: The Kestrel race was moved to Ulm.", "The Kestrel race was moved to Ulm"),
        ("The no-smoking rule is ready for the Kestrel.", "The no-smoking rule is ready for the Kestrel"),
        ("The alarm of the Kestrel goes live (Nora and Idris, by June).", "The alarm of the Kestrel goes live"),
        ("I painted the Kestrel.", None),
        ("Nora lends you the Kestrel.", None),
        ("It carries the Kestrel.", None),
        ("Painting the Kestrel.", None),
        ("Kestrel, pier, bollards", None),
    ],
)
def test_what_happened_is_cut_where_a_clause_ends(text: str, event: str | None) -> None:
    found = event_of(*parse([text]))
    assert (found and found.text) == event


def test_a_text_has_whole_statements_with_their_days_and_what_holds_now() -> None:
    assert text_of(name_storyline(ORCHARD)) == (
        "2 March 2026: Ottilie Brandt planted twelve plum trees behind the mill. "
        "9 March 2026: Ottilie Brandt pruned the plum trees with her brother Anselm. "
        "20 April 2026: Ottilie Brandt lost four plum trees to the frost."
    )


def test_a_text_is_of_what_is_said_about_the_anchor_not_of_whole_sources() -> None:
    silent = DatedSummary(day="2026-06-01", summary="Idris Cole bought a violin.")
    request = FERRY.model_copy(update={"sources": (*FERRY.sources, silent)})
    assert "violin" not in text_of(name_storyline(request))


def test_an_assistants_words_are_nobodys() -> None:
    assert "fenders" not in text_of(name_storyline(FERRY))
    alone = story("Kestrel", ("2026-05-18", "assistant", "I recommend rubber fenders for a ferry like the Kestrel."))
    named = name_storyline(alone)
    # No source says the title alone: what is left is the summary.
    assert (named.title, text_of(named)) == ("Kestrel", "18 May 2026: Something else.")


def test_words_that_do_not_say_whose_they_are_stand_behind_a_name() -> None:
    request = story(
        "Kestrel", ("2026-05-04", "Nora Weiss", "The Kestrel leaves at nine."), ("2026-05-05", "user", "Rust!")
    )
    assert text_of(name_storyline(request)).startswith("4 May 2026: Nora Weiss: The Kestrel leaves at nine.")
    assert "user" not in text_of(name_storyline(request))


def test_a_text_is_of_the_titles_matter() -> None:
    games = story(
        "Nate",
        ("2026-01-21", "Nate", "Nate won the first tournament in Riga."),
        ("2026-02-07", "Nate", "Nate loves coconut milk from the harbour market."),
        ("2026-08-22", "Nate", "Nate won the second tournament in Oslo."),
    )
    named = name_storyline(games)
    assert named.title == "Nate and the tournament, e.g. won the second tournament in Oslo"
    assert text_of(named) == (
        "21 January 2026: Nate won the first tournament in Riga. "
        "22 August 2026: Nate won the second tournament in Oslo."
    ), "rather what says nearly the same than another matter"


def test_a_text_is_of_the_matter_that_its_title_names() -> None:
    request = story(
        "Kestrel",
        ("2026-05-04", "Nora Weiss", "The Kestrel got a new engine."),
        ("2026-05-11", "Idris Cole", "Does the engine of the Kestrel run?"),
        ("2026-05-18", "Idris Cole", "The Kestrel sailed to Ulm."),
    )
    named = name_storyline(request)
    assert named.title == "Kestrel and the engine, e.g. the Kestrel got a new engine"
    assert text_of(named) == (
        "4 May 2026: Nora Weiss: The Kestrel got a new engine. 18 May 2026: Idris Cole: The Kestrel sailed to Ulm."
    ), "and of what else is said as much as makes two sentences"


def test_statements_of_a_text_differ() -> None:
    again = story(
        "Kestrel",
        ("2026-05-04", "Nora Weiss", "The ferry Kestrel moves to the north pier on 12 June."),
        ("2026-05-05", "Idris Cole", "The Kestrel ferry moves on 12 June to the north pier, says Nora."),
        ("2026-05-06", "Idris Cole", "The council pays for the paint of the Kestrel."),
    )
    assert text_of(name_storyline(again)).count("north pier") == 1


def test_a_macro_is_made_of_what_its_storylines_rest_on_each_with_its_own_day() -> None:
    said = [SaidOfIt(speaker=one.speaker, text=one.text, day=row.day) for row in ORCHARD.sources for one in row.said]
    part = DatedSummary(day="2026-03-02", summary="The plum trees: planted.", said=tuple(said))
    jam = [
        ("2026-06-05", "Ottilie Brandt sold plum jam in Graz."),
        ("2026-07-09", "Four plum trees fell. It was warm."),
    ]
    other = DatedSummary(
        day="2026-06-01",
        summary="The jam: sold.",
        said=tuple(SaidOfIt(speaker=None, text=text, day=day, ref=day) for day, text in jam),
    )
    macro = name_macro(MacroRequest(anchor="Ottilie Brandt", storylines=(part, other)))
    assert macro.title.startswith("Ottilie Brandt and ") and macro.title.endswith(", March to July 2026")
    days = re.findall(r"\d{1,2} [A-Z][a-z]+ 2026: ", text_of(macro))
    assert days == ["9 March 2026: ", "20 April 2026: ", "5 June 2026: ", "9 July 2026: "]
    assert [one.refs for one in macro.sentences[2:]] == [("2026-06-05",), ("2026-07-09",)]


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["The Kestrel got a new engine."], 1),
        (["The Kestrel got a new engine.", "Nora Weiss likes herring."], 2),
        (["The Kestrel got a new engine.", "The Kestrel got a new engine, says Nora."], 1),
        (["Does the Kestrel run?"], 1),
        ([f"The Kestrel sailed to {town}." for town in ("Ulm", "Graz", "Oslo", "Riga", "Bergen", "Turku")], 3),
    ],
)
def test_a_text_has_two_sentences_where_two_things_are_said(texts: list[str], count: int) -> None:
    request = story("Kestrel", *(("2026-05-04", "Nora Weiss", text) for text in texts))
    assert len(name_storyline(request).sentences) == count


NAMES = ("Ottilie Brandt", "Nora Weiss", "Kestrel", "boathouse")
PEOPLE = ("Nora Weiss", "Idris Cole", "user", "assistant", None)
WORDS = st.lists(
    st.sampled_from(
        "Kestrel Ottilie Brandt boathouse the a plum frost moved moves I my was is to of and Graz, Riga yesterday 12 "
        "June because he it painted roof's ! : paint".split()
    ),
    min_size=1,
    max_size=14,
).map(" ".join)


@settings(max_examples=60)
@given(
    st.sampled_from(NAMES),
    st.lists(
        st.tuples(st.sampled_from(["2026-05-04", "2026-07-01", None]), st.sampled_from(PEOPLE), WORDS), max_size=6
    ),
)
def test_whatever_is_said_a_title_names_something_and_words_stay_their_speakers(anchor: str, said: list[Said]) -> None:
    request = story(anchor, *said)
    named = name_storyline(request)
    words = named.title.split()
    assert words and len(words) <= LONGEST_EVENT + 2 and not named.title.startswith(",")
    assert not {word.casefold() for word in re.findall(r"\w+", named.title)} & (PARTICIPANTS - {"mine"})
    source = " ".join([anchor, *(who or "" for _, who, _ in said), *(text for _, _, text in said)]).casefold()
    capitals = re.findall(r"\b[A-Z]\w+", named.title)
    assert all(word.casefold() in source for word in capitals if word.casefold() not in {"the", "an"})
    for _, who, text in said:
        if who in ("Nora Weiss", "Idris Cole") and f": {who}: " in text_of(named):
            assert any(f"{who}: {other.rstrip(' ,;:')}" in text_of(named) for _, one, other in said if one == who)
        if who == "assistant" and text not in {other for _, one, other in said if one != who}:
            assert f": {text}" not in text_of(named)
