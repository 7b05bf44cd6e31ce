"""Invented talks, channels, chats and mailboxes as the sources that the product would make of them, with their labels.

A line of ``invented.jsonl`` and ``frozen.jsonl`` is one of them: ``id``, ``kind``, ``owner``, ``writer``, its
``sessions`` (a ``day`` and ``turns`` of who says what) or ``mails``, and ``worth``: the part, turn, digest and label of
each statement as its writer saw it, and ``lasting``: of good ones whether they hold a year later. Labels are those of
``guide.md``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

from memory_assets.llm.tasks import SourceText
from memory_assets.sources.formats import conversation, email, slack
from memory_assets.sources.formats.base import RawSource
from memory_assets_tests.labelled.worth.material import one_source, records, text_of

INVENTED, FROZEN = (Path(__file__).with_name(name) for name in ("invented.jsonl", "frozen.jsonl"))
_MORNING = time(9, tzinfo=UTC)


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file."""
    yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def parts(row: Mapping[str, Any]) -> Iterator[tuple[int, SourceText]]:
    """Each session or mail, by its place."""
    read = {"talk": _talk, "chat": _talk, "channel": _channel, "mails": _mails}[row["kind"]]
    yield from read(row)


def _talk(row: Mapping[str, Any]) -> Iterator[tuple[int, SourceText]]:
    for at, session in enumerate(row["sessions"]):
        messages = [
            {**_speaker(row, who), "content": text, "timestamp": f"{session['day']}T12:00:00Z"}
            for who, text in session["turns"]
        ]
        for source in one_source(conversation.FORMAT, records(messages), "session.jsonl"):
            yield at, source


def _speaker(row: Mapping[str, Any], who: str) -> dict[str, str]:
    if row["kind"] == "chat":
        return {"role": who}
    return {"role": "user" if who == row["owner"] else "assistant", "name": who}


def _channel(row: Mapping[str, Any]) -> Iterator[tuple[int, SourceText]]:
    names = sorted({who for session in row["sessions"] for who, _ in session["turns"]})
    ids = {name: f"U{at:08d}" for at, name in enumerate(names)}
    for at, session in enumerate(row["sessions"]):
        morning = datetime.combine(datetime.fromisoformat(session["day"]), _MORNING)
        messages = [
            {
                "type": "message",
                "user": ids[who],
                "text": text,
                "ts": f"{(morning + timedelta(minutes=n)).timestamp():.6f}",
            }
            for n, (who, text) in enumerate(session["turns"])
        ]
        day = [slack.read_day(f"{session['day']}.json", json.dumps(messages).encode())]
        for found in slack.read_channel("general", day, {key: name for name, key in ids.items()}):
            if isinstance(found, RawSource):
                yield at, text_of(slack.FORMAT, found, row["owner"])


def _mails(row: Mapping[str, Any]) -> Iterator[tuple[int, SourceText]]:
    for at, mail in enumerate(row["mails"]):
        heads = "".join(f"{name.title()}: {mail[name]}\n" for name in ("from", "to", "subject"))
        for source in one_source(email.FORMAT, f"{heads}\n{mail['body']}\n", "mail.eml", row["owner"]):
            yield at, source
