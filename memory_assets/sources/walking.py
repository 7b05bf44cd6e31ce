"""Which files there are. Reads the disk, decides nothing about content.

Only regular files; no link is followed (a link inside of the given path leads to what is read anyway);
hidden files and the litter of operating systems are ignored; everything else that cannot be read is
set aside with the reason.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.settings import HOME_MARKER
from memory_assets.sources.disk_files import nature_of, opened, reason_of
from memory_assets.sources.encoding import HEAD_BYTES
from memory_assets.sources.export_parts import is_conversations, is_export_part, is_exported, is_read_part, why_unread
from memory_assets.sources.maildirs import is_mail_servers, is_maildir
from memory_assets.sources.slack_folders import is_auxiliary, slack_days, users_beside
from memory_assets.sources.units import FileUnit, PartUnit, SlackUnit, Unit

LITTER = frozenset({"thumbs.db", "desktop.ini", "__macosx", "icon\r"})


@dataclass
class Walk:
    """What was found under the given paths, in the order of its names."""

    units: list[Unit] = field(default_factory=list)
    set_aside: list[tuple[str, str]] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)
    ignored: int = 0


def walk(paths: Iterable[str | Path], *, group_slack: bool = True) -> Walk:
    """All files under ``paths``; one that was given by name is read even when it is hidden."""
    found = Walk()
    seen: set[str] = set()
    for given in sorted({os.path.abspath(os.fspath(path)) for path in paths}, key=os.fsencode):
        root = os.path.realpath(given)
        found.roots.append(root)
        try:
            mode = os.stat(root).st_mode
        except OSError as error:
            found.set_aside.append((given, reason_of(error)))
            continue
        if stat.S_ISDIR(mode):
            _walk_folder(root, found, seen, group_slack)
        elif root not in seen:
            seen.add(root)
            _add_file(root, mode, found)
    return found


def _walk_folder(root: str, found: Walk, seen: set[str], group_slack: bool) -> None:
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        if folder in seen:
            continue
        seen.add(folder)
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            found.set_aside.append((folder, reason_of(error)))
            continue
        if any(entry.name == HOME_MARKER for entry in entries):
            found.set_aside.append((folder, "It is an installation's own folder, with the inboxes of all its users."))
            continue
        files: list[str] = []
        folders: list[str] = []
        maildir = is_maildir(folder)
        for entry in entries:
            if maildir and is_mail_servers(entry):
                found.ignored += 1
            elif maildir and entry.is_dir(follow_symlinks=False) and entry.name.startswith("."):
                if is_maildir(entry.path):
                    folders.append(entry.path)  # a folder of this mailbox
                else:
                    found.ignored += 1
            elif entry.name.startswith((".", "~$")) or entry.name.lower() in LITTER:
                found.ignored += 1
            elif entry.is_symlink():
                _judge_link(entry.path, root, found)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.path not in seen:
                seen.add(entry.path)
                files.append(entry.path)
        waiting.extend(reversed(folders))
        _add_files(folder, files, found, group_slack)


def _add_files(folder: str, files: Sequence[str], found: Walk, group_slack: bool) -> None:
    days = slack_days(files) if group_slack else []
    if days:
        found.units.append(SlackUnit(folder, tuple(days), users_beside(folder)))
    taken = set(days)
    exported = _is_export(folder, files)
    mails = os.path.basename(folder) in ("cur", "new") and is_maildir(os.path.dirname(folder))
    for path in files:
        if path in taken:
            continue
        if exported and is_export_part(os.path.basename(path)) and not is_read_part(os.path.basename(path), _head_of(path)):
            reason = why_unread(os.path.basename(path), _head_of(path))
            if reason is None:
                found.units.append(PartUnit(path))
            else:
                found.set_aside.append((path, reason))
            continue
        if group_slack and is_auxiliary(path):
            found.units.append(PartUnit(path))
            continue
        try:
            _add_file(path, os.lstat(path).st_mode, found, SourceType.EMAIL if mails else None)
        except FileNotFoundError:
            continue  # taken away since the folder was listed
        except OSError as error:
            found.set_aside.append((path, reason_of(error)))


def _is_export(folder: str, files: Sequence[str]) -> bool:
    """Whether a folder holds exported conversations; looked at only where one of ``files`` could be a part of them."""
    if not any(is_export_part(os.path.basename(path)) for path in files):
        return False
    try:
        with os.scandir(folder) as scan:
            named = sorted(entry.path for entry in scan if is_conversations(entry.name))
    except OSError:
        return False
    return any(is_exported(_head_of(path), os.path.basename(path)) for path in named[:10])


def _head_of(path: str) -> bytes:
    """A file's first bytes; none when it cannot be read."""
    try:
        with opened(path) as stream:
            return stream.read(HEAD_BYTES)
    except (OSError, SourceUnreadableError):
        return b""


def _add_file(path: str, mode: int, found: Walk, kind: SourceType | None = None) -> None:
    if stat.S_ISREG(mode):
        found.units.append(FileUnit(path, kind))
    else:
        found.set_aside.append((path, f"It is no regular file ({nature_of(mode)})."))


def _judge_link(path: str, root: str, found: Walk) -> None:
    """A link to what is read anyway is ignored; one that leads elsewhere, or nowhere, is set aside."""
    try:
        target = os.path.realpath(path, strict=True)
    except OSError:
        found.set_aside.append((path, "It is a link that leads nowhere or in a circle."))
        return
    if target == root or target.startswith(root.rstrip(os.sep) + os.sep):
        found.ignored += 1
    else:
        found.set_aside.append(
            (path, "It is a link that leads out of the given path; give its target itself.")
        )
