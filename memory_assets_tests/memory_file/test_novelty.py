"""How much of a memory the entries cover: pairs as a reader judges them, and what follows from any pool."""

from __future__ import annotations

import math
import random
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.candidates import FileRules, Memory, Selection
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Sizes
from memory_assets.memory_file.items import Item, Reading
from memory_assets.memory_file.novelty import MOST_TAKEN_OFF, Coverage, weigh
from memory_assets.memory_file.packing import Packing, best_first
from memory_assets_tests.memory_file.pools import START, memory, pools
from memory_assets_tests.support.memory_files import select_entries


def reading(*pool: Memory) -> Reading:
    return Reading("maria", pool, Sizes("maria", count_tokens, PRESETS[DEFAULT_PRESET]), FileRules())


def read(*memories: Memory) -> list[Item]:
    """The memories as items, in their order, repetitions among them."""
    return [item for one in memories for item in reading(one).items]


def beside(*entries: Item) -> Coverage:
    coverage = Coverage("maria")
    for entry in entries:
        coverage.add(entry)
    return coverage


def choose(*memories: Memory) -> Selection:
    return select_entries("maria", memories, count_tokens)


TOOLS = (
    "The crew is using Tidewatch 2.3.1 and Saltbase 3.39.",
    "The crew is using Ropeway 3.11 and Saltbase 3.39.",
    "The crew is using Tidewatch 2.3.1 and Ropeway 3.11.",
)


@pytest.mark.parametrize(
    ("text", "entries", "low", "high"),
    [
        (TOOLS[2], TOOLS[:2], 1.0, 1.0),
        (TOOLS[2], TOOLS[:1], 0.4, 0.7),
        ("Saltbase 4.0 replaces the old ledger.", TOOLS[:2], 0.0, 0.0),  # one word in common is none
        ("Ana sold the cello.", ["Ana kept a lighthouse.", "Idris tuned the cello."], 0.0, 0.0),
        ("Ana sold the red cello.", ["Ana never sold the red cello."], 0.0, 0.0),
        ("Ana sold the red cello on 3 May.", ["Ana sold the red cello on 9 May.", "Ana sold the red cello."], 0.0, 0.0),
        ("Ana sold the red cello.", ["Ana sold the red cello on 9 May."], 1.0, 1.0),
        ("The gauge was read yesterday at the quay.", ["The gauge was read at the quay."], 0.0, 0.0),
        ("Loading takes 400ms at the quay.", ["Loading takes 400kB at the quay."], 0.1, 0.7),
        ("So it goes.", TOOLS, 0.0, 0.0),
        ("", [], 0.0, 0.0),
    ],
)
def test_entries_cover_what_they_have_in_common_with_a_memory(
    text: str, entries: list[str], low: float, high: float
) -> None:
    one, *others = read(memory(text or "Tea.", place=9), *(memory(entry, place=9) for entry in entries))
    coverage = beside(*others)
    assert low <= coverage.share(one) <= high
    assert one.worth * (1 - MOST_TAKEN_OFF) <= coverage.worth(one) <= one.worth
    assert (coverage.worth(one) == one.worth) or coverage.share(one) > 0.5


def test_what_somebody_else_says_covers_nothing() -> None:
    mine, his = read(
        memory("I sold the red cello.", label="Ana"), memory("I sold the red cello in Porto.", label="Ben", place=1)
    )
    assert beside(his).share(mine) == 0.0


@pytest.mark.parametrize("known", [{"by_editor": True}, {"is_own_line": True}, {"is_standing": True}])
def test_a_persons_line_and_an_order_lose_nothing(known: dict[str, bool]) -> None:
    one, *others = read(memory(TOOLS[2], place=5, **known), *(memory(text, place=6) for text in TOOLS[:2]))
    coverage = beside(*others)
    assert coverage.worth(one) == one.worth and coverage.wholly_by(one) == []
    chosen = choose(memory(TOOLS[2], place=5, **known), *(memory(text, place=6) for text in TOOLS[:2]))
    assert len(chosen.entries) == 3


