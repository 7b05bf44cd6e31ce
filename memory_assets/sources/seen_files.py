"""Files that were seen before: what is remembered of each, whether it has to be opened or read again, and what is new.

Opens only what was touched since it was read.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory_assets.clock import Clock
from memory_assets.errors import SourceUnreadableError
from memory_assets.graph.graph import Graph
from memory_assets.model import fingerprint, node_id
from memory_assets.privacy.detector import VERSION
from memory_assets.privacy.masking import mask_text
from memory_assets.privacy.redaction import MARK, OPEN, Door
from memory_assets.settings import Settings
from memory_assets.sources import disk_files, walking
from memory_assets.sources.formats import READER_VERSION
from memory_assets.sources.formats.base import LineError

FILE_READ, FILE_SET_ASIDE, FILE_GONE = "read", "set_aside", "gone"

# The coarsest tick of a file system's times: a file that was changed within it before it was read can be changed
# again without another time.
COARSEST_TICK_SECONDS = 2.0


def reader_version(keep_originals: bool) -> int:
    """How files are read, what is masked in them, and whether originals are stored; with another number all are read
    again.
    """
    return READER_VERSION * 10_000 + VERSION * 10 + keep_originals


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
    source_ids: Sequence[str]
    line_errors: Sequence[str]
    stamp: str | None = None


def is_unchanged(known: KnownFile | None, content_fingerprint: str, reader_version: int, kind: str | None) -> bool:
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


MAX_LINE_ERRORS = 100


@dataclass
class IngestReport:
    """What became of the given paths. Every file is a source, set aside with a reason, or ignored."""

    sources: int = 0
    new: int = 0
    unchanged: int = 0
    files: int = 0
    ignored: int = 0
    waiting: int = 0  # changed a moment ago, and left for the next time
    set_aside: list[dict[str, str]] = field(default_factory=list)
    line_errors: list[dict[str, Any]] = field(default_factory=list)
    guessed: list[dict[str, str]] = field(default_factory=list)
    masked: Counter[str] = field(default_factory=Counter)  # by kind, in what was read this time
    source_ids: frozenset[str] = frozenset()


@dataclass
class FileState:
    """What is learned of one unit while it is read."""

    path: str
    size: int = 0
    content_fingerprint: str = ""
    stamp: str | None = None
    reason: str | None = None
    line_errors: list[LineError] = field(default_factory=list)
    source_ids: list[str] = field(default_factory=list)
    erased: bool = False
    """Something of it was erased, and is not read again."""
    guessed: str | None = None


def read_file(state: FileState, version: int, kind: str | None, door: Door = OPEN) -> KnownFile:
    """A file that was read, or set aside with its reason. Its path and its faults are masked; of one of which
    an erasure left nothing, not even the path is stored.
    """
    is_erased = state.erased and not state.source_ids
    errors = [] if is_erased else [f"{error.line}: {mask_text(error.reason)}" for error in state.line_errors]
    more = [f"0: and {len(errors) - MAX_LINE_ERRORS} more"] if len(errors) > MAX_LINE_ERRORS else []
    return KnownFile(
        path=MARK if is_erased else door.redacted(mask_text(disk_files.printable(state.path))),
        content_fingerprint=state.content_fingerprint,
        reader_version=version,
        kind=kind,
        status=FILE_READ if state.reason is None else FILE_SET_ASIDE,
        reason=state.reason and mask_text(state.reason),
        source_ids=list(dict.fromkeys(state.source_ids)),
        line_errors=errors[:MAX_LINE_ERRORS] + more,
        stamp=state.stamp if state.content_fingerprint else None,
    )


def known_files(graph: Graph, owner: str, ids: Sequence[str] | None = None) -> dict[str, KnownFile]:
    """The files that the owner's ingestions have seen, by the ids of their bookkeeping: all, or those of these ids."""
    if ids is None:
        rows = graph.read("sources/list_source_files", user_id=owner)
    else:
        rows = graph.read("sources/list_given_source_files", user_id=owner, ids=list(ids))
    return {row.pop("id"): KnownFile(**row) for row in rows}


def has_new_files(
    graph: Graph,
    owner: str,
    paths: Iterable[str | Path],
    *,
    settle_seconds: float = 0,
    clock: Clock | None = None,
    most_bytes: int | None = None,
    keep_originals: bool = False,
) -> bool:
    """Whether an ingestion of ``paths`` would find anything that it doesn't know.

    One query and a look at each file's stamp; only files touched since they were read are opened, and compared
    by their bytes. Where that is more than ``most_bytes``, the answer is yes: an ingestion has the time.
    """
    known = known_files(graph, owner)
    version = reader_version(keep_originals)
    now = (clock or Clock()).file_time()
    found = walking.walk(paths)
    for path, _ in found.set_aside:
        before = known.get(file_id(owner, os.fsencode(path)))
        if before is None or before.status != FILE_SET_ASIDE:
            return True
    touched: list[tuple[disk_files.Unit, KnownFile]] = []
    for unit in found.units:
        stamp = disk_files.stamp_of(unit)
        if stamp is None or not is_settled(stamp.changed_at, now, settle_seconds):
            continue
        before = known.get(file_id(owner, os.fsencode(unit.path)))
        if before is None:
            return True
        if not is_untouched(before, stamp.text, version, None):
            touched.append((unit, before))
    if most_bytes is not None and disk_files.size_of([unit for unit, _ in touched]) > most_bytes:
        return True
    return any(_has_changed(unit, before, version) for unit, before in touched)


