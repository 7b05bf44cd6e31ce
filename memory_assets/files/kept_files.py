"""Files of the installation that are a convenience: its owner's alone, and replaced in one step, never written over."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO


def replace_kept(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` make the file at ``path`` anew: somebody may be reading the old one. Raises :class:`OSError`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
        write(file)
    os.replace(new, path)


def idle_files(folders: Iterable[Path], before: datetime) -> Iterator[Path]:
    """The files in those users' folders below ``folders`` in which nothing was kept since ``before``.

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
