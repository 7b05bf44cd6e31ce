"""Which macros storylines make up: two storylines, thirty days (specification 004)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory_assets.hierarchy.themes import Part, group_macros

START = datetime(2026, 1, 1, 9, tzinfo=UTC)


def storyline(name: str, first: float, last: float, anchor: str = "a") -> Part:
    at = [START + timedelta(days=day) for day in (first, last)]
    return Part(name, anchor, anchor, 0.8, name, f"About {name}.", at[0], at[1], 5)


@pytest.mark.parametrize(
    ("spans", "found"),
    [
        (((0, 10), (20, 30)), 1),
        (((0, 10), (20, 29.9)), 0),
        (((0, 40),), 0),  # one storyline
        (((0, 5), (0, 30)), 1),  # side by side
        (((0, 5), (10, 15), (20, 31)), 1),
    ],
)
def test_two_storylines_over_thirty_days_make_a_macro(spans: tuple[tuple[float, float], ...], found: int) -> None:
    storylines = [storyline(f"t{n}", *span) for n, span in enumerate(spans)]
    assert len(group_macros(storylines)) == found == len(group_macros(reversed(storylines)))


def test_storylines_of_two_anchors_make_no_macro() -> None:
    assert group_macros([storyline("one", 0, 10, "a"), storyline("two", 50, 60, "b")]) == ()


def test_a_macro_counts_what_it_groups() -> None:
    (theme,) = group_macros([storyline("late", 50, 60), storyline("early", 0, 10)])
    assert [part.id for part in theme.storylines] == ["early", "late"]
    assert (theme.first_at, theme.last_at) == (START, START + timedelta(days=60))
    assert theme.total_source_count == 10


def test_every_anchor_has_its_macro_however_many_there_are() -> None:
    storylines = [
        storyline(f"t{anchor:03}-{n}", n * 40, n * 40 + 5, f"a{anchor:03}") for anchor in range(70) for n in range(2)
    ]
    assert len(group_macros(storylines)) == 70
