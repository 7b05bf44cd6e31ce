"""Processing: from the raw content in the graph alone, what is due and nothing else, failures on record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_assets.clock import Clock
from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError, ModelUnavailableError
from memory_assets.graph.graph import Graph
from memory_assets.llm.model_client import Answer
from memory_assets.llm.tasks import SourceDescription, SourceText
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.process import find_next_attempt, process_sources
from memory_assets.work_limit import WorkLimit

pytestmark = pytest.mark.graph
CLOCK = Clock(datetime(2026, 11, 20, 12, tzinfo=UTC))


class Scripted:
    """A language model and embedder in ten lines: the interfaces, with answers that a test chooses."""

    width = 3

    def __init__(self, name: str = "scripted/1", budget: int = 1000) -> None:
        self.name, self.budget, self.asked = name, budget, 0

    def ask_many(
        self, task: str, payloads: Sequence[SourceText], answer: type, *, asset: str, user_id: str
    ) -> list[Any]:
        return [self._ask(payload) for payload in payloads]

    def _ask(self, payload: SourceText) -> Any:
        if self.asked >= self.budget:
            return BudgetExceededError("The budget is spent; raise MEMORY_ASSETS_BUDGET_USD.")
        self.asked += 1
        if "fail" in payload.title:
            return ModelError("No answer.")
        words = ("Bean", "bean", " kale\n ", "") + tuple(str(n) for n in range(20))
        value = SourceDescription(summary=f"About\n{payload.title}", keywords=words, tags=("Work", "work"))
        return Answer(value=value, model=self.name, tokens_in=10, tokens_out=2, usd=0.5, cached=False)

    def embed(self, texts: Sequence[str], *, asset: str, user_id: str) -> np.ndarray:
        return np.ones((len(texts), 3), dtype=np.float32)


def process(graph: Graph, user: str, model: Scripted, **options: Any):
    return process_sources(graph, user, model, model, CLOCK, **options)


def rows(graph: Graph, user: str) -> dict[str, dict]:
    found = graph.query_read_only(
        "MATCH (s:Source {user_id: $user}) RETURN s.title AS title, s.processing_status AS status, "
        "s.processing_error AS error, s.summary AS summary, s.keywords AS keywords, s.tags AS tags, "
        "[(s)-[:HAS_CONTENT]->(t) | t.text][0] AS content, [(s)-[:HAS_TURNS]->(t) | t.text][0] AS turns, "
        "s.embedding AS embedding, s.token_count AS tokens, "
        "s.processed_fingerprint AS mark, s.text_fingerprint AS text_mark",
        {"user": user},
    )
    return {row["title"]: row for row in found}


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    for name, text in {
        "2026-10-01 a.md": "Alpha one.\n\nAlpha two.",
        "2026-10-05 b.md": "Beta.",
        "c.md": "Gamma.",
    }.items():
        (folder / name).write_text(text)
    return folder


def test_what_is_due_is_processed_once(graph: Graph, user: str, inbox: Path) -> None:
    ingest_paths(graph, user, [inbox], None, CLOCK)
    for path in inbox.iterdir():
        path.unlink()  # the raw content in the graph is enough
    model = Scripted()
    report = process(graph, user, model)
    assert (report.due, report.processed, report.left, report.failed) == (3, 3, 0, [])
    alpha = rows(graph, user)["Alpha one."]
    assert alpha["status"] == "processed" and alpha["summary"] == "About Alpha one."
    assert alpha["keywords"][:3] == ["Bean", "kale", "0"] and len(alpha["keywords"]) == 10
    assert alpha["tags"] == ["work"] and len(alpha["embedding"]) == 3 and alpha["tokens"] > 0
    assert [turn["text"] for turn in json.loads(alpha["turns"])] == ["Alpha one.", "Alpha two."]
    assert process(graph, user, model).due == 0 and model.asked == 3
    assert process(graph, user, Scripted("scripted/2")).processed == 3
    described_anew = rows(graph, user)["Alpha one."]
    assert described_anew["mark"] != alpha["mark"]
    assert described_anew["text_mark"] == alpha["text_mark"], "what an extraction reads is the same"
    assert len({row["text_mark"] for row in rows(graph, user).values()}) == 3


def test_a_window_and_force_choose(graph: Graph, user: str, inbox: Path) -> None:
    ingest_paths(graph, user, [inbox], None, CLOCK)
    day = datetime(2026, 10, 5, tzinfo=UTC)
    model = Scripted()
    assert process(graph, user, model, since=day).processed == 1
    assert process(graph, user, model, until=day).processed == 1
    assert process(graph, user, model).processed == 1
    assert process(graph, user, model, since=day, force=True).processed == 1


def test_a_failure_is_on_record_and_due_again(graph: Graph, user: str, inbox: Path) -> None:
    (inbox / "d.md").write_text("This will fail.")
    ingest_paths(graph, user, [inbox], None, CLOCK)
    report = process(graph, user, Scripted())
    assert (report.processed, [entry["reason"] for entry in report.failed]) == (3, ["No answer."])
    failed = rows(graph, user)["This will fail."]
    assert (failed["status"], failed["error"]) == ("failed", "No answer.")
    assert process(graph, user, Scripted()).due == 0, "asking the same again is no use"
    assert process(graph, user, Scripted(), retry=True).due == 1
    assert process(graph, user, Scripted("scripted/2")).due == 4, "another model may know better"


def test_what_may_pass_waits_longer_each_time_and_a_changed_source_does_not_wait(
    graph: Graph, user: str, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text("A note.")
    ingest_paths(graph, user, [note], None, CLOCK)

    class Busy(Scripted):
        def _ask(self, payload: SourceText) -> Any:
            return ModelUnavailableError("Come back later.")

    def due_at(hours: float) -> int:
        clock = Clock(CLOCK.now() + timedelta(hours=hours))
        due = process_sources(graph, user, Busy(), Busy(), clock).due
        ids, at = find_next_attempt(graph, user, clock.now())
        assert len(ids) == 1
        again.append(at)
        return due

    again: list[datetime | None] = []
    assert [due_at(hours) for hours in (0, 0.9, 1, 4.9, 5)] == [1, 0, 1, 0, 1]
    assert again == [CLOCK.now() + timedelta(hours=hours) for hours in (1, 1, 5, 5, 21)]
    dated = tmp_path / "2026-10-02 note.md"
    dated.write_text("A note.")
    ingest_paths(graph, user, [dated], None, CLOCK)
    assert due_at(6) == 1 and again[-1] == CLOCK.now() + timedelta(hours=7)


def test_a_processing_that_fails_anew_leaves_what_the_last_one_made(graph: Graph, user: str, inbox: Path) -> None:
    ingest_paths(graph, user, [inbox], None, CLOCK)
    process(graph, user, Scripted())
    before = rows(graph, user)["Beta."]

    class Refusing(Scripted):
        def _ask(self, payload: SourceText) -> Any:
            return ModelError("No.") if payload.title == "Beta." else super()._ask(payload)

    assert process(graph, user, Refusing("scripted/2")).processed == 2
    after = rows(graph, user)["Beta."]
    assert after == before | {"status": "failed", "error": "No."}
    listed = graph.read("entities/list_sources_for_extraction", user_ids=[user])
    assert len(listed) == 3, "what was made of it before can be extracted"


def test_what_the_budget_leaves_stays_raw(graph: Graph, user: str, inbox: Path) -> None:
    ingest_paths(graph, user, [inbox], None, CLOCK)
    report = process(graph, user, Scripted(budget=2))
    assert (report.processed, report.left, report.failed) == (2, 1, [])
    assert report.budget_note and "MEMORY_ASSETS_BUDGET_USD" in report.budget_note
    assert sorted(row["status"] for row in rows(graph, user).values()) == ["processed", "processed", "raw"]
    assert process(graph, user, Scripted()).processed == 1


def test_where_no_call_can_work_no_source_has_failed(graph: Graph, user: str, inbox: Path) -> None:
    (inbox / "d.md").write_text("This will fail.")
    ingest_paths(graph, user, [inbox], None, CLOCK)

    class Refused(Scripted):
        def _ask(self, payload: SourceText) -> Any:
            if payload.title == "Beta.":
                return ModelServiceError("The key was refused. Check OPENAI_API_KEY.")
            return super()._ask(payload)

    with pytest.raises(ModelServiceError, match="OPENAI_API_KEY"):
        process(graph, user, Refused())
    states = {title: row["status"] for title, row in rows(graph, user).items()}
    assert states == {"Alpha one.": "processed", "Beta.": "raw", "Gamma.": "processed", "This will fail.": "raw"}


def test_a_summary_that_cannot_be_embedded_fails_alone(graph: Graph, user: str, inbox: Path) -> None:
    ingest_paths(graph, user, [inbox], None, CLOCK)

    class Picky(Scripted):
        error: ModelError = ModelError("No vector for this.")

        def embed(self, texts: Sequence[str], *, asset: str, user_id: str) -> np.ndarray:
            if any("Beta" in text for text in texts):
                raise self.error
            return super().embed(texts, asset=asset, user_id=user_id)

    picky = Picky()
    picky.error = BudgetExceededError("The budget is spent.")
    report = process(graph, user, picky)
    assert (report.processed, report.left, report.budget_note) == (0, 3, "The budget is spent.")
    report = process(graph, user, Picky())
    assert (report.processed, [row["reason"] for row in report.failed]) == (2, ["No vector for this."])
    assert rows(graph, user)["Beta."]["status"] == "failed"


def test_a_source_in_which_nobody_speaks_asks_no_model(graph: Graph, user: str, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"role": "system", "content": "rules"}\n')
    ingest_paths(graph, user, [tmp_path / "x.jsonl"], None, CLOCK)
    model = Scripted()
    assert process(graph, user, model).processed == 1 and model.asked == 0
    (row,) = rows(graph, user).values()
    assert (row["content"], row["summary"], row["embedding"]) == ("", "", None)


def test_a_new_date_or_more_of_a_thread_makes_a_source_due(graph: Graph, user: str, tmp_path: Path) -> None:
    folder = tmp_path / "garden"
    folder.mkdir()
    first = {
        "type": "message",
        "user": "U1",
        "ts": "1791190800.1",
        "thread_ts": "1791190800.1",
        "text": "root",
    }
    (folder / "2026-10-05.json").write_text(json.dumps([first]))
    (tmp_path / "note.md").write_text("A note.")
    ingest_paths(graph, user, [tmp_path], None, CLOCK)
    assert process(graph, user, Scripted()).processed == 2
    before = {row["text_mark"] for row in rows(graph, user).values()}
    (folder / "2026-10-06.json").write_text(json.dumps([first | {"ts": "1791277200.1", "text": "reply"}]))
    (tmp_path / "2026-10-02 note.md").write_text("A note.")
    assert ingest_paths(graph, user, [tmp_path], None, CLOCK).new == 0
    assert process(graph, user, Scripted()).processed == 2
    assert "reply" in rows(graph, user)["#garden: root"]["content"]
    assert before.isdisjoint(row["text_mark"] for row in rows(graph, user).values())


def test_a_source_that_changes_while_the_model_thinks_is_due_again(graph: Graph, user: str, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("A note.")
    ingest_paths(graph, user, [note], None, CLOCK)

    class Slow(Scripted):
        def _ask(self, payload: SourceText) -> Any:
            dated = tmp_path / "2026-10-02 note.md"
            dated.write_text("A note.")
            ingest_paths(graph, user, [dated], None, CLOCK)
            return super()._ask(payload)

    process(graph, user, Slow())
    assert [row["status"] for row in rows(graph, user).values()] == ["raw"]
    process(graph, user, Scripted("scripted/1"))
    assert [row["status"] for row in rows(graph, user).values()] == ["processed"]


def test_a_source_that_takes_too_long_to_clean_holds_up_nobody(graph: Graph, user: str, inbox: Path) -> None:
    (inbox / "long.txt").write_text("Ana: I mean, you know, the the garden, um, opens.\nBen: yes\n" * 16_000)
    ingest_paths(graph, user, [inbox], None, CLOCK)
    process(graph, user, Scripted("scripted/0"))  # whatever is loaded at first is
    report = process(graph, user, Scripted(), limit=WorkLimit(0.2))
    assert (report.processed, len(report.failed)) == (3, 1)
    assert report.failed[0]["reason"].startswith("The work on it was ended after 0.2 seconds of processor time")
    assert find_next_attempt(graph, user, CLOCK.now())[1] is None
    assert process(graph, user, Scripted()).due == 0
    assert process(graph, user, Scripted(), retry=True).processed == 1, (
        "with a higher limit it is done when somebody asks"
    )
