"""What says again what is said already."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.text.repeating import Said

TIMER = "The watering timer in src/timer.py counts in seconds, because minutes drifted."


def said(*texts: str) -> Said:
    found = Said()
    for text in texts:
        found.add(text)
    return found


@pytest.mark.parametrize(
    "text",
    [
        TIMER,
        f"From memory: - {TIMER} [482915037]",
        f"- Decisions, 2026-11-01: {TIMER}",
        "As you decided, the watering timer counts in seconds because minutes drifted.",
        "You said that the watering timer counts in seconds because minutes drifted",
        "So the watering timer in src/timer.py counts in seconds!",
    ],
)
def test_a_quotation_is_said_already_whatever_leads_in_to_it(text: str) -> None:
    assert said("I keep bees in Zagreb.", TIMER).has(text)


@pytest.mark.parametrize(
    "text",
    [
        "The watering timer counts in seconds because minutes drifted, and the valve leaks.",
        "In winter, the watering timer counts in seconds because minutes drifted.",
        "The watering timer in src/timer.py counts in hours, because minutes drifted.",
        "The watering timer in src/timer.py never counts in seconds, because minutes drifted.",
        "Does the watering timer in src/timer.py count in seconds, because minutes drifted?",
        "The pump of the fountain in Graz: the watering timer counts in seconds because minutes drifted.",
        "Minutes drifted in seconds, because the watering timer counts.",
        "The timer counts in seconds.",
        "Seconds.",
        "",
    ],
)
def test_what_adds_or_turns_something_is_new(text: str) -> None:
    assert not said("I keep bees in Zagreb.", TIMER).has(text)


def test_all_wordings_of_what_is_said_count() -> None:
    found = Said()
    found.add("I keep bees in Zagreb.", "Mara Lind keeps bees in Zagreb.", None, "")
    assert found.has("You keep bees in Zagreb.") and found.has("Mara Lind keeps bees in Zagreb.")
    assert not found.has("Nora Lind keeps bees in Zagreb.")


@given(st.text(max_size=80))
def test_any_text_can_be_asked_about(text: str) -> None:
    assert not Said().has(text)
    assert not said(text).has(f"{text} zanzibar barometer octavia")
