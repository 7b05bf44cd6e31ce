"""What cycles have cut is judged by its audits: all of it once a day, what is new each time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_assets.clock import to_iso
from memory_assets.curation.checks import judge_new_cuts
from memory_assets.curation.rails import judge_retirements
from memory_assets.curation.restoring import list_cuts
from memory_assets.curation.stops import Judged, resume, why_stopped
from memory_assets.graph.graph import Graph
from memory_assets_tests.curation.records import record, run, seed
from memory_assets_tests.curation.test_tombstones import NOW as CUT
from memory_assets_tests.curation.test_tombstones import prune

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)
HOUR, DAY, KEEPS = timedelta(hours=1), timedelta(days=1), timedelta(days=30)


def cuts(
    graph: Graph, user: str, at: datetime, count: int = 1, ttl_policy: str = "decay", action: str = "prune"
) -> None:
    given = {"id": f"{user}:{ttl_policy}:{at:%d%H%M}:", "at": to_iso(at), "count": count, "ttl_policy": ttl_policy}
    given |= {"action": action}
    run(graph, "seed_cuts", user_id=user, **given)


@contextmanager
def rows_read(graph: Graph) -> Iterator[list[dict[str, Any]]]:
    """The audits that are read."""
    seen: list[dict[str, Any]] = []
    each = graph.read_each

    def listening(name: str, make: Any, **params: Any) -> Any:
        return each(name, lambda row: (seen.append(row), make(row))[1], **params)

    graph.read_each = listening  # type: ignore[method-assign, assignment]
    try:
        yield seen
    finally:
        del graph.read_each


def audits_read(graph: Graph, user: str, at: datetime) -> int:
    """How many are read to judge what nothing is wrong with."""
    with rows_read(graph) as seen:
        assert judge_new_cuts(graph, user, at) == []
    return sum("memory_id" in row for row in seen)


def test_the_oldest_of_more_than_ten_thousand_is_judged(graph: Graph, user: str) -> None:
    cuts(graph, user, NOW - 20 * DAY, 1, "keep_forever")
    cuts(graph, user, NOW - DAY, 10_050)
    assert [row["protected_by"] for row in judge_new_cuts(graph, user, NOW)] == ["is_kept_forever"]
    assert len(list_cuts(graph, user, NOW - 2 * DAY)) == 10_050


def test_the_oldest_of_more_than_ten_thousand_retirements_is_judged(graph: Graph, user: str) -> None:
    cuts(graph, user, NOW - 20 * DAY, 1, "keep_forever", "retire")
    cuts(graph, user, NOW - DAY, 10_050, action="retire")
    found = graph.read_each("curation/list_retirements", lambda row: judge_retirements([row]), user_id=user)
    assert [row["protected_by"] for each in found for row in each] == ["is_kept_forever"]


def test_a_run_reads_what_is_new_and_once_a_day_all(graph: Graph, user: str) -> None:
    cuts(graph, user, NOW - 10 * DAY, 5)
    cuts(graph, user, NOW - HOUR / 2, 2)
    for at, wanted in ((NOW, 7), (NOW + HOUR / 4, 2), (NOW + 3 * HOUR, 2), (NOW + 6 * HOUR, 0), (NOW + DAY, 7)):
        assert audits_read(graph, user, at) == wanted, at
    assert audits_read(graph, user, NOW - HOUR) == 7, "the clock was set back"


def test_what_was_found_is_found_until_a_person_has_looked(graph: Graph, user: str) -> None:
    assert judge_new_cuts(graph, user, NOW) == []
    cuts(graph, user, NOW + HOUR, 1, "keep_forever")
    for hours in (1, 2, 30):
        assert len(judge_new_cuts(graph, user, NOW + hours * HOUR)) == 1
        assert why_stopped(graph, user) is not None
    assert resume(graph, user, NOW + 31 * HOUR)
    assert judge_new_cuts(graph, user, NOW + 31 * HOUR) == []
    cuts(graph, user, NOW + 32 * HOUR, 1, "keep_forever")
    assert len(judge_new_cuts(graph, user, NOW + 33 * HOUR)) == 1


def test_a_cut_is_among_those_that_are_judged(graph: Graph, user: str) -> None:
    seed(graph, user, [record(user)])
    assert prune(graph, user, [user]) == {user}
    assert audits_read(graph, user, CUT) == 1


@pytest.mark.parametrize(
    ("whole", "at", "wanted"),
    [
        (None, None, NOW - KEEPS),
        (NOW - HOUR, NOW - HOUR / 2, NOW - HOUR / 2 - HOUR),
        (NOW - DAY + HOUR, NOW, NOW - HOUR),
        (NOW - DAY, NOW, NOW - KEEPS),
        (NOW - HOUR, NOW + HOUR, NOW - KEEPS),
    ],
)
def test_since_when(whole: datetime | None, at: datetime | None, wanted: datetime) -> None:
    assert Judged(whole, at).since(NOW, KEEPS) == wanted
