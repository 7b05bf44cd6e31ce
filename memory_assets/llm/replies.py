"""What comes back from a model: its text, its usage, and whether going on makes sense."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError, ModelUnavailableError
from memory_assets.llm.connection import ServiceDownError
from memory_assets.llm.structured import WrongAnswerError, read_answer
from memory_assets.llm.tokens import count_tokens

A = TypeVar("A", bound=BaseModel)

_FAILURES_IN_A_ROW = 8


@dataclass(frozen=True)
class Reply:
    """What came back: text or a refusal, whether it was cut off, and its usage."""

    text: str
    refusal: str | None
    is_cut: bool
    tokens_in: int
    tokens_out: int
    calls: tuple[tuple[str, str, str], ...] = ()
    """Id, name and arguments of each call of a tool."""


def reply_from(completion: Any, body: dict[str, Any]) -> Reply:
    """What a chat completion says, counted here where the service does not count."""
    choice = completion.choices[0]
    text = choice.message.content or ""
    refusal = getattr(choice.message, "refusal", None)
    if choice.finish_reason == "content_filter":
        refusal = refusal or "its content filter stopped the answer"
    usage = completion.usage
    if usage is None:  # some local servers do not count
        tokens_in, tokens_out = count_tokens(json.dumps(body["messages"])), count_tokens(text)
    else:
        tokens_in, tokens_out = usage.prompt_tokens or 0, usage.completion_tokens or 0
    calls = tuple(
        (str(call.id or ""), str(call.function.name), str(call.function.arguments or "{}"))
        for call in choice.message.tool_calls or ()
        if getattr(call, "function", None) is not None
    )
    return Reply(text, refusal, choice.finish_reason == "length", tokens_in, tokens_out, calls)


def value_in(reply: Reply, answer: type[A]) -> A:
    """The answer in a reply, or :class:`WrongAnswerError` with the reason."""
    if reply.refusal:
        raise WrongAnswerError(f"it declined ({reply.refusal})")
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
