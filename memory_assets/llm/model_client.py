"""The two interfaces to models, and what they answer. Every implementation knows this module; it knows none of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel

from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError, ModelUnavailableError

if TYPE_CHECKING:
    import numpy as np

    from memory_assets.llm.budget import Budget
    from memory_assets.llm.ledger import Ledger

A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True)
class Answer(Generic[A]):
    """A typed answer with the model that gave it and what it cost.

    ``cached``: it was asked before; then the tokens are those of the first time, and ``usd`` is 0.
    """

    value: A
    model: str
    tokens_in: int
    tokens_out: int
    usd: float
    cached: bool


class LanguageModel(Protocol):
    """Answers tasks (``tasks.py``). ``name`` is recorded on every result and is part of fingerprints."""

    name: str

    def ask_many(
        self, task: str, payloads: Sequence[BaseModel], answer: type[A], *, asset: str, user_id: str
    ) -> list[Answer[A] | ModelError]:
        """One element per payload, in order: an answer, or why there is none. One failure stops nothing."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. ``width`` is part of the graph's schema."""

    name: str

    @property
    def width(self) -> int:
        """The number of dimensions."""
        ...

    def embed(self, texts: Sequence[str], *, asset: str, user_id: str) -> np.ndarray:
        """An array (texts, width) of float32: unit vectors, and zeros for an empty text."""
        ...


class Models(NamedTuple):
    """All that one run needs: both interfaces over one ledger and one budget.

    ``language`` serves every asset but those that have a model of their own in ``by_asset``.
    """

    language: LanguageModel
    embedder: Embedder
    ledger: Ledger
    budget: Budget
    by_asset: Mapping[str, LanguageModel] = {}
    composer: LanguageModel | None = None
    """Who composes files, where a model is configured that may."""
    judge: LanguageModel | None = None
    """Who judges what later statements mean for earlier ones, where a model is configured that may."""

    def language_for(self, asset: str) -> LanguageModel:
        """The language model that an asset asks; its name is part of that asset's recipe."""
        return self.by_asset.get(asset, self.language)

    def names(self, asset: str) -> tuple[str, str]:
        """The names of an asset's language model and of the embedder, as its recipe has them."""
        return self.language_for(asset).name, self.embedder.name


def embed_each(embedder: Embedder, texts: Sequence[str], *, asset: str, user_id: str) -> list[np.ndarray | ModelError]:
    """A vector per text, or why that one has none: a text that the service refuses holds up no other.

    Raises where no call can work, and where the budget ends.
    """
    try:
        return list(embedder.embed(texts, asset=asset, user_id=user_id))
    except (BudgetExceededError, ModelServiceError):
        raise
    except ModelError as error:
        if len(texts) == 1 or isinstance(error, ModelUnavailableError):
            return [error] * len(texts)
    return [vector for text in texts for vector in embed_each(embedder, [text], asset=asset, user_id=user_id)]


def first_service_failure(answers: Sequence[object]) -> ModelServiceError | None:
    """The failure among answers that says that no call can work now."""
    return next((answer for answer in answers if isinstance(answer, ModelServiceError)), None)
