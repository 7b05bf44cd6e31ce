"""Which failures may pass, and how long each waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.errors import (
    BudgetExceededError,
    CutAnswerError,
    GraphUnavailableError,
    ModelError,
    ModelUnavailableError,
    SourceUnreadableError,
)
from memory_assets.llm.connection import RefusedKeyError, UnreachableError
from memory_assets.runtime.failures import FIRST_PAUSE, LONGEST_PAUSE, may_pass, next_attempt, pause_after

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (ModelUnavailableError("429: come back later"), True),
        (ModelUnavailableError("500"), True),
        (ModelUnavailableError("no answer within 120 seconds"), True),
        (UnreachableError("nobody answers at the address"), True),
        (GraphUnavailableError("the graph is away"), True),
        (CutAnswerError("half a document"), True),
        (TimeoutError(), True),
        (ConnectionResetError(), True),
        (ModelError("it declined"), False),
        (ModelError("the answer has another schema"), False),
        (ModelError("the input is too long, even in parts"), False),
        (RefusedKeyError("401"), False),
        (BudgetExceededError("spent"), False),
        (SourceUnreadableError("it is empty"), False),
        (ValueError("it could not be cleaned"), False),
        (RecursionError(), False),
    ],
)
def test_what_may_pass_is_tried_again_and_nothing_else(error: Exception, passes: bool) -> None:
    assert may_pass(error) is passes
    assert next_attempt(error, 1, NOW) == (NOW + FIRST_PAUSE if passes else None)


def test_the_pauses_grow_by_four_up_to_a_week() -> None:
    hours = [pause_after(attempts) / timedelta(hours=1) for attempts in range(1, 8)]
    assert hours == [1, 4, 16, 64, 168, 168, 168]


@given(st.integers(1, 10**6))
def test_a_pause_never_shrinks_and_never_leaves_its_bounds(attempts: int) -> None:
    assert FIRST_PAUSE <= pause_after(attempts) <= pause_after(attempts + 1) <= LONGEST_PAUSE
    assert pause_after(attempts + 1) <= 4 * pause_after(attempts)
