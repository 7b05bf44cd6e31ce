"""The language model behind any OpenAI-compatible service.

What was asked before is answered from the cache; identical questions are asked once; long inputs are
asked in parts (``long_inputs.py``); a wrong or truncated answer gets one repair; whatever fails is an
element of the result, never an end of the others.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from operator import methodcaller
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from memory_assets.errors import CutAnswerError, ModelError, UnusableAnswerError
from memory_assets.llm.budget import Budget, price_of
from memory_assets.llm.connection import PROTOCOL_FAILURES, WORKERS, Connection, ForeignAnswerError
from memory_assets.llm.dialects import Dialect, dialect_for
from memory_assets.llm.ledger import Call, Ledger, StoredAnswer
from memory_assets.llm.long_inputs import join, split
from memory_assets.llm.model_client import Answer
from memory_assets.llm.prompt_files import Prompt, prompts
from memory_assets.llm.replies import Fuse, Reply, repair_messages, reply_from, value_in
from memory_assets.llm.structured import WrongAnswerError, read_answer, schema_name, strict_schema
from memory_assets.llm.tasks import NoteRequest, NotesTaken
from memory_assets.llm.tokens import count_tokens
from memory_assets.llm.tool_calling import ToolCalling, tokens_of, usd_of
from memory_assets.llm.tools import KIND_OF_TASK, Toolbox, tools_of
from memory_assets.model import fingerprint

A = TypeVar("A", bound=BaseModel)
log = logging.getLogger(__name__)

_LARGEST_OUTPUT = 16_384  # what every current model writes at most in one answer
_DIALECTS = 6  # changes of dialect within one question
_LEVELS = 6  # answers about answers about answers: a million tokens need two


@dataclass(frozen=True)
class _Question:
    """One call's worth of a task: rendered, with the key of its answer."""

    key: str
    messages: tuple[dict[str, str], ...]
    prompt: Prompt
    asset: str
    user_id: str
    payload: BaseModel


