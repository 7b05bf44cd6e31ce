"""Prices, and the budget that stops a run before it spends more than it may.

A call first reserves the most that it can cost; when it is done, what it did cost takes the
reservation's place. A call that finds the rest of the budget reserved by others waits for them.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory_assets.errors import BudgetExceededError

_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_SLACK = 1e-12  # sums of floats: a budget that fits exactly fits


@dataclass(frozen=True)
class Price:
    """USD per million tokens."""

    tokens_in: float
    tokens_out: float

    def of(self, tokens_in: int, tokens_out: int = 0) -> float:
        """What so many tokens cost."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1_000_000


@cache
def _table() -> dict[str, Price]:
    rows = json.loads((Path(__file__).with_name("prices.json")).read_text("utf-8"))["models"]
    return {name: Price(row["in"], row["out"]) for name, row in rows.items()}


def price_of(model: str) -> Price | None:
    """The price of a model (a dated release has its family's), or None when it is not in the table."""
    return _table().get(_DATED.sub("", model.removeprefix("openai/")))


class Reservation:
    """A part of the budget, held until its call is done."""

    def __init__(self, amount: float) -> None:
        self.amount = amount
        self.spent = 0.0


class Budget:
    """What one run may spend; None is without limit. Shared by its language model and its embedder."""

    def __init__(self, limit_usd: float | None) -> None:
        self.limit_usd = limit_usd
        self._spent = 0.0
        self._reserved = 0.0
        self._change = threading.Condition()

    @property
    def spent_usd(self) -> float:
        """What the finished calls cost."""
        with self._change:
            return self._spent

    @contextmanager
    def reserve(self, most_usd: float) -> Iterator[Reservation]:
        """Hold ``most_usd`` while a call runs; its real cost is put into ``.spent`` by the caller."""
        self._take(most_usd)
        reservation = Reservation(most_usd)
        try:
            yield reservation
        finally:
            with self._change:
                self._reserved -= reservation.amount
                self._spent += reservation.spent
                self._change.notify_all()

    def _take(self, most_usd: float) -> None:
        with self._change:
            if self.limit_usd is not None:
                while self._spent + self._reserved + most_usd > self.limit_usd + _SLACK:
                    alone = self._spent + most_usd > self.limit_usd + _SLACK
                    if alone or self._reserved <= _SLACK:
                        # A call that alone is too much for a whole run's budget is so for every run's.
                        again = "" if most_usd > self.limit_usd else ", or run again (answers so far are cached)"
                        raise BudgetExceededError(
                            f"The next call may cost up to {most_usd:.4f} USD, and {self._spent:.4f} of this "
                            f"run's {self.limit_usd:.4f} USD are spent: it was not asked. Raise "
                            f"MEMORY_ASSETS_BUDGET_USD{again}."
                        )
                    self._change.wait()
            self._reserved += most_usd