@pytest.mark.parametrize(
    ("text", "entries", "said"),
    [
        (TOOLS[2], TOOLS[:2], True),
        (TOOLS[2], TOOLS[:1], False),
        # What is meant, tried or done is another matter than what is used.
        (TOOLS[2].replace("is using", "has removed"), TOOLS[:2], False),
        (TOOLS[2].replace("is using", "wants to use"), TOOLS[:2], False),
        (TOOLS[2].replace("crew", "choir"), TOOLS[:2], False),
        (TOOLS[2].replace("3.11", "3.12"), TOOLS[:2], False),
        (TOOLS[2].replace("is using", "is not using"), TOOLS[:2], False),
        # Every word is covered, what they say together is not.
        (
            "Ana gave Ben the red cello.",
            ["Ana gave Carl the red cello.", "Ana gave Ben the lighthouse."],
            False,
        ),
        (
            "Ana and Ben sold the red cello.",
            ["Ana and Carl sold the red cello.", "Ana and Ben met at the quay."],
            False,
        ),
    ],
)
def test_what_entries_say_in_other_company_is_already_said(text: str, entries: list[str], said: bool) -> None:
    one, *others = read(memory(text, place=3), *(memory(entry, place=3) for entry in entries))
    assert beside(*others).wholly_by(one) == ([item.entry.ref for item in others] if said else [])


def test_what_was_said_before_does_not_say_what_is_said_now() -> None:
    one, *before = read(memory(TOOLS[2], place=9), *(memory(text, place=3) for text in TOOLS[:2]))
    assert beside(*before).wholly_by(one) == []
    assert beside(*before).share(one) == 1.0


def test_the_file_names_the_entries_that_say_it() -> None:
    entries = [memory(text, place=3, value_score=0.9) for text in TOOLS[:2]]
    again = memory(TOOLS[2], place=3)
    chosen = choose(*entries, again)
    assert [row.ref for row in chosen.left_out] == [again.ref]
    assert re.fullmatch(r"already said by [\d, ]+", chosen.left_out[0].reason)
    assert {one.ref for one in entries} == set(re.findall(r"\d{9}", chosen.left_out[0].reason))


def test_of_what_is_worth_nearly_the_same_the_new_comes_first() -> None:
    known = [memory(text, place=2, value_score=0.9) for text in TOOLS[:2]]
    again = memory(TOOLS[2], place=5, value_score=0.62)
    items = read(again, memory("A ladder leans on the orchard wall.", place=1, value_score=0.6), *known)
    packing = Packing(reading(), items)
    packing.fill("insights")
    assert packing.waiting["insights"] == []
    assert [item.memory.ref for item in packing.chosen] == [
        item.memory.ref for item in (*best_first(items[2:]), items[1], items[0])
    ]


def test_what_is_worth_much_more_comes_first_whatever_is_covered() -> None:
    known = [memory(text, place=2, value_score=0.9) for text in TOOLS[:2]]
    again = memory(TOOLS[2], place=5, value_score=0.8)
    items = read(again, memory("A ladder leans on the orchard wall.", place=1, value_score=0.4), *known)
    packing = Packing(reading(), items)
    packing.fill("insights")
    assert [item.memory.ref for item in packing.chosen][-2:] == [items[0].memory.ref, items[1].memory.ref]


@settings(max_examples=60)
@given(pools(), st.randoms(use_true_random=False))
def test_of_any_entries_worth_only_falls_and_only_by_what_is_shared(pool: list[Memory], rng: random.Random) -> None:
    items = read(*pool[:12])
    if not items:
        return
    one, *others = items
    coverage = Coverage("maria")
    words, before = weigh(one.entry.text).keys(), one.worth
    shared = False
    for other in others:
        coverage.add(other)
        shared |= bool(words & weigh(other.entry.text).keys())
        now = coverage.worth(one)
        assert one.worth * (1 - MOST_TAKEN_OFF) - 1e-9 <= now <= before
        assert shared or now == one.worth
        before = now
    rng.shuffle(others)
    assert beside(*others).worth(one) == before
    refs = {other.entry.ref for other in others}
    assert set(coverage.wholly_by(one)) <= refs and set(coverage.mostly_by(one, others)) <= refs
    assert bool(coverage.mostly_by(one, others)) is (coverage.share(one) > 0.5)


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["Tidewatch 2.3", "Saltbase 3", "Ropeway 11", "the quay", "a cello"]), min_size=1),
            st.sampled_from(["is using", "has sold", "never uses"]),
            st.floats(0.4, 0.9),
            st.integers(0, 3),
        ),
        max_size=40,
    ),
    st.randoms(use_true_random=False),
)
def test_every_repetition_is_explained_by_entries_of_the_file(
    facts: list[tuple[list[str], str, float, int]], rng: random.Random
) -> None:
    pool = [
        memory(
            f"The crew {verb} {' and '.join(things)} {place}.",
            place=place,
            value_score=value,
            occurred_at=START + timedelta(days=day),
        )
        for place, (things, verb, value, day) in enumerate(facts)
    ]
    chosen = choose(*pool)
    assert chosen.tokens <= 2000
    refs = {entry.ref for entry in chosen.entries}
    assert {one.ref for one in pool} == refs | {row.ref for row in chosen.left_out}
    for row in chosen.left_out:
        named = re.search(r"(?:already said by|tell most of it stand in) ([\d, ]+)", row.reason)
        assert named is None or set(named[1].split(", ")) <= refs
    rng.shuffle(pool)
    assert choose(*pool) == chosen
    # The file is the same when what was left out is gone.
    said = {row.memory_id for row in chosen.left_out}
    assert choose(*(one for one in pool if one.memory_id not in said)).text == chosen.text


