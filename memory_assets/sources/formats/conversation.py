"""Conversations: JSON lines of role and content, one or several conversations in a file.

Read as a stream: no line longer than 8 MB is ever held in memory. A broken line costs that line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, BinaryIO

from memory_assets.clock import to_iso
from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import parse_instant
from memory_assets.sources.encoding import (
    HEAD_BYTES,
    byte_order_mark,
    decode_head,
    guess,
)
from memory_assets.sources.formats.base import (
    MAX_STREAMED_FILE,
    MEGABYTE,
    Cleaned,
    Document,
    Format,
    Found,
    LineError,
    RawSource,
    number_turns,
)

MAX_LINE = 8 * MEGABYTE
MAX_PART = 8 * MEGABYTE  # a longer conversation becomes several sources: graph properties have limits

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
    text: str
    at: datetime | None
    conversation_id: str | None


class BrokenLineError(ValueError):
    """A line that is no message; the text says why."""


def parse_message(line: str) -> Message:
    """A line as a message, or :class:`BrokenLineError`."""
    try:
        record = json.loads(line, parse_int=_whole_number)
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
        text=_text_of(record["content"]),
        at=parse_instant(record.get("timestamp")),
        conversation_id=str(identifier) if known else None,
    )


def _whole_number(digits: str) -> int | float:
    """A number in a message; one with thousands of digits, which Python refuses, is no reason to lose it."""
    return int(digits) if len(digits) <= 400 else float("inf")


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return clean_text(content)
    if content is None:  # an assistant that only called a tool
        return ""
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        raise BrokenLineError("its content is neither text nor a list of parts")
    texts = [
        part if isinstance(part, str) else part.get("text")
        for part in content
        if isinstance(part, str | dict)
    ]
    return clean_text("\n".join(text for text in texts if isinstance(text, str)))


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


@dataclass
class _Gathering:
    """The lines of one conversation while its file is being read."""

    conversation_id: str | None
    part: int = 1
    size: int = 0
    lines: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        self.lines.append(line)
        self.size += len(line)


def read(document: Document) -> Iterator[Found]:
    """One source per conversation; lines without an id are the file's own conversation."""
    encoding, guessed = _find_encoding(document.stream)
    provenance: dict[str, object] = {"encoding": encoding, "encoding_guessed": guessed}
    gatherings: dict[str | None, _Gathering] = {}
    for number, line in _lines(document.stream, encoding):
        if isinstance(line, LineError):
            yield line
            continue
        try:
            message = parse_message(line)
        except BrokenLineError as error:
            yield LineError(number, f"The line was left out: {error}.")
            continue
        gathering = gatherings.setdefault(message.conversation_id, _Gathering(message.conversation_id))
        if gathering.lines and gathering.size + len(line) > MAX_PART:
            yield _source(gathering, provenance)
            gathering = _Gathering(message.conversation_id, part=gathering.part + 1)
            gatherings[message.conversation_id] = gathering
        gathering.add(line)
    for gathering in gatherings.values():
        yield _source(gathering, provenance)


def _source(gathering: _Gathering, provenance: dict[str, object]) -> RawSource:
    messages = [parse_message(line) for line in gathering.lines]
    times = [message.at for message in messages if message.at is not None]
    spoken = [message for message in messages if message.role in _SPOKEN]
    owners = {message.speaker for message in messages if message.role == "user"}
    first = next((message.text for message in spoken if message.text), "")
    return RawSource(
        source_type=SourceType.CONVERSATION,
        title=one_line(first, 80) or "Conversation",
        raw_content="\n".join(gathering.lines),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        participants=tuple(sorted({message.speaker for message in spoken})),
        owner_speaker=next(iter(owners)) if len(owners) == 1 else None,
        conversation_id=one_line(gathering.conversation_id) if gathering.conversation_id else None,
        provenance=provenance | ({"part": gathering.part} if gathering.part > 1 else {}),
    )


def _find_encoding(stream: BinaryIO) -> tuple[str, bool]:
    """UTF-8 unless a mark says otherwise, or no line that is not ASCII is UTF-8: then a guess."""
    stream.seek(0)
    mark = byte_order_mark(stream.read(4))
    if mark and mark != "utf-8-sig":
        return mark, False
    stream.seek(0)
    foreign: list[bytes] = []
    gathered = 0
    while line := stream.readline(MEGABYTE):
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
            return "utf-8", False  # a line that is not UTF-8 is then a broken one
        except UnicodeDecodeError as error:
            if len(line) == MEGABYTE and error.start >= MEGABYTE - 4:
                return "utf-8", False
        if gathered < MEGABYTE:
            foreign.append(line)
            gathered += len(line)
    return (guess(b"".join(foreign)).encoding, True) if foreign else ("utf-8", False)


def _lines(stream: BinaryIO, encoding: str) -> Iterator[tuple[int, str | LineError]]:
    """Numbered lines without their ends; empty ones are skipped, over-long and undecodable ones reported."""
    stream.seek(0)
    if encoding.startswith(("utf-16", "utf-32")):
        yield from _wide_lines(stream, encoding)
        return
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE and not line.endswith(b"\n"):
            size = len(line) + _skip_line(stream)
            yield number, _too_long(number, size)
            continue
        try:
            text = line.decode(encoding).rstrip("\r\n").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            yield number, LineError(number, f"The line was left out: it is not {encoding} ({error.reason}).")
            continue
        if text.strip():
            yield number, text


def _wide_lines(stream: BinaryIO, encoding: str) -> Iterator[tuple[int, str | LineError]]:
    """Lines of a file in UTF-16 or UTF-32, whose bytes hold newlines that are none."""
    size = stream.seek(0, 2)
    if size > 64 * MEGABYTE:
        raise SourceUnreadableError(f"It is {encoding} and larger than 64 MB; convert it to UTF-8 first.")
    stream.seek(0)
    text = stream.read().decode(encoding, "replace")
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > MAX_LINE:
            yield number, _too_long(number, len(line))
        elif line.strip():
            yield number, line.rstrip("\r").removeprefix("\ufeff")


def _skip_line(stream: BinaryIO) -> int:
    skipped = 0
    while rest := stream.readline(MEGABYTE):
        skipped += len(rest)
        if rest.endswith(b"\n"):
            break
    return skipped


def _too_long(number: int, size: int) -> LineError:
    return LineError(
        number, f"The line was left out: {size / MEGABYTE:.0f} MB, and 8 MB is the most that is read."
    )


def clean(raw_content: str) -> Cleaned:
    """What user and assistant said. System prompts and tool output stay in the raw content only."""
    return number_turns(_turns(raw_content))


def _turns(raw_content: str) -> Iterator[tuple[str | None, str, str | None]]:
    for line in raw_content.split("\n"):
        try:
            message = parse_message(line)
        except BrokenLineError:
            continue
        if message.role in _SPOKEN:
            yield message.speaker, message.text, to_iso(message.at)


FORMAT = Format(SourceType.CONVERSATION, MAX_STREAMED_FILE, sniff, read, clean)
