"""Prices, and the budget that stops a run before it spends more than it may.

Prices come from the file that ``MEMORY_ASSETS_PRICES`` names, then from the list of ``genai-prices``, which is asked
without the network. A model in neither has no price: its tokens are counted, and the ledger says that its money is not.

A call first reserves the most that it can cost; when it is done, what it did cost takes the
reservation's place. A call that finds the rest of the budget reserved by others waits for them.
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory_assets.errors import BudgetExceededError, SettingsError

OPENAI = "openai"
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_SLACK = 1e-12  # sums of floats: a budget that fits exactly fits


@dataclass(frozen=True)
class Price:
    """USD per million tokens. ``tokens_cached`` is what input costs that the service has seen shortly before."""

    tokens_in: float
    tokens_out: float
    tokens_cached: float | None = None

    def of(self, tokens_in: int, tokens_out: int = 0, tokens_cached: int = 0) -> float:
        """What so many tokens cost; ``tokens_cached`` of ``tokens_in`` at the price for those, where there is one."""
        cheaper = min(tokens_cached, tokens_in)
        price = self.tokens_in if self.tokens_cached is None else self.tokens_cached
        paid = (tokens_in - cheaper) * self.tokens_in + cheaper * price + tokens_out * self.tokens_out
        return paid / 1_000_000


@dataclass(frozen=True)
class ListedPrice:
    """A provider's price of a model as it is listed, by the length of the input where it depends on that."""

    provider: str
    model: str

    def of(self, tokens_in: int, tokens_out: int = 0, tokens_cached: int = 0) -> float:
        """What so many tokens cost, in USD; raises :class:`LookupError` for a model that is not listed."""
        from genai_prices import Usage, calc_price  # half a second, and only where a model costs money

        usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out, cache_read_tokens=min(tokens_cached, tokens_in))
        return float(calc_price(usage, model_ref=self.model, provider_id=self.provider).total_price)


@cache
def read_prices(path: Path) -> dict[str, Price]:
    """The prices in a file: ``{"models": {NAME: {"in": USD, "out": USD, "cached": USD}}}`` per million tokens.

    ``cached`` may be left out. Raises :class:`SettingsError` that names the file and what is wrong with it.
    """
    try:
        rows = json.loads(path.read_text("utf-8"))["models"]
        return {str(name): _price(row) for name, row in rows.items()}
    except OSError as error:
        raise SettingsError(f"MEMORY_ASSETS_PRICES: {path} cannot be read ({error.strerror}).") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(
            f"MEMORY_ASSETS_PRICES: {path} is no table of prices ({type(error).__name__}: {error}). Write it like "
            '{"models": {"name": {"in": 0.4, "out": 1.6}}}.'
        ) from None


def price_of(model: str, own: Path | None = None) -> Price | ListedPrice | None:
    """The price of a model (a dated release has its family's), or None when no list has it.

    ``own`` is the installation's file of prices, which comes first. A model is OpenAI's unless it names its provider:
    ``mistral/mistral-large-latest``.
    """
    provider, _, rest = model.rpartition("/")
    name, provider = rest, provider or OPENAI
    for known in (name, _DATED.sub("", name)):
        if own is not None and known in read_prices(own):
            return read_prices(own)[known]
    return next(
        (price for known in (_DATED.sub("", name), name) if _is_listed(price := ListedPrice(provider, known))), None
    )


@cache
def _is_listed(price: ListedPrice) -> bool:
    try:
        return price.of(1, 1) >= 0
    except LookupError:
        return False


def _price(row: dict[str, float]) -> Price:
    price = Price(float(row["in"]), float(row["out"]), float(row["cached"]) if "cached" in row else None)
    if not all(0 <= part < math.inf for part in (price.tokens_in, price.tokens_out, price.tokens_cached or 0.0)):
        raise ValueError("a price is a number from 0")
    return price


@dataclass
class Reservation:
    """A part of the budget, held until its call is done, and what the call did cost."""

    amount: float
    spent: float = 0.0


class Budget:
    """What one run may spend; None is without limit. Shared by its language models and its embedder.

    ``spent_usd`` is what the run has spent before, in a process that ended: one run has one budget.
    """

    def __init__(self, limit_usd: float | None, spent_usd: float = 0.0) -> None:
        self.limit_usd = limit_usd
        self._spent = spent_usd
        self._reserved = 0.0
        self._change = threading.Condition()

    @property
    def spent_usd(self) -> float:
        """What the finished calls cost."""
        with self._change:
            return self._spent

    def allow_unpriced(self, model: str, *, is_paid: bool) -> None:
        """Refuse a call whose price nobody knows, where the run has a budget and the service costs money."""
        if self.limit_usd is not None and is_paid:
            raise BudgetExceededError(
                f"The price of {model!r} is not known, so that MEMORY_ASSETS_BUDGET_USD cannot be kept: unset it, "
                "name the price in the file of MEMORY_ASSETS_PRICES, or choose a model whose price is known."
            )

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
