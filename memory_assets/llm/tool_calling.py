"""A question that is answered by calling tools: a bounded number of replies, each paid once.

A reply is what the model says to all that was said before. It is stored under what it answers, so that a question
that fails later, or is interrupted, goes on where it was: what was answered is never paid twice. Only
replies whose calls could not be used, in a question that never came to a good end, are asked again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from memory_assets.llm.ledger import Call, Ledger, StoredAnswer
from memory_assets.llm.model_client import Answer
from memory_assets.llm.replies import Reply
from memory_assets.llm.structured import WrongAnswerError
from memory_assets.llm.tasks import NotesTaken
from memory_assets.llm.tools import NOTED, Toolbox
from memory_assets.model import fingerprint

MOST_REPLIES = 4

Message = dict[str, Any]


class ToolCalling:
    """One question's replies. ``ask`` makes a call with these messages; ``widen`` says that the last was cut off."""

    def __init__(
        self,
        key: str,
        messages: Sequence[Message],
        toolbox: Toolbox,
        ledger: Ledger,
        ask: Callable[..., tuple[Reply, Call]],
    ) -> None:
        self._key, self._toolbox, self._ledger, self._ask = key, toolbox, ledger, ask
        self._messages = list(messages)
        self._paid: list[Call] = []
        self._doubtful: list[str] = []
        """Under which keys replies are stored, from the first on in which something was wrong."""

    def run(self, model: str) -> Answer[NotesTaken]:
        """All replies, to the end that the model or the limit sets. Raises :class:`WrongAnswerError` without one."""
        wrong: list[str] = []
        for number in range(1, MOST_REPLIES + 1):
            key = fingerprint("round", self._key, json.dumps(self._messages, sort_keys=True))
            said, call = self._reply(key)
            wrong = self._take(said)
            # A model that calls several tools at once has said it all: an answer would only pay for the question again.
            if not said.calls or (not wrong and (len(said.calls) > 1 or number == MOST_REPLIES)):
                return self._finish(model, call)
            if call is not None:
                self._ledger.keep_answer(key, _stored(said, call), call)
            if wrong or self._doubtful:
                self._doubtful.append(key)
        for key in self._doubtful:
            self._ledger.forget_answer(key)
        raise WrongAnswerError(f"after {MOST_REPLIES} rounds its calls of tools still cannot be used ({wrong[0]})")

    def _reply(self, key: str) -> tuple[Reply, Call | None]:
        stored = self._ledger.find_answers([key]).get(key)
        if stored is not None:
            try:
                said = json.loads(stored.text)
                return Reply(said["text"], calls=tuple((str(i), str(n), str(a)) for i, n, a in said["calls"])), None
            except (ValueError, KeyError, TypeError):  # damaged: asked again
                self._ledger.forget_answer(key)
        for is_last in (False, True):
            reply, call = self._ask(self._messages, widen=is_last)
            self._paid.append(call)
            if not reply.refusal and not reply.is_cut:
                calls = enumerate(reply.calls, start=len(self._messages))
                return replace(
                    reply, calls=tuple((i or f"call_{n}", name, given) for n, (i, name, given) in calls)
                ), call
            self._ledger.record(call)
            if reply.refusal:
                raise WrongAnswerError(f"it declined ({reply.refusal})")
        raise WrongAnswerError("it was cut off at the output limit")

    def _take(self, said: Reply) -> list[str]:
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

    def _finish(self, model: str, call: Call | None) -> Answer[NotesTaken]:
        value = self._toolbox.taken()
        if call is not None:
            stored = StoredAnswer(value.model_dump_json(), *tokens_of(self._paid))
            value = NotesTaken.model_validate_json(self._ledger.keep_answer(self._key, stored, call).text)
        return Answer(value, model, *tokens_of(self._paid), usd_of(self._paid), False)


def tokens_of(calls: Sequence[Call]) -> tuple[int, int]:
    """What calls took, and gave."""
    return sum(call.tokens_in for call in calls), sum(call.tokens_out for call in calls)


def usd_of(calls: Sequence[Call]) -> float:
    """What calls cost, where that is known."""
    return sum((call.usd or 0.0 for call in calls), 0.0)


def _stored(said: Reply, call: Call) -> StoredAnswer:
    text = json.dumps({"text": said.text, "calls": said.calls}, ensure_ascii=False)
    return StoredAnswer(text, call.tokens_in, call.tokens_out)


def _spoken(said: Reply) -> Message:
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
