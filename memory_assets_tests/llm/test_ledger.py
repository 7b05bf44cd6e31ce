"""The ledger: what was asked, by whom, for how much; safe for several processes; owner-only."""

from __future__ import annotations

import queue
import stat
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.clock import Clock
from memory_assets.errors import BudgetExceededError, ModelError, SettingsError
from memory_assets.llm.budget import Budget, price_of
from memory_assets.llm.ledger import Call, Ledger, StoredAnswer
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.tasks import NAME_STORYLINE, MacroRequest, StorylineName, StorylineRequest

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
        "tokens_cached": 0,
        "tokens_out": 6,
        "usd": 1.0,
        "unpriced": ["openai/free"],
        "unpriced_calls": 1,
    }
    assert by[1] == {
        "model": "openai/m",
        "asset": "a",
        "user": "ana",
        "calls": 2,
        "cached": 1,
        "tokens_in": 10,
        "tokens_cached": 0,
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
    payloads = StorylineRequest(anchor="tea", sources=()), MacroRequest(anchor="tea", storylines=())
    LocalModel(ledger).ask_many(NAME_STORYLINE, payloads, StorylineName, asset="a", user_id="ana")
    summary = ledger.summary()
    assert summary["calls"] == 2 and summary["usd"] == 0.0 and summary["tokens_in"] > 10 and summary["tokens_out"] > 5


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


def test_the_first_of_two_answers_holds(ledger):
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
        thread.join(300)
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
    assert [child.wait(300) for child in children] == [0, 0, 0]
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


@pytest.mark.parametrize(
    ("tokens_in", "tokens_out", "cached", "usd"),
    [
        (1_000_000, 0, 0, 0.05),
        (1_000_000, 0, 1_000_000, 0.005),
        (1_000_000, 1_000_000, 500_000, 0.025 + 0.0025 + 0.4),
        (1_000_000, 0, 2_000_000, 0.005),  # a service that counts more than there was
    ],
)
def test_what_the_service_has_seen_before_costs_less(tokens_in, tokens_out, cached, usd):
    assert price_of("gpt-5-nano").of(tokens_in, tokens_out, cached) == pytest.approx(usd)
    assert price_of("text-embedding-3-small").of(1_000_000, 0, 1_000_000) == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("model", "usd"),
    [("mistral/mistral-large-latest", 8.0), ("gpt-4o-mini", 0.75), ("gpt-5", 11.25), ("text-embedding-3-small", 0.02)],
)
def test_models_of_other_providers_are_listed_too(model, usd):
    assert price_of(model).of(1_000_000, 0 if "embedding" in model else 1_000_000) == pytest.approx(usd)


@pytest.mark.parametrize("model", ["llama3.1:8b", "of-mine/llama", "mistral/gpt-5", ""])
def test_what_nobody_lists_has_no_price(model):
    assert price_of(model) is None


def test_ones_own_prices_come_first(tmp_path):
    own = tmp_path / "prices.json"
    own.write_text(
        '{"models": {"llama-of-mine": {"in": 1, "out": 2}, "gpt-4.1-mini": {"in": 9, "out": 9, "cached": 3}}}'
    )
    assert price_of("openai/llama-of-mine", own).of(1_000_000, 1_000_000) == pytest.approx(3.0)
    assert price_of("gpt-4.1-mini-2025-04-14", own).of(1_000_000, 0, 1_000_000) == pytest.approx(3.0)
    assert price_of("gpt-5-nano", own) == price_of("gpt-5-nano")


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"models": []}', '{"models": {"m": {"in": 1}}}', '{"models": {"m": {"in": -1, "out": 1}}}', None],
)
def test_a_table_of_prices_that_is_none_is_named(tmp_path, text):
    own = tmp_path / "own.json"
    if text is not None:
        own.write_text(text)
    with pytest.raises(SettingsError, match="MEMORY_ASSETS_PRICES.*own.json"):
        price_of("m", own)


