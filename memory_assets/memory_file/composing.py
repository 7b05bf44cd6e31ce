"""Asks the configured model to compose a file. Without a usable answer the local choice is the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import names_of
from memory_assets.llm.model_client import LanguageModel, Models
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import COMPOSE_FILE, ComposedFile
from memory_assets.memory_file.candidates import Composition, Memory, Selection
from memory_assets.memory_file.composition import CODE_VERSION, candidates_of, composed, request_of
from memory_assets.memory_file.selection import Choice
from memory_assets.model import fingerprint

ASSET = "memory_draft"


def recipe(models: Models) -> tuple[str, ...]:
    """What a composed file is made with; nothing where no model composes."""
    composer = models.composer
    return (prompts().prompt_hash(COMPOSE_FILE), composer.name, CODE_VERSION) if composer else ()


@dataclass(frozen=True)
class Composer:
    """A model that composes a user's files; it calls the owner as the profile does, else as most words are signed."""

    model: LanguageModel
    user: str
    name: str | None = None

    def compose(self, choice: Choice, pool: Iterable[Memory]) -> Selection:
        """One question for a file, asked once; without a usable answer the local choice, which says why."""
        candidates = candidates_of(choice)
        if not candidates:
            return choice.selection
        owner = next(iter([*([self.name] if self.name else []), *_signed(pool)]), self.user)
        request = request_of(choice, candidates, owner)
        answer = self.model.ask_many(COMPOSE_FILE, [request], ComposedFile, asset=ASSET, user_id=self.user)[0]
        if isinstance(answer, ModelError):
            is_open = answer.retryable or isinstance(answer, BudgetExceededError | ModelServiceError)
            why = Composition(self.model.name, why_not=str(answer), is_open=is_open)
            return replace(choice.selection, composition=why)
        return composed(choice, candidates, owner, answer.value, answer.model)

    @property
    def mark(self) -> str:
        """Changes where the same memories would be composed otherwise."""
        return fingerprint(prompts().prompt_hash(COMPOSE_FILE), self.model.name, CODE_VERSION, self.name)


def composer_for(graph: Graph, user: str, model: LanguageModel) -> Composer:
    """A composer of the user's files."""
    return Composer(model, user, next(iter(names_of(graph, user)), None))


def _signed(pool: Iterable[Memory]) -> list[str]:
    labels = Counter(memory.label for memory in pool if memory.said_by_owner and memory.label)
    return sorted(labels, key=lambda label: (-labels[label], label))[:1]
