"""Which folders are maildirs, and what of one is mail."""

from __future__ import annotations

import os
import re

# What mail servers keep beside the mails of a maildir.
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
