"""One user's notes: read what is due, let the three steps ask side by side, decide, write a batch at a time.

Extraction's answers are what is read: no model reads a source again. A killed run leaves whole batches behind; the
next one goes on with what lacks a fingerprint.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any, NamedTuple

from memory_assets.batches import in_batches
from memory_assets.clock import Clock, to_iso
from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import ids_cut
from memory_assets.graph.owners import find_stage, readable_owners, stage_made
from memory_assets.graph.statements import id_rows, in_statements
from memory_assets.llm.model_client import LanguageModel, first_service_failure
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import NoteRequest, NotesTaken
from memory_assets.model import fingerprint
from memory_assets.notes import due as due_policy
from memory_assets.notes import policy
from memory_assets.notes.due import Due, DueSource
from memory_assets.notes.policy import STEPS, Decision, Named, Step
from memory_assets.notes.rows import Outcome, batch_writes, current_writes, placing
from memory_assets.runtime.failures import may_pass
from memory_assets.runtime.scope import RunScope

ASSET = "notes"
STAGE = "notes"
"""What all that is not marked was made from."""

_Answers = tuple[list[Outcome], ModelError | None]
"""The outcomes of a step, and what ended it before its end."""


class _Asked(NamedTuple):
    source: DueSource
    fingerprint: str
    request: NoteRequest | None
    is_unchanged: bool


class NoteTaker:
    """One user's note-taking."""

    def __init__(
        self, graph: Graph, language: LanguageModel, clock: Clock, user: str, say: Callable[[str], None]
    ) -> None:
        self.graph, self.language, self.clock = graph, language, clock
        self.user, self.say = user, say
        self.problems: list[str] = []
        self.failed: list[str] = []
        """What asking again would not mend."""
        self.owners = tuple(readable_owners(graph, user))
        self.recipes = {
            step.name: fingerprint(prompts().prompt_hash(step.task), language.name, policy.CODE_VERSION)
            for step in STEPS
        }

    def run(self, window: RunScope) -> Counter[str]:
        """Take all notes that are due, or as many as the budget allows; counts of what that took."""
        due = self._read_due(window)
        counts: Counter[str] = Counter(due=len(due.sources))
        settled = 0
        for batch in in_batches(due.sources, due_policy.SOURCES_PER_BATCH, lambda source: source.tokens):
            outcomes, stopped = self._ask(batch)
            if outcomes:
                counts += self._write(outcomes)
                made = Counter(outcome.source.id for outcome in outcomes)
                settled += sum(made[source.id] == len(source.steps) for source in batch)
                self.say(f"{self.user}: notes of {settled} of {len(due.sources)} sources taken")
            if isinstance(stopped, ModelServiceError):
                raise stopped
            if stopped is not None:
                left = len(due.sources) - settled
                self.problems.append(f"the notes of {left} sources are left for the next run: {stopped}")
                break
        counts["left_by_budget"] = len(due.sources) - settled
        counts["placed_anew"] = place_anew(self.graph, self.user, self.clock.now())
        return counts

    def _read_due(self, window: RunScope) -> Due:
        """What is due among what is marked: all of it, where notes are made from something else by now."""
        recipe = fingerprint(*self.recipes.values())
        if window.force or find_stage(self.graph, self.user, STAGE) != recipe:
            everything = Statement("notes/set_unnoted", {"user_id": self.user})
            self.graph.write_together([everything, stage_made(self.user, STAGE, recipe, self.clock.now())])
        elif window.retry:
            self.graph.write("notes/set_failures_due", user_id=self.user)
        rows = self.graph.read("notes/list_sources_for_notes", user_id=self.user, user_ids=list(self.owners))
        since, until = window.bounds()
        due = due_policy.choose_due(rows, self.recipes, since=since, until=until, force=window.force)
        self.graph.write_together(current_writes(self.user, due.current))
        return due

    def _ask(self, batch: Sequence[DueSource]) -> tuple[list[Outcome], ModelError | None]:
        """The outcomes of a batch by source and step, and what ended it before its end."""
        ids = [source.id for source in batch]
        heads = {
            row["id"]: row for row in self.graph.read("notes/list_source_heads", ids=ids, user_ids=list(self.owners))
        }
        names = _by_source(self.graph.read("notes/list_source_names", ids=ids, user_id=self.user))
        said = _by_source(self.graph.read("notes/list_source_statements", ids=ids, user_id=self.user))
        named = {key: [_named(row) for row in rows] for key, rows in names.items()}
        asked: dict[Step, list[_Asked]] = {step: [] for step in STEPS}
        for source in (source for source in batch if source.id in heads):
            head = heads[source.id]
            for step, wanted, before in source.steps:
                known, is_own = named.get(source.id, []), head["owner"] == self.user
                request = policy.request_for(step, head, known, said.get(source.id, []), is_own=is_own)
                digest = self._digest(step, known, request)
                asked[step].append(_Asked(source, f"{wanted}.{digest}", request, digest == before))
        answers = self._side_by_side(lambda step: self._ask_step(step, asked[step], named))
        stopped = [error for _, error in answers if error is not None]
        service = first_service_failure(stopped)
        outcomes = [outcome for found, _ in answers for outcome in found]
        return outcomes, service or next(iter(stopped), None)

    def _side_by_side(self, ask: Callable[[Step], _Answers]) -> list[_Answers]:
        """All steps at once where a service answers; one after the other where the work is done here, in this
        thread.
        """
        if getattr(self.language, "works_here", False):
            return list(map(ask, STEPS))
        with ThreadPoolExecutor(max_workers=len(STEPS), thread_name_prefix="notes") as pool:
            return list(pool.map(ask, STEPS))

    def _digest(self, step: Step, known: Sequence[Named], request: NoteRequest | None) -> str:
        """The digest of all that a step's notes of a source depend on."""
        asks = request.model_dump_json() if request is not None else None
        return fingerprint(self.recipes[step.name], asks, *(str(name) for name in known))

    def _ask_step(self, step: Step, asked: Sequence[_Asked], named: Mapping[str, Sequence[Named]]) -> _Answers:
        """One step's answers about a batch. Where no call can work, no source is at fault: none of them has failed."""
        requests = [one.request for one in asked if one.request is not None and not one.is_unchanged]
        answers = (
            self.language.ask_many(step.task, requests, NotesTaken, asset=ASSET, user_id=self.user) if requests else []
        )
        service = first_service_failure(answers)
        stopped: ModelError | None = service
        outcomes: list[Outcome] = []
        given = iter(answers)
        for source, wanted, request, is_unchanged in asked:
            if is_unchanged:
                outcomes.append(Outcome(source, step, wanted, None, self.language.name))
                continue
            if request is None:
                outcomes.append(Outcome(source, step, wanted, Decision(), self.language.name))
                continue
            answer = next(given)
            if isinstance(answer, BudgetExceededError):
                stopped = stopped or answer
            elif isinstance(answer, ModelError):
                if service is None:
                    failed = Outcome(
                        source, step, wanted, None, self.language.name, str(answer)[:500], may_pass(answer)
                    )
                    outcomes.append(failed)
            else:
                decision = policy.decide(
                    answer.value, named[source.id], user=self.user, source_id=source.id, statements=request.statements
                )
                outcomes.append(Outcome(source, step, wanted, decision, answer.model))
        return outcomes, stopped

    def _write(self, outcomes: Sequence[Outcome]) -> Counter[str]:
        """One transaction for the batch."""
        seen = sorted({outcome.source.id for outcome in outcomes if outcome.source.seen})
        before = {
            name: self.graph.read(name, ids=seen, user_id=self.user) if seen else []
            for name in ("notes/list_given_notes", "notes/list_supported_relationships")
        }
        writes = batch_writes(self.user, self.owners, self.clock.now(), outcomes, *before.values())
        results = self.graph.write_together(writes)
        counts: Counter[str] = Counter()
        for outcome in outcomes:
            if outcome.decision is None and outcome.error is None:
                counts["unchanged"] += 1
            elif outcome.decision is None:
                counts["failed"] += 1
                left = self.problems if outcome.may_pass else self.failed
                left.append(
                    f"{outcome.source.title!r}: no notes about {outcome.step.name} could be taken: {outcome.error}"
                )
            else:
                counts["taken"] += 1
                counts.update(notes=len(outcome.decision.notes), relationships=len(outcome.decision.relationships))
        counts["retired"] += len(ids_cut(writes, results, "retire_notes", "retire_unsupported_relationships"))
        return counts


def place_anew(graph: Graph, user: str, now: datetime) -> int:
    """Move a user's notes and relationships to the anchors of their names now; how many were elsewhere.

    For a name that is resolved otherwise; each run of note-taking does it too.
    """
    found = graph.read("notes/list_misplaced_notes", user_id=user)
    notes = [row["id"] for row in found]
    relationships = [row["id"] for row in graph.read("notes/list_misplaced_relationships", user_id=user)]
    if notes or relationships:
        dirty = id_rows({row["name_id"] for row in found})
        stale = in_statements("graph/set_subjects_dirty", dirty, user_id=user, now=to_iso(now))
        graph.write_together([*placing(user, now, notes, relationships), *stale])
    return len(notes) + len(relationships)


def _by_source(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["source_id"]].append(row)
    return dict(found)


def _named(row: Mapping[str, Any]) -> Named:
    return Named(
        row["name_id"], row["name"] or "", row["kind"], row["entity_type"] or row["kind"], float(row["confidence"] or 0)
    )
