"""The alert, how it is worded from facts, and as people read it: text for the log, blocks for Slack. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import quote

from pydantic import Field, TypeAdapter

from memory_assets.automation.alerts.conditions import (
    BLOCKED_BY_CHECK,
    AutomationFacts,
    CheckFact,
    Condition,
    RunFacts,
    StepFact,
    as_name,
    as_sentence,
)
from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.model import can_own, is_team
from memory_assets.presentation.reports import some
from memory_assets.text.lines import shortened

MOST_LINES = 20
JOBLESS = "__ASSET_JOB"
REASONS = {
    "START_TIMEOUT": "The run did not start in time.",
    "RUN_WORKER_RESTART": "The process of the run ended before the run did.",
    "UNEXPECTED_TERMINATION": "The process of the run ended before the run did.",
    "JOB_INITIALIZATION_FAILURE": "The run could not be set up: its code or its configuration is at fault.",
    "RUN_EXCEPTION": "An error outside of the steps ended the run.",
}
NO_REASON = "The run ended without a failing step: its process may have been ended from outside."


@dataclass(frozen=True)
class Link:
    """A place to look at in the UI."""

    label: str
    url: str


@dataclass(frozen=True)
class Alert:
    """One alert; :meth:`as_json` is the object that a webhook receives.

    ``id``: the same however often it is sent. ``kind``: about a run, or a sensor or schedule. ``severity``:
    ``info`` for what has closed. ``what``, ``what_to_do``: a sentence each. ``owners`` (``for``): empty means not
    known, or everybody. ``where``: places in the UI. ``automation``: the sensor or schedule that failed or that
    started the run. ``at``: when the run ended or the tick began, ``since``: when it opened; UTC ISO 8601.
    """

    id: str
    kind: Literal["run", "automation"]
    severity: Literal["error", "warning", "info"]
    title: str
    what: tuple[str, ...]
    owners: Annotated[tuple[str, ...], Field(alias="for")]
    where: tuple[Link, ...]
    what_to_do: tuple[str, ...]
    job: str | None
    run_id: str | None
    automation: str | None
    at: str
    state: Literal["opened", "closed"] = "opened"
    since: str = ""

    def as_json(self) -> dict[str, Any]:
        """The alert as a JSON object: the keys of the record, with ``owners`` as ``for``."""
        return ALERT.dump_python(self, by_alias=True)


ALERT = TypeAdapter(Alert)
"""Between an alert and its JSON."""


def run_alert(facts: RunFacts, ui_url: str) -> Alert | None:
    """The one alert of a run, whatever failed in it; None when nothing did. ``ui_url`` has no slash at its end."""
    facts = replace(facts, checks=tuple(check for check in facts.checks if check.failed))
    if not facts.failed and not facts.checks:
        return None
    job = "assets" if facts.job == JOBLESS else as_name(facts.job)
    # A blocking check that fails also fails its step: the check is the news.
    steps = [step for step in facts.steps if BLOCKED_BY_CHECK not in step.errors]
    explained = bool(steps or facts.checks)
    owners = _owners(facts, unexplained=facts.failed and (bool(steps) or not explained))
    what = [
        *map(_check_line, facts.checks),
        *(f"The step {as_name(step.step)} failed. {_chain(step.errors)}".strip() for step in steps),
    ]
    if facts.failed and (facts.unexplained or not explained):
        what.append(" ".join([REASONS.get(facts.reason or "", NO_REASON), _chain(facts.errors)]).strip())
    links = [_check_link(as_name(check.asset), as_name(check.check), ui_url) for check in facts.checks]
    error = facts.failed or any(not check.is_warning for check in facts.checks)
    return Alert(
        **_of_run(facts, job),
        id=f"run-{facts.run_id}",
        severity="error" if error else "warning",
        title=_run_title(job, facts, error),
        what=_bounded(what),
        owners=owners,
        where=(_run_link(facts, ui_url), *list(dict.fromkeys(links))[:MOST_LINES]),
        what_to_do=_bounded(_run_remedies(facts, steps, explained, owners)),
        since=to_iso(facts.ended) or "",
    )


def closing_alert(facts: RunFacts, closed: Sequence[Condition], ui_url: str) -> Alert | None:
    """The one alert of what has closed with a run; None when nothing did."""
    if not closed:
        return None
    by_subject: dict[str, list[Condition]] = {}
    for condition in sorted(closed, key=lambda one: (one.subject, one.owner)):
        by_subject.setdefault(condition.subject, []).append(condition)
    checks = [subject.split("/") for subject in by_subject if subject.startswith("check/")]
    job = "assets" if facts.job == JOBLESS else as_name(facts.job)
    return Alert(
        **_of_run(facts, job),
        id=f"run-{facts.run_id}-closed",
        state="closed",
        severity="info",
        title=f"{job}: {len(by_subject)} {'conditions have' if len(by_subject) > 1 else 'condition has'} closed",
        what=_bounded(_closed_line(subject, of) for subject, of in by_subject.items()),
        owners=tuple(sorted({one.owner for one in closed if can_own(one.owner)})),
        where=(
            _run_link(facts, ui_url),
            *[_check_link("/".join(asset), check, ui_url) for _, *asset, check in checks][:MOST_LINES],
        ),
        what_to_do=(),
        since=to_iso(min(one.since for one in closed)) or "",
    )


def _of_run(facts: RunFacts, job: str) -> dict[str, Any]:
    """What the alerts of a run have in common."""
    automation = as_name(facts.automation) if facts.automation else None
    return {
        "kind": "run",
        "job": job,
        "run_id": facts.run_id,
        "automation": automation,
        "at": to_iso(facts.ended) or "",
    }


def _run_link(facts: RunFacts, ui_url: str) -> Link:
    return Link("the run", f"{ui_url}/runs/{quote(facts.run_id)}")


def _closed_line(subject: str, closed: Sequence[Condition]) -> str:
    kind, _, name = subject.partition("/")
    asset, _, check = name.rpartition("/")
    works = f"{kind} {'assets' if name == JOBLESS else name} works"
    what = f"check {check} of {asset} passes" if kind == "check" else works
    owners = [one.owner for one in closed if can_own(one.owner)]
    whom = f" for {some(owners)}" if owners else ""
    return f"The {what} again{whom}; it had failed since {to_iso(min(one.since for one in closed))}."


def closing_automation_alert(facts: AutomationFacts, since: datetime, ui_url: str) -> Alert:
    """The alert of an automation that works again, at a tick, after it had failed ``since``."""
    opened = automation_alert(replace(facts, at=since), ui_url)
    return replace(
        opened,
        id=f"{opened.id}-closed",
        state="closed",
        severity="info",
        title=f"The {as_name(facts.kind)} {as_name(facts.name)} works again",
        what=(f"A tick of it has ended without an error; they had failed since {to_iso(since)}.",),
        what_to_do=(),
        at=to_iso(facts.at) or "",
    )


def automation_alert(facts: AutomationFacts, ui_url: str) -> Alert:
    """The one alert of a streak of failing ticks."""
    name, kind = as_name(facts.name), as_name(facts.kind)
    place = f"{ui_url}/locations/{quote(facts.location, safe='@')}/{kind}s/{quote(name)}"
    return Alert(
        id=f"tick-{facts.selector[:16]}-{round(facts.at.timestamp() * 1_000_000)}",
        kind="automation",
        severity="error",
        title=f"The {kind} {name} fails",
        what=(
            " ".join([f"A tick of the {kind} {name} failed, and what it starts may not run.", _chain(facts.errors)]),
        ),
        owners=(),
        where=(Link(f"the {kind}", place),),
        what_to_do=(
            f"Open the {kind}: its failed tick shows the error in full. It is tried again by itself; you hear of it "
            "once more when it works again.",
        ),
        job=None,
        run_id=None,
        automation=name,
        at=to_iso(facts.at) or "",
        since=to_iso(facts.at) or "",
    )


def explanations() -> dict[str, str]:
    """What our own errors mean, by class name: the first lines of their docstrings, never their messages."""
    found: dict[str, str] = {}
    waiting: list[type[MemoryAssetsError]] = [MemoryAssetsError]
    while waiting:
        kind = waiting.pop()
        waiting.extend(kind.__subclasses__())
        if kind is not MemoryAssetsError and kind.__module__.startswith("memory_assets.") and kind.__doc__:
            found[kind.__name__] = kind.__doc__.strip().splitlines()[0].replace("``", "`")
    return found


def _owners(facts: RunFacts, unexplained: bool) -> tuple[str, ...]:
    """Those whom the failed checks name; the run's own where no check does, or where more than checks failed."""
    named = [owner for check in facts.checks for owner in check.failed_for]
    everybody = [*named, *facts.owners] if unexplained or not named else named
    return tuple(sorted({owner for owner in everybody if can_own(owner)}))


