"""The ledger: what was asked, by whom, for how much; safe for several processes; owner-only."""

from __future__ import annotations

import stat
import subprocess
import sys
import threading
from datetime import UTC, datetime

import pytest

from memory_assets.clock import Clock
from memory_assets.errors import BudgetExceededError, ModelError
from memory_assets.llm.budget import Budget, price_of
from memory_assets.llm.ledger import Call, Ledger, StoredAnswer
from memory_assets.llm.tasks import SourceDescription, StorylineRequest

NOW = datetime(2026, 5, 3, 9, tzinfo=UTC)


def call(**changes) -> Call:
    values = {
        "model": "openai/m",
        "task": "t",
        "asset": "a",
        "user_id": "ana",
        "tokens_in": 10,
        "tokens_out": 2,
        "usd": 0.5,
    }
    return Call(**{**values, **changes})


@pytest.fixture
def ledger(tmp_path):
    found = Ledger(tmp_path / "home" / "models.sqlite", Clock(NOW))
    yield found
    found.close()


def test_totals_and_groups(ledger):
    ledger.record(call(), call(user_id="ben"), call(tokens_in=0, tokens_out=0, usd=0.0, cached=True))
    ledger.record(call(model="openai/free", usd=None))
    summary = ledger.summary()
    by = summary.pop("by")
    assert summary == {
        "calls": 4,
        "cached": 1,
        "tokens_in": 30,
        "tokens_out": 6,
        "usd": 1.0,
        "unpriced": ["openai/free"],
    }
    assert by[1] == {
        "model": "openai/m",
        "asset": "a",
        "user": "ana",
        "calls": 2,
        "cached": 1,
        "tokens_in": 10,
        "tokens_out": 2,
        "usd": 0.5,
    }
    assert [(row["model"], row["user"]) for row in by] == [
        ("openai/free", "ana"),
        ("openai/m", "ana"),
        ("openai/m", "ben"),
    ]


def test_a_missing_file_is_an_empty_ledger_and_is_not_made(ledger):
    assert ledger.summary()["calls"] == 0 and not ledger.path.exists()


def test_local_calls_are_counted_without_cost(ledger):
    payload = StorylineRequest(anchor="tea \ud800", sources=())
    answer = SourceDescription(summary="A summary.", keywords=(), tags=())
    ledger.record_local(
        "local/1", "t", [payload, payload], [answer, ModelError("x")], asset="a", user_id="ana"
    )
    summary = ledger.summary()
    assert (
        summary["calls"] == 2
        and summary["usd"] == 0.0
        and summary["tokens_in"] > 10
        and summary["tokens_out"] > 5
    )


def test_only_the_owner_may_read_it(ledger):
    ledger.record(call())
    files = list(ledger.path.parent.iterdir())
    assert ledger.path in files and len(files) > 1
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    ledger.path.chmod(0o644)
    ledger.close()
    ledger.summary()
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600


def test_times_come_from_the_one_clock(ledger):
    ledger.record(call())
    with ledger._reading() as connection:
        assert connection.execute("SELECT at FROM calls").fetchone()["at"] == "2026-05-03T09:00:00.000Z"


def test_the_first_of_two_answers_stands(ledger):
    other = Ledger(ledger.path)
    first = ledger.keep_answer("k", StoredAnswer("one", 1, 1), call())
    second = other.keep_answer("k", StoredAnswer("two", 2, 2), call())
    assert first == second == StoredAnswer("one", 1, 1) and other.summary()["calls"] == 2
    assert ledger.find_answers([str(i) for i in range(1200)] + ["k"]) == {"k": first}


