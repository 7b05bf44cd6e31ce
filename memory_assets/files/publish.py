"""The one writer of MEMORY.md and HEARTBEAT.md: atomic, and never over somebody's own words without a copy.

The caller first notes in the graph which digests the file may have; :func:`write_new` puts the text under a temporary
name in the same folder, on disk; :func:`keep_edited` gives a file that is not ours a second name,
``<name>.edited-<digest>``; :func:`replace` lets the two names change places (``renameat2`` on Linux, ``renameatx_np``
on macOS; elsewhere after a last look) and keeps what somebody wrote in the meantime; then the caller replaces the
manifest. After a stop at any point the next run goes on.

Everything happens relative to an open folder: no step follows a link. A link in the file's place is replaced and
reported; a folder that is a link is an error. A ``private`` folder, one in HOME, is made for its owner alone; any
other is the user's own, never made nor changed, and refused where others could put files in it. Files are their
owner's alone from the first byte.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from memory_assets.errors import MemoryAssetsError

# <linux/fs.h> RENAME_NOREPLACE, RENAME_EXCHANGE; <stdio.h> of macOS RENAME_EXCL, RENAME_SWAP.
_FLAGS = {"renameat2": (1, 2), "renameatx_np": (4, 2)}
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def move_to_free(folder: int, name: str, free: str) -> bool:
    """Rename ``name`` to ``free``; False where that cannot be done safely. Raises FileExistsError if it is taken."""
    return _call(folder, name, free, 0)


def swap(folder: int, name: str, other: str) -> bool:
    """Let two names change places in one step; False where that cannot be done. Raises FileNotFoundError."""
    return _call(folder, name, other, 1)


def _call(folder: int, name: str, other: str, which: int) -> bool:
    found = _function()
    if found is None:
        return False
    function, flags = found
    if function(folder, os.fsencode(name), folder, os.fsencode(other), flags[which]) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), name)


def _function() -> tuple[Callable[..., int], tuple[int, int]] | None:
    library = ctypes.CDLL(None, use_errno=True)
    for name, flags in _FLAGS.items():
        if function := getattr(library, name, None):
            function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
            return function, flags
    return None


FILE_MODE = 0o600
FOLDER_MODE = 0o700
ATTEMPTS = 5
"""So often a file may be changed under our hands before we give up."""

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NOT_ALLOWED = {errno.EROFS, errno.EACCES, errno.EPERM}


class PublishError(MemoryAssetsError):
    """A file cannot be put in its place; the one that is there is untouched."""


@dataclass(frozen=True)
class PathState:
    """What is in the file's place: ``nothing``, a ``file`` (with its digest and mode), a ``link``, ``something``."""

    kind: str
    sha256: str | None = None
    mode: int | None = None
    target: str | None = None
    """Where a link leads."""


@dataclass(frozen=True)
class Published:
    """What a publication did: ``unchanged``, ``written`` or ``replaced a link``, and the copies it made."""

    status: str
    edited_copy: str | None = None
    link_target: str | None = None

    def notes(self, path: Path) -> list[str]:
        """What a person should know of it: words that were saved beside the file, a link that gave way."""
        said = []
        if self.edited_copy:
            said.append(f"{path} had been edited: those words are kept as {self.edited_copy}.")
        if self.status == "replaced a link":
            said.append(f"{path} was a link to {self.link_target}, which is as it was: a file stands there now.")
        return said


def digest(text: str) -> str:
    """The SHA-256 of a text as it is written."""
    return hashlib.sha256(text.encode()).hexdigest()


def publish(path: Path, text: str, known: Collection[str], *, private: bool = True) -> Published:
    """Put ``text`` at ``path``. Bytes in ``known`` are our own; a copy of any others is left beside it.

    Raises :class:`PublishError`, which says what is there now and what to do.
    """
    wanted, name = digest(text), path.name
    copies: list[str] = []
    with write_errors_of(path), open_folder(path.parent, private=private) as folder:
        for _ in range(ATTEMPTS):
            existing = look(folder, name)
            if not private:
                _must_be_replaceable(name, existing)
            if existing.sha256 == wanted:
                if private:
                    os.chmod(name, FILE_MODE, dir_fd=folder)
                remove_leftover(folder, name)
                return Published("unchanged", ", ".join(copies) or None)
            mode = FILE_MODE if private or existing.mode is None else existing.mode if known else closed(existing.mode)
            if not put(folder, name, text.encode(), mode, existing, {*known, wanted}, copies):
                continue
            status = "replaced a link" if existing.kind == "link" else "written"
            return Published(status, ", ".join(dict.fromkeys(copies)) or None, existing.target)
    raise PublishError(f"{path} is changed by somebody again and again; it is as they left it. Try again later.")


