"""The way into one file on disk: opened without harm, read whole, digested; and how its path and its faults are told."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from memory_assets.errors import SourceUnreadableError

CHUNK = 1 << 20


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
    found = hashlib.sha256()
    while chunk := stream.read(CHUNK):
        found.update(chunk)
    stream.seek(0)
    return found.hexdigest()[:32]


def state_of(stream: BinaryIO) -> tuple[int, int]:
    """Size and change time: equal before and after reading when nobody wrote meanwhile."""
    found = os.fstat(stream.fileno())
    return found.st_size, found.st_mtime_ns


def nature_of(mode: int) -> str:
    """What stands where a regular file should, by its mode, for a person."""
    for test, word in (
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    ):
        if test(mode):
            return word
    return "of an unknown nature"


def reason_of(error: OSError) -> str:
    """Why a file cannot be opened, for a person."""
    if isinstance(error, PermissionError):
        return "It may not be read; give the right to read it."
    if isinstance(error, FileNotFoundError):
        return "It does not exist."
    return f"It could not be opened ({error.strerror or type(error).__name__})."
