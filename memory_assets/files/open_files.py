"""Files that stay open in a process: to open one, and to close the last connection to it, costs more than to use it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

MOST_OPEN = 64


class Opened(Protocol):
    """What is open at a path."""

    def is_there(self) -> bool:
        """Whether what is open is what lies at the path, removed and replaced by nobody since."""

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
        """The one at a path; another, where somebody has removed or replaced what was open."""
        with self._lock:
            found = self._files.pop(path, None)
            if found is not None and not found.is_there():
                found.close()
            while len(self._files) >= self._most:
                self._files.pop(next(iter(self._files))).close()
            return self._files.setdefault(path, found or self._open_at(path))
