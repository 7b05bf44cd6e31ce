"""Both embedders: unit vectors, the same for the same text, and nothing paid for twice."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError
from memory_assets.llm.budget import Budget
from memory_assets.llm.connection import Connection
from memory_assets.llm.ledger import Ledger
from memory_assets.llm.local_embedder import LocalEmbedder
from memory_assets.llm.model_client import embed_each
from memory_assets.llm.openai_embedder import TEXTS_PER_REQUEST, OpenAIEmbedder
from memory_assets_tests.support.protocol_server import ProtocolServer, Reply, embeddings, raw, status

KEY = "sk-test-0123456789abcdef"
OWNER = {"asset": "a", "user_id": "ana"}
STATM = Path("/proc/self/statm")


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "models.sqlite")


@pytest.fixture
def server():
    with ProtocolServer() as running:
        yield running


def remote(
    server: ProtocolServer, ledger: Ledger, budget: float | None = None, model: str = "text-embedding-3-small"
) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        model, Connection(server.base_url, KEY, timeout_seconds=60, max_retries=1), ledger, Budget(budget)
    )


def lengths(vectors: np.ndarray) -> list[float]:
    return [round(float(np.linalg.norm(vector)), 5) for vector in vectors]


def test_local_vectors_are_unit_vectors_that_mean_something(ledger):
    vectors = LocalEmbedder(ledger).embed(
        ["a cat on the sofa", "the kitten sleeps", "quarterly revenue", "", " \n", "\ud800"], **OWNER
    )
    assert vectors.shape == (6, 256) and vectors.dtype == np.float32
    assert lengths(vectors)[:5] == [1, 1, 1, 0, 0]
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    summary = ledger.summary()
    assert summary["calls"] == 1 and summary["usd"] == 0 and summary["by"][0]["model"] == LocalEmbedder.name


def test_a_local_vector_depends_on_its_text_alone():
    embedder = LocalEmbedder()
    texts = [f"Note number {i} about tea" + " and more" * (i % 50) for i in range(600)]
    together = embedder.embed(texts, **OWNER)
    for index in (0, 299, 599):
        assert (embedder.embed([texts[index]], **OWNER)[0] == together[index]).all()
    assert embedder.embed([], **OWNER).shape == (0, 256)


def test_a_long_text_takes_no_more_memory_than_a_short_one():
    vectors = LocalEmbedder().embed(["tea " * 100_000, "tea"], **OWNER)
    assert lengths(vectors) == [1, 1]


def test_the_local_embedder_needs_no_network_and_leaves_logging_alone():
    code = """
import socket, logging
def no(*a, **k): raise AssertionError("network")
socket.socket.connect = no
from memory_assets.llm.local_embedder import LocalEmbedder
assert LocalEmbedder().embed(["tea"], asset="a", user_id="u").shape == (1, 256)
assert not logging.getLogger().handlers
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=300).returncode == 0
    assert logging.getLogger("memory_assets").level == logging.NOTSET


