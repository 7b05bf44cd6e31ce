"""The one writer of MEMORY.md and HEARTBEAT.md: owner-only, atomic, and never over somebody's own words without a copy.

The order, so that a stop at any point leaves a state from which the next run goes on:

1. ``announced`` bytes: the caller notes in the graph which digests the file may have from now on (what
   stands there, and what comes). Only then is anything touched.
2. :func:`write_new`: the text goes to ``.<name>.new`` in the same folder and is forced to disk.
   A leftover of an earlier stop is removed first.
3. :func:`keep_edited`: a file that we did not write keeps a second name, ``<name>.edited-<digest>``.
4. :func:`replace`: one rename, and the folder is forced to disk. Readers see the old file or the new one.
5. The caller replaces the manifest. Until then file and manifest differ by exactly the announced bytes, and
   the next run finds the new bytes in place and only writes the manifest.

Everything happens relative to an open folder: no step follows a link. A link in the file's place is
replaced, not followed, and reported; a folder that is a link, or not ours, is an error.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from memory_assets.errors import MemoryAssetsError

FILE_MODE = 0o600
FOLDER_MODE = 0o700


class PublishError(MemoryAssetsError):
    """A file cannot be put in its place; the one that stands there is untouched."""


@dataclass(frozen=True)
class Standing:
    """What is in the file's place: ``nothing``, a ``file`` (with its digest), a ``link``, ``something``."""

    kind: str
    sha256: str | None = None


@dataclass(frozen=True)
class Published:
    """What a publication did: ``unchanged``, ``written`` or ``replaced a link``, and the copy it kept."""

    status: str
    edited_copy: str | None = None


def digest(text: str) -> str:
    """The SHA-256 of a text as it is written."""
    return hashlib.sha256(text.encode()).hexdigest()


def publish(path: Path, text: str, known: Collection[str]) -> Published:
    """Put ``text`` at ``path``. Bytes in ``known`` are our own; any others are kept beside it."""
    wanted = digest(text)
    with open_folder(path.parent) as folder:
        standing = look(folder, path.name)
        if standing.sha256 == wanted:
            os.chmod(path.name, FILE_MODE, dir_fd=folder)
            remove_leftover(folder, path.name)
            return Published("unchanged")
        write_new(folder, path.name, text)
        copy = keep_edited(folder, path.name, standing, {*known, wanted})
        replace(folder, path.name)
    return Published("replaced a link" if standing.kind == "link" else "written", copy)


@contextmanager
def open_folder(folder: Path) -> Iterator[int]:
    """The owner's folder as a descriptor: made if missing, owner-only, never through a link."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
        try:
            folder.mkdir(mode=FOLDER_MODE)
        except FileExistsError:
            pass
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise PublishError(
            f"{folder} cannot be used ({error.strerror}): "
            "it must be a folder of yours, not a link. Move it away."
        ) from error
    try:
        os.fchmod(descriptor, FOLDER_MODE)
        yield descriptor
    finally:
        os.close(descriptor)


def look(folder: int, name: str) -> Standing:
    """What stands at ``name``; nothing is followed, and nothing but a regular file is opened for reading."""
    try:
        mode = os.lstat(name, dir_fd=folder).st_mode
    except FileNotFoundError:
        return Standing("nothing")
    if stat.S_ISLNK(mode):
        return Standing("link")
    if stat.S_ISDIR(mode):
        raise PublishError(f"{name} is a folder, so the file cannot be published there. Move it away.")
    if not stat.S_ISREG(mode):
        return Standing("something")
    with _opened(folder, name) as file:
        return Standing("file", hashlib.file_digest(file, "sha256").hexdigest())


def read(folder: int, name: str, limit: int) -> bytes:
    """At most ``limit`` bytes of a regular file that stands at ``name``; no link is followed."""
    with _opened(folder, name) as file:
        return file.read(limit)


def _opened(folder: int, name: str) -> BinaryIO:
    return os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder), "rb")


def new_name(name: str) -> str:
    """The temporary name beside ``name``."""
    return f".{name}.new"


def remove_leftover(folder: int, name: str) -> None:
    """Remove what an earlier stop left under the temporary name."""
    try:
        os.unlink(new_name(name), dir_fd=folder)
    except FileNotFoundError:
        pass


def write_new(folder: int, name: str, text: str) -> None:
    """Write the text under the temporary name, on disk when this returns."""
    remove_leftover(folder, name)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(new_name(name), flags, FILE_MODE, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(file.fileno(), FILE_MODE)
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def keep_edited(folder: int, name: str, standing: Standing, known: Collection[str]) -> str | None:
    """Give a file that is not ours a second name before the first is taken; returns that name."""
    if standing.kind != "file" or standing.sha256 is None or standing.sha256 in known:
        return None
    for length in (8, 64):
        copy = f"{name}.edited-{standing.sha256[:length]}"
        try:
            os.link(name, copy, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            # Kept already, by an earlier stop or an earlier edit to the same words.
            if look(folder, copy).sha256 != standing.sha256:
                continue
        os.chmod(copy, FILE_MODE, dir_fd=folder)
        return copy
    raise PublishError(f"{name} was edited, and its copy cannot be kept: move {copy} away.")


def replace(folder: int, name: str) -> None:
    """The one visible step: the new file takes the name."""
    os.rename(new_name(name), name, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)