def _run_title(job: str, facts: RunFacts, error: bool) -> str:
    checks = len(facts.checks)
    said = f"{checks} check{'s' if checks > 1 else ''}"
    if facts.failed:
        return f"{job} failed" + (f", {said} with it" if checks else "")
    return f"{job}: {said} failed" if error else f"{job}: {said} warn{'' if checks > 1 else 's'}"


def _check_line(check: CheckFact) -> str:
    name, asset = as_name(check.check), as_name(check.asset)
    verb = "warns" if check.is_warning else "failed and holds up what follows" if check.blocking else "failed"
    users = [owner for owner in check.failed_for if can_own(owner)]
    whom = f" for {some(users)}" if users else ""
    number = f"{check.found} found" if check.found is not None else ""
    found = f" ({number})" if number else ""
    says = "" if check.says.strip() == number else as_sentence(check.says)
    return f"The check {name} of {asset} {verb}{whom}{found}. {says}".strip()


def _chain(errors: Iterable[str]) -> str:
    """Error classes by name, Dagster's wrappers left out, with what ours mean."""
    names = [as_name(error) for error in errors]
    own = [name for name in names if not name.startswith("Dagster") and name != "SensorExecutionError"] or names[-1:]
    known = explanations()
    return " Caused by ".join(f"{name}: {known[name]}" if name in known else f"{name}." for name in own)


