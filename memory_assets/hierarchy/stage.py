"""What storylines and macros have in common: skip when nothing changed, name what did, write, say so last.

A killed run leaves whole storylines behind and no word that the stage is complete, so the next run goes on:
it asks no model for what is named already.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from memory_assets.clock import Clock, to_iso
from memory_assets.errors import BudgetExceededError, ModelError, UnusableAnswerError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.graph.retirement import retirement_rows
from memory_assets.graph.statements import in_parts
from memory_assets.hierarchy.evidence import LEAST_SENTENCES, take
from memory_assets.hierarchy.naming import Due, oldest_first
from memory_assets.hierarchy.reading import read_waiting, waiting_stage
from memory_assets.hierarchy.titles import Titled, bounded, distinct
from memory_assets.llm.model_client import Answer, Embedder, LanguageModel, embed_each, first_service_failure
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.sentences import Refused, Sentence, read_sentences, text_of, written_sentences
from memory_assets.llm.tasks import StorylineName
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint, reference

MEMORIES_PER_TRANSACTION = 25

Row = dict[str, Any]


STATEMENTS = "statements"
"""The model of a text that is whole statements because the model's own sentences fail."""


@dataclass(frozen=True)
class Words:
    """What a memory is called, what it says, each sentence with what it rests on, and the model that it is from."""

    title: str
    sentences: tuple[Sentence, ...]
    model: str

    @property
    def text(self) -> str:
        """What it says; "" where nothing is said."""
        return text_of(self.sentences) or ""


@dataclass(frozen=True)
class Named:
    """A memory's words with their embedding. ``title`` differs from theirs where another memory was given the same."""

    title: str
    words: Words
    embedding: list[float]


@dataclass(frozen=True)
class Task:
    """What a stage asks: the prompt's name, the answer's type, the same from the request alone, and the property its
    text is stored as.
    """

    stage: str
    prompt: str
    answer: type[StorylineName]
    locally: Callable[[Any], StorylineName]
    text_field: str
    code_version: str
    most_a_run: int
    """So many new ones a run may ask for, and so many that have changed, unless it is forced."""


def as_stored(known: Mapping[str, Any]) -> Named:
    """The words of a memory, by its properties."""
    words = Words(known["given_title"], read_sentences(known["sentences"]), known["model"])
    return Named(known["title"], words, known["embedding"])


