"""The local embedder: wordllama, 256 dimensions, from its own package folder, without network.

A text's vector is the mean of its tokens' vectors, pooled here text by text: it depends on the text alone
(never on the batch around it), and a long text needs no more memory than a short one.
"""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memory_assets.errors import ModelError
from memory_assets.llm.ledger import Call, Ledger
from memory_assets.llm.tokens import count_tokens, well_formed

WIDTH = 256
_CONFIGURATION = "l2_supercat"
_PIECE = 20_000  # characters handed to the tokenizer at once
_BATCH = 256


class LocalEmbedder:
    """An :class:`~memory_assets.llm.model_client.Embedder` from PyPI alone: no key, deterministic."""

    name = "local/wordllama-l2-256"
    width = WIDTH

    def __init__(self, ledger: Ledger | None = None) -> None:
        self._ledger = ledger

    def embed(self, texts: Sequence[str], *, asset: str, user_id: str) -> np.ndarray:
        """Unit vectors, zeros for a text without any word."""
        vectors = np.zeros((len(texts), WIDTH), dtype=np.float32)
        clean = [well_formed(text).strip() for text in texts]
        filled = [index for index, text in enumerate(clean) if text]
        for start in range(0, len(filled), _BATCH):
            some = filled[start : start + _BATCH]
            for index, vector in zip(some, _pooled([clean[index] for index in some]), strict=True):
                vectors[index] = vector
        if self._ledger is not None and filled:
            tokens = sum(count_tokens(clean[index]) for index in filled)
            self._ledger.record(Call(self.name, "embed", asset, user_id, tokens, 0))
        return vectors


def _pooled(texts: Sequence[str]) -> list[np.ndarray]:
    tokenizer, table = _model()
    pieces = [(owner, text[at : at + _PIECE]) for owner, text in enumerate(texts) for at in range(0, len(text), _PIECE)]
    sums = np.zeros((len(texts), WIDTH), dtype=np.float64)
    encoded = tokenizer.encode_batch([piece for _, piece in pieces], add_special_tokens=False)
    for (owner, _), encoding in zip(pieces, encoded, strict=True):
        ids = np.clip(np.asarray(encoding.ids, dtype=np.int64), 0, len(table) - 1)
        sums[owner] += table[ids].sum(axis=0, dtype=np.float64)
    # The mean and the sum point the same way: the length is 1 in either case.
    return [unit(vector) for vector in sums]


def unit(vector: np.ndarray) -> np.ndarray:
    """The vector at length 1 in float32; zeros stay zeros."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        return np.zeros(vector.shape, dtype=np.float32)
    return (vector / length).astype(np.float32)


@cache
def _model() -> tuple[Any, np.ndarray]:
    # Threads of the tokenizer would not survive a fork, and warn about it on every one.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    wordllama = _import_quietly("wordllama")
    folder = Path(wordllama.__file__).parent
    try:
        model = wordllama.WordLlama.load(_CONFIGURATION, cache_dir=folder, dim=WIDTH, disable_download=True)
    except FileNotFoundError as error:
        raise ModelError(f"The local embedder's weights are missing from {folder}: reinstall wordllama.") from error
    model.tokenizer.no_padding()
    model.tokenizer.no_truncation()
    # This tokenizer takes a whole text for one word, and keeps ten thousand of them as they were cut: 5 KB for a
    # sentence.
    if resize := getattr(model.tokenizer.model, "_resize_cache", None):
        resize(0)
    return model.tokenizer, model.embedding


def _import_quietly(name: str) -> Any:
    """Import a package that sets up the root logger when it is imported, and undo that."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        return importlib.import_module(name)
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
