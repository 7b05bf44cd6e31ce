"""The OpenAI-compatible model where something fails: what is tried again, what is final, and the way out that is
named.
"""

from __future__ import annotations

import threading

import pytest

from memory_assets.errors import ModelServiceError, ModelUnavailableError, SettingsError
from memory_assets.llm.model_client import Answer
from memory_assets.llm.opening import language_model
from memory_assets.llm.tasks import DESCRIBE_SOURCE, SourceDescription
from memory_assets.settings import Settings
from memory_assets_tests.llm.openai_bench import KEY, source, the_error
from memory_assets_tests.support.protocol_server import (
    Reply,
    Request,
    good,
    hangs_up,
    holds,
    raw,
    refusal,
    says,
    status,
    truncated,
)


def test_an_address_that_is_no_service_is_given_up_and_no_source_is_at_fault(bench):
    b = bench(always=raw("<html>hello</html>", content_type="text/html"), workers=1, max_retries=0)
    results = b.describe(*(source(str(number)) for number in range(20)))
    assert isinstance(results[-1], ModelServiceError) and len(b.server.chats) == 16
    assert b.ledger.summary()["calls"] == 0


def test_retry_after_is_honoured(bench):
    b = bench(status(429, retry_after=0.4), good)
    assert isinstance(b.describe(source("x"))[0], Answer)
    first, second = b.server.requests
    assert second.at - first.at >= 0.4


@pytest.mark.parametrize("trouble", [status(500), status(503, retry_after=0.01), hangs_up])
def test_what_passes_by_itself_is_retried(bench, trouble):
    b = bench(trouble, good)
    assert isinstance(b.describe(source("x"))[0], Answer)
    assert len(b.server.requests) == 2


def test_a_service_that_keeps_failing_is_an_error_that_may_be_retried(bench):
    b = bench(always=status(500, "boom", retry_after=0.01))
    error = the_error(b.describe(source("x")))
    assert isinstance(error, ModelUnavailableError) and "500" in str(error)
    assert len(b.server.requests) == 3


def test_a_time_out_is_an_error_that_may_be_retried(bench):
    never = threading.Event()
    b = bench(always=holds(never), timeout_seconds=0.1, max_retries=0)
    error = the_error(b.describe(source("x")))
    assert isinstance(error, ModelUnavailableError) and "within 0.1 seconds" in str(error)


def test_nobody_there(bench):
    b = bench(max_retries=0)
    b.server.__exit__()
    error = the_error(b.describe(source("x")))
    assert "cannot be reached" in str(error) and isinstance(error, ModelServiceError) and error.retryable


@pytest.mark.parametrize(
    "wrong", [truncated, says('{"summary": "x"'), says("Sure!"), says('{"summary": 3}'), says("[]"), says("")]
)
def test_an_unusable_answer_gets_one_repair(bench, wrong):
    b = bench(wrong, good)
    (result,) = b.describe(source("Ana moved to Porto."))
    assert isinstance(result, Answer) and len(b.server.requests) == 2
    assert b.ledger.summary()["calls"] == 2 and b.ledger.summary()["tokens_in"] == result.tokens_in


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (truncated, "cut off"),
        (says("{"), "not valid JSON"),
        (says('{"summary": "secret text", "keywords": "k", "tags": []}'), "keywords"),
        (says("[" * 100_000), "nested too deeply|not valid JSON"),
    ],
)
def test_a_second_unusable_answer_is_an_error_with_its_reason(bench, wrong, reason):
    b = bench(always=wrong)
    error = the_error(b.describe(source("x")))
    assert any(part in str(error) for part in reason.split("|")) and "secret text" not in str(error)
    assert len(b.server.requests) == 2


def test_the_repair_says_what_was_wrong_and_a_cut_answer_gets_more_room(bench):
    b = bench(says('{"summary": 3}'), good, truncated, good)
    b.describe(source("first"))
    b.describe(source("second"))
    repair = b.server.chats[1].body["messages"]
    assert [m["role"] for m in repair] == ["system", "user", "assistant", "user"] and "keywords" in repair[3]["content"]
    limits = [request.body["max_tokens"] for request in b.server.chats[2:]]
    assert limits[1] == 2 * limits[0]


def test_a_refusal_is_final_and_says_why(bench):
    b = bench(always=refusal("I cannot help with that."))
    assert "I cannot help with that." in str(the_error(b.describe(source("x"))))
    assert len(b.server.requests) == 1


def test_one_failure_does_not_stop_the_others(bench):
    def picky(request: Request) -> Reply:
        return refusal("no")(request) if "bad" in request.user_text else good(request)

    b = bench(always=picky)
    results = b.describe(*(source(f"note {i}" + (" bad" if i == 3 else "")) for i in range(7)))
    assert [isinstance(result, Answer) for result in results] == [i != 3 for i in range(7)]


@pytest.mark.parametrize(
    ("behaviour", "way_out"),
    [
        (status(401, f"Incorrect API key provided: {KEY}", code="invalid_api_key"), "OPENAI_API_KEY"),
        (status(403, "no access"), "OPENAI_API_KEY"),
        (status(404, "The model does not exist", code="model_not_found"), "MEMORY_ASSETS_LLM_MODEL"),
        (status(400, f"bad thing with {KEY}"), "bad thing"),
    ],
)
def test_what_cannot_pass_is_not_retried_and_names_the_way_out(bench, behaviour, way_out):
    b = bench(always=behaviour)
    error = the_error(b.describe(source("x")))
    assert way_out in str(error) and not error.retryable and len(b.server.requests) == 1


def test_a_refused_key_is_tried_once_not_for_every_source(bench):
    b = bench(always=status(401), workers=1)
    results = b.describe(*(source(str(i)) for i in range(20)))
    assert all("OPENAI_API_KEY" in str(result) for result in results) and len(b.server.requests) == 1


def test_a_dead_service_is_given_up_after_some_failures(bench):
    b = bench(always=status(500, retry_after=0.001), workers=1, max_retries=0)
    results = b.describe(*(source(str(i)) for i in range(30)))
    assert all(isinstance(result, ModelUnavailableError) for result in results) and len(b.server.requests) == 8
    # The eight may be at fault themselves; the others were not even asked.
    assert [isinstance(result, ModelServiceError) for result in results] == [False] * 8 + [True] * 22


@pytest.mark.parametrize(
    "body",
    [
        "<html>hello</html>",
        "{}",
        '{"choices": []}',
        '{"choices": [{"mess',
        "null",
        '{"choices": [{"message": null}]}',
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
def test_a_service_that_speaks_something_else(bench, body, kind):
    b = bench(always=raw(body, content_type=kind), max_retries=0)
    assert "OPENAI_BASE_URL" in str(the_error(b.describe(source("x"))))


def test_a_test_may_not_call_a_paid_model(tmp_path):
    settings = Settings(_env_file=None, home=tmp_path, llm="openai", OPENAI_API_KEY=KEY)
    error = the_error(
        language_model(settings).ask_many(DESCRIBE_SOURCE, [source("x")], SourceDescription, asset="a", user_id="u")
    )
    assert "A test may not call api.openai.com" in str(error)


def test_without_a_key_the_way_out_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        language_model(Settings(_env_file=None, home=tmp_path, llm="openai"))
