"""Batches of work: everything once, in order, and never more than fits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.batches import in_batches


@pytest.mark.parametrize(
    ("sizes", "made"),
    [
        ([], []),
        ([1, 1, 1, 1], [[1, 1, 1], [1]]),  # three in a batch
        ([4, 6, 1], [[4, 6], [1]]),  # ten in size
        ([11, 1, 30, 2], [[11], [1], [30], [2]]),  # what is too large is alone
        ([0, 0, 10, 0], [[0, 0, 10], [0]]),
    ],
)
def test_batches_end_at_a_number_or_a_size(sizes: list[int], made: list[list[int]]) -> None:
    assert [list(one) for one in in_batches(sizes, 3, int, largest=10)] == made


@given(st.lists(st.integers(0, 50)), st.integers(1, 9), st.integers(1, 100))
def test_batches_lose_nothing_and_stay_bounded(sizes: list[int], most: int, largest: int) -> None:
    made = [list(one) for one in in_batches(sizes, most, int, largest)]
    assert [size for one in made for size in one] == sizes
    assert all(one and len(one) <= most and (len(one) == 1 or sum(one) <= largest) for one in made)