def _run_remedies(facts: RunFacts, steps: list[StepFact], explained: bool, owners: tuple[str, ...]) -> Iterable[str]:
    for check in facts.checks:
        name = as_name(check.check)
        yield as_sentence(check.what_to_do) or f"Open the check {name}: its page says what failed and where."
    if steps or not explained:
        users = [owner for owner in owners if not is_team(owner)]
        whom = f" --user {users[0]}" if len(users) == 1 else ""
        yield (
            "Open the run: its log shows the error in full. When the cause is gone, run it again "
            f"(`memory-assets materialize{whom}`): what was done is kept, only the rest is done."
        )


def _bounded(lines: Iterable[str]) -> tuple[str, ...]:
    unique = list(dict.fromkeys(lines))
    rest = len(unique) - MOST_LINES
    return tuple(unique[:MOST_LINES]) + ((f"{rest} more: see the run.",) if rest > 0 else ())


def _check_link(asset: str, check: str, ui_url: str) -> Link:
    return Link(f"the check {check}", f"{ui_url}/assets/{quote(asset)}?view=checks&checkDetail={quote(check)}")


SECTION = 3000
"""Characters that Slack takes in one section, after escaping."""
HEADER = 150
LINE = 550
"""Characters of one line before escaping, which makes five of one at most: a line always fits into a section."""


def headline(alert: Alert) -> str:
    """One line: how bad or closed, what, for whom."""
    whom = f", for {some(alert.owners)}" if alert.owners else ""
    return f"{'CLOSED' if alert.state == 'closed' else alert.severity.upper()}: {alert.title}{whom}"


def as_text(alert: Alert) -> str:
    """The alert as indented lines under its headline."""
    lines = [
        *(f"what: {line}" for line in alert.what),
        *(f"do: {line}" for line in alert.what_to_do),
        *(f"see: {link.url} ({link.label})" for link in alert.where),
        f"when: {_context(alert)}",
    ]
    return "\n".join([headline(alert), *(f"  {line}" for line in lines)])


def as_slack(alert: Alert) -> dict[str, Any]:
    """The payload of Slack's incoming webhooks: ``text`` for notifications, ``blocks`` for the message."""
    # A bar parts address and label, so that neither may hold one.
    links = [
        f"<{_escape(link.url.replace('|', '%7C'))}|{_escape(link.label.replace('|', '/'))}>" for link in alert.where
    ]
    whom = [f"*For:* {_escape(some(alert.owners, 20))}"] if alert.owners else []
    sections = [
        _joined(["*What*", *(f"• {_line(line)}" for line in alert.what), *whom]),
        *([_joined(["*What to do*", *(f"• {_line(line)}" for line in alert.what_to_do)])] if alert.what_to_do else []),
        _joined(["*Where to look*", *(f"• {link}" for link in links)]),
    ]
    return {
        "text": _escape(headline(alert)),
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": shortened(headline(alert), HEADER)}},
            *({"type": "section", "text": {"type": "mrkdwn", "text": section}} for section in sections),
            {"type": "context", "elements": [{"type": "mrkdwn", "text": _line(_context(alert))}]},
        ],
    }


def _context(alert: Alert) -> str:
    started = f"started by {alert.automation}" if alert.automation and alert.run_id else ""
    run = f"run {alert.run_id} of {alert.job}" if alert.run_id else ""
    since = f"{alert.state} at {alert.at}" + (f", open since {alert.since}" if alert.state == "closed" else "")
    return ", ".join(part for part in (since, run, started) if part)


def _joined(lines: Iterable[str]) -> str:
    """Whole lines up to Slack's limit; the last one says that there were more."""
    whole: list[str] = []
    more = "• and more: see the links"
    room = SECTION - len(more) - 1
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return "\n".join([*whole, more])
        whole.append(line)
    return "\n".join(whole)


def _line(text: str) -> str:
    return _escape(shortened(text, LINE))


def _escape(text: str) -> str:
    """Slack's three control characters; nothing else has a meaning of its own between them."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
