"""Files on disk: what is read as one (a file, a channel's folder), its stamp, and the way into it without harm."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType, fingerprint


def printable(path: str) -> str:
    """A path as it can be shown and stored: odd bytes and invisible characters as escapes."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A regular file, opened so that neither a link nor a pipe put in its place does harm."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise SourceUnreadableError(f"It is no regular file ({nature_of(mode)}).")
        yield stream


def read_whole(stream: BinaryIO, limit: int) -> bytes:
    """All of a file that is at most ``limit`` bytes long."""
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise SourceUnreadableError(f"It is larger than {limit >> 20} MB; split it.")
    return data


def digest(stream: BinaryIO) -> str:
    """The digest of a file's bytes; leaves the stream at its beginning."""
    stream.seek(0)
    found = hashlib.file_digest(stream, "sha256").hexdigest()[:32]  # type: ignore[arg-type]
    stream.seek(0)
    return found


def state_of(stream: BinaryIO) -> tuple[int, int]:
    """Size and change time: equal before and after reading when nobody wrote meanwhile."""
    found = os.fstat(stream.fileno())
    return found.st_size, found.st_mtime_ns


_NATURES = {
    stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder", stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}  # fmt: skip


def nature_of(mode: int) -> str:
    """What is in the place of a regular file, by its mode, in words for a person."""
    return _NATURES.get(stat.S_IFMT(mode), "of an unknown nature")


def reason_of(error: OSError) -> str:
    """Why a file cannot be opened, for a person."""
    if isinstance(error, PermissionError):
        return "It may not be read; give the right to read it."
    if isinstance(error, FileNotFoundError):
        return "It does not exist."
    return f"It could not be opened ({error.strerror or type(error).__name__})."


@dataclass(frozen=True)
class Unit:
    """What is read as one: a file, or a channel's folder of a Slack export with its ``days``, which belong together
    since threads cross them, and the file of its ``users``.

    ``kind`` is there where a file's folder decides it (a mail of a maildir); no source is a file that only belongs to
    an export (its users, its channels, its settings).
    """

    path: str
    kind: SourceType | None = None
    days: tuple[str, ...] = ()
    users: str | None = None
    is_source: bool = True

    @property
    def members(self) -> tuple[str, ...]:
        """The paths of all files that it is read from."""
        return (*self.days, *([self.users] if self.users else [])) or (self.path,)


class Stamp(NamedTuple):
    """The state of a unit's files on the disk: ``text`` differs after whatever may have changed their content.

    ``changed_at`` is the newest of their change times, in seconds since 1970.
    """

    text: str
    changed_at: float


def stamp_of(unit: Unit) -> Stamp | None:
    """A unit's stamp, without reading it; None when none of its files can be looked at.

    Sizes, times of content and of status, inodes and devices: a file that was replaced by another of the same
    size and time of content, or whose time was set back, has another inode or time of status.
    """
    stamps: list[str] = []
    newest: list[int] = []
    for path in unit.members:
        try:
            found = os.lstat(path)
        except OSError as error:
            stamps.append(type(error).__name__)
            continue
        newest.append(max(found.st_mtime_ns, found.st_ctime_ns))
        stamps.append(f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino} {found.st_dev}")
    if not newest:
        return None
    names = (printable(os.path.basename(path)) for path in unit.members)
    pairs = (part for pair in zip(names, stamps, strict=True) for part in pair)
    return Stamp(fingerprint(*pairs) if unit.days else stamps[0], max(newest) / 1e9)


def size_of(units: Iterable[Unit]) -> int:
    """How many bytes reading all of ``units`` would read."""
    size = 0
    for path in (path for unit in units for path in unit.members):
        with suppress(OSError):
            size += os.lstat(path).st_size
    return size
