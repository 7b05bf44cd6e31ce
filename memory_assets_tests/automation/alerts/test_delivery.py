"""Delivery to real local servers that fail in every way: in the end each alert is confirmed exactly once."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from pydantic import SecretStr

from memory_assets.automation.alerts.alert import Alert, as_slack
from memory_assets.automation.alerts.delivery import SECONDS_PER_CHANNEL, Channel, HttpChannel, deliver
from memory_assets.automation.alerts.outbox import Outbox
from memory_assets_tests.automation.alerts.receiver import NOW, Receiver, Reply, Time, alert


def put(outbox: Outbox, count: int, *channels: str) -> list[str]:
    """So many alerts into the outbox; their ids."""
    for number in range(count):
        outbox.channels = channels
        outbox.take(f"run/{number}", NOW, [alert(number)], NOW)
    return [f"run-{number}" for number in range(count)]


def webhook(url: str, time: Time, read_seconds: float = 5.0) -> HttpChannel:
    return HttpChannel("webhook", SecretStr(url), Alert.as_json, time, read_seconds=read_seconds)


def ticks(outbox: Outbox, channels: list[Channel], time: Time, count: int = 1, pause: float = 20.0) -> None:
    """As many rounds as the sensor would do, ``pause`` seconds apart."""
    for _ in range(count):
        deliver(outbox, channels, time, time.monotonic)
        time.sleep(pause)


def test_errors_a_time_out_and_a_refused_connection_and_then_exactly_one_delivery(outbox: Outbox) -> None:
    time = Time()
    put(outbox, 1, "webhook")
    script = [Reply(500), Reply(429, {"Retry-After": "3"}), Reply(hangs=True), Reply(503), Reply(hangs=True)]
    receiver = Receiver(*script)
    ticks(outbox, [webhook(receiver.url, time)], time)

    class Impatient(HttpChannel):
        """A channel that waits for what comes, and not for what never does."""

        def send(self, alert: Alert) -> None:
            self._timeout = (300.0, 0.2 if receiver.hangs_next else 300.0)
            count = len(receiver.received) + 1
            try:
                super().send(alert)
            finally:
                assert receiver.wait_for(count)

    with receiver:
        ticks(
            outbox,
            [Impatient("webhook", SecretStr(receiver.url), Alert.as_json, time, read_seconds=0.2)],
            time,
            count=120,
        )
        assert receiver.confirmed == ["run-0"]
        assert [request.headers["idempotency-key"] for request in receiver.received] == ["run-0"] * 6
    assert outbox.counts() == {"confirmed": 1}


def test_a_short_retry_after_is_over_with_the_first_pause(outbox: Outbox) -> None:
    time = Time()
    put(outbox, 1, "webhook")
    with Receiver(Reply(429, {"Retry-After": "4"})) as receiver:
        ticks(outbox, [webhook(receiver.url, time)], time, count=2)
        assert receiver.confirmed == []
        ticks(outbox, [webhook(receiver.url, time)], time)
        assert receiver.confirmed == ["run-0"] and len(receiver.received) == 2


def test_a_long_retry_after_holds_the_whole_channel_and_what_comes_later(outbox: Outbox) -> None:
    time = Time()
    put(outbox, 3, "webhook")
    with Receiver(Reply(503, {"Retry-After": "600"})) as receiver:
        ticks(outbox, [webhook(receiver.url, time)], time, count=15)
        outbox.take("run/9", NOW, [alert(9)], time.now())
        ticks(outbox, [webhook(receiver.url, time)], time, count=15)
        assert len(receiver.received) == 1
        ticks(outbox, [webhook(receiver.url, time)], time)
        assert sorted(receiver.confirmed) == ["run-0", "run-1", "run-2", "run-9"]


def test_a_broken_slack_does_not_hold_up_the_webhook(outbox: Outbox) -> None:
    time = Time()
    ids = put(outbox, 5, "slack", "webhook")
    with Receiver(*[Reply(500)] * 9) as broken, Receiver() as receiver:
        channels = [HttpChannel("slack", SecretStr(broken.url), as_slack, time), webhook(receiver.url, time)]
        ticks(outbox, channels, time)
        assert receiver.confirmed == ids and broken.confirmed == []
        ticks(outbox, channels, time, count=20)
        assert sorted(broken.confirmed) == ids and receiver.confirmed == ids


class Faulty:
    """A channel with a fault of its own."""

    name, slowest = "slack", 0.0

    def send(self, alert: Alert) -> None:
        raise KeyError("Maya is getting divorced")


def test_a_fault_in_one_channel_does_not_hold_up_the_others_and_is_told_by_its_class(
    outbox: Outbox, caplog: pytest.LogCaptureFixture
) -> None:
    time = Time()
    ids = put(outbox, 2, "slack", "webhook")
    with Receiver() as receiver:
        ticks(outbox, [Faulty(), webhook(receiver.url, time)], time)
        assert receiver.confirmed == ids
    assert "KeyError" in caplog.text and "divorced" not in caplog.text


def test_an_alert_that_a_receiver_never_takes_does_not_hold_up_the_others(outbox: Outbox) -> None:
    time = Time()
    put(outbox, 3, "webhook")
    with Receiver(Reply(500)) as receiver:
        ticks(outbox, [webhook(receiver.url, time)], time)
        ticks(outbox, [webhook(receiver.url, time)], time)
        assert receiver.confirmed == ["run-1", "run-2"]


def test_what_is_refused_for_good_is_given_up_and_said_without_the_address(
    outbox: Outbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    time = Time()
    put(outbox, 2, "webhook")
    with Receiver(Reply(404)) as receiver:
        ticks(outbox, [webhook(receiver.url, time)], time, count=5)
        assert len(receiver.received) == 2 and receiver.confirmed == ["run-1"]
    assert outbox.counts() == {"confirmed": 1, "undeliverable": 1}
    assert "run-0 cannot be delivered to webhook: status 404" in caplog.text and "top-secret" not in caplog.text


def test_after_a_day_of_growing_pauses_it_is_given_up_and_said_once(
    outbox: Outbox, caplog: pytest.LogCaptureFixture
) -> None:
    time = Time()
    put(outbox, 1, "webhook")
    with Receiver(*[Reply(500)] * 500) as receiver:
        channel = webhook(receiver.url, time)
        ticks(outbox, [channel], time, count=3 * 60 * 24, pause=20.0)
        tried = len(receiver.received)
        ticks(outbox, [channel], time, count=3 * 60 * 4, pause=20.0)
        assert len(receiver.received) == tried and 20 < tried < 40
    assert caplog.text.count("could not be delivered to webhook within a day") == 1
    assert outbox.counts() == {"undeliverable": 1}


def test_a_round_keeps_to_its_time(outbox: Outbox) -> None:
    time = Time()
    put(outbox, 50, "webhook")

    class Slow:
        """A channel that takes its time for each alert."""

        name, slowest = "webhook", 8.0

        def send(self, alert: Alert) -> None:
            time.sleep(4.0)

    deliver(outbox, [Slow()], time, time.monotonic)
    assert 0 < time.monotonic() <= SECONDS_PER_CHANNEL
    assert outbox.counts()["waiting"] == 47


def test_a_process_that_was_killed_while_sending_leaves_the_alert_to_the_next(outbox: Outbox) -> None:
    time = Time()
    put(outbox, 1, "webhook")
    outbox.claim("run-0", "webhook", time.now(), time.now() + timedelta(seconds=120))
    with Receiver() as receiver:
        ticks(outbox, [webhook(receiver.url, time)], time, count=5)
        assert receiver.confirmed == []
        ticks(outbox, [webhook(receiver.url, time)], time, count=5)
        assert receiver.confirmed == ["run-0"]