def put(
    folder: int, name: str, content: bytes, mode: int, existing: PathState, known: Collection[str], copies: list[str]
) -> bool:
    """Put content in the place of the ``existing`` file; copies of it are added to ``copies``.

    False, with nothing put, where somebody has put something there, or taken it away, since we looked.
    """
    write_new(folder, name, content, mode)
    try:
        for step in (keep_edited, replace):
            copy = step(folder, name, existing, known)
            copies += [copy] if copy else []
    except (FileExistsError, FileNotFoundError):
        remove_leftover(folder, name)
        return False
    return True


def look_at(path: Path) -> PathState:
    """What is at a path that is the user's own, without touching it.

    Raises :class:`PublishError` where nothing can be published there.
    """
    with write_errors_of(path), open_folder(path.parent, private=False) as folder:
        existing = look(folder, path.name)
    _must_be_replaceable(path.name, existing)
    return existing


def closed(mode: int) -> int:
    """A file's mode without what others may do; a stricter one stays."""
    return mode & FILE_MODE


def close(path: Path) -> None:
    """Take from a file that becomes one of ours what others may do with it."""
    with write_errors_of(path), open_folder(path.parent, private=False) as folder:
        existing = look(folder, path.name)
        if existing.mode is not None and existing.mode != closed(existing.mode):
            os.chmod(path.name, closed(existing.mode), dir_fd=folder)


def _must_be_replaceable(name: str, existing: PathState) -> None:
    """In a folder of the user's own, what is neither file nor link is somebody's, and cannot be copied beside it."""
    if existing.kind == "something":
        raise PublishError(
            f"{name} is a pipe, a socket or a device, so the file cannot be published there. Move it away."
        )


