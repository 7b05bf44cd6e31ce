"""The local language model: one function per task, behind the same interface as the large one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from pydantic import BaseModel

from memory_assets.errors import ModelError, SourceOverrunError
from memory_assets.llm import tasks
from memory_assets.llm.ledger import Call, Ledger
from memory_assets.llm.local.describe import describe_source
from memory_assets.llm.local.descriptions import describe_subject
from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.insights import draw_insights
from memory_assets.llm.local.names import name_macro, name_storyline
from memory_assets.llm.local.notes import take_notes
from memory_assets.llm.model_client import Answer
from memory_assets.llm.tasks import SamePerson
from memory_assets.llm.tokens import count_tokens
from memory_assets.llm.tools import KIND_OF_TASK
from memory_assets.work_limit import WorkLimit

A = TypeVar("A", bound=BaseModel)

Solver = tuple[type[BaseModel], Callable[..., BaseModel]]
"""What a task takes, and what solves it."""

_UNSURE = SamePerson(verdict="unsure", confidence=0)
"""Whether two names are one person's: nothing more than the names is known here."""
_TASKS: Mapping[str, Solver] = {
    tasks.DESCRIBE_SOURCE: (tasks.SourceText, describe_source),
    tasks.EXTRACT_ENTITIES: (tasks.SourceText, extract),
    tasks.SAME_PERSON: (tasks.NamePair, lambda _: _UNSURE),
    tasks.NAME_STORYLINE: (tasks.StorylineRequest, name_storyline),
    tasks.NAME_MACRO: (tasks.MacroRequest, name_macro),
    **{task: (tasks.NoteRequest, partial(take_notes, kind=kind)) for task, kind in KIND_OF_TASK.items()},
    tasks.DESCRIBE_SUBJECT: (tasks.DescriptionRequest, describe_subject),
    tasks.DRAW_INSIGHTS: (tasks.ClusterRequest, draw_insights),
}


class LocalModel:
    """Answers every task offline, at no cost; the same payload always gets the same answer.

    Its name carries a version: whatever changes an answer raises it, so that results are remade.
    """

    name = "local/37"

    works_here = True

    def __init__(
        self, ledger: Ledger | None = None, limit: WorkLimit | None = None, more: Mapping[str, Solver] | None = None
    ) -> None:
        """``more``: tasks that are solved otherwise, by name."""
        self._ledger = ledger
        self._limit = limit or WorkLimit()
        self._tasks = {**_TASKS, **(more or {})}

    def ask_many(
        self, task: str, payloads: Sequence[BaseModel], answer: type[A], *, asset: str, user_id: str
    ) -> list[Answer[A] | ModelError]:
        """One answer per payload, in order; a payload that cannot be answered gets the reason instead."""
        answers = [self._ask(task, payload, answer) for payload in payloads]
        if self._ledger is not None:
            tokens = (
                (one.tokens_in, one.tokens_out) if isinstance(one, Answer) else (_tokens(payload), 0)
                for payload, one in zip(payloads, answers, strict=True)
            )
            self._ledger.record(*(Call(self.name, task, asset, user_id, *used) for used in tokens))
        return answers

    def _ask(self, task: str, payload: BaseModel, answer: type[A]) -> Answer[A] | ModelError:
        if task not in self._tasks:
            return ModelError(f"The local model does not know the task {task!r}; it knows {', '.join(self._tasks)}.")
        expected, solve = self._tasks[task]
        if not isinstance(payload, expected):
            return ModelError(f"The task {task!r} takes a {expected.__name__}, not a {type(payload).__name__}.")
        try:
            length = sum(len(turn.text) for turn in getattr(payload, "turns", ()))
            value = self._limit.run(lambda: solve(payload), length)
        except SourceOverrunError as error:
            return error
        except Exception as error:  # one text must never cost the others their answers
            return ModelError(f"The local model failed at {task!r}: {type(error).__name__}: {error}")
        if not isinstance(value, answer):
            return ModelError(f"The task {task!r} is answered by a {type(value).__name__}, not a {answer.__name__}.")
        return Answer(value, self.name, _tokens(payload), _tokens(value), 0.0, False)


def _tokens(model: BaseModel) -> int:
    return count_tokens(json.dumps(model.model_dump(), ensure_ascii=False))
