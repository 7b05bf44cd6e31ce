"""One user's extraction: read what is due, ask the model, decide, write a batch at a time.

A killed run leaves whole batches behind; the next one goes on with what has no Extraction.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from memory_assets.batches import in_batches
from memory_assets.clock import Clock, to_iso
from memory_assets.entities import due as due_policy
from memory_assets.entities import policy
from memory_assets.entities.due import Due, DueSource
from memory_assets.entities.naming.records import Profile
from memory_assets.entities.naming_stage import cost_of, name_anew
from memory_assets.entities.resolving import DUE, STAGE, read_profile
from memory_assets.entities.rows import Outcome, Scope, batch_writes, name_key
from memory_assets.entities.text import owner_speaker, recipient_of, writer_of
from memory_assets.entities.whole_lines import KINDS, by_lines
from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError, SourceOverrunError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import ids_cut
from memory_assets.graph.owners import readable_owners, stage_made
from memory_assets.graph.statements import in_parts
from memory_assets.llm.local.reading import is_assistant
from memory_assets.llm.model_client import Embedder, LanguageModel, embed_each, first_service_failure
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import EXTRACT_ENTITIES, Extraction, SourceText, TurnText
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint
from memory_assets.runtime.failures import may_pass, next_attempt
from memory_assets.runtime.scope import RunScope
from memory_assets.text.repeating import Said
from memory_assets.work_limit import WorkLimit

ASSET = "extracted_entities"
LONGEST_CHAIN = 100
"""So many merges are followed, one into the other: one that comes back to itself has no end."""


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
        limit: WorkLimit | None = None,
        shown: Callable[[], Mapping[str, datetime]] = dict,
    ) -> None:
        """``shown``: since when agents were given which memories lately, beside the published files."""
        self.graph, self.language, self.embedder, self.clock = graph, language, embedder, clock
        self.user, self.say, self.limit, self.shown = user, say, limit or WorkLimit(), shown
        self.problems: list[str] = []
        self.failed: list[str] = []
        self.unasked: list[str] = []
        self._titles: dict[str, str] = {}
        self._given: Said | None = None
        self.recipe = fingerprint(
            prompts().prompt_hash(EXTRACT_ENTITIES), language.name, embedder.name, policy.CODE_VERSION
        )
        self.owners = tuple(readable_owners(graph, user))
        self.profile = read_profile(graph, user)

    def run(self, window: RunScope) -> Counter[str]:
        """Extract all that is due, or as much as the budget allows."""
        due = self._read_due(window)
        counts: Counter[str] = Counter(
            due=len(due.sources), standing=due.standing, waiting=due.waiting, of_teams_not_asked_for=due.unwanted
        )
        if due.unasked:
            self.unasked.append(f"{due.unasked} other sources are due")
        if due.to_mark:
            rows = [{"id": key, "started": None, "completed": None} for key in due.to_mark]
            self.graph.write("entities/set_sources_extracted", rows, user_id=self.user)
        counts += self._withhold()
        settled = 0
        for batch in in_batches(due.sources, due_policy.SOURCES_PER_BATCH, lambda source: source.tokens):
            began = self.clock.now()
            outcomes, stopped = self._extract(batch, counts)
            if outcomes:
                try:
                    counts += self._write(outcomes, began)
                    settled += len(outcomes)
                except BudgetExceededError as error:
                    stopped = stopped or error
                self.say(f"{self.user}: {settled} of {len(due.sources)} sources extracted")
            if isinstance(stopped, ModelServiceError):
                raise stopped
            if stopped is not None:
                left = len(due.sources) - settled
                self.problems.append(
                    f"{left} sources are left for the next run (now {settled} of {len(due.sources)} extracted): "
                    f"{stopped}"
                )
                break
        counts["left_by_budget"] = len(due.sources) - settled
        return counts + name_anew(self.graph, self.language, self.clock, self.user, self.owners, self.problems)

    def _withhold(self) -> Counter[str]:
        """Forget what was extracted from sources that the user may no longer read."""
        rows = self.graph.read("entities/list_withheld_extractions", user_id=self.user, user_ids=list(self.owners))
        counts: Counter[str] = Counter()
        for page in in_parts(rows, due_policy.SOURCES_PER_BATCH):
            gone = [(row["source_id"], policy.WITHHELD, True, False, row["started_at"], 0, 0) for row in page]
            sources = [DueSource(*one, row["source_started_at"]) for one, row in zip(gone, page, strict=True)]
            self._write([Outcome(source, policy.NOTHING, self.language.name) for source in sources], self.clock.now())
            counts["withheld"] += len(page)
        return counts

    def _read_due(self, window: RunScope) -> Due:
        since, until = window.bounds()
        sources = self.graph.read("entities/list_sources_for_extraction", user_ids=list(self.owners))
        made = self.graph.read("graph/list_extractions", user_id=self.user)
        asked: dict[str, Any] = {"since": since, "until": until, "only": window.sources, "now": self.clock.now()}
        asked |= {"force": window.force, "retry": window.retry}
        whose: dict[str, Any] = {"user": self.user, "recipe": self.recipe, "profile": self.profile}
        return due_policy.choose_due(sources, made, **whose, **asked)

    def next_attempt(self) -> tuple[list[str], datetime | None]:
        """The sources whose extraction is failed, by their ids, and when the next of them is due again by itself."""
        now = to_iso(self.clock.now())
        (row,) = self.graph.read("entities/find_next_extraction", user_id=self.user, now=now)
        return sorted(row["ids"]), row["at"]

    def _extract(
        self, batch: Sequence[DueSource], counts: Counter[str]
    ) -> tuple[list[Outcome], ModelServiceError | BudgetExceededError | None]:
        """Ask about a batch: the outcomes, and what ended it before its end; what they cost is counted. Where no call
        can work, no source is at fault: none of them has failed.
        """
        ids = [source.id for source in batch]
        rows = self.graph.read("entities/list_source_texts", ids=ids, user_ids=list(self.owners))
        texts = {row["id"]: row for row in rows}
        batch = [source for source in batch if source.id in texts]
        self._titles = {key: row["title"] or key for key, row in texts.items()}
        payloads = [source_text(texts[source.id], source.is_own, self.profile) for source in batch]
        answers = self.language.ask_many(EXTRACT_ENTITIES, payloads, Extraction, asset=ASSET, user_id=self.user)
        service = first_service_failure(answers)
        stopped: ModelServiceError | BudgetExceededError | None = service
        outcomes: list[Outcome] = []
        for source, payload, answer in zip(batch, payloads, answers, strict=True):
            if isinstance(answer, BudgetExceededError):
                stopped = stopped or answer
                continue
            row = texts[source.id]
            if isinstance(answer, ModelError):
                if service is not None:
                    continue
                if row["source_type"] not in KINDS or (may_pass(answer) and not source.attempts):
                    outcomes.append(self._failed(source, answer))
                    continue
                # What its owner has written down is stored without a model, whose answer would only add names: at once
                # where it is refused, and where asking once more has not helped.
                said, model = Extraction(entities=(), statements=()), self.language.name
            else:
                counts.update(cost_of(answer))
                said, model = answer.value, answer.model
            try:
                decision = self.limit.run(partial(self._decide, row, said, payload), len(row["content"] or ""))
            except SourceOverrunError as error:
                outcomes.append(self._failed(source, error))
            else:
                outcomes.append(Outcome(source, decision, model))
        return outcomes, stopped

    def _decide(self, row: Mapping[str, Any], said: Extraction, payload: SourceText) -> policy.Decision:
        lines, turns = by_lines(row, said), payload.turns
        how: dict[str, Any] = {"user": self.user, "count_tokens": count_tokens}
        how |= {"passed_on": {turn.index for turn in turns if payload.passes_on(turn.speaker)}}
        how |= {"by_agents": {turn.index for turn in turns if is_assistant(payload, turn.speaker)}}
        return policy.decide(lines, turns, payload.owner_speaker, started_at=payload.started_at, **how)

    def _write(self, outcomes: list[Outcome], began: datetime) -> Counter[str]:
        """One transaction for the batch. A source with a statement that cannot be embedded has failed."""
        outcomes = self._without_repeated(self._merged(outcomes))
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
        keys = sorted({name_key(m.anchor_id) for o in outcomes if o.decision for m in o.decision.mentions})
        meant = self.graph.read("entities/list_name_targets", user_id=self.user, keys=keys)
        targets = {row["id"]: row["resolved_id"] for row in meant}
        before = self.graph.read("entities/list_linked_names", user_id=self.user, ids=seen) if seen else []
        named = [row["id"] for row in before]
        writes = batch_writes(scope, outcomes, embeddings, known.keys(), linked, began, targets, named)
        writes.append(stage_made(self.user, STAGE, DUE, now))  # a killed run resolves these names the next time
        results = self.graph.write_together(writes)
        self.failed += [
            f"{self._titles.get(o.source.id, o.source.id)!r} could not be extracted: {o.error}"
            for o in outcomes
            if o.decision is None
        ]
        return _count(outcomes, writes, results)

    def _merged(self, outcomes: list[Outcome]) -> list[Outcome]:
        """The outcomes, with each statement that was merged replaced by the one that it was merged into."""
        asked = sorted({chunk.chunk_id for one in outcomes if one.decision for chunk in one.decision.chunks})
        merged_into = self._merged_into(asked)
        if not merged_into:
            return outcomes
        return [
            replace(one, decision=policy.with_merged(one.decision, merged_into)) if one.decision else one
            for one in outcomes
        ]

    def _without_repeated(self, outcomes: list[Outcome]) -> list[Outcome]:
        """The outcomes without the statements by which agents say again what they were given by the memory, or what was
        said before in the same source. What they were given is read once in a run, and only where an agent says what
        was not there.
        """
        chunks = [chunk for one in outcomes if one.decision for chunk in one.decision.chunks]
        by_agents = sorted({chunk.chunk_id for chunk in chunks if chunk.by_agent})
        known = self._read_embedders(by_agents) if by_agents else {}
        if len(known) == len(by_agents):
            return outcomes
        if self._given is None:
            published = self.graph.read("entities/list_published", user_id=self.user)
            since = {row["id"]: row["since"] for row in published}
            since |= {name: min(at, since.get(name, at)) for name, at in self.shown().items()}
            self._given = Said()
            for row in self.graph.read_parts("entities/list_words", sorted(since), user_id=self.user):
                self._given.add(since[row["id"]], row["content"], row["statement"])
        judged = partial(policy.without_repeated, known=known, given=self._given)
        return [replace(one, decision=judged(one.decision)) if one.decision else one for one in outcomes]

    def _merged_into(self, ids: Sequence[str]) -> dict[str, str]:
        """The living statement that each of these was merged into, if it was: at the end of any chain of merges."""
        last = {name: name for name in ids}
        for _ in range(LONGEST_CHAIN):
            asked = sorted({*last.values()})
            rows = self.graph.read("entities/list_merged_statements", user_id=self.user, ids=asked)
            if not (kept := {row["id"]: row["kept_id"] for row in rows}):
                break
            last = {name: kept.get(at, at) for name, at in last.items()}
        ends = sorted({at for name, at in last.items() if at != name})
        living = self.graph.read("entities/list_living_statements", user_id=self.user, ids=ends) if ends else []
        there = {row["id"] for row in living}
        return {name: at for name, at in last.items() if at != name and at in there}

    def _read_embedders(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """The statements among these that are there already, with whose embedding they have."""
        rows = self.graph.read("entities/list_chunk_embedders", user_id=self.user, ids=list(chunk_ids))
        return {row["id"]: row["embedder"] for row in rows}

    def _unless_refused(self, outcome: Outcome, refused: Mapping[str, ModelError]) -> Outcome:
        chunks = outcome.decision.chunks if outcome.decision else ()
        error = next((refused[chunk.chunk_id] for chunk in chunks if chunk.chunk_id in refused), None)
        return self._failed(outcome.source, error) if error else outcome

    def _failed(self, source: DueSource, error: ModelError) -> Outcome:
        again = next_attempt(error, source.attempts + 1, self.clock.now())
        return Outcome(source, None, self.language.name, str(error)[:500], again)


def source_text(row: Mapping[str, Any], is_own: bool, profile: Profile | None = None) -> SourceText:
    """A source as models see it; without turns, its content is one turn that nobody is known to have said.

    A team's source is nobody's own, for its only user may be another member; but whom the profile names is the owner.
    What several people say to each other is a transcript: who the profile doesn't name is no assistant for that.
    """
    turns = [
        TurnText(index=turn["index"], speaker=turn.get("speaker"), text=turn["text"], at=turn.get("at"))
        for turn in json.loads(row["turns"] or "[]")
    ]
    among_people = row["source_type"] == "conversation" and row["owner_speaker"] is None
    kind, by_role = row["source_type"], row["owner_speaker"] if is_own else None
    speakers = list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
    return SourceText(
        source_type="transcript" if among_people else kind,
        title=row["title"] or "",
        started_at=to_iso(row["started_at"]),
        owner_speaker=owner_speaker(profile, speakers, kind, row["addresses"], by_role),
        turns=tuple(turns) or (TurnText(index=0, speaker=None, text=row["content"] or ""),),
        writer=writer_of(profile, kind, is_own=is_own),
        recipient=recipient_of(row["addresses"]),
    )


def _count(outcomes: Sequence[Outcome], writes: Sequence[Statement], results: Sequence[list[Any]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        counts["failed" if outcome.decision is None else "extracted"] += 1
        if outcome.decision is not None:
            counts.update(mentions=len(outcome.decision.mentions), statements=len(outcome.decision.chunks))
            counts.update({f"dropped: {reason}": n for reason, n in outcome.decision.dropped.items()})
    counts["retired"] += len(ids_cut(writes, results, "retire_unstated_chunks", "retire_unmentioned_anchors"))
    return counts
