"""Published files as they are on the disk: their digest, their text as edited; and caches that are replaced in one
step.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from memory_assets.files import publish


def is_as_published(path: Path, sha256: str) -> bool:
    """Whether the file holds what was published: nobody has edited, replaced or removed it since."""
    return digest_on_disk(path) == sha256


def changed_on_disk(published: Iterable[tuple[str, Path, str]]) -> dict[str, list[Path]]:
    """The files that are not as they were published, by user: edited by somebody, replaced or gone.

    ``published`` are users, paths, and the digests of what was published there.
    """
    changed: dict[str, list[Path]] = {}
    for user, path, sha256 in published:
        if not is_as_published(path, sha256):
            changed.setdefault(user, []).append(path)
    return changed


def digest_on_disk(path: Path) -> str | None:
    """The SHA-256 of the regular file at ``path``; None for anything else, or nothing."""
    try:
        with publish.open_to_read(path.parent) as folder:
            return publish.look(folder, path.name).sha256
    except (OSError, publish.PublishError):
        return None


def text_on_disk(path: Path, limit: int = 1_000_000) -> str | None:
    """The first ``limit`` bytes of the regular file at ``path``, as far as they are text; else None."""
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


def replace_cache(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` make the file at ``path`` anew: somebody may be reading the old one. Raises :class:`OSError`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
        write(file)
    os.replace(new, path)


def remove_cache(path: Path) -> None:
    """Remove the file at ``path``, if there is one: gone from the disk, too, when this returns."""
    with suppress(FileNotFoundError):
        path.unlink()
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def idle_files(folders: Iterable[Path], before: datetime) -> Iterator[Path]:
    """The files in those users' folders below ``folders`` in which nothing has changed since ``before``.

    They may go: what is missing is made anew from the graph when it is needed. A folder that is a link is left alone.
    """
    for folder in folders:
        for user in sorted(folder.iterdir()) if folder.is_dir() else ():
            if user.is_symlink() or not user.is_dir():
                continue
            changed: list[float] = []
            with suppress(FileNotFoundError):  # of a user at work: replaced, or gone, since it was listed
                files = sorted(path for path in user.iterdir() if path.is_symlink() or path.is_file())
                changed = [path.lstat().st_mtime for path in files]
            if changed and max(changed) < before.timestamp():
                yield from files
