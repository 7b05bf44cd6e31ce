"""Raw sources into clean, described, searchable ones, a batch at a time (specification 004, Phase 1).

A batch is one round of model calls and one write: that is what a kill can cost. A source that fails is
recorded with the reason, and due again when trying again can help (``failures.py``); what an earlier
processing made of it stays. When the budget ends, what is left stays as it was. Where no call
can work (a refused key, a service that is down) no source is at fault: the run ends with that error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from memory_assets.clock import Clock, to_iso
from memory_assets.errors import BudgetExceededError, ModelError, SourceOverrunError
from memory_assets.graph.graph import Graph
from memory_assets.llm.model_client import Embedder, LanguageModel, embed_each, first_service_failure
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import DESCRIBE_SOURCE, SourceDescription, SourceText
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint, is_team, source_text_ids
from memory_assets.runtime.failures import next_attempt
from memory_assets.sources import policy, source_rows
from memory_assets.sources.cleaning import one_line
from memory_assets.sources.formats import clean
from memory_assets.sources.formats.base import Cleaned
from memory_assets.sources.policy import addresses_of, speakers_of
from memory_assets.work_limit import WorkLimit

T = TypeVar("T")

ASSET = "processed_sources"
SOURCES_PER_BATCH = 32

_NOTHING_SAID = SourceDescription(summary="", keywords=(), tags=())


@dataclass
class ProcessReport:
    """What a run of processing did."""

    due: int = 0
    processed: int = 0
    left: int = 0
    unasked: int = 0
    """Due, but not among the sources that were asked for."""
    failed: list[dict[str, str]] = field(default_factory=list)
    budget_note: str | None = None


class _Work(NamedTuple):
    """A source with its clean text."""

    source: Mapping[str, Any]
    cleaned: Cleaned


class _Failed(NamedTuple):
    """A source that could not be processed, what was raised, and the sentence that says so."""

    source: Mapping[str, Any]
    error: Exception
    reason: str


def find_next_attempt(graph: Graph, owner: str, now: datetime) -> tuple[list[str], datetime | None]:
    """The sources that are failed, by their ids, and when the next of them is due again by itself."""
    (row,) = graph.read("sources/find_next_processing", user_id=owner, now=to_iso(now))
    return sorted(row["ids"]), row["at"]


def process_sources(
    graph: Graph,
    owner: str,
    model: LanguageModel,
    embedder: Embedder,
    clock: Clock,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    force: bool = False,
    retry: bool = False,
    only: Collection[str] = (),
    on_progress: Callable[[int, int], None] | None = None,
    limit: WorkLimit | None = None,
) -> ProcessReport:
    """Process what is due for ``owner`` within the window, or of that only the sources with these ids.

    ``retry``: whatever has failed, too, though trying it again is not due or no use.
    """
    run = _Processing(graph, owner, model, embedder, clock, limit or WorkLimit())
    listed = run.listed("sources/list_sources_to_process", force=force, retry=retry)
    in_window = policy.choose_due(listed, since=since, until=until)
    due = [row for row in in_window if not only or row["id"] in only]
    run.report.unasked = len(in_window) - len(due)
    return run.process_all(due, on_progress)


def process_given(
    graph: Graph, owner: str, model: LanguageModel, embedder: Embedder, clock: Clock, ids: Collection[str]
) -> ProcessReport:
    """Process what is due among some of ``owner``'s sources; no other source is looked at."""
    run = _Processing(graph, owner, model, embedder, clock, WorkLimit())
    listed = run.listed("sources/list_given_to_process", ids=sorted(ids), force=False, retry=False) if ids else []
    return run.process_all(policy.choose_due(listed))


