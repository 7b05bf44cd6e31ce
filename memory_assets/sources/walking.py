"""Which files there are, and which belong together: folders of Slack, maildirs, exports of chats.

Only regular files; no link is followed; hidden files and the litter of operating systems are ignored; everything else
that cannot be read is set aside with the reason.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.settings import HOME_MARKER
from memory_assets.sources.disk_files import (
    Unit,
    nature_of,
    opened,
    printable,
    read_whole,
    reason_of,
)
from memory_assets.sources.encoding import HEAD_BYTES
from memory_assets.sources.formats import chatgpt, claude, slack


def slack_days(files: Sequence[T], name_of: Callable[[T], str], head_of: Callable[[T], bytes]) -> list[T]:
    """The days of a channel, when this folder is one: names like days, and messages in the first ones."""
    days = [file for file in files if slack.DAY_FILE.fullmatch(name_of(file))]
    return days if any(slack.sniff(head_of(day), name_of(day)) > 0.9 for day in days[:10]) else []


def users_beside(folder: str) -> str | None:
    """The path of the users.json in a channel's folder or beside it; None when there is none."""
    places = (os.path.join(place, name) for place in (folder, os.path.dirname(folder)) for name in slack.USERS)
    return next((path for path in places if os.path.isfile(path) and not os.path.islink(path)), None)


def is_auxiliary(path: str) -> bool:
    """users.json and its like, beside a channel's folder or in it."""
    if os.path.basename(path).lower() not in slack.AUXILIARY:
        return False
    folder = Path(path).parent
    days = (found for depth in ("*.[jJ]*", "*/*.[jJ]*") for found in folder.glob(depth))
    return any(slack.DAY_FILE.fullmatch(day.name) and not day.parent.is_symlink() for day in days)


def slack_context(path: str) -> tuple[str, Callable[[], dict[str, str]]]:
    """The channel and, asked for, the users, from the folders around a single day's file."""
    folder = os.path.dirname(path)
    return printable(os.path.basename(folder)), lambda: read_users(users_beside(folder))


def read_users(path: str | None) -> dict[str, str]:
    """The names in a users.json and of the channels beside it; none where it is missing or cannot be read."""
    names: dict[str, str] = {}
    beside = [os.path.join(os.path.dirname(path), name) for name in slack.CHANNELS] if path else []
    for place in filter(None, (*beside, path)):
        with suppress(OSError, SourceUnreadableError), opened(place) as stream:
            names |= slack.read_users(read_whole(stream, 64 << 20))
    return names


# What mail servers have beside the mails of a maildir.
_MAIL_SERVERS = ("dovecot", "courier", "maildir", "subscriptions", "sieve", ".")

_MAILDIR_NAME = re.compile(r"\d{5,}\.[^/]+|[^/]+[:;!]2,[A-Za-z]*")


def is_maildir_name(name: str) -> bool:
    """Whether a mail server names a mail so: seconds since 1970 in front, or flags at the end."""
    return _MAILDIR_NAME.fullmatch(name) is not None


def is_maildir(folder: str) -> bool:
    """Whether a folder is a maildir: cur, new and tmp in it, or two of them and mails that are named as in one."""
    there = [name for name in ("cur", "new", "tmp") if os.path.isdir(os.path.join(folder, name))]
    if len(there) == 3 or "cur" not in there and "new" not in there:
        return len(there) == 3
    try:
        with os.scandir(os.path.join(folder, there[0])) as scan:
            return any(is_maildir_name(entry.name) for entry in scan)
    except OSError:
        return False


def is_mail_servers(entry: os.DirEntry[str]) -> bool:
    """What in a maildir is no mail: half written ones, and the server's own files."""
    if entry.is_dir(follow_symlinks=False):
        return entry.name == "tmp"
    return entry.name.lower().startswith(_MAIL_SERVERS)


