"""A question that is answered by calling tools: a bounded number of rounds, each paid once.

A round is what the model says to all that was said before. It is kept under what it answers, so that a question
that fails in a later round, or is interrupted, goes on where it was: what was answered is never paid twice. Only
rounds whose calls could not be used, in a question that never came to a good end, are asked again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from memory_assets.llm.ledger import Call, Ledger, StoredAnswer
from memory_assets.llm.replies import Reply
from memory_assets.llm.structured import WrongAnswerError
from memory_assets.llm.tasks import NotesTaken
from memory_assets.llm.tools import NOTED, Toolbox
from memory_assets.model import fingerprint

MOST_ROUNDS = 4

Message = dict[str, Any]


class UnusableRoundsError(ValueError):
    """The rounds came to no good end. Its text says why, and quotes nothing."""


class Asked(NamedTuple):
    """A reply that was paid for, and its line of the ledger."""

    reply: Reply
    call: Call


class Finished(NamedTuple):
    """What the rounds gave, and what they cost this time."""

    value: NotesTaken
    tokens_in: int
    tokens_out: int
    usd: float


class _Round(NamedTuple):
    text: str
    calls: tuple[tuple[str, str, str], ...]
    """Id, name and arguments of each."""


class ToolRounds:
    """One question's rounds. ``ask`` makes a call with these messages; ``widen`` says that the last was cut off."""

    def __init__(
        self, key: str, messages: Sequence[Message], toolbox: Toolbox, ledger: Ledger, ask: Callable[..., Asked]
    ) -> None:
        self._key, self._toolbox, self._ledger, self._ask = key, toolbox, ledger, ask
        self._messages = list(messages)
        self._tokens_in = self._tokens_out = 0
        self._usd = 0.0
        self._doubtful: list[str] = []
        """Under which keys rounds are kept, from the first on in which something was wrong."""

    def run(self) -> Finished:
        """All rounds, to the end that the model or the limit sets."""
        wrong: list[str] = []
        for number in range(1, MOST_ROUNDS + 1):
            key = fingerprint("round", self._key, json.dumps(self._messages, sort_keys=True))
            said, call = self._round(key)
            wrong = self._take(said)
            # Whoever calls several tools at once has said it all: to answer that would only pay for the question again.
            if not said.calls or (not wrong and (len(said.calls) > 1 or number == MOST_ROUNDS)):
                return self._finish(call)
            if call is not None:
                self._ledger.keep_answer(key, _stored(said, call), call)
            if wrong or self._doubtful:
                self._doubtful.append(key)
        self._forget()
        raise UnusableRoundsError(f"after {MOST_ROUNDS} rounds its calls of tools still cannot be used ({wrong[0]})")

    def _round(self, key: str) -> tuple[_Round, Call | None]:
        stored = self._ledger.find_answers([key]).get(key)
        if stored is not None:
            try:
                kept = json.loads(stored.text)
                return _Round(kept["text"], tuple((str(i), str(n), str(a)) for i, n, a in kept["calls"])), None
            except (ValueError, KeyError, TypeError):  # damaged: asked again
                self._ledger.forget_answer(key)
        for is_last in (False, True):
            reply, call = self._ask(self._messages, widen=is_last)
            self._tokens_in += call.tokens_in
            self._tokens_out += call.tokens_out
            self._usd += call.usd or 0.0
            if not reply.refusal and not reply.is_cut:
                calls = enumerate(reply.calls, start=len(self._messages))
                return _Round(reply.text, tuple((i or f"call_{n}", name, given) for n, (i, name, given) in calls)), call
            self._ledger.record(call)
            if reply.refusal:
                raise UnusableRoundsError(f"it declined ({reply.refusal})")
        raise UnusableRoundsError("it was cut off at the output limit")

    def _take(self, said: _Round) -> list[str]:
        """Take the calls, and say to each what became of it; what was wrong with those that were not taken."""
        wrong: list[str] = []
        results: list[Message] = []
        for key, name, arguments in said.calls:
            try:
                self._toolbox.call(name, arguments)
                result = NOTED
            except WrongAnswerError as error:
                wrong.append(str(error))
                result = f"not taken: {error}"
            results.append({"role": "tool", "tool_call_id": key, "content": result})
        self._messages.append(_spoken(said))
        self._messages += results
        return wrong

    def _finish(self, call: Call | None) -> Finished:
        value = self._toolbox.taken()
        if call is not None:
            stored = StoredAnswer(value.model_dump_json(), self._tokens_in, self._tokens_out)
            value = NotesTaken.model_validate_json(self._ledger.keep_answer(self._key, stored, call).text)
        return Finished(value, self._tokens_in, self._tokens_out, self._usd)

    def _forget(self) -> None:
        for key in self._doubtful:
            self._ledger.forget_answer(key)


def _stored(said: _Round, call: Call) -> StoredAnswer:
    text = json.dumps({"text": said.text, "calls": said.calls}, ensure_ascii=False)
    return StoredAnswer(text, call.tokens_in, call.tokens_out)


def _spoken(said: _Round) -> Message:
    """The model's own message, as the protocol wants it back. Arguments that are no JSON would break some servers."""
    message: Message = {"role": "assistant", "content": said.text or None}
    if said.calls:
        message["tool_calls"] = [
            {"id": key, "type": "function", "function": {"name": name, "arguments": _as_json(arguments)}}
            for key, name, arguments in said.calls
        ]
    return message


def _as_json(arguments: str) -> str:
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return "{}"
    return arguments
