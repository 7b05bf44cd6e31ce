"""Mailboxes (mbox in its dialects): where one mail ends and the next begins. Reads a stream, holds one mail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO
from zipfile import ZipExtFile

from memory_assets.sources.formats.base import MAX_WHOLE_FILE, MEGABYTE

MBOX_LINE = re.compile(rb"^From \S+ +\S.*\d{4}|^From (?=\S+@\S)\S++\s*+$|^From - |^From ?\r?$")
# A line that a mailbox's program has written beyond doubt: with weekday, day and hour.
_MBOX_STAMP = re.compile(rb"^From .{0,200}\b[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} +\d{1,2}:\d{2}(?::\d{2})?\b.{0,20}\d{4}\s*$")
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,10})[ \t]*\r?$", re.IGNORECASE)
_HEADER = re.compile(rb"[!-9;-~]{1,76}[ \t]*:")


def split_mailbox(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Each mail's first line number and bytes (None when too large), with mboxrd's quoting undone.

    Headers follow the line between two mails: a sentence that begins with "From" is none. Where a mail tells its length
    (mboxcl) and another one, or the end, is there, nothing before it is looked at; an archive's stream cannot go back for it.
    """
    start, number, size, blank = 1, 0, 0, True
    lines: list[bytes] = []
    length, in_headers, until = 0, True, 0
    place, following = 0, stream.readline(MEGABYTE)
    while line := following:
        number += 1
        place += len(line)
        following = stream.readline(MEGABYTE)
        if place > until and line.startswith(b"From") and MBOX_LINE.match(line) and _is_between(line, following, blank=blank):
            if size:
                yield start, b"".join(lines) if size <= MAX_WHOLE_FILE else None
            start, size, lines = number + 1, 0, []
            blank, length, in_headers = False, 0, True
            continue
        if in_headers:
            told = _LENGTH.match(line.rstrip(b"\n"))
            length = int(told[1]) if told else length
            in_headers = bool(line.strip())
            if not in_headers and length and not isinstance(stream, ZipExtFile) and _ends_at(stream, place + length):
                until = place + length
        size += len(line)
        if size <= MAX_WHOLE_FILE:
            lines.append(line[1:] if re.match(rb">+From ", line) else line)
        blank = line in (b"\n", b"\r\n")
    if size:
        yield start, b"".join(lines) if size <= MAX_WHOLE_FILE else None


def _is_between(line: bytes, following: bytes, *, blank: bool) -> bool:
    """Whether a line stands between two mails, by two of three signs: an empty line above, a stamp in it, headers below."""
    headers = _HEADER.match(following) is not None or following.startswith(b">From ")
    stamped = _MBOX_STAMP.match(line) is not None
    return blank + stamped + headers >= 2


def _ends_at(stream: BinaryIO, place: int) -> bool:
    """Whether a mailbox goes on with another mail here, or ends."""
    now = stream.tell()
    stream.seek(place - 1)
    is_there = bool(stream.read(1))
    rest = stream.read(400).lstrip(b"\r\n")
    ends = is_there and (not rest or MBOX_LINE.match(rest.partition(b"\n")[0] + b"\n") is not None)
    stream.seek(now)
    return ends
