"""Published files as they stand on the disk: whether they are as published, their digest, their text as edited. Reads only."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from memory_assets.files import publish


def stands_as_published(path: Path, sha256: str) -> bool:
    """Whether the file holds what was published: nobody has edited, replaced or removed it since."""
    return digest_on_disk(path) == sha256


def digest_on_disk(path: Path) -> str | None:
    """The SHA-256 of the regular file that stands there; None for anything else, or nothing."""
    try:
        with publish.open_to_read(path.parent) as folder:
            return publish.look(folder, path.name).sha256
    except (OSError, publish.PublishError):
        return None


def text_on_disk(path: Path, limit: int = 1_000_000) -> str | None:
    """The first ``limit`` bytes of the regular file that stands there, as far as they are text; else None."""
    if digest_on_disk(path) is None:
        return None
    with publish.open_to_read(path.parent) as folder:
        return publish.read(folder, path.name, limit).decode("utf-8", "replace")


LARGEST_READ = 2_000_000
"""Bytes of an edited file that are compared; our own have a hundredth of it. A larger one is no edit of ours."""

_UTF_8_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_edited(path: Path) -> tuple[bytes, datetime]:
    """The file's bytes, one more than :data:`LARGEST_READ` at most, and when they were written, to the second.

    Raises OSError where nothing can be read there; follows no link.
    """
    with publish.open_to_read(path.parent) as folder:
        written = os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mtime
        data = publish.read(folder, path.name, LARGEST_READ + 1)
    return data, datetime.fromtimestamp(int(written), UTC)


def decode(data: bytes) -> str | None:
    """A file's bytes as text: UTF-8, or what a mark at their start says, or Windows' Latin; None for no text at all.

    A letter that was cut in two at the end of the file is left out.
    """
    if data.startswith(_UTF_8_MARK):
        text = data.decode("utf-8-sig", "replace")
    elif data.startswith(_UTF_16_MARKS):
        text = data.decode("utf-16", "replace")
    else:
        text = _unmarked(data)
    return None if "\0" in text else text


def _unmarked(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start >= len(data) - 3:
            return data[: error.start].decode("utf-8")
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")
