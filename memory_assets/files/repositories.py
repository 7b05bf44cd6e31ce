"""The repository that a folder is in, read from the disk without running anything."""

from __future__ import annotations

import re
from pathlib import Path

MOST_BYTES = 64 * 1024
_WORKTREE = re.compile(r"\Agitdir: (.+?)[/\\]\.git[/\\]worktrees[/\\][^/\\]+\s*\Z")
_GITDIR = re.compile(r"\Agitdir: (.+?)\s*\Z")
_BRANCH = re.compile(r"\Aref: refs/heads/(\S+)\s*\Z")
_ORIGIN = re.compile(r'^\[remote "origin"\][ \t]*\n(?:(?!\[).*\n)*?[ \t]*url[ \t]*=[ \t]*(\S+)[ \t]*$', re.MULTILINE)


def root_of(folder: Path) -> Path | None:
    """The root of the repository that a folder is in, of a worktree that of its repository; None without one."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_dir():
            return place
        if git.is_file():
            worktree = _WORKTREE.match(_text(git))
            return Path(worktree[1]) if worktree else place
    return None


def known_by(folder: str) -> str:
    """What the work in a folder is known by: the repository's remote, else its root, else the folder itself; nothing
    ("") in the home folder and in ``/``, where all work is.
    """
    path = Path(folder)
    try:
        root = root_of(path) if path.is_absolute() else None
        remote = _ORIGIN.search(_text(root / ".git" / "config") + "\n") if root else None
    except (OSError, ValueError):  # a path that none can have
        return folder
    if remote:
        return remote[1]
    if path.is_absolute() and _has_all_work(path):
        return ""
    return str(root) if root and not _has_all_work(root) else folder


def branch_of(folder: str) -> str:
    """The branch that is checked out where a folder is; "" where there is none, or none is."""
    path = Path(folder)
    try:
        git = next((place / ".git" for place in (path, *path.parents) if (place / ".git").exists()), None)
        if not path.is_absolute() or git is None:
            return ""
        if elsewhere := _GITDIR.match(_text(git)):  # a worktree's, or a submodule's
            git = git.parent / elsewhere[1]
        found = _BRANCH.match(_text(git / "HEAD"))
    except (OSError, ValueError):  # a path that none can have
        return ""
    return found[1] if found else ""


def _has_all_work(folder: Path) -> bool:
    """Whether it is the home folder or ``/``, perhaps under version control."""
    try:
        homes = {Path.home(), Path.home().resolve()}
    except (OSError, RuntimeError):  # somebody without a home
        homes = set()
    return folder in {Path(folder.anchor), *homes}


def _text(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(MOST_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