def test_importing_the_interfaces_loads_no_model():
    code = """
import sys
import memory_assets.llm.model_client
heavy = {"spacy", "openai", "wordllama", "tiktoken", "numpy", "pandas"} & set(sys.modules)
assert not heavy, heavy
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=300).returncode == 0


def test_remote_vectors_are_cached_per_text(server, ledger):
    first = remote(server, ledger).embed(["tea", "coffee", "", "tea"], **OWNER)
    assert first.shape == (4, 64) and lengths(first) == [1, 1, 0, 1] and (first[0] == first[3]).all()
    assert server.embeddings[0].body["input"] == ["tea", "coffee"]
    again = remote(server, ledger).embed(["coffee", "milk"], **OWNER)
    assert (again[0] == first[1]).all() and [r.body["input"] for r in server.embeddings] == [
        ["tea", "coffee"],
        ["milk"],
    ]
    remote(server, ledger).embed(["milk", "tea"], **OWNER)
    assert len(server.embeddings) == 2
    summary = ledger.summary()
    assert summary["calls"] == 4 and summary["cached"] == 2 and 0 < summary["usd"] < 0.001


def test_the_width_is_what_the_service_answers(server, ledger):
    assert remote(server, ledger).width == 64
    assert remote(server, ledger).width == 64 and len(server.embeddings) == 1
    assert remote(server, ledger).embed([], **OWNER).shape[0] == 0


def test_requests_are_bounded(server, ledger):
    texts = [f"text {i}" for i in range(2 * TEXTS_PER_REQUEST + 1)] + ["word " * 60_000]
    vectors = remote(server, ledger).embed(texts, **OWNER)
    assert lengths(vectors) == [1] * len(texts)
    sizes = [len(request.body["input"]) for request in server.embeddings]
    assert max(sizes) == TEXTS_PER_REQUEST and len(sizes) >= 3
    assert max(len(text) for request in server.embeddings for text in request.body["input"]) < 8_000 * 6


def test_trouble_is_retried_and_errors_name_the_way_out(server, ledger):
    server.script_embeddings(status(429, retry_after=0.01))
    assert remote(server, ledger).embed(["tea"], **OWNER).shape == (1, 64)
    server.script_embeddings(status(401, f"bad key {KEY}"))
    with pytest.raises(ModelError, match="OPENAI_API_KEY") as caught:
        remote(server, ledger).embed(["milk"], **OWNER)
    assert KEY not in str(caught.value) and caught.value.__suppress_context__ and caught.value.__cause__ is None


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        '{"data": []}',
        "<html>",
        '{"data": [{"index": 0, "embedding": []}]}',
        '{"data": [{"index": 5, "embedding": [1.0]}]}',
    ],
)
def test_a_service_that_speaks_something_else(server, ledger, body):
    server.script_embeddings(raw(body), raw(body))
    with pytest.raises(ModelError, match="OPENAI_BASE_URL"):
        remote(server, ledger).embed(["tea"], **OWNER)
    assert remote(server, ledger).embed(["tea"], **OWNER).shape == (1, 64)


def test_vectors_of_another_width_never_arrive(server, ledger):
    remote(server, ledger).embed(["tea"], **OWNER)
    server.script_embeddings(lambda request: Reply(body=embeddings(request, 32)))
    with pytest.raises(ModelError, match="32 dimensions instead of 64"):
        remote(server, ledger).embed(["milk"], **OWNER)
    assert remote(server, ledger).embed(["milk"], **OWNER).shape == (1, 64)


def test_embeddings_stay_within_the_budget(server, ledger):
    with pytest.raises(BudgetExceededError):
        remote(server, ledger, budget=0.0000001).embed(["tea " * 100], **OWNER)
    assert not server.embeddings


def test_a_text_that_the_service_refuses_holds_up_no_other(server, ledger):
    refused = status(400, "this text is not embedded")
    server.always_embeds = lambda asked: (
        refused(asked) if "bad" in asked.body["input"] else Reply(body=embeddings(asked, 64))
    )
    first, second, third = embed_each(remote(server, ledger), ["good", "bad", "fine"], **OWNER)
    assert first.shape == third.shape == (64,) and "this text is not embedded" in str(second)
    server.always_embeds = status(401)
    with pytest.raises(ModelServiceError, match="OPENAI_API_KEY"):
        embed_each(remote(server, ledger), ["another", "one"], **OWNER)
    assert len(server.embeddings) == 5


@pytest.mark.skipif(not STATM.exists(), reason="the system does not tell what memory a process takes")
def test_texts_leave_nothing_behind() -> None:
    embedder = LocalEmbedder()

    def embed(first: int) -> int:
        for start in range(first, first + 4000, 100):
            numbers = range(start, start + 100)
            embedder.embed(
                [f"The survey boat number {number} reached Oban and measured {number * 7} feet." for number in numbers],
                **OWNER,
            )
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    before = embed(0)
    assert embed(10**6) - before < 5_000_000, "a text that was embedded takes room for ever"
