"""Long sentences cut into clauses: the wish by itself, the request by itself, nothing lost that says something."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.local.clauses import RUN_ON, SHORT, clauses
from memory_assets.llm.local.sentences import pieces

CUT = [
    (
        "I'm laying out the seed catalogue, so I prefer plain tables over photos, can you draft the first page, "
        "considering I have until 3 May to print it?",
        [
            "I'm laying out the seed catalogue",
            "I prefer plain tables over photos",
            "Can you draft the first page, considering I have until 3 May to print it?",
        ],
    ),
    (
        "I'd rather take simple, light, washable fabrics to keep the bags easy to clean, but I'm not sure who "
        "sells them",
        [
            "I'd rather take simple, light, washable fabrics to keep the bags easy to clean",
            "But I'm not sure who sells them",
        ],
    ),
    (
        "I've planted forty apple trees along the northern wall of the orchard, but I'm not sure if they get the sun",
        [
            "I've planted forty apple trees along the northern wall of the orchard",
            "I'm not sure if they get the sun",
        ],
    ),
    (
        "Here is the menu for the harvest dinner, and please always mark dishes with nuts when I ask about menus.",
        ["Here is the menu for the harvest dinner", "Please always mark dishes with nuts when I ask about menus."],
    ),
]
WHOLE = [
    "I prefer trains, can you book one?",
    "We met the carpenter on Tuesday and looked at the oak beams, which he had cut, dried and stored since the spring.",
    "Do you prefer the one with the copper handle, or is it that the others prefer something that I have not seen yet?",
    "They told us that the old bridge never gave way in all the years that the quarry carts had gone across it.",
    "If the server is down for more than an hour on a working day, please always call me on my phone at home.",
    "When I'm travelling for work and have only my phone with me, I prefer short answers without any tables.",
    "Unless I say otherwise in the same message or have sent a template before it, never send mails to customers.",
    "If the build on the main branch fails again during the night because of the cache, can you restart it?",
    "It is the long form here that the board of the company wants, not because I prefer long answers to short ones.",
    "For the next report, which goes to the whole board of the company, please ignore my preference for short answers.",
    (
        "Ole wrote \"the red one it is for now, because I prefer a plain shed, but I'm not sure about the price of the "
        'roof" to us.'
    ),
]


@pytest.mark.parametrize(("sentence", "expected"), CUT)
def test_a_wish_in_a_long_sentence_is_a_clause_by_itself(sentence: str, expected: list[str]) -> None:
    cut = clauses(sentence)
    assert [part.rstrip(".") for part in cut] == [part.rstrip(".") for part in _capital(expected)]


@pytest.mark.parametrize("sentence", WHOLE)
def test_other_sentences_stay_whole(sentence: str) -> None:
    assert clauses(sentence) == [sentence]


def test_a_run_on_is_cut_before_clauses_with_a_subject_of_their_own() -> None:
    text = (
        "I'm rebuilding the greenhouse with cedar frames, and I've ordered glass panes of 60 by 40 centimetres, "
        "and my deadline is 12 April, which leaves six weeks, so can you plan the work, given that I have two helpers"
    )
    assert len(text) > RUN_ON
    assert clauses(text) == [
        "I'm rebuilding the greenhouse with cedar frames",
        "I've ordered glass panes of 60 by 40 centimetres",
        "My deadline is 12 April, which leaves six weeks",
        "Can you plan the work",
        "I have two helpers",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "With regard to the twelve pupils of the pottery that are stranded in the mountains since the storm of last "
        "night, we regret that they have to make their way back to the valley by bus, by train or on foot",
        "On the way to the kiln in the old bakery in the Mill Lane we called on the potters of the town and our "
        "fellow teachers at the school on the hill to give us clay, bricks, glaze and wood for the whole winter",
        "The course of the winter term is on Monday nights from seven to nine in the old bakery, Nov 26 - Jan 28, "
        "with a break over the holidays, and it is the same as the one that began in October at the school on the hill",
    ],
)
def test_a_run_on_keeps_what_it_holds_for_and_what_turns_it(text: str) -> None:
    assert len(text) >= 190
    assert clauses(text) == [text]


def test_what_turns_a_clause_stays_with_it() -> None:
    kiln = "I'm building the new kiln with bricks from the old bakery, but I can't get it hotter than 900 degrees"
    text = (
        f"{kiln}, and my school needs a glaze that melts at 1,200 degrees and is fired for three whole days and nights"
    )
    assert len(text) > RUN_ON
    assert clauses(text) == [kiln, "M" + text[len(kiln) + 7 :]]


_PARTS = st.sampled_from(
    [
        "I prefer short lists", (
            "my preference for oak"
        ), "can you help me", "I'm not sure", "the roof leaks", "and", "so",
        "but", ", ", "; ", " - ", "?", (
            "considering I have two days"
        ), "always use metric units", "from now on", "it", "",
    ]
)  # fmt: skip


@given(st.lists(_PARTS, max_size=30).map(" ".join))
def test_every_clause_is_a_part_of_its_sentence_in_order(sentence: str) -> None:
    at = 0
    parts = clauses(sentence)
    for part in parts:
        found = sentence.lower().find(part.lower(), at)
        assert found >= 0, (part, parts)
        at = found + len(part)
    assert len(sentence) >= SHORT or parts == [sentence]


def test_code_that_is_cut_off_is_no_speech() -> None:
    text = "Here is my page:\n```html\n<h1>Orchard tours</h1>\n<p>Come and see.</p>"
    assert [piece.text for piece in pieces(text)] == ["Here is my page: <h1>Orchard tours</h1> <p>Come and see.</p>"]
    long = "My page fails.\n```html\n" + "<p>Come and see the orchard.</p>\n" * 30
    assert [piece.text for piece in pieces(long)] == ["My page fails."]
    bare = "My page fails.\n```\nCome and see the orchard."
    assert [piece.text for piece in pieces(bare)] == ["My page fails.", "Come and see the orchard."]


def _capital(parts: list[str]) -> list[str]:
    return [parts[0], *(re.sub(r"^.", lambda first: first[0].upper(), part) for part in parts[1:])]
