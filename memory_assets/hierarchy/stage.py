"""What storylines and macros have in common: skip when nothing changed, name what did, write, say so last.

A killed run leaves whole storylines behind and no word that the stage is complete, so the next run goes on:
it asks no model for what is named already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import BaseModel

from memory_assets.clock import Clock
from memory_assets.errors import BudgetExceededError, ModelError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.graph.retirement import retirement_rows
from memory_assets.graph.statements import in_parts
from memory_assets.hierarchy.naming import Due, oldest_first
from memory_assets.hierarchy.titles import Titled, bounded, distinct
from memory_assets.llm.model_client import Embedder, LanguageModel, embed_each, first_service_failure
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint, reference

MEMORIES_PER_TRANSACTION = 25

Row = dict[str, Any]


@dataclass(frozen=True)
class Named:
    """A memory's words, with their embedding and the model they are from. ``given_title`` is the model's; ``title``
    differs from it where another memory was given the same.
    """

    title: str
    text: str
    embedding: list[float]
    model: str
    given_title: str


@dataclass(frozen=True)
class Task:
    """What a stage asks: the prompt's name, the answer's type, and the property its text is stored as."""

    stage: str
    prompt: str
    answer: type[BaseModel]
    text_field: str
    code_version: str
    most_a_run: int
    """So many a run may ask for, unless it is forced."""


def as_stored(task: Task, known: Mapping[str, Any]) -> Named:
    """The words of a memory, by its properties."""
    return Named(*(known[name] for name in ("title", task.text_field, "embedding", "model", "given_title")))


class Stage:
    """One derived stage of one user; ``saved`` is a folder for what makes the next time cheaper."""

    def __init__(
        self,
        task: Task,
        graph: Graph,
        language: LanguageModel,
        embedder: Embedder,
        clock: Clock,
        user: str,
        saved: Path | None = None,
    ) -> None:
        self.task, self.graph, self.language, self.embedder = task, graph, language, embedder
        self.user, self.now = user, clock.now()
        self.saved = saved
        self.problems: list[str] = []
        self.left: list[str] = []
        """What waits for the next run because this one has asked for enough."""
        self.changes_at: datetime | None = None
        self._begun = ""
        self.recipe = fingerprint(prompts().prompt_hash(task.prompt), language.name, embedder.name, task.code_version)

    def is_current(self, digest: str) -> bool:
        """Whether the stage was completed from exactly this."""
        return find_stage(self.graph, self.user, self.task.stage) == digest

    def begin(self) -> None:
        """Clear the mark that the stage is complete: if this run stops, a former one's is not taken for its own."""
        self._begun = f"begun {uuid4()}"
        self.graph.write_together([stage_made(self.user, self.task.stage, self._begun, self.now)])

    def was_overtaken(self) -> bool:
        """Whether another run has begun since this one did: what it has found new, this one may not have seen."""
        return find_stage(self.graph, self.user, self.task.stage) != self._begun

    def name(
        self, due: Sequence[Due], existing: Mapping[str, Mapping[str, Any]], *, force: bool
    ) -> tuple[dict[str, Named], Counter[str]]:
        """Words for all that is due: those it has, where nothing has changed, else new ones.

        What the model gave no answer for, or what is beyond the limit of a run, is missing from the result, and the
        stage is not complete. Raises where no call can work.
        """
        named: dict[str, Named] = {}
        ask: list[Due] = []
        for item in due:
            known = existing.get(item.id, {})
            if not force and known.get("fingerprint") == item.fingerprint:
                named[item.id] = as_stored(self.task, known)
            else:
                ask.append(item)
        now, left = oldest_first(ask, None if force else self.task.most_a_run)
        self.left = [f"{len(left)} {self.task.stage}"] if left else []
        counts: Counter[str] = Counter(named_before=len(named), left_for_the_next_run=len(left))
        counts += self._ask(now, named)
        return named, counts

    def _ask(self, ask: Sequence[Due], named: dict[str, Named]) -> Counter[str]:
        counts: Counter[str] = Counter()
        if not ask:
            return counts
        answers = self.language.ask_many(
            self.task.prompt, [item.request for item in ask], self.task.answer, asset=self.task.stage, user_id=self.user
        )
        if out_of_service := first_service_failure(answers):
            raise out_of_service
        anchors = {item.id: item.anchor for item in ask}
        failures: dict[str, ModelError] = {}
        words: dict[str, tuple[str, str, str]] = {}
        for item, answer in zip(ask, answers, strict=True):
            if isinstance(answer, ModelError):
                failures[item.id] = answer
                continue
            text = bounded(" ".join(getattr(answer.value, self.task.text_field).split()))
            title = " ".join(answer.value.title.split()) or item.anchor  # type: ignore[attr-defined]
            words[item.id] = (title, text, answer.model)
            counts["named"] += 1
            if answer.cached:
                counts["cached"] += 1
                continue
            counts.update(
                tokens_in=answer.tokens_in, tokens_out=answer.tokens_out, microdollars=round(answer.usd * 1e6)
            )
        for (key, (title, text, model)), vector in zip(words.items(), self._embed(words), strict=True):
            if isinstance(vector, ModelError):
                failures[key] = vector
            else:
                named[key] = Named(title, text, vector.tolist(), model, title)
        return counts + self._note(failures, anchors)

    def _embed(self, words: Mapping[str, tuple[str, str, str]]) -> Sequence[Any]:
        texts = [text for _, text, _ in words.values()]
        if not texts:
            return []
        try:
            return embed_each(self.embedder, texts, asset=self.task.stage, user_id=self.user)
        except BudgetExceededError as error:
            return [error] * len(texts)

    def _note(self, failures: Mapping[str, ModelError], anchors: Mapping[str, str]) -> Counter[str]:
        """Count what has no words yet, and say why."""
        left = [error for error in failures.values() if isinstance(error, BudgetExceededError)]
        if left:
            self.problems.append(f"{len(left)} {self.task.stage} are left for the next run: {left[0]}")
        self.problems += [
            f"One of the {self.task.stage} about {anchors[key]!r} could not be named: {error}"
            for key, error in failures.items()
            if not isinstance(error, BudgetExceededError)
        ]
        return Counter(left_by_budget=len(left), failed=len(failures) - len(left))

    def complete(self, digest: str, last_changes: Sequence[Statement]) -> list[list[Row]]:
        """The last transaction: what goes, what follows for the anchors, and from what it was made; "" where some
        is left.
        """
        state = stage_made(self.user, self.task.stage, digest, self.now)
        return self.graph.write_together([*last_changes, state])

    def retirements(self, query: str, gone: Iterable[Row], reason: str) -> list[Statement]:
        """What retires those of ``gone`` by the name of a cut; none for none."""
        return cuts(query, retirement_rows(self.user, gone, reason, self.now), user=self.user, now=self.now)

    def titles(
        self, named: Mapping[str, Named], due: Mapping[str, Due], stored: Mapping[str, Titled] | None = None
    ) -> dict[str, str]:
        """Titles of which no two are alike (:mod:`memory_assets.hierarchy.titles`), of these and those stored."""
        given = {
            key: Titled(one.given_title, due[key].anchor, due[key].since, due[key].until) for key, one in named.items()
        }
        return distinct({**given, **(stored or {})})

    def with_distinct_titles(self, named: Mapping[str, Named], due: Mapping[str, Due]) -> dict[str, Named]:
        """What was named, with titles of which no two are alike."""
        titles = self.titles(named, due)
        return {key: replace(one, title=titles[key]) for key, one in named.items()}

    def row(self, item: Due, named: Named) -> Row:
        """What is written of every memory of a stage: its ids, its words, and what these were made from."""
        row = {"id": item.id, "ref": reference(item.id), "anchor_id": item.anchor_id, "fingerprint": item.fingerprint}
        row |= {name: getattr(named, name) for name in ("title", "given_title", "embedding", "model")}
        return row | {self.task.text_field: named.text, "token_count": count_tokens(named.text)}

    def write(self, rows: Sequence[Row], statements: Callable[[Sequence[Row]], list[Statement]]) -> None:
        """Write memories with all their links, some at a time: each is whole or not there."""
        for part in in_parts(rows, MEMORIES_PER_TRANSACTION):
            self.graph.write_together(statements(part))
