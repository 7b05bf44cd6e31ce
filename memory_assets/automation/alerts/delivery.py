"""The way out: the log, a webhook and Slack, each by itself, within a bounded time.

Addresses are secrets, Slack's above all: none is written into a log, an error or a record. So what the HTTP client
says of a failure is dropped, and only its kind is passed on.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

import requests
from pydantic import SecretStr

from memory_assets import __version__
from memory_assets.automation.alerts.alert import Alert, as_slack, as_text
from memory_assets.automation.alerts.outbox import CONFIRMED, UNDELIVERABLE, WAITING, Outbox
from memory_assets.clock import Clock, to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.settings import Settings

CONNECT_SECONDS, READ_SECONDS = 3.0, 5.0
LONGEST_ASKED = 24 * 3600.0

# The client below `requests` writes each request's path at DEBUG, and Slack's path is its key.
logging.getLogger("urllib3.connectionpool").setLevel(logging.INFO)


class AlertNotDeliveredError(MemoryAssetsError):
    """A channel did not take an alert.

    ``retryable`` says whether it may take it later, ``retry_after`` how many seconds it asked to be left alone.
    """

    def __init__(self, reason: str, *, retryable: bool, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retryable = retryable
        self.retry_after = retry_after


class Channel(Protocol):
    """A recipient of alerts."""

    name: str
    """What the outbox remembers the channel by; changing it makes it another one."""
    slowest: float
    """Seconds that one :meth:`send` takes at most."""

    def send(self, alert: Alert) -> None:
        """Hand the alert over; returning is the confirmation. Raises :class:`AlertNotDeliveredError`."""
        ...


class LogChannel:
    """The log of the process that evaluates the sensors: always there."""

    name = "log"
    slowest = 0.0

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._logger = logger or logging.getLogger("memory_assets.alerts")

    def send(self, alert: Alert) -> None:
        """Write the alert as text, at the level of its severity."""
        # What has closed is not below a warning, so that it is logged wherever the warning is.
        level = logging.ERROR if alert.severity == "error" else logging.WARNING
        self._logger.log(level, "%s", as_text(alert))


class HttpChannel:
    """One POST of what ``body`` makes of an alert, confirmed by a 2xx: any webhook's, or Slack's."""

    def __init__(
        self,
        name: str,
        url: SecretStr,
        body: Callable[[Alert], dict[str, Any]],
        clock: Clock,
        *,
        read_seconds: float = READ_SECONDS,
    ) -> None:
        self.name, self._url, self._body, self._clock = name, url, body, clock
        self._timeout = (CONNECT_SECONDS, read_seconds)
        self.slowest = CONNECT_SECONDS + read_seconds

    def __repr__(self) -> str:
        return f"HttpChannel({self.name})"

    def send(self, alert: Alert) -> None:
        """POST the alert, with its id as ``Idempotency-Key``, by which a receiver knows a repetition."""
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "Idempotency-Key": alert.id,
            "User-Agent": f"memory-assets/{__version__}",
        }
        data = json.dumps(self._body(alert), ensure_ascii=False).encode("utf-8", "replace")
        address = self._url.get_secret_value()
        try:
            with requests.Session() as session:
                # A proxy from the environment must not come between us and a receiver on this machine.
                session.trust_env = not _is_loopback(address)
                # The status is the answer. A body would cost time; a redirect would turn the POST into a GET.
                with session.post(
                    address, data=data, headers=headers, timeout=self._timeout, allow_redirects=False, stream=True
                ) as response:
                    status, answered = response.status_code, response.headers
        except requests.RequestException as error:
            # What the client calls a ValueError as well, it has against the address itself.
            raise AlertNotDeliveredError(type(error).__name__, retryable=not isinstance(error, ValueError)) from None
        if not 200 <= status < 300:
            passing = status in (408, 429) or status >= 500
            pause = self._pause(answered) if passing else None
            raise AlertNotDeliveredError(f"status {status}", retryable=passing, retry_after=pause)

    def _pause(self, headers: Mapping[str, str]) -> float | None:
        """``Retry-After`` in seconds, given as such or as a date; None when it is missing or makes no sense."""
        asked = (headers.get("Retry-After") or "").strip()
        try:
            if asked.replace(".", "", 1).isdigit():
                seconds = float(asked)
            else:
                seconds = (parsedate_to_datetime(asked) - self._clock.now()).total_seconds()
        except (TypeError, ValueError):
            return None
        return min(max(seconds, 0.0), LONGEST_ASKED)


def open_channels(settings: Settings, clock: Clock) -> list[Channel]:
    """The log, and what the settings name besides."""
    channels: list[Channel] = [LogChannel()]
    if settings.alert_webhook_url is not None:
        channels.append(HttpChannel("webhook", settings.alert_webhook_url, Alert.as_json, clock))
    if settings.alert_slack_url is not None:
        channels.append(HttpChannel("slack", settings.alert_slack_url, as_slack, clock))
    return channels


def _is_loopback(address: str) -> bool:
    try:
        host = urlsplit(address).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


SECONDS_PER_CHANNEL = 18.0
"""With two HTTP channels and the time for reading, a tick stays below the sixty seconds that Dagster gives it."""
CLAIM = timedelta(seconds=120)
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(hours=1)
PATIENCE = timedelta(days=1)
log = logging.getLogger("memory_assets.alerts")


def deliver(
    outbox: Outbox, channels: Sequence[Channel], clock: Clock, monotonic: Callable[[], float] = time.monotonic
) -> Counter[str]:
    """Send what is due; returns how many deliveries were confirmed, are waiting still, or were given up.

    What a channel does not take is tried again at later calls, with growing pauses, for a day.
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
            outcome = _deliver_one(outbox, channel, alert, clock)
            if outcome is None:
                continue
            done[outcome] += 1
            if outcome == WAITING:
                break  # what one alert met, the others would meet as well: they are due at the next call
    return done


def _deliver_one(outbox: Outbox, channel: Channel, alert: str, clock: Clock) -> str | None:
    """The state of the delivery afterwards; None when somebody else has the alert."""
    now = clock.now()
    claimed = outbox.claim(alert, channel.name, now, now + CLAIM)
    if claimed is None:
        return None
    body, tries = claimed
    try:
        channel.send(body)
    except AlertNotDeliveredError as error:
        if not error.retryable:
            outbox.end(alert, channel.name, UNDELIVERABLE)
            log.error("The alert %s cannot be delivered to %s: %s. It is not tried again.", alert, channel.name, error)
            return UNDELIVERABLE
        asked, reason = timedelta(seconds=error.retry_after or 0), str(error)
    except Exception as error:  # a fault of ours in one channel must not keep the others from being sent to
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
