"""The shell of extraction: read what is due, ask the model, decide, write a batch at a time."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from memory_assets.clock import Clock, to_iso
from memory_assets.entities import due as due_policy
from memory_assets.entities import policy
from memory_assets.entities.due import Due, DueSource
from memory_assets.entities.report import report
from memory_assets.entities.rows import Outcome, Scope, batch_writes
from memory_assets.errors import BudgetExceededError, ModelError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.llm.model_client import Answer, Embedder, LanguageModel
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import EXTRACT_ENTITIES, Extraction, SourceText, TurnText
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint, is_team
from memory_assets.operations.partitions import owners
from memory_assets.operations.window import WindowConfig
from memory_assets.resources import GraphResource, InstallationResource, ModelResource

ASSET = "extracted_entities"


@dg.asset(
    deps=["processed_sources"],
    partitions_def=owners,
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=20),
    group_name="entities",
    owners=["team:memory"],
    kinds={"neo4j", "openai"},
    code_version=policy.CODE_VERSION,
    output_required=False,
)
def extracted_entities(
    context: dg.AssetExecutionContext,
    config: WindowConfig,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult]:
    """People, concepts, entities and statements of a user's sources and of the user's teams' sources.

    Asks the model once for every source whose extraction is missing, failed, or was made from another text,
    prompt, model or code. A team's sources are extracted for each member, into the member's own graph.
    """
    total: Counter[str] = Counter()
    top: list[dict[str, Any]] = []
    users = [key for key in context.partition_keys if not is_team(key)]
    for user in users:
        with installation.owner_lock(user):
            extractor = Extractor(
                graph.open(), models.language(), models.embedder(), installation.clock, user, context.log.info
            )
            total += extractor.run(config)
        top += graph.open().read("entities/list_top_anchors", user_id=user)
    if not users:
        context.log.info("A team's sources are extracted for each of its members: nothing to do here.")
        return
    metadata = report(total, top)
    metadata["top_anchors"] = dg.MetadataValue.md(metadata["top_anchors"])
    yield dg.MaterializeResult(metadata=metadata)


class Extractor:
    """One user's extraction: the three steps read, decide, write, for a batch of sources at a time."""

    def __init__(
        self, graph: Graph, language: LanguageModel, embedder: Embedder, clock: Clock, user: str, say: Any = print
    ) -> None:
        self.graph, self.language, self.embedder, self.clock = graph, language, embedder, clock
        self.user, self.say = user, say
        self.recipe = fingerprint(
            prompts().prompt_hash(EXTRACT_ENTITIES), language.name, embedder.name, policy.CODE_VERSION
        )
        self.owners = (user, *(row["owner"] for row in graph.read("entities/list_source_owners", user_id=user)))

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
                counts += self._write(outcomes)
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
        payloads = [source_text(texts[source.id]) for source in batch]
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
        """One transaction for the batch. Without embeddings there is no batch: then its sources have failed."""
        words = {c.chunk_id: c.normalised for o in outcomes if o.decision for c in o.decision.chunks}
        embeddings: Mapping[str, Sequence[float]] = {}
        try:
            vectors = self.embedder.embed(list(words.values()), asset=ASSET, user_id=self.user) if words else []
            embeddings = {key: vector.tolist() for key, vector in zip(words, vectors, strict=True)}
        except ModelError as error:
            outcomes = [self._failed(outcome.source, error) for outcome in outcomes]
        seen = [outcome.source.id for outcome in outcomes if outcome.source.seen and outcome.decision]
        linked = (
            self.graph.read("entities/list_linked_memories", user_id=self.user, ids=seen) if seen else []
        )
        now = self.clock.now()
        scope = Scope(self.user, self.owners, self.embedder.name, now)
        writes = batch_writes(scope, outcomes, embeddings, linked, now)
        results = self.graph.write_together([Statement(name, params) for name, params in writes])
        return _count(outcomes, writes, results)

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


def source_text(row: Mapping[str, Any]) -> SourceText:
    """A source as models see it; without turns, its content is one turn that nobody is known to have said."""
    turns = [
        TurnText(index=turn["index"], speaker=turn.get("speaker"), text=turn["text"], at=turn.get("at"))
        for turn in json.loads(row["turns"] or "[]")
    ]
    return SourceText(
        source_type=row["source_type"],
        title=row["title"] or "",
        started_at=to_iso(row["started_at"]),
        owner_speaker=row["owner_speaker"],
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
