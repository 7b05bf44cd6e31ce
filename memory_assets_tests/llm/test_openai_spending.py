"""What the OpenAI-compatible model costs: what is recorded, what is paid once, and where a budget ends a run."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading

import pytest

from memory_assets.errors import BudgetExceededError, ModelError
from memory_assets.llm.budget import Budget
from memory_assets.llm.connection import Connection
from memory_assets.llm.model_client import Answer
from memory_assets.llm.openai_embedder import OpenAIEmbedder
from memory_assets.llm.opening import open_models
from memory_assets.llm.tasks import DESCRIBE_SOURCE, SourceDescription
from memory_assets.settings import Settings
from memory_assets_tests.llm.openai_bench import KEY, Bench, source
from memory_assets_tests.support.protocol_server import (
    ProtocolServer,
    Reply,
    Request,
    answer_to,
    completion,
    good,
    holds,
    raw,
    says,
    truncated,
    without_choices,
    without_content,
)


def test_the_second_question_costs_nothing_and_asks_nobody(bench):
    b = bench()
    (first,) = b.describe(source("Ana moved to Porto."))
    again = Bench(b.server, b.ledger.path.parent)
    (second,) = again.describe(source("Ana moved to Porto."))
    assert second.cached and second.usd == 0 and second.value == first.value
    assert len(b.server.requests) == 1
    assert b.ledger.summary() | {"by": 0} == again.ledger.summary() | {"by": 0}
    assert again.ledger.summary()["calls"] == 2 and again.ledger.summary()["cached"] == 1
    assert again.ledger.summary()["tokens_in"] == first.tokens_in


def test_two_services_never_share_an_answer_although_their_models_have_one_name(bench):
    b = bench()
    b.describe(source("Ana moved to Porto."))
    with ProtocolServer() as elsewhere:
        (other,) = Bench(elsewhere, b.ledger.path.parent).describe(source("Ana moved to Porto."))
        assert not other.cached and len(elsewhere.chats) == 1
        assert Bench(elsewhere, b.ledger.path.parent).describe(source("Ana moved to Porto."))[0].cached
        embedders = [
            OpenAIEmbedder("m", Connection(server.base_url, KEY), b.ledger, Budget(None))
            for server in (b.server, elsewhere)
        ]
        for embedder in (*embedders, *embedders):
            embedder.embed(["Porto"], asset="a", user_id="ana")
        assert (len(b.server.embeddings), len(elsewhere.embeddings)) == (1, 1)
    assert b.describe(source("Ana moved to Porto."))[0].cached and len(b.server.chats) == 1


def test_what_the_service_had_cached_is_paid_as_such(bench):
    def seen_before(request: Request) -> Reply:
        reply = good(request)
        reply.body["usage"] |= {"prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 900}}
        return reply

    b = bench(always=seen_before)
    (answer,) = b.describe(source("x"))
    summary = b.ledger.summary()
    assert (summary["tokens_in"], summary["tokens_cached"]) == (1000, 900)
    assert answer.usd == pytest.approx((100 * 0.4 + 900 * 0.1 + answer.tokens_out * 1.6) / 1e6) == summary["usd"]


@pytest.mark.parametrize("wrong", [without_choices, without_content, says("no JSON"), truncated])
def test_an_answer_that_says_nothing_and_was_billed_is_in_the_ledger(bench, wrong):
    b = bench(wrong)
    (answer,) = b.describe(source("x"))
    usage = [request for request in b.server.chats]
    summary = b.ledger.summary()
    assert len(usage) == 2 == summary["calls"] and summary["usd"] == pytest.approx(answer.usd) == b.budget.spent_usd
    assert summary["tokens_in"] == answer.tokens_in > 0


@pytest.mark.parametrize("wrong", [raw("<html>busy</html>", content_type="text/html"), raw('{"choi'), raw("null")])
def test_a_foreign_answer_is_asked_for_once_more_and_not_in_the_ledger(bench, wrong):
    b = bench(wrong, max_retries=0)
    assert isinstance(b.describe(source("x"))[0], Answer)
    assert b.ledger.summary()["calls"] == 1 and len(b.server.chats) == 2


def test_eight_at_once_stay_within_the_budget_by_what_the_service_counts(bench):
    second_is_here = threading.Event()

    def second(request: Request) -> Reply:
        second_is_here.set()
        return good(request)

    b = bench(holds(second_is_here), second, budget=0.02)
    results = b.describe(*(source(f"note {number} " + "word " * 300) for number in range(60)))
    answered = [result for result in results if isinstance(result, Answer)]
    assert 8 <= len(answered) < 60 and b.server.most_at_once > 1
    usage = [completion(request, json.dumps(answer_to(request)))["usage"] for request in b.server.chats]
    billed = sum(one["prompt_tokens"] * 0.4 + one["completion_tokens"] * 1.6 for one in usage) / 1e6
    assert (
        billed <= 0.02 and b.ledger.summary()["usd"] == pytest.approx(b.budget.spent_usd) and b.budget.spent_usd <= 0.02
    )


def test_equal_payloads_are_asked_once(bench):
    b = bench()
    results = b.describe(*[source("The same note.")] * 5)
    assert len(b.server.requests) == 1
    assert [result.cached for result in results] == [False, True, True, True, True]


def test_a_run_stops_before_its_budget_is_exceeded(bench):
    b = bench(budget=0.004, workers=3)
    results = b.describe(*(source(f"note {i} " + "word " * 300) for i in range(30)))
    answered = [result for result in results if isinstance(result, Answer)]
    assert 1 <= len(answered) < 30 and len(b.server.requests) == len(answered)
    assert all(isinstance(result, Answer | BudgetExceededError) for result in results)
    assert b.ledger.summary()["usd"] <= 0.004
    assert "MEMORY_ASSETS_BUDGET_USD" in str(next(r for r in results if isinstance(r, ModelError)))
    # A new run goes on where this one stopped.
    again = Bench(b.server, b.ledger.path.parent).describe(*(source(f"note {i} " + "word " * 300) for i in range(30)))
    assert all(isinstance(result, Answer) for result in again) and len(b.server.requests) == 30


def test_a_budget_of_nothing_asks_nothing_but_the_cache(bench):
    b = bench()
    b.describe(source("known"))
    poor = Bench(b.server, b.ledger.path.parent, budget=0)
    known, unknown = poor.describe(source("known"), source("unknown"))
    assert known.cached and isinstance(unknown, BudgetExceededError) and len(b.server.requests) == 1


def test_a_model_without_a_price_is_named_in_the_ledger(bench):
    b = bench(model="llama-of-mine", budget=0.0)
    assert b.describe(source("x"))[0].usd == 0.0
    assert b.ledger.summary()["unpriced"] == ["openai/llama-of-mine"]


def test_models_of_one_run_share_a_budget(bench, tmp_path):
    b = bench()
    settings = Settings(
        _env_file=None,
        home=tmp_path / "home",
        llm="openai",
        embedder="openai",
        budget_usd=1,
        OPENAI_API_KEY=KEY,
        OPENAI_BASE_URL=b.server.base_url,
    )
    models = open_models(settings)
    models.language.ask_many(DESCRIBE_SOURCE, [source("x")], SourceDescription, asset="a", user_id="u")
    before = models.budget.spent_usd
    models.embedder.embed(["x"], asset="a", user_id="u")
    assert 0 < before < models.budget.spent_usd and models.ledger.summary()["usd"] == pytest.approx(
        models.budget.spent_usd
    )


CHILD = """
import sys
from pathlib import Path
from memory_assets.llm.budget import Budget
from memory_assets.llm.connection import Connection
from memory_assets.llm.dialects import dialect_for
from memory_assets.llm.ledger import Ledger
from memory_assets.llm.openai_model import OpenAIModel
from memory_assets.llm.tasks import DESCRIBE_SOURCE, SourceDescription
from memory_assets_tests.llm.openai_bench import source
url, home, count = sys.argv[1:]
ledger = Ledger(Path(home) / "models.sqlite")
model = OpenAIModel("gpt-4.1-mini", Connection(url, None), ledger, Budget(None), workers=1)
sources = [source(f"note {i}") for i in range(int(count))]
model.ask_many(DESCRIBE_SOURCE, sources, SourceDescription, asset="a", user_id="u")
"""


def test_a_kill_costs_at_most_the_answer_that_was_on_its_way(bench, tmp_path):
    gate = threading.Event()
    b = bench(good, good, good, holds(gate))
    child = subprocess.Popen([sys.executable, "-c", CHILD, b.server.base_url, str(tmp_path), "8"])
    try:
        assert b.server.wait_for(4)
    finally:
        child.kill()
        child.wait(300)
    gate.set()
    results = b.describe(*(source(f"note {i}") for i in range(8)))
    assert [result.cached for result in results] == [True] * 3 + [False] * 5
    assert len(b.server.requests) == 4 + 5
    assert sqlite3.connect(b.ledger.path).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_damaged_answer_in_the_cache_is_asked_again(bench):
    b = bench()
    b.describe(source("x"))
    with sqlite3.connect(b.ledger.path) as connection:
        connection.execute("UPDATE answers SET answer = '{}'")
    assert not b.describe(source("x"))[0].cached and b.describe(source("x"))[0].cached
    assert len(b.server.requests) == 2
