"""What the folders of a Slack export tell: a channel's days, its users, and the files that only belong to it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memory_assets.errors import SourceUnreadableError
from memory_assets.sources.disk_files import opened, printable, read_whole
from memory_assets.sources.encoding import HEAD_BYTES
from memory_assets.sources.formats import slack


def slack_days(files: Sequence[str]) -> list[str]:
    """The days of a channel, when this folder is one: names like days, and messages in the first ones."""
    days = [path for path in files if slack.DAY_FILE.fullmatch(os.path.basename(path))]
    for path in days[:10]:
        try:
            with opened(path) as stream:
                if slack.sniff(stream.read(HEAD_BYTES), os.path.basename(path)) > 0.9:
                    return days
        except (OSError, SourceUnreadableError):
            continue
    return []


def users_beside(folder: str) -> str | None:
    """The path of the users.json in a channel's folder or beside it; None when there is none."""
    for place in (folder, os.path.dirname(folder)):
        for name in slack.USERS:
            path = os.path.join(place, name)
            if os.path.isfile(path) and not os.path.islink(path):
                return path
    return None


def is_auxiliary(path: str) -> bool:
    """users.json and its like, beside a channel's folder or in it."""
    if os.path.basename(path).lower() not in slack.AUXILIARY:
        return False
    folder = os.path.dirname(path)
    try:
        with os.scandir(folder) as scan:
            places = [folder, *(e.path for e in scan if e.is_dir(follow_symlinks=False))]
        for place in places:
            with os.scandir(place) as scan:
                if any(slack.DAY_FILE.fullmatch(entry.name) for entry in scan):
                    return True
    except OSError:
        return False
    return False


def slack_context(path: str) -> tuple[str, dict[str, str]]:
    """The channel and the users that the folders around a single day's file tell."""
    folder = os.path.dirname(path)
    return printable(os.path.basename(folder)), read_users(users_beside(folder))


def read_users(path: str | None) -> dict[str, str]:
    """The names in a users.json and of the channels told beside it; nobody's when there is none or it cannot be read."""
    names: dict[str, str] = {}
    beside = [os.path.join(os.path.dirname(path), name) for name in slack.CHANNELS] if path else []
    for place in (*beside, *([path] if path else [])):
        try:
            with opened(place) as stream:
                names |= slack.read_users(read_whole(stream, 64 << 20))
        except (OSError, SourceUnreadableError):
            continue
    return names
