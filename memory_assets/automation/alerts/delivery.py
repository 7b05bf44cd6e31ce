"""Sending what the outbox holds: each channel by itself, with retries, within a bounded time."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta

from tenacity import RetryCallState, Retrying, retry_if_exception

from memory_assets.automation.alerts.channels import AlertNotDeliveredError, Channel
from memory_assets.automation.alerts.outbox import CONFIRMED, UNDELIVERABLE, WAITING, Outbox
from memory_assets.clock import Clock, to_iso

ATTEMPTS = 3
SECONDS_PER_CHANNEL = 18.0
"""With two HTTP channels and the time for reading, a tick stays below the sixty seconds that Dagster gives it."""
CLAIM = timedelta(seconds=120)
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(hours=1)
PATIENCE = timedelta(days=1)
log = logging.getLogger("memory_assets.alerts")


def deliver(
    outbox: Outbox,
    channels: Sequence[Channel],
    clock: Clock,
    *,
    sleep: Callable[[float], None] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> Counter[str]:
    """Send what is due; returns how many deliveries were confirmed, are waiting still, or were given up.

    What a channel does not take is tried again at later calls, with growing pauses, for a day. ``sleep`` and
    ``monotonic`` are the pauses within this call and the time that it takes.
    """
    done: Counter[str] = Counter()
    for alert, name in outbox.expire(clock.now() - PATIENCE):
        log.error("The alert %s could not be delivered to %s within a day: it is given up.", alert, name)
        done[UNDELIVERABLE] += 1
    for channel in channels:
        deadline = monotonic() + SECONDS_PER_CHANNEL
        for alert in outbox.due(channel.name, clock.now()):
            if monotonic() + channel.slowest > deadline:
                break
            outcome = _deliver_one(outbox, channel, alert, clock, _retrying(channel, deadline, sleep, monotonic))
            if outcome is None:
                continue
            done[outcome] += 1
            if outcome == WAITING:
                break  # what one alert met, the others would meet as well: they are due at the next call
    return done


def _deliver_one(outbox: Outbox, channel: Channel, alert: str, clock: Clock, retrying: Retrying) -> str | None:
    """The state of the delivery afterwards; None when somebody else has the alert."""
    now = clock.now()
    claimed = outbox.claim(alert, channel.name, now, now + CLAIM)
    if claimed is None:
        return None
    body, tries = claimed
    try:
        retrying(channel.send, body)
    except AlertNotDeliveredError as error:
        if not error.retryable:
            outbox.end(alert, channel.name, UNDELIVERABLE)
            log.error("The alert %s cannot be delivered to %s: %s. It is not tried again.", alert, channel.name, error)
            return UNDELIVERABLE
        asked, reason = timedelta(seconds=error.retry_after or 0), str(error)
    except Exception as error:  # a fault of ours in one channel must not keep the others from being told
        asked, reason = timedelta(), type(error).__name__
    else:
        outbox.end(alert, channel.name, CONFIRMED)
        return CONFIRMED
    pause = max(asked, min(FIRST_PAUSE * 2 ** min(tries, 10), LONGEST_PAUSE))
    until = clock.now() + pause
    outbox.postpone(alert, channel.name, until)
    if asked:
        outbox.hold(channel.name, clock.now() + asked)
    again = "The alert %s was not delivered to %s: %s. It is tried again from %s on."
    log.warning(again, alert, channel.name, reason, to_iso(until))
    return WAITING


def _retrying(
    channel: Channel, deadline: float, sleep: Callable[[float], None], monotonic: Callable[[], float]
) -> Retrying:
    """A few attempts with short pauses, as long as another one would still end before the deadline."""

    def stop(state: RetryCallState) -> bool:
        ends = monotonic() + state.upcoming_sleep + channel.slowest
        return state.attempt_number >= ATTEMPTS or ends > deadline

    return Retrying(retry=retry_if_exception(_may_pass), wait=_pause, stop=stop, sleep=sleep, reraise=True)


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, AlertNotDeliveredError) else None
    return asked if asked is not None else float(2 ** (state.attempt_number - 1))


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, AlertNotDeliveredError) and error.retryable
