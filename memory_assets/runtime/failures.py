"""Which failures may pass by themselves, and when what failed is tried again. Pure.

Within a run the adapters have tried again already. What cannot pass (a refusal, a text that is too long) waits
until the source, the prompt, the model or the code is another one, or until somebody asks for it (``memory-assets
retry``).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from memory_assets.errors import BudgetExceededError, MemoryAssetsError, ModelError, ModelServiceError

FIRST_PAUSE = timedelta(hours=1)
FACTOR = 4
LONGEST_PAUSE = timedelta(days=7)


def may_pass(error: BaseException) -> bool:
    """Whether the same question can have another end later: the service was busy, away, or cut its answer short."""
    if isinstance(error, MemoryAssetsError):
        return error.retryable
    return isinstance(error, (TimeoutError, ConnectionError))


def waits(error: ModelError) -> bool:
    """Whether what a model was to say is asked again by the next run: it may pass, or nothing could be asked now."""
    return isinstance(error, BudgetExceededError | ModelServiceError) or error.retryable


def pause_after(attempts: int) -> timedelta:
    """How long to wait after so many failed attempts (1 or more): 1 h, 4 h, 16 h, 64 h, then 7 days each time."""
    return min(FIRST_PAUSE * FACTOR ** min(max(0, attempts - 1), 4), LONGEST_PAUSE)


def next_attempt(error: BaseException, attempts: int, now: datetime) -> datetime | None:
    """When to try again after the ``attempts``-th failure in a row; None where trying again is no use."""
    return now + pause_after(attempts) if may_pass(error) else None