# What ChatGPT and Claude export beside the conversations: settings, votes, a copy as a web page. No sources.
_EXPORT_PARTS = frozenset(
    {"chat.html", "user.json", "users.json", "user_settings.json", "message_feedback.json", "shared_conversations.json",
     "model_comparisons.json", "shopping.json", "sora.json", "export_manifest.json",
     "conversation_asset_file_names.json"}
)  # fmt: skip
# Parts of such an export that can hold somebody's words, and why they are not read.
_UNREAD_PARTS = {
    "projects.json": (
        "It holds an export's projects in a form that is not known: save the documents that matter as files."
    ),
    "memories.json": (
        "It holds an export's memories in a form that is not known; the conversations that they come from are read."
    ),
    "group_chats.json": "It holds an export's group chats, which are not read: save those that matter as text.",
}
_CONVERSATIONS = re.compile(r"conversations(?:-\d{1,6})?\.json", re.IGNORECASE)
_NOTHING = re.compile(rb'(?:\xef\xbb\xbf)?\s*+(?:\{\s*+(?:"\w{1,60}"\s*+:\s*+\[\s*+\]\s*+)?\}|\[\s*+\])?\s*+')


def export_parts(
    files: Sequence[T], name_of: Callable[[T], str], head_of: Callable[[T], bytes]
) -> Iterator[tuple[T, str | None]]:
    """The files of a folder that are no sources, since the folder is an export of ChatGPT or Claude; and why one is not
    read, where it holds somebody's words.

    Claude's projects and memories are sources by themselves.
    """
    parts = [file for file in files if name_of(file).lower() in _EXPORT_PARTS | _UNREAD_PARTS.keys()]
    named = sorted((file for file in files if _CONVERSATIONS.fullmatch(name_of(file))), key=name_of) if parts else []
    if not any(form.sniff(head_of(file), name_of(file)) > 0 for file in named[:10] for form in (chatgpt, claude)):
        return
    for file in parts:
        reason = _UNREAD_PARTS.get(name_of(file).lower())
        head = head_of(file) if reason else b""
        if reason is None or claude.sniff_notes(head, name_of(file)) <= 0:
            yield file, None if reason is None or _NOTHING.fullmatch(head) else reason


T = TypeVar("T")
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
            is_hidden = entry.name.startswith((".", "~$")) or entry.name.lower() in LITTER
            if maildir and is_mail_servers(entry):
                found.ignored += 1
            elif maildir and entry.name[:1] == "." and entry.is_dir(follow_symlinks=False) and is_maildir(entry.path):
                folders.append(entry.path)  # a folder of this mailbox
            elif is_hidden:
                found.ignored += 1
            elif entry.is_symlink():
                _judge_link(entry.path, root, found)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.path not in seen:
                seen.add(entry.path)
                files.append(entry.path)
        waiting.extend(reversed(folders))
        _add_files(folder, entries, files, found, group_slack)


def _add_files(
    folder: str, entries: Sequence[os.DirEntry[str]], files: Sequence[str], found: Walk, group_slack: bool
) -> None:
    days = slack_days(files, os.path.basename, _head_of) if group_slack else []
    if days:
        found.units.append(Unit(folder, days=tuple(days), users=users_beside(folder)))
    taken = set(days)
    parts = dict(export_parts([entry.path for entry in entries], os.path.basename, _head_of))
    mails = os.path.basename(folder) in ("cur", "new") and is_maildir(os.path.dirname(folder))
    for path in files:
        if path in taken:
            continue
        if reason := parts.get(path):
            found.set_aside.append((path, reason))
            continue
        if path in parts or (group_slack and is_auxiliary(path)):
            found.units.append(Unit(path, is_source=False))
            continue
        try:
            _add_file(path, os.lstat(path).st_mode, found, SourceType.EMAIL if mails else None)
        except FileNotFoundError:
            continue  # taken away since the folder was listed
        except OSError as error:
            found.set_aside.append((path, reason_of(error)))


def _head_of(path: str) -> bytes:
    """A file's first bytes; none when it cannot be read."""
    with suppress(OSError, SourceUnreadableError), opened(path) as stream:
        return stream.read(HEAD_BYTES)
    return b""


def _add_file(path: str, mode: int, found: Walk, kind: SourceType | None = None) -> None:
    if stat.S_ISREG(mode):
        found.units.append(Unit(path, kind))
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
        found.set_aside.append((path, "It is a link that leads out of the given path; give its target itself."))
