"""What may travel into the graph, and how it arrives there."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.batches import in_batches
from memory_assets.errors import GraphRowError
from memory_assets.graph.graph import BATCH_BYTES, reason_of
from memory_assets.graph.values import clean_text, plain, prepare_parameters, prepare_rows, read_instant, weight
from memory_assets.model import State

NOON = datetime(2026, 5, 3, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("given_value", "sent"),
    [
        (None, None),
        (float("nan"), None),
        (True, True),
        (np.bool_(True), True),
        (np.int64(7), 7),
        (np.float32(0.5), 0.5),
        (np.str_("x"), "x"),
        (State.CORE, "core"),
        (Path("a/b"), "a/b"),
        (NOON, "2026-05-03T10:00:00.123Z"),
        (datetime(1900, 1, 1, tzinfo=UTC), "1900-01-01T00:00:00.000Z"),
        (date(2026, 5, 3), "2026-05-03"),
        ("a\x00b", "a\ufffdb"),
        ("a\ud83d", "a\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("\u202eمرحبا\u200b", "\u202eمرحبا\u200b"),
        ((1, 2), [1, 2]),
        ({"b", "a"}, ["a", "b"]),
        ([1, 2.5], [1.0, 2.5]),
        (np.array([0.5, 0.25], dtype=np.float32), [0.5, 0.25]),
        (np.array([]), []),
    ],
)
def test_a_value_arrives_as_what_a_property_holds(given_value: Any, sent: Any) -> None:
    arrived = prepare_parameters("room/query", {"x": given_value})["x"]
    assert arrived == sent
    assert type(arrived) is type(sent)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"a": 1}, "is a map"),
        ([[1], [2]], "nested"),
        (np.zeros((2, 2)), "nested"),
        ([{"a": 1}], "nested"),
        ([1, "a"], "mixed types"),
        ([True, 1], "mixed types"),
        (["a", None], "missing item"),
        (2**63, "64 bits"),
        (float("inf"), "infinite"),
        (b"x", "bytes"),
        (object(), "object"),
    ],
)
def test_what_no_property_can_hold_is_refused_by_row_and_field(value: Any, reason: str) -> None:
    with pytest.raises(GraphRowError, match=reason) as refused:
        prepare_rows("room/query", [{"ok": 1}, {"ok": 1, "bad": value}])
    assert "room/query: row 1 of $rows, field 'bad'" in str(refused.value)


@given(st.text(st.characters()))
def test_any_text_becomes_utf8_and_good_text_stays(text: str) -> None:
    cleaned = clean_text(text)
    assert "\x00" not in cleaned
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert clean_text(cleaned) == cleaned


@given(st.lists(st.integers(0, 3_000_000), max_size=30), st.integers(1, 7))
def test_batches_keep_all_rows_in_order_and_stay_bounded(sizes: list[int], most: int) -> None:
    rows = [{"text": "x" * (size // 2)} for size in sizes]
    parts = list(in_batches(rows, most, weight, BATCH_BYTES))
    assert [row for part in parts for row in part] == rows
    for part in parts:
        assert len(part) <= most
        assert len(part) == 1 or sum(len(row["text"]) * 2 for row in part) <= BATCH_BYTES


@pytest.mark.parametrize(
    "words",
    [
        "Error executing Cypher command: UNWIND ...\nQuery heap budget exceeded: the in-heap ORDER BY needs 2MB more",
        "java.lang.OutOfMemoryError: Java heap space",
    ],
)
def test_an_engine_without_memory_says_what_to_do(words: str) -> None:
    said = reason_of(RuntimeError(words))
    assert said.startswith("its memory is too small for this. Set MEMORY_ASSETS_GRAPH_HEAP to more")
    assert said.endswith(words)
    assert reason_of(RuntimeError("No such label")) == "No such label"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=40))
def test_lists_of_numbers_travel_as_they_are(numbers: list[float]) -> None:
    (sent,) = prepare_rows("rows", [{"numbers": tuple(numbers)}])
    assert sent["numbers"] == numbers
    assert plain((numbers, [*numbers, None])) == [numbers, [*numbers, None]]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_none_is_refused_among_numbers(bad: float) -> None:
    with pytest.raises(GraphRowError, match="numbers"):
        prepare_rows("rows", [{"numbers": [0.5, bad, 0.25]}])


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-20T12:00Z", datetime(2026, 11, 20, 12, tzinfo=UTC)),
        ("2026-11-20T12:00:00Z", datetime(2026, 11, 20, 12, tzinfo=UTC)),
        ("2026-11-20T12:00:01.123000000Z", datetime(2026, 11, 20, 12, 0, 1, 123000, tzinfo=UTC)),
        ("2026-11-20T13:30:00+01:30", datetime(2026, 11, 20, 12, tzinfo=UTC)),
        ("2026-11-20T12:00", datetime(2026, 11, 20, 12, tzinfo=UTC)),
        ("+12026-11-20T12:00Z", None),
        (None, None),
    ],
)
def test_an_engines_text_of_an_instant_is_read(text: str | None, instant: datetime | None) -> None:
    assert read_instant(text) == instant
