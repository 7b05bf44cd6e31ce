"""The embedder behind any OpenAI-compatible service: batched, cached per text, within the budget.

A text beyond the model's limit is embedded in pieces and averaged by their tokens: nothing is cut off.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from openai.types import CreateEmbeddingResponse

from memory_assets.batches import in_batches
from memory_assets.errors import ModelError, ModelServiceError
from memory_assets.llm.budget import Budget, price_of
from memory_assets.llm.connection import PROTOCOL_FAILURES, Connection, ForeignAnswerError
from memory_assets.llm.ledger import Call, Ledger
from memory_assets.llm.local_embedder import unit
from memory_assets.llm.tokens import count_tokens, pieces, well_formed
from memory_assets.model import fingerprint

TASK = "embed"
TOKENS_PER_TEXT = 8_000  # the model's limit is 8,191 by its own count
TOKENS_PER_REQUEST = 100_000
TEXTS_PER_REQUEST = 256
_WORKERS = 4


class OpenAIEmbedder:
    """An :class:`~memory_assets.llm.model_client.Embedder` over HTTP. Its width is the service's."""

    def __init__(
        self, model: str, connection: Connection, ledger: Ledger, budget: Budget, prices: Path | None = None
    ) -> None:
        self.name = f"openai/{model}"
        self._model = model
        self._connection = connection
        self._ledger = ledger
        self._budget = budget
        self._price = price_of(model, prices)
        self._width: int | None = None

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._model!r} at {self._connection.host})"

    @property
    def width(self) -> int:
        """The number of dimensions: known from the first answer, asked for once when there is none yet."""
        if self._width is None:
            self._width = self._ledger.find_width(self.name)
        if self._width is None:
            self._request(["width"], asset="width", user_id="-")
        if self._width is None:
            raise ModelError(f"{self._model} gave no vector.")
        return self._width

    def embed(self, texts: Sequence[str], *, asset: str, user_id: str) -> np.ndarray:
        """Unit vectors, zeros for an empty text. Raises when one of them cannot be had."""
        parts = [_parts(text) for text in texts]
        wanted = list(dict.fromkeys(part for some in parts for part in some))
        vectors = self._vectors(wanted, asset, user_id) if wanted else {}
        result = np.zeros((len(texts), self.width if texts else self._width or 0), dtype=np.float32)
        for row, some in zip(result, parts, strict=True):
            if some:
                weights = [count_tokens(part) for part in some]
                row[:] = unit(np.average([vectors[part] for part in some], axis=0, weights=weights))
        return result

    def _vectors(self, texts: list[str], asset: str, user_id: str) -> dict[str, np.ndarray]:
        known = self._ledger.find_vectors([self._key(text) for text in texts])
        found = {text: _from_bytes(known[key]) for text in texts if (key := self._key(text)) in known}
        if found:
            self._ledger.record(Call(self.name, TASK, asset, user_id, 0, 0, 0.0, cached=True))
        missing = [text for text in texts if text not in found]
        pool = ThreadPoolExecutor(max_workers=_WORKERS, thread_name_prefix="embedder")
        try:
            batches = pool.map(
                lambda batch: self._request(batch, asset=asset, user_id=user_id),
                in_batches(missing, TEXTS_PER_REQUEST, count_tokens, TOKENS_PER_REQUEST),
            )
            for batch in batches:
                found.update(batch)
        finally:
            pool.shutdown(cancel_futures=True)
        return found

    def _request(self, texts: list[str], *, asset: str, user_id: str) -> dict[str, np.ndarray]:
        """One request; its vectors are stored before anything else is done with them."""
        try:
            return self._request_once(texts, asset, user_id)
        except ForeignAnswerError:  # a proxy's page, half a document: the next one may be an answer
            return self._request_once(texts, asset, user_id)

    def _request_once(self, texts: list[str], asset: str, user_id: str) -> dict[str, np.ndarray]:
        tokens = sum(count_tokens(text) for text in texts)
        with self._budget.reserve(self._most(tokens)) as reservation:
            response = self._create(texts)
            billed = getattr(getattr(response, "usage", None), "prompt_tokens", None)
            counted = billed or tokens
            cost = self._price.of(counted) if self._price else None
            call = Call(self.name, TASK, asset, user_id, counted, 0, cost)
            try:
                rows = _rows(response, len(texts))
            except PROTOCOL_FAILURES as error:
                if billed:
                    reservation.spent = cost or 0.0
                    self._ledger.record(call)
                raise self._connection.explain(error, self._model) from None
            reservation.spent = cost or 0.0
            self._check_width(rows.shape[1], call)
            packed = {self._key(text): row.tobytes() for text, row in zip(texts, rows, strict=True)}
            vectors = self._ledger.keep_vectors(packed, rows.shape[1], call)
        if self._width is None:
            self._width = self._ledger.find_width(self.name)
        return {text: _from_bytes(vectors[self._key(text)]) for text in texts}

    def _check_width(self, width: int, call: Call) -> None:
        """Vectors of another width never reach the cache, nor the graph."""
        known = self._width or self._ledger.find_width(self.name)
        if known is not None and width != known:
            self._ledger.record(call)
            raise ModelServiceError(
                f"{self._model} gave vectors of {width} dimensions instead of {known}: the service has "
                "another model under this name. Choose it by its own name in MEMORY_ASSETS_EMBEDDER_MODEL."
            )

    def _create(self, texts: list[str]) -> Any:
        try:
            client = self._connection.client()
            response = client.embeddings.create(model=self._model, input=texts, encoding_format="float")
            if isinstance(response, str):  # the right body under a wrong content type: it has been paid for
                response = CreateEmbeddingResponse.construct(**json.loads(response))
            return response
        except PROTOCOL_FAILURES as error:
            # Not chained: the client's exception holds the request, and with it the key.
            raise self._connection.explain(error, self._model) from None

    def _most(self, tokens: int) -> float:
        if self._price is None:
            self._budget.allow_unpriced(self._model, is_paid=self._connection.is_openai)
            return 0.0
        return self._price.of(tokens)

    def _key(self, text: str) -> str:
        return fingerprint("vector", self.name, text, *self._connection.address)


def _parts(text: str) -> list[str]:
    text = well_formed(text).replace("\x00", " ").strip()
    return [part for part in pieces(text, TOKENS_PER_TEXT) if part.strip()] if text else []


def _rows(response: Any, expected: int) -> np.ndarray:
    """The vectors of a response in the order of the texts."""
    ordered = sorted(response.data, key=lambda item: item.index)
    if [item.index for item in ordered] != list(range(expected)):
        raise ValueError("not one vector per text")
    rows = np.asarray([item.embedding for item in ordered], dtype="<f4")
    if rows.ndim != 2 or not rows.shape[1] or not np.isfinite(rows).all():
        raise ValueError("not vectors")
    return rows


def _from_bytes(stored: bytes) -> np.ndarray:
    return np.frombuffer(stored, dtype="<f4")
