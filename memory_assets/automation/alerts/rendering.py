"""An alert as people read it: text for the log, blocks for Slack. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memory_assets.automation.alerts.alert import Alert
from memory_assets.presentation.reports import some

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
            {"type": "header", "text": {"type": "plain_text", "text": _cut(headline(alert), HEADER)}},
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
    kept: list[str] = []
    more = "• and more: see the links"
    room = SECTION - len(more) - 1
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return "\n".join([*kept, more])
        kept.append(line)
    return "\n".join(kept)


def _line(text: str) -> str:
    return _escape(_cut(text, LINE))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _escape(text: str) -> str:
    """Slack's three control characters; nothing else has a meaning of its own between them."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
