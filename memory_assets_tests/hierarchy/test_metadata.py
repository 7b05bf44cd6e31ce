"""What storylines and macros show."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from memory_assets.graph.graph import Graph
from memory_assets.hierarchy import metadata
from memory_assets_tests.hierarchy.test_promotion import CLOCK, MOORING, SAILS, materialize, seed
from memory_assets_tests.support.pictures import picture_in
from memory_assets_tests.support.storylines import stored_storylines

DAY = datetime(2026, 5, 3, tzinfo=UTC)


def storyline(title: str, first: int, last: int) -> dict[str, object]:
    return {
        "title": title,
        "anchor": "Boat",
        "source_count": 5,
        "distinct_source_days": 4,
        "first_source_at": DAY + timedelta(days=first),
        "last_source_at": DAY + timedelta(days=last),
    }


def test_storylines_are_numbered_in_the_table_and_in_the_picture() -> None:
    rows = [storyline("A|B", 0, 9), storyline("Sails", 20, 80)]
    shown = metadata.describe_storylines(Counter(named=2, failed=1, stories=7), 31, rows)
    assert (shown["named"], shown["failed"], shown["retired"], shown["stories"]) == (2, 1, 0, 7)
    assert shown["storylines_in_all"] == 31
    assert shown["largest"].splitlines() == [
        "| # | storyline | about | sources | days | from | to |",
        "|---:|---|---|---:|---:|---|---|",
        "| 1 | A\\|B | Boat | 5 | 4 | 2026-05-03 | 2026-05-12 |",
        "| 2 | Sails | Boat | 5 | 4 | 2026-05-23 | 2026-07-22 |",
    ]
    words, picture = picture_in(shown["over_time"])
    assert words.endswith("from 2026-05-03 to 2026-07-22; the longest is number 2 with 61 days")
    longer = metadata.describe_storylines(Counter(), 31, [rows[0], storyline("Sails", 10, 80)])["over_time"]
    assert picture_in(longer)[1].tobytes() != picture.tobytes()


def test_macros_without_times_have_a_table_and_no_picture() -> None:
    macro = {"title": "Music", "anchor": "cello", "storyline_count": 2, "total_source_count": 9}
    undated = macro | {"first_event_at": None, "last_event_at": None}
    shown = metadata.describe_macros(Counter(users_unchanged=1), 1, [undated])
    assert shown["largest"].splitlines()[-1] == "| 1 | Music | cello | 2 | 9 |  |  |"
    assert "over_time" not in shown
    assert shown["note"] == "nothing that the macros are made of has changed since the last run"
    dated = macro | {"first_event_at": DAY, "last_event_at": DAY + timedelta(days=40)}
    assert "1 macros with the most sources" in metadata.describe_macros(Counter(), 1, [dated])["over_time"]


def test_nothing_yet_is_said_by_numbers_alone() -> None:
    shown = metadata.describe_storylines(Counter(left_by_budget=3), 0, [])
    assert shown["stopped"] == "by the budget: 3 wait for their names until the next run"
    assert "largest" not in shown and "over_time" not in shown


@pytest.mark.graph
def test_what_is_shown_is_read_from_one_users_graph(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS + MOORING)
    counts, themes = materialize(graph, user)
    written = [row["id"] for row in stored_storylines(graph, user)]
    made = metadata.read_made(graph, user, written, CLOCK.now())
    shown = metadata.describe_storylines(counts, *metadata.read_storylines(graph, user), made)
    assert (shown["named"], shown["storylines_in_all"]) == (2, 2)
    assert "Boat | new | 5 sources on 5 days |" in shown["made_now"]
    assert metadata.read_made(graph, f"{user}-other", written, CLOCK.now()) == []
    assert "| 1 | Boat 5, 1 to 5 January 2026 | Boat | 5 | 5 | 2026-01-01 | 2026-01-05 |" in shown["largest"]
    assert "2 storylines with the most sources" in picture_in(shown["over_time"])[0]
    written = [row["id"] for row in graph.read("hierarchy/list_macros", user_id=user)]
    made = metadata.read_made(graph, user, written, CLOCK.now())
    shown = metadata.describe_macros(themes, *metadata.read_macros(graph, user), made)
    assert "Boat | new | 2 storylines over 44 days, 10 sources |" in shown["made_now"]
    assert (shown["named"], shown["macros_in_all"]) == (1, 1)
    assert "| 2 | 10 | 2026-01-01 | 2026-02-14 |" in shown["largest"]
    assert metadata.read_macros(graph, f"{user}-other") == (0, [])
