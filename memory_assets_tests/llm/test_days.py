"""Calendar days in text, as people write them."""

from __future__ import annotations

from datetime import date

import pytest

from memory_assets.llm.local.days import day_of, days_in

NEWEST = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("text", "said", "days"),
    [
        ("Send it by 2026-11-03.", None, [date(2026, 11, 3)]),
        ("Send it by Friday 3 November.", date(2026, 10, 1), [date(2026, 11, 3)]),
        ("See you on 5 January.", date(2026, 12, 20), [date(2027, 1, 5)]),
        ("It was on December 28th.", date(2027, 1, 2), [date(2026, 12, 28)]),
        ("Born on 4 May, 1953.", date(2026, 1, 1), [date(1953, 5, 4)]),
        ("On 31 February or 2026-13-01.", date(2026, 1, 1), []),
        ("I may take 3 of them in March.", date(2026, 1, 1), []),
    ],
)
def test_days_are_read_as_people_write_them(text: str, said: date | None, days: list[date]) -> None:
    assert days_in(text, said) == days


def test_a_logs_line_is_of_its_own_day() -> None:
    assert day_of("2026-10-14: The database is PostgreSQL.", NEWEST) == date(2026, 10, 14)
    assert day_of("2027-10-14: A plan.", NEWEST) == NEWEST
