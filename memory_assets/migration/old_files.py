"""The bytes of a file that moves in: read, saved beside it, and given back. Nothing here follows a link."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from memory_assets.errors import MemoryAssetsError, WrongUseError
from memory_assets.files import publish

LARGEST = 64 << 20
SUFFIX = ".pre-migration"


class MigrationError(MemoryAssetsError):
    """A file that cannot move in or out, why, and what to do."""


@dataclass(frozen=True)
class OldFile:
    """A file as it was found."""

    data: bytes
    sha256: str
    mode: int


def read_old(path: Path, name: str | None = None) -> OldFile:
    """The regular file at ``path``, or another one beside it; raises :class:`WrongUseError` for anything else."""
    name = name or path.name
    shown = path.parent / name
    with publish.write_errors_of(path), publish.open_folder(path.parent, private=False) as folder:
        if shown.is_dir() and not shown.is_symlink():
            raise WrongUseError(f"{shown} is a folder: give the path of the file in it.")
        present = publish.look(folder, name)
        if present.kind == "link":
            raise WrongUseError(f"{shown} is a link to {present.target}: give the path of the file itself.")
        if present.kind != "file":
            raise WrongUseError(f"There is no file {shown}." if present.kind == "nothing" else f"{shown} is no file.")
        data = publish.read(folder, name, LARGEST + 1)
    if len(data) > LARGEST:
        raise WrongUseError(f"{shown} is larger than {LARGEST >> 20} MB: split it.")
    return OldFile(data, hashlib.sha256(data).hexdigest(), present.mode or publish.FILE_MODE)


def digest_of(path: Path, name: str) -> str | None:
    """The SHA-256 of a regular file beside ``path``; None when there is none."""
    try:
        return read_old(path, name).sha256
    except MemoryAssetsError:
        return None


def keep_old(path: Path, old: OldFile) -> str:
    """Keep the bytes beside the file, for its owner alone, with its times; returns the name, which may be there from
    before.

    A name that other bytes bear is left alone: the next number is taken.
    """
    with publish.write_errors_of(path), publish.open_folder(path.parent, private=False) as folder:
        times = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
        for number in range(1, 100):
            name = f"{path.name}{SUFFIX}" + (f"-{number}" if number > 1 else "")
            there = publish.look(folder, name)
            if there.sha256 == old.sha256:
                os.chmod(name, publish.closed(there.mode or publish.FILE_MODE), dir_fd=folder)
                return name
            if there.kind != "nothing":
                continue
            publish.write_new(folder, name, old.data, publish.closed(old.mode))
            os.utime(publish.new_name(name), ns=(times.st_atime_ns, times.st_mtime_ns), dir_fd=folder)
            os.rename(publish.new_name(name), name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
            return name
    raise MigrationError(f"Beside {path} stand a hundred files of the name {path.name}{SUFFIX}: move them away.")


def give_back(path: Path, old: OldFile, ours: Collection[str]) -> str | None:
    """Put the old bytes in their place in one step, and read them back; returns the copy of somebody's edit, if any."""
    copies: list[str] = []
    with publish.write_errors_of(path), publish.open_folder(path.parent, private=False) as folder:
        for _ in range(publish.ATTEMPTS):
            present = publish.look(folder, path.name)
            if present.sha256 == old.sha256:
                os.chmod(path.name, old.mode, dir_fd=folder)
                return ", ".join(copies) or None
            publish.put(folder, path.name, old.data, old.mode, present, {*ours, old.sha256}, copies)
    if digest_of(path, path.name) != old.sha256:
        raise MigrationError(
            f"{path} is changed by somebody again and again; it is as they left it. Undo it again later."
        )
    return ", ".join(copies) or None


def forget_old(path: Path, backup: str, sha256: str) -> None:
    """Remove the copy beside the file, when it holds what the file holds again."""
    with publish.write_errors_of(path), publish.open_folder(path.parent, private=False) as folder:
        if {publish.look(folder, name).sha256 for name in (path.name, backup)} == {sha256}:
            os.unlink(backup, dir_fd=folder)
