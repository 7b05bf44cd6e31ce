"""An alert is worded from facts alone, one per run, and fits into what receives it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memory_assets.automation.alerts.alert import (
    ALERT,
    Alert,
    Link,
    as_slack,
    as_text,
    automation_alert,
    closing_alert,
    run_alert,
)
from memory_assets.automation.alerts.conditions import (
    AutomationFacts,
    CheckFact,
    Condition,
    RunFacts,
    StepFact,
    as_name,
    as_sentence,
)
from memory_assets_tests.automation.alerts.receiver import alert

UI = "http://127.0.0.1:3000"
AT = datetime(2026, 11, 20, 3, tzinfo=UTC)
RUN = "48f4df7d-a076-4aa3-a68c-b0a7f3acd339"
CHECK = CheckFact(
    asset="memory_draft",
    check="draft_is_within_budget",
    is_warning=False,
    blocking=True,
    failed_for=("maya",),
    found=3,
    says="The draft has more tokens than it may have.",
    what_to_do="Prune what the draft was made of, then build again.",
)
WARNING = replace(
    CHECK, check="every_file_is_read", asset="raw_sources", is_warning=True, blocking=False, failed_for=("ben",)
)
FAILED = RunFacts(RUN, "build_memory", True, AT, owners=("maya",), automation="nightly_storylines")
ENDED = replace(FAILED, failed=False)


def of(facts: RunFacts) -> Alert:
    made = run_alert(facts, UI)
    assert made is not None
    return made


def test_a_run_without_failures_is_no_news() -> None:
    assert run_alert(ENDED, UI) is None


def test_a_blocking_check_and_the_run_that_it_failed_are_one_alert_that_names_the_check() -> None:
    step = StepFact("memory_draft_draft_is_within_budget", ("DagsterAssetCheckFailedError",))
    made = of(replace(FAILED, steps=(step,), checks=(CHECK,)))
    assert made == Alert(
        id=f"run-{RUN}",
        kind="run",
        severity="error",
        title="build_memory failed, 1 check with it",
        what=(
            "The check draft_is_within_budget of memory_draft failed and holds up what follows for maya (3 found). "
            "The draft has more tokens than it may have.",
        ),
        owners=("maya",),
        where=(
            Link("the run", f"{UI}/runs/{RUN}"),
            Link(
                "the check draft_is_within_budget",
                f"{UI}/assets/memory_draft?view=checks&checkDetail=draft_is_within_budget",
            ),
        ),
        what_to_do=("Prune what the draft was made of, then build again.",),
        job="build_memory",
        run_id=RUN,
        automation="nightly_storylines",
        at="2026-11-20T03:00:00.000Z",
        state="opened",
        since="2026-11-20T03:00:00.000Z",
    )


@pytest.mark.parametrize(
    ("facts", "severity", "title"),
    [
        (replace(ENDED, checks=(WARNING,)), "warning", "build_memory: 1 check warns"),
        (replace(ENDED, checks=(WARNING, replace(WARNING, check="other"))), "warning", "build_memory: 2 checks warn"),
        (replace(ENDED, checks=(WARNING, CHECK)), "error", "build_memory: 2 checks failed"),
        (FAILED, "error", "build_memory failed"),
        (replace(FAILED, job="__ASSET_JOB"), "error", "assets failed"),
    ],
)
def test_it_says_how_bad_it_is(facts: RunFacts, severity: str, title: str) -> None:
    assert (of(facts).severity, of(facts).title) == (severity, title)


def test_a_failed_step_tells_the_errors_by_class_and_what_ours_mean() -> None:
    errors = ("DagsterExecutionStepExecutionError", "RuntimeError", "GraphUnavailableError")
    made = of(replace(FAILED, steps=(StepFact("storylines", errors),)))
    assert made.what == (
        "The step storylines failed. RuntimeError. Caused by GraphUnavailableError: The graph cannot be reached.",
    )
    assert "`memory-assets materialize --user maya`" in made.what_to_do[0]


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("START_TIMEOUT", "did not start in time"),
        ("RUN_WORKER_RESTART", "ended before the run did"),
        (None, "ended from outside"),
    ],
)
def test_a_run_that_ended_without_a_failing_step_is_told_by_its_reason(reason: str | None, words: str) -> None:
    made = of(replace(FAILED, reason=reason))
    assert words in made.what[0] and made.owners == ("maya",)


@pytest.mark.parametrize(
    ("facts", "owners"),
    [
        (replace(ENDED, owners=("ben", "maya"), checks=(WARNING,)), ("ben",)),
        (replace(ENDED, owners=("ben", "maya"), checks=(replace(WARNING, failed_for=()),)), ("ben", "maya")),
        (replace(FAILED, owners=("maya",), checks=(WARNING,), steps=(StepFact("macros"),)), ("ben", "maya")),
        (replace(FAILED, owners=(), checks=(CHECK, WARNING)), ("ben", "maya")),
        (replace(FAILED, owners=("team-garden", "A person's words")), ("team-garden",)),
    ],
)
def test_for_whom(facts: RunFacts, owners: tuple[str, ...]) -> None:
    assert of(facts).owners == owners


def test_a_check_without_sentences_still_leads_to_its_page() -> None:
    made = of(replace(ENDED, checks=(replace(CHECK, says="", what_to_do="", found=None),)))
    assert made.what[0].endswith("for maya.") and "its page" in made.what_to_do[0] and len(made.where) == 2


def test_a_check_that_says_nothing_but_its_number_says_it_once() -> None:
    made = of(replace(ENDED, checks=(replace(CHECK, says="3 found"),)))
    assert made.what[0].endswith("for maya (3 found).")


CANARY = "Maya is getting divorced"


def test_whatever_does_not_look_like_a_name_is_not_repeated() -> None:
    facts = RunFacts(
        run_id=RUN,
        job=CANARY,
        failed=True,
        ended=AT,
        owners=(CANARY,),
        automation=CANARY,
        reason=CANARY,
        errors=(CANARY,),
        steps=(StepFact(CANARY, (CANARY,)),),
        checks=(replace(CHECK, asset=CANARY, check=CANARY, failed_for=(CANARY, "maya")),),
    )
    failing = AutomationFacts("f00", CANARY, "sensor", "memory_assets", AT, (CANARY,))
    for made in (of(facts), of(replace(facts, steps=(), checks=())), automation_alert(failing, UI)):
        for shown in (json.dumps(made.as_json()), as_text(made), json.dumps(as_slack(made))):
            assert "divorced" not in shown


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("memory_draft", "memory_draft"),
        ("a/b", "a/b"),
        ("two words", "(unnamed)"),
        ("", "(unnamed)"),
        (None, "(unnamed)"),
        ("x" * 151, "(unnamed)"),
    ],
)
def test_names(text: object, name: str) -> None:
    assert as_name(text) == name


def test_sentences_are_one_bounded_line() -> None:
    assert as_sentence(" one\n two ") == "one two" and as_sentence(3) == ""
    assert len(as_sentence("word " * 500)) == 400


def test_a_failing_automation_leads_to_its_page() -> None:
    made = automation_alert(
        AutomationFacts("f00", "inbox", "sensor", "memory_assets", AT, ("SensorExecutionError", "KeyError")), UI
    )
    assert (made.kind, made.severity, made.automation, made.run_id) == ("automation", "error", "inbox", None)
    assert made.what[0].endswith("KeyError.") and "SensorExecutionError" not in made.what[0]
    assert made.where == (Link("the sensor", f"{UI}/locations/memory_assets/sensors/inbox"),)


def test_what_the_outbox_keeps_is_the_whole_alert() -> None:
    made = of(replace(FAILED, checks=(CHECK, WARNING), steps=(StepFact("macros", ("ValueError",)),)))
    assert ALERT.validate_json(json.dumps(made.as_json())) == made


def test_the_webhooks_object_has_the_documented_keys() -> None:
    keys = "id kind severity title what for where what_to_do job run_id automation at state since".split()
    sent = json.loads(json.dumps(of(replace(FAILED, checks=(CHECK,))).as_json()))
    assert sorted(sent) == sorted(keys)
    assert sent["for"] == ["maya"] and sent["where"][0] == {"label": "the run", "url": f"{UI}/runs/{RUN}"}


def test_text_says_all_of_it() -> None:
    shown = as_text(of(replace(ENDED, checks=(WARNING,))))
    assert shown.startswith("WARNING: build_memory: 1 check warns, for ben\n  what: The check every_file_is_read")
    assert f"see: {UI}/runs/{RUN} (the run)" in shown and "started by nightly_storylines" in shown


BEGAN = datetime(2026, 11, 18, 3, tzinfo=UTC)
OPEN = [
    Condition("check/memory_draft/draft_is_within_budget", "maya", BEGAN, BEGAN),
    Condition("check/memory_draft/draft_is_within_budget", "ben", AT, AT),
    Condition("step/storylines", "EVERYBODY", AT, AT),
    Condition("job/__ASSET_JOB", "", AT, AT),
]


def test_what_has_closed_says_so_since_when_and_asks_for_nothing() -> None:
    made = closing_alert(replace(ENDED, succeeded=True), OPEN, UI)
    assert made is not None
    assert (made.id, made.state, made.severity, made.owners) == (f"run-{RUN}-closed", "closed", "info", ("ben", "maya"))
    assert made.title == "build_memory: 3 conditions have closed" and made.what_to_do == ()
    assert made.what == (
        "The check draft_is_within_budget of memory_draft passes again for ben, maya; it had failed since "
        "2026-11-18T03:00:00.000Z.",
        "The job assets works again; it had failed since 2026-11-20T03:00:00.000Z.",
        "The step storylines works again; it had failed since 2026-11-20T03:00:00.000Z.",
    )
    shown, sent = as_text(made), as_slack(made)
    assert shown.startswith("CLOSED: build_memory: 3 conditions have closed, for ben, maya\n")
    assert "open since 2026-11-18T03:00:00.000Z" in shown and "do:" not in shown
    assert "What to do" not in json.dumps(sent) and sent["text"].startswith("CLOSED: ")
    assert closing_alert(ENDED, [], UI) is None


def test_slack_escapes_its_control_characters() -> None:
    sent = as_slack(alert(what=("a < b & c > d <!channel>",), where=(Link("a|<b>", "http://ui/x|y?a=1&b=2"),)))
    shown = json.dumps(sent, ensure_ascii=False)
    assert "a &lt; b &amp; c &gt; d &lt;!channel&gt;" in shown and "<!channel>" not in shown
    assert "<http://ui/x%7Cy?a=1&amp;b=2|a/&lt;b&gt;>" in shown


def test_slacks_limits_hold_for_the_largest_alert() -> None:
    long = tuple(f"{number} " + "<&>" * 1000 for number in range(60))
    names = tuple(f"user-{number}" for number in range(2000))
    links = tuple(Link("the run & more", "http://ui/" + "x" * 200) for _ in range(60))
    sent = as_slack(alert(title="T" * 500, what=long, what_to_do=long, owners=names, where=links))
    assert len(sent["blocks"]) <= 50 and len(sent["blocks"][0]["text"]["text"]) <= 150
    sections = [block["text"]["text"] for block in sent["blocks"] if block["type"] == "section"]
    assert all(0 < len(section) <= 3000 for section in sections)
    assert all(section.endswith("and more: see the links") for section in sections)


def test_a_run_in_which_everything_failed_is_bounded() -> None:
    checks = tuple(replace(CHECK, check=f"check_{number}", what_to_do=f"Do {number}.") for number in range(90))
    made = of(replace(FAILED, checks=checks))
    assert len(made.what) == 21 and made.what[-1] == "70 more: see the run."
