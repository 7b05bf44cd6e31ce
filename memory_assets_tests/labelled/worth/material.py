"""Outside corpora as the sources that the product would make of them, but for those whose files stay apart.

Apart stay files that the first readings of :doc:`docs/reading.md` are of: of LoCoMo the first and the fourth
conversation, of the channel the first messages, of the mails half of the mailboxes. BEAM's second and fourth chat,
which are read, too, are judged by what is learned from the others alone.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from memory_assets.llm.tasks import SourceText
from memory_assets.sources.formats import base, conversation, email, slack, transcript
from memory_assets.sources.policy import source_text
from memory_assets_tests.bench.corpora import BEAM_MARK, beam, corpora, locomo, sessions

READ_CONVERSATIONS, READ_CHATS, READ_MESSAGES = (0, 3), ("2", "4"), 1500
READ_MAILBOXES = frozenset("allen-p arnold-j arora-h baughman-d brawner-s buy-r campbell-l carson-m".split())
_NOISE = re.compile(r"\{\w+\}")


class Place(NamedTuple):
    """Where a source is: the corpus, its file or conversation, and the part of that."""

    corpus: str
    file: str
    part: str


def is_read(place: Place) -> bool:
    """Whether people read its file: it has labels, and nothing is learned from them."""
    return place.corpus == "beam" and place.file in READ_CHATS


def sources() -> Iterator[tuple[Place, SourceText]]:
    """Every source of the corpora at hand that labels may point to."""
    for read in (_locomo, _beam, _slack, _email, _qmsum):
        yield from read()


def one_source(form: base.Format, data: str, name: str, owner: str | None = None) -> Iterator[SourceText]:
    """What a file of these words holds."""
    document = base.Document(io.BytesIO(data.encode()), name, len(data.encode()))
    for found in form.read(document):
        if isinstance(found, base.RawSource):
            yield text_of(form, found, owner)


def text_of(form: base.Format, found: base.RawSource, owner: str | None) -> SourceText:
    """A raw source as the local model reads it."""
    row: dict[str, Any] = {
        "source_type": found.source_type,
        "title": found.title,
        "started_at": found.started_at,
        "owner_speaker": owner or found.owner_speaker,
    }
    return source_text(row, form.clean(found.raw_content))


def records(messages: Iterable[dict[str, Any]]) -> str:
    """JSON Lines."""
    return "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in messages)


def _locomo() -> Iterator[tuple[Place, SourceText]]:
    for at, sample in enumerate(locomo()):
        if at in READ_CONVERSATIONS:
            continue
        for number, when, turns in sessions(sample["conversation"]):
            rows = [
                {
                    "role": "user" if turn["speaker"] == sample["conversation"]["speaker_a"] else "assistant",
                    "name": turn["speaker"],
                    "content": turn["text"],
                    "timestamp": f"{when.isoformat()}Z",
                }
                for turn in turns
            ]
            for source in one_source(conversation.FORMAT, records(rows), "session.jsonl"):
                yield Place("locomo", sample["sample_id"], str(number)), source


def _beam() -> Iterator[tuple[Place, SourceText]]:
    for number, chat, _ in beam():
        for batch in chat:
            anchor = next(m["time_anchor"] for turn in batch["turns"] for m in turn if m.get("time_anchor"))
            when = datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC)
            for place, turn in enumerate(batch["turns"]):
                rows = [
                    {"role": m["role"], "content": BEAM_MARK.sub("", m["content"]), "timestamp": when.isoformat()}
                    for m in turn
                ]
                for source in one_source(conversation.FORMAT, records(rows), "turn.jsonl"):
                    yield Place("beam", number, f"{batch['batch_number']}-{place}"), source


def slack_days(messages: Iterable[ElementTree.Element]) -> tuple[dict[str, list[dict[str, str]]], dict[str, str]]:
    """Messages as a Slack export has them, by day, and the names of its users by id."""
    said = [(m.findtext("user") or "", m.findtext("ts") or "", m.findtext("text") or "") for m in messages]
    ids = {user: f"U{at:08d}" for at, user in enumerate(dict.fromkeys(user for user, _, _ in said))}
    days: dict[str, list[dict[str, str]]] = {}
    for user, ts, text in said:
        when = datetime.fromisoformat(ts).replace(tzinfo=UTC)
        text = re.sub(r"<@([^>]+)>", lambda found: f"<@{ids.get(found[1], found[1])}>", text)
        row = {"type": "message", "user": ids[user], "text": text, "ts": f"{when.timestamp():.6f}"}
        days.setdefault(date.isoformat(when), []).append(row)
    return days, {key: user for user, key in ids.items()}


def _slack() -> Iterator[tuple[Place, SourceText]]:
    for path in sorted((corpora() / "slack").glob("*.xml")):
        messages = ElementTree.parse(path).getroot().findall("message")[READ_MESSAGES:]
        spoken = [message.findtext("user") or "" for message in messages]
        owner = max(sorted(set(spoken)), key=spoken.count)
        days, users = slack_days(messages)
        for day, rows in days.items():
            file = slack.read_day(f"{day}.json", json.dumps(rows).encode())
            for found in slack.read_channel("general", [file], users):
                if isinstance(found, base.RawSource):
                    yield Place("slack", path.name, day), text_of(slack.FORMAT, found, owner)


def mail_of(path: Path) -> str:
    """A mail of the corpus as a mail: of its mailbox where that sent it, else to it."""
    body, _, rest = path.read_text(encoding="utf-8", errors="replace").partition("@subject")
    box, folder, _ = path.stem.split("_")
    lead = "From" if folder == "sent" else "To"
    return f"{lead}: {box} <{box}@example.com>\nSubject: {rest.strip().partition(chr(10))[0]}\n\n{body.strip()}\n"


def _email() -> Iterator[tuple[Place, SourceText]]:
    for path in sorted((corpora() / "email").glob("*.subject")):
        if path.name.partition("_")[0] not in READ_MAILBOXES:
            for source in one_source(email.FORMAT, mail_of(path), f"{path.stem}.eml"):
                yield Place("email", path.name.partition("_")[0], path.name), source


def _qmsum() -> Iterator[tuple[Place, SourceText]]:
    path = corpora() / "qmsum" / "val12.jsonl"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.is_file() else ()):
        said = json.loads(line)["meeting_transcripts"]
        lines = [f"{turn['speaker']}: {_NOISE.sub(' ', turn['content'])}" for turn in said]
        for source in one_source(transcript.FORMAT, "\n".join(lines), "meeting.txt"):
            yield Place("qmsum", str(number), "0"), source


def digest_of(text: str) -> str:
    """The first twelve digits of what a text is known by."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]
