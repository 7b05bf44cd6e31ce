"""One SQLite file of an installation: owner-only, opened on first use, safe for threads, processes, forks and kills.

Its user names the tables and says what a person does when the file cannot be used.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar, Generic, Protocol, TypeVar

_PATIENCE_SECONDS = 30.0


class SqliteFile:
    """A file with a schema (``CREATE ... IF NOT EXISTS``). ``explain`` makes an error of SQLite's reason."""

    def __init__(self, path: Path, schema: str, explain: Callable[[str], Exception]) -> None:
        self.path = Path(path)
        self._schema = schema
        self._explain = explain
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._owner_pid = 0
        self._inode = 0

    def is_gone(self) -> bool:
        """Whether the file that this has open is not the one at its path, which was removed or replaced since."""
        try:
            return self._connection is not None and self.path.stat().st_ino != self._inode
        except OSError:
            return True

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The open connection, outside of any transaction. Makes the file when there is none."""
        with self._lock, self._explained():
            yield self._open()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction that may write: all of it is written, or nothing."""
        with self._lock, self._explained():
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file. The next use opens it again."""
        with self._lock:
            if self._connection is not None and self._owner_pid == os.getpid():
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        # A connection must not cross a fork: the child opens its own.
        if self._connection is None or self._owner_pid != os.getpid():
            self._connection = _connect(self.path, self._schema)
            self._owner_pid = os.getpid()
            self._inode = self.path.stat().st_ino
        return self._connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._explain(str(error)) from error
        except OSError as error:
            raise self._explain(f"{error.strerror} (check MEMORY_ASSETS_HOME)") from error


class DerivedFile(SqliteFile):
    """A file that follows from the graph, and from the recipe by which it was made. Each kind has a schema and an error
    of its own; ``what`` it is called, and what makes it ``again``, is for people.
    """

    schema: ClassVar[str]
    error: ClassVar[type[Exception]]
    what: ClassVar[str] = "file"
    again: ClassVar[str]

    def __init__(self, path: Path) -> None:
        made_from = "CREATE TABLE IF NOT EXISTS made_from (recipe TEXT PRIMARY KEY) WITHOUT ROWID;"
        super().__init__(path, made_from + self.schema, self._unusable)

    def _unusable(self, reason: str) -> Exception:
        remedy = f"It follows from the graph: remove it, and {self.again}."
        return self.error(f"The {self.what} {self.path} cannot be used: {reason}. {remedy}")

    def is_of(self, recipe: str) -> bool:
        """Whether it was made by this recipe, to its end."""
        with self.reading() as connection:
            return connection.execute("SELECT 1 FROM made_from WHERE recipe = ?", (recipe,)).fetchone() is not None

    def clear(self) -> None:
        """Forget all; another version may have had other columns."""
        with self.transaction() as connection:
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                connection.execute(f"DROP TABLE {name}")
            for statement in self._schema.split(";"):
                connection.execute(statement)

    def complete(self, recipe: str) -> None:
        """Note that all is there, by this recipe."""
        with self.transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO made_from VALUES (?)", (recipe,))


def _connect(path: Path, schema: str) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Owner-only before SQLite sees it; the -wal and -shm files take over the mode. A file that is there is not opened:
    # to close it again would drop this process's locks on it, and the last to leave would remove the others' -wal.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    if path.stat().st_mode & 0o077:
        path.chmod(0o600)
    connection = sqlite3.connect(path, timeout=_PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            # SQLite does not wait for its lock when the journal's mode changes: we do.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")  # what is forgotten leaves the file, too
            connection.executescript(schema)
            return connection
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                connection.close()
                raise
            time.sleep(0.02)
        except sqlite3.DatabaseError:
            connection.close()
            raise


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
