"""Conversations: JSON lines of role and content, one or several conversations in a file. A broken line costs that line.

A conversation is known by its ``conversation_id``, else by its first message where that has a time of day, so that
what two files have of it is one source; without either by its content. No line longer than 8 MB is ever held.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.model import SourceType, fingerprint
from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import parse_instant
from memory_assets.sources.encoding import HEAD_BYTES, decode_head
from memory_assets.sources.formats.base import (
    MAX_PART,
    MAX_STREAMED_FILE,
    Cleaned,
    Document,
    Format,
    Found,
    LineError,
    RawSource,
    number_turns,
)
from memory_assets.sources.formats.said import spoken
from memory_assets.sources.formats.streams import (
    Part,
    find_encoding,
    loads,
    numbered_lines,
    part_of,
    plain_lines,
    unite_lines,
)

_ROLES = {
    "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant",
    "system": "system", "developer": "system", "tool": "tool", "function": "tool",
}  # fmt: skip
_SPOKEN = ("user", "assistant")
_LONG_LINE = re.compile(r'^\s*\{.{0,2000}?"(role|content)"\s*:', re.DOTALL)


@dataclass(frozen=True)
class Message:
    """One line of a conversation, understood."""

    role: str
    speaker: str
    said: str
    at: datetime | None
    conversation_id: str | None

    @property
    def text(self) -> str:
        """What was said, clean; of a user what a person says, without what programs have put into it."""
        return clean_text(spoken(self.said) if self.role == "user" else self.said)


class BrokenLineError(ValueError):
    """A line that is no message; the text says why."""


def parse_message(line: str) -> Message:
    """A line as a message, or :class:`BrokenLineError`."""
    try:
        record = loads(line)
    except RecursionError:
        raise BrokenLineError("it is nested too deeply") from None
    except ValueError as error:
        raise BrokenLineError(f"it is not JSON ({one_line(str(error), 120)})") from None
    if not isinstance(record, dict):
        raise BrokenLineError("it is not a JSON object")
    if "role" not in record or "content" not in record:
        raise BrokenLineError("it has no " + ("content" if "role" in record else "role"))
    role = _ROLES.get(str(record["role"]).strip().lower())
    if role is None:
        raise BrokenLineError(f"its role {one_line(str(record['role']), 40)!r} is unknown")
    name = one_line(record["name"]) if isinstance(record.get("name"), str) else ""
    identifier = record.get("conversation_id")
    known = isinstance(identifier, str | int) and not isinstance(identifier, bool) and identifier != ""
    return Message(
        role=role,
        speaker=name or role,
        said=_text_of(record["content"]),
        at=parse_instant(record.get("timestamp")),
        conversation_id=str(identifier) if known else None,
    )


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    if content is None:  # an assistant that only called a tool
        return ""
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        raise BrokenLineError("its content is neither text nor a list of parts")
    texts = [part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def sniff(head: bytes, name: str) -> float:
    """Sure when a line is a message; likely when the first line is too long to tell but starts like one."""
    text = decode_head(head)
    lines = [line for line in text.split("\n")[:40] if line.strip()]
    complete = lines if len(head) < HEAD_BYTES else lines[:-1]
    for line in complete:
        try:
            parse_message(line)
            return 0.95
        except BrokenLineError:
            continue
    if lines and _LONG_LINE.match(lines[-1] if not complete else lines[0]):
        return 0.8
    return 0.6 if name.lower().endswith((".jsonl", ".ndjson")) else 0.0


def read(document: Document) -> Iterator[Found]:
    """One source per conversation; lines without an id are the file's own conversation.

    Of a large file each conversation is handed on with its last line, so that the file is never held.
    """
    encoding, guessed = find_encoding(document.stream)
    provenance: dict[str, object] = {"encoding": encoding, "encoding_guessed": guessed}
    parts: dict[str | None, Part] = {}
    last = _last_lines(document, encoding) if document.size > MAX_PART else {}
    for number, line in numbered_lines(document.stream, encoding):
        if isinstance(line, LineError):
            yield line
            continue
        try:
            identifier = parse_message(line).conversation_id
        except BrokenLineError as error:
            yield LineError(number, f"The line was left out: {error}.")
            continue
        part = parts.setdefault(identifier, Part())
        if part.is_full(line):
            yield _source(part, provenance)
            part.begin_next()
        part.add(line)
        if last.get(identifier) == number:
            yield _source(parts.pop(identifier), provenance)
    for part in parts.values():
        yield _source(part, provenance)


def _last_lines(document: Document, encoding: str) -> dict[str | None, int]:
    """The number of each conversation's last line."""
    last: dict[str | None, int] = {}
    for number, line in numbered_lines(document.stream, encoding):
        if isinstance(line, str):
            try:
                last[parse_message(line).conversation_id] = number
            except BrokenLineError:
                continue
    return last


def _source(part: Part, provenance: dict[str, object]) -> RawSource:
    source = describe("\n".join(part.lines))
    return part_of(source, part.number, source.key, provenance)


def describe(raw_content: str) -> RawSource:
    """The source of a raw content; everything in it follows from that content."""
    messages = list(_messages(raw_content))
    times = [message.at for message in messages if message.at is not None]
    spoken = [message for message in messages if message.role in _SPOKEN]
    owners = {message.speaker for message in messages if message.role == "user"}
    first = next((message.text for message in spoken if message.text), "")
    identifier = messages[0].conversation_id if messages else None
    return RawSource(
        source_type=SourceType.CONVERSATION,
        title=one_line(first, 80) or "Conversation",
        raw_content=raw_content,
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        participants=tuple(sorted({message.speaker for message in spoken})),
        owner_speaker=next(iter(owners)) if len(owners) == 1 else None,
        conversation_id=one_line(identifier) if identifier else None,
        key=_key(identifier, spoken),
    )


def _key(identifier: str | None, spoken: list[Message]) -> str | None:
    """What a conversation that can grow is known by; None where only its whole content can tell."""
    if identifier:
        return f"id/{identifier}"
    first = next((message for message in spoken if message.text), None)
    if first is None or first.at is None or first.at.time() == time():  # midnight is how a mere day is written
        return None
    return f"start/{fingerprint(first.role, first.speaker, to_iso(first.at), first.text)}"


def merge(stored: str, arrived: str) -> str:
    """The union of the lines that two files tell of one conversation: the same, whichever came first."""
    return unite_lines(stored, arrived, _at)


def _at(line: str) -> datetime | None:
    try:
        return parse_message(line).at
    except BrokenLineError:
        return None


def _messages(raw_content: str) -> Iterator[Message]:
    for line in plain_lines(raw_content):
        try:
            yield parse_message(line)
        except BrokenLineError:
            continue


def clean(raw_content: str) -> Cleaned:
    """What user and assistant said. System prompts and tool output stay in the raw content only."""
    return number_turns(_turns(raw_content))


def _turns(raw_content: str) -> Iterator[tuple[str | None, str, str | None]]:
    for message in _messages(raw_content):
        if message.role in _SPOKEN:
            yield message.speaker, message.text, to_iso(message.at)


FORMAT = Format(SourceType.CONVERSATION, MAX_STREAMED_FILE, sniff, read, clean, merge=merge, describe=describe)