def test_many_threads_lose_nothing(ledger):
    threads = [threading.Thread(target=lambda: [ledger.record(call()) for _ in range(20)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert ledger.summary()["calls"] == 160


WRITER = """
import sys
from pathlib import Path
from memory_assets.llm.ledger import Call, Ledger
ledger = Ledger(Path(sys.argv[1]))
for i in range(30):
    ledger.record(Call("m", "t", "a", "u", 1, 1, 0.0))
"""


def test_several_processes_lose_nothing(ledger):
    children = [subprocess.Popen([sys.executable, "-c", WRITER, str(ledger.path)]) for _ in range(3)]
    assert [child.wait(60) for child in children] == [0, 0, 0]
    assert ledger.summary()["calls"] == 90


def test_a_damaged_file_is_explained(ledger):
    ledger.path.parent.mkdir(parents=True)
    ledger.path.write_text("this is no database, and long enough to tell" * 50)
    with pytest.raises(ModelError, match="move it away"):
        ledger.summary()


def test_prices():
    assert price_of("gpt-4.1-mini").of(1_000_000, 1_000_000) == pytest.approx(2.0)
    assert price_of("openai/gpt-4.1-mini-2025-04-14") == price_of("gpt-4.1-mini")
    assert price_of("text-embedding-3-large").of(1_000_000) == pytest.approx(0.13)
    assert price_of("gpt-4.1-mini-of-mine") is None


def test_a_reservation_gives_back_what_it_did_not_spend():
    budget = Budget(1.0)
    with budget.reserve(0.9) as reservation:
        reservation.spent = 0.1
    with budget.reserve(0.9) as reservation:
        reservation.spent = 0.9
    assert budget.spent_usd == pytest.approx(1.0)
    with pytest.raises(BudgetExceededError), budget.reserve(0.01):
        pass


def test_what_no_run_can_afford_is_not_said_to_pass_by_running_again():
    budget = Budget(1.0)
    with pytest.raises(BudgetExceededError) as hopeless, budget.reserve(1.1):
        pass
    assert "run again" not in str(hopeless.value)
    with budget.reserve(0.9) as reservation:
        reservation.spent = 0.9
    with pytest.raises(BudgetExceededError, match="run again"), budget.reserve(0.9):
        pass


def test_a_call_waits_for_the_budget_that_others_hold():
    budget, holding, release, results = Budget(1.0), threading.Event(), threading.Event(), []

    def first() -> None:
        with budget.reserve(0.8) as reservation:
            holding.set()
            release.wait(5)
            reservation.spent = 0.1

    def second() -> None:
        with budget.reserve(0.8):
            results.append(budget.spent_usd)

    threads = [threading.Thread(target=work) for work in (first, second)]
    threads[0].start()
    assert holding.wait(5)
    threads[1].start()
    assert not results
    release.set()
    for thread in threads:
        thread.join(5)
    assert results == [pytest.approx(0.1)]


def test_a_failed_call_gives_its_reservation_back():
    budget = Budget(1.0)
    with pytest.raises(ValueError), budget.reserve(1.0):
        raise ValueError
    with budget.reserve(1.0):
        assert budget.spent_usd == 0.0


def test_totals_since_a_mark_are_of_one_asset_and_user(ledger):
    nothing = {"calls": 0, "cached": 0, "tokens_in": 0, "tokens_out": 0, "usd": 0.0, "unpriced": []}
    assert (ledger.last_call(), ledger.totals("a", "ana")) == (0, nothing) and not ledger.path.exists()
    ledger.record(call(), call(usd=None))
    mark = ledger.last_call()
    assert ledger.totals("a", "ana", mark) == nothing
    ledger.record(
        call(usd=0.25),
        call(tokens_in=0, tokens_out=0, usd=0.0, cached=True),
        call(model="openai/free", usd=None),
        call(user_id="ben"),
        call(asset="b"),
    )
    found = ledger.totals("a", "ana", mark)
    assert found == nothing | {
        "calls": 3, "cached": 1, "tokens_in": 20, "tokens_out": 4, "usd": 0.25, "unpriced": ["openai/free"],
    }  # fmt: skip
    assert ledger.totals("a", "ana")["calls"] == 5


def test_totals_read_only_what_came_since_by_the_index(ledger):
    ledger.record(call())
    with ledger._reading() as connection:
        plan = connection.execute(
            "EXPLAIN QUERY PLAN SELECT SUM(usd) FROM calls WHERE user = ? AND asset = ? AND id > ?", ("u", "a", 1)
        ).fetchall()
    assert "calls_of_user (user=? AND asset=? AND rowid>?)" in plan[0]["detail"]
