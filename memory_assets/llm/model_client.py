"""The two interfaces to models, what they answer, and how an installation opens them.

Importing this module loads no model and no client: each implementation is imported when it is opened.
"""

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
    from memory_assets.settings import Settings

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

    def language_for(self, asset: str) -> LanguageModel:
        """The language model that an asset asks; its name is part of that asset's recipe."""
        return self.by_asset.get(asset, self.language)


def embed_each(
    embedder: Embedder, texts: Sequence[str], *, asset: str, user_id: str
) -> list[np.ndarray | ModelError]:
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


def open_models(settings: Settings, run: str = "") -> Models:
    """The models of one run, which share its budget; what ``run`` has spent in an earlier process is spent."""
    ledger = open_ledger(settings, run)
    budget = open_budget(settings, ledger)
    default = language_model(settings, ledger=ledger, budget=budget)
    own = {
        asset: language_model(settings, ledger=ledger, budget=budget, model=model)
        for asset, model in (
            ("processed_sources", settings.llm_model_processing),
            ("extracted_entities", settings.llm_model_extraction),
            ("notes", settings.llm_model_notes or settings.llm_model_processing),
        )
        if settings.llm != "local" and model and model != settings.llm_model
    }
    return Models(default, embedder(settings, ledger=ledger, budget=budget), ledger, budget, own)


def open_ledger(settings: Settings, run: str = "") -> Ledger:
    """The installation's ledger and cache; what is recorded through it is of ``run``."""
    from memory_assets.llm.ledger import Ledger

    return Ledger(settings.models_file, settings.clock, run)


def open_budget(settings: Settings, ledger: Ledger | None = None) -> Budget:
    """What one run may spend, less what the ledger's run has spent before."""
    from memory_assets.llm.budget import Budget

    return Budget(settings.budget_usd, ledger.spent_in_run() if ledger is not None else 0.0)


def language_model(
    settings: Settings, *, ledger: Ledger | None = None, budget: Budget | None = None, model: str | None = None
) -> LanguageModel:
    """The language model that the settings choose, or ``model`` of the same service.

    Pass ``budget`` to share it (see :func:`open_models`).
    """
    ledger = ledger or open_ledger(settings)
    if settings.llm == "local":
        from memory_assets.llm.local.model import LocalModel

        return LocalModel(ledger)
    from memory_assets.llm.connection import open_connection
    from memory_assets.llm.openai_model import OpenAIModel

    return OpenAIModel(
        model or settings.llm_model,
        open_connection(settings),
        ledger,
        budget or open_budget(settings),
        prices=settings.prices,
    )


def embedder(settings: Settings, *, ledger: Ledger | None = None, budget: Budget | None = None) -> Embedder:
    """The embedder that the settings choose. Pass ``budget`` to share it (see :func:`open_models`)."""
    ledger = ledger or open_ledger(settings)
    if settings.embedder == "local":
        from memory_assets.llm.local_embedder import LocalEmbedder

        return LocalEmbedder(ledger)
    from memory_assets.llm.connection import open_connection
    from memory_assets.llm.openai_embedder import OpenAIEmbedder

    return OpenAIEmbedder(
        settings.embedder_model,
        open_connection(settings),
        ledger,
        budget or open_budget(settings),
        settings.prices,
    )
