"""What says the same: pairs as people have judged them, and what follows from any pool."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.alike import find_repeated, is_held_by, say_the_same
from memory_assets.memory_file.candidates import FileRules, Memory
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Sizes
from memory_assets.memory_file.items import Item, Reading
from memory_assets.text.lines import _INVISIBLE, one_line
from memory_assets_tests.memory_file.pools import memory


def read(*memories: Memory) -> list[Item]:
    """The memories as items, in their order, repetitions among them."""
    sizes = Sizes("maria", count_tokens, PRESETS[DEFAULT_PRESET])
    return [item for one in memories for item in Reading("maria", [one], sizes, FileRules()).items]


def at(cosine: float) -> list[float]:
    """A vector that lies so near to [1, 0]."""
    return [cosine, math.sqrt(1 - cosine * cosine)]


@pytest.mark.parametrize(
    ("one", "other", "cosine", "same"),
    [
        ("I use the debugger for diagnosis of errors.", "The debugger is for errors' diagnosis.", 0.97, True),
        ("Reason: 35 of 41 bells were needless at night.", "35 of 41 bells were needless by night.", 0.95, True),
        ("Upload a file to the harbour office.", "Upload an image to the harbour office.", 0.95, False),
        ("The harbour office of Ben is in Ghent.", "The harbour office of Ben is in Ulm.", 0.96, False),
        ("I met Ana Holt at the fair in Porto.", "I met Ben Holt at the old fair in Ulm.", 0.96, False),
        ("The tide gauge reads 4 metres at the quay.", "The tide gauge reads 5 metres at the quay.", 0.99, False),
        ("Ana never swims in the harbour.", "Ana swims in the harbour.", 0.99, False),
        ("Trains go from Graz to Ulm.", "Trains go from Ulm to Graz.", 0.99, False),
        ("What else helps you out?", "It has really helped me out.", 0.41, False),
        ("A pottery class in the harbour was fun.", "The harbour has a pottery class, what fun!", 0.5, False),
    ],
)  # fmt: skip
def test_the_same_is_what_a_reader_calls_the_same(one: str, other: str, cosine: float, same: bool) -> None:
    first, second = read(memory(one, embedding=[1.0, 0.0]), memory(other, place=1, embedding=at(cosine)))
    assert say_the_same(first, second) is say_the_same(second, first) is same


@pytest.mark.parametrize(
    ("part", "whole", "cosine", "held"),
    [
        ("Tidewatch launches on 3 November.", "The launch of Tidewatch in the harbour is on 3 November.", 0.86, True),
        ("I need the book list of the club.", "Hello. I need the book list of the club. Thanks!", 0.2, True),
        ("I made it in pottery class yesterday.", "Signed up for a pottery class yesterday.", 0.8, False),
        ("Alert fatigue again.", "Ben says that alert fatigue is the biggest problem.", 0.9, False),
        ("The cello and the harbour light.", "The cello was in the harbour, and no light.", 0.9, False),
    ],
)  # fmt: skip
def test_one_holds_another_that_says_nothing_else(part: str, whole: str, cosine: float, held: bool) -> None:
    first, second = read(memory(part, embedding=[1.0, 0.0]), memory(whole, place=1, embedding=at(cosine)))
    later, earlier = read(memory(part, place=1, embedding=[1.0, 0.0]), memory(whole, embedding=at(cosine)))
    assert is_held_by(later, earlier) is (held and later.folded in earlier.folded), "what is newer may be another state"
    assert is_held_by(first, second) is held
    assert not is_held_by(second, first)


def test_one_task_with_one_day_is_one_in_whatever_words() -> None:
    texts = (
        "Write the handover by Friday 4 December.",
        "Handover for Priya by 2026-12-04",
        "Lunch with Priya on 2026-12-04",
    )
    one, other, lunch = read(*(memory(text, "tasks", place) for place, text in enumerate(texts)))
    assert not say_the_same(other, lunch) and not say_the_same(one, lunch)
    assert not say_the_same(one, other), "one shared word is none"
    (longer,) = read(memory("Write the handover document by Friday 4 December.", "tasks"))
    (short,) = read(memory("Handover document for Priya by 2026-12-04", "tasks"))
    assert say_the_same(longer, short)


@pytest.mark.parametrize(
    ("text", "another"),
    [
        ("Send the signed contract to Ben by 12 May.", "Send the signed contract to Ana by 12 May."),
        ("Pay invoice 17 of the roofer by 12 May.", "Pay invoice 18 of the roofer by 12 May."),
        (
            "Send the signed contract to the bank by 12 May.",
            "Do not send the signed contract to the bank before 12 May.",
        ),
    ],
)
def test_two_tasks_with_one_day_are_two(text: str, another: str) -> None:
    one, other = read(memory(text, "tasks"), memory(another, "tasks", 1))
    assert not say_the_same(one, other) and not say_the_same(other, one)


@pytest.mark.parametrize(("source", "speaker"), [("a", None), ("b", None), (None, None), ("a", "Tom")])
def test_what_is_restated_is_said_by_what_quotes_it_with_more(source: str | None, speaker: str | None) -> None:
    said, restated = "I know he prefers us to the doctor.", "Ana knows Ben Holt prefers Ana and others to the doctor."
    around = f"Ana wrote to Tom about “a cat”: “Dad came by. {said} He stays till May.”"
    told, quote = read(
        memory(said, statement=restated, source_id=source and "a", label=speaker),
        memory("He stays till May.", place=1, statement=around, source_id=source),
    )
    assert find_repeated([told, quote]) == ({told.memory_id: quote} if (source, speaker) == ("a", None) else {})


def test_another_persons_words_say_nothing_for_the_owner() -> None:
    text = "The cello lesson in Porto is great fun"
    near = {"embedding": [1.0, 0.0]}
    mine, bens, notes = read(
        memory(text, said_by_owner=True, **near), memory(f"{text}!", label="Ben", **near), memory(text, place=2, **near)
    )
    assert not say_the_same(mine, bens) and say_the_same(mine, notes)


@pytest.mark.parametrize(("section", "place"), [("insights", 2), ("preferences", 0)])
def test_the_newest_is_there_and_of_wishes_the_first(section: str, place: int) -> None:
    items = read(*(memory("Pears are nice", section, at, embedding=[1.0, 0.0]) for at in (0, 1, 2)))
    assert set(find_repeated(items).values()) == {items[place]}


def test_what_a_person_wrote_comes_before_what_says_the_same() -> None:
    written = memory("Pears are nice", embedding=[1.0, 0.0], by_editor=True)
    items = read(written, memory("Pears are nice", place=9, embedding=[1.0, 0.0]))
    assert find_repeated(items) == {items[1].memory.memory_id: items[0]}


TEXTS = (
    "Maria plays the cello in Porto.",
    "maria plays the cello in Porto.",
    "Maria never plays the cello in Porto.",
    "Hello all: maria plays the cello in Porto. Trains go from Graz to Ulm.",
    "Send the invoice for the ladder by 3 October.",
    "The ladder's invoice is due on 3 October.",
    "Trains go from Graz to Ulm.",
    "Trains go from Ulm to Graz.",
)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from(TEXTS), st.sampled_from(("tasks", "insights")), st.floats(0, 1), st.booleans()),
        max_size=14,
    ),
    st.randoms(use_true_random=False),
)
def test_what_another_repeats_says_it_and_repeats_none(
    facts: list[tuple[str, str, float, bool]], rng: random.Random
) -> None:
    pool = [
        memory(text, section, place, embedding=at(cosine), is_standing=is_order, said_by_owner=True)
        for place, (text, section, cosine, is_order) in enumerate(facts)
    ]
    items = read(*pool)
    found = find_repeated(items)
    known = {item.memory_id: item for item in items}
    for name, other in found.items():
        assert other.memory_id not in found
        assert other.memory.is_standing or not known[name].memory.is_standing
        assert known[name].days == other.days or known[name].polarity[0] == other.polarity[0]
    rng.shuffle(items)
    assert find_repeated(items) == found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two  words\n", "two words"),
        ("na\u00efve caf\u00e9", "na\u00efve caf\u00e9"),
        ("a\u2800 b\u3164", "a b"),
        ("zero\u200bwidth", "zerowidth"),
        ("bell\x07 rings", "bell rings"),
        ("\ud800", "\ufffd"),
        ("private \ue000", "private \ue000"),
    ],
)
def test_a_line_loses_only_what_nobody_sees(text: str, shown: str) -> None:
    assert one_line(text) == shown
    assert not _INVISIBLE.search(one_line(text))
