"""Files of the installation that are a convenience: its owner's alone, and replaced in one step, never written over."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO


def replace_kept(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` make the file at ``path`` anew: somebody may be reading the old one. Raises :class:`OSError`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
        write(file)
    os.replace(new, path)