def _has_changed(unit: disk_files.Unit, before: KnownFile, version: int) -> bool:
    try:
        _, content_fingerprint = identity_of(unit)
    except FileNotFoundError:
        return False
    except (OSError, SourceUnreadableError):
        return before.status != FILE_SET_ASIDE
    return not is_unchanged(before, content_fingerprint, version, None)


def identity_of(unit: disk_files.Unit) -> tuple[int, str]:
    """A unit's size and the digest of all that its sources depend on."""
    if not unit.days:
        with disk_files.opened(unit.path) as stream:
            return os.fstat(stream.fileno()).st_size, disk_files.digest(stream)
    size = 0
    parts: list[tuple[str, str]] = []
    for path in unit.members:
        try:
            with disk_files.opened(path) as stream:
                size += os.fstat(stream.fileno()).st_size
                parts.append((path, disk_files.digest(stream)))
        except (OSError, SourceUnreadableError) as error:
            parts.append((path, type(error).__name__))
    text = json.dumps([(disk_files.printable(os.path.basename(path)), digest) for path, digest in parts])
    return size, hashlib.sha256(text.encode()).hexdigest()[:32]


def find_new_files(graph: Graph, settings: Settings, owners: Iterable[str]) -> list[str]:
    """The owners in whose inboxes there are files that no ingestion has read."""
    inboxes = ((owner, settings.inbox / owner) for owner in owners)
    return [
        owner
        for owner, inbox in inboxes
        if inbox.is_dir() and has_new_files(graph, owner, [inbox], keep_originals=settings.keep_originals)
    ]


INBOX_SETTLE_SECONDS = 5.0
"""Automated runs leave a file of an inbox alone until it has not changed for so long: it may still be growing."""


@dataclass(frozen=True)
class InboxLook:
    """The state of an inbox by its files' stamps.

    ``digest`` changes with every settled file and with what cannot be read; ``files`` counts the units that have
    settled, ``waiting`` those that have not; ``unreadable`` are the folders that cannot be listed.
    """

    digest: str
    files: int
    waiting: int
    unreadable: tuple[str, ...]


def look_at(inbox: Path, now: float) -> InboxLook:
    """Look at each file's stamp; ``now`` in seconds since 1970, by the clock of the files."""
    found = walking.walk([inbox])
    settled: list[str] = []
    waiting = 0
    for unit in found.units:
        stamp = disk_files.stamp_of(unit)
        if stamp is None:
            continue  # gone since it was listed
        if is_settled(stamp.changed_at, now, INBOX_SETTLE_SECONDS):
            settled += (unit.path, stamp.text)
        else:
            waiting += 1
    aside = [text for pair in found.set_aside for text in pair]
    return InboxLook(
        digest=fingerprint(
            reader_version(False),
            *(disk_files.printable(text) for text in settled),
            "set aside",
            *map(disk_files.printable, aside),
        ),
        files=len(settled) // 2,
        waiting=waiting,
        unreadable=tuple(path for path, _ in found.set_aside if os.path.isdir(path) and not os.path.islink(path)),
    )


@dataclass(frozen=True)
class InboxVerdict:
    """How many files an inbox holds, which are set aside, and which nothing is known of."""

    files: int
    set_aside: tuple[str, ...]
    passed_over: tuple[str, ...]


def judge_inbox(graph: Graph, owner: str, inbox: Path, since: float | None = None) -> InboxVerdict:
    """Compare an inbox with what ingestions have recorded of it; reads no file.

    What nothing is known of and changed at or after ``since`` (seconds since 1970, by the clock of the files) is the
    next run's, and not passed over: with the time at which a run began, less the time that files take to settle,
    a file that arrived during the run is not reported.
    """
    found = walking.walk([inbox])
    status = {row["id"]: row["status"] for row in graph.read("sources/list_source_files", user_id=owner)}
    set_aside: list[str] = []
    passed_over: list[str] = []
    changed = {unit.path: disk_files.stamp_of(unit) for unit in found.units}
    for path in [*changed, *(path for path, _ in found.set_aside)]:
        known = status.get(file_id(owner, os.fsencode(path)))
        if known == FILE_SET_ASIDE:
            set_aside.append(mask_text(disk_files.printable(path)))
        elif known in (None, FILE_GONE):
            stamp = changed.get(path)
            if since is None or stamp is None or stamp.changed_at < since:
                passed_over.append(mask_text(disk_files.printable(path)))
    return InboxVerdict(len(changed) + len(found.set_aside), tuple(set_aside), tuple(passed_over))
