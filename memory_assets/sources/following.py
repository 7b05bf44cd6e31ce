"""The transcript of an agent that is still at work, read on from where it was read last."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from memory_assets.clock import to_iso
from memory_assets.errors import SourceUnreadableError
from memory_assets.sources import disk_files
from memory_assets.sources.encoding import HEAD_BYTES
from memory_assets.sources.formats import claude_code, codex
from memory_assets.sources.formats.claude_code import MAX_LINE
from memory_assets.sources.formats.said import Line, Transcript
from memory_assets.text.injected import without_injected

TRANSCRIPTS = (claude_code.TRANSCRIPT, codex.TRANSCRIPT)
MOST_BYTES = 32 << 20
"""About so much is read at a time; what follows is read the next time."""
HEARD_BYTES = 2 << 20
"""So much before is looked through for words that an assistant has from elsewhere."""
LONGEST = 500_000
"""Characters of a turn; a longer one is several."""

Turn = dict[str, Any]


@dataclass(frozen=True)
class Followed:
    """The ``turns`` that a transcript has gained, as a session takes them, and the byte at which they ``end``. Beside
    what a session keeps of it, a turn has the ``folder`` that it was said in, a call has its words (``given``), and a
    result has its own (``gave``).
    """

    turns: list[Turn]
    end: int


def follow(path: str, session: str, after: int = 0) -> Followed:
    """What a transcript says of ``session`` from the byte ``after`` on, in whole lines.

    Each turn has the id of its line, so that reading from the beginning again adds nothing: that is done where no
    line ends at ``after``. A sub-agent's lines are none of the session's. Raises
    :class:`SourceUnreadableError` for what is no transcript, or no regular file of the user who runs this.
    """
    try:
        with disk_files.opened(path) as stream:
            status = os.fstat(stream.fileno())
            if status.st_uid != os.geteuid():
                raise SourceUnreadableError(f"{path} is another user's file.")
            head = stream.read(HEAD_BYTES)
            if (known := _transcript_of(head, path)) is None:
                raise SourceUnreadableError(f"{path} is no transcript of Claude Code or Codex.")
            if not known.is_of(head, session):
                return Followed([], after)
            begin = after if _ends_line(stream, after) else 0
            stream.seek(begin)
            lines, end = _whole_lines(stream, begin)
    except (OSError, ValueError) as error:  # a path with a NUL is a wrong value
        raise SourceUnreadableError(f"The transcript cannot be read: {error}.") from None
    return Followed(list(_turns(known.follow(lines, session))), end)


def follow_on(path: str, session: str, after: int = 0) -> Iterator[Turn]:
    """All that a transcript says from there on (:func:`follow`), however much it is."""
    while (followed := follow(path, session, after)).end > after:
        yield from followed.turns
        after = followed.end


def said_before(path: str, session: str, end: int, then: Iterable[Turn] = ()) -> Iterator[Turn]:
    """What a transcript that was followed says lately before a byte, and what it says ``then``: the results of tools
    with their own words, as no session has them.
    """
    begin, lines, head = max(0, end - HEARD_BYTES), [], b""
    with suppress(OSError, ValueError), disk_files.opened(path) as stream:
        head = stream.read(HEAD_BYTES)
        stream.seek(begin)
        if begin:
            stream.readline(MAX_LINE)
        while stream.tell() < end and (line := stream.readline(MAX_LINE)):
            lines.append(line.decode("utf-8", "replace"))
    known = _transcript_of(head, path)
    if known is None or not known.is_of(head, session):
        return iter(then)
    return chain(_turns(known.follow(lines, session)), then)


def session_in(path: str) -> str | None:
    """Whose session a file is a transcript of; None where it is none."""
    with suppress(OSError, ValueError, SourceUnreadableError), disk_files.opened(path) as stream:
        head = stream.read(HEAD_BYTES)
        if known := _transcript_of(head, path):
            return known.session_of(head) or None
    return None


def folder_in(path: str) -> str:
    """In which folder a transcript begins; "" where it does not say so, or is none."""
    with suppress(OSError, ValueError, SourceUnreadableError), disk_files.opened(path) as stream:
        head = stream.read(HEAD_BYTES)
        if known := _transcript_of(head, path):
            return known.folder_of(head)
    return ""


def _transcript_of(head: bytes, path: str) -> Transcript | None:
    """How a file with these first bytes is followed; None where it is no transcript."""
    return next((one for one in TRANSCRIPTS if one.sniff(head, Path(path).name)), None)


def _whole_lines(stream: BinaryIO, begin: int) -> tuple[list[str], int]:
    """The lines from there on, and where the last whole one ends; one that is too long for a transcript is left out."""
    lines: list[str] = []
    end = begin
    while end - begin < MOST_BYTES and (line := stream.readline(MAX_LINE)):
        is_short = line.endswith(b"\n")
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
        if not line:  # it is being written
            break
        end = stream.tell()
        if is_short:
            lines.append(line.decode("utf-8", "replace"))
    return lines, end


def _ends_line(stream: BinaryIO, at: int) -> bool:
    stream.seek(max(0, at - 1))
    return at > 0 and stream.read(1) == b"\n"


def _turns(lines: Iterable[Line]) -> Iterator[Turn]:
    for own, place, found, folder in lines:
        content = without_injected(found.text).strip()
        for part, start in enumerate(range(0, len(content), LONGEST)):
            turn = {"role": found.role, "content": content[start : start + LONGEST], "at": to_iso(found.at)}
            turn["id"] = f"{own}.{part}"[-500:]
            if not part and (given := "\n".join(_texts(found.given))[:LONGEST]):
                turn["given"] = given
            if not part and found.gave:
                turn["gave"] = found.gave[:LONGEST]
            turn |= {"folder": folder} if folder else {}
            yield turn | ({"place": place[:500]} if place else {})


def _texts(given: object) -> Iterator[str]:
    """All texts of what a tool was given."""
    waiting = [given]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict | list):
            waiting += reversed([*one.values()] if isinstance(one, dict) else one)
