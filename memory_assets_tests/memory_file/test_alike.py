"""What an entry says already: looked up, and the same as comparing it with each."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.alike import Alike, says_the_same
from memory_assets.memory_file.candidates import FileRules, Memory
from memory_assets.memory_file.items import Reading
from memory_assets.memory_file.sizes import Sizes
from memory_assets.text.lines import _INVISIBLE, one_line
from memory_assets_tests.memory_file.pools import memory

TEXTS = (
    "Maria plays the cello in Porto.",
    "maria plays the cello in Porto.",
    "Maria never plays the cello in Porto.",
    "The cello in Porto.",
    "Hello all: maria plays the cello in Porto. Trains go from Graz to Ulm.",
    "Send the invoice for the ladder by 3 October.",
    "The ladder's invoice is due on 3 October.",
    "Trains go from Graz to Ulm.",
    "Trains go from Ulm to Graz.",
    "The rota has 12 names.",
)
WIDTHS = (0, 4, 8)


def near(seed: int, width: int, angle: float) -> list[float] | None:
    """A vector beside one of three directions; none of width 0."""
    if not width:
        return None
    chance = random.Random(seed % 3)
    base = [chance.gauss(0, 1) for _ in range(width)]
    return [value + angle * math.sin(place + seed) for place, value in enumerate(base)]


entries = st.lists(
    st.builds(
        lambda text, section, seed, width, angle, label: (text, section, near(seed, width, angle), label),
        st.sampled_from(TEXTS),
        st.sampled_from(("tasks", "insights")),
        st.integers(0, 20),
        st.sampled_from(WIDTHS),
        st.floats(0, 1),
        st.sampled_from((None, "Ana", "Ben")),
    ),
    min_size=2,
    max_size=14,
)


@settings(max_examples=60)
@given(entries)
def test_what_is_looked_up_is_what_comparing_each_pair_finds(
    told: list[tuple[str, str, list[float] | None, str | None]],
) -> None:
    pool: list[Memory] = [
        memory(text, section, place, embedding=vector, label=label)
        for place, (text, section, vector, label) in enumerate(told)
    ]
    rules = FileRules()
    items = Reading("maria", Sizes("maria", count_tokens, rules), rules).prepare(pool)
    alike = Alike(items, rules.near_duplicate)
    chosen = items[: len(items) // 2]
    for item in chosen:
        alike.add(item)
    for item in items[len(items) // 2 :]:
        each = next((other for other in chosen if says_the_same(item, other, rules.near_duplicate)), None)
        assert alike.first(item, chosen) is each


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
