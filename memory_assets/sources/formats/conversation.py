"""Conversations: JSON lines of role and content, or a JSON list of such objects, one or several conversations in a
file. A broken line or object costs that one.

A conversation is known by its ``conversation_id``, else by its first message where that has a time of day, so that
what two files have of it is one source; without either by its content. A line longer than 8 MB is left out.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.model import SourceType, fingerprint
from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import parse_instant
from memory_assets.sources.encoding import HEAD_BYTES, decode_head, has_list, json_head
from memory_assets.sources.formats.base import (
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
    BrokenLineError,
    Part,
    objects,
    parsed,
    part_of,
    plain_lines,
    read_or_none,
    sources_of_lines,
    unite_lines,
    whole_lines,
)

_ROLES = {
    "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant",
    "system": "system", "developer": "system", "tool": "tool", "function": "tool",
}  # fmt: skip
_SPOKEN = ("user", "assistant")
_LOOKED_AT = 5
"""So many of a list's first elements are looked at for a message."""
_LONG_LINE = re.compile(r'^\s*\{.{0,2000}?"(role|content)"\s*:', re.DOTALL)


@dataclass(frozen=True)
class Message:
    """One line of a conversation, understood."""

    role: str
    speaker: str
    said: str
    at: datetime | None
    conversation_id: str | None
    project: str | None = None

    @property
    def text(self) -> str:
        """What was said, clean; of a user what a person says, without what programs have put into it."""
        return clean_text(spoken(self.said) if self.role == "user" else self.said)


def parse_message(line: str) -> Message:
    """A line as a message, or :class:`BrokenLineError`."""
    record = parsed(line)
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
        project=one_line(record["project"]) or None if isinstance(record.get("project"), str) else None,
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
    """Sure when a line, or the first object of a list, is a message; likely when that is too long to see but starts
    like one.
    """
    complete = whole_lines(head)
    if any(read_or_none(parse_message, line) for line in complete):
        return 0.95
    if json_head(head).startswith("["):
        return _sniff_list(json_head(head)[1:].lstrip())
    if _LONG_LINE.match(complete[0] if complete else decode_head(head)):
        return 0.8
    return 0.6 if name.lower().endswith((".jsonl", ".ndjson")) else 0.0


def _is_list(head: bytes) -> bool:
    """Whether it is a JSON list, and no lines of which the first happens to begin like one ("[info] started")."""
    return json_head(head).startswith("[") and not any(read_or_none(parse_message, line) for line in whole_lines(head))


def _sniff_list(text: str) -> float:
    decoder = json.JSONDecoder()
    for _ in range(_LOOKED_AT):
        try:
            element, end = decoder.raw_decode(text)
        except (ValueError, RecursionError):
            return 0.8 if _LONG_LINE.match(text) and not has_list(text, "messages") else 0.0
        if read_or_none(parse_message, json.dumps(element)):
            return 0.95
        text = text[end:].lstrip().removeprefix(",").lstrip()
    return 0.0


def read(document: Document) -> Iterator[Found]:
    """One source per conversation; lines without an id are the file's own conversation."""
    head = document.stream.read(HEAD_BYTES)
    document.stream.seek(0)
    if not _is_list(head):
        yield from sources_of_lines(document, _id_of, _sources)
        return
    with tempfile.TemporaryFile() as lines:
        for element in objects(document.stream):
            if element.reason is not None:
                yield LineError(element.number, f"The message was left out: {element.reason}.")
            else:
                lines.write(json.dumps(element.value).encode())
            lines.write(b"\n")  # so that lines have the numbers of the objects
        yield from sources_of_lines(replace(document, stream=lines, size=lines.tell()), _id_of, _sources)


def _id_of(line: str) -> str | None:
    return parse_message(line).conversation_id


def _sources(identifier: str | None, part: Part, provenance: dict[str, object]) -> Iterator[RawSource]:
    source = describe("\n".join(part.lines))
    yield part_of(source, part.number, source.key, provenance)


def describe(raw_content: str) -> RawSource:
    """The source of a raw content; everything in it follows from that content."""
    messages = _messages(plain_lines(raw_content))
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
        project=next((message.project for message in messages if message.project), None),
        key=_key(identifier, spoken),
    )


def _key(identifier: str | None, spoken: list[Message]) -> str | None:
    """What a conversation that can grow is known by; None where only its whole content decides."""
    if identifier:
        return f"id/{identifier}"
    first = next((message for message in spoken if message.text), None)
    if first is None or first.at is None or first.at.time() == time():  # midnight is how a mere day is written
        return None
    return f"start/{fingerprint(first.role, first.speaker, to_iso(first.at), first.text)}"


def merge(stored: str, arrived: str) -> str:
    """The union of the lines that two files have of one conversation: the same, whichever came first."""
    return unite_lines(stored, arrived, lambda line: next((message.at for message in _messages([line])), None))


def _messages(lines: Iterable[str]) -> list[Message]:
    return [message for line in lines if (message := read_or_none(parse_message, line))]


def clean(raw_content: str) -> Cleaned:
    """What user and assistant said. System prompts and tool output stay in the raw content only."""
    messages = (message for message in _messages(plain_lines(raw_content)) if message.role in _SPOKEN)
    return number_turns((message.speaker, message.text, to_iso(message.at)) for message in messages)


FORMAT = Format(SourceType.CONVERSATION, MAX_STREAMED_FILE, sniff, read, clean, merge=merge, describe=describe)
