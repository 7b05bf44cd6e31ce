"""A model at a scripted server, with the ledger and the budget beside it."""

from __future__ import annotations

from pathlib import Path

from memory_assets.errors import ModelError
from memory_assets.llm.budget import Budget
from memory_assets.llm.connection import Connection
from memory_assets.llm.ledger import Ledger
from memory_assets.llm.model_client import Answer
from memory_assets.llm.openai_model import OpenAIModel
from memory_assets.llm.tasks import DESCRIBE_SOURCE, SourceDescription, SourceText, TurnText
from memory_assets_tests.support.protocol_server import ProtocolServer

KEY = "sk-test-0123456789abcdef"


def source(*texts: str, title: str = "t") -> SourceText:
    turns = tuple(TurnText(index=i, speaker="Ana", text=text) for i, text in enumerate(texts))
    return SourceText(
        source_type="note", title=title, started_at="2026-03-01T09:00:00Z", owner_speaker="Ana", turns=turns
    )


class Bench:
    """A model at a scripted server, with the ledger and the budget beside it."""

    def __init__(self, server: ProtocolServer, home: Path, **options) -> None:
        self.server = server
        self.ledger = Ledger(home / "models.sqlite")
        self.budget = Budget(options.pop("budget", None))
        workers = options.pop("workers", 8)
        name = options.pop("model", "gpt-4.1-mini")
        options = {"timeout_seconds": 60.0, "max_retries": 2, **options}
        self.model = OpenAIModel(
            name, Connection(server.base_url, KEY, **options), self.ledger, self.budget, workers=workers
        )

    def describe(self, *sources: SourceText) -> list[Answer[SourceDescription] | ModelError]:
        return self.model.ask_many(
            DESCRIBE_SOURCE, sources, SourceDescription, asset="processed_sources", user_id="ana"
        )


def the_error(results: list) -> ModelError:
    (error,) = results
    assert isinstance(error, ModelError)
    assert KEY not in str(error) + repr(error) and error.__cause__ is None
    return error
