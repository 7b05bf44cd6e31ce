"""The kinds of sources: each module knows one way in which a kind is written: how to recognise, read and clean it."""

from __future__ import annotations

import json

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.encoding import HEAD_BYTES, decode_file, json_head, looks_binary
from memory_assets.sources.formats import (
    chatgpt,
    claude,
    claude_code,
    codex,
    conversation,
    email,
    memory_lines,
    messages,
    note,
    record,
    slack,
    transcript,
)
from memory_assets.sources.formats.base import Cleaned, Format, RawSource, number_turns
from memory_assets.text.injected import OPENING, without_injected

# Of two that are equally sure of a file the first is taken.
ALL_FORMATS: tuple[Format, ...] = (
    chatgpt.FORMAT, claude.FORMAT, claude_code.FORMAT, codex.FORMAT, claude.NOTES_FORMAT, messages.FORMAT,
    note.CANVAS_FORMAT, record.FORMAT, conversation.FORMAT, slack.FORMAT, email.FORMAT, transcript.FORMAT, note.FORMAT,
    *memory_lines.FORMATS,
)  # fmt: skip

# The format of each kind that any content of the kind can be in: the last one.
FORMATS: dict[SourceType, Format] = {format_.kind: format_ for format_ in ALL_FORMATS}

# A file that a format is so sure of may have bytes of no text: a mail with an attachment that isn't encoded.
SURE = 0.9
# Raise it when a reader understands the same bytes differently: every file is then read again.
READER_VERSION = 16
# Raise it when cleaning gives another text for the same raw content: every source is then processed again.
CLEANING_VERSION = 15


def recognise(head: bytes, name: str, kind: SourceType | None = None) -> Format:
    """The format of a file by its first bytes, its name only helping; raises when it is none.

    With ``kind``, the likeliest format of that kind, whatever the file looks like.
    """
    formats = [format_ for format_ in ALL_FORMATS if kind in (None, format_.kind)]
    if kind is None and looks_binary(head) and email.sniff(head, name) < SURE:
        raise SourceUnreadableError("It is not text (a binary file); convert it to text first.")
    scores = [(format_.sniff(head, name), format_) for format_ in formats]
    score, best = max(scores, key=lambda pair: pair[0])
    if score > 0:
        return best
    if kind is not None:
        return FORMATS[kind]
    raise SourceUnreadableError(
        "Its kind was not recognised; give it with --kind conversation, email, slack, transcript, note or record."
    )


def broken_json(data: bytes) -> str | None:
    """Where the JSON of a whole file is broken, in words; None of a file that is whole, or none of JSON."""
    if not json_head(data[:HEAD_BYTES]):
        return None
    try:
        json.loads(decode_file(data).text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        return f"Its JSON is broken: {error.msg} at line {error.lineno}, column {error.colno}."
    except RecursionError:
        return "Its JSON is broken: it is nested too deeply."
    return None


def format_of(source_type: str, raw_content: str) -> Format:
    """The format that a stored source was read by."""
    kind = SourceType(source_type)
    for format_ in ALL_FORMATS:
        if format_.kind is kind and format_.owns is not None and format_.owns(raw_content):
            return format_
    return FORMATS[kind]


def clean(source_type: str, raw_content: str) -> Cleaned:
    """The clean turns of a stored source, from its raw content alone; without what a memory gave to an agent in it."""
    cleaned = format_of(source_type, raw_content).clean(raw_content)
    if OPENING not in cleaned.content:
        return cleaned
    return number_turns((t.speaker, without_injected(t.text).strip(), t.at, t.section) for t in cleaned.turns)


def merge(source_type: str, stored: str, arrived: str) -> str:
    """All that two raw contents of one source hold; what cannot grow stays as it is stored."""
    unite = format_of(source_type, arrived).merge
    return stored if unite is None else unite(stored, arrived)


def describe(source_type: str, raw_content: str) -> RawSource:
    """A source that can grow, as its raw content alone describes it; raises ValueError for one that cannot."""
    read = format_of(source_type, raw_content).describe
    if read is None:
        raise ValueError(f"A source of type {source_type} does not grow.")
    return read(raw_content)
