"""Files that stay open in a process: to open one, and to close the last connection to it, costs more than to use it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

MOST_OPEN = 64


class Opened(Protocol):
    """What is open at a path."""

    def is_gone(self) -> bool:
        """Whether somebody has removed or replaced at the path what is open."""

    def close(self) -> None:
        """Close it; the next use opens it again."""


F = TypeVar("F", bound=Opened)


class OpenFiles(Generic[F]):
    """The files of one kind that were used last, by path. Safe for threads."""

    def __init__(self, open_at: Callable[[Path], F], most: int = MOST_OPEN) -> None:
        self._open_at = open_at
        self._most = most
        self._lock = threading.Lock()
        self._files: dict[Path, F] = {}

    def at(self, path: Path) -> F:
        """The one at a path. Those that were removed or replaced are closed: till then they stay on the disk."""
        with self._lock:
            leaving = [known for known, file in self._files.items() if file.is_gone()]
            left = [known for known in self._files if known != path and known not in leaving]
            leaving += left[: max(0, len(left) - self._most + 1)]
            closing = [self._files.pop(known) for known in leaving]
            found = self._files[path] = self._files.pop(path, None) or self._open_at(path)
        for file in closing:
            file.close()
        return found