def test_a_budget_holds_on_after_a_restart_of_its_run(tmp_path):
    first = Ledger(tmp_path / "models.sqlite", run="run-1")
    first.record(call(usd=0.7), call(usd=None), call(usd=0.0, cached=True))
    Ledger(tmp_path / "models.sqlite", run="run-2").record(call(usd=5.0))
    again = Budget(1.0, Ledger(tmp_path / "models.sqlite", run="run-1").spent_in_run())
    with pytest.raises(BudgetExceededError), again.reserve(0.4):
        pass
    with again.reserve(0.3):
        assert again.spent_usd == pytest.approx(0.7)
    assert Ledger(tmp_path / "models.sqlite").spent_in_run() == 0.0


def test_the_last_run_is_the_one_that_asked_last_whatever_its_id(tmp_path: Path) -> None:
    path = tmp_path / "models.sqlite"
    assert Ledger(path).last_run_usd() == 0.0
    Ledger(path, run="f0").record(call(usd=5.0))
    Ledger(path, run="0a").record(call(usd=0.25), call(usd=None))
    Ledger(path).record(call(usd=3.0))
    assert Ledger(path).last_run_usd() == 0.25


@settings(max_examples=30)
@given(
    limit=st.floats(0.0, 2.0),
    calls=st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), min_size=1, max_size=40),
)
def test_eight_at_once_never_spend_more_than_the_budget(limit, calls):
    budget, asked = Budget(limit), queue.SimpleQueue()
    for one in calls:
        asked.put(one)
    highest: list[float] = []

    def work() -> None:
        while True:
            try:
                most, share = asked.get_nowait()
            except queue.Empty:
                return
            try:
                with budget.reserve(most) as reservation:
                    reservation.spent = most * share
            except BudgetExceededError:
                pass
            highest.append(budget.spent_usd)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert len(highest) == len(calls) and max(highest) <= limit + 1e-9


def test_the_ledger_is_summed_up_by_what_one_asks_for(tmp_path):
    path = tmp_path / "models.sqlite"
    may = Ledger(path, Clock(NOW), run="aaaa-1")
    may.record(call(usd=1.0, tokens_cached=4), call(user_id="ben", usd=2.0), call(model="openai/free", usd=None))
    june = Ledger(path, Clock(datetime(2026, 6, 1, tzinfo=UTC)), run="bbbb-2")
    june.record(call(asset="b", usd=4.0))

    def usd(*by, **only):
        return [(*(row[name] for name in by), row["usd"]) for row in june.summary(by, **only)["by"]]

    assert usd("user") == [("ana", 5.0), ("ben", 2.0)]
    assert usd("run") == [("aaaa-1", 3.0), ("bbbb-2", 4.0)]
    assert usd("day", "asset") == [("2026-05-03", "a", 3.0), ("2026-06-01", "b", 4.0)]
    assert usd("asset", user="ana", since=datetime(2026, 5, 4, tzinfo=UTC)) == [("b", 4.0)]
    assert usd("user", run="aaaa") == [("ana", 1.0), ("ben", 2.0)]
    some = june.summary(("model",), user="ana")
    assert (some["calls"], some["usd"], some["tokens_cached"]) == (3, 5.0, 4)
    assert (some["unpriced"], some["unpriced_calls"]) == (["openai/free"], 1)
    with pytest.raises(ValueError, match="colour"):
        june.summary(("colour",))


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
            release.wait(300)
            reservation.spent = 0.1

    def second() -> None:
        with budget.reserve(0.8):
            results.append(budget.spent_usd)

    threads = [threading.Thread(target=work) for work in (first, second)]
    threads[0].start()
    assert holding.wait(300)
    threads[1].start()
    assert not results
    release.set()
    for thread in threads:
        thread.join(300)
    assert results == [pytest.approx(0.1)]


def test_a_failed_call_gives_its_reservation_back():
    budget = Budget(1.0)
    with pytest.raises(ValueError), budget.reserve(1.0):
        raise ValueError
    with budget.reserve(1.0):
        assert budget.spent_usd == 0.0


def test_totals_since_a_mark_are_of_one_asset_and_user(ledger):
    nothing = {
        "calls": 0, "cached": 0, "tokens_in": 0, "tokens_cached": 0, "tokens_out": 0, "usd": 0.0, "unpriced": [],
    }  # fmt: skip
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
