"""The channels over a real local server: what they send, what counts as taken, and that no address leaks."""

from __future__ import annotations

import logging
import socket
from email.utils import format_datetime

import pytest
from pydantic import SecretStr

from memory_assets.automation.alerts.alert import Alert, as_slack, as_text
from memory_assets.automation.alerts.delivery import (
    AlertNotDeliveredError,
    HttpChannel,
    LogChannel,
    open_channels,
)
from memory_assets.automation.alerts.outbox import UNDELIVERABLE, Outbox
from memory_assets.commands.doctor import _alerts
from memory_assets.errors import SettingsError
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.automation.alerts.receiver import NOW, Receiver, Reply, Time, alert

SECRET = "top-secret-path"


def webhook(url: str, **options: float) -> HttpChannel:
    return HttpChannel("webhook", SecretStr(url), Alert.as_json, Time(), **options)


def refusal(channel: HttpChannel) -> AlertNotDeliveredError:
    with pytest.raises(AlertNotDeliveredError) as caught:
        channel.send(alert())
    return caught.value


def test_the_webhook_receives_the_alert_with_its_id_as_the_key() -> None:
    with Receiver() as receiver:
        webhook(receiver.url).send(alert(owners=("zoë",)))
    request = receiver.received[0]
    assert request.body == {
        **alert().as_json(),
        "for": ["zoë"],
        "what": list(alert().what),
        "what_to_do": ["Open the run."],
        "where": [{"label": "the run", "url": "http://ui/runs/1"}],
    }
    assert request.headers["idempotency-key"] == "run-1"
    assert request.headers["content-type"].startswith("application/json")


def test_slack_receives_text_and_blocks() -> None:
    with Receiver() as receiver:
        HttpChannel("slack", SecretStr(receiver.url), as_slack, Time()).send(alert())
    assert receiver.received[0].body == as_slack(alert())


def test_the_log_says_it_at_its_level(caplog: pytest.LogCaptureFixture) -> None:
    LogChannel().send(alert())
    LogChannel().send(alert(severity="warning"))
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.WARNING]
    assert caplog.records[0].getMessage() == as_text(alert())


@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        (500, True),
        (503, True),
        (429, True),
        (408, True),
        (400, False),
        (403, False),
        (404, False),
        (410, False),
        (302, False),
    ],
)
def test_which_answers_are_worth_another_try(status: int, retryable: bool) -> None:
    with Receiver(Reply(status, {"Location": "/elsewhere"})) as receiver:
        error = refusal(webhook(receiver.url))
    assert (error.retryable, str(error)) == (retryable, f"status {status}")
    assert len(receiver.received) == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        (format_datetime(NOW.replace(minute=2), usegmt=True), 120.0),
        (format_datetime(NOW.replace(year=2020), usegmt=True), 0.0),
        ("999999999", 86400.0),
        ("soon", None),
        ("²", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str, seconds: float | None) -> None:
    channel = webhook("http://127.0.0.1:1/")
    assert channel._pause({"Retry-After": header}) == seconds


def test_a_receiver_that_hangs_is_left_in_time() -> None:
    with Receiver(Reply(hangs=True)) as receiver:
        error = refusal(webhook(receiver.url, read_seconds=0.1))
    assert error.retryable and str(error) == "ReadTimeout"


def test_a_receiver_that_is_not_there_may_come_back() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, so that nobody else takes the port, and refused: it does not listen
        error = refusal(webhook(f"http://127.0.0.1:{taken.getsockname()[1]}/{SECRET}"))
    assert error.retryable and SECRET not in str(error)


@pytest.mark.parametrize("url", [f"http://[::1/{SECRET}", f"htt p://{SECRET}", f"http://.{SECRET}/", SECRET])
def test_an_address_that_is_none_is_not_tried_again_and_not_said(url: str) -> None:
    error = refusal(webhook(url))
    assert not error.retryable and SECRET not in str(error)


def test_no_proxy_comes_between_us_and_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with Receiver() as receiver:
        webhook(receiver.url).send(alert())
    assert receiver.confirmed == ["run-1"]


def test_no_address_in_any_log_or_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with Receiver(Reply(500), Reply(404)) as receiver:
        channel = HttpChannel("slack", SecretStr(receiver.url), as_slack, Time())
        errors = [refusal(channel), refusal(channel)]
        channel.send(alert())
    texts = [caplog.text, repr(channel), repr(Settings(alert_slack_url=receiver.url)), *map(repr, errors)]
    assert not [text for text in texts if SECRET in text]


def test_the_settings_choose_the_channels_and_the_doctor_tells_which() -> None:
    alone = Settings()
    assert [channel.name for channel in open_channels(alone, Time())] == ["log"]
    assert (_alerts(alone).status, _alerts(alone).finding) == ("note", "to the log alone")
    assert not alone.alerts_file.exists()
    both = Settings(alert_webhook_url=f"http://h/{SECRET}", alert_slack_url=f"https://h/{SECRET}")
    assert [channel.name for channel in open_channels(both, Time())] == ["log", "webhook", "slack"]
    assert (_alerts(both).status, _alerts(both).finding) == ("ok", "log, webhook, slack")


def test_the_doctor_tells_what_could_not_be_sent(outbox: Outbox) -> None:
    settings = Settings(home=outbox.path.parent, alert_webhook_url=f"http://h/{SECRET}")
    outbox.channels = ["webhook"]
    for number in (1, 2):
        outbox.take(f"run/{number}", NOW, [alert(number)], NOW)
    outbox.end("run-1", "webhook", UNDELIVERABLE)
    finding = _alerts(settings)
    assert (finding.status, finding.finding) == ("note", "log, webhook (1 waiting, 1 undeliverable within 30 days)")
    assert finding.remedy


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MEMORY_ASSETS_ALERT_WEBHOOK_URL", SECRET),
        ("MEMORY_ASSETS_ALERT_SLACK_URL", f"https://host:port/{SECRET}"),
        ("MEMORY_ASSETS_UI_URL", f"file:///{SECRET}"),
    ],
)
def test_a_wrong_address_is_named_by_its_variable_alone(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsError, match=variable) as caught:
        load_settings()
    assert SECRET not in str(caught.value)


def test_links_begin_with_the_ui_without_a_login_or_a_slash() -> None:
    assert Settings(ui_url="https://user:hidden@ui.example.org/memory/").ui_url == "https://ui.example.org/memory"
