"""One user's extraction: read what is due, ask the model, decide, write a batch at a time.

A killed run leaves whole batches behind; the next one goes on with what has no Extraction.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_assets.clock import Clock, to_iso
from memory_assets.entities import due as due_policy
from memory_assets.entities import policy
from memory_assets.entities.due import Due, DueSource
from memory_assets.entities.rows import Outcome, Scope, batch_writes
from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import readable_owners
from memory_assets.llm.model_client import (
    Answer,
    Embedder,
    LanguageModel,
    embed_each,
    first_service_failure,
)
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import EXTRACT_ENTITIES, Extraction, SourceText, TurnText
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint
from memory_assets.operations.scope import RunScope

ASSET = "extracted_entities"


@dataclass
class _Batch:
    """What became of a batch: outcomes, what they cost, and what ended it before its end."""

    outcomes: list[Outcome] = field(default_factory=list)
    spent: Counter[str] = field(default_factory=Counter)
    budget: BudgetExceededError | None = None
    out_of_service: ModelServiceError | None = None


class Extractor:
    """One user's extraction: the three steps read, decide, write, for a batch of sources at a time."""

    def __init__(
        self,
        graph: Graph,
        language: LanguageModel,
        embedder: Embedder,
        clock: Clock,
        user: str,
        say: Callable[[str], None],
    ) -> None:
        self.graph, self.language, self.embedder, self.clock = graph, language, embedder, clock
        self.user, self.say = user, say
        self.problems: list[str] = []
        self._titles: dict[str, str] = {}
        self.recipe = fingerprint(
            prompts().prompt_hash(EXTRACT_ENTITIES), language.name, embedder.name, policy.CODE_VERSION
        )
        self.owners = tuple(readable_owners(graph, user))

    def run(self, window: RunScope) -> Counter[str]:
        """Extract all that is due, or as much as the budget allows."""
        due = self._read_due(window)
        counts: Counter[str] = Counter(due=len(due.sources), standing=due.standing)
        if due.to_mark:
            rows = [{"id": key} for key in due.to_mark]
            self.graph.write("entities/set_sources_extracted", rows, user_id=self.user)
        settled = 0
        for batch in due_policy.batches(due.sources):
            done = self._extract(batch)
            counts += done.spent
            if done.outcomes:
                try:
                    counts += self._write(done.outcomes)
                    settled += len(done.outcomes)
                except BudgetExceededError as error:
                    done.budget = error
                self.say(f"{self.user}: {settled} of {len(due.sources)} sources extracted")
            if done.out_of_service:
                raise done.out_of_service
            if done.budget:
                left = len(due.sources) - settled
                self.problems.append(
                    f"{left} sources are left for the next run (now {settled} of {len(due.sources)} extracted): {done.budget}"
                )
                break
        counts["left_by_budget"] = len(due.sources) - settled
        return counts

    def _read_due(self, window: RunScope) -> Due:
        since, until = window.bounds()
        return due_policy.choose_due(
            self.graph.read("entities/list_sources_for_extraction", user_ids=list(self.owners)),
            self.graph.read("entities/list_extractions", user_id=self.user),
            user=self.user,
            recipe=self.recipe,
            since=since,
            until=until,
            force=window.force,
        )

    def _extract(self, batch: Sequence[DueSource]) -> _Batch:
        """Ask about a batch. Where no call can work, no source is at fault: none of them has failed."""
        texts = {
            row["id"]: row
            for row in self.graph.read(
                "entities/list_source_texts", ids=[source.id for source in batch], user_ids=list(self.owners)
            )
        }
        batch = [source for source in batch if source.id in texts]
        self._titles = {key: row["title"] or key for key, row in texts.items()}
        payloads = [source_text(texts[source.id], source.is_own) for source in batch]
        answers = self.language.ask_many(
            EXTRACT_ENTITIES, payloads, Extraction, asset=ASSET, user_id=self.user
        )
        done = _Batch(out_of_service=first_service_failure(answers))
        for source, payload, answer in zip(batch, payloads, answers, strict=True):
            if isinstance(answer, BudgetExceededError):
                done.budget = answer
                continue
            if isinstance(answer, ModelError):
                if not done.out_of_service:
                    done.outcomes.append(self._failed(source, answer))
                continue
            done.spent.update(cost_of(answer))
            decision = policy.decide(
                answer.value, payload.turns, payload.owner_speaker, user=self.user, count_tokens=count_tokens
            )
            done.outcomes.append(Outcome(source, decision, answer.model))
        return done

    def _write(self, outcomes: list[Outcome]) -> Counter[str]:
        """One transaction for the batch. A source with a statement that cannot be embedded has failed."""
        words = {c.chunk_id: c.normalised for o in outcomes if o.decision for c in o.decision.chunks}
        known = self._read_embedders(sorted(words))
        ask = {key: text for key, text in words.items() if known.get(key) != self.embedder.name}
        embeddings: dict[str, Sequence[float]] = {}
        refused: dict[str, ModelError] = {}
        if ask:
            vectors = embed_each(self.embedder, list(ask.values()), asset=ASSET, user_id=self.user)
            for key, vector in zip(ask, vectors, strict=True):
                if isinstance(vector, ModelError):
                    refused[key] = vector
                else:
                    embeddings[key] = vector.tolist()
        if refused:
            outcomes = [self._unless_refused(outcome, refused) for outcome in outcomes]
            stated = {c.chunk_id for o in outcomes if o.decision for c in o.decision.chunks}
            embeddings = {key: vector for key, vector in embeddings.items() if key in stated}
        seen = [outcome.source.id for outcome in outcomes if outcome.source.seen and outcome.decision]
        linked = self.graph.read("entities/list_linked_memories", user_id=self.user, ids=seen) if seen else []
        now = self.clock.now()
        scope = Scope(self.user, self.owners, self.embedder.name, now)
        writes = batch_writes(scope, outcomes, embeddings, known.keys(), linked, now)
        results = self.graph.write_together([Statement(name, params) for name, params in writes])
        self.problems += [
            f"{self._titles.get(o.source.id, o.source.id)!r} could not be extracted: {o.error}"
            for o in outcomes
            if o.decision is None
        ]
        return _count(outcomes, writes, results)

    def _read_embedders(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """The statements among these that are there already, with whose embedding they have."""
        rows = self.graph.read("entities/list_chunk_embedders", user_id=self.user, ids=list(chunk_ids))
        return {row["id"]: row["embedder"] for row in rows}

    def _unless_refused(self, outcome: Outcome, refused: Mapping[str, ModelError]) -> Outcome:
        chunks = outcome.decision.chunks if outcome.decision else ()
        error = next((refused[chunk.chunk_id] for chunk in chunks if chunk.chunk_id in refused), None)
        return self._failed(outcome.source, error) if error else outcome

    def _failed(self, source: DueSource, error: ModelError) -> Outcome:
        return Outcome(source, None, self.language.name, str(error)[:500])


def cost_of(answer: Answer[Extraction]) -> dict[str, int]:
    """What an answer adds to a run's figures; one from the cache was paid before."""
    if answer.cached:
        return {"cached": 1}
    return {
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "microdollars": round(answer.usd * 1e6),
    }


def source_text(row: Mapping[str, Any], is_own: bool) -> SourceText:
    """A source as models see it; without turns, its content is one turn that nobody is known to have said.

    A team's source is nobody's own: its only user may be another member.
    """
    turns = [
        TurnText(index=turn["index"], speaker=turn.get("speaker"), text=turn["text"], at=turn.get("at"))
        for turn in json.loads(row["turns"] or "[]")
    ]
    return SourceText(
        source_type=row["source_type"],
        title=row["title"] or "",
        started_at=to_iso(row["started_at"]),
        owner_speaker=row["owner_speaker"] if is_own else None,
        turns=tuple(turns) or (TurnText(index=0, speaker=None, text=row["content"] or ""),),
    )


def _count(
    outcomes: Sequence[Outcome], writes: Sequence[tuple[str, Any]], results: Sequence[list[Any]]
) -> Counter[str]:
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        counts["failed" if outcome.decision is None else "extracted"] += 1
        if outcome.decision is not None:
            counts.update(mentions=len(outcome.decision.mentions), statements=len(outcome.decision.chunks))
            counts.update({f"dropped: {reason}": n for reason, n in outcome.decision.dropped.items()})
    for (name, _), rows in zip(writes, results, strict=True):
        if name in ("curation/retire_unstated_chunks", "curation/retire_unmentioned_anchors"):
            counts["retired"] += len(rows)
    return counts
