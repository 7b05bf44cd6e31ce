"""What raw_sources and processed_sources show."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.graph.graph import Graph
from memory_assets.sources import metadata
from memory_assets.sources.metadata import left_by_budget
from memory_assets.sources.process import ProcessReport
from memory_assets.sources.seen_files import IngestReport
from memory_assets_tests.support.pictures import picture_in
from memory_assets_tests.support.seeds import seed_sources, source_row


def rows(*found: tuple[str | None, str, int]) -> list[dict[str, object]]:
    return [dict(zip(("day", "kind", "sources"), row, strict=True)) for row in found]


def test_an_ingestion_shows_what_is_in_and_what_is_not() -> None:
    report = IngestReport(
        sources=5,
        new=3,
        unchanged=2,
        files=4,
        waiting=1,
        set_aside=[{"path": "/in/a|b.eml", "reason": "It is empty."}],
        line_errors=[{"path": "/in/c.jsonl", "line": 3, "reason": "no JSON"}],
        guessed=[{"path": "/in/d.txt", "encoding": "cp1252"}],
    )
    shown = metadata.describe_ingestion(report, rows(("2026-05-03", "note", 2), (None, "email", 3)))
    numbers = ("sources", "new", "unchanged", "files", "waiting", "set_aside", "broken_lines", "encodings_guessed")
    assert [shown[name] for name in numbers] == [5, 3, 2, 4, 1, 1, 1, 1]
    assert shown["set_aside_files"].splitlines()[-1] == "| /in/a\\|b.eml | It is empty. |"
    assert shown["left_out_lines"].splitlines()[-1] == "| /in/c.jsonl | 3 | no JSON |"
    assert shown["guessed_encodings"].splitlines()[-1] == "| /in/d.txt | cp1252 |"
    assert shown["sources_in_all"] == 5 and "| email | 3 |" in shown["sources_by_kind"]
    assert picture_in(shown["over_time_plot"])[0].startswith("2 sources from 2026-04-27 to 2026-04-27 by week")
    assert shown["over_time_plot"].endswith("3 sources without a date are not drawn.")


def test_an_ingestion_of_nothing_shows_no_empty_tables() -> None:
    shown = metadata.describe_ingestion(IngestReport())
    assert all(isinstance(value, int) for value in shown.values())


@pytest.mark.parametrize(
    ("days", "unit", "periods"),
    [
        (0, "week", 1),
        (20, "week", 4),
        (365, "week", 53),
        (400, "month", 14),
        (3600, "month", 119),
        (4000, "year", 12),
        (40_000, "year", 110),
    ],
)
def test_time_is_divided_as_finely_as_is_still_readable(days: int, unit: str, periods: int) -> None:
    first = date(2000, 3, 1)
    found, chosen = metadata._periods(first, first + timedelta(days=days))
    assert (chosen, len(found)) == (unit, periods)


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)), st.dates(date(1900, 1, 1), date(2199, 12, 31)))
def test_every_day_is_in_one_of_the_periods(one: date, other: date) -> None:
    first, last = sorted((one, other))
    periods, unit = metadata._periods(first, last)
    assert periods == sorted(set(periods)) and len(periods) <= 300
    for day in (first, first + (last - first) / 2, last):
        assert metadata._period(day, unit) in periods


@settings(max_examples=10)
@given(st.sets(st.dates(date(1900, 1, 1), date(2199, 12, 31)), min_size=1, max_size=300))
def test_any_times_make_one_small_picture(days: set[date]) -> None:
    shown = metadata.over_time(rows(*((day.isoformat(), "slack", 2) for day in sorted(days))))
    words, _ = picture_in(shown)
    assert words.startswith(f"{2 * len(days)} sources from ")
    assert len(shown) < 17_000


def test_a_date_that_is_centuries_away_costs_the_picture_one_bar() -> None:
    far = metadata.over_time(rows(("1601-01-01", "note", 1), ("2026-01-01", "note", 2)))
    assert picture_in(far)[0].startswith("3 sources from 1601 to 2026 by year; most in 2026: 2")


def test_without_a_single_date_there_is_a_sentence() -> None:
    assert metadata.over_time(rows((None, "note", 4))) == "4 sources without a date are not drawn."


def test_a_processing_shows_its_failures_and_what_it_left() -> None:
    report = ProcessReport(due=6, processed=3, left=2, failed=[{"id": "s1", "title": "A\nB", "reason": "refused"}])
    report.budget_note = "0.1 of 0.1 USD"
    shown = metadata.describe_processing(report, "local/1", {"processed": 4, "extracted": 6, "failed": 1, "raw": 2})
    assert {name: shown[name] for name in ("due", "processed", "unchanged", "failed", "left")} == {
        "due": 6, "processed": 3, "unchanged": 7, "failed": 1, "left": 2,
    }  # fmt: skip
    assert shown["stopped"] == "by the budget: 0.1 of 0.1 USD"
    assert shown["failures"].splitlines()[-1] == "| A B | refused | s1 |"


@pytest.mark.graph
def test_sources_are_counted_by_day_and_status(graph: Graph, user: str) -> None:
    times = ["2026-05-03T23:30:00Z", "2026-05-03T01:00:00Z", "2026-05-04T00:00:00Z", None]
    seed_sources(graph, [source_row(f"{user}-{n}", user, started_at=at) for n, at in enumerate(times)])
    seed_sources(graph, [source_row(f"{user}-x", f"{user}-other", started_at=times[0])])
    counted = {row["day"]: row["sources"] for row in metadata.read_days(graph, user)}
    assert counted == {"2026-05-03": 2, "2026-05-04": 1, None: 1}
    assert metadata.read_statuses(graph, user) == {"processed": 4}


def test_a_budget_that_ended_says_what_is_left_by_phase():
    report = ProcessReport(due=9, processed=2, left=7, budget_note="Raise MEMORY_ASSETS_BUDGET_USD, or run again.")
    statuses = {"extracted": 4, "raw": 6, "processed": 2, "failed": 1, "odd": 0}
    assert left_by_budget(report, statuses) == (
        "7 sources are left for the next run (now 6 raw, 1 failed, 2 processed, 4 extracted): "
        "Raise MEMORY_ASSETS_BUDGET_USD, or run again."
    )