def test_what_a_single_entry_says_but_for_a_word_is_said_already() -> None:
    known = memory(
        "The crew is using Tidewatch 2.3.1 with Saltbase 3.39 at the quay.",
        place=40,
        value_score=0.9,
        embedding=[1.0, 0.0],
    )
    again = memory("The crew has Tidewatch 2.3.1 and Saltbase 3.39 running.", place=41, embedding=[0.8, 0.6])
    other = memory("The crew has Tidewatch 2.3.1 and Galewind 3.40 running.", place=42, embedding=[0.8, 0.6])
    chosen = choose(known, again, other)
    assert {entry.ref for entry in chosen.entries} == {known.ref, other.ref}
    (reason,) = (row.reason for row in chosen.left_out if row.ref == again.ref)
    assert reason == f"already said by {known.ref}"


@pytest.mark.parametrize(
    "another",
    [
        "The new rope of the Meadow crane costs 5 euros a metre.",
        "The new rope of the Harbour crane costs 7 euros a metre.",
    ],
)
def test_what_names_another_thing_or_figure_in_the_same_words_is_not_said_already(another: str) -> None:
    known = memory(
        "The new rope of the Harbour crane costs 5 euros a metre.", place=40, value_score=0.9, embedding=[1.0, 0.0]
    )
    other = memory(another, place=41, embedding=[0.9, math.sqrt(1 - 0.9**2)])
    assert {entry.ref for entry in choose(known, other).entries} == {known.ref, other.ref}


def test_a_full_file_names_what_covers_most_of_a_valued_memory() -> None:
    known = memory("The crew is using Tidewatch 2.3.1 with Saltbase 3.39 at the quay.", place=40, value_score=0.9)
    again = memory(
        "The crew has Tidewatch 2.3.1 and Saltbase 3.39 running beside Galewind.", place=41, value_score=0.52
    )
    rng = random.Random(3)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    crowd = [
        memory(" ".join("".join(rng.choices(syllables, k=3)) for _ in range(9)).capitalize() + ".", place=place)
        for place in range(200)
    ]
    chosen = choose(known, again, *crowd)
    reason = next(row.reason for row in chosen.left_out if row.ref == again.ref)
    assert reason.startswith("no room: ") and reason.endswith(f"the words that tell most of it stand in {known.ref}")
    assert again.ref in {entry.ref for entry in choose(again, *crowd).entries}
    assert again.ref in {entry.ref for entry in choose(known, replace(again, by_editor=True), *crowd).entries}


@pytest.mark.parametrize(
    ("text", "known", "near", "is_said"),
    [
        ("Ana wants to open a dance school to teach children the dance.", {}, 0.7, True),
        ("Ana wants to open a dance school to teach children the dance.", {}, 0.55, False),
        ("Ana wants to open a dance school with Ruth to teach children the dance.", {}, 0.7, False),
        ("Ana wants to open a dance school to teach 40 children the dance.", {}, 0.7, False),
        ("Ana is away on Mondays and plays the organ in a church.", {}, 0.7, False),
        ("Ana wants to open a dance school to teach children the dance.", {"label": "Ben"}, 0.7, False),
        ("Ana wants to open a dance school to teach children the dance.", {"section": "tasks"}, 0.7, False),
    ],
)
def test_the_same_matter_in_other_words_is_said_already(
    text: str, known: dict[str, str], near: float, is_said: bool
) -> None:
    one, entry = read(
        memory(text, place=5, embedding=[near, (1 - near**2) ** 0.5], **known),
        memory("Ana opens a dance school for children in spring.", place=5, embedding=[1.0, 0.0]),
    )
    assert beside(entry).wholly_by(one) == ([entry.entry.ref] if is_said else [])