class OpenAIModel:
    """A :class:`~memory_assets.llm.model_client.LanguageModel` over HTTP."""

    def __init__(
        self,
        model: str,
        connection: Connection,
        ledger: Ledger,
        budget: Budget,
        *,
        workers: int = WORKERS,
        prices: Path | None = None,
    ) -> None:
        self.name = f"openai/{model}"
        self._model = model
        self._connection = connection
        self._ledger = ledger
        self._budget = budget
        self._workers = workers
        self._price = price_of(model, prices)
        self._dialect = dialect_for(model, is_openai=connection.is_openai)
        self._learning = threading.Lock()
        self._slots = threading.BoundedSemaphore(workers)  # however many steps ask side by side
        if self._price is None:
            log.info("The price of %s is not known: its tokens are counted, its cost is not.", model)

    def __repr__(self) -> str:
        return f"OpenAIModel({self._model!r} at {self._connection.host})"

    def ask_many(
        self, task: str, payloads: Sequence[BaseModel], answer: type[A], *, asset: str, user_id: str
    ) -> list[Answer[A] | ModelError]:
        """Answers in the payloads' order; an error where there is none."""
        return self._ask_level(task, list(payloads), answer, asset, user_id, level=1)

    def _ask_level(
        self, task: str, payloads: list[BaseModel], answer: type[A], asset: str, user_id: str, level: int
    ) -> list[Answer[A] | ModelError]:
        prompt = prompts()[task]
        plans = [split(payload, prompt.max_input_tokens) for payload in payloads]
        answered = iter(self._ask_parts(prompt, [p for plan in plans for p in plan], answer, asset, user_id))
        results: list[Answer[A] | ModelError] = []
        again: dict[int, BaseModel] = {}
        for index, plan in enumerate(plans):
            gathered = _gather([next(answered) for _ in plan])
            if isinstance(gathered, ModelError):
                results.append(gathered)
                continue
            value = gathered[0].value
            if len(plan) > 1:
                joined = join(payloads[index], plan, [part.value for part in gathered])
                if isinstance(joined, answer):
                    value = joined
                else:
                    again[index] = joined
            results.append(_sum(gathered, value))
        if again and level >= _LEVELS:
            too_long = ModelError(f"{task}: the input is too long, even in parts. Ask about less at once.")
            return [too_long if index in again else result for index, result in enumerate(results)]
        seconds = self._ask_level(task, list(again.values()), answer, asset, user_id, level + 1) if again else []
        for index, second in zip(again, seconds, strict=True):
            first = results[index]
            if isinstance(first, Answer) and isinstance(second, Answer):
                second = _sum([first, second], second.value)
            results[index] = second
        return results

    def _ask_parts(
        self, prompt: Prompt, parts: Sequence[BaseModel], answer: type[A], asset: str, user_id: str
    ) -> list[Answer[A] | ModelError]:
        """One result per part: from the cache, or asked, at most ``workers`` at a time.

        Identical parts are asked once; the others of them count as cached.
        """
        schema = json.dumps(answer.model_json_schema(), sort_keys=True)
        if prompt.name in KIND_OF_TASK:
            schema += json.dumps(tools_of(prompt.name), sort_keys=True)
        questions = [self._question(prompt, part, schema, asset, user_id) for part in parts]
        unique = {question.key: question for question in questions}
        known = self._from_cache(list(unique), answer)
        asked = self._ask_all([question for key, question in unique.items() if key not in known], answer)
        results: list[Answer[A] | ModelError] = []
        paid: set[str] = set()
        free: list[Call] = []
        for question in questions:
            result = known.get(question.key) or asked[question.key]
            if isinstance(result, Answer) and (result.cached or question.key in paid):
                result = replace(result, usd=0.0, cached=True)
                free.append(
                    Call(self.name, question.prompt.name, question.asset, question.user_id, 0, 0, 0.0, cached=True)
                )
            paid.add(question.key)
            results.append(result)
        self._ledger.record(*free)
        return results

    def _ask_all(self, questions: Sequence[_Question], answer: type[A]) -> dict[str, Answer[A] | ModelError]:
        fuse = Fuse()
        pool = ThreadPoolExecutor(max_workers=self._workers, thread_name_prefix="model")
        try:
            answered = pool.map(lambda question: self._safely(question, answer, fuse), questions)
            return {question.key: result for question, result in zip(questions, answered, strict=True)}
        finally:
            pool.shutdown(cancel_futures=True)  # an interrupted run asks nothing more

    def _question(self, prompt: Prompt, part: BaseModel, schema: str, asset: str, user_id: str) -> _Question:
        user = prompt.render(part)
        messages = ({"role": "system", "content": prompt.system}, {"role": "user", "content": user})
        key = fingerprint("answer", self.name, prompt.digest, schema, user, *self._connection.address)
        return _Question(key, messages, prompt, asset, user_id, part)

    def _safely(self, question: _Question, answer: type[A], fuse: Fuse) -> Answer[A] | ModelError:
        if fuse.blown is not None:
            return fuse.blown
        try:
            result = self._ask(question, answer)
        except ModelError as failure:  # one bad question must not end the others
            fuse.failed(failure)
            return failure
        fuse.worked()
        return result

    def _from_cache(self, keys: Sequence[str], answer: type[A]) -> dict[str, Answer[A]]:
        found: dict[str, Answer[A]] = {}
        for key, stored in self._ledger.find_answers(keys).items():
            try:
                value = read_answer(stored.text, answer)
            except WrongAnswerError:  # damaged, or written under other rules: asked again
                self._ledger.forget_answer(key)
                continue
            found[key] = Answer(value, self.name, stored.tokens_in, stored.tokens_out, 0.0, True)
        return found

    def _ask(self, question: _Question, answer: type[A]) -> Answer[A]:
        """Ask, and when the answer cannot be used, once more."""
        if question.prompt.name in KIND_OF_TASK:
            return cast(Answer[A], self._ask_with_tools(question))
        name, schema = schema_name(question.prompt.name), strict_schema(answer)
        messages, limit = list(question.messages), question.prompt.max_output_tokens
        paid: list[Call] = []
        for is_last in (False, True):
            request = methodcaller("request", self._model, messages, name, schema, limit)
            try:
                reply, call = self._paid(question, messages, schema, limit, request)
            except ForeignAnswerError:
                if is_last:
                    raise
                continue
            paid.append(call)
            try:
                value = value_in(reply, answer)
            except WrongAnswerError as error:
                self._ledger.record(call)
                reason = str(error)
            else:
                stored = StoredAnswer(value.model_dump_json(), *tokens_of(paid))
                final = self._ledger.keep_answer(question.key, stored, call)
                if final.text != stored.text:
                    value = read_answer(final.text, answer)
                return Answer(value, self.name, *tokens_of(paid), usd_of(paid), False)
            if reply.refusal or is_last:
                break
            if reply.is_cut:
                limit = _widened(limit)
            elif reply.text.strip():
                messages = [*question.messages, *repair_messages(reply.text, reason)]
        raise self._unusable(
            question, reason, CutAnswerError if reply.is_cut and not reply.refusal else UnusableAnswerError
        )

    def _ask_with_tools(self, question: _Question) -> Answer[NotesTaken]:
        """Ask with the task's tools, until the model has no more to call."""
        assert isinstance(question.payload, NoteRequest)
        tools, usual = tools_of(question.prompt.name), question.prompt.max_output_tokens

        def ask(messages: list[dict[str, Any]], *, widen: bool) -> tuple[Reply, Call]:
            limit = _widened(usual) if widen else usual
            return self._paid(
                question, messages, tools, limit, methodcaller("tool_request", self._model, messages, tools, limit)
            )

        toolbox = Toolbox(question.prompt.name, question.payload)
        try:
            return ToolCalling(question.key, question.messages, toolbox, self._ledger, ask).run(self.name)
        except WrongAnswerError as error:
            raise self._unusable(question, str(error), UnusableAnswerError) from None

    def _paid(
        self,
        question: _Question,
        messages: Sequence[dict[str, Any]],
        schema: Any,
        limit: int,
        request: Callable[[Dialect], dict[str, Any]],
    ) -> tuple[Reply, Call]:
        """One reply within the budget, and its line of the ledger, whose cost is None when the price is not known."""
        with self._budget.reserve(self._most(messages, schema, limit)) as reservation:
            reply = self._complete(request)
            usage = (reply.tokens_in, reply.tokens_out)
            usd = self._price.of(*usage, reply.tokens_cached) if self._price else None
            reservation.spent = usd or 0.0
        asked_by = (question.prompt.name, question.asset, question.user_id)
        return reply, Call(self.name, *asked_by, *usage, usd, tokens_cached=reply.tokens_cached)

    def _unusable(self, question: _Question, reason: str, failure: type[ModelError]) -> ModelError:
        return failure(
            f"{self._model} gave no usable answer to {question.prompt.name}: {self._connection.redact(reason)}."
        )

    def _most(self, messages: Sequence[dict[str, Any]], schema: Any, limit: int) -> float:
        """The most that a call can cost."""
        if self._price is None:
            self._budget.allow_unpriced(self._model, is_paid=self._connection.is_openai)
            return 0.0
        written = sum(count_tokens(_text_of(message)) + 8 for message in messages)
        written += count_tokens(json.dumps(schema)) + 64
        return self._price.of(written, self._dialect.output_limit(limit))

    def _complete(self, request: Callable[[Dialect], dict[str, Any]]) -> Reply:
        """One chat completion, in a dialect that the service takes."""
        client = self._connection.client()
        for tries_left in reversed(range(_DIALECTS)):
            dialect = self._dialect
            body = request(dialect)
            try:
                with self._slots:
                    completion = client.chat.completions.create(**body)
                return reply_from(completion, body)
            except PROTOCOL_FAILURES as error:
                other = self._other_dialect(dialect, error)
                if other is None or not tries_left:
                    # Not chained: the client's exception holds the request, and with it the key.
                    raise self._connection.explain(error, self._model) from None
            self._learn(dialect, other)
        raise AssertionError("unreachable: the last try returns or raises")

    def _other_dialect(self, dialect: Dialect, error: Exception) -> Dialect | None:
        if getattr(error, "status_code", None) not in (400, 422):
            return None
        return dialect.after_refusal(str(error), getattr(error, "param", None))

    def _learn(self, refused: Dialect, other: Dialect) -> None:
        with self._learning:
            if self._dialect == refused:
                self._dialect = other
                log.info("%s takes no %s: asking with %s.", self._connection.host, refused, other)


def _widened(limit: int) -> int:
    """The output limit after an answer that was cut off."""
    return max(limit, min(limit * 2, _LARGEST_OUTPUT))


def _text_of(message: dict[str, Any]) -> str:
    """What of a message counts as tokens."""
    calls = message.get("tool_calls")
    return (message["content"] or "") + (json.dumps(calls) if calls else "")


def _gather(parts: Sequence[Answer[A] | ModelError]) -> list[Answer[A]] | ModelError:
    """All answers, or the first error among them."""
    failures = [part for part in parts if isinstance(part, ModelError)]
    return failures[0] if failures else [part for part in parts if isinstance(part, Answer)]


def _sum(answers: Sequence[Answer[Any]], value: A) -> Answer[A]:
    return Answer(
        value,
        answers[0].model,
        sum(a.tokens_in for a in answers),
        sum(a.tokens_out for a in answers),
        sum(a.usd for a in answers),
        all(a.cached for a in answers),
    )
