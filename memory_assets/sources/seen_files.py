"""Whether a file that was seen before has to be opened, or read, again; by its stamp and its content. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from memory_assets.model import node_id
from memory_assets.sources.formats import READER_VERSION
from memory_assets.sources.masking import masking_version

FILE_READ, FILE_SET_ASIDE, FILE_GONE = "read", "set_aside", "gone"

# The coarsest tick of a file system's times: a file that was changed within it before it was read can be changed
# again without another time.
COARSEST_TICK_SECONDS = 2.0


def reader_version(keep_originals: bool) -> int:
    """What decides how a file is read and what is masked in it; another number, and every file is read again."""
    return READER_VERSION * 10_000 + masking_version(keep_originals)


def file_id(owner: str, path: bytes) -> str:
    """The id of a file's bookkeeping."""
    return node_id("file", owner, path.hex())


@dataclass(frozen=True)
class KnownFile:
    """What is remembered of a file that was seen before."""

    path: str
    content_fingerprint: str
    reader_version: int
    kind: str | None
    status: str
    reason: str | None
    source_ids: tuple[str, ...]
    line_errors: tuple[str, ...]
    stamp: str | None = None


def is_unchanged(
    known: KnownFile | None, content_fingerprint: str, reader_version: int, kind: str | None
) -> bool:
    """Whether a file would be read to the same end as the last time, by its content."""
    return (
        known is not None
        and known.status != FILE_GONE
        and bool(content_fingerprint)
        and known.content_fingerprint == content_fingerprint
        and known.reader_version == reader_version
        and known.kind == kind
    )


def is_untouched(known: KnownFile | None, stamp: str, reader_version: int, kind: str | None) -> bool:
    """The same, by its stamp alone: nobody has written it since it was read."""
    return (
        known is not None
        and known.stamp == stamp
        and is_unchanged(known, known.content_fingerprint, reader_version, kind)
    )


def is_trusted(changed_at: float, read_at: float) -> bool:
    """Whether a stamp can prove that a file read at ``read_at`` has not been changed since (both in seconds).

    A file changed within the same tick in which it was read keeps its times: such a stamp proves nothing.
    A time in the future proves nothing either.
    """
    return read_at - changed_at >= COARSEST_TICK_SECONDS


def is_settled(changed_at: float, now: float, settle_seconds: float) -> bool:
    """Whether a file was left alone for ``settle_seconds``, so that it is probably whole.

    A time in the future, farther than that, says nothing of a file's age: it must not wait until then.
    """
    return abs(now - changed_at) >= settle_seconds
