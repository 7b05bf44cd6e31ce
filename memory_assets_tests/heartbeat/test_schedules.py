"""Schedules: what can be written, and when the next slot is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.heartbeat.schedules import ScheduleError, parse_schedule

FRIDAY_NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("every 2 hours", "2026-11-20T14:00"),
        ("every hour", "2026-11-20T13:00"),
        ("Every 90 minutes", "2026-11-20T13:30"),
        ("every 1h30m", "2026-11-20T13:30"),
        ("every 2 hours and 30 minutes", "2026-11-20T14:30"),
        ("every day", "2026-11-21T12:00"),
        ("every other day", "2026-11-22T12:00"),
        ("every 2 weeks", "2026-12-04T12:00"),
        ("0 9 * * 1", "2026-11-23T09:00"),
        ("*/15 * * * *", "2026-11-20T12:15"),
        ("0 12 * * *", "2026-11-21T12:00"),
        ("0 9 * * mon-fri", "2026-11-23T09:00"),
        ("cron: `30 6 1 * *`", "2026-12-01T06:30"),
        ("0 0 29 2 *", "2028-02-29T00:00"),
        ("daily", "2026-11-21T00:00"),
        ("Daily at 08:00", "2026-11-21T08:00"),
        ("@hourly", "2026-11-20T13:00"),
        ("weekly", "2026-11-23T00:00"),
        ("every month", "2026-12-01T00:00"),
        ("every weekday at 9:30", "2026-11-23T09:30"),
        ("every Monday at 5pm", "2026-11-23T17:00"),
        ("on tuesdays", "2026-11-24T00:00"),
        ("every day at 12am", "2026-11-21T00:00"),
        ("every morning", "2026-11-21T09:00"),
        ("every evening at 7:30 pm", "2026-11-20T19:30"),
        ("each afternoon", "2026-11-20T15:00"),
        ("every evening at 7", "2026-11-20T19:00"),
        ("every night at 2", "2026-11-21T02:00"),
    ],
)
def test_the_first_slot_after_an_instant(text: str, slot: str) -> None:
    assert parse_schedule(text).slot_after(FRIDAY_NOON) == datetime.fromisoformat(slot).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "every",
        "sometimes",
        "every 0 hours",
        "every -2 hours",
        "every nan hours",
        "every 1000000 weeks",
        "61 * * * *",
    ]
    + ["0 0 31 2 *", "* * * *", "every day at 25", "every monster", "0 9 * * 1 2026"],
)
def test_what_is_no_schedule_is_refused_with_the_forms_that_are(text: str) -> None:
    with pytest.raises(ScheduleError, match="cron expression of five fields"):
        parse_schedule(text)


@given(st.integers(1, 10_000), st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)))
def test_an_interval_is_one_after(minutes: int, start: datetime) -> None:
    start = start.replace(tzinfo=UTC)
    assert parse_schedule(f"every {minutes} minutes").slot_after(start) - start == timedelta(minutes=minutes)


@given(
    st.sampled_from(["*/7 * * * *", "0 9 * * 1", "15 3 1 * *", "0 0 * * 0", "daily", "every friday at 17:45"]),
    st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)),
)
def test_a_slot_lies_after_and_nothing_between(text: str, start: datetime) -> None:
    start = start.replace(tzinfo=UTC)
    schedule = parse_schedule(text)
    slot = schedule.slot_after(start)
    assert slot > start
    assert schedule.slot_after(start + (slot - start) / 2) == slot


@given(st.text(max_size=40))
def test_any_text_is_a_schedule_or_refused(text: str) -> None:
    try:
        assert parse_schedule(text).slot_after(FRIDAY_NOON) > FRIDAY_NOON
    except ScheduleError as error:
        assert str(error)
