"""Which statements are an anchor's, and by what they are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from memory_assets.hierarchy.anchors import statements_of
from memory_assets.hierarchy.stories import Named, StorySource
from memory_assets.llm.local.nearness import compared_words, nearness, noun_words, statement_vector
from memory_assets.text.content import content_words

NAMED = {
    "ana": Named(frozenset({"ana"}), True),
    "nora": Named(frozenset({"nora"}), True),
    "ulm": Named(frozenset({"ulm"}), False),
}


def anchor(key: str, name: str, *, is_person: bool = False) -> dict[str, Any]:
    return {"id": key, "name": name, "is_person": is_person, "aliases": []}


def row(text: str, speaker: str | None, *about: str) -> dict[str, Any]:
    vector = statement_vector(np.zeros(4), compared_words(text))
    statement = text.replace("I ", f"{speaker} ")
    said = {"chunk_id": text, "text": text, "statement": statement, "speaker": speaker}
    return said | {"about": about, "vector": vector}


ANA, ULM, FERRY = anchor("ana", "Ana", is_person=True), anchor("ulm", "Ulm"), anchor("ferry", "ferry")


@pytest.mark.parametrize(
    ("of", "said", "is_its"),
    [
        (ANA, row("Ana rows.", "Nora", "ana"), True),
        (ANA, row("The ferry is late.", "Ana", "ferry"), True),  # in her own words
        (ANA, row("Nora rows.", "Ana", "nora"), False),  # of somebody else alone
        (ANA, row("Nora rows with Ana.", "Ana", "nora", "ana"), True),
        (ANA, row("I married Nora.", "Ana", "nora"), True),  # told as what Ana did
        (ANA, row("The ferry is late.", "Nora", "ferry"), False),
        (ULM, row("Nora moves to Ulm.", "Nora", "nora", "ulm"), True),
    ],
)
def test_what_is_an_anchors(of: dict[str, Any], said: dict[str, Any], is_its: bool) -> None:
    found = list(statements_of(of, ["s"], {"s": StorySource("s", None)}, {"s": [said]}, NAMED))
    assert bool(found) is is_its


@pytest.mark.parametrize(
    ("of", "left"),
    [(ULM, "moves"), (FERRY, "ferry moves Ulm"), (ANA, "ferry moves Ulm")],
)
def test_no_statement_is_compared_by_the_name_of_its_anchor(of: dict[str, Any], left: str) -> None:
    """Nor by people's names; but what is no name is a matter itself."""
    said = row("Ana moves to Ulm." if of is ULM else "The ferry of Ana moves to Ulm.", "Nora", of["id"], "ana")
    (found,) = statements_of(of, ["s"], {"s": StorySource("s", None)}, {"s": [said]}, NAMED)
    assert np.allclose(found.vector, statement_vector(np.zeros(4), compared_words(left)))
    assert found.unsaid == content_words("Ana Ulm" if of is ULM else "Ana")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Nora moves the ferry from the landing to Skagness.", "landing Skagness"),
        # where it is not English, a word of the language is no name
        ("Nora verlegt die Anlage nach Skagness an den Hafen.", "Skagness"),
    ],
)
def test_the_names_of_things_are_told_apart(text: str, names: str) -> None:
    place = {"place": Named(content_words("Anlage Hafen Landing Skagness"), False)}
    said = row(text, "Nora", "nora", "ferry", "place")
    (found,) = statements_of(FERRY, ["s"], {"s": StorySource("s", None)}, {"s": [said]}, NAMED | place)
    assert found.names & compared_words(text).keys() == content_words(names)
    assert np.allclose(found.vector, statement_vector(np.zeros(4), compared_words(text.removeprefix("Nora "))))


def test_nouns_are_told_from_what_is_done_and_how() -> None:
    assert noun_words("A flat price, the board proposes.") == {"price", "board"}
    assert "row" in noun_words("I love rowing.") - noun_words("Nora is always rowing.")
    assert "verkauft" in noun_words("Nora verkauft das Boot nicht, weil es ihr gefällt."), "all, in another language"
    assert {"flat", "ulm"} <= noun_words("She gives back the flat in Ulm.")


def test_statements_are_near_by_what_they_say_not_by_who_and_when() -> None:
    launch, moved, lesson = nearness(
        ["Ana moves the launch to 3 June.", "The launch is moved once more.", "Ana has a lesson on 3 June."],
        ["Ana"],
    )
    assert launch[1] > 0.5 > launch[2] and moved[0] == launch[1] and lesson[2] == pytest.approx(1.0)


def test_nothing_is_near_nothing() -> None:
    assert nearness([], ["Ana"]).shape == (0, 0)
    assert nearness(["", "The launch moves."], [])[0, 1] == 0.0
