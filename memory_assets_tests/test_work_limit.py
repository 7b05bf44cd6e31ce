"""Work that never comes to an end is ended: a stuck pattern, a loop; and what it was done for says so."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from memory_assets.errors import ModelError, SourceOverrunError, SourceUnreadableError
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.tasks import DESCRIBE_SOURCE, SourceDescription, SourceText, TurnText
from memory_assets.runtime.failures import may_pass
from memory_assets.work_limit import SECONDS, SHARE, WorkLimit

STUCK = re.compile(r"(?:a+)+$")
LIMIT = WorkLimit(0.2)


def in_a_pattern() -> None:
    STUCK.match("a" * 64 + "!")


def in_a_loop() -> None:
    while True:
        pass


def in_a_loop_that_catches_all() -> None:
    while True:
        try:
            in_a_pattern()
        except Exception:  # noqa: BLE001, S110
            pass


@pytest.mark.parametrize("work", [in_a_pattern, in_a_loop, in_a_loop_that_catches_all])
def test_what_never_ends_is_ended(work: Callable[[], None]) -> None:
    with pytest.raises(
        SourceOverrunError, match=r"ended after 0\.2 seconds.*MEMORY_ASSETS_SOURCE_SECONDS.*memory-assets retry"
    ):
        LIMIT.run(work)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert LIMIT.run(lambda: "next") == "next"


def test_an_overrun_is_a_sources_and_does_not_pass_by_itself() -> None:
    assert issubclass(SourceOverrunError, SourceUnreadableError) and issubclass(SourceOverrunError, ModelError)
    assert not may_pass(SourceOverrunError("late"))


def test_work_within_a_limit_has_the_outer_one() -> None:
    def outer() -> None:
        assert WorkLimit(1_000).run(lambda: 1) == 1
        in_a_loop()

    with pytest.raises(SourceOverrunError, match=r"0\.2 seconds"):
        LIMIT.run(outer)


def test_an_error_of_the_work_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        LIMIT.run(lambda: 1 / 0)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_waiting_costs_nothing() -> None:
    """A process that works as long as this one waits for it: that is nobody's processor time here."""
    burn = "import time\nwhile time.process_time() < 1: pass"
    assert LIMIT.run(lambda: subprocess.run([sys.executable, "-S", "-c", burn], check=False).returncode) == 0


def test_the_work_of_other_threads_costs_nothing() -> None:
    done: list[int] = []

    def elsewhere() -> None:
        thread = threading.Thread(target=lambda: done.append(sum(n * n for n in range(12_000_000))))
        thread.start()
        thread.join()

    LIMIT.run(elsewhere)
    assert len(done) == 1


def test_outside_of_the_main_thread_work_goes_on() -> None:
    done: list[int] = []
    thread = threading.Thread(target=lambda: done.append(LIMIT.run(lambda: 7)))
    thread.start()
    thread.join()
    assert done == [7]


@pytest.mark.parametrize(
    ("size", "allowed"),
    [(0, SECONDS), (1_000, SECONDS), (SHARE, SECONDS), (3 * SHARE, 3 * SECONDS), (1 << 40, 64 * SECONDS)],
)
def test_a_long_source_has_more(size: int, allowed: float) -> None:
    assert WorkLimit().allowed(size) == allowed


def test_the_local_model_answers_the_others() -> None:
    def describe(source: SourceText) -> SourceDescription:
        STUCK.match(source.turns[0].text)
        return SourceDescription(summary="done", keywords=(), tags=())

    model = LocalModel(limit=LIMIT, more={DESCRIBE_SOURCE: (SourceText, describe)})
    texts = ["before", "a" * 64 + "!", "after"]
    asked = [
        SourceText(
            source_type="note",
            title=text,
            started_at=None,
            owner_speaker=None,
            turns=(TurnText(index=0, speaker=None, text=text),),
        )
        for text in texts
    ]
    one, stuck, other = model.ask_many(
        DESCRIBE_SOURCE, asked, SourceDescription, asset="processed_sources", user_id="nora"
    )
    assert isinstance(stuck, SourceOverrunError)
    assert [answer.value.summary for answer in (one, other)] == ["done", "done"]  # type: ignore[union-attr]
