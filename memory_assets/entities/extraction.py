"""One user's extraction: read what is due, ask the model, decide, write a batch at a time.

A killed run leaves whole batches behind; the next one goes on with what has no Extraction.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory_assets.clock import Clock, to_iso
from memory_assets.entities import due as due_policy
from memory_assets.entities import policy
from memory_assets.entities.due import Due, DueSource
from memory_assets.entities.rows import Outcome, Scope, batch_writes
from memory_assets.errors import BudgetExceededError, ModelError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import readable_owners
from memory_assets.llm.model_client import Answer, Embedder, LanguageModel
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import EXTRACT_ENTITIES, Extraction, SourceText, TurnText
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint
from memory_assets.operations.window import WindowConfig

ASSET = "extracted_entities"


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
        self.recipe = fingerprint(
            prompts().prompt_hash(EXTRACT_ENTITIES), language.name, embedder.name, policy.CODE_VERSION
        )
        self.owners = tuple(readable_owners(graph, user))

    def run(self, window: WindowConfig) -> Counter[str]:
        """Extract all that is due, or as much as the budget allows."""
        due = self._read_due(window)
        counts: Counter[str] = Counter(due=len(due.sources), standing=due.standing)
        if due.to_mark:
            rows = [{"id": key} for key in due.to_mark]
            self.graph.write("entities/set_sources_extracted", rows, user_id=self.user)
        settled = 0
        for batch in due_policy.batches(due.sources):
            outcomes, spent, stopped = self._extract(batch)
            counts += spent
            settled += len(outcomes)
            if outcomes:
                try:
                    counts += self._write(outcomes)
                except BudgetExceededError:
                    settled -= len(outcomes)
                    stopped = True
                self.say(f"{self.user}: {settled} of {len(due.sources)} sources extracted")
            if stopped:
                self.say(f"{self.user}: the budget is spent, {len(due.sources) - settled} sources wait")
                break
        counts["left_by_budget"] = len(due.sources) - settled
        return counts

    def _read_due(self, window: WindowConfig) -> Due:
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

    def _extract(self, batch: Sequence[DueSource]) -> tuple[list[Outcome], Counter[str], bool]:
        """Outcomes of a batch, what they cost, and whether the budget ended it."""
        texts = {
            row["id"]: row
            for row in self.graph.read(
                "entities/list_source_texts", ids=[source.id for source in batch], user_ids=list(self.owners)
            )
        }
        batch = [source for source in batch if source.id in texts]
        payloads = [source_text(texts[source.id], source.is_own) for source in batch]
        answers = self.language.ask_many(
            EXTRACT_ENTITIES, payloads, Extraction, asset=ASSET, user_id=self.user
        )
        outcomes: list[Outcome] = []
        spent: Counter[str] = Counter()
        stopped = False
        for source, payload, answer in zip(batch, payloads, answers, strict=True):
            if isinstance(answer, BudgetExceededError):
                stopped = True
                continue
            if isinstance(answer, ModelError):
                outcomes.append(self._failed(source, answer))
                continue
            spent.update(cost_of(answer))
            decision = policy.decide(
                answer.value, payload.turns, payload.owner_speaker, user=self.user, count_tokens=count_tokens
            )
            outcomes.append(Outcome(source, decision, answer.model))
        return outcomes, spent, stopped

    def _write(self, outcomes: list[Outcome]) -> Counter[str]:
        """One transaction for the batch. Without embeddings there is none: then its sources have failed."""
        words = {c.chunk_id: c.normalised for o in outcomes if o.decision for c in o.decision.chunks}
        known = self._read_embedders(sorted(words))
        ask = {key: text for key, text in words.items() if known.get(key) != self.embedder.name}
        embeddings: Mapping[str, Sequence[float]] = {}
        try:
            if ask:
                vectors = self.embedder.embed(list(ask.values()), asset=ASSET, user_id=self.user)
                embeddings = {key: vector.tolist() for key, vector in zip(ask, vectors, strict=True)}
        except BudgetExceededError:
            raise
        except ModelError as error:
            outcomes = [self._failed(outcome.source, error) for outcome in outcomes]
        seen = [outcome.source.id for outcome in outcomes if outcome.source.seen and outcome.decision]
        linked = self.graph.read("entities/list_linked_memories", user_id=self.user, ids=seen) if seen else []
        now = self.clock.now()
        scope = Scope(self.user, self.owners, self.embedder.name, now)
        writes = batch_writes(scope, outcomes, embeddings, known.keys(), linked, now)
        results = self.graph.write_together([Statement(name, params) for name, params in writes])
        return _count(outcomes, writes, results)

    def _read_embedders(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """The statements among these that are there already, with whose embedding they have."""
        rows = self.graph.read("entities/list_chunk_embedders", user_id=self.user, ids=list(chunk_ids))
        return {row["id"]: row["embedder"] for row in rows}

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