class Stage:
    """One derived stage of one user; ``saved`` is a folder for what makes the next time cheaper, ``read_lately`` says
    which of some memories somebody has read since accesses were counted.
    """

    def __init__(
        self,
        task: Task,
        graph: Graph,
        language: LanguageModel,
        embedder: Embedder,
        clock: Clock,
        user: str,
        saved: Path | None = None,
        naming: str = "due",
        read_lately: Callable[[Collection[str]], Collection[str]] = frozenset().intersection,
    ) -> None:
        self.task, self.graph, self.language, self.embedder = task, graph, language, embedder
        self.user, self.now = user, clock.now()
        self.saved, self.naming, self.read_lately = saved, naming, read_lately
        self.problems: list[str] = []
        self.refused: Counter[str] = Counter()
        """Why sentences of a model are not taken."""
        self.left: list[str] = []
        """What waits for the next run because this one has asked for enough."""
        self.written: list[str] = []
        """The ids of what was made, or made anew."""
        self.waiting = read_waiting(graph, user, task.stage)
        """The anchors of which something is due, and since when no run has named it."""
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
                named[item.id] = as_stored(known)
            else:
                ask.append(item)
        now = ask if force else self._turn(ask, existing)
        if left := len(ask) - len(now):
            self.left = [f"{left} {self.task.stage}"]
        counts: Counter[str] = Counter(named_before=len(named), left_for_the_next_run=left)
        counts += self._ask(now, named, existing)
        unnamed = {item.anchor_id for item in ask if item.id not in named}
        self.waiting = {key: self.waiting.get(key, self.now) for key in sorted(unnamed)}
        return named, counts

    def _turn(self, ask: Sequence[Due], existing: Mapping[str, Mapping[str, Any]]) -> list[Due]:
        """What this run names: of new ones, and of those that have changed, as many as a run may, oldest debt first.

        With a new one come the changed ones of its anchor, from which its sources may be: never are they in both.
        """
        growing = {item.anchor_id for item in ask if item.id not in existing}
        kinds = {"new": [item for item in ask if item.anchor_id in growing]}
        kinds["changed"] = [item for item in ask if item.anchor_id not in growing]
        most = self.task.most_a_run
        return [
            item
            for kind, items in kinds.items()
            if self.naming in ("due", kind)
            for item in oldest_first(items, most, self.waiting)[0]
        ]

    def _ask(
        self, ask: Sequence[Due], named: dict[str, Named], existing: Mapping[str, Mapping[str, Any]]
    ) -> Counter[str]:
        counts: Counter[str] = Counter()
        if not ask:
            return counts
        requests = [item.asked.request for item in ask]
        answers = self.language.ask_many(
            self.task.prompt, requests, self.task.answer, asset=self.task.stage, user_id=self.user
        )
        if out_of_service := first_service_failure(answers):
            raise out_of_service
        failures: dict[str, ModelError] = {}
        found: dict[str, Words] = {}
        for item, answer in zip(ask, answers, strict=True):
            if isinstance(answer, ModelError) and not isinstance(answer, UnusableAnswerError):
                failures[item.id] = answer
            else:
                found[item.id] = self._words(item, answer)
                counts += _spent(answer)
        for key, vector in self._vectors(found, existing, counts).items():
            if isinstance(vector, ModelError):
                failures[key] = vector
            else:
                named[key] = Named(found[key].title, found[key], vector)
        counts["refused"] = self.refused.total()
        return counts + self._note(failures, {item.id: item.anchor for item in ask})

    def _words(self, item: Due, answer: Answer[StorylineName] | UnusableAnswerError) -> Words:
        """What an answer gives; where too few of its sentences follow from what they cite, whole statements with the
        title of these, if that is more.
        """
        if isinstance(answer, UnusableAnswerError):
            # What is refused once is refused every night: it is not asked about until there is something else.
            self.refused["no answer of use"] += 1
            return self._whole(item)
        own, refused = _taken(item, answer.value, answer.model)
        self.refused.update(why for _, why in refused)
        whole = own if len(own.sentences) >= LEAST_SENTENCES else self._whole(item)
        return whole if len(whole.sentences) > len(own.sentences) else own

    def _whole(self, item: Due) -> Words:
        return _taken(item, self.task.locally(item.asked.request), STATEMENTS)[0]

    def _vectors(
        self, found: Mapping[str, Words], existing: Mapping[str, Mapping[str, Any]], counts: Counter[str]
    ) -> dict[str, list[float] | ModelError]:
        """The embedding of each text: the one that it has, where this embedder has embedded the same."""
        vectors: dict[str, list[float] | ModelError] = {
            key: known["embedding"]
            for key, words in found.items()
            if (known := existing.get(key))
            and known.get("embedder") == self.embedder.name
            and known.get(self.task.text_field) == words.text
            and (words.text or known.get("given_title") == words.title)
        }
        ask = [key for key in found if key not in vectors]
        for key, vector in zip(ask, self._embed([found[key].text or found[key].title for key in ask]), strict=True):
            counts["embedded"] += not isinstance(vector, ModelError)
            vectors[key] = vector if isinstance(vector, ModelError) else vector.tolist()
        return vectors

    def _embed(self, texts: Sequence[str]) -> Sequence[Any]:
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
        is left, and since when that waits.
        """
        waits = json.dumps({key: to_iso(at) for key, at in self.waiting.items()})
        states = [
            stage_made(self.user, waiting_stage(self.task.stage), waits, self.now),
            stage_made(self.user, self.task.stage, digest, self.now),
        ]
        return self.graph.write_together([*last_changes, *states])

    def retirements(self, query: str, gone: Iterable[Row], reason: str) -> list[Statement]:
        """What retires those of ``gone`` by the name of a cut; none for none. The rails see what the graph has counted:
        what somebody has read since stays, too.
        """
        rows = {row["id"]: row for row in gone}
        read = self.read_lately(rows.keys())
        going = [row for key, row in rows.items() if key not in read]
        return cuts(query, retirement_rows(self.user, going, reason, self.now), user=self.user, now=self.now)

    def titles(
        self, named: Mapping[str, Named], due: Mapping[str, Due], stored: Mapping[str, Titled] | None = None
    ) -> dict[str, str]:
        """Titles of which no two are alike (:mod:`memory_assets.hierarchy.titles`), of these and those stored."""
        given = {
            key: Titled(one.words.title, due[key].anchor, due[key].since, due[key].until) for key, one in named.items()
        }
        return distinct({**given, **(stored or {})})

    def with_distinct_titles(self, named: Mapping[str, Named], due: Mapping[str, Due]) -> dict[str, Named]:
        """What was named, with titles of which no two are alike."""
        titles = self.titles(named, due)
        return {key: replace(one, title=titles[key]) for key, one in named.items()}

    def row(self, item: Due, named: Named) -> Row:
        """What is written of every memory of a stage: its ids, its words, and what these were made from."""
        row: Row = {
            "id": item.id,
            "ref": reference(item.id),
            "anchor_id": item.anchor_id,
            "fingerprint": item.fingerprint,
        }
        row |= {"title": named.title, "given_title": named.words.title, "embedding": named.embedding}
        row |= {"model": named.words.model, "sentences": written_sentences(named.words.sentences)}
        return row | {self.task.text_field: named.words.text, "token_count": count_tokens(named.words.text)}

    def is_stored(self, row: Mapping[str, Any], known: Mapping[str, Any], names: Iterable[str]) -> bool:
        """Whether a memory's properties of these ``names`` are stored as they would be written."""
        if known.get("embedder") != self.embedder.name or known.get("is_dirty"):
            return False
        return all(
            row[name] == (to_iso(value) if isinstance(value := known.get(name), datetime) else value) for name in names
        )

    def write(self, rows: Sequence[Row], statements: Callable[[Sequence[Row]], list[Statement]]) -> None:
        """Write memories with all their links, some at a time: each is whole or not there."""
        for part in in_parts(rows, MEMORIES_PER_TRANSACTION):
            self.graph.write_together(statements(part))
            self.written += [row["id"] for row in part]


def _taken(item: Due, given: StorylineName, model: str) -> tuple[Words, Refused]:
    sentences, refused = take(given, item.asked.evidence)
    return Words(" ".join(given.title.split()) or item.anchor, bounded(sentences), model), refused


def _spent(answer: Answer[Any] | ModelError) -> Counter[str]:
    counts: Counter[str] = Counter(named=1)
    if isinstance(answer, ModelError):
        return counts
    if answer.cached:
        return counts + Counter(cached=1)
    return counts + Counter(
        tokens_in=answer.tokens_in, tokens_out=answer.tokens_out, microdollars=round(answer.usd * 1e6)
    )
