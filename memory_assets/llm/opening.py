"""How an installation opens its models, their ledger and their budget.

Importing this module loads no model and no client: each implementation is imported when it is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.llm.model_client import Embedder, LanguageModel, Models

if TYPE_CHECKING:
    from memory_assets.llm.budget import Budget
    from memory_assets.llm.ledger import Ledger
    from memory_assets.settings import Settings


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
            ("descriptions", settings.llm_model_notes or settings.llm_model_processing),
            ("memory_draft", settings.llm_model_composing),
        )
        if settings.llm != "local" and model and model != settings.llm_model
    }
    composer = own.get("memory_draft", default) if settings.llm != "local" and settings.compose else None
    judge = default if settings.llm != "local" and settings.judge_pairs else None
    return Models(default, embedder(settings, ledger=ledger, budget=budget), ledger, budget, own, composer, judge)


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

        return LocalModel(ledger, settings.work_limit)
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
