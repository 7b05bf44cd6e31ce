"""What every format gives: raw sources and broken lines when a file is read, clean turns afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO, NamedTuple

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, normalise_newlines
from memory_assets.sources.encoding import decode_file

MEGABYTE = 1 << 20
MAX_WHOLE_FILE = 64 * MEGABYTE
MAX_STREAMED_FILE = 512 * MEGABYTE
MAX_EXPORT_FILE = 4096 * MEGABYTE  # read piece by piece: only one conversation is ever held
MAX_PART = 1 * MEGABYTE  # a longer conversation becomes several sources: each has to fit one transaction


class Turn(NamedTuple):
    """One turn of a cleaned source; ``at`` is ISO 8601 or None, ``section`` the heading of a line of a memory file, or
    what an agent recorded it as.
    """

    index: int  # type: ignore[assignment]  # a tuple has a method of this name
    speaker: str | None
    text: str
    at: str | None = None
    section: str | None = None


@dataclass(frozen=True)
class Cleaned:
    """A source as people and models read it: turns, and their text in one piece."""

    turns: tuple[Turn, ...]
    content: str


@dataclass(frozen=True)
class RawSource:
    """A source as it was found. ``raw_content`` alone must be enough to clean it later.

    ``key`` names a source whose content can still grow (a Slack thread); without one, the content
    itself is the source's identity.
    """

    source_type: SourceType
    title: str
    raw_content: str
    started_at: datetime | None = None
    ended_at: datetime | None = None
    participants: tuple[str, ...] = ()
    owner_speaker: str | None = None
    message_id: str | None = None
    in_reply_to: str | None = None
    ancestors: tuple[str, ...] = ()  # further up the thread, the nearest first: of a mail whose parent is missing
    thread_id: str | None = None
    conversation_id: str | None = None
    channel: str | None = None
    project: str | None = None  # what its project is called, where the source itself says so
    folder: str | None = None  # where an agent worked
    key: str | None = None
    note_name: str | None = None  # by which links of other notes name it
    links: tuple[str, ...] = ()  # the names of the notes that it links to
    provenance: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class LineError:
    """A line, mail or message that could not be read, and why. ``line`` counts from 1."""

    line: int
    reason: str


@dataclass(frozen=True)
class Document:
    """An open file: a seekable stream, its printable name and its size in bytes; of a Slack channel what its folder
    says: the channel's name, and the names of its users.
    """

    stream: BinaryIO
    name: str
    size: int
    channel: str = ""
    users: Callable[[], Mapping[str, str]] = dict


Found = RawSource | LineError


@dataclass(frozen=True)
class Format:
    """One way in which a kind of source is written. ``sniff`` scores 0 to 1 how surely a file's first bytes are of it.

    ``clean`` gives the turns of a raw content that ``read`` has made; ``owns`` says whether a raw content of the
    kind is this format's (several formats can be of one kind). Where sources have a key, ``merge`` unites two raw
    contents of one source: commutative, associative and idempotent, so that the order of arrival never matters;
    and ``describe`` is the source that follows from such a content alone.
    """

    kind: SourceType
    max_bytes: int
    sniff: Callable[[bytes, str], float]
    read: Callable[[Document], Iterator[Found]]
    clean: Callable[[str], Cleaned]
    owns: Callable[[str], bool] | None = None
    merge: Callable[[str, str], str] | None = None
    describe: Callable[[str], RawSource] | None = None


def whole_text(document: Document) -> tuple[str, dict[str, object]]:
    """A whole file's text, and its encoding as provenance; raises :class:`SourceUnreadableError` without any."""
    decoded = decode_file(document.stream.read())
    text = normalise_newlines(decoded.text).strip("\ufeff\n")
    if not clean_text(text):
        raise SourceUnreadableError("It holds no text.")
    return text, decoded.provenance


Spoken = tuple[str | None, str, str | None] | tuple[str | None, str, str | None, str | None]
"""A turn without its number: speaker, text and time, and perhaps the section."""


def number_turns(parts: Iterable[Spoken]) -> Cleaned:
    """The turns that have words, numbered; and the whole as text, where a speaker is named as the speaker changes."""
    turns = tuple(Turn(index, *part) for index, part in enumerate(part for part in parts if part[1]))
    lines: list[str] = []
    speaker: str | None = None
    for turn in turns:
        named = turn.speaker and turn.speaker != speaker
        lines.append(f"{turn.speaker}: {turn.text}" if named else turn.text)
        speaker = turn.speaker
    return Cleaned(turns, "\n\n".join(lines))
