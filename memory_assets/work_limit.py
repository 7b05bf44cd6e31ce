"""How much processor time the work on one source may take, and an end to work that takes more.

No source may hold up the others: a text on which a rule never comes to an end is set aside with its reason, as one that
cannot be read is. What counts is the processor time of the thread that works, so that a busy machine costs nobody a
good source, and waiting for a service or the graph counts for nothing. A long source has more: its share for each
megabyte.

The end comes as a signal, because CPython looks for signals inside of a regular expression, too, and of any loop; only
the main thread of a process does. Runs work there: in a command, and in the process that Dagster starts for a run. In
any other thread, and where there are no such timers, work goes on without an end.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from memory_assets.errors import SourceOverrunError

T = TypeVar("T")

SECONDS = 120.0
SHARE = 1 << 20
"""How many characters have :data:`SECONDS` together, at least; longer sources have more in proportion."""
MOST_SHARES = 64
_AGAIN = 0.2
"""After so many seconds the end comes again: other threads have used the time, or somebody has caught it."""


class _Overrun(BaseException):
    """Goes past every ``except Exception`` on its way out of the work."""


@dataclass(frozen=True)
class WorkLimit:
    """The limit of an installation (``MEMORY_ASSETS_SOURCE_SECONDS``)."""

    seconds: float = SECONDS

    def allowed(self, size: int = 0) -> float:
        """The seconds for a source of so many characters or bytes."""
        return self.seconds * min(max(size / SHARE, 1.0), MOST_SHARES)

    def run(self, work: Callable[[], T], size: int = 0) -> T:
        """What ``work`` gives, or :class:`SourceOverrunError` once it has taken more than is allowed."""
        if not _can_be_ended():
            return work()
        most = self.allowed(size)
        try:
            return _timed(work, most)
        except _Overrun:
            signal.setitimer(signal.ITIMER_PROF, 0.0)  # it may have come while it was being put off
            raise SourceOverrunError(
                f"The work on it was ended after {most:g} seconds of processor time; nothing else was held up. Raise "
                "MEMORY_ASSETS_SOURCE_SECONDS and run `memory-assets retry`, or take the source out or shorten it."
            ) from None


def _can_be_ended() -> bool:
    """Whether signals reach the work: not outside of the main thread, and not twice, where the outer limit holds."""
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getitimer(signal.ITIMER_PROF)[0] == 0.0
    )


def _timed(work: Callable[[], T], most: float) -> T:
    ends = time.thread_time() + most

    def end(*_: Any) -> None:
        if time.thread_time() >= ends:
            raise _Overrun

    before = signal.signal(signal.SIGPROF, end)
    try:
        signal.setitimer(signal.ITIMER_PROF, most, _AGAIN)
        return work()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        # One that is still on its way must not end the process, which is what it does by default.
        signal.signal(signal.SIGPROF, signal.SIG_IGN if before == signal.SIG_DFL else before)