@contextmanager
def open_folder(folder: Path, *, private: bool = True) -> Iterator[int]:
    """A folder as a descriptor, never through a link. A private one is made if missing and closed to others.

    Any other must be there, and be one into which nobody else can put files.
    """
    try:
        if private:
            folder.parent.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
            with suppress(FileExistsError):
                folder.mkdir(mode=FOLDER_MODE)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise PublishError(_unusable(folder, error, private=private)) from error
    try:
        if private:
            os.fchmod(descriptor, FOLDER_MODE)
        else:
            _must_be_safe(folder, os.fstat(descriptor))
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def open_to_read(folder: Path) -> Iterator[int]:
    """Any folder as a descriptor, as it is; raises OSError where there is none, or a link."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def look(folder: int, name: str) -> PathState:
    """What is at ``name``; nothing is followed, and nothing but a regular file is opened for reading."""
    try:
        mode = os.lstat(name, dir_fd=folder).st_mode
        if stat.S_ISLNK(mode):
            return PathState("link", target=os.readlink(name, dir_fd=folder))
        if stat.S_ISDIR(mode):
            raise PublishError(f"{name} is a folder, so the file cannot be published there. Move it away.")
        if not stat.S_ISREG(mode):
            return PathState("something")
        with _opened(folder, name) as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return PathState("nothing")
    return PathState("file", sha256, stat.S_IMODE(mode) & 0o777)


def read(folder: int, name: str, limit: int) -> bytes:
    """At most ``limit`` bytes of a regular file at ``name``; no link is followed."""
    with _opened(folder, name) as file:
        return file.read(limit)


def _opened(folder: int, name: str) -> BufferedReader:
    return os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder), "rb")


def new_name(name: str) -> str:
    """The temporary name beside ``name``: one that nobody else uses, since what is there is removed."""
    return f".{name}.memory-assets-new"


def remove_leftover(folder: int, name: str) -> None:
    """Remove what an earlier stop left under the temporary name."""
    with suppress(FileNotFoundError):
        os.unlink(new_name(name), dir_fd=folder)


def write_new(folder: int, name: str, content: bytes, mode: int = FILE_MODE) -> None:
    """Write it under the temporary name, on disk when this returns; nothing is left there when it fails."""
    remove_leftover(folder, name)
    _write(folder, new_name(name), content, mode)


def _write(folder: int, name: str, content: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(name, flags, FILE_MODE, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        os.unlink(name, dir_fd=folder)
        raise


def keep_edited(folder: int, name: str, existing: PathState, known: Collection[str]) -> str | None:
    """Give a file that is not ours a second name, for its owner alone, before the first is taken; returns that name."""
    if existing.kind != "file" or existing.sha256 is None or existing.sha256 in known:
        return None
    copy = _free_copy(folder, name, existing.sha256)
    if look(folder, copy).kind == "nothing":
        _give_second_name(folder, name, copy)
    os.chmod(copy, closed(existing.mode or FILE_MODE), dir_fd=folder)
    return copy


def _give_second_name(folder: int, name: str, copy: str) -> None:
    try:
        os.link(name, copy, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:
        # A file system on which a file has one name (FAT, some shares).
        mode = os.lstat(name, dir_fd=folder).st_mode
        with _opened(folder, name) as file:
            _write(folder, copy, file.read(), closed(mode))


def replace(folder: int, name: str, existing: PathState, known: Collection[str]) -> str | None:
    """The one visible step: the new file takes the name. Returns the copy of what somebody had changed since
    ``existing``.

    Raises FileExistsError or FileNotFoundError, and has done nothing, where something has come or gone since.
    """
    new = new_name(name)
    swapped = False
    if existing.kind == "nothing":
        if not move_to_free(folder, new, name):
            _rename_unless_changed(folder, name, existing)
    elif not swap(folder, new, name):
        _rename_unless_changed(folder, name, existing)
    else:
        swapped = True
    try:
        copy = _put_away(folder, name, {*known, existing.sha256}) if swapped else None
        os.fsync(folder)
    except OSError as error:
        raise PublishError(
            f"{name} was replaced, whole, but its folder fails ({error.strerror}). Run it again."
        ) from error
    return copy


def _put_away(folder: int, name: str, known: Collection[str | None]) -> str | None:
    """Remove the old file, which has the temporary name now; if somebody has written it since, it becomes a copy."""
    new = new_name(name)
    try:
        taken = look(folder, new)
    except PublishError:
        swap(folder, new, name)  # a folder was put there since we looked
        remove_leftover(folder, name)
        raise
    if taken.kind != "file" or taken.sha256 is None or taken.sha256 in known:
        os.unlink(new, dir_fd=folder)
        return None
    copy = _free_copy(folder, name, taken.sha256)
    os.chmod(new, closed(taken.mode or FILE_MODE), dir_fd=folder)
    os.rename(new, copy, src_dir_fd=folder, dst_dir_fd=folder)
    return copy


def _rename_unless_changed(folder: int, name: str, existing: PathState) -> None:
    """Where names cannot change places: a last look, then the rename."""
    now = look(folder, name)
    if (now.kind, now.sha256) != (existing.kind, existing.sha256):
        raise FileExistsError(errno.EEXIST, "it was changed in the meantime", name)
    os.rename(new_name(name), name, src_dir_fd=folder, dst_dir_fd=folder)


def _free_copy(folder: int, name: str, sha256: str) -> str:
    """The name of a copy: free, or already that of a copy of the same bytes."""
    for length in (8, 64):
        copy = f"{name}.edited-{sha256[:length]}"
        try:
            there = look(folder, copy)
        except PublishError:
            continue
        if there.kind == "nothing" or there.sha256 == sha256:
            return copy
    raise PublishError(f"{name} was edited, and its copy cannot be kept: move {copy} away.")


def _must_be_safe(folder: Path, status: os.stat_result) -> None:
    """Refuse a folder of somebody else's, or one in which everybody may replace files."""
    is_sticky = bool(status.st_mode & stat.S_ISVTX)
    if status.st_uid != os.geteuid() and not (status.st_uid == 0 and is_sticky):
        raise PublishError(
            f"{folder} belongs to another user of this machine (uid {status.st_uid}): a memory is only published in a "
            "folder of your own. Choose another path."
        )
    if status.st_mode & stat.S_IWOTH and not is_sticky:
        raise PublishError(
            f"Everybody on this machine may replace files in {folder}, so nothing is published there. "
            f"Take the right away (chmod o-w {folder}), or choose another path."
        )
    if folder.resolve() != folder:
        raise PublishError(
            f"{folder} leads through a link now, which it did not when the file was added. "
            "Remove the file from the list and add it again, if the new place is meant."
        )


def _unusable(folder: Path, error: OSError, *, private: bool) -> str:
    if private:
        return f"{folder} cannot be used ({error.strerror}): it must be a folder of yours, not a link. Move it away."
    if isinstance(error, FileNotFoundError):
        return f"There is no folder {folder}. Make it, or choose another path: only folders in HOME are made."
    reason = "it is a link or no folder" if error.errno in (errno.ELOOP, errno.ENOTDIR) else error.strerror
    return f"{folder} cannot be used ({reason}). Choose another path, or mend it."


@contextmanager
def write_errors_of(path: Path) -> Iterator[None]:
    """An error of the system while a file is written as one of ours, with what is there and what to do."""
    try:
        yield
    except OSError as error:
        remedy = "Then run it again."
        if error.errno in _NO_ROOM:
            remedy = "Make room on the disk, and run it again."
        elif error.errno in _NOT_ALLOWED:
            remedy = f"Make {path.parent} writable for you, or choose another path, and run it again."
        raise PublishError(
            f"{path} could not be written ({error.strerror}). Nothing of it was changed. {remedy}"
        ) from error
