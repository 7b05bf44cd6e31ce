"""Models that answer what a test wrote down: small implementations of the two interfaces.

They let a test say exactly what was extracted or named, and count what was asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel

from memory_assets.errors import ModelError
from memory_assets.llm.ledger import Call, Ledger
from memory_assets.llm.model_client import Answer
from memory_assets.llm.tasks import JUDGE_PAIR, ExtractedEntity, PairVerdict, Statement

HOLDS = PairVerdict(relation="both", confidence=10)


class ScriptedModel:
    """Answers with what ``script`` makes of a payload; an error that it returns is the answer. What a script knows
    nothing of, pairs of statements, all hold.
    """

    def __init__(self, script: Callable[[str, Any], BaseModel | ModelError], name: str = "scripted/1") -> None:
        self.script, self.name = script, name
        self.asked: list[tuple[str, BaseModel]] = []
        self.ledger: Ledger | None = None

    def ask_many(
        self, task: str, payloads: Sequence[BaseModel], answer: type[Any], *, asset: str, user_id: str
    ) -> list[Any]:
        """One element per payload."""
        try:
            values = [self.script(task, payload) for payload in payloads]
        except AssertionError:
            if task != JUDGE_PAIR:
                raise
            values = []
        if task == JUDGE_PAIR and not any(isinstance(value, PairVerdict | ModelError) for value in values):
            return [Answer(HOLDS, self.name, 0, 0, 0.0, True) for _ in payloads]
        self.asked += [(task, payload) for payload in payloads]
        if self.ledger is not None:
            call = Call(self.name, task, asset, user_id, 10, 5, 0.001)
            self.ledger.record(*(call for value in values if not isinstance(value, ModelError)))
        return [
            value if isinstance(value, ModelError) else Answer(value, self.name, 10, 5, 0.001, False)
            for value in values
        ]


def named(kind: str, name: str, entity_type: str = "", **more: Any) -> ExtractedEntity:
    """Somebody or something with enough subpoints to be kept."""
    said = {"entity_type": entity_type or kind, "confidence": 8, "subpoints": ("a", "b", "c")}
    return ExtractedEntity(kind=kind, name=name, **(said | more))


def stated(text: str, *about: str, **more: Any) -> Statement:
    """A statement of a source's first turn, about these names."""
    said = {"speaker": None, "turn": 0, "content_type": "insight", "durability": 0.5, "confidence": 8}
    return Statement(text=text, about=about, **(said | more))


class HashEmbedder:
    """A vector per text, the same for the same text; eight dimensions."""

    name = "hash/1"
    width = 8

    def embed(self, texts: Sequence[str], *, asset: str, user_id: str) -> np.ndarray:
        """Unit vectors."""
        rows = [np.frombuffer(hashlib.sha256(t.encode()).digest()[:8], dtype=np.uint8) - 127.5 for t in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32).reshape(len(texts), 8)
