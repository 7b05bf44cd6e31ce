"""What comes back from a model: its text, its usage, and whether going on makes sense."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeVar

from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError, ModelUnavailableError
from memory_assets.llm.connection import ServiceDownError
from memory_assets.llm.structured import WrongAnswerError, read_answer
from memory_assets.llm.tokens import count_tokens

A = TypeVar("A", bound=BaseModel)

_FAILURES_IN_A_ROW = 8


@dataclass(frozen=True)
class Reply:
    """What came back: text or a refusal, whether it was cut off, and its usage.

    ``tokens_cached`` is the part of ``tokens_in`` that the service had seen shortly before.
    """

    text: str
    refusal: str | None = None
    is_cut: bool = False
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    calls: tuple[tuple[str, str, str], ...] = ()
    """Id, name and arguments of each call of a tool."""


def reply_from(completion: Any, body: dict[str, Any]) -> Reply:
    """What a chat completion says, counted here where the service does not count.

    An answer that was billed and says nothing (no choice, no message) is a reply without text: its tokens count.
    Raises what a foreign answer stumbles over, when there is neither a choice nor a usage.
    """
    if isinstance(completion, str):  # the right body under a wrong content type: it has been paid for
        completion = ChatCompletion.construct(**json.loads(completion))
    usage = getattr(completion, "usage", None)
    billed = usage is not None and bool(getattr(usage, "prompt_tokens", 0))
    choice = completion.choices[0] if completion.choices or not billed else None
    message = choice.message if choice is not None else None
    if message is None and not billed:
        raise ValueError("no message")
    text, refusal, is_cut = getattr(message, "content", None) or "", getattr(message, "refusal", None), False
    if choice is not None:
        is_cut = choice.finish_reason == "length"
        if choice.finish_reason == "content_filter":
            refusal = refusal or "its content filter stopped the answer"
    calls = tuple(
        (str(call.id or ""), str(call.function.name), str(call.function.arguments or "{}"))
        for call in getattr(message, "tool_calls", None) or ()
        if getattr(call, "function", None) is not None
    )
    if usage is None or not billed:  # some local servers do not count
        return Reply(text, refusal, is_cut, count_tokens(json.dumps(body["messages"])), count_tokens(text), calls=calls)
    seen_before = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None) or 0
    tokens_out = usage.completion_tokens or 0
    return Reply(text, refusal, is_cut, usage.prompt_tokens, tokens_out, min(seen_before, usage.prompt_tokens), calls)


def value_in(reply: Reply, answer: type[A]) -> A:
    """The answer in a reply, or :class:`WrongAnswerError` with the reason."""
    if reply.refusal:
        raise WrongAnswerError(f"it declined ({reply.refusal})")
    if not reply.text.strip():
        raise WrongAnswerError("it was cut off at the output limit" if reply.is_cut else "it is empty")
    try:
        return read_answer(reply.text, answer)
    except WrongAnswerError as error:
        if reply.is_cut:
            raise WrongAnswerError("it was cut off at the output limit") from None
        raise error


def repair_messages(text: str, reason: str) -> tuple[dict[str, str], dict[str, str]]:
    """What to say after an answer that cannot be used."""
    return (
        {"role": "assistant", "content": text},
        {
            "role": "user",
            "content": f"That answer cannot be used: {reason}. Give all of it again, as one JSON object.",
        },
    )


class Fuse:
    """Blows when going on is pointless: the key is refused, or the service fails again and again."""

    def __init__(self) -> None:
        self.blown: ModelError | None = None
        self._failures = 0

    def worked(self) -> None:
        """A question was answered."""
        self._failures = 0

    def failed(self, failure: ModelError) -> None:
        """A question was not."""
        self._failures = self._failures + 1 if isinstance(failure, ModelUnavailableError) else 0
        if isinstance(failure, ModelServiceError | BudgetExceededError):
            self.blown = failure
        elif self._failures >= _FAILURES_IN_A_ROW:
            self.blown = ServiceDownError(str(failure))