@dataclass
class _Processing:
    graph: Graph
    owner: str
    model: LanguageModel
    embedder: Embedder
    clock: Clock
    limit: WorkLimit
    report: ProcessReport = field(default_factory=ProcessReport)
    attempts: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def recipe(self) -> str:
        """What a processed source is made with: its wording, its models, its code."""
        prompt = prompts().prompt_hash(DESCRIBE_SOURCE)
        return fingerprint(prompt, self.model.name, self.embedder.name, policy.CODE_VERSION)

    def listed(self, query: str, **asked: Any) -> list[dict[str, Any]]:
        """The sources that a query finds due now."""
        now = to_iso(self.clock.now())
        return self.graph.read(query, user_id=self.owner, recipe=self.recipe, now=now, **asked)

    def process_all(
        self, due: Sequence[Mapping[str, Any]], on_progress: Callable[[int, int], None] | None = None
    ) -> ProcessReport:
        """All of them in batches, until the budget ends."""
        self.report.due = len(due)
        self.attempts = {row["id"]: row["attempts"] for row in due}
        done = 0
        for batch in source_rows.batches([dict(row) for row in due], limit=SOURCES_PER_BATCH):
            self.process([row["id"] for row in batch])
            done += len(batch)
            if on_progress is not None:
                on_progress(done, len(due))
            if self.report.budget_note:
                break
        self.report.left = self.report.due - self.report.processed - len(self.report.failed)
        return self.report

    def process(self, ids: list[str]) -> None:
        """One batch: clean, ask, embed, write."""
        started = self.clock.now()
        rows = self.graph.read("sources/list_raw_contents", ids=ids, user_id=self.owner)
        rows.sort(key=lambda row: ids.index(row["id"]))
        works: list[_Work] = []
        failures: list[_Failed] = []
        for row in rows:
            try:
                works.append(_Work(row, self._within_limit(row, clean, row["source_type"], row["raw_content"])))
            except SourceOverrunError as error:
                failures.append(_Failed(row, error, str(error)))
            except Exception as error:  # noqa: BLE001 - one source never stops the others
                reason = f"It could not be cleaned ({type(error).__name__}: {one_line(str(error))})."
                failures.append(_Failed(row, error, reason))
        described: list[tuple[_Work, SourceDescription]] = []
        outcomes = self._describe(works)
        out_of_service = first_service_failure(outcomes)
        for work, outcome in zip(works, outcomes, strict=True):
            if isinstance(outcome, SourceDescription):
                described.append((work, outcome))
            elif isinstance(outcome, BudgetExceededError):
                self.report.budget_note = str(outcome)
            elif out_of_service is None:
                failures.append(_Failed(work.source, outcome, str(outcome)))
        self._write(described, failures, started)
        if out_of_service is not None:
            raise out_of_service

    def _text(self, work: _Work) -> SourceText:
        return policy.source_text(work.source, work.cleaned, is_own=not is_team(self.owner))

    def _within_limit(self, source: Mapping[str, Any], work: Callable[..., T], *given: Any) -> T:
        return self.limit.run(lambda: work(*given), len(source["raw_content"]))

    def _describe(self, works: list[_Work]) -> list[SourceDescription | Exception]:
        """A description or an error per source; no model is asked about one in which nobody says anything."""
        asked = [work for work in works if work.cleaned.turns]
        payloads = [self._text(work) for work in asked]
        how: dict[str, Any] = {"asset": ASSET, "user_id": self.owner}
        answers = self.model.ask_many(DESCRIBE_SOURCE, payloads, SourceDescription, **how) if payloads else []
        outcomes = {
            work.source["id"]: answer if isinstance(answer, Exception) else policy.tidy_description(answer.value)
            for work, answer in zip(asked, answers, strict=True)
        }
        return [outcomes.get(work.source["id"], _NOTHING_SAID) for work in works]

    def _write(
        self, described: list[tuple[_Work, SourceDescription]], failures: list[_Failed], started: datetime
    ) -> None:
        now = self.clock.now()
        times = {"started": to_iso(started), "completed": to_iso(now)}
        rows: list[dict[str, Any]] = []
        for (work, description), vector in zip(described, self._embed(described), strict=False):
            try:
                if isinstance(vector, ModelError):
                    raise vector
                rows.append(times | self._within_limit(work.source, self._row, work, description, vector))
            except (ModelError, SourceOverrunError) as error:
                failures.append(_Failed(work.source, error, str(error)))
        if rows:
            written = self.graph.write("sources/set_sources_processed", rows, user_id=self.owner)
            self.report.processed += len(written)
        if failures:
            rows = [times | self._failed_row(failed, now) for failed in failures]
            self.graph.write("sources/set_sources_failed", rows, user_id=self.owner)
            self.report.failed += [
                {"id": source["id"], "title": source["title"], "reason": reason} for source, _, reason in failures
            ]

    def _failed_row(self, failed: _Failed, now: datetime) -> dict[str, Any]:
        attempts = self.attempts[failed.source["id"]] + 1
        return _read_as(failed.source) | {
            "error": failed.reason[:2000],
            "attempts": attempts,
            "recipe": self.recipe,
            "next_attempt_at": to_iso(next_attempt(failed.error, attempts, now)),
        }

    def _embed(self, described: list[tuple[_Work, SourceDescription]]) -> list[Any]:
        """A vector or an error per description; none at all when the budget ends before."""
        try:
            summaries = [description.summary for _, description in described]
            return embed_each(self.embedder, summaries, asset=ASSET, user_id=self.owner) if summaries else []
        except BudgetExceededError as error:
            self.report.budget_note = str(error)
            return []

    def _row(self, work: _Work, description: SourceDescription, vector: Any) -> dict[str, Any]:
        return _read_as(work.source) | {
            **source_text_ids(self.owner, work.source["id"], "content", "turns"),
            "content": work.cleaned.content,
            "turns": policy.turns_json(work.cleaned),
            "speakers": speakers_of(work.cleaned),
            "addresses": addresses_of(work.source["source_type"], work.source["raw_content"]),
            "summary": description.summary,
            "keywords": list(description.keywords),
            "tags": list(description.tags),
            "embedding": [float(number) for number in vector] if description.summary else None,
            "embedder": self.embedder.name,
            "model": self.model.name,
            "token_count": count_tokens(work.cleaned.content),
            "processed_fingerprint": policy.process_fingerprint(work.source, self.recipe),
            "processed_recipe": self.recipe,
            "text_fingerprint": policy.text_fingerprint(self._text(work), work.cleaned.content),
        }


def _read_as(source: Mapping[str, Any]) -> dict[str, Any]:
    """A source, and what of it must still be as it was read: else what was made of it is not written."""
    said = {name: source[name] for name in ("id", "content_hash", "title")}
    return said | {"started_at": to_iso(source["started_at"])}
