"""A process that is killed at a call, as a test plays it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


class KilledError(BaseException):
    """Nobody catches it: whatever was not committed is not there."""


@contextmanager
def stopped_after(steps: int, calls: Iterable[tuple[Any, str]]) -> Iterator[list[int]]:
    """After so many of these calls (of whom, by name) nothing more is done; how many were left."""
    left = [steps]

    def counting(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **given: Any) -> Any:
            if left[0] == 0:
                raise KilledError
            left[0] -= 1
            return call(*args, **given)

        return counted

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in calls:
            patch.setattr(owner, name, counting(getattr(owner, name)))
        yield left
