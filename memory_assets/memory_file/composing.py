"""Asks the configured model to compose a file. Without a usable answer the local choice is the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError
from memory_assets.llm.model_client import LanguageModel
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import COMPOSE_FILE, ComposedFile
from memory_assets.memory_file.candidates import Composition, Memory, Selection
from memory_assets.memory_file.composition import CODE_VERSION, candidates_of, composed, request_of
from memory_assets.memory_file.selection import Choice

ASSET = "memory_draft"


def recipe(model: LanguageModel) -> tuple[str, ...]:
    """What a composed file is made with: another one where the same memories would be composed otherwise."""
    return prompts().prompt_hash(COMPOSE_FILE), model.name, CODE_VERSION


def compose(model: LanguageModel, user: str, name: str | None, choice: Choice, pool: Iterable[Memory]) -> Selection:
    """One question for a file, asked once; without a usable answer the local choice, which says why.

    The owner is called by ``name``, as the profile does, else as most words are signed.
    """
    candidates = candidates_of(choice)
    if not candidates:
        return choice.selection
    owner = name or _signed(pool) or user
    request = request_of(choice, candidates, owner)
    answer = model.ask_many(COMPOSE_FILE, [request], ComposedFile, asset=ASSET, user_id=user)[0]
    if isinstance(answer, ModelError):
        is_open = answer.retryable or isinstance(answer, BudgetExceededError | ModelServiceError)
        return replace(choice.selection, composition=Composition(model.name, why_not=str(answer), is_open=is_open))
    return composed(choice, candidates, owner, answer.value, answer.model)


def _signed(pool: Iterable[Memory]) -> str | None:
    labels = Counter(memory.label for memory in pool if memory.said_by_owner and memory.label)
    return min(labels, key=lambda label: (-labels[label], label), default=None)
