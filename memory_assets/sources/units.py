"""What is read as one: a file, a channel's folder, a part of an export; and how its files stand on the disk, unread."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from memory_assets.model import SourceType, fingerprint
from memory_assets.sources.disk_files import printable


@dataclass(frozen=True)
class FileUnit:
    """A file that is read by itself; ``kind`` where its folder tells it (a mail of a maildir)."""

    path: str
    kind: SourceType | None = None


@dataclass(frozen=True)
class SlackUnit:
    """A channel's folder of a Slack export: its days belong together, since threads cross them."""

    path: str
    days: tuple[str, ...]
    users: str | None


@dataclass(frozen=True)
class PartUnit:
    """A file that belongs to an export without being a source (its users, its channels, its settings)."""

    path: str


Unit = FileUnit | SlackUnit | PartUnit


class Stamp(NamedTuple):
    """How a unit's files stand on the disk: ``text`` differs after whatever may have changed their content.

    ``changed_at`` is the newest of their change times, in seconds since 1970.
    """

    text: str
    changed_at: float


def members(unit: Unit) -> tuple[str, ...]:
    """The paths of all files that a unit is read from."""
    if isinstance(unit, SlackUnit):
        return (*unit.days, *([unit.users] if unit.users else []))
    return (unit.path,)


def stamp_of(unit: Unit) -> Stamp | None:
    """A unit's stamp, without reading it; None when none of its files can be looked at.

    Sizes, times of content and of status, inodes and devices: a file that was replaced by another of the same
    size and time of content, or whose time was set back, has another inode or time of status.
    """
    stamps: list[str] = []
    newest: list[int] = []
    paths = members(unit)
    for path in paths:
        try:
            found = os.lstat(path)
        except OSError as error:
            stamps.append(type(error).__name__)
            continue
        newest.append(max(found.st_mtime_ns, found.st_ctime_ns))
        stamps.append(f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino} {found.st_dev}")
    if not newest:
        return None
    if isinstance(unit, SlackUnit):
        names = (printable(os.path.basename(path)) for path in paths)
        return Stamp(fingerprint(*(part for pair in zip(names, stamps, strict=True) for part in pair)), max(newest) / 1e9)
    return Stamp(stamps[0], newest[0] / 1e9)


def size_of(units: Iterable[Unit]) -> int:
    """How many bytes reading all of ``units`` would read."""
    size = 0
    for path in (path for unit in units for path in members(unit)):
        try:
            size += os.lstat(path).st_size
        except OSError:
            continue
    return size
