"""What one unit of files holds: its sources, one by one, or the sentence that says why it cannot be read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import BinaryIO

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources import archives, disk_files, walking
from memory_assets.sources.cleaning import one_line
from memory_assets.sources.encoding import HEAD_BYTES
from memory_assets.sources.formats import broken_json, recognise, slack
from memory_assets.sources.formats.base import MAX_WHOLE_FILE, Document, Found
from memory_assets.sources.seen_files import FileState
from memory_assets.work_limit import WorkLimit

SetAside = Callable[[str, str], None]
"""Takes a file of a unit that cannot be read, and why; the rest of the unit is read."""


def read_unit(
    unit: disk_files.Unit, state: FileState, kind: SourceType | None, set_aside: SetAside, limit: WorkLimit
) -> Iterator[Found]:
    """Every source of a unit, of ``kind`` where somebody says so. A reader's own failure is the file's, never the
    run's.

    Raises :class:`SourceUnreadableError` and OSError for what cannot be read, also in between. A file that changes
    while it is read loses the fingerprint in ``state``.
    """
    found = _found(unit, state, kind, set_aside)
    while True:
        try:
            item = limit.run(lambda: next(found, None), state.size)
        except (SourceUnreadableError, OSError):
            raise
        except Exception as error:  # noqa: BLE001
            raise SourceUnreadableError(
                f"The reader failed on it ({type(error).__name__}: {one_line(str(error), 160)}); "
                "give the kind with --kind, or report it with the file."
            ) from error
        if item is None:
            return
        yield item


def _found(unit: disk_files.Unit, state: FileState, kind: SourceType | None, set_aside: SetAside) -> Iterator[Found]:
    if isinstance(unit, disk_files.SlackUnit):
        yield from _channel(unit, set_aside)
    elif isinstance(unit, disk_files.FileUnit):
        with disk_files.opened(unit.path) as stream:
            before = disk_files.state_of(stream)
            yield from _file(unit, stream, kind)
            if disk_files.state_of(stream) != before or before[0] != state.size:
                state.content_fingerprint = ""  # read again the next time, and whole then
                raise SourceUnreadableError("It was changed while it was read; ingest it again.")


def _file(unit: disk_files.FileUnit, stream: BinaryIO, kind: SourceType | None) -> Iterator[Found]:
    path = unit.path
    size = os.fstat(stream.fileno()).st_size
    if size == 0:
        raise SourceUnreadableError("It is empty.")
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    name = disk_files.printable(os.path.basename(path))
    if archives.is_archive(head):
        yield from archives.read(stream, name, size, kind)
        return
    try:
        chosen = recognise(head, name, kind or unit.kind)
    except SourceUnreadableError:
        broken = broken_json(stream.read(MAX_WHOLE_FILE)) if size <= MAX_WHOLE_FILE else None
        if broken is None:
            raise
        raise SourceUnreadableError(broken) from None
    if size > chosen.max_bytes:
        raise SourceUnreadableError(f"It is larger than {chosen.max_bytes >> 20} MB; split it.")
    yield from chosen.read(Document(stream, name, size, *walking.slack_context(path)))


def _channel(unit: disk_files.SlackUnit, set_aside: SetAside) -> Iterator[Found]:
    """A channel's days as one; a day that cannot be read is set aside by itself."""
    days: list[tuple[str, bytes]] = []
    for path in unit.days:
        name = disk_files.printable(os.path.basename(path))
        try:
            with disk_files.opened(path) as stream:
                data = disk_files.read_whole(stream, slack.FORMAT.max_bytes)
            slack.read_day(name, data)
        except SourceUnreadableError as error:
            set_aside(path, str(error))
        except OSError as error:
            set_aside(path, disk_files.reason_of(error))
        else:
            days.append((name, data))
    channel = disk_files.printable(os.path.basename(unit.path))
    yield from slack.read_channel(channel, days, walking.read_users(unit.users))
